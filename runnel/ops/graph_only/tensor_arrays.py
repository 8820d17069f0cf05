"""Arrays of tensors as resources: what a loop of TensorFlow 1 reads and writes.

The array is changed in place; a number that is handed on (`flow`) keeps the order of its uses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import no_gradient, op
from runnel.core.settings.arguments import check_room
from runnel.core.state.resource import Resource
from runnel.core.values.dtypes import FROM_NUMPY, DType
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.ops.shapes import scalar, unknown

_ITEM = 64  # bytes; TensorFlow's tensors take no less
_ANY = TensorShape(None)


class TensorArrayResource(Resource):
    """Elements of one dtype, each written once; one that was read may be let go."""

    def __init__(self, size: int, dtype: DType, shape: TensorShape, attrs: dict[str, Any]) -> None:
        super().__init__()
        self.dtype = dtype
        self.element_shape = shape
        self.grows: bool = attrs["dynamic_size"]
        self._clears: bool = attrs["clear_after_read"]
        self.items: list[Any] = [None] * size
        self._cleared: set[int] = set()

    def write(self, index: int, value: Array) -> None:
        if index < 0 or (index >= len(self.items) and not self.grows):
            raise _invalid(f"there is no element {index} of {len(self.items)} to be written.")
        if FROM_NUMPY[np.asarray(value).dtype] is not self.dtype:
            raise _invalid(f"the elements are of dtype {self.dtype.name}.")
        if not self.element_shape.is_compatible_with(np.shape(value)):
            raise _invalid(f"elements have the shape {self.element_shape}, not {np.shape(value)}.")
        if index < len(self.items) and self.items[index] is not None:
            raise _invalid(f"the element {index} has been written already.")
        self.items += [None] * (index + 1 - len(self.items))
        self.items[index] = value

    def read(self, index: int) -> Array:
        if not 0 <= index < len(self.items):
            raise _invalid(f"there is no element {index} of {len(self.items)} to be read.")
        if index in self._cleared:
            raise _invalid(f"the element {index} was read before, and let go then.")
        value = self.items[index]
        if value is None:
            value = self._zeros(index)
        if self._clears:
            self.items[index] = None
            self._cleared.add(index)
        return value  # type: ignore[no-any-return]

    def _zeros(self, index: int) -> Array:
        dims = self.element_shape.as_list() if self.element_shape.rank is not None else [None]
        if None in dims:
            raise _invalid(f"the element {index} has not been written.")
        return np.zeros(dims, self.dtype.np_dtype)


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, f"TensorArray: {message}")


def _two_scalars(*inputs: Any, **attrs: Any) -> list[Dims]:
    return [(), ()]


@op("TensorArrayV3", "size: int32 -> handle: resource, flow: float32", shape=_two_scalars)
def _tensor_array(
    xp: Namespace,
    size: Array,
    *,
    dtype: DType,
    element_shape: TensorShape = _ANY,
    dynamic_size: bool = False,
    clear_after_read: bool = True,
    identical_element_shapes: bool = False,
    tensor_array_name: str = "",
) -> tuple[TensorArrayResource, Array]:
    if np.ndim(size) or int(size) < 0:
        raise _invalid(f"`size` must be a scalar that is not negative, got {size}.")
    check_room("TensorArrayV3", (int(size),), _ITEM)
    attrs = {"dynamic_size": dynamic_size, "clear_after_read": clear_after_read}
    return TensorArrayResource(int(size), dtype, element_shape, attrs), np.float32(0)


@op(
    "TensorArrayWriteV3",
    "handle: resource, index: int32, value: T, flow_in: float32 -> flow_out: float32",
    shape=scalar,
)
def _write(
    xp: Namespace, handle: TensorArrayResource, index: Array, value: Array, flow_in: Array
) -> Array:
    handle.write(int(index), value)
    return flow_in


@op(
    "TensorArrayReadV3",
    "handle: resource, index: int32, flow_in: float32 -> value: dtype",
    shape=unknown,
)
def _read(
    xp: Namespace, handle: TensorArrayResource, index: Array, flow_in: Array, *, dtype: DType
) -> Array:
    return handle.read(int(index))


@op(
    "TensorArrayGatherV3",
    "handle: resource, indices: int32, flow_in: float32 -> value: dtype",
    shape=unknown,
)
def _gather(
    xp: Namespace,
    handle: TensorArrayResource,
    indices: Array,
    flow_in: Array,
    *,
    dtype: DType,
    element_shape: TensorShape = _ANY,
) -> Array:
    found = [np.asarray(handle.read(int(index))) for index in np.ravel(indices)]
    if found:
        if len({part.shape for part in found}) > 1:
            raise _invalid("elements of several shapes cannot be stacked.")
        return np.stack(found)
    shape = handle.element_shape.merge_with(element_shape)
    return np.zeros((0, *[d or 0 for d in shape.as_list()]), dtype.np_dtype)


@op(
    "TensorArrayScatterV3",
    "handle: resource, indices: int32, value: T, flow_in: float32 -> flow_out: float32",
    shape=scalar,
)
def _scatter(
    xp: Namespace, handle: TensorArrayResource, indices: Array, value: Array, flow_in: Array
) -> Array:
    if len(indices) != len(value):
        raise _invalid(f"there are {len(indices)} indices for {len(value)} elements.")
    for place, index in enumerate(np.ravel(indices)):
        handle.write(int(index), value[place, ...])
    return flow_in


def _concat_shape(handle: Spec, flow_in: Spec, **attrs: Any) -> list[Dims]:
    return [None, (None,)]


@op(
    "TensorArrayConcatV3",
    "handle: resource, flow_in: float32 -> value: dtype, lengths: int64",
    shape=_concat_shape,
)
def _concat(
    xp: Namespace,
    handle: TensorArrayResource,
    flow_in: Array,
    *,
    dtype: DType,
    element_shape_except0: TensorShape = _ANY,
) -> tuple[Array, Array]:
    parts = [np.asarray(handle.read(index)) for index in range(len(handle.items))]
    if any(part.ndim == 0 for part in parts):
        raise _invalid("elements without dimensions cannot be joined.")
    if len({part.shape[1:] for part in parts}) > 1:
        raise _invalid("elements whose rows have several shapes cannot be joined.")
    lengths = np.array([len(part) for part in parts], np.int64)
    inner = [d or 0 for d in element_shape_except0.as_list()] if not parts else []
    return np.concatenate(parts) if parts else np.zeros((0, *inner), dtype.np_dtype), lengths


@op(
    "TensorArraySplitV3",
    "handle: resource, value: T, lengths: int64, flow_in: float32 -> flow_out: float32",
    shape=scalar,
)
def _split(
    xp: Namespace, handle: TensorArrayResource, value: Array, lengths: Array, flow_in: Array
) -> Array:
    if int(np.sum(lengths)) != len(value):
        raise _invalid(f"the lengths {lengths} must add up to {len(value)}.")
    if len(lengths) != len(handle.items) and not handle.grows:
        raise _invalid(f"there are {len(lengths)} parts for {len(handle.items)} elements.")
    for place, part in enumerate(np.split(value, np.cumsum(lengths)[:-1])):
        handle.write(place, part)
    return flow_in


@op("TensorArraySizeV3", "handle: resource, flow_in: float32 -> size: int32", shape=scalar)
def _size(xp: Namespace, handle: TensorArrayResource, flow_in: Array) -> Array:
    return np.asarray(len(handle.items), np.int32)


@op("TensorArrayCloseV3", "handle: resource ->", shape=lambda handle: [])
def _close(xp: Namespace, handle: TensorArrayResource) -> None:
    handle.items = []


for _op in ("TensorArrayV3", "TensorArraySizeV3", "TensorArrayCloseV3"):
    no_gradient(_op)
