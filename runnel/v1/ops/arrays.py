"""Functions on arrays whose parameters were others: `expand_dims`, `squeeze`, `where` …"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import runnel as tf
from runnel.core.gradients import graph_gradients
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike
from runnel.graph.functions import control_flow
from runnel.ops.array import constants, padding, shaping
from runnel.v1.ops.arguments import either


def constant(
    value: TensorLike,
    dtype: DTypeLike = None,
    shape: ShapeLike = None,
    name: str | None = "Const",
    verify_shape: bool = False,
) -> tf.Tensor:
    """A tensor of given values, the last of which fills up a larger shape."""
    made = tf.constant(value, dtype, None, name or "Const") if shape is None else None
    if made is not None:
        return made
    whole = tf.constant(value, dtype)
    flat = whole.numpy().ravel() if hasattr(whole, "numpy") else whole.constant_value().ravel()  # type: ignore[attr-defined]
    wanted = [int(n) for n in shape]  # type: ignore[union-attr,arg-type]
    if verify_shape and list(whole.shape) != wanted:
        raise TypeError(f"constant: expected a value of shape {wanted}, got {whole.shape}.")
    return tf.constant(_filled(flat, wanted), whole.dtype, None, name or "Const")


def _filled(flat: Any, shape: Sequence[int]) -> Any:
    count = int(np.prod(shape))
    if flat.size > count:
        raise ValueError(f"constant: {flat.size} values are too many for the shape {list(shape)}.")
    return np.concatenate([flat, np.repeat(flat[-1:], count - flat.size)]).reshape(shape)


def convert_to_tensor(
    value: Any,
    dtype: DTypeLike = None,
    name: str | None = None,
    preferred_dtype: DTypeLike = None,
    dtype_hint: DTypeLike = None,
) -> tf.Tensor:
    """A value as a tensor."""
    hint = either("convert_to_tensor", "dtype_hint", dtype_hint, "preferred_dtype", preferred_dtype)
    return tf.convert_to_tensor(value, dtype, hint, name)


def expand_dims(
    input: TensorLike, axis: Any = None, name: str | None = None, dim: Any = None
) -> tf.Tensor:
    """With a dimension of length 1 more."""
    axis = either("expand_dims", "axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("expand_dims: `axis` says where the new dimension is to be.")
    return shaping.expand_dims(input, axis, name)


def squeeze(
    input: TensorLike, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> tf.Tensor:
    """Without dimensions of length 1."""
    axis = either("squeeze", "axis", axis, "squeeze_dims", squeeze_dims)
    return shaping.squeeze(input, axis, name)


def transpose(
    a: TensorLike, perm: Any = None, name: str | None = "transpose", conjugate: bool = False
) -> tf.Tensor:
    """With its dimensions in another order."""
    return shaping.transpose(a, perm, conjugate, name or "transpose")


def shape(input: TensorLike, name: str | None = None, out_type: DTypeLike = None) -> tf.Tensor:
    """The shape as a tensor."""
    return shaping.shape(input, tf.int32 if out_type is None else out_type, name)


def size(input: TensorLike, name: str | None = None, out_type: DTypeLike = None) -> tf.Tensor:
    """The number of elements."""
    return shaping.size(input, tf.int32 if out_type is None else out_type, name)


def zeros_like(
    tensor: TensorLike, dtype: DTypeLike = None, name: str | None = None, optimize: bool = True
) -> tf.Tensor:
    """Zeros in the shape of another tensor."""
    return constants.zeros_like(tensor, dtype, name)


def ones_like(
    tensor: TensorLike, dtype: DTypeLike = None, name: str | None = None, optimize: bool = True
) -> tf.Tensor:
    """Ones in the shape of another tensor."""
    return constants.ones_like(tensor, dtype, name)


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> tf.Tensor:
    """With elements around it."""
    return padding.pad(tensor, paddings, mode, constant_values, name)


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> tf.Tensor:
    """Slices of `params` by their numbers."""
    return tf.gather(params, indices, validate_indices, axis, batch_dims, name)


def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    name: str | None = None,
    batch_dims: int = 0,
    bad_indices_policy: str = "",
) -> tf.Tensor:
    """Elements or slices of `params` by their places."""
    return tf.gather_nd(params, indices, batch_dims, name, bad_indices_policy)


def boolean_mask(
    tensor: TensorLike, mask: TensorLike, name: str | None = "boolean_mask", axis: Any = None
) -> tf.Tensor:
    """The slices whose place in a mask is true."""
    return tf.boolean_mask(tensor, mask, axis, name or "boolean_mask")


def where(
    condition: TensorLike, x: TensorLike = None, y: TensorLike = None, name: str | None = None
) -> tf.Tensor:
    """`x` where the condition holds, else `y`; a vector of conditions chooses rows.

    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy().tolist()
    [[1, 2], [7, 8]]
    """
    if x is None and y is None:
        return tf.where(condition, name=name)
    if x is None or y is None:
        raise ValueError("where: `x` and `y` must both be given, or neither.")
    return raw_ops.Select(condition=condition, x=x, y=y, name=name)  # type: ignore[no-any-return]


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """What one of two functions returns; a list of one element is that element, unless `strict`."""
    true_fn = either("cond", "true_fn", true_fn, "fn1", fn1)
    false_fn = either("cond", "false_fn", false_fn, "fn2", fn2)
    if not (callable(true_fn) and callable(false_fn)):
        raise TypeError("cond: `true_fn` and `false_fn` must be functions.")
    found = control_flow.cond(pred, true_fn, false_fn, name)
    single = isinstance(found, (list, tuple)) and len(found) == 1
    return found[0] if single and not strict else found


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeats a body while a condition holds; one variable comes back as itself."""
    found = control_flow.while_loop(
        cond,
        body,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        back_prop,
        swap_memory,
        maximum_iterations,
        name,
    )
    single = isinstance(found, (list, tuple)) and len(found) == 1
    return found[0] if single and not return_same_structure else found


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = None,
) -> list[Any]:
    """The derivatives of sums of `ys` by `xs`, as operations of the graph."""
    options: dict[str, Any] = {}
    if unconnected_gradients is not None:
        options["unconnected_gradients"] = unconnected_gradients
    if aggregation_method not in (None, *vars(tf.AggregationMethod).values()):
        raise ValueError(f"gradients: unknown `aggregation_method` {aggregation_method!r}.")
    return graph_gradients.gradients(
        ys, xs, grad_ys, name, gate_gradients, None, stop_gradients, **options
    )


def name_scope(name: str | None, default_name: str | None = None, values: Any = None) -> Any:
    """A prefix for names; `default_name` counts where `name` is None."""
    title = default_name if name is None else name
    if title is None and values is not None:
        raise ValueError("name_scope: `name` and `default_name` are both None.")
    return tf.name_scope(title or "")


def op_scope(values: Any, name: str | None, default_name: str | None = None) -> Any:
    """An older order of the arguments of `name_scope`."""
    return name_scope(name, default_name, values)


def device(device_name_or_function: Any) -> Any:
    """Where the operations inside stand, by a name or by a function of an operation."""
    if state.graph is None:
        return tf.device(device_name_or_function)
    return state.graph.device(device_name_or_function)


def py_func(
    func: Callable[..., Any],
    inp: Sequence[Any],
    Tout: Any,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """What a function of NumPy arrays returns when the operation runs."""
    return tf.numpy_function(func, inp, Tout, stateful, name)
