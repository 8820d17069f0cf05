"""The shape of a tensor, asked for and changed: `tf.shape`, `tf.reshape`, `tf.transpose` …"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.op.context import state
from runnel.core.tensor.convert import emit, operand, unread
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.vectors import shape_tensor
from runnel.core.values.dtypes import DType, as_dtype, int32, int64
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import (
    Array,
    Dims,
    DTypeLike,
    Gradients,
    Namespace,
    ShapeLike,
    Spec,
    TensorLike,
)
from runnel.ops.choices import at_least
from runnel.ops.shapes import scalar

WIDE = frozenset({int32, int64})
"""The dtypes of shapes and axes."""


def entries(spec: Spec) -> Dims:
    """What is known of the elements of an integer vector, such as the `shape` of a reshape."""
    if spec.value is not None:
        return tuple(int(v) for v in np.ravel(spec.value))
    if spec.partial is not None:
        return spec.partial
    if spec.dims and spec.dims[0] is not None:
        return (None,) * spec.dims[0]
    return None


def index_tensor(value: TensorLike, name: str | None = None) -> Any:
    """A shape, axis or count as an integer tensor; `[]` too, which by itself would be floats."""
    if isinstance(value, Operators):
        return value
    if type(value) is float:
        raise TypeError(f"An axis, a size or a shape must be an integer, got {value}.")
    hint = None if _is_long(value) else int32
    return convert_to_tensor(value, dtype_hint=hint, name=name)


def index_operand(value: TensorLike) -> Any:
    """`index_tensor`, but in a graph for an op to make a constant of, named after its input."""
    if state.graph is None or isinstance(value, Operators) or type(value) is float:
        return index_tensor(value)
    if isinstance(value, list | tuple) and value and all(type(size) is float for size in value):
        raise TypeError(f"Sizes must be integers, got {value}.")
    try:
        return operand(value, None if _is_long(value) else int32)
    except (TypeError, ValueError):
        return operand(value)


def _is_long(value: Any) -> bool:
    """Whether there are sizes that need 64 bits; a conversion to 32 would cut them."""
    if isinstance(value, list | tuple):
        return any(map(_is_long, value))
    return type(value) is int and bool(abs(value) >> 31)


def one_axis(op_name: str, axis: Any, rank: int) -> int:
    """An axis counted from the front, after a check that it is there."""
    if type(axis) is int or np.shape(axis) == ():
        found = int(axis)
    elif np.size(axis) == 1:
        found = int(np.reshape(axis, ()))
    else:
        raise bad_shape(op_name, want="be a single number", axis=axis)
    if not -rank <= found < rank:
        raise bad_value(op_name, want=f"be in [{-rank}, {rank})", axis=found)
    return found % rank


def _shape_rule(input: Spec, **attrs: Any) -> Dims:
    return (input.rank,)


@op("Shape", "input: T -> output: out_type", out_type=WIDE, shape=_shape_rule, reads="shape")
def _shape(xp: Namespace, input: Array, *, out_type: DType = int32) -> Array:
    return np.array(
        input.shape, out_type.np_dtype
    )  # also in a compiled graph, where it is a constant


no_gradient("Shape")


def shape(input: TensorLike, out_type: DTypeLike = None, name: str | None = None) -> Tensor:
    """The shape of `input` as a tensor, known when it runs even where `input.shape` is not.

    Args:
        input: a tensor, or what can become one.
        out_type: int32 or int64.

    >>> tf.shape(tf.zeros([2, 3])).numpy()
    array([2, 3], dtype=int32)
    """
    if isinstance(input, SparseTensor):
        return raw_ops.Cast(input.dense_shape, DstT=out_type or int32, name=name)  # type: ignore[no-any-return]
    kind = out_type or int32
    known = _known(input, _full_dims, kind, name or "Shape")
    return raw_ops.Shape(input, out_type=kind, name=name) if known is None else known  # type: ignore[no-any-return]


def _full_dims(shape: TensorShape) -> Dims:
    return shape._dims if shape.is_fully_defined() else None


def _known(
    input: TensorLike, find: Callable[[TensorShape], Any], kind: DTypeLike, name: str
) -> Tensor | None:
    """What can be found in the shape of a graph's tensor, as a constant; else None."""
    if state.graph is None or not isinstance(input, Tensor) or input._from_outside:
        return None
    dtype = as_dtype(kind)
    if dtype not in WIDE:
        return None
    found = find(input.shape)
    return None if found is None else emit(np.array(found, dtype.np_dtype), name, dtype)


def _shapes_rule(input: list[Spec], **attrs: Any) -> list[Any]:
    return [[(spec.rank,) for spec in input]]


@op(
    "ShapeN",
    "input: N*T -> output: N*out_type",
    N=at_least(1),
    out_type=WIDE,
    shape=_shapes_rule,
    reads="shape",
)
def _shape_n(xp: Namespace, input: list[Array], *, out_type: DType = int32) -> list[Array]:
    return [np.array(x.shape, out_type.np_dtype) for x in input]


no_gradient("ShapeN")


def shape_n(
    input: Sequence[TensorLike], out_type: DTypeLike = int32, name: str | None = None
) -> list[Tensor]:
    """The shape of each tensor of a list.

    >>> [s.numpy().tolist() for s in tf.shape_n([tf.zeros([2]), tf.zeros([3, 4])])]
    [[2], [3, 4]]
    """
    if isinstance(input, list | tuple) and not input:
        raise bad_value("ShapeN", want="hold a tensor at least", input=input)
    return raw_ops.ShapeN(input, out_type=out_type, name=name)  # type: ignore[no-any-return]


@op("Size", "input: T -> output: out_type", out_type=WIDE, shape=scalar, reads="size")
def _size(xp: Namespace, input: Array, *, out_type: DType = int32) -> Array:
    return np.array(math.prod(input.shape), out_type.np_dtype)


no_gradient("Size")


def size(input: TensorLike, out_type: DTypeLike = None, name: str | None = None) -> Tensor:
    """The number of elements.

    Args:
        input: a tensor, or what can become one.
        out_type: int32 or int64.

    >>> tf.size(tf.zeros([2, 3])).numpy()
    np.int32(6)
    """
    if isinstance(input, SparseTensor):
        count = raw_ops.Prod(input.dense_shape, np.array([0], np.int32))
        return raw_ops.Cast(count, DstT=out_type or int32, name=name)  # type: ignore[no-any-return]
    kind = as_dtype(out_type or int32)
    if kind not in WIDE:  # TensorFlow's op gives these alone, but what is known is any number
        found = convert_to_tensor(input).shape.num_elements()
        if found is not None:
            return convert_to_tensor(np.asarray(found), dtype=kind, name=name)
    known = _known(input, TensorShape.num_elements, kind, name or "Size")
    return raw_ops.Size(input, out_type=kind, name=name) if known is None else known  # type: ignore[no-any-return]


@op("Rank", "input: T -> output: int32", shape=scalar, reads="rank")
def _rank(xp: Namespace, input: Array) -> Array:
    return np.array(len(input.shape), np.int32)


no_gradient("Rank")


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of dimensions.

    Args:
        input: a tensor, or what can become one.

    >>> tf.rank(tf.zeros([2, 3])).numpy()
    np.int32(2)
    """
    if isinstance(input, SparseTensor):
        return raw_ops.Size(input.dense_shape, name=name)  # type: ignore[no-any-return]
    known = _known(input, lambda shape: shape.rank, int32, name or "Rank")
    return raw_ops.Rank(input, name=name) if known is None else known  # type: ignore[no-any-return]


def _reshaped(tensor: Spec, shape: Spec) -> Dims:
    if shape.dims is not None and len(shape.dims) > 1:
        raise bad_shape("Reshape", want="have rank 1", shape=shape)
    wanted = entries(shape)
    if wanted is None:
        return None
    if wanted.count(-1) > 1 or any(d is not None and d < -1 for d in wanted):
        raise bad_value("Reshape", want="hold sizes, of which one may be -1", shape=shape.value)
    if tensor.dims is None or None in tensor.dims:
        return tuple(None if d == -1 else d for d in wanted)
    unknown = [i for i, d in enumerate(wanted) if d is None or d == -1]
    if len(unknown) > 1:
        return tuple(None if d == -1 else d for d in wanted)
    size = math.prod(tensor.dims)  # type: ignore[arg-type]
    missing = _missing(tensor.dims, wanted) if unknown else 1
    full = tuple(missing if i in unknown else d for i, d in enumerate(wanted))
    if math.prod(full) != size:  # type: ignore[arg-type]
        raise bad_shape(
            "Reshape", want=f"have as many elements as the shape {list(wanted)}", tensor=tensor
        )
    return full


def _missing(dims: Any, wanted: Any) -> int:
    """What -1 stands for; beside a 0, sizes of 0 are left out on both sides, as in TensorFlow."""
    rest = [d for d in wanted if d is not None and d != -1]
    if 0 not in rest:
        return int(math.prod(dims) // math.prod(rest))
    return int(math.prod(d for d in dims if d) // math.prod(d for d in rest if d))


@op(
    "Reshape",
    "tensor: T, shape: Tshape[1] -> output: T",
    Tshape=WIDE,
    static=("shape",),
    shape=_reshaped,
    moves=True,
)
def _reshape(xp: Namespace, tensor: Array, shape: np.ndarray) -> Array:
    dims = tuple(shape.tolist() if shape.ndim else (int(shape),))
    if dims and min(dims) < -1:
        raise bad_value("Reshape", want="hold sizes, of which one may be -1", shape=shape)
    if 0 in dims and -1 in dims:
        dims = tuple(_missing(tensor.shape, dims) if d == -1 else d for d in dims)
    return tensor.reshape(dims)


@RegisterGradient("Reshape", needs="")
def _reshape_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.Reshape(dy, shape_tensor(op.inputs[0])), None


def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The same elements in another shape; one size may be -1, which stands for what is left.

    Args:
        tensor: the tensor.
        shape: the shape of the result, as a list or a tensor.

    Raises:
        InvalidArgumentError: the number of elements differs.

    >>> tf.reshape([[1, 2, 3], [4, 5, 6]], [3, -1]).numpy()
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)
    """
    return raw_ops.Reshape(tensor, index_operand(shape), name=name)  # type: ignore[no-any-return]


def _expanded(input: Spec, axis: Spec) -> Dims:
    if input.dims is None:
        return None
    if axis.value is None:
        return (None,) * (len(input.dims) + 1)
    place = one_axis("ExpandDims", axis.value, len(input.dims) + 1)
    return (*input.dims[:place], 1, *input.dims[place:])


@op(
    "ExpandDims",
    "input: T, axis=dim: Tdim -> output: T",
    Tdim=WIDE,
    static=("axis",),
    shape=_expanded,
    moves=True,
)
def _expand_dims(xp: Namespace, input: Array, axis: np.ndarray) -> Array:
    place = one_axis("ExpandDims", axis, len(input.shape) + 1)
    return input.reshape((*input.shape[:place], 1, *input.shape[place:]))


@RegisterGradient("ExpandDims", needs="")
def _expand_dims_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.Reshape(dy, shape_tensor(op.inputs[0])), None


def expand_dims(input: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """`input` with a dimension of size 1 put in at `axis`.

    >>> tf.expand_dims([1, 2, 3], axis=-1).shape
    TensorShape([3, 1])
    """
    if not hasattr(axis, "_dtype") and not isinstance(axis, str):
        axis = operand(axis, int32)
    return raw_ops.ExpandDims(input, axis, name=name)  # type: ignore[no-any-return]


def _squeezed(input: Spec, *, axis: tuple[int, ...] = ()) -> Dims:
    if input.dims is None:
        return None
    if not axis:
        return None if None in input.dims else tuple(d for d in input.dims if d != 1)
    places = [one_axis("Squeeze", a, len(input.dims)) for a in axis]
    for place in places:
        if input.dims[place] not in (None, 1):
            raise bad_shape("Squeeze", want=f"have size 1 in dimension {place}", input=input)
    return tuple(d for i, d in enumerate(input.dims) if i not in places)


@op("Squeeze", "input: T -> output: T", shape=_squeezed, moves=True)
def _squeeze(xp: Namespace, input: Array, *, axis: tuple = ()) -> Array:  # type: ignore[type-arg]
    places = (
        tuple({a % len(input.shape): a for a in axis}.values()) if axis and input.shape else axis
    )
    return xp.squeeze(input, axis=places or None)


@RegisterGradient("Squeeze", needs="")
def _squeeze_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.Reshape(dy, shape_tensor(op.inputs[0]))  # type: ignore[no-any-return]


def squeeze(input: TensorLike, axis: Any = None, name: str | None = None) -> Tensor:
    """`input` without its dimensions of size 1, or without those that `axis` names.

    >>> tf.squeeze(tf.zeros([1, 3, 1])).shape
    TensorShape([3])
    """
    axes = [] if axis is None else np.atleast_1d(np.asarray(constant_value(axis))).tolist()
    return raw_ops.Squeeze(input, axis=axes, name=name)  # type: ignore[no-any-return]


def _transposed(x: Spec, perm: Spec, *, op_name: str) -> Dims:
    if perm.dims is not None and len(perm.dims) != 1:
        raise bad_shape(op_name, want="have rank 1", perm=perm)
    order = entries(perm)
    if x.dims is None:
        return None if order is None else (None,) * len(order)
    if order is None or None in order:
        if perm.dims is not None and perm.dims[0] not in (None, len(x.dims)):
            raise bad_shape(op_name, want=f"have {len(x.dims)} elements", perm=perm)
        return (None,) * len(x.dims)
    places = [int(i or 0) % max(len(x.dims), 1) for i in order]
    if sorted(places) != list(range(len(x.dims))):
        raise bad_value(
            op_name, want=f"be a permutation of 0 to {len(x.dims) - 1}", perm=perm.value
        )
    return tuple(x.dims[i] for i in places)


_TRANSPOSED: Any = {"Tperm": WIDE, "shape": _transposed, "static": ("perm",)}


@op(
    "Transpose",
    "x: T, perm: Tperm -> y: T",
    moves=True,
    default_name="transpose",
    scope="transpose",
    **_TRANSPOSED,
)
def _transpose(xp: Namespace, x: Array, perm: np.ndarray) -> Array:
    return xp.transpose(x, tuple(perm.tolist()))


@op("ConjugateTranspose", "x: T, perm: Tperm -> y: T", **_TRANSPOSED)
def _conjugate_transpose(xp: Namespace, x: Array, perm: np.ndarray) -> Array:
    turned = xp.transpose(x, tuple(perm.tolist()))
    return xp.conj(turned) if np.dtype(x.dtype).kind == "c" else turned


def _inverse(perm: Tensor) -> Any:
    known = constant_value(perm)
    if known is None or (state.graph is not None and known.min(initial=0) >= 0):
        return raw_ops.InvertPermutation(perm)
    return np.argsort(known % known.size).astype(np.int32)


@RegisterGradient("Transpose", needs="perm")
def _transpose_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.Transpose(dy, _inverse(op.inputs[1])), None


@RegisterGradient("ConjugateTranspose", needs="perm")
def _conjugate_transpose_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.ConjugateTranspose(dy, _inverse(op.inputs[1])), None


def transpose(
    a: TensorLike, perm: TensorLike = None, conjugate: bool = False, name: str = "transpose"
) -> Tensor:
    """`a` with its dimensions in the order `perm`; without one, in reverse.

    Args:
        a: a tensor.
        perm: the new order of the axes.
        conjugate: whether complex elements are conjugated too.

    >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy()
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)
    """
    x = unread(a)
    turn = raw_ops.ConjugateTranspose if conjugate and x.dtype.is_complex else raw_ops.Transpose
    if perm is None:
        perm = reversed_axes(x)
    return turn(x, index_operand(perm), name=name)  # type: ignore[no-any-return]


def reversed_axes(x: Tensor) -> Any:
    """The axes of `x` from the last to the first."""
    if x.ndim is not None:
        return np.arange(x.ndim - 1, -1, -1, dtype=np.int32)
    last = raw_ops.Sub(raw_ops.Rank(x), np.int32(1))
    return raw_ops.Range(last, np.int32(-1), np.int32(-1))


def _ensured(input: Spec, *, shape: TensorShape) -> Dims:
    if not input.shape.is_compatible_with(shape):
        raise bad_shape("EnsureShape", want=f"be compatible with {shape}", input=input)
    return input.shape.merge_with(shape)._dims


@op("EnsureShape", "input: T -> output: T", shape=_ensured)
def _ensure_shape(xp: Namespace, input: Array, *, shape: TensorShape) -> Array:
    if not TensorShape(input.shape).is_compatible_with(shape):
        raise bad_shape("EnsureShape", want=f"be compatible with {shape}", input=input)
    return input


@RegisterGradient("EnsureShape", needs="", slices=True)
def _ensure_shape_grad(op: Any, dy: Tensor) -> Gradients:
    return dy


def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """`x` itself, with a check when it runs that its shape is compatible with `shape`.

    >>> tf.ensure_shape([[1, 2]], [None, 2]).numpy()
    array([[1, 2]], dtype=int32)
    """
    return raw_ops.EnsureShape(x, shape=TensorShape(shape), name=name)  # type: ignore[no-any-return]
