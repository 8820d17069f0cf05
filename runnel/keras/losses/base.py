"""`tf.keras.losses.Loss`, and losses made of functions."""

from __future__ import annotations

import inspect
from typing import Any

import runnel as tf
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.serialization import deserialize_keras_object, serialize_keras_object
from .ranks import match_ranks
from .reduction import Reduction, get_mask, valid_weight, weighted_loss
from .symbolic import as_tensor

_convert = tf.__internal__.autograph.tf_convert


class Loss:
    """From labels and predictions to a number that training makes small.

    Args:
        reduction: how the losses of a batch become one number: "auto", "sum", "sum_over_batch_size"
            or "none".

    >>> class Gap(tf.keras.losses.Loss):
    ...     def call(self, y_true, y_pred):
    ...         return tf.reduce_mean(abs(y_true - y_pred), axis=-1)
    >>> float(Gap()(tf.constant([[1.0], [2.0]]), tf.constant([[2.0], [4.0]])))
    1.5
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = None) -> None:
        Reduction.validate(reduction)
        self.reduction = reduction
        self.name = name
        self._allow_sum_over_batch_size = False

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> tf.Tensor:
        if tf.distribute.has_strategy():
            self._check_reduction()
        try:
            call = self.call if tf.executing_eagerly() else _convert(self.call)
            with tf.name_scope(self._scope()):
                losses = call(y_true, y_pred)
                if not isinstance(losses, tf.RaggedTensor):
                    losses = as_tensor(losses)
                masks = [m for m in (get_mask(y_pred), get_mask(losses)) if m is not None]
                mask = masks[0] & masks[1] if len(masks) == 2 else masks[0] if masks else None
                weight = valid_weight(losses, sample_weight, mask, self.reduction)
                return weighted_loss(losses, weight, self.reduction)
        except Exception as error:
            tf.__internal__.tracebacks.trim(error)
            raise

    def _check_reduction(self) -> None:
        """A mean over a replica's part of a batch is no part of the mean over the whole."""
        whole = (Reduction.AUTO, Reduction.SUM_OVER_BATCH_SIZE)
        if not self._allow_sum_over_batch_size and self.reduction in whole:
            raise ValueError(
                f"{self.name or type(self).__name__}: reduction={self.reduction!r} is for losses "
                "that `compile` is given. In a loop of your own under a tf.distribute.Strategy, "
                "take reduction=tf.keras.losses.Reduction.SUM or NONE, and divide the losses by "
                "the size of the batch of all replicas: tf.nn.compute_average_loss does so."
            )

    def _scope(self) -> str:
        name = self.name or type(self).__name__
        return "lambda" if name == "<lambda>" else name.lstrip("_") or "loss"

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def get_config(self) -> dict[str, Any]:
        """The arguments with which another can be made."""
        return {"reduction": self.reduction, "name": self.name}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A loss with the arguments of `get_config`."""
        return cls(**{key: value for key, value in config.items() if key != "fn"})


def plain_arguments(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments as a config holds them: the values of tensors and variables."""
    return {k: v.numpy() if tf.is_tensor(v) else v for k, v in kwargs.items()}


class LossFunctionWrapper(Loss):
    """A loss whose `call` is a function with further arguments."""

    def __init__(
        self, fn: Any, reduction: str = Reduction.AUTO, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(reduction=reduction, name=name)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        if isinstance(y_pred, tf.Tensor) and isinstance(y_true, tf.Tensor):
            y_pred, y_true, _ = match_ranks(y_pred, y_true)
        fn = self.fn if tf.executing_eagerly() else _convert(self.fn)
        return fn(y_true, y_pred, **self._fn_kwargs)

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), **plain_arguments(self._fn_kwargs)}
        own = type(self).__module__.startswith("runnel.")
        if type(self) is LossFunctionWrapper:
            return {"fn": serialize_keras_object(self.fn), **config}
        return {**config, "fn": self.fn.__name__} if own else config

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        config = dict(config)
        fn = config.pop("fn", None)
        if cls is LossFunctionWrapper:
            return cls(deserialize_keras_object(fn), **config)
        taken = inspect.signature(cls.__init__).parameters
        return cls(**{key: value for key, value in config.items() if key in taken})
