"""Lists that grow inside a loop of the graph, and what `append`, `pop` and `x[i] = v` become."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from runnel.autograph.items import Items, is_symbolic
from runnel.core.composite import dispatch
from runnel.core.op import context
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import DType, variant
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.ops.array import joining


class StagedList:
    """A list of tensors of one dtype whose length is known at run time only.

    It is a tensor where one is wanted (its elements stacked), and can be iterated, indexed,
    measured, appended to and popped from.
    """

    def __init__(self, dtype: DType, element_shape: Any, flow: Tensor | None = None) -> None:
        self.dtype = dtype
        self.element_shape = TensorShape(element_shape)
        if flow is None:
            flow = raw_ops.TensorListReserve(self._dims(), np.int32(0), element_dtype=dtype)
        self.flow = flow

    @property
    def _type_spec(self) -> StagedListSpec:
        return StagedListSpec(self.dtype, self.element_shape)

    def _dims(self) -> np.ndarray[Any, Any]:
        if self.element_shape.rank is None:
            return np.array(-1, np.int32)
        return np.array([-1 if d is None else d for d in self.element_shape.as_list()], np.int32)

    def _with(self, flow: Tensor) -> StagedList:
        return StagedList(self.dtype, self.element_shape, flow)

    def length(self) -> Tensor:
        return raw_ops.TensorListLength(self.flow)

    def __add__(self, values: Any) -> StagedList:
        return extend(self, values)

    def appended(self, value: Any) -> StagedList:
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        if tensor.dtype is not self.dtype:
            raise TypeError(
                f"A list that grows in a loop holds tensors of one dtype, {self.dtype.name}, got "
                f"{tensor.dtype.name}."
            )
        flow = raw_ops.TensorListSetItem(
            self.flow, self.length(), tensor, resize_if_index_out_of_bounds=True
        )
        return self._with(flow)

    def pop(self, *index: Any) -> NoReturn:
        """Not where the list cannot be assigned anew."""
        raise TypeError(
            "A list that grew in a loop of the graph cannot be popped from inside a condition, a "
            "comprehension or a lambda. Pop in a statement before it: `last = elements.pop()`."
        )

    def popped(self) -> tuple[StagedList, Tensor]:
        flow, last = raw_ops.TensorListPopBack(self.flow, self._dims(), element_dtype=self.dtype)
        return self._with(flow), last

    def popped_at(self, index: Any) -> tuple[StagedList, Tensor]:
        """What is left without the element at a place, and that element."""
        place = self._place(index)
        order = raw_ops.Range(np.int32(0), self.length() - 1, np.int32(1))
        order += raw_ops.Cast(order >= place, DstT=np.int32)
        kept = raw_ops.TensorListGather(self.flow, order, self._dims(), element_dtype=self.dtype)
        return self._with(raw_ops.TensorListFromTensor(kept, self._dims())), self[place]

    def _place(self, index: Any) -> Tensor:
        place = convert_to_tensor(index, dtype_hint=np.int32)
        found: Tensor = raw_ops.SelectV2(place < 0, place + self.length(), place)
        return found

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return convert_to_tensor(self)[index]
        place = self._place(index)
        return raw_ops.TensorListGetItem(self.flow, place, self._dims(), element_dtype=self.dtype)

    def __len__(self) -> int:
        if is_symbolic(self.flow):
            raise TypeError(
                "The length of this list is known at run time only: use len() in converted code."
            )
        return int(self.length())  # type: ignore[call-overload]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def autograph_items(self) -> Items:
        return Items(self.length(), lambda i: self[i])

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        return raw_ops.TensorListStack(
            self.flow, self._dims(), element_dtype=self.dtype, num_elements=-1, name=name
        )

    def stacked(self, axis: int) -> Tensor:
        """`tf.stack` of the elements."""
        whole = convert_to_tensor(self)
        place, rank = axis % _known_rank(whole), _known_rank(whole)
        order = [*range(1, place + 1), 0, *range(place + 1, rank)]
        return raw_ops.Transpose(whole, np.array(order, np.int32))  # type: ignore[no-any-return]

    def joined(self, axis: int) -> Tensor:
        """`tf.concat` of the elements; along the first axis they may differ in length."""
        if axis == 0:
            return raw_ops.TensorListConcatV2(  # type: ignore[no-any-return]
                self.flow, self._dims(), np.zeros(0, np.int64), element_dtype=self.dtype
            )[0]
        place = axis % (_known_rank(convert_to_tensor(self)) - 1)
        beside = self.stacked(place)
        sizes = raw_ops.Shape(beside)
        parts = [sizes[:place], np.array([-1], np.int32), sizes[place + 2 :]]
        return raw_ops.Reshape(beside, raw_ops.ConcatV2(parts, np.int32(0)))  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<list of {self.dtype.name} tensors that grew in a loop of the graph>"


def _known_rank(whole: Tensor) -> int:
    if whole.shape.rank is None:
        raise ValueError("The elements of this list have no known rank; only axis 0 can be joined.")
    return whole.shape.rank


class StagedListSpec(TypeSpec):
    """The type of a `StagedList`."""

    def __init__(self, dtype: DType, element_shape: Any) -> None:
        self._dtype = dtype
        self._element_shape = TensorShape(element_shape)

    @property
    def value_type(self) -> type:
        return StagedList

    def _serialize(self) -> tuple[Any, ...]:
        return (self._dtype, self._element_shape)

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec([], variant)]

    def _to_components(self, value: StagedList) -> Any:
        return [value.flow]

    def _from_components(self, components: Any) -> StagedList:
        return StagedList(self._dtype, self._element_shape, components[0])


def grown(before: Any, after: Any) -> bool:
    """Whether code appended to a Python list."""
    if not isinstance(before, list):
        return False
    return isinstance(after, StagedList) or (isinstance(after, list) and len(after) > len(before))


def stage_list(before: list[Any], after: Any) -> StagedList:
    """A Python list as one that can grow in the graph, given what it became there."""
    if isinstance(after, StagedList):
        dtype, shape = after.dtype, after.element_shape
    else:
        sample = _as_element(after[-1])
        dtype, shape = sample.dtype, sample.shape
    for value in before:
        shape = shape.most_specific_compatible_shape(convert_to_tensor(value).shape)
    made = StagedList(dtype, shape)
    for value in before:
        made = made.appended(value)
    return made


def _as_element(value: Any) -> Tensor:
    """What is appended as a tensor; a tuple of tensors is packed in the graph that made them."""
    inside = [t for t in nest.flatten(value) if is_symbolic(t)]
    if not inside or isinstance(value, Tensor):
        return convert_to_tensor(value)
    try:
        with context.building(max((t.graph for t in inside), key=_depth)):
            return convert_to_tensor(value)
    except (TypeError, ValueError, InvalidArgumentError):
        raise TypeError(
            f"A list that grows in a loop of the graph holds tensors of one dtype and rank, got "
            f"{value!r}. Append its parts to lists of their own."
        ) from None


def _depth(graph: Any) -> int:
    outer = getattr(graph, "outer_graph", None)
    return 0 if outer is None else 1 + _depth(outer)


def refill(container: Any, result: Any) -> Any:
    """A list or dict that code changed in place, with its new contents: others may hold it too."""
    if isinstance(container, list) and isinstance(result, list):
        old = [*container, *result[len(container) :]]
        container[:] = [refill(*pair) for pair in zip(old, result, strict=False)]
        return container
    if isinstance(container, dict) and isinstance(result, dict):
        for key in container.keys() - result.keys():
            del container[key]
        container.update({k: refill(container.get(k), v) for k, v in result.items()})
        return container
    return result


def append(target: Any, value: Any) -> Any:
    """`target.append(value)`, giving what `target` is afterwards."""
    if isinstance(target, StagedList):
        return target.appended(value)
    target.append(value)
    return target


def extend(target: Any, values: Any) -> Any:
    """`target.extend(values)`, giving what `target` is afterwards."""
    if not isinstance(target, StagedList):
        target.extend(values)
        return target
    for value in values:
        target = target.appended(value)
    return target


def without_last(target: Any, *index: Any) -> Any:
    """`target.pop()`, giving what `target` is afterwards; `popped` then gives the element."""
    if isinstance(target, StagedList):
        target, element = target.popped_at(*index) if index else target.popped()
    else:
        element = target.pop(*index)
    _local.popped = element
    return target


def popped(target: Any) -> Any:
    """The element that `without_last` took from `target`."""
    element = _local.popped
    del _local.popped
    return element


_local = threading.local()


def set_item(target: Any, index: Any, value: Any) -> Any:
    """`target[index] = value`, giving what `target` is afterwards."""
    if isinstance(target, Tensor):
        return target.at[index].set(value)
    target[index] = value
    return target


def _stack(values: StagedList, axis: int = 0, name: str = "stack") -> Tensor:
    return values.stacked(axis)


dispatch.add_target(joining.stack, _stack, [{"values": StagedList}])
