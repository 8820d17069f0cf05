"""Keras: training, evaluation and prediction, and the call of a small model.

PyTorch has no `fit`: its jobs are the loops that its users write, over slices of tensors.
"""

import numpy as np

from benchmarks.jobs import benchmark

SYSTEMS = ("runnel", "tensorflow", "keras_jax", "keras_torch")  # the last two: Keras 3
RANDOM = np.random.default_rng(1)


def normal(*shape):
    return RANDOM.standard_normal(shape, dtype=np.float32)


def labels(count, classes=10):
    return RANDOM.integers(0, classes, count)


def compiled(tf, model):
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model


def fitting(tf, model, x, y, batch_size, shuffle=False):
    """A call that trains for one epoch; its loss."""
    compiled(tf, model)

    def epoch():
        history = model.fit(x, y, batch_size=batch_size, verbose=0, shuffle=shuffle)
        return np.float32(history.history["loss"])

    return epoch


def mlp(tf):
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [tf.keras.Input((784,)), layers.Dense(128, activation="relu"), layers.Dense(10)]
    )


@benchmark("fit: MLP 784-128-10, 100 batches of 32", *SYSTEMS)
def fit_mlp(tf):
    return fitting(tf, mlp(tf), normal(3200, 784), labels(3200), 32)


@benchmark("fit: MLP, shuffled", *SYSTEMS)
def fit_mlp_shuffled(tf):
    return fitting(tf, mlp(tf), normal(3200, 784), labels(3200), 32, shuffle=True)


@benchmark("fit: CNN on 28x28, 10 batches of 64", *SYSTEMS)
def fit_cnn(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((28, 28, 1)),
            layers.Conv2D(16, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )
    return fitting(tf, model, normal(640, 28, 28, 1), labels(640), 64)


@benchmark("fit: LSTM classifier, 20 batches of 32", *SYSTEMS)
def fit_lstm(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [tf.keras.Input((20,)), layers.Embedding(1000, 32), layers.LSTM(64), layers.Dense(10)]
    )
    return fitting(tf, model, labels(640 * 20, 1000).reshape(640, 20), labels(640), 32)


@benchmark("fit: functional model of two inputs, 50 batches of 32", *SYSTEMS)
def fit_two_inputs(tf):
    layers = tf.keras.layers
    a, b = tf.keras.Input((32,)), tf.keras.Input((16,))
    both = layers.Concatenate()([layers.Dense(64, activation="relu")(a), b])
    model = tf.keras.Model([a, b], layers.Dense(10)(both))
    return fitting(tf, model, [normal(1600, 32), normal(1600, 16)], labels(1600), 32)


@benchmark("evaluate: MLP, 100 batches of 32", *SYSTEMS)
def evaluate(tf):
    model, x, y = compiled(tf, mlp(tf)), normal(3200, 784), labels(3200)
    return lambda: np.float32(model.evaluate(x, y, verbose=0))


@benchmark("predict: MLP, 100 batches of 32", *SYSTEMS)
def predict(tf):
    model, x = mlp(tf), normal(3200, 784)
    return lambda: model.predict(x, verbose=0)


@benchmark("predict: MLP, one sample", *SYSTEMS)
def predict_one(tf):
    model, x = mlp(tf), normal(1, 784)
    return lambda: model.predict(x, verbose=0)


@benchmark("model(x): MLP, one sample", *SYSTEMS)
def call_one(tf):
    model, x = mlp(tf), tf.constant(normal(1, 784))
    return lambda: model(x)


def many_variables(tf):
    """Fifty variables with their gradients."""
    shapes = [(64, 64) if number % 2 else (64,) for number in range(50)]
    variables = [tf.Variable(normal(*shape)) for shape in shapes]
    return [(tf.constant(normal(*shape)), v) for shape, v in zip(shapes, variables, strict=True)]


@benchmark("Adam: step of 50 variables, eager", "runnel", "tensorflow")
def adam_eager(tf):
    pairs, optimizer = many_variables(tf), tf.keras.optimizers.Adam(1e-6)

    def step():
        optimizer.apply_gradients(pairs)
        return pairs[0][1]

    return step


@benchmark("Adam: step of 50 variables, in a function", "runnel", "tensorflow")
def adam_in_a_function(tf):
    pairs, optimizer = many_variables(tf), tf.keras.optimizers.Adam(1e-6)

    @tf.function
    def step():
        optimizer.apply_gradients(pairs)
        return pairs[0][1].value()

    return step


@benchmark("Adam: 2048 of 20,000 rows, gradient and step", "runnel", "tensorflow")
def adam_of_rows(tf):
    table, optimizer = tf.Variable(normal(20_000, 64)), tf.keras.optimizers.Adam(1e-6)

    @tf.function
    def step(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])
        return loss

    ids = tf.constant(labels(2048, 20_000))
    return lambda: step(ids)


def torch_fitting(torch, model, inputs, y, batch_size, shuffle=False):
    """A call that trains for one epoch with Adam; its loss. It also counts right answers."""
    inputs, y = [torch.from_numpy(x) for x in inputs], torch.from_numpy(y)
    optimizer = torch.optim.Adam(model.parameters())

    def epoch():
        order = torch.randperm(len(y)) if shuffle else None
        total, right = torch.zeros(()), torch.zeros((), dtype=torch.int64)
        for start in range(0, len(y), batch_size):
            rows = slice(start, start + batch_size)
            rows = rows if order is None else order[rows]
            target = y[rows]
            optimizer.zero_grad()
            logits = model(*[x[rows] for x in inputs])
            loss = torch.nn.functional.cross_entropy(logits, target)
            loss.backward()
            optimizer.step()
            total += loss.detach() * len(target)
            right += (logits.argmax(1) == target).sum()
        return np.float32([total / len(y), right / len(y)])

    return epoch


def torch_mlp(torch):
    nn = torch.nn
    return nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))


@benchmark("fit: MLP 784-128-10, 100 batches of 32", "torch")
def fit_mlp_torch(torch):
    return torch_fitting(torch, torch_mlp(torch), [normal(3200, 784)], labels(3200), 32)


@benchmark("fit: MLP, shuffled", "torch")
def fit_mlp_shuffled_torch(torch):
    model = torch_mlp(torch)
    return torch_fitting(torch, model, [normal(3200, 784)], labels(3200), 32, shuffle=True)


@benchmark("fit: CNN on 28x28, 10 batches of 64", "torch")
def fit_cnn_torch(torch):
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(800, 10),
    )
    return torch_fitting(torch, model, [normal(640, 1, 28, 28)], labels(640), 64)


def torch_lstm(torch):
    class Classifier(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(1000, 32)
            self.lstm = torch.nn.LSTM(32, 64, batch_first=True)
            self.dense = torch.nn.Linear(64, 10)

        def forward(self, words):
            return self.dense(self.lstm(self.embedding(words))[0][:, -1])

    return Classifier()


@benchmark("fit: LSTM classifier, 20 batches of 32", "torch")
def fit_lstm_torch(torch):
    words = labels(640 * 20, 1000).reshape(640, 20)
    return torch_fitting(torch, torch_lstm(torch), [words], labels(640), 32)


def torch_two_inputs(torch):
    class TwoInputs(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = torch.nn.Linear(32, 64), torch.nn.Linear(80, 10)

        def forward(self, a, b):
            return self.last(torch.cat([torch.relu(self.first(a)), b], 1))

    return TwoInputs()


@benchmark("fit: functional model of two inputs, 50 batches of 32", "torch")
def fit_two_inputs_torch(torch):
    inputs = [normal(1600, 32), normal(1600, 16)]
    return torch_fitting(torch, torch_two_inputs(torch), inputs, labels(1600), 32)


def torch_batches(x):
    return [x[start : start + 32] for start in range(0, len(x), 32)]


@benchmark("evaluate: MLP, 100 batches of 32", "torch")
def evaluate_torch(torch):
    model = torch_mlp(torch)
    x, y = torch.from_numpy(normal(3200, 784)), torch.from_numpy(labels(3200))

    @torch.inference_mode()
    def run():
        total, right = torch.zeros(()), torch.zeros((), dtype=torch.int64)
        for inputs, target in zip(torch_batches(x), torch_batches(y), strict=True):
            logits = model(inputs)
            total += torch.nn.functional.cross_entropy(logits, target) * len(target)
            right += (logits.argmax(1) == target).sum()
        return np.float32([total / len(y), right / len(y)])

    return run


@benchmark("predict: MLP, 100 batches of 32", "torch")
def predict_torch(torch):
    model, x = torch_mlp(torch), torch.from_numpy(normal(3200, 784))

    @torch.inference_mode()
    def run():
        return torch.cat([model(inputs) for inputs in torch_batches(x)]).numpy()

    return run


@benchmark("predict: MLP, one sample", "torch")
def predict_one_torch(torch):
    model, x = torch_mlp(torch), normal(1, 784)

    @torch.inference_mode()
    def run():
        return model(torch.from_numpy(x)).numpy()

    return run


@benchmark("model(x): MLP, one sample", "torch")
def call_one_torch(torch):
    model, x = torch_mlp(torch), torch.from_numpy(normal(1, 784))

    @torch.inference_mode()
    def run():
        return model(x)

    return run
