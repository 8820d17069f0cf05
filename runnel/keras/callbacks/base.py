"""`tf.keras.callbacks.Callback`: code that runs during training."""

from __future__ import annotations

from typing import Any


class Callback:
    """A base whose methods are called as training goes on.

    >>> class Shout(tf.keras.callbacks.Callback):
    ...     def on_epoch_end(self, epoch, logs=None):
    ...         print("epoch", epoch, sorted(logs))
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> _ = model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0, callbacks=[Shout()])
    epoch 0 ['loss']
    """

    _supports_tf_logs = False  # whether batches may hand over tensors in place of numbers
    model: Any = None
    params: Any = None
    validation_data: Any = None

    def __init__(self) -> None:
        self.model = None
        self._chief_worker_only: Any = None

    def set_params(self, params: Any) -> None:
        self.params = params

    def set_model(self, model: Any) -> None:
        self.model = model

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """The older name of `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """The older name of `on_train_batch_end`."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Called before each epoch of training."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Called after each epoch of training, with its metrics."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before each step of training."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after each step of training."""
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before each step of `evaluate`, and of validation."""

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after each step of `evaluate`, and of validation."""

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before each step of `predict`."""

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after each step of `predict`."""

    def on_train_begin(self, logs: Any = None) -> None:
        """Called when training begins."""

    def on_train_end(self, logs: Any = None) -> None:
        """Called when training ends."""

    def on_test_begin(self, logs: Any = None) -> None:
        """Called when `evaluate` or a validation begins."""

    def on_test_end(self, logs: Any = None) -> None:
        """Called when `evaluate` or a validation ends."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """Called when `predict` begins."""

    def on_predict_end(self, logs: Any = None) -> None:
        """Called when `predict` ends."""

    def _implements(self, *names: str) -> bool:
        """Whether any of these hooks is of the class's own, or set on this object."""
        return any(
            getattr(getattr(self, name), "__func__", None) is not getattr(Callback, name)
            for name in names
        )
