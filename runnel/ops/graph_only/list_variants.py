"""Older and rarer ops on lists of tensors, and variants of the parts of a composite value."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, no_gradient, op, raw_ops
from runnel.core.protos import messages
from runnel.core.tensor.tensor_list import TensorList
from runnel.core.values.dtypes import FROM_NUMPY, INDICES, DType
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.ops.shapes import same, scalar

_NO_LENGTHS = np.zeros(0, np.int64)


def _as_vector(shape: TensorShape) -> np.ndarray:
    """A shape as list ops take it: -1 for sizes that are not known, or for all."""
    if shape.rank is None:
        return np.asarray(-1, np.int32)
    return np.array([-1 if d is None else d for d in shape.as_list()], np.int32)


def _concat_shape(
    input_handle: Spec, *, element_dtype: DType, element_shape: TensorShape
) -> list[Dims]:
    dims = None if element_shape.rank is None else (None, *element_shape.as_list()[1:])
    return [dims, (None,)]


@op(
    "TensorListConcat",
    "input_handle: variant -> tensor: element_dtype, lengths: int64",
    host=True,
    shape=_concat_shape,
)
def _concat(
    xp: Namespace,
    input_handle: TensorList,
    *,
    element_dtype: DType,
    element_shape: TensorShape = TensorShape(None),  # noqa: B008
) -> Any:
    run = raw_ops.TensorListConcatV2.kernel
    shape = _as_vector(element_shape)
    return run(xp, input_handle, shape, _NO_LENGTHS, element_dtype=element_dtype)


@RegisterGradient("TensorListConcat")
def _concat_grad(op: Any, dtensor: Tensor, _: Any) -> Gradients:
    shape = raw_ops.TensorListElementShape(op.inputs[0], shape_type=np.int32)
    return raw_ops.TensorListSplit(dtensor, shape, op.outputs[1])


@op(
    "TensorListScatter",
    "tensor: element_dtype, indices: int32, element_shape: shape_type -> output_handle: variant",
    shape_type=INDICES,
    static=("element_shape",),
    host=True,
    shape=scalar,
)
def _scatter(xp: Namespace, tensor: Array, indices: Array, element_shape: Array) -> Any:
    if (np.asarray(indices) < 0).any():
        message = f"TensorListScatter: indices must not be negative, got {indices}."
        raise InvalidArgumentError(None, None, message)
    run = raw_ops.TensorListScatterV2.kernel
    return run(xp, tensor, indices, element_shape, np.int32(-1))


@RegisterGradient("TensorListScatter")
def _scatter_grad(op: Any, dlist: Tensor) -> Gradients:
    tensor, indices, element_shape = op.inputs
    shape = raw_ops.Cast(element_shape, DstT=np.int32)
    found = raw_ops.TensorListGather(dlist, indices, shape, element_dtype=tensor.dtype)
    return found, None, None


def _lists(value: Any) -> list[Any]:
    """The lists in a variant tensor of any shape."""
    return list(np.asarray(value, object).ravel()) if isinstance(value, np.ndarray) else [value]


def _boxed(lists: list[Any], like: Any) -> Any:
    """Lists in a variant tensor of the shape of another."""
    if not isinstance(like, np.ndarray):
        return lists[0]
    boxes = np.empty(len(lists), object)
    boxes[:] = lists
    return boxes.reshape(like.shape)


@op(
    "TensorListConcatLists",
    "input_a: variant, input_b: variant -> output: variant",
    host=True,
    shape=same,
)
def _concat_lists(xp: Namespace, input_a: Any, input_b: Any, *, element_dtype: DType) -> Any:
    pairs = zip(_lists(input_a), _lists(input_b), strict=True)
    return _boxed([_joined(a, b, element_dtype) for a, b in pairs], input_a)


def _joined(a: TensorList, b: TensorList, dtype: DType) -> TensorList:
    if a.dtype is not dtype or b.dtype is not dtype:
        message = f"TensorListConcatLists: the lists must hold {dtype.name}, got "
        raise InvalidArgumentError(None, None, f"{message}{a.dtype.name} and {b.dtype.name}.")
    return a.with_items((*a.items, *b.items))


@op(
    "TensorListPushBackBatch",
    "input_handles: variant, tensor: element_dtype -> output_handles: variant",
    host=True,
    shape=same,
)
def _push_back_batch(xp: Namespace, input_handles: Any, tensor: Array) -> Any:
    shape = np.shape(input_handles) if isinstance(input_handles, np.ndarray) else ()
    lists = _lists(input_handles)
    if not shape or np.shape(tensor)[: len(shape)] != shape:
        message = f"TensorListPushBackBatch: `tensor` must begin with the dimensions {shape} of "
        raise InvalidArgumentError(None, None, f"{message}the lists, got {np.shape(tensor)}.")
    rows = np.asarray(tensor).reshape(len(lists), *np.shape(tensor)[len(shape) :])
    dtype = FROM_NUMPY[rows.dtype]
    if any(held.dtype is not dtype for held in lists):
        message = f"TensorListPushBackBatch: the lists do not hold {dtype.name}."
        raise InvalidArgumentError(None, None, message)
    pushed = [held.with_items((*held.items, row)) for held, row in zip(lists, rows, strict=True)]
    return _boxed(pushed, input_handles)


no_gradient("TensorListConcatLists")
no_gradient("TensorListPushBackBatch")


class Composite:
    """The tensors that a composite value is made of, with what its type spec says."""

    shape = ()
    size = 1

    def __init__(self, spec: Any, components: list[Array]) -> None:
        self.spec = spec
        self.components = components


def _spec_in(op_name: str, metadata: str) -> Any:
    content = metadata.encode("utf-8", "surrogateescape")
    try:
        return messages.CompositeTensorVariantMetadata.FromString(content).type_spec_proto
    except Exception:
        message = f"{op_name}: `metadata` is no message of the kind that it must be."
        raise InvalidArgumentError(None, None, message) from None


@op(
    "CompositeTensorVariantFromComponents",
    "components: *Tcomponents -> encoded: variant",
    host=True,
    shape=scalar,
)
def _from_components(xp: Namespace, components: list[Array], *, metadata: str) -> Composite:
    return Composite(_spec_in("CompositeTensorVariantFromComponents", metadata), components)


def _components_shape(
    encoded: Spec, *, metadata: str, Tcomponents: tuple[DType, ...]
) -> list[list[Dims]]:
    return [[None] * len(Tcomponents)]


@op(
    "CompositeTensorVariantToComponents",
    "encoded: variant -> components: *Tcomponents",
    host=True,
    shape=_components_shape,
)
def _to_components(
    xp: Namespace, encoded: Any, *, metadata: str, Tcomponents: tuple[DType, ...]
) -> list[list[Array]]:
    name = "CompositeTensorVariantToComponents"
    if not isinstance(encoded, Composite):
        raise InvalidArgumentError(None, None, f"{name}: the variant holds no composite value.")
    wanted = _spec_in(name, metadata)
    if wanted.type_spec_class != encoded.spec.type_spec_class:
        message = f"{name}: the variant holds a value of another type than `metadata` says."
        raise InvalidArgumentError(None, None, message)
    found = [FROM_NUMPY[np.asarray(c).dtype] for c in encoded.components]
    if found != list(Tcomponents):
        names = [d.name for d in found]
        message = f"{name}: the components have the dtypes {names}, not {Tcomponents}."
        raise InvalidArgumentError(None, None, message)
    return [list(encoded.components)]


@RegisterGradient("CompositeTensorVariantFromComponents", needs="")
def _from_components_grad(op: Any, dencoded: Tensor) -> Gradients:
    how = {key: op.attrs[key] for key in ("metadata", "Tcomponents")}
    return raw_ops.CompositeTensorVariantToComponents(dencoded, **how)  # type: ignore[no-any-return]


@RegisterGradient("CompositeTensorVariantToComponents", needs="outputs")
def _to_components_grad(op: Any, *dcomponents: Tensor | None) -> Gradients:
    make = raw_ops.CompositeTensorVariantFromComponents
    pairs = zip(dcomponents, op.outputs, strict=True)
    arriving = [raw_ops.ZerosLike(output) if d is None else d for d, output in pairs]
    return make(arriving, metadata=op.attrs["metadata"])  # type: ignore[no-any-return]
