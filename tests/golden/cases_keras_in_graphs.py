"""Programs with Keras in a graph, as those of 2019 are with eager execution switched off."""

from __future__ import annotations

import functools
import os
import tempfile
from typing import Any

import numpy as np

_X = np.random.RandomState(0).rand(8, 3).astype("float32")
_Y = _X.sum(axis=1, keepdims=True)


def _start(tf: Any, seed: int) -> Any:
    return tf.keras.initializers.GlorotUniform(seed=seed)


def _model(tf: Any) -> Any:
    keras = tf.keras
    x = keras.Input([3], name="x")
    h = keras.layers.Dense(4, "relu", kernel_initializer=_start(tf, 1), name="h")(x)
    y = keras.layers.Dense(1, kernel_initializer=_start(tf, 2), name="y")(h)
    return keras.Model(x, y)


def _in_graph(program: Any) -> Any:
    @functools.wraps(program)
    def run(tf: Any) -> Any:
        with tf.Graph().as_default():
            return program(tf)

    return run


def _losses(history: Any) -> Any:
    return {key: np.array(values, "float32") for key, values in history.history.items()}


@_in_graph
def trained(tf: Any) -> Any:
    model = _model(tf)
    model.compile(tf.keras.optimizers.legacy.SGD(0.1), "mse", metrics=["mae"])
    data = (_X, _Y)
    history = model.fit(_X, _Y, epochs=3, batch_size=4, shuffle=False, verbose=0,
                        validation_data=data)  # fmt: skip
    found = np.array(model.evaluate(_X, _Y, verbose=0), "float32")
    return [_losses(history), found, model.predict(_X), model.metrics_names]


@_in_graph
def named_optimizers(tf: Any) -> Any:
    found = []
    for name in ("sgd", "adam", "rmsprop", "adagrad"):
        model = _model(tf)
        model.compile(name, "mse")
        history = model.fit(_X, _Y, epochs=2, batch_size=4, shuffle=False, verbose=0)
        found.append(_losses(history))
    return found


@_in_graph
def sessions(tf: Any) -> Any:
    K = tf.compat.v1.keras.backend
    model = _model(tf)
    session = K.get_session()
    same = session is K.get_session()
    out = session.run(model.output, {model.input: _X})
    hidden = session.run(model.get_layer("h").output, {model.input: _X})
    kernel = session.run(model.get_layer("h").kernel)
    return [same, out, hidden, kernel, model.predict(_X)]


@_in_graph
def own_session(tf: Any) -> Any:
    K = tf.compat.v1.keras.backend
    session = tf.compat.v1.Session()
    K.set_session(session)
    model = _model(tf)
    model.compile("sgd", "mse")
    model.fit(_X, _Y, epochs=1, batch_size=8, verbose=0)
    found = session.run(model.output, {model.input: _X})
    return [found, K.get_session() is session]


@_in_graph
def weights_by_hand(tf: Any) -> Any:
    K = tf.compat.v1.keras.backend
    model = _model(tf)
    model.set_weights([np.ones_like(w) for w in model.get_weights()])
    layer = model.get_layer("y")
    before = K.get_value(layer.kernel)
    K.set_value(layer.kernel, np.full([4, 1], 2.0))
    K.batch_set_value([(layer.bias, [5.0])])
    return [before, K.batch_get_value(layer.weights), model.predict(_X)]


@_in_graph
def gradients_of_a_model(tf: Any) -> Any:
    K = tf.compat.v1.keras.backend
    model = _model(tf)
    slope = K.gradients(model.output, model.input)
    by_weight = K.gradients(K.sum(model.output), model.trainable_weights)
    run = K.function([model.input], slope)
    session = K.get_session()
    return [run([_X]), session.run(by_weight, {model.input: _X})]


@_in_graph
def functions(tf: Any) -> Any:
    K = tf.compat.v1.keras.backend
    model = _model(tf)
    counter = K.variable(1.0)
    run = K.function([model.input], [model.output, model.layers[1].output],
                     updates=[(counter, counter + 2.0)])  # fmt: skip
    first = run([_X])
    run([_X])
    return [first, K.get_value(counter), K.eval(counter * 2.0)]


@_in_graph
def phases(tf: Any) -> Any:
    K = tf.compat.v1.keras.backend
    x = tf.keras.Input([3])
    norm = tf.keras.layers.BatchNormalization(name="norm")
    model = tf.keras.Model(x, norm(x))
    run = K.function([model.input, K.learning_phase()], [model.output])
    return [run([_X, 0]), run([_X, 1]), K.get_session().run(model.output, {model.input: _X})]


@_in_graph
def batches(tf: Any) -> Any:
    model = _model(tf)
    model.compile(tf.keras.optimizers.legacy.Adam(0.05), "mse")
    steps = np.array([model.train_on_batch(_X, _Y) for _ in range(3)], "float32")
    tested = np.float32(model.test_on_batch(_X, _Y))
    rate = tf.compat.v1.keras.backend.get_value(model.optimizer.lr)
    tf.compat.v1.keras.backend.set_value(model.optimizer.lr, 0.5)
    again = tf.compat.v1.keras.backend.get_value(model.optimizer.lr)
    return [steps, tested, model.predict_on_batch(_X), np.float32(rate), np.float32(again)]


@_in_graph
def files(tf: Any) -> Any:
    model = _model(tf)
    model.compile(tf.keras.optimizers.legacy.SGD(0.1), "mse")
    model.fit(_X, _Y, epochs=1, batch_size=4, shuffle=False, verbose=0)
    want = model.predict(_X)
    folder, same = tempfile.mkdtemp(), []
    model.save(os.path.join(folder, "model.h5"))
    model.save_weights(os.path.join(folder, "weights.h5"))
    again = tf.keras.models.load_model(os.path.join(folder, "model.h5"))
    same.append(bool(np.allclose(again.predict(_X), want)))
    other = _model(tf)
    other.load_weights(os.path.join(folder, "weights.h5"))
    same.append(bool(np.allclose(other.predict(_X), want)))
    copy = tf.keras.models.model_from_json(model.to_json())
    copy.set_weights(model.get_weights())
    same.append(bool(np.allclose(copy.predict(_X), want)))
    history = again.fit(_X, _Y, epochs=1, batch_size=4, shuffle=False, verbose=0)
    return [same, _losses(history)]


@_in_graph
def savers(tf: Any) -> Any:
    K, v1 = tf.compat.v1.keras.backend, tf.compat.v1
    model = _model(tf)
    path = os.path.join(tempfile.mkdtemp(), "model")
    saver = v1.train.Saver(model.weights)
    session = K.get_session()
    want = model.predict(_X)
    saver.save(session, path)
    model.set_weights([w * 0.0 for w in model.get_weights()])
    zero = model.predict(_X)
    saver.restore(session, path)
    return [zero, bool(np.allclose(model.predict(_X), want)), [v.name for v in model.weights]]


@_in_graph
def sequential(tf: Any) -> Any:
    layers = tf.keras.layers
    model = tf.keras.Sequential()
    model.add(layers.Conv2D(2, 3, activation="relu", input_shape=(6, 6, 1),
                            kernel_initializer=_start(tf, 1)))  # fmt: skip
    model.add(layers.MaxPooling2D())
    model.add(layers.Flatten())
    model.add(layers.Dense(3, activation="softmax", kernel_initializer=_start(tf, 2)))
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    x = np.random.RandomState(1).rand(9, 6, 6, 1).astype("float32")
    y = np.eye(3, dtype="float32")[np.arange(9) % 3]
    history = model.fit(x, y, epochs=2, batch_size=3, shuffle=False, verbose=0)
    return [sorted(history.history), np.array(history.history["loss"], "float32")]


@_in_graph
def recurrent(tf: Any) -> Any:
    layers = tf.keras.layers
    model = tf.keras.Sequential()
    model.add(layers.Embedding(9, 4, input_length=5, embeddings_initializer=_start(tf, 1)))
    model.add(layers.LSTM(3, kernel_initializer=_start(tf, 2),
                          recurrent_initializer=_start(tf, 3)))  # fmt: skip
    model.add(layers.Dense(1, "sigmoid", kernel_initializer=_start(tf, 4)))
    model.compile("rmsprop", "binary_crossentropy")
    x = np.arange(20).reshape(4, 5) % 9
    history = model.fit(x, np.array([0, 1, 0, 1]), epochs=2, verbose=0, shuffle=False)
    return [_losses(history), model.predict(x)]


@_in_graph
def added_loss(tf: Any) -> Any:
    K = tf.compat.v1.keras.backend
    x = tf.keras.Input([3])
    mean = tf.keras.layers.Dense(2, kernel_initializer=_start(tf, 1))(x)
    y = tf.keras.layers.Dense(3, kernel_initializer=_start(tf, 2))(mean)
    model = tf.keras.Model(x, y)
    model.add_loss(K.mean(K.square(x - y)) + 0.1 * K.mean(K.square(mean)))
    model.compile(tf.keras.optimizers.legacy.SGD(0.1))
    history = model.fit(_X, epochs=2, batch_size=4, shuffle=False, verbose=0)
    return _losses(history)


@_in_graph
def callbacks(tf: Any) -> Any:
    model = _model(tf)
    model.compile(tf.keras.optimizers.legacy.SGD(0.1), "mse")
    seen: list[Any] = []

    class Watch(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            seen.append([epoch, sorted(logs)])

    rates = tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1))
    history = model.fit(_X, _Y, epochs=2, batch_size=4, shuffle=False, verbose=0,
                        callbacks=[Watch(), rates])  # fmt: skip
    return [seen, np.array(history.history["loss"], "float32")]


@_in_graph
def loss_of_other_tensors(tf: Any) -> Any:
    """A loss that looks at tensors of the model beside its output."""
    K, layers = tf.compat.v1.keras.backend, tf.keras.layers
    x = tf.keras.Input([3])
    mean = layers.Dense(2, kernel_initializer=_start(tf, 1))(x)
    spread = layers.Dense(2, kernel_initializer=_start(tf, 2))(x)
    drawn = layers.Lambda(lambda pair: pair[0] + K.exp(pair[1] / 2))([mean, spread])
    y = layers.Dense(3, "sigmoid", kernel_initializer=_start(tf, 3))(drawn)
    model = tf.keras.Model(x, y)
    outside = K.sum(1 + spread - K.square(mean) - K.exp(spread), axis=-1)

    def loss(target: Any, output: Any) -> Any:
        crossed = K.sum(K.binary_crossentropy(target, output), axis=-1)
        return K.mean(crossed - 0.5 * outside)

    model.compile(tf.keras.optimizers.legacy.SGD(0.1), loss)
    history = model.fit(_X, _X, epochs=2, batch_size=4, shuffle=False, verbose=0)
    return [_losses(history), np.float32(model.evaluate(_X, _X, verbose=0))]


@_in_graph
def steps_by_hand(tf: Any) -> Any:
    K = tf.compat.v1.keras.backend
    model = _model(tf)
    found = []
    for optimizer in (tf.keras.optimizers.legacy.SGD(0.1), tf.keras.optimizers.legacy.Adam(0.1)):
        loss = K.mean(K.square(model.output - 1.0))
        updates = optimizer.get_updates(loss, model.trainable_weights)
        step = K.function([model.input], [loss], updates=updates)
        found += [np.float32(step([_X])[0]) for _ in range(3)]
    return [np.array(found), model.predict(_X)]
