"""`tf.map_fn`, `tf.scan`, `tf.foldl` and `tf.foldr`: loops over the first dimension of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runnel.core.composite.ragged_tensor import count_of
from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scoped import scoped
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import int32
from runnel.core.values.errors import InvalidArgumentError, OutOfRangeError
from runnel.graph.functions.collecting import collector, element, element_spec, first_part
from runnel.graph.functions.control_flow import while_loop
from runnel.ops.resources.tensor_array import TensorArray


def _elements(elems: Any, what: str) -> tuple[list[Tensor], Any]:
    """The tensors to iterate over, and how many elements they have."""
    if (
        not callable(getattr(elems, "numpy", None))
        and nest.is_nested(elems)
        and not nest.flatten(elems)
    ):
        raise ValueError(f"{what}: elems must hold at least one tensor.")
    flat = [_as_element(e) for e in nest.flatten(elems)]
    shapes = [first_part(value).shape for value in flat]
    for tensor, shape in zip(flat, shapes, strict=True):
        if shape.rank == 0:
            raise ValueError(
                f"{what}: elems must have at least one dimension, got the scalar {tensor!r}."
            )
    sizes = {shape[0] for shape in shapes if shape.rank and shape[0] is not None}
    if len(sizes) > 1:
        raise ValueError(f"{what}: elems must have the same first dimension, got {sorted(sizes)}.")
    if sizes:
        return flat, int(sizes.pop())
    return flat, _count(flat[0])


def _as_element(value: Any) -> Any:
    if hasattr(type(value), "_type_spec") and not isinstance(value, Operators):
        return value
    tensor = convert_to_tensor(value)
    if state.graph is None and state.tapes:
        # Taking elements out gives slices as gradients; a view of the whole adds them up.
        return raw_ops.Reshape(tensor, raw_ops.Shape(tensor))
    return tensor


def _count(value: Any) -> Tensor:
    """How many elements there are, where only the graph will know."""
    if isinstance(value, SparseTensor):
        return raw_ops.Cast(value.dense_shape[0], DstT=int32)  # type: ignore[no-any-return]
    return count_of(first_part(value), int32)


def _at(flat: Sequence[Any], elems: Any, index: Any) -> Any:
    """Element `index` of `elems`, in its structure."""
    return nest.pack_sequence_as(elems, [element(t, index) for t in flat])


def _check_function(fn: Any, what: str) -> None:
    if not callable(fn):
        raise TypeError(f"{what}: fn must be callable, got {fn!r}.")


def _loop(cond: Any, body: Any, start: Any, count: Any, back_prop: bool) -> Any:
    return while_loop(cond, body, start, maximum_iterations=count, back_prop=back_prop)


@scoped("map")
def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of each element along the first dimension of `elems`, stacked.

    Args:
        fn: a function of one row.
        elems: a tensor, or a structure of tensors with the same first size.
        dtype: of older versions: `fn_output_signature`.
        parallel_iterations: how many rows may be computed at once.
        back_prop, swap_memory: of TensorFlow 1; without effect.
        infer_shape: whether results are checked to be of one shape.
        fn_output_signature: dtypes or specs of the results, where they are not those of `elems`.

    >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy()
    array([1, 4, 9], dtype=int32)
    """
    _check_function(fn, "tf.map_fn")
    flat, count = _elements(elems, "tf.map_fn")
    kinds = fn_output_signature if fn_output_signature is not None else dtype
    if kinds is None:
        kinds = nest.pack_sequence_as(elems, [element_spec(t) for t in flat])
    collectors = [collector(k, infer_shape=infer_shape) for k in nest.flatten(kinds)]
    arrays = [each.arrays(count) for each in collectors]

    def body(index: Tensor, written: list[list[TensorArray]]) -> Any:
        result = fn(_at(flat, elems, index))
        nest.assert_same_structure(kinds, result)
        values = zip(collectors, nest.flatten(result), strict=True)
        grown = [
            [a.write(index, part) for a, part in zip(group, parts, strict=True)]
            for group, parts in zip(written, [c.parts(v) for c, v in values], strict=True)
        ]
        return index + 1, grown

    start = (convert_to_tensor(0), arrays)
    _, written = _loop(lambda i, _: i < count, body, start, count, back_prop)
    results = [each.result(group) for each, group in zip(collectors, written, strict=True)]
    for result in results:
        _set_first(result, first_part(flat[0]))
    return nest.pack_sequence_as(kinds, results)


def _set_first(tensor: Any, source: Any) -> None:
    """The result has as many rows as the input, which a graph may know."""
    if not hasattr(tensor, "set_shape"):
        return
    if tensor.shape.rank is not None and source.shape.rank is not None:
        tensor.set_shape([source.shape[0], *tensor.shape.as_list()[1:]])


@scoped("foldl")
def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`fn(fn(fn(initializer, elems[0]), elems[1]), ...)`.

    >>> tf.foldl(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])).numpy()
    np.int32(123)
    """
    return _fold("tf.foldl", fn, elems, initializer, back_prop, backwards=False)


@scoped("foldr")
def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`foldl` from the last element to the first."""
    return _fold("tf.foldr", fn, elems, initializer, back_prop, backwards=True)


def _check_some(what: str, count: Any) -> None:
    if constant_value(count) == 0:
        kind = OutOfRangeError if state.graph is None else InvalidArgumentError
        raise kind(None, None, f"{what}: without an initializer `elems` must have some.")


def _fold(
    what: str,
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any,
    back_prop: bool,
    *,
    backwards: bool,
) -> Any:
    _check_function(fn, what)
    flat, count = _elements(elems, what)

    def place(index: Any) -> Any:
        return count - 1 - index if backwards else index

    first = 0
    if initializer is None:
        _check_some(what, count)
        initializer, first = _at(flat, elems, convert_to_tensor(place(0), dtype_hint=int32)), 1
    if state.graph is not None:  # else a number stays weak until `fn` has made a tensor of it
        initializer = nest.map_structure(convert_to_tensor, initializer)
    start = (convert_to_tensor(first), initializer)

    def body(index: Tensor, total: Any) -> Any:
        return index + 1, fn(total, _at(flat, elems, place(index)))

    return _loop(lambda i, _: i < count, body, start, count, back_prop)[1]


@scoped("scan")
def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Like `foldl`, giving all the values on the way, stacked.

    >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)
    """
    _check_function(fn, "tf.scan")
    flat, count = _elements(elems, "tf.scan")

    def place(index: Any) -> Any:
        return count - 1 - index if reverse else index

    first = 0
    total = initializer
    if initializer is None:
        _check_some("tf.scan", count)
        total, first = _at(flat, elems, convert_to_tensor(place(0), dtype_hint=int32)), 1
    total = nest.map_structure(convert_to_tensor, total)
    leaves = nest.flatten(total)
    shapes = [t.shape if infer_shape else None for t in leaves]
    arrays = [
        TensorArray(t.dtype, size=count, element_shape=shape, infer_shape=infer_shape)
        for t, shape in zip(leaves, shapes, strict=True)
    ]
    if first:
        arrays = [a.write(place(0), t) for a, t in zip(arrays, leaves, strict=True)]

    def body(index: Tensor, total: Any, written: list[TensorArray]) -> Any:
        result = fn(total, _at(flat, elems, place(index)))
        nest.assert_same_structure(total, result)
        values = [
            convert_to_tensor(v, dtype_hint=a.dtype)
            for v, a in zip(nest.flatten(result), written, strict=True)
        ]
        grown = [a.write(place(index), v) for a, v in zip(written, values, strict=True)]
        return index + 1, nest.pack_sequence_as(total, values), grown

    start = (convert_to_tensor(first), total, arrays)
    _, _, written = _loop(lambda i, *_: i < count, body, start, count, back_prop)
    stacked = [a.stack() for a in written]
    for tensor in stacked:
        _set_first(tensor, flat[0])
    return nest.pack_sequence_as(total, stacked)
