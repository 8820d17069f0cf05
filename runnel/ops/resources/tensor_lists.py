"""Lists of tensors as values (`variant` tensors): what a `tf.TensorArray` is in a graph.

On the host a list is a tuple of arrays (None for one not written yet), so that a write shares all
other elements. Inside an XLA program it is one array, stacked; its size is fixed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, no_gradient, op, raw_ops
from runnel.core.op.traits import Guard
from runnel.core.settings.arguments import check_room
from runnel.core.tensor.tensor_list import Stacked, TensorList
from runnel.core.values import dtypes
from runnel.core.values.dtypes import INDICES, DType
from runnel.core.values.errors import bad_shape, bad_value, invalid
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.ops.guards import in_range
from runnel.ops.shapes import scalar, unknown


def _dims(shape: Array) -> Dims:
    """Dimensions from a shape tensor, in which -1 stands for an unknown size and a scalar for all
    unknown.
    """
    array = np.asarray(shape)
    return None if array.ndim == 0 else tuple(None if d < 0 else int(d) for d in array.tolist())


def _in_list(xp: Namespace, input_handle: Any, index: Array, *rest: Any, **attrs: Any) -> Any:
    if attrs.get("resize_if_index_out_of_bounds"):
        return True
    return in_range(xp, index, len(input_handle))


_IN_LIST = Guard(_in_list, "`index` must be that of an element, got one that is out of range")


def _element_dims(element_shape: Spec) -> Dims:
    return None if element_shape.value is None else _dims(element_shape.value)


_ITEM = 64  # bytes; TensorFlow's tensors take no less in a list


@op(
    "TensorListReserve",
    "element_shape: shape_type, num_elements: int32 -> handle: variant",
    shape_type=INDICES,
    static=("element_shape", "num_elements"),
    shape=scalar,
)
def _reserve(
    xp: Namespace, element_shape: Array, num_elements: Array, *, element_dtype: DType
) -> TensorList:
    check_room("TensorListReserve", (int(num_elements),), _ITEM)
    return TensorList((None,) * int(num_elements), element_dtype, _dims(element_shape))


@op(
    "EmptyTensorList",
    "element_shape: shape_type, max_num_elements: int32 -> handle: variant",
    shape_type=INDICES,
    static=("element_shape", "max_num_elements"),
    shape=scalar,
)
def _empty(
    xp: Namespace, element_shape: Array, max_num_elements: Array, *, element_dtype: DType
) -> TensorList:
    return TensorList((), element_dtype, _dims(element_shape))


@op(
    "TensorListFromTensor",
    "tensor: element_dtype, element_shape: shape_type -> output_handle: variant",
    shape_type=INDICES,
    static=("element_shape",),
    shape=scalar,
)
def _from_tensor(xp: Namespace, tensor: Array, element_shape: Array) -> Any:
    if xp is not np:
        return Stacked(tensor)
    kind = dtypes.FROM_NUMPY[tensor.dtype]
    items = tuple([tensor[i, ...] for i in range(len(tensor))])  # a string stays an array
    return TensorList(items, kind, _dims(element_shape) if items else tuple(tensor.shape[1:]))


@RegisterGradient("TensorListFromTensor")
def _from_tensor_grad(op: Any, dlist: Tensor) -> Gradients:
    x, element_shape = op.inputs
    return raw_ops.TensorListStack(dlist, element_shape, element_dtype=x.dtype), None


def _stack_shape(
    input_handle: Spec, element_shape: Spec, *, element_dtype: DType, num_elements: int = -1
) -> Dims:
    inner = _element_dims(element_shape)
    return None if inner is None else (None if num_elements < 0 else num_elements, *inner)


@op(
    "TensorListStack",
    "input_handle: variant, element_shape: int32 -> tensor: element_dtype",
    static=("element_shape",),
    shape=_stack_shape,
    watched=0,
)
def _stack(
    xp: Namespace,
    input_handle: Any,
    element_shape: Array,
    *,
    element_dtype: DType,
    num_elements: int = -1,
) -> Array:
    if num_elements >= 0 and len(input_handle) != num_elements:
        want = f"TensorListStack: the list must have {num_elements} elements"
        raise invalid(f"{want}, got {len(input_handle)}.")
    return input_handle.stack(xp, element_dtype, _dims(element_shape))


@RegisterGradient("TensorListStack")
def _stack_grad(op: Any, dtensor: Tensor) -> Gradients:
    return raw_ops.TensorListFromTensor(dtensor, op.inputs[1]), None


def _item_shape(
    input_handle: Spec, index: Spec, element_shape: Spec, *, element_dtype: DType
) -> Dims:
    return _element_dims(element_shape)


@op(
    "TensorListGetItem",
    "input_handle: variant, index: int32, element_shape: Tshape -> item: element_dtype",
    Tshape=INDICES,
    static=("element_shape",),
    shape=_item_shape,
    guard=_IN_LIST,
    watched=0,
)
def _get_item(
    xp: Namespace, input_handle: Any, index: Array, element_shape: Array, *, element_dtype: DType
) -> Array:
    return input_handle.get(xp, index, element_dtype, _dims(element_shape))


@RegisterGradient("TensorListGetItem")
def _get_item_grad(op: Any, ditem: Tensor) -> Gradients:
    handle, index, element_shape = op.inputs
    size = raw_ops.TensorListLength(handle)
    empty = raw_ops.TensorListReserve(element_shape, size, element_dtype=ditem.dtype)
    return raw_ops.TensorListSetItem(empty, index, ditem), None, None


@op(
    "TensorListSetItem",
    "input_handle: variant, index: int32, item: element_dtype -> output_handle: variant",
    shape=scalar,
    guard=_IN_LIST,
)
def _set_item(
    xp: Namespace,
    input_handle: Any,
    index: Array,
    item: Array,
    *,
    resize_if_index_out_of_bounds: bool = False,
) -> Any:
    return input_handle.set(xp, index, item, grow=resize_if_index_out_of_bounds)


@RegisterGradient("TensorListSetItem")
def _set_item_grad(op: Any, dlist: Tensor) -> Gradients:
    _, index, item = op.inputs
    shape = raw_ops.Shape(item)
    ditem = raw_ops.TensorListGetItem(dlist, index, shape, element_dtype=item.dtype)
    rest = raw_ops.TensorListSetItem(dlist, index, raw_ops.ZerosLike(ditem))
    return rest, None, ditem  # zeros stay where the list was shorter before


@op("TensorListLength", "input_handle: variant -> length: int32", shape=scalar, reads="length")
def _length(xp: Namespace, input_handle: Any) -> Array:
    return np.int32(len(input_handle))


no_gradient("TensorListLength")


@op(
    "TensorListElementShape",
    "input_handle: variant -> element_shape: shape_type",
    shape_type=INDICES,
    shape=unknown,
)
def _element_shape(xp: Namespace, input_handle: Any, *, shape_type: DType) -> Array:
    dims = input_handle.dims
    known = -1 if dims is None else [-1 if d is None else d for d in dims]
    return np.array(known, shape_type.np_dtype)


no_gradient("TensorListElementShape")


@op(
    "TensorListPushBack",
    "input_handle: variant, tensor: element_dtype -> output_handle: variant",
    host=True,
    shape=scalar,
)
def _push_back(xp: Namespace, input_handle: TensorList, tensor: Array) -> TensorList:
    return input_handle.with_items((*input_handle.items, tensor))


@RegisterGradient("TensorListPushBack")
def _push_back_grad(op: Any, dlist: Tensor) -> Gradients:
    tensor = op.inputs[1]
    rest, last = raw_ops.TensorListPopBack(dlist, raw_ops.Shape(tensor), element_dtype=tensor.dtype)
    return rest, last


def _pop_shape(input_handle: Spec, element_shape: Spec, *, element_dtype: DType) -> list[Dims]:
    return [(), _element_dims(element_shape)]


@op(
    "TensorListPopBack",
    "input_handle: variant, element_shape: int32 -> output_handle: variant, tensor: element_dtype",
    host=True,
    shape=_pop_shape,
    watched=0,
)
def _pop_back(
    xp: Namespace, input_handle: TensorList, element_shape: Array, *, element_dtype: DType
) -> tuple[TensorList, Array]:
    if not input_handle.items:
        raise invalid("Trying to pop from an empty list. [Op:TensorListPopBack]")
    last = input_handle.get(np, len(input_handle) - 1, element_dtype, _dims(element_shape))
    return input_handle.with_items(input_handle.items[:-1]), last


@RegisterGradient("TensorListPopBack")
def _pop_back_grad(op: Any, dlist: Tensor, dtensor: Tensor) -> Gradients:
    return raw_ops.TensorListPushBack(dlist, dtensor), None


def _gather_shape(
    input_handle: Spec, indices: Spec, element_shape: Spec, *, element_dtype: DType
) -> Dims:
    inner = _element_dims(element_shape)
    count = indices.dims[0] if indices.dims else None
    return None if inner is None else (count, *inner)


@op(
    "TensorListGather",
    "input_handle: variant, indices: int32, element_shape: int32 -> values: element_dtype",
    static=("element_shape",),
    shape=_gather_shape,
    watched=0,
)
def _gather(
    xp: Namespace, input_handle: Any, indices: Array, element_shape: Array, *, element_dtype: DType
) -> Array:
    return input_handle.gather(xp, indices, element_dtype, _dims(element_shape))


@RegisterGradient("TensorListGather")
def _gather_grad(op: Any, dvalues: Tensor) -> Gradients:
    handle, indices, element_shape = op.inputs
    size = raw_ops.TensorListLength(handle)
    rows = raw_ops.UnsortedSegmentSum(dvalues, indices, size)  # an element may be gathered twice
    return raw_ops.TensorListFromTensor(rows, element_shape), None, None


@op(
    "TensorListScatterV2",
    "tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32"
    " -> output_handle: variant",
    shape_type=INDICES,
    static=("element_shape", "num_elements"),
    shape=scalar,
)
def _scatter(
    xp: Namespace, tensor: Array, indices: Array, element_shape: Array, num_elements: Array
) -> Any:
    kind = dtypes.FROM_NUMPY[np.dtype(tensor.dtype)]
    count = int(num_elements)
    if count < 0:
        count = int(np.max(indices)) + 1 if np.size(indices) else 0
    empty = TensorList((None,) * count, kind, _dims(element_shape))
    return empty.scatter(xp, indices, tensor)


@RegisterGradient("TensorListScatterV2")
def _scatter_grad(op: Any, dlist: Tensor) -> Gradients:
    tensor, indices, element_shape, _ = op.inputs
    return (
        raw_ops.TensorListGather(dlist, indices, element_shape, element_dtype=tensor.dtype),
        None,
        None,
        None,
    )


@op(
    "TensorListScatterIntoExistingList",
    "input_handle: variant, tensor: element_dtype, indices: int32 -> output_handle: variant",
    shape=scalar,
)
def _scatter_into(xp: Namespace, input_handle: Any, tensor: Array, indices: Array) -> Any:
    return input_handle.scatter(xp, indices, tensor)


@RegisterGradient("TensorListScatterIntoExistingList")
def _scatter_into_grad(op: Any, dlist: Tensor) -> Gradients:
    _, tensor, indices = op.inputs
    shape = raw_ops.StridedSlice(raw_ops.Shape(tensor), [1], [0], [1], end_mask=1)
    found = raw_ops.TensorListGather(dlist, indices, shape, element_dtype=tensor.dtype)
    rest = raw_ops.TensorListScatterIntoExistingList(dlist, raw_ops.ZerosLike(found), indices)
    return rest, found, None


@op(
    "TensorListResize",
    "input_handle: variant, size: int32 -> output_handle: variant",
    host=True,
    shape=scalar,
)
def _resize(xp: Namespace, input_handle: TensorList, size: Array) -> TensorList:
    count = int(size)
    if count < 0:
        raise bad_value("TensorListResize", want="not be negative", size=count)
    check_room("TensorListResize", (count,), _ITEM)
    return input_handle.with_items(
        (*input_handle.items[:count], *(None,) * (count - len(input_handle)))
    )


@RegisterGradient("TensorListResize")
def _resize_grad(op: Any, dlist: Tensor) -> Gradients:
    return raw_ops.TensorListResize(dlist, raw_ops.TensorListLength(op.inputs[0])), None


def _concat_shape(
    input_handle: Spec, element_shape: Spec, leading_dims: Spec, *, element_dtype: DType
) -> list[Dims]:
    inner = _element_dims(element_shape)
    return [None if inner is None else (None, *inner[1:]), (None,)]


@op(
    "TensorListConcatV2",
    "input_handle: variant, element_shape: shape_type, leading_dims: int64"
    " -> tensor: element_dtype, lengths: int64",
    shape_type=INDICES,
    host=True,
    shape=_concat_shape,
    watched=0,
)
def _concat(
    xp: Namespace,
    input_handle: TensorList,
    element_shape: Array,
    leading_dims: Array,
    *,
    element_dtype: DType,
) -> tuple[Array, Array]:
    dims = _dims(element_shape)
    wanted = _part_dims(input_handle, dims, leading_dims)
    parts = [input_handle.get(np, i, element_dtype, d) for i, d in enumerate(wanted)]
    if any(np.ndim(p) == 0 for p in parts):
        raise bad_shape("TensorListConcatV2", want="have at least one dimension", element=parts[0])
    lengths = np.array([len(p) for p in parts], np.int64)
    inner = tuple(d or 0 for d in (dims or (0,))[1:])
    whole = np.concatenate(parts) if parts else np.zeros((0, *inner), element_dtype.np_dtype)
    return whole, lengths


def _part_dims(parts: TensorList, dims: Dims, leading_dims: Array) -> list[Dims]:
    """The dimensions of each part, of which `leading_dims` has the first if it is not empty."""
    if not len(leading_dims):
        return [dims] * len(parts)
    written = next((np.shape(part) for part in parts.items if part is not None), None)
    known = dims if dims is not None and None not in dims[1:] else written or parts.dims
    return [dims if known is None else (int(size), *known[1:]) for size in leading_dims]


@RegisterGradient("TensorListConcatV2")
def _concat_grad(op: Any, dtensor: Tensor, _: Any) -> Gradients:
    return raw_ops.TensorListSplit(dtensor, op.inputs[1], op.outputs[1]), None, None


def _split_shape(tensor: Spec, element_shape: Spec, lengths: Spec) -> Dims:
    if tensor.dims == ():
        raise bad_shape("TensorListSplit", want="have one dimension at least", tensor=tensor)
    return ()


@op(
    "TensorListSplit",
    "tensor: element_dtype, element_shape: shape_type, lengths: int64 -> output_handle: variant",
    shape_type=INDICES,
    host=True,
    shape=_split_shape,
)
def _split(xp: Namespace, tensor: Array, element_shape: Array, lengths: Array) -> TensorList:
    if int(np.sum(lengths)) != len(tensor):
        raise bad_value("TensorListSplit", want=f"add up to {len(tensor)}", lengths=lengths)
    parts = tuple(np.split(tensor, np.cumsum(lengths)[:-1])) if len(lengths) else ()
    return TensorList(parts, dtypes.FROM_NUMPY[tensor.dtype], _dims(element_shape))


@RegisterGradient("TensorListSplit")
def _split_grad(op: Any, dlist: Tensor) -> Gradients:
    tensor, element_shape, lengths = op.inputs
    found = raw_ops.TensorListConcatV2(dlist, element_shape, lengths, element_dtype=tensor.dtype)
    return found[0], None, None
