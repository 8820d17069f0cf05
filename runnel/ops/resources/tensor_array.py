"""`tf.TensorArray`: tensors written and read one at a time, eagerly and in loops of a graph."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.op.context import state
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.tensor.tensor_list import TensorList
from runnel.core.values import dtypes, nest
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import InvalidArgumentError, OutOfRangeError
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec, type_spec_from_value
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike


class TensorArray:
    """A list of tensors of one dtype. Each write gives a new array, which must be used from then
    on.

    Args:
        dtype: the dtype of the elements.
        size: how many elements there are.
        dynamic_size: whether it may grow.
        clear_after_read: whether an element is forgotten when it is read.
        tensor_array_name, handle, flow: of TensorFlow's own; for a graph that holds the array
            already.
        infer_shape: whether elements are checked to be of one shape.
        element_shape: the shape of the elements, if it is known.
        colocate_with_first_write_call: about devices; without effect.

    >>> array = tf.TensorArray(tf.float32, size=2)
    >>> array = array.write(0, 10.0)
    >>> array = array.write(1, 20.0)
    >>> array.stack().numpy()
    array([10., 20.], dtype=float32)
    """

    def __init__(
        self,
        dtype: DTypeLike,
        size: TensorLike = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Tensor | None = None,
        infer_shape: bool = True,
        element_shape: ShapeLike = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None:
            raise ValueError("tf.TensorArray: `handle` belongs to TensorFlow 1; use `flow`.")
        self._dtype_of_elements = dtypes.as_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._clears = clear_after_read  # None: it cannot be read again, but stacked
        self._infers = infer_shape
        self._element_shape = TensorShape(element_shape)
        self._count: Any = None  # of elements, if a graph knows it
        self._written_in: list[Any] = []
        self._before: list[Any] = []  # `_written_in` of the array that a write made this of
        self._cleared: set[int] = set()  # of eager arrays; all that were made of this one share it
        if flow is None:
            if size is None:
                raise ValueError("tf.TensorArray: `size` must be given, or a `flow`.")
            count = convert_to_tensor(size, dtype_hint=dtypes.int32)
            self._count = None if self._dynamic else constant_value(count)
            shape = _shape_tensor(self._element_shape)
            flow = raw_ops.TensorListReserve(
                shape, count, element_dtype=self._dtype_of_elements, name=name or "TensorArrayV2"
            )
        elif getattr(flow, "dtype", None) is not dtypes.variant:
            kind = ValueError if state.graph is None else TypeError
            raise kind(f"tf.TensorArray: `flow` must be that of another array, got {flow!r}.")
        self._flow: Tensor = flow

    @property
    def dtype(self) -> DType:
        return self._dtype_of_elements

    @property
    def dynamic_size(self) -> bool:
        return self._dynamic

    @property
    def element_shape(self) -> TensorShape:
        return self._element_shape

    @property
    def flow(self) -> Tensor:
        return self._flow

    @property
    def handle(self) -> None:
        """None: that of TensorFlow 1."""
        return None

    def _with_flow(self, flow: Tensor) -> TensorArray:
        made = TensorArray(
            self.dtype,
            dynamic_size=self._dynamic,
            clear_after_read=self._clears,
            flow=flow,
            infer_shape=self._infers,
            element_shape=self._element_shape,
        )
        made._cleared, made._count = self._cleared, self._count
        return made

    def _used(self, *, writes: bool = False) -> Tensor:
        """The list, for an op; complains when a write to this array was dropped."""
        graph = state.graph
        if graph is not None:
            if any(_encloses(graph, ref()) for ref in self._written_in):
                raise ValueError(
                    "The result of a write to this TensorArray was dropped: use `array = "
                    "array.write(...)`."
                )
            if writes:
                self._written_in.append(weakref.ref(graph))
        return self._flow

    def _changed(self, flow: Tensor, shape: TensorShape | None = None) -> TensorArray:
        """The array after a write of elements of a shape; in eager mode this one too, as programs
        expect.
        """
        made = self._with_flow(flow)
        if shape is not None:
            made._learn(shape)
        made._before = self._written_in
        if state.graph is None:
            self._flow = flow
        return made

    def mark_used(self) -> None:
        """Say that the write which made this array may be forgotten: the array before is used on.

        >>> array = tf.TensorArray(tf.float32, size=1)
        >>> array.write(0, 3.0).mark_used()
        >>> array.read(0).numpy()
        np.float32(3.0)
        """
        self._before.clear()

    def _merge(self, shape: TensorShape, *, by_chance: bool) -> None:
        """That an element has this shape. Where a value of an outer graph may have decided it, only
        the array after the write knows: another branch may write another one.
        """
        if by_chance or self._flow._from_outside:
            return
        if not self._element_shape.is_compatible_with(shape):
            raise ValueError(
                f"TensorArray: an element must have shape {self._element_shape}, got shape {shape}."
            )
        self._learn(shape)

    def _know(self, written: TensorArray) -> None:
        """That a branch or an iteration ends with `written` where this array is its result."""
        self._learn(written._element_shape)

    def _learn(self, shape: TensorShape) -> None:
        if not self._infers:
            return
        if self._element_shape.is_compatible_with(shape):
            self._element_shape = self._element_shape.merge_with(shape)
        elif self._flow._from_outside:
            self._element_shape = self._element_shape.most_specific_compatible_shape(shape)

    def _shape(self) -> TensorLike:
        return _shape_tensor(self._element_shape)

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        return raw_ops.TensorListLength(self._flow, name=name)

    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """The element at `index`."""
        self._check_index(index)
        self._check_written()
        item = raw_ops.TensorListGetItem(
            self._used(), _as_index(index), self._shape(), element_dtype=self.dtype, name=name
        )
        if self._clears is not False and isinstance(item, EagerTensor):
            self._cleared.add(_place(index))
        return item

    def _check_index(self, index: TensorLike, *, writing: bool = False) -> None:
        if state.graph is not None:
            return
        place, count = _place(index), _place(self.size())
        if place in self._cleared and not writing:
            raise InvalidArgumentError(
                None,
                None,
                f"Could not read index {place} twice because it was cleared after a previous read "
                "(perhaps try setting clear_after_read = false?).",
            )
        if place < 0 or (place >= count and not (writing and self._dynamic)):
            raise OutOfRangeError(
                None,
                None,
                f"Tried to {'write to' if writing else 'read from'} index {place} but array size "
                f"is: {count} ",
            )

    def _check_written(self) -> None:
        """ValueError if nothing was written at all, and it is not known how zeros look."""
        if state.graph is not None or self._element_shape.is_fully_defined():
            return
        held: Any = getattr(self._flow, "_value", None)
        if not isinstance(held, TensorList):
            return
        if held.items and all(item is None for item in held.items):
            raise ValueError("TensorArray: zeros for what was not written need an element_shape.")

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array with `value` at `index`."""
        self._check_index(index, writing=True)
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        if tensor.dtype is not self.dtype:
            raise _wrong_dtype(self.dtype, tensor)
        self._merge(tensor.shape, by_chance=tensor._from_outside)
        if self._cleared:
            self._cleared.discard(_place(index))
        flow = raw_ops.TensorListSetItem(
            self._used(writes=True),
            _as_index(index),
            tensor,
            resize_if_index_out_of_bounds=self._dynamic,
            name=name,
        )
        return self._changed(flow, tensor.shape)

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor, along a new first dimension."""
        self._refill()
        self._check_written()
        count = -1 if self._count is None or state.graph is None else int(self._count)
        return raw_ops.TensorListStack(
            self._used(), self._shape(), element_dtype=self.dtype, num_elements=count, name=name
        )

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The elements at `indices`, stacked."""
        self._refill()
        if state.graph is None:
            indices = _listed(np.ravel(indices), _place(self.size()))
        return raw_ops.TensorListGather(
            self._used(), indices, self._shape(), element_dtype=self.dtype, name=name
        )

    def _refill(self) -> None:
        """Zeros in place of what was cleared after it was read."""
        for place in sorted(self._cleared) if self._clears and state.graph is None else ():
            if not self._element_shape.is_fully_defined():
                raise ValueError(
                    f"TensorArray: element {place} was cleared after it was read, and zeros cannot "
                    f"stand for it since its shape is {self._element_shape}. Use clear_after_read="
                    "False."
                )
            self.write(place, raw_ops.Fill(self._shape(), _zero(self.dtype)))

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined along their first dimension."""
        self._refill()
        if state.graph is None and not _place(self.size()):
            raise InvalidArgumentError(None, None, "TensorArray: there is nothing to be joined.")
        return self.joined(name)

    def joined(self, name: str | None = None) -> Tensor:
        """`concat`, of no elements too."""
        rest = self._element_shape[1:] if self._element_shape.rank else TensorShape(None)
        shape = TensorShape([None]).concatenate(rest) if rest.rank is not None else rest
        tensor, _ = raw_ops.TensorListConcatV2(
            self._used(),
            _shape_tensor(shape),
            np.zeros(0, np.int64),
            element_dtype=self.dtype,
            name=name,
        )
        return tensor

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array whose elements are the rows of `value`."""
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        if tensor.dtype is not self.dtype:
            raise _wrong_dtype(self.dtype, tensor)
        if state.graph is None:
            self._check_room(len(tensor))  # what is written later may have another shape
        elif tensor.shape.rank is not None:
            self._merge(tensor.shape[1:], by_chance=tensor._from_outside)
        flow = raw_ops.TensorListFromTensor(tensor, self._shape(), name=name)
        return self._changed(flow, None if state.graph is None else tensor.shape[1:])

    def _check_room(self, count: int) -> None:
        size = _place(self.size())
        if count > size and not self._dynamic:
            raise ValueError(
                f"Cannot unstack {count} tensors into a TensorArray of static size {size} "
            )
        self._cleared.clear()

    def scatter(
        self, indices: TensorLike, value: TensorLike, name: str | None = None
    ) -> TensorArray:
        """The array with the rows of `value` at `indices`."""
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        if state.graph is None:
            for index, row in zip(np.ravel(indices), tensor):
                self.write(index, row)
            return self._with_flow(self._flow)
        if tensor.shape.rank is not None:
            self._merge(tensor.shape[1:], by_chance=tensor._from_outside)
        flow = raw_ops.TensorListScatterIntoExistingList(
            self._used(writes=True),
            tensor,
            convert_to_tensor(indices, dtype_hint=dtypes.int32),
            name=name,
        )
        return self._changed(flow, tensor.shape[1:])

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """The array whose elements are consecutive parts of `value`, as long as `lengths` says."""
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        sizes = raw_ops.Cast(convert_to_tensor(lengths), DstT=dtypes.int64)
        if state.graph is None and not self._dynamic and len(sizes) != _place(self.size()):
            raise InvalidArgumentError(
                None,
                None,
                f"TensorArray's size is not equal to the size of lengths ({_place(self.size())} "
                f"vs. {len(sizes)}), and the TensorArray is not marked as dynamically resizeable.",
            )
        flow = raw_ops.TensorListSplit(tensor, _shape_tensor(TensorShape(None)), sizes, name=name)
        return self._changed(flow)

    def identity(self) -> TensorArray:
        return self._with_flow(self._flow)

    def grad(self, source: str, flow: Tensor | None = None, name: str | None = None) -> TensorArray:
        raise NotImplementedError(
            "TensorArray.grad belongs to TensorFlow 1; use a tf.GradientTape."
        )

    def close(self, name: str | None = None) -> None:
        """Let go of the elements; in a graph an operation of the name, which does nothing."""
        if state.graph is not None:
            raw_ops.NoOp(name=name)
            return
        empty = TensorList((), self.dtype, None)
        self._flow = EagerTensor(empty, dtypes.variant)

    @property
    def _type_spec(self) -> TensorArraySpec:
        return TensorArraySpec(self._element_shape, self.dtype, self._dynamic, self._infers)


def know_loop(results: Any, before: Any, last: Any) -> None:
    """Let arrays after a loop know the number of elements before it, and their shape inside."""
    for value, entering, written in zip(*map(nest.flatten, (results, before, last)), strict=True):
        if isinstance(value, TensorArray):
            value._count = entering._count
            value._know(written)


def know_branches(results: Any, ends: Sequence[Any]) -> None:
    """Let arrays after branches know the shape of the elements that one of them writes."""
    for value, *written in zip(*map(nest.flatten, (results, *ends)), strict=True):
        if isinstance(value, TensorArray):
            for array in written:
                value._know(array)


def _place(index: Any) -> int:
    """A scalar tensor or number as a Python integer."""
    return int(index)


def _as_index(index: TensorLike) -> TensorLike:
    """A place for an op; eager arrays take integers of any dtype."""
    return _place(index) if state.graph is None else index


def _zero(dtype: DType) -> Tensor:
    return convert_to_tensor("" if dtype is dtypes.string else 0, dtype=dtype)


def _encloses(graph: Any, inner: Any) -> bool:
    """Whether a graph is `inner`, or one around it: of a loop, a branch, a function."""
    while inner is not None and inner is not graph:
        inner = getattr(inner, "outer_graph", None)
    return inner is graph


def _listed(indices: Any, count: int) -> Any:
    """Places in a list of `count` elements, counted from the front; IndexError as of a list."""
    for index in indices:
        if not -count <= index < count:
            raise IndexError(f"TensorArray: there is no element {index} among {count}.")
    return np.asarray(indices, np.int32) % max(count, 1)


def _wrong_dtype(want: DType, tensor: Tensor) -> Exception:
    message = (
        f"TensorArray dtype is {want.name} but Op is trying to write dtype {tensor.dtype.name} "
    )
    return InvalidArgumentError(None, None, message) if state.graph is None else ValueError(message)


def _shape_tensor(shape: TensorShape) -> np.ndarray:
    if shape.rank is None:
        return np.array(-1, np.int32)
    dims = [-1 if d is None else d for d in shape.as_list()]
    return np.array(dims, np.int64 if max(dims, default=0) >> 31 else np.int32)


class TensorArraySpec(TypeSpec):
    """The type of a `tf.TensorArray`."""

    def __init__(
        self,
        element_shape: ShapeLike = None,
        dtype: DTypeLike = dtypes.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape = TensorShape(element_shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @property
    def value_type(self) -> type:
        return TensorArray

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_shape, self._dtype, self._dynamic_size, self._infer_shape)

    @staticmethod
    def from_value(value: TensorArray) -> TensorArraySpec:
        """The type of an array.

        >>> tf.TensorArraySpec.from_value(tf.TensorArray(tf.int32, 2)).value_type.__name__
        'TensorArray'
        """
        if not isinstance(value, TensorArray):
            raise TypeError(f"TensorArraySpec: `value` must be a tf.TensorArray, got {value!r}.")
        return value._type_spec

    def is_compatible_with(self, other: Any) -> bool:
        spec = other if isinstance(other, TypeSpec) else type_spec_from_value(other)
        return isinstance(spec, TensorArraySpec) and spec._dtype is self._dtype

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec([], dtypes.variant)]

    def _to_components(self, value: Any) -> Any:
        return [value.flow]

    def _from_components(self, components: Any) -> TensorArray:
        return TensorArray(
            self._dtype,
            dynamic_size=self._dynamic_size,
            flow=components[0],
            infer_shape=self._infer_shape,
            element_shape=self._element_shape,
        )
