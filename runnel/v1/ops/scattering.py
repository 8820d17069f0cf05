"""Changes of some rows of variables: `scatter_add` and its like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import TensorLike
from runnel.graph.functions.reference_variable import ReferenceVariable


class _Changed(tf.Variable):
    """A variable as a change outside graphs gives it: the operation of the change is None."""

    op = None  # type: ignore[assignment]

    @classmethod
    def of(cls, ref: Any) -> Any:
        made = object.__new__(cls)
        made.__dict__ = ref.__dict__
        return made


def _scatter(ref: Any, op: Any, indices: TensorLike, updates: TensorLike, name: Any) -> Any:
    """Change rows of a variable; in a graph, what then reads it."""
    if not isinstance(ref, tf.Variable):
        raise TypeError(f"{op.name}: `ref` must be a variable, got {ref!r}.")
    if isinstance(ref, ReferenceVariable):
        return ref.scatter(op, indices, updates, name)
    indices = tf.convert_to_tensor(indices, name="indices")
    updates = tf.convert_to_tensor(updates, ref.dtype, name="updates")
    done = op(ref.handle, indices, updates, name=name)
    if done is None:
        return _Changed.of(ref)
    with tf.control_dependencies([done]):
        return ref.read_value()


def scatter_update(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replace rows of a variable."""
    return _scatter(ref, raw_ops.ResourceScatterUpdate, indices, updates, name)


def scatter_nd_update(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replace elements or slices of a variable."""
    return _scatter(ref, raw_ops.ResourceScatterNdUpdate, indices, updates, name)


def _changing(op: Any, what: str) -> Callable[..., Any]:
    def change(
        ref: Any,
        indices: TensorLike,
        updates: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Any:
        return _scatter(ref, op, indices, updates, name)

    change.__doc__ = f"{what} of a variable."
    return change


scatter_add = _changing(raw_ops.ResourceScatterAdd, "Add to rows")
scatter_sub = _changing(raw_ops.ResourceScatterSub, "Subtract from rows")
scatter_mul = _changing(raw_ops.ResourceScatterMul, "Multiply rows")
scatter_div = _changing(raw_ops.ResourceScatterDiv, "Divide rows")
scatter_min = _changing(raw_ops.ResourceScatterMin, "Take the smaller of an update and rows")
scatter_max = _changing(raw_ops.ResourceScatterMax, "Take the larger of an update and rows")
scatter_nd_add = _changing(raw_ops.ResourceScatterNdAdd, "Add to elements or slices")
scatter_nd_sub = _changing(raw_ops.ResourceScatterNdSub, "Subtract from elements or slices")


def batch_scatter_update(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replace rows in each element of a batch that a variable holds."""
    with tf.name_scope(name or "batch_scatter_update"):
        indices = tf.convert_to_tensor(indices)
        dims = indices.shape.as_list()
        grid = [tf.range(n) for n in dims[:-1]]
        places = tf.meshgrid(*grid, tf.range(dims[-1]), indexing="ij")[:-1]
        full = tf.stack([*[tf.cast(p, indices.dtype) for p in places], indices], axis=-1)
        return scatter_nd_update(ref, full, updates, use_locking)


def count_up_to(ref: Any, limit: int, name: str | None = None) -> tf.Tensor:
    """The value of a variable before it is increased by 1; OutOfRangeError at `limit`."""
    handle = ref.handle
    return raw_ops.ResourceCountUpTo(resource=handle, limit=limit, T=ref.dtype, name=name)
