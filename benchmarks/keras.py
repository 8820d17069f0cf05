"""Keras: training, evaluation and prediction, and the call of a small model."""

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


def fitting(tf, model, x, y, batch_size):
    """A call that trains for one epoch; its loss."""
    compiled(tf, model)

    def epoch():
        history = model.fit(x, y, batch_size=batch_size, verbose=0, shuffle=False)
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
