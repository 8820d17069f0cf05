"""Gradients of some rows that are gathered in a graph until enough of them are there."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

import runnel as tf
from runnel.core.op.op import execute
from runnel.core.state.resource import Resource
from runnel.core.values.deadlines import wait_for
from runnel.core.values.errors import invalid
from runnel.core.values.types import Array, DTypeLike, ShapeLike, TensorLike
from runnel.graph.build.reference_ops import GraphOp
from runnel.v1.input.accumulators import ConditionalAccumulatorBase


class _Rows(Resource):
    """Rows of gradients of one step, added up by their indices until somebody takes them."""

    def __init__(self, dtype: Any, shape: Any, reduction: str) -> None:
        super().__init__()
        self.dtype, self._shape, self._reduction = dtype, shape, reduction
        self._changed = threading.Condition(self.lock)
        self._step = 0
        self._clear()

    def _clear(self) -> None:
        self.count = 0
        self._rows: dict[int, list[Any]] = {}  # their sum, and how many they are
        self._dense: Any = None

    def apply(self, step: int, indices: Array, values: Array, shape: Array) -> None:
        """Add rows, unless they are of an older step."""
        self._check(indices, values, shape)
        with self._changed:
            if step < self._step:
                return
            for index, row in zip(indices.tolist(), values, strict=True):
                held = self._rows.get(index)
                self._rows[index] = [row, 1] if held is None else [held[0] + row, held[1] + 1]
            self._dense = self._dense if self._dense is not None and not shape.size else shape
            self.count += 1
            self._changed.notify_all()

    def _check(self, indices: Array, values: Array, shape: Array) -> None:
        if values.ndim < 1 or indices.shape[0] != values.shape[0]:
            raise invalid(
                f"The {len(indices)} indices and the values of shape {values.shape} do not match."
            )
        if not self._shape.is_compatible_with([None, *values.shape[1:]]):
            raise invalid(f"The rows must fit the shape {self._shape}, got {values.shape}.")
        if shape.size and not self._shape.is_compatible_with(shape.tolist()):
            raise invalid(f"The gradient must have the shape {self._shape}, got {shape}.")
        for row in self._rows.values():
            if row[0].shape != values.shape[1:]:
                raise invalid(f"The rows must have the shape {row[0].shape}, got {values.shape}.")

    def set_step(self, step: int) -> None:
        with self._changed:
            self._step = max(step, self._step)

    def take(self, required: int) -> tuple[Array, Array, Array]:
        """The mean or sum of each row, when as many gradients are there as are required."""
        if required < 1:
            raise invalid(f"`num_required` must be positive, got {required}.")
        with self._changed:
            wait_for(self._changed, lambda: self.count >= required)
            rows, shape = dict(sorted(self._rows.items())), self._dense
            self._clear()
            self._step += 1
        mean = self._reduction == "MEAN"
        values = np.array([total / n if mean else total for total, n in rows.values()])
        if not shape.size:
            dims = self._shape._dims
            known = (None, *values.shape[1:]) if dims is None else dims
            shape = np.array([-1 if n is None else n for n in known])
        kind = self.dtype.np_dtype
        return np.array([*rows], np.int64), values.astype(kind), shape.astype(np.int64)


def _make(
    xp: Any,
    *,
    dtype: Any,
    shape: Any,
    container: str = "",
    shared_name: str = "",
    reduction_type: str = "MEAN",
) -> _Rows:
    return _Rows(dtype, shape, reduction_type)


def _apply(
    xp: Any,
    handle: _Rows,
    local_step: Array,
    gradient_indices: Array,
    gradient_values: Array,
    gradient_shape: Array,
    *,
    has_known_shape: bool,
) -> None:
    shape = gradient_shape if has_known_shape else np.zeros(0, np.int64)
    handle.apply(int(local_step), gradient_indices, gradient_values, shape)


def _take(xp: Any, handle: _Rows, num_required: Array, *, dtype: Any) -> Any:
    return handle.take(int(num_required))


def _count(xp: Any, handle: _Rows) -> Array:
    return np.asarray(handle.count, np.int32)


def _set_step(xp: Any, handle: _Rows, new_global_step: Array) -> None:
    handle.set_step(int(new_global_step))


def _shapes(*inputs: Any, **attrs: Any) -> Any:
    return [(None,)], [None], [(None,)]


_SCALAR: Any = {"shape": lambda *inputs, **attrs: (), "effects": "queues"}
_MAKE = GraphOp("SparseConditionalAccumulator", "-> handle: resource", _make, **_SCALAR)
_APPLY = GraphOp(
    "SparseAccumulatorApplyGradient",
    "handle: resource, local_step: int64, gradient_indices: int64, gradient_values: dtype, "
    "gradient_shape: int64 ->",
    _apply,
    **_SCALAR,
)
_TAKE = GraphOp(
    "SparseAccumulatorTakeGradient",
    "handle: resource, num_required: int32 -> indices: int64, values: dtype, shape: int64",
    _take,
    shape=_shapes,
    effects="queues",
)
_COUNT = GraphOp(
    "AccumulatorNumAccumulated", "handle: resource -> num_accumulated: int32", _count, **_SCALAR
)
_STEP = GraphOp(
    "AccumulatorSetGlobalStep", "handle: resource, new_global_step: int64 ->", _set_step, **_SCALAR
)


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Adds up rows of gradients, and gives their means when as many gradients are there as asked.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     gathered = tf.compat.v1.SparseConditionalAccumulator(tf.float32, shape=[4, 1])
    ...     one = gathered.apply_grad([0, 2], [[1.0], [2.0]])
    ...     two = gathered.apply_grad([2, 3], [[4.0], [8.0]])
    ...     session.run([one, two])
    ...     taken = session.run(gathered.take_indexed_slices_grad(2))
    ...     taken.indices.tolist(), taken.values.ravel().tolist()
    [None, None]
    ([0, 2, 3], [1.0, 3.0, 8.0])
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeLike = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        if reduction_type not in ("MEAN", "SUM"):
            raise ValueError(
                "SparseConditionalAccumulator: `reduction_type` is MEAN or SUM, got "
                f"{reduction_type!r}."
            )
        attrs = {"dtype": tf.as_dtype(dtype), "shape": tf.TensorShape(shape), "container": ""}
        attrs |= {"shared_name": shared_name or "", "reduction_type": reduction_type}
        super().__init__(dtype, shape, execute(_MAKE, (), attrs, name))

    def num_accumulated(self, name: str | None = None) -> Any:
        """How many gradients are there."""
        title = name or f"{self.name.rpartition('/')[2]}_NumAccumulated"
        return execute(_COUNT, (self._ref,), {}, title)

    def set_global_step(self, new_global_step: TensorLike, name: str | None = None) -> Any:
        """Drop gradients of older steps than this one from now on; it never falls."""
        return execute(_STEP, (self._ref, tf.cast(new_global_step, tf.int64)), {}, name)

    def apply_indexed_slices_grad(
        self, grad: Any, local_step: TensorLike = 0, name: str | None = None
    ) -> Any:
        """Add the gradient that `tf.gradients` gives for gathered rows; the operation."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self,
        grad_indices: TensorLike,
        grad_values: TensorLike,
        grad_shape: TensorLike = None,
        local_step: TensorLike = 0,
        name: str | None = None,
    ) -> Any:
        """Add rows of a gradient that was computed in a step; the operation."""
        values = tf.convert_to_tensor(grad_values, self._dtype)
        known = tf.zeros([0], tf.int64) if grad_shape is None else grad_shape
        given = (
            self._ref,
            tf.cast(local_step, tf.int64),
            tf.cast(grad_indices, tf.int64),
            values,
            tf.cast(known, tf.int64),
        )
        return execute(_APPLY, given, {"has_known_shape": grad_shape is not None}, name)

    def take_grad(self, num_required: TensorLike, name: str | None = None) -> Any:
        """Wait for so many gradients: indices, values and dense shape. The step goes on by one."""
        count = tf.convert_to_tensor(num_required, tf.int32)
        return execute(_TAKE, (self._ref, count), {"dtype": self._dtype}, name)

    def take_indexed_slices_grad(self, num_required: TensorLike, name: str | None = None) -> Any:
        """The same as a `tf.IndexedSlices`."""
        found = self.take_grad(num_required, name)
        return tf.IndexedSlices(found.values, found.indices, found.shape)
