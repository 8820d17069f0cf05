"""What a layer expects of its inputs, and the check of it."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.saving.config_errors import reads_config


class InputSpec:
    """Rank, shape and dtype that an input must have; what is None is not looked at.

    >>> tf.keras.layers.InputSpec(min_ndim=2, axes={-1: 4})
    InputSpec(min_ndim=2, axes={-1: 4})
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
        optional: bool = False,
    ) -> None:
        self.dtype = None if dtype is None else tf.as_dtype(dtype).name
        dims = tf.TensorShape(shape)
        self.shape = None if dims.rank is None else tuple(dims.as_list())
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.name, self.optional = name, optional
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        try:
            self.axes = {int(k): v for k, v in (axes or {}).items()}
        except (ValueError, TypeError, AttributeError):
            raise TypeError(
                f"Argument `axes` must be a dict with integer keys. Received: {axes}"
            ) from None
        self._check_axes()

    def _check_axes(self) -> None:
        largest = self.ndim if self.ndim is not None else self.max_ndim
        if self.axes and largest is not None and max(self.axes) >= largest:
            raise ValueError(
                f"Axis {max(self.axes)} is greater than the maximum allowed value: {largest - 1}"
            )

    def __repr__(self) -> str:
        shown = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        parts = [f"{name}={getattr(self, name)}" for name in shown if getattr(self, name)]
        return f"InputSpec({', '.join(parts)})"

    def fits(self, dims: tuple[Any, ...]) -> bool:
        """Whether a shape is right beyond doubt, as it nearly always is."""
        rank = len(dims)
        if (
            self.ndim not in (None, rank)
            or rank < (self.min_ndim or 0)
            or self.max_ndim is not None
        ):
            return False
        for axis, size in self.axes.items():
            if size is not None and dims[axis] != size:
                return False
        for size, there in zip(self.shape or (), dims):
            if size is not None and there != size:
                return False
        return True

    def get_config(self) -> dict[str, Any]:
        """The arguments with which another can be made."""
        names = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        return {name: getattr(self, name) for name in names}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A spec with the arguments of `get_config`."""
        return cls(**config)


def check_inputs(input_spec: Any, inputs: Any, layer_name: str) -> None:
    """Raise `ValueError` where the inputs of a layer do not fit its spec."""
    if type(input_spec) is InputSpec and isinstance(inputs, tf.Tensor):
        _check(input_spec, inputs, 0, layer_name)
        return
    specs = tf.nest.flatten(input_spec)
    if isinstance(inputs, dict) and all(getattr(s, "name", None) for s in specs):
        missing = [s.name for s in specs if s.name not in inputs]
        if missing:
            raise ValueError(
                f'Missing data for input "{missing[0]}". You passed a data dictionary with keys '
                f"{list(inputs)}. Expected the following keys: {[s.name for s in specs]}"
            )
        flat = [inputs[s.name] for s in specs]
    else:
        flat = tf.nest.flatten(inputs)
    for spec, value in zip(specs, flat):
        absent = value is None and spec is not None and spec.optional
        if spec is not None and not absent and not hasattr(value, "shape"):
            raise TypeError(
                f"Inputs to a layer should be tensors. Got '{value}' (of type {type(value)}) as "
                f"input for layer '{layer_name}'."
            )
    if len(flat) != len(specs):
        raise ValueError(
            f'Layer "{layer_name}" expects {len(specs)} input(s), but it received {len(flat)} '
            f"input tensors. Inputs received: {flat}"
        )
    for index, (spec, tensor) in enumerate(zip(specs, flat, strict=True)):
        if spec is not None and not (spec.optional and tensor is None):
            _check(spec, tensor, index, layer_name)


def _check(spec: InputSpec, tensor: Any, index: int, layer_name: str) -> None:
    shape = getattr(tensor, "shape", None)
    if not isinstance(shape, tf.TensorShape) or shape.rank is None:
        return
    dims = tuple(shape.as_list())
    if spec.dtype is None and spec.fits(dims):
        return
    wrong = _wrong_rank(spec, dims) or _wrong_axes(spec, dims) or _wrong_shape(spec, dims)
    if wrong is None and spec.dtype is not None and tensor.dtype.name != spec.dtype:
        wrong = f"expected dtype={spec.dtype}, found dtype={tensor.dtype}"
    if wrong is not None:
        raise ValueError(
            f'Input {index} of layer "{layer_name}" is incompatible with the layer: {wrong}'
        )


def _wrong_rank(spec: InputSpec, dims: tuple[Any, ...]) -> str | None:
    rank = len(dims)
    if spec.ndim not in (None, rank) and not spec.allow_last_axis_squeeze:
        expected = f"ndim={spec.ndim}"
    elif spec.max_ndim is not None and rank > spec.max_ndim:
        return f"expected max_ndim={spec.max_ndim}, found ndim={rank}"
    elif spec.min_ndim is not None and rank < spec.min_ndim:
        expected = f"min_ndim={spec.min_ndim}"
    else:
        return None
    return f"expected {expected}, found ndim={rank}. Full shape received: {dims}"


def _wrong_axes(spec: InputSpec, dims: tuple[Any, ...]) -> str | None:
    for axis, value in spec.axes.items():
        if value is not None and dims[int(axis)] not in (value, None):
            return (
                f"expected axis {axis} of input shape to have value {value}, but received input "
                f"with shape {dims}"
            )
    return None


def _wrong_shape(spec: InputSpec, dims: tuple[Any, ...]) -> str | None:
    if spec.shape is None:
        return None
    pairs = zip(spec.shape, dims)
    if spec.allow_last_axis_squeeze:
        pairs = zip(_without_last_one(spec.shape), _without_last_one(dims))
    if all(a is None or b is None or a == b for a, b in pairs):
        return None
    return f"expected shape={spec.shape}, found shape={dims}"


def _without_last_one(dims: tuple[Any, ...]) -> tuple[Any, ...]:
    return dims[:-1] if dims and dims[-1] == 1 else dims
