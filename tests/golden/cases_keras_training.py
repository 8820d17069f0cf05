"""Programs that train Keras models, from the same seeds: losses and weights after an epoch."""

from __future__ import annotations

from typing import Any

import numpy as np


def _data(*shape: int, classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.normal(size=shape).astype(np.float32), rng.integers(0, classes, shape[0])


def _trained(tf: Any, model: Any, optimizer: Any, x: Any, y: Any, **options: Any) -> Any:
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    eagerly = options.pop("eagerly", False)  # compiling is what takes time here
    model.compile(optimizer, loss, metrics=["accuracy"], run_eagerly=eagerly)
    history = model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0, **options)
    logs = {key: np.float32(values) for key, values in history.history.items()}
    return [logs, [np.float32(w) for w in model.get_weights()]]


def _mlp(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [layers.Dense(8, activation="relu", input_shape=(4,)), layers.Dense(3)]
    )


def _cnn(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Conv2D(4, 3, activation="relu", input_shape=(8, 8, 1)),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(3),
        ]
    )


def _lstm(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [layers.Embedding(10, 4, input_length=5, mask_zero=True), layers.LSTM(4), layers.Dense(3)]
    )


def _each_optimizer(tf: Any) -> dict[str, Any]:
    o = tf.keras.optimizers
    return {
        "sgd": o.SGD(0.1),
        "momentum": o.SGD(0.1, momentum=0.9, nesterov=True),
        "adam": o.Adam(0.01),
        "amsgrad": o.Adam(0.01, amsgrad=True, clipnorm=0.5),
        "rmsprop": o.RMSprop(0.01, momentum=0.5, centered=True),
        "adagrad": o.Adagrad(0.1),
        "adadelta": o.Adadelta(1.0),
        "adamw": o.AdamW(0.01, weight_decay=0.1),
        "adamax": o.Adamax(0.01, global_clipnorm=0.5),
        "nadam": o.Nadam(0.01),
        "ftrl": o.Ftrl(0.1, l1_regularization_strength=0.01),
        "lion": o.Lion(0.001, weight_decay=0.1),
        "adafactor": o.Adafactor(0.1),
        "legacy_adam": o.legacy.Adam(0.01, decay=0.1),
        "legacy_rmsprop": o.legacy.RMSprop(0.01, clipnorm=0.5),
        "ema": o.Adam(0.01, use_ema=True, ema_momentum=0.9, ema_overwrite_frequency=3),
        "scheduled": o.SGD(o.schedules.ExponentialDecay(0.1, 3, 0.5), clipvalue=0.1),
    }


def mlp(tf: Any) -> Any:
    x, y = _data(32, 4)
    found = {}
    for name, optimizer in _each_optimizer(tf).items():
        found[name] = _trained(tf, _mlp(tf), optimizer, x, y, eagerly=name != "adam")
    return found


def cnn(tf: Any) -> Any:
    x, y = _data(24, 8, 8, 1)
    optimizers = _each_optimizer(tf)
    return {
        name: _trained(tf, _cnn(tf), optimizers[name], x, y, eagerly=name != "adam")
        for name in ("sgd", "adam", "rmsprop")
    }


def lstm(tf: Any) -> Any:
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 10, (24, 5)), rng.integers(0, 3, 24)
    optimizers = _each_optimizer(tf)
    return {
        name: _trained(tf, _lstm(tf), optimizers[name], x, y, eagerly=name != "adam")
        for name in ("momentum", "adam", "adagrad")
    }


def with_weights_and_validation(tf: Any) -> Any:
    x, y = _data(32, 4)
    return _trained(
        tf,
        _mlp(tf),
        "adam",
        x,
        y,
        sample_weight=np.linspace(0, 2, 32),
        validation_data=(x[:7], y[:7]),
    )


def with_class_weights(tf: Any) -> Any:
    x, y = _data(32, 4)
    weights = {0: 1.0, 1: 2.0, 2: 0.5}
    return _trained(tf, _mlp(tf), "adam", x, y, class_weight=weights, validation_split=0.2)


def regularized_with_activity(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Dense(
                5,
                activation="sigmoid",
                kernel_regularizer="l2",
                bias_regularizer=tf.keras.regularizers.L1L2(0.1, 0.1),
                activity_regularizer=tf.keras.regularizers.L1(0.01),
                kernel_constraint=tf.keras.constraints.MaxNorm(0.5),
            ),
            layers.Dense(3, bias_constraint="non_neg"),
        ]
    )
    return _trained(tf, model, "sgd", *_data(32, 4))


def two_inputs_two_outputs(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((2,), name="b")
    both = layers.Concatenate()([layers.Dense(3, activation="tanh")(a), b])
    model = tf.keras.Model(
        {"a": a, "b": b}, [layers.Dense(1, name="u")(both), layers.Dense(2, name="v")(both)]
    )
    model.compile(
        "adam",
        {"u": "mse", "v": tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)},
        metrics={"u": ["mae"], "v": ["accuracy"]},
        loss_weights={"u": 0.5, "v": 2.0},
    )
    x, y = _data(24, 4, classes=2)
    history = model.fit(
        {"a": x, "b": x[:, :2]},
        {"u": x[:, 0], "v": y},
        batch_size=8,
        epochs=2,
        shuffle=False,
        verbose=0,
    )
    evaluated = model.evaluate(
        {"a": x, "b": x[:, :2]}, {"u": x[:, 0], "v": y}, verbose=0, return_dict=True
    )
    return [
        {k: np.float32(v) for k, v in history.history.items()},
        {k: np.float32(v) for k, v in evaluated.items()},
        [np.float32(p) for p in model.predict({"a": x, "b": x[:, :2]}, verbose=0)],
    ]


def a_step_of_ones_own(tf: Any) -> Any:
    class Own(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = tf.keras.layers.Dense(1)
            self.seen = tf.keras.metrics.Mean(name="seen")

        def call(self, inputs, training=None):
            return self.dense(inputs)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                out = self(x, training=True)
                loss = self.compiled_loss(y, out, regularization_losses=self.losses)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            self.compiled_metrics.update_state(y, out)
            self.seen.update_state(tf.reduce_sum(x))
            return {m.name: m.result() for m in self.metrics}

        @property
        def metrics(self):
            return [self.seen]

    tf.keras.utils.set_random_seed(1)
    model = Own()
    model.compile("sgd", "mse", metrics=["mae"])
    x, y = _data(24, 4)
    history = model.fit(x, y.astype(np.float32), batch_size=8, epochs=2, shuffle=False, verbose=0)
    return [
        {k: np.float32(v) for k, v in history.history.items()},
        [np.float32(w) for w in model.get_weights()[:2]],
    ]


def added_losses_and_metrics(tf: Any) -> Any:
    class Noisy(tf.keras.layers.Layer):
        def call(self, inputs):
            self.add_loss(0.1 * tf.reduce_sum(tf.square(inputs)))
            self.add_metric(tf.reduce_mean(inputs), name="level")
            return inputs * 2.0

    tf.keras.utils.set_random_seed(1)
    x = tf.keras.Input((4,))
    hidden = Noisy()(tf.keras.layers.Dense(3)(x))
    model = tf.keras.Model(x, tf.keras.layers.Dense(3)(hidden))
    model.add_loss(lambda: tf.reduce_sum(model.trainable_weights[0]) * 0.01)
    return _trained(tf, model, "sgd", *_data(24, 4))


def random_numbers_of_a_smaller_last_batch(tf: Any) -> Any:
    """Layers with loops are traced for each size of a batch here, and once in TensorFlow."""
    layers = tf.keras.layers
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential(
        [layers.GaussianNoise(0.5, input_shape=(2, 3)), layers.Dropout(0.3), layers.SimpleRNN(2)]
    )
    model.compile("sgd", "mse")
    x, _ = _data(5, 2, 3)
    history = model.fit(x, x[:, 0, :2], batch_size=2, epochs=2, shuffle=False, verbose=0).history
    return [np.float32(history["loss"]), [np.float32(w) for w in model.get_weights()]]
