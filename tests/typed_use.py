"""The hundred names that programs use most, as a typed program uses them.

mypy (strict) and pyright check this file in `make lint`, each mistake in it being one that they
must see: a comment that ignores an error where there is none is an error itself. The functions
that need no network are also run, by `test_typed_use.py`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import runnel as tf

Pair = tuple[NDArray[Any], NDArray[Any]]


def tensors() -> tf.Tensor:
    x = tf.constant([[1.0, -2.0], [3.0, 4.0]], tf.float32)
    assert_type(x, tf.Tensor)
    assert_type(x.shape, tf.TensorShape)
    assert_type(x.dtype, tf.DType)
    assert_type(float(x[0, 0]), float)
    assert_type(x.numpy(), np.ndarray[Any, Any])
    assert_type(tf.Variable(1.0).numpy(), np.ndarray[Any, Any])
    for made in (x + 1, 1 - x, x * x, x / 2.0, x @ x, -x, x**2, abs(x), x[0], x[:, tf.newaxis]):
        assert_type(made, tf.Tensor)
    for truth in (x > 0.0, x == x, x != 1.0, tf.equal(x, x), ~(x < 0.0)):
        assert_type(truth, tf.Tensor)
    slices = tf.RaggedTensor.from_row_lengths([1, 2], [2])
    assert_type(tf.cast(slices, tf.int64), tf.RaggedTensor)
    y = tf.cast(tf.reshape(tf.transpose(x), [-1]), tf.float64)
    y = tf.squeeze(tf.expand_dims(tf.stack([y, y]), 0))
    y = tf.concat([y, tf.zeros_like(y), tf.ones_like(y)], axis=0)
    y = tf.tile(tf.where(y > 0.0, y, tf.zeros(tf.shape(y), tf.float64)), [1, 2])
    halves = tf.split(y, 2, axis=1)
    assert_type(halves, list[tf.Tensor])
    z = tf.matmul(halves[0], tf.ones([4, 2], tf.float64))
    z = tf.clip_by_value(tf.square(z) + tf.sqrt(tf.abs(z)) + tf.exp(-z), 0.0, 9.0)
    z = tf.maximum(z, tf.fill([2], tf.constant(0.5, tf.float64)))
    assert_type(tf.reduce_mean(z) + tf.reduce_sum(z) + tf.reduce_max(z), tf.Tensor)
    rows = tf.gather(z, tf.cast(tf.argmax(z, axis=0), tf.int64))
    assert_type(tf.one_hot(tf.range(3, dtype=tf.int32), 3), tf.Tensor)
    assert_type(tf.nn.softmax(tf.nn.relu(tf.math.log(rows + 1.0))), tf.Tensor)
    return tf.convert_to_tensor(np.ones([2]))


def randomness() -> tf.Tensor:
    tf.random.set_seed(1)
    return tf.random.normal([2, 3]) + tf.random.uniform([2, 3])


def images(folder: Path) -> tf.Tensor:
    with tf.io.gfile.GFile(str(folder / "line.txt"), "w") as file:
        file.write("one line")
    text = tf.io.read_file(str(folder / "line.txt"))
    assert_type(text, tf.Tensor)
    assert text.dtype == tf.string
    return tf.image.resize(tf.ones([1, 4, 4, 3]), [2, 2])


def settings() -> str:
    for device in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(device, True)
    tf.get_logger().setLevel(tf.get_logger().level)
    tf.keras.backend.clear_session()
    return tf.__version__


@tf.function
def scaled(x: tf.Tensor, factor: float = 2.0) -> tf.Tensor:
    return x * factor


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)], autograph=False)
def total(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(x)


class Line(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.slope = tf.Variable(2.0)

    @tf.function
    def at(self, x: tf.Tensor) -> tf.Tensor:
        return self.slope * x


def functions() -> None:
    x = tf.constant([1.0, 2.0])
    assert_type(scaled(x), tf.Tensor)
    assert_type(scaled(x, factor=3.0), tf.Tensor)
    assert_type(total(x), tf.Tensor)
    assert_type(Line().at(x), tf.Tensor)
    scaled.get_concrete_function(x)


def gradients() -> None:
    v, w = tf.Variable(3.0), tf.Variable([1.0])
    assert_type(v.assign_add(1.0), tf.Variable)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v + tf.reduce_sum(w)
    assert_type(y, tf.Tensor)
    assert_type(tape.gradient(y, v), tf.Tensor)
    assert_type(tape.gradient(y, [v, w]), list[tf.Tensor])
    assert_type(tape.gradient(y, (v, w)), tuple[tf.Tensor, ...])
    assert_type(tape.gradient(y, {"v": v}), dict[str, tf.Tensor])


class Scale(tf.keras.layers.Layer):
    def build(self, input_shape: tf.TensorShape) -> None:
        self.factor = self.add_weight("factor", [input_shape[-1]], initializer="ones")

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        return inputs * self.factor


class Doubled(tf.keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_regularizer=tf.keras.regularizers.l2(0.1))
        self.seen = tf.keras.metrics.Mean()

    def call(self, inputs: tf.Tensor, training: bool = False) -> tf.Tensor:
        assert_type(self.dense, tf.keras.layers.Dense)
        return 2.0 * self.dense(inputs)

    def train_step(self, data: tuple[tf.Tensor, tf.Tensor]) -> dict[str, tf.Tensor]:
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(y - self(x, training=True)))
        slopes = tape.gradient(loss, self.trainable_variables)
        assert_type(slopes, list[tf.Tensor])
        self.optimizer.apply_gradients(zip(slopes, self.trainable_variables))
        self.seen.update_state(loss)
        assert_type(self.seen.result(), tf.Tensor)
        return {"loss": self.seen.result()}


class Counter(tf.keras.callbacks.Callback):
    epochs = 0

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self.epochs += 1


def convolution() -> tf.keras.Model:
    inputs = tf.keras.Input([8, 8, 1])
    x = tf.keras.layers.Rescaling(1.0 / 255)(inputs)
    assert_type(x, tf.Tensor)
    x = tf.keras.layers.Conv2D(4, 3, padding="same")(x)
    x = tf.keras.layers.Activation("relu")(tf.keras.layers.BatchNormalization()(x))
    x = tf.keras.layers.Add()([x, tf.keras.layers.Conv2D(4, 1)(inputs)])
    x = tf.keras.layers.MaxPooling2D()(x)
    x = tf.keras.layers.Dropout(0.1)(tf.keras.layers.Flatten()(x))
    x = tf.keras.layers.LayerNormalization()(tf.keras.layers.Reshape([64])(x))
    return tf.keras.models.Model(inputs, tf.keras.layers.Dense(3)(x))


def words() -> tf.keras.Sequential:
    layers = tf.keras.layers
    one = tf.keras.models.Sequential([layers.InputLayer([5]), layers.Embedding(10, 4)])
    two = layers.Concatenate()([one.output, one.output])
    ends = layers.Dense(1)(layers.LSTM(4)(two))
    assert_type(tf.keras.Model(one.input, ends), tf.keras.Model)
    assert_type(layers.Input([3]).shape, tf.TensorShape)
    return one


def training(folder: Path) -> None:
    x, y = np.zeros([8, 2], "float32"), np.zeros([8, 1], "float32")
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4).prefetch(tf.data.AUTOTUNE)
    assert_type(data, tf.data.Dataset)
    model = tf.keras.Sequential([Scale(), tf.keras.layers.Dense(1, activation="sigmoid")])
    assert_type(model, tf.keras.Sequential)
    assert_type(model(x), tf.Tensor)
    assert_type(model.layers, list[tf.keras.layers.Layer])
    sgd = tf.keras.optimizers.SGD(0.1, momentum=0.9)
    assert_type(sgd, tf.keras.optimizers.SGD)
    model.compile(sgd, tf.keras.losses.BinaryCrossentropy(), metrics=["accuracy"])
    stops = tf.keras.callbacks.EarlyStopping(monitor="loss", patience=2)
    saves = tf.keras.callbacks.ModelCheckpoint(str(folder / "best.keras"), monitor="loss")
    history = model.fit(data, epochs=2, verbose=0, callbacks=[stops, saves, Counter()])
    assert_type(history, tf.keras.callbacks.History)
    assert_type(history.history["loss"], list[Any])
    assert_type(model.predict(x, verbose=0), np.ndarray[Any, Any])
    own = Doubled()
    own.compile(tf.keras.optimizers.Adam(1e-3))
    own.fit(x, y, verbose=0)
    classes = convolution()
    sparse = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    classes.compile("adam", sparse, [tf.keras.metrics.SparseCategoricalAccuracy()])
    assert_type(tf.keras.losses.CategoricalCrossentropy()(x, x), tf.Tensor)


def files(folder: Path) -> None:
    path = str(folder / "words.keras")
    words().save(path)
    assert_type(tf.keras.Sequential.from_config(words().get_config()), tf.keras.Sequential)
    assert_type(tf.keras.models.load_model(path), tf.keras.Model)
    tf.saved_model.save(Line(), str(folder / "line"))
    tf.saved_model.load(str(folder / "line"))
    assert_type(tf.train.Checkpoint(line=Line()).save(str(folder / "at")), str)


def from_the_network() -> str:
    images, labels = tf.keras.datasets.mnist.load_data()
    assert_type(images, Pair)
    assert_type(labels, Pair)
    return tf.keras.utils.get_file("x.txt", "http://localhost/x.txt")


def mistakes() -> None:
    """What must be an error is marked as one; without one the mark is."""
    tf.reduce_sums([1.0])  # type: ignore[attr-defined]
    tf.keras.layers.Dence(3)  # type: ignore[attr-defined]
    tf.keras.layers.Dense(unit=3)  # type: ignore[call-arg]
    tf.keras.optimizers.Adam().minimise  # type: ignore[attr-defined]
    tf.constant(1.0).nunpy()  # type: ignore[attr-defined]
    tf.keras.layers.Dense(3)(tf.ones([1, 2])).nunpy()  # type: ignore[attr-defined]
    scaled("text")  # type: ignore[arg-type]
    scaled(tf.ones([2]), power=2.0)  # type: ignore[call-arg]
    Line().at(1, 2, 3)  # type: ignore[call-arg, arg-type]
    tf.data.Dataset.range(3).shufle(3)  # type: ignore[attr-defined]


def main() -> None:
    """Run all but what needs the network."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for run in (tensors, randomness, settings, functions, gradients):
            run()
        for write in (images, training, files):
            write(folder)
