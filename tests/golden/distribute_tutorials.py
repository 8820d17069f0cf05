"""Programs in the manner of TensorFlow's tutorials on one process; see `make_distribute.py`."""

import os
import tempfile
from typing import Any

import numpy as np


def _digits(count: int) -> Any:
    pixels = np.sin(np.arange(count * 36, dtype="float32") * 37.0).reshape(count, 6, 6, 1)
    return np.uint8(127 * pixels + 128), (np.arange(count) % 3).astype("int64")


def _scaled(tf: Any) -> Any:
    def scale(image: Any, label: Any) -> Any:
        return tf.cast(image, tf.float32) / 255.0, label

    return scale


def _classifier(tf: Any) -> Any:
    start, layers = tf.keras.initializers.Constant, tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Conv2D(
                2, 3, activation="relu", kernel_initializer=start(0.1), input_shape=(6, 6, 1)
            ),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(4, "tanh", kernel_initializer=start(0.2)),
            layers.Dense(3, kernel_initializer=tf.keras.initializers.Identity(0.5)),
        ]
    )


def _rounded(found: Any) -> Any:
    """Numbers as half floats, for those that training gives differ in their last places."""
    return np.array([float(value) for value in found], np.float16)


def keras(tf: Any, s: Any) -> Any:
    """`fit` with callbacks, checkpoints of weights, a model in a file that others load."""
    per_replica = 4
    images, labels = _digits(27)
    data = tf.data.Dataset.from_tensor_slices((images, labels)).map(_scaled(tf)).cache()
    data = data.batch(per_replica * s.num_replicas_in_sync)
    entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with s.scope():
        model = _classifier(tf)
        adam = tf.keras.optimizers.Adam(learning_rate=0.01)
        model.compile(loss=entropy, optimizer=adam, metrics=["accuracy"])
    rates = []

    class Rates(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            rates.append(float(model.optimizer.lr.numpy()))

    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "checkpoints", "weights_{epoch}")
        fitted = model.fit(
            data,
            epochs=2,
            verbose=0,
            callbacks=[
                tf.keras.callbacks.ModelCheckpoint(filepath=prefix, save_weights_only=True),
                tf.keras.callbacks.LearningRateScheduler(lambda epoch: [0.01, 0.001][epoch]),
                Rates(),
            ],
        )
        model.load_weights(tf.train.latest_checkpoint(os.path.dirname(prefix)))
        scores = [model.evaluate(data, verbose=0)]
        path = os.path.join(folder, "model.keras")
        model.save(path)
        plain = tf.keras.models.load_model(path)
        plain.compile(loss=entropy, optimizer=tf.keras.optimizers.Adam(), metrics=["accuracy"])
        scores.append(plain.evaluate(data, verbose=0))
        with s.scope():
            again = tf.keras.models.load_model(path)
            again.compile(loss=entropy, optimizer=tf.keras.optimizers.Adam(), metrics=["accuracy"])
        scores.append(again.evaluate(data, verbose=0))
    return [
        _rounded(rates),
        _rounded(fitted.history["loss"]),
        _rounded(fitted.history["accuracy"]),
        [_rounded(score) for score in scores],
    ]


def custom_training(tf: Any, s: Any) -> Any:
    """Steps of one's own with metrics and a checkpoint, and three ways to go through the data."""
    count = s.num_replicas_in_sync
    images, labels = _digits(21)
    batch = 2 * count
    data = tf.data.Dataset.from_tensor_slices((images, labels)).map(_scaled(tf)).batch(batch)
    train, test = (s.experimental_distribute_dataset(part) for part in (data, data.take(2)))
    losses, metrics = tf.keras.losses, tf.keras.metrics
    with s.scope():
        entropy = losses.SparseCategoricalCrossentropy(
            from_logits=True, reduction=losses.Reduction.NONE
        )
        test_loss = metrics.Mean(name="test_loss")
        accuracy = metrics.SparseCategoricalAccuracy(name="train_accuracy")
        test_accuracy = metrics.SparseCategoricalAccuracy(name="test_accuracy")
        model = _classifier(tf)
        optimizer = tf.keras.optimizers.Adam(learning_rate=0.01)
        checkpoint = tf.train.Checkpoint(optimizer=optimizer, model=model)

    def loss_of(labels: Any, predictions: Any, penalties: Any) -> Any:
        loss = tf.nn.compute_average_loss(entropy(labels, predictions), global_batch_size=batch)
        if penalties:
            loss += tf.nn.scale_regularization_loss(tf.add_n(penalties))
        return loss

    def train_step(inputs: Any) -> Any:
        images, labels = inputs
        with tf.GradientTape() as tape:
            predictions = model(images, training=True)
            loss = loss_of(labels, predictions, model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        accuracy.update_state(labels, predictions)
        return loss

    def test_step(inputs: Any) -> None:
        images, labels = inputs
        predictions = model(images, training=False)
        test_loss.update_state(entropy(labels, predictions))
        test_accuracy.update_state(labels, predictions)

    @tf.function
    def distributed_train_step(inputs: Any) -> Any:
        each = s.run(train_step, args=(inputs,))
        return s.reduce(tf.distribute.ReduceOp.SUM, each, axis=None)

    @tf.function
    def distributed_test_step(inputs: Any) -> Any:
        return s.run(test_step, args=(inputs,))

    @tf.function
    def epoch_in_a_function(dataset: Any) -> Any:
        total, steps = 0.0, 0
        for inputs in dataset:
            total += s.reduce("SUM", s.run(train_step, args=(inputs,)), axis=None)
            steps += 1
        return total / tf.cast(steps, tf.float32)

    found = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            total = sum(float(distributed_train_step(inputs)) for inputs in train)
            for inputs in test:
                distributed_test_step(inputs)
            found.append([total, accuracy.result(), test_loss.result(), test_accuracy.result()])
            path = checkpoint.save(os.path.join(folder, "state"))
            for metric in (accuracy, test_loss, test_accuracy):
                metric.reset_state()
        other = _classifier(tf)
        tf.train.Checkpoint(model=other).restore(path).expect_partial()
        measured = metrics.SparseCategoricalAccuracy()
        for images, labels in data:
            measured(labels, other(images, training=False))
        found.append([measured.result()])
    iterator = iter(train)
    found.append([distributed_train_step(next(iterator)) for _ in range(2)])
    found.append([epoch_in_a_function(train), optimizer.iterations.numpy()])
    return [_rounded(row) for row in found]


def inputs(tf: Any, s: Any) -> Any:
    """The ways by which data reach replicas."""
    d, found = tf.distribute, []

    def rows(value: Any) -> Any:
        return [part.numpy().tolist() for part in s.experimental_local_results(value)]

    data = tf.data.Dataset.from_tensors(([1.0], [1.0])).repeat(7).batch(3)
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    divided = s.experimental_distribute_dataset(data.with_options(options).prefetch(1))

    @tf.function(input_signature=[divided.element_spec])
    def step(pair: Any) -> Any:
        return s.run(lambda x, y: 0.3 * x - y, args=pair)

    found.append([rows(step(pair)) for pair in divided])

    def per_worker(context: Any) -> Any:
        size = context.get_per_replica_batch_size(6)
        made = tf.data.Dataset.range(16).map(lambda x: tf.cast(x, tf.float32))
        made = made.shard(context.num_input_pipelines, context.input_pipeline_id)
        return made.batch(size).prefetch(2)

    made = s.distribute_datasets_from_function(
        per_worker, d.InputOptions(experimental_fetch_to_device=False)
    )
    found.append([rows(part) for part in made])
    iterator = iter(s.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(3)))

    @tf.function
    def all_that_are_left() -> Any:
        total, more = tf.constant(0, tf.int64), tf.constant(True)
        while more:
            element = iterator.get_next_as_optional()
            more = element.has_value()
            if more:
                part = s.run(tf.reduce_sum, args=(element.get_value(),))
                total += s.reduce("SUM", part, axis=None)
        return total

    found.append(all_that_are_left())
    values = s.experimental_distribute_values_from_function(
        lambda context: tf.constant(10.0 * context.replica_id_in_sync_group)
    )
    found.append(rows(tf.function(lambda x: s.run(lambda x: x * x, args=(x,)))(values)))
    single = next(iter(s.experimental_distribute_dataset(tf.data.Dataset.range(9).batch(6))))
    found.append(rows(s.run(lambda x: x + 1, args=(single,))))

    def numbers() -> Any:
        yield from range(5)

    generated = tf.data.Dataset.from_generator(numbers, output_types=tf.float32, output_shapes=())
    found.append([rows(x) for x in s.experimental_distribute_dataset(generated.batch(2))])
    parts = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [4, 5, 6], []]))
    ragged = s.experimental_distribute_dataset(parts.batch(3))
    for batch in ragged:
        lengths = s.run(lambda x: x.row_lengths(), args=(batch,))
        found.append(rows(lengths))
    return found


def save_and_load(tf: Any, s: Any) -> Any:
    """A model goes through files by Keras and by `tf.saved_model`, with strategies and without."""
    images, labels = _digits(12)
    data = tf.data.Dataset.from_tensor_slices((images, labels)).map(_scaled(tf)).batch(6)
    one = tf.distribute.OneDeviceStrategy("/cpu:0")
    entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with s.scope():
        model = _classifier(tf)
        model.compile(loss=entropy, optimizer=tf.keras.optimizers.SGD(0.1), metrics=["accuracy"])
    model.fit(data, epochs=2, verbose=0)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        keras_path, path = os.path.join(folder, "keras"), os.path.join(folder, "plain")
        model.save(keras_path)
        for strategy in (None, one, s):
            with strategy.scope() if strategy else tf.device(None):
                loaded = tf.keras.models.load_model(keras_path)
            loaded.compile(loss=entropy, optimizer=tf.keras.optimizers.SGD(0.1))
            found.append(loaded.fit(data, epochs=2, verbose=0).history["loss"])
        tf.saved_model.save(model, path)
        plain = tf.saved_model.load(path).signatures["serving_default"]
        found.append([float(tf.reduce_sum(next(iter(plain(x).values())))) for x, _ in data])
        only_images = data.map(lambda image, label: image)
        with s.scope():
            served = tf.saved_model.load(path)
            inference = served.signatures["serving_default"]
            for batch in s.experimental_distribute_dataset(only_images):
                answers = s.run(inference, args=(batch,))
                (answer,) = answers.values()
                parts = s.experimental_local_results(answer)
                found.append([float(tf.reduce_sum(part)) for part in parts])
        kinds = [type(v).__name__ for v in served.variables]

        class Wrapped(tf.keras.Model):
            def __init__(self, inner: Any) -> None:
                super().__init__()
                self.inner = inner

            @tf.function(input_signature=[tf.TensorSpec([None, 6, 6, 1])])
            def call(self, x: Any) -> Any:
                return tf.nn.softmax(self.inner(x))

        with s.scope():
            wrapped = Wrapped(model)
        own = os.path.join(folder, "own")
        tf.saved_model.save(wrapped, own)
        again = tf.saved_model.load(own)
        found.append([float(tf.reduce_max(again.call(x))) for x, _ in data])
    return [[_rounded(row) for row in found], kinds]


def guide(tf: Any, s: Any) -> Any:
    """The smallest model under several strategies, by `fit` and by a loop."""
    d, found = tf.distribute, []
    devices = ["CPU:0", "CPU:1"]
    strategies = [
        d.MirroredStrategy(devices, cross_device_ops=d.HierarchicalCopyAllReduce()),
        d.OneDeviceStrategy(device="/cpu:0"),
    ]
    for strategy in strategies:
        regularizer = tf.keras.regularizers.L2(1e-4)
        with strategy.scope():
            layer = tf.keras.layers.Dense(
                1, input_shape=(1,), kernel_regularizer=regularizer, kernel_initializer="ones"
            )
            model = tf.keras.Sequential([layer])
            model.compile(loss="mse", optimizer="sgd")
        data = tf.data.Dataset.from_tensors(([1.0], [3.0])).repeat(20).batch(10)
        history = model.fit(data, epochs=2, verbose=0).history["loss"]
        score = model.evaluate(data, verbose=0)
        x, y = np.ones((10, 1), "float32"), np.full((10, 1), 2.0, "float32")
        arrays = model.fit(x, y, epochs=1, batch_size=5, verbose=0).history["loss"]
        found.append([*history, score, *arrays, *model.predict(x[:1], verbose=0)[0]])
    batch = 2 * s.num_replicas_in_sync
    with s.scope():
        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(1, input_shape=(1,), kernel_initializer="ones")]
        )
        optimizer = tf.keras.optimizers.SGD()
    pairs = tf.data.Dataset.from_tensors(([1.0], [1.0])).repeat(14).batch(batch)
    none = tf.keras.losses.Reduction.NONE
    error = tf.keras.losses.BinaryCrossentropy(from_logits=True, reduction=none)

    def step(features: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(
                error(labels, model(features, training=True)), global_batch_size=batch
            )
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    @tf.function
    def distributed(pair: Any) -> Any:
        return s.reduce(d.ReduceOp.SUM, s.run(step, args=pair), axis=None)

    found.append([distributed(pair) for pair in s.experimental_distribute_dataset(pairs)])
    return [_rounded(row) for row in found]
