"""`tf.keras.regularizers`: penalties on weights and outputs."""

from __future__ import annotations

import math
from typing import Any

import runnel as tf
from runnel.keras.engine.settings import floatx
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.lookup import Lookup


class Regularizer:
    """A function from a tensor to a penalty that is added to the loss.

    >>> class Largest(tf.keras.regularizers.Regularizer):
    ...     def __call__(self, x):
    ...         return 0.1 * tf.reduce_max(x)
    >>> layer = tf.keras.layers.Dense(1, kernel_regularizer=Largest(), kernel_initializer="ones")
    >>> _ = layer(tf.ones([1, 2]))
    >>> [float(loss) for loss in layer.losses]
    [0.10000000149011612]
    """

    def __call__(self, x: Any) -> Any:
        return 0.0

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A regularizer with the arguments of `get_config`."""
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which another can be made."""
        raise NotImplementedError(f"{type(self).__name__} does not implement get_config()")


def _checked(value: Any) -> float:
    """A factor as the float of the default dtype that Keras keeps."""
    if not isinstance(value, float | int) or isinstance(value, bool):
        raise ValueError(
            f"Value: {value} is not a valid regularization penalty number, expected an int or "
            "float value."
        )
    if math.isinf(value) or math.isnan(value):
        raise ValueError(
            f"Value: {value} is not a valid regularization penalty number, an infinite or NaN "
            "value is not allowed."
        )
    return tf.as_dtype(floatx()).as_numpy_dtype(value)


class L1L2(Regularizer):
    """`l1` times the sum of absolute values, plus `l2` times the sum of squares.

    >>> float(tf.keras.regularizers.L1L2(0.0, 0.5)(tf.constant([1.0, 2.0])))
    2.5
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1 = _checked(0.0 if l1 is None else l1)
        self.l2 = _checked(0.0 if l2 is None else l2)

    def __call__(self, x: Any) -> tf.Tensor:
        penalty = tf.constant(0.0, x.dtype)
        if self.l1:
            penalty += float(self.l1) * tf.reduce_sum(tf.abs(x))
        if self.l2:
            penalty += float(self.l2) * tf.reduce_sum(tf.square(x))
        return penalty

    def get_config(self) -> dict[str, Any]:
        return {"l1": float(self.l1), "l2": float(self.l2)}


class L1(Regularizer):
    """`l1` times the sum of absolute values.

    >>> float(tf.keras.regularizers.L1(0.5)(tf.constant([1.0, -2.0])))
    1.5
    """

    def __init__(self, l1: float = 0.01, **kwargs: Any) -> None:
        l1 = kwargs.pop("l", l1)
        if kwargs:
            raise TypeError(f"Argument(s) not recognized: {kwargs}")
        self.l1 = _checked(0.01 if l1 is None else l1)

    def __call__(self, x: Any) -> tf.Tensor:
        return float(self.l1) * tf.reduce_sum(tf.abs(x))

    def get_config(self) -> dict[str, Any]:
        return {"l1": float(self.l1)}


class L2(Regularizer):
    """`l2` times the sum of squares.

    >>> float(tf.keras.regularizers.L2(0.5)(tf.constant([1.0, 2.0])))
    2.5
    """

    def __init__(self, l2: float = 0.01, **kwargs: Any) -> None:
        l2 = kwargs.pop("l", l2)
        if kwargs:
            raise TypeError(f"Argument(s) not recognized: {kwargs}")
        self.l2 = _checked(0.01 if l2 is None else l2)

    def __call__(self, x: Any) -> tf.Tensor:
        return float(self.l2) * tf.reduce_sum(tf.square(x))

    def get_config(self) -> dict[str, Any]:
        return {"l2": float(self.l2)}


class OrthogonalRegularizer(Regularizer):
    """`factor` times the mean of the products between distinct rows (or columns), normalised.

    >>> float(tf.keras.regularizers.OrthogonalRegularizer(0.5)(tf.eye(2)))
    0.0
    """

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        self.factor = _checked(factor)
        if mode not in ("rows", "columns"):
            raise ValueError(f"`mode` must be 'rows' or 'columns', got {mode!r}.")
        self.mode = mode

    def __call__(self, inputs: Any) -> tf.Tensor:
        x: Any = inputs
        if x.shape.rank != 2:
            raise ValueError(f"OrthogonalRegularizer needs a matrix, got shape {x.shape}.")
        by_rows = self.mode == "rows"
        x = tf.math.l2_normalize(x, axis=1 if by_rows else 0)
        product = tf.matmul(x, x, transpose_a=not by_rows, transpose_b=by_rows)
        size = int(x.shape[0 if by_rows else 1])
        pairs = size * (size - 1.0) / 2.0
        off_diagonal = tf.abs(product) * (1.0 - tf.eye(size, dtype=x.dtype))
        return float(self.factor) * 0.5 * tf.reduce_sum(off_diagonal) / pairs

    def get_config(self) -> dict[str, Any]:
        return {"factor": float(self.factor), "mode": self.mode}


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """An `L1L2` with both penalties.

    >>> tf.keras.regularizers.l1_l2().get_config()["l1"]
    0.009999999776482582
    """
    return L1L2(l1=l1, l2=l2)


l1, l2, orthogonal_regularizer = L1, L2, OrthogonalRegularizer

_NAMES = {
    "L1": L1,
    "L1L2": L1L2,
    "L2": L2,
    "OrthogonalRegularizer": OrthogonalRegularizer,
    "l1": L1,
    "l2": L2,
    "l1_l2": l1_l2,
    "orthogonal_regularizer": OrthogonalRegularizer,
}
_lookup = Lookup("regularizer", lambda: _NAMES)


def serialize(regularizer: Any, use_legacy_format: bool = False) -> Any:
    """The config of a regularizer."""
    return _lookup.serialize(regularizer, use_legacy_format)


def deserialize(config: Any, custom_objects: Any = None, use_legacy_format: bool = False) -> Any:
    """The regularizer of a config or a name."""
    if config == "l1_l2":
        return l1_l2()
    return _lookup.deserialize(config, custom_objects, use_legacy_format)


def get(identifier: Any) -> Any:
    """A regularizer from a name or a config; a class or a function is itself.

    Args:
        identifier: a name, a config, a class, a function or an object; None gives None.

    >>> type(tf.keras.regularizers.get("l2")).__name__
    'L2'
    """
    return deserialize(identifier) if isinstance(identifier, str) else _lookup.get(identifier)
