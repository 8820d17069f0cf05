"""Weights of models in checkpoints and folders: what is missing, what waits, what is revived."""

from __future__ import annotations

import gc
import logging
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@contextmanager
def _folder() -> Iterator[str]:
    """A folder for a model; that its classes are not known, or its format is old, is no news."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield folder


def _dense(tf: Any, units: int = 2, **options: Any) -> Any:
    return tf.keras.layers.Dense(units, kernel_initializer="ones", **options)


def _stack(tf: Any, *units: int) -> Any:
    model = tf.keras.Sequential([tf.keras.Input((3,)), *(_dense(tf, u) for u in units)])
    for i, weight in enumerate(model.weights):
        weight.assign(tf.ones_like(weight) * (i + 2))
    return model


class _Messages(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1


def _warned(tf: Any, run: Any) -> bool:
    """Whether something logs a warning."""
    counter, logger = _Messages(), logging.getLogger("tensorflow")
    gc.collect()  # what others have left
    logger.addHandler(counter)
    try:
        run()
        gc.collect()
    finally:
        logger.removeHandler(counter)
    return counter.count > 0


def weights_of_another_model_of_which_nothing_fits(tf: Any) -> Any:
    with _folder() as folder:
        path = os.path.join(folder, "w")
        tf.train.Checkpoint(other=tf.Variable(1.0)).save(path)
        return _stack(tf, 2).load_weights(f"{path}-1")


def weights_of_a_model_without_any(tf: Any) -> Any:
    with _folder() as folder:
        path = os.path.join(folder, "w")
        tf.train.Checkpoint(other=tf.Variable(1.0)).save(path)
        return tf.keras.Sequential([_dense(tf)]).load_weights(f"{path}-1")


def weights_of_an_attribute_of_another_name(tf: Any) -> Any:
    class First(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.a = _dense(tf)

        def call(self, x: Any) -> Any:
            return self.a(x)

    class Second(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.b = _dense(tf)

        def call(self, x: Any) -> Any:
            return self.b(x)

    first, second = First(), Second()
    first(X)
    second(X)
    with _folder() as folder:
        path = os.path.join(folder, "w")
        first.save_weights(path)
        return second.load_weights(path)


def weights_of_a_shorter_model(tf: Any) -> Any:
    with _folder() as folder:
        path = os.path.join(folder, "w")
        _stack(tf, 2).save_weights(path)
        longer = _stack(tf, 2, 4)
        before = longer.get_weights()
        status = longer.load_weights(path)
        return [longer.get_weights(), before, type(status).__name__]


def weights_of_a_longer_model(tf: Any) -> Any:
    with _folder() as folder:
        path = os.path.join(folder, "w")
        _stack(tf, 2, 4).save_weights(path)
        shorter = _stack(tf, 2)
        shorter.load_weights(path)
        return shorter.get_weights()


def weights_of_another_shape(tf: Any) -> Any:
    with _folder() as folder:
        path = os.path.join(folder, "w")
        _stack(tf, 2).save_weights(path)
        return _stack(tf, 4).load_weights(path)


def warnings_of_values_that_were_never_used(tf: Any) -> Any:
    with _folder() as folder:
        path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).save(f"{folder}/c")

        def in_part() -> None:
            tf.train.Checkpoint(a=tf.Variable(0.0)).restore(path)

        def in_part_and_expected() -> None:
            tf.train.Checkpoint(a=tf.Variable(0.0)).restore(path).expect_partial()

        def whole() -> None:
            tf.train.Checkpoint(a=tf.Variable(0.0), b=tf.Variable(0.0)).restore(path)

        def kept() -> None:
            kept_alive.append(tf.train.Checkpoint(a=tf.Variable(0.0)))
            kept_alive[-1].restore(path)

        kept_alive: list[Any] = []
        found = [_warned(tf, run) for run in (in_part, in_part_and_expected, whole)]
        return [*found, _warned(tf, kept), _warned(tf, kept_alive.clear)]


def layers_added_after_a_restore(tf: Any) -> Any:
    with _folder() as folder:
        path = tf.train.Checkpoint(model=_stack(tf, 2, 4)).save(f"{folder}/c")
        model = tf.keras.Sequential()
        status = tf.train.Checkpoint(model=model).restore(path)
        model.add(_dense(tf, 2))
        first = len(model.layers[0].weights)
        model.add(_dense(tf, 4))
        model.build((None, 3))
        found = [first, model.get_weights()]
        del status
        return found


def layers_added_after_weights_were_loaded(tf: Any) -> Any:
    with _folder() as folder:
        path = os.path.join(folder, "w")
        _stack(tf, 2, 4).save_weights(path)
        model = tf.keras.Sequential([_dense(tf, 2)])
        model.load_weights(path)
        model.add(_dense(tf, 4))
        model(X)
        return model.get_weights()


def layers_of_a_subclass_made_after_a_restore(tf: Any) -> Any:
    class Growing(tf.keras.Model):
        def call(self, x: Any) -> Any:
            return self.last(self.parts[0](x))

    def grown(model: Any) -> Any:
        model.parts = []
        model.parts.append(_dense(tf, 2))
        model.last = _dense(tf, 4)
        return model

    with _folder() as folder:
        saved = grown(Growing())
        saved(X)
        for i, weight in enumerate(saved.weights):
            weight.assign(tf.ones_like(weight) * (i + 2))
        path = tf.train.Checkpoint(model=saved).save(f"{folder}/c")
        model = Growing()
        tf.train.Checkpoint(model=model).restore(path)
        grown(model)(X)
        return model.get_weights()


def an_optimizer_that_waits_for_layers(tf: Any) -> Any:
    def trained(model: Any) -> Any:
        model.compile(tf.keras.optimizers.Adam(0.1), "mse")
        return model.fit(X, X[:, :2], verbose=0)

    with _folder() as folder:
        path = os.path.join(folder, "w")
        model = _stack(tf, 2)
        trained(model)
        model.save_weights(path)
        new = tf.keras.Sequential()
        new.compile(tf.keras.optimizers.Adam(0.1), "mse")
        new.load_weights(path)
        new.add(_dense(tf, 2))
        new.fit(X, X[:, :2], verbose=0)
        return [new.get_weights(), int(new.optimizer.iterations)]


def _twice(x: Any) -> Any:
    return x * 2


def a_folder_of_a_model_with_ragged_inputs(tf: Any) -> Any:
    K = tf.keras
    found = []
    for make in (
        lambda i: K.layers.Lambda(_twice)(i),
        lambda i: _dense(tf)(tf.cast(i.to_tensor(shape=[None, 4]), "float32")),
        lambda i: K.layers.Embedding(9, 2, embeddings_initializer="ones")(i),
        lambda i: K.layers.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones")(
            K.layers.Embedding(9, 2, embeddings_initializer="ones")(i)
        ),
    ):
        i = K.Input([None], dtype="int64", ragged=True)
        model = K.Model(i, make(i))
        x = tf.ragged.constant([[1, 2, 3], [4]], dtype="int64")
        with _folder() as folder:
            model.save(folder, save_format="tf")
            loaded = K.models.load_model(folder, safe_mode=False)
        found.append([model(x), loaded(x), loaded.predict(x, verbose=0)])
    return found


def a_folder_of_a_sequential_model_with_ragged_inputs(tf: Any) -> Any:
    K = tf.keras
    model = K.Sequential([K.Input([None], ragged=True), K.layers.Lambda(lambda x: x * 2)])
    x = tf.ragged.constant([[1.0, 2.0], [3.0]])
    with _folder() as folder:
        model.save(folder, save_format="tf")
        return K.models.load_model(folder, safe_mode=False)(x)


def _penalized(tf: Any) -> Any:
    class Penalized(tf.keras.layers.Layer):
        def __init__(self, given: Any) -> None:
            super().__init__()
            self.given = given

        def build(self, shape: Any) -> None:
            self.w = self.add_weight("w", [2], initializer="ones", regularizer="l2")
            self.add_loss(lambda: tf.reduce_sum(self.w) * 3.0)

        def call(self, x: Any) -> Any:
            self.add_loss(tf.reduce_sum(x))
            return x * self.w[0]

    return Penalized(object())


def losses_of_a_revived_layer(tf: Any) -> Any:
    K = tf.keras
    layer = _penalized(tf)
    layer.get_config = lambda: _no_config()
    i = K.Input((3,))
    model = K.Model(i, layer(i))
    with _folder() as folder:
        model.save(folder, save_format="tf")
        loaded = K.models.load_model(folder)
    before = loaded.losses
    loaded(X)
    after = loaded.losses
    loaded.layers[1].w.assign([2.0, 2.0])
    return [len(before), sorted(map(float, after)), sorted(map(float, loaded.losses))]


def _no_config() -> Any:
    raise NotImplementedError


def losses_of_a_revived_model(tf: Any) -> Any:
    class Own(tf.keras.Model):
        def __init__(self, given: Any) -> None:
            super().__init__()
            self.dense = _dense(tf, 1, kernel_regularizer="l2")
            self.inner = _penalized(tf)

        def call(self, x: Any) -> Any:
            return self.inner(self.dense(x))

    model = Own(object())
    model.compile("sgd", "mse")
    model(X)
    with _folder() as folder:
        model.save(folder, save_format="tf")
        loaded = tf.keras.models.load_model(folder)
    loaded(X)
    return [sorted(map(float, loaded.losses)), loaded.evaluate(X, X[:, :1], verbose=0)]


def an_optimizer_that_was_only_assigned(tf: Any) -> Any:
    model = _stack(tf, 1)
    model.optimizer = tf.keras.optimizers.Adam(0.5)
    with _folder() as folder:
        model.save(folder, save_format="tf")
        return tf.keras.models.load_model(folder)(X)


def an_optimizer_that_was_only_assigned_in_files(tf: Any) -> Any:
    found = []
    for name in ("a.h5", "a.keras"):
        model = _stack(tf, 1)
        model.optimizer = tf.keras.optimizers.Adam(0.5)
        with _folder() as folder:
            model.save(os.path.join(folder, name))
            loaded = tf.keras.models.load_model(os.path.join(folder, name))
        found.append([loaded(X), type(loaded.optimizer).__name__])
    return found


def an_optimizer_of_one_kind_in_the_place_of_another(tf: Any) -> Any:
    model = _stack(tf, 1)
    model.compile("sgd", "mse")
    model.optimizer = tf.keras.optimizers.Adam(0.5)
    with _folder() as folder:
        model.save(folder, save_format="tf")
        loaded = tf.keras.models.load_model(folder)
    return [loaded(X), type(loaded.optimizer).__name__]
