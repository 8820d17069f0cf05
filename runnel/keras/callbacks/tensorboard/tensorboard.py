"""`tf.keras.callbacks.TensorBoard`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import runnel as tf
from runnel.keras.callbacks.base import Callback
from runnel.keras.callbacks.tensorboard.profiling import BatchProfiler
from runnel.keras.callbacks.tensorboard.projector import write_projector_config
from runnel.keras.optimizers.schedules import LearningRateSchedule

_OLD = {"write_grads", "batch_size", "embeddings_layer_names", "embeddings_data"}
_KERAS_MODEL = b"\n\x16\n\x11graph_keras_model\x12\x011"  # the metadata: a plugin, and its version


class TensorBoard(Callback):
    """Writes the metrics of training, and on demand weights, as event files for TensorBoard.

    With `update_freq="batch"`, or a number, metrics are also written after each batch, or after
    each so many. `histogram_freq` is the number of epochs between histograms of the weights; with
    `write_images` they are drawn as well. `profile_batch`, a number or a pair, says which batches
    to profile, counted from one; `embeddings_freq` is the number of epochs between checkpoints for
    the page that shows embeddings.

    Args:
        log_dir: the folder of the event files.
        histogram_freq: after how many epochs histograms of the weights are written; 0 for never.
        write_graph: whether the model's graph is written.
        write_images: whether weights are drawn as images too.
        write_steps_per_second: whether the speed is written.
        update_freq: "epoch", "batch", or after how many batches metrics are written.
        profile_batch: a batch, or a first and a last one, to profile; 0 for none.
        embeddings_freq: after how many epochs embeddings are saved; 0 for never.
        embeddings_metadata: files with names for the rows of embeddings, by layer.

    >>> import os, tempfile
    >>> logs = tempfile.mkdtemp()
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> board = tf.keras.callbacks.TensorBoard(logs)
    >>> _ = model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0, callbacks=[board])
    >>> os.listdir(logs)
    ['train']
    """

    _supports_tf_logs = True

    def __init__(
        self,
        log_dir: Any = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        write_steps_per_second: bool = False,
        update_freq: Any = "epoch",
        profile_batch: Any = 0,
        embeddings_freq: int = 0,
        embeddings_metadata: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        _refuse(kwargs)
        self.log_dir = os.fspath(log_dir)
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self.write_images = write_images
        self.write_steps_per_second = write_steps_per_second
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self.embeddings_freq, self.embeddings_metadata = embeddings_freq, embeddings_metadata
        self._profiler = BatchProfiler(profile_batch, self.log_dir)
        self._writers: dict[str, Any] = {}
        self._entered: list[ExitStack] = []
        self._graph_is_due = False
        self._train_step: Any = None
        self._val_step: Any = None
        self._began_batch = self._began_epoch = 0.0
        self._steps_before = 0  # of this run, when the epoch began
        self._iterations_before = 0

    def set_model(self, model: Any) -> None:
        self.model = model
        self._writers = {}
        with tf.init_scope():
            self._train_step = tf.Variable(0, dtype=tf.int64, trainable=False, name="train_step")
            self._val_step = tf.Variable(0, dtype=tf.int64, trainable=False, name="val_step")
        self._graph_is_due = self.write_graph
        is_described = model._is_graph_network or type(model).__name__ == "Sequential"
        if self.write_graph and is_described:
            with self._recording("train"):
                self._write_model()
        if self.embeddings_freq:
            write_projector_config(model, self.log_dir, self.embeddings_metadata)

    def _write_model(self) -> None:
        try:
            text = self.model.to_json()
        except Exception as error:  # a model with a part that has no config can still be trained
            tf.get_logger().warning("Model failed to serialize as JSON. Ignoring... %s", error)
            return
        tf.summary.write("keras", text, step=0, metadata=_KERAS_MODEL)

    def _writer(self, name: str) -> Any:
        if name not in self._writers:
            folder = os.path.join(self.log_dir, name)
            self._writers[name] = tf.summary.create_file_writer(folder)
        return self._writers[name]

    @contextmanager
    def _recording(self, name: str) -> Iterator[None]:
        """Inside, summaries go to the writer of this name, whatever conditions are around."""
        with tf.summary.record_if(True), self._writer(name).as_default():
            yield

    def _enter(self, name: str, step: Any) -> None:
        """Let also the summaries of the model's own code go to the writer, every so many steps."""
        if self.update_freq == "epoch":
            return
        stack = ExitStack()
        stack.enter_context(self._writer(name).as_default(step.value()))
        stack.enter_context(tf.summary.record_if(lambda: tf.equal(step % self.update_freq, 0)))
        self._entered.append(stack)

    def _leave(self) -> None:
        if self._entered:
            self._entered.pop().close()

    def on_train_begin(self, logs: Any = None) -> None:
        self._train_step.assign(0)
        self._steps_before = 0
        self._profiler.begin()
        self._writer("train")
        self._enter("train", self._train_step)

    def on_train_end(self, logs: Any = None) -> None:
        self._leave()
        self._profiler.end()
        for writer in self._writers.values():
            writer.close()

    def on_test_begin(self, logs: Any = None) -> None:
        self._val_step.assign(0)
        self._enter("validation", self._val_step)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        if self._val_step is not None:
            self._val_step.assign(batch + 1)

    def on_test_end(self, logs: Any = None) -> None:
        iterations = getattr(self.model.optimizer, "iterations", None)
        if iterations is not None:
            with self._recording("validation"):
                for name, value in (logs or {}).items():
                    tag = f"evaluation_{name}_vs_iterations"
                    tf.summary.scalar(tag, value, step=iterations.read_value())
        self._leave()

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._began_batch = time.time()
        self._profiler.before_batch()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._profiler.after_batch()
        self._train_step.assign(self._steps_before + batch + 1)
        self._write_train_graph()
        if self.update_freq == "epoch":
            return
        numbers = {}
        if self.write_steps_per_second:
            numbers["steps_per_second"] = 1.0 / (time.time() - self._began_batch)
        for name, value in {**numbers, **(logs or {})}.items():
            tf.summary.scalar(f"batch_{name}", value, step=self._train_step)

    def _write_train_graph(self) -> None:
        """The model's graph, once.

        tf_keras leaves it out where nothing looks at batches, and TensorBoard's page of graphs,
        which opens on the first graph of ops, then shows an error.
        """
        if not self._graph_is_due:
            return
        self._graph_is_due = False
        specs = self.model.save_spec()
        if specs is None or self.model.run_eagerly:
            return
        forward = tf.function(lambda *args, **kwargs: self.model(*args, **kwargs))
        args, kwargs = specs
        traced = forward.get_concrete_function(*args, **{**kwargs, "training": True})
        with self._recording("train"):
            tf.summary.graph(traced.graph)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if self.model is None:
            raise ValueError("TensorBoard has no model: give it to `fit`.")
        self._steps_before = int(self._train_step.numpy())
        if self.write_steps_per_second:
            self._iterations_before = int(self.model.optimizer.iterations.numpy())
            self._began_epoch = time.time()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._write_metrics(epoch, logs or {})
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            with self._recording("train"):
                self._write_weights(epoch)
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            name = f"keras_embedding.ckpt-{epoch}"
            self.model.save_weights(os.path.join(self.log_dir, "train", name))

    def _write_metrics(self, epoch: int, logs: dict[str, Any]) -> None:
        if not logs:
            return
        train = {k: v for k, v in logs.items() if not k.startswith("val_")}
        validation = {k[len("val_") :]: v for k, v in logs.items() if k.startswith("val_")}
        optimizer = self.model.optimizer
        rate = getattr(optimizer, "_learning_rate", None)
        if isinstance(rate, LearningRateSchedule):
            train["learning_rate"] = rate(optimizer.iterations)
        if self.write_steps_per_second:
            steps = int(optimizer.iterations.numpy()) - self._iterations_before
            train["steps_per_second"] = steps / (time.time() - self._began_epoch)
        for writer, numbers in (("train", train), ("validation", validation)):
            if numbers:
                with self._recording(writer):
                    for name, value in numbers.items():
                        tf.summary.scalar(f"epoch_{name}", value, step=epoch)

    def _write_weights(self, epoch: int) -> None:
        for layer in self.model.layers:
            for weight in layer.weights:
                name = weight.name.replace(":", "_")
                tf.summary.histogram(f"{name}/histogram", weight, step=epoch)
                picture = _as_image(weight) if self.write_images else None
                if picture is not None:
                    tf.summary.image(f"{name}/image", picture, step=epoch)


def _refuse(kwargs: dict[str, Any]) -> None:
    """Complain about options that do not exist."""
    unknown = set(kwargs) - _OLD
    if unknown:
        raise ValueError(f"TensorBoard: unknown arguments {sorted(unknown)}.")
    for name in sorted(key for key, value in kwargs.items() if value):
        tf.get_logger().warning("TensorBoard: `%s` is of TensorFlow 1, and ignored.", name)


def _as_image(weight: Any) -> Any:
    """A weight as a batch of gray images, None if it has no such form."""
    values: Any = tf.squeeze(weight)
    if values.shape.rank == 1:
        return tf.reshape(values, [1, values.shape[0], 1, 1])
    if values.shape.rank == 2:
        rows, columns = values.shape.as_list()
        if rows > columns:
            values = tf.transpose(values)
        return values[tf.newaxis, :, :, tf.newaxis]
    if values.shape.rank == 3:
        if tf.keras.backend.image_data_format() == "channels_last":
            values = tf.transpose(values, [2, 0, 1])
        return values[..., tf.newaxis]
    return values if values.shape.rank == 4 and values.shape[-1] in (1, 3, 4) else None
