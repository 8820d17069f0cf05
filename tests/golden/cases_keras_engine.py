"""Models and their training, to the number: seeds, orders, traces, names and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

X = np.linspace(0, 1, 30, dtype=np.float32).reshape(10, 3)
Y = X.sum(axis=1, keepdims=True)


def _history(model: Any, x: Any = X, y: Any = Y, **options: Any) -> dict[str, Any]:
    options = {"epochs": 2, "batch_size": 4, "verbose": 0, **options}
    found = model.fit(x, y, **options).history
    return {name: np.float32(values) for name, values in found.items()}


def _layers(tf: Any, seed: int | None = None) -> list[Any]:
    layers = tf.keras.layers
    return [layers.Dense(4), layers.Dropout(0.5, seed=seed), layers.Dense(1)]


def _training(tf: Any, model: Any, **options: Any) -> Any:
    model.compile("adam", "mse", **options)
    return _history(model)


def seeded_dropout_of_a_built_model(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    return _training(tf, tf.keras.Sequential([tf.keras.Input((3,)), *_layers(tf)]))


def seeded_dropout_of_a_model_without_shape(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    return _training(tf, tf.keras.Sequential(_layers(tf)))


def seeded_dropout_run_eagerly(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    return _training(tf, tf.keras.Sequential(_layers(tf)), run_eagerly=True)


def dropout_with_a_seed_of_its_own(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    return _training(tf, tf.keras.Sequential([tf.keras.Input((3,)), *_layers(tf, seed=3)]))


def dropout_with_a_seed_of_its_own_in_a_model_without_shape(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    return _training(tf, tf.keras.Sequential(_layers(tf, seed=3)))


def dropout_with_a_seed_and_an_optimizer_that_is_built(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input((3,)), *_layers(tf, seed=3)])
    optimizer = tf.keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    model.compile(optimizer, "mse")
    return _history(model)


def the_order_of_samples_takes_nothing_from_other_random_numbers(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    before = tf.random.uniform([2])
    first = _history(model)
    return before, first, tf.random.uniform([2]), _history(model)


def _counting(tf: Any, seen: list[Any]) -> Any:
    class Counting(tf.keras.layers.Layer):
        def call(self, x: Any, training: Any = None) -> Any:
            seen.append((x.shape.as_list(), training))
            return x

    return Counting()


def shapes_and_modes_of_the_traces_of_a_fit(tf: Any) -> Any:
    seen: list[Any] = []
    for count in (10, 8):
        for start in ([tf.keras.Input((3,))], []):
            seen.append(count)
            model = tf.keras.Sequential([*start, _counting(tf, seen), tf.keras.layers.Dense(1)])
            model.compile("sgd", "mse")
            _history(model, X[:count], Y[:count])
            model.evaluate(X[:count], Y[:count], batch_size=4, verbose=0)
            model.predict(X[:count], batch_size=4, verbose=0)
    return repr(seen)


def traces_of_batches_of_several_sizes(tf: Any) -> Any:
    seen: list[Any] = []
    model = tf.keras.Sequential(
        [tf.keras.Input((3,)), _counting(tf, seen), tf.keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    for count in (4, 4, 6, 3, 4):
        model.train_on_batch(X[:count], Y[:count])
    return repr(seen)


def a_dataset_of_whole_batches_has_a_size_in_the_trace(tf: Any) -> Any:
    seen: list[Any] = []
    model = tf.keras.Sequential(
        [tf.keras.Input((3,)), _counting(tf, seen), tf.keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    data = tf.data.Dataset.from_tensor_slices((X, Y))
    model.fit(data.batch(4, drop_remainder=True), verbose=0)
    return repr(seen)


def _two_outputs(tf: Any) -> Any:
    x = tf.keras.Input((3,))
    dense = tf.keras.layers.Dense
    outputs = [dense(1, name=n, kernel_initializer="zeros")(x) for n in ("p", "q")]
    return tf.keras.Model(x, outputs)


def weighted_metrics_of_the_same_name(tf: Any) -> Any:
    model = _two_outputs(tf)
    model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mae", "mse"])
    found = model.evaluate(X, [Y, Y], sample_weight=np.arange(10.0), verbose=0, return_dict=True)
    return {name: np.float32(value) for name, value in found.items()}


def weighted_metrics_of_one_output(tf: Any) -> Any:
    dense = tf.keras.layers.Dense(1, kernel_initializer="zeros")
    model = tf.keras.Sequential([tf.keras.Input((3,)), dense])
    model.compile("sgd", ["mse"], metrics=["mae"], weighted_metrics=["mae"])
    return _history(model, sample_weight=np.arange(10.0), shuffle=False)


def metric_objects_are_copied_for_several_outputs(tf: Any) -> Any:
    given = tf.keras.metrics.MeanAbsoluteError(name="own")
    model = _two_outputs(tf)
    model.compile("sgd", "mse", metrics=[given])
    model.evaluate(X, [Y, Y + 1], verbose=0)
    return model.metrics_names, given.result(), given in model.metrics


def a_sequential_model_has_the_size_of_its_first_batch(tf: Any) -> Any:
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(2, name="first"), layers.Flatten()])
    shapes = []
    for shape in ((2, 3, 3), (3, 3, 3), (3, 4, 3), (2, 3)):
        model(np.ones(shape, np.float32))
        shapes.append((model.input_shape, model.output_shape))
    return repr(shapes), model.get_config()["layers"][0]["config"]["name"]


def layers_learn_as_they_did_at_compile(tf: Any) -> Any:
    dense = tf.keras.layers.Dense(1, kernel_initializer="zeros")
    model = tf.keras.Sequential([tf.keras.Input((3,)), dense])
    model.compile("sgd", "mse")
    dense.trainable = False
    found = [_history(model, shuffle=False), dense.trainable]
    model.train_on_batch(X, Y)
    found.append(dense.kernel.numpy())
    model.compile("sgd", "mse")
    return [*found, _history(model, shuffle=False), dense.kernel.numpy()]


def a_dataset_that_ends_before_its_epochs(tf: Any) -> Any:
    dense = tf.keras.layers.Dense(1, kernel_initializer="zeros")
    model = tf.keras.Sequential([tf.keras.Input((3,)), dense])
    model.compile("sgd", "mse")
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)
    short = model.fit(data, steps_per_epoch=1, epochs=4, verbose=0)
    whole = model.fit(data, steps_per_epoch=2, epochs=2, verbose=0)
    return [len(short.epoch), np.float32(short.history["loss"]), len(whole.epoch)]


def a_dynamic_layer_says_its_shape(tf: Any) -> Any:
    return tf.keras.layers.Layer(dynamic=True)(tf.keras.Input((3,)))
