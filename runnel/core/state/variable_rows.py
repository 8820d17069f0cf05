"""Writing and reading some rows of a variable, by their indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.gradients.variable_reads import note_read
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import DType
from runnel.core.values.types import TensorLike


def _by_slices(name: str, op: Callable[[], Any]) -> Any:
    def scatter(
        self: Any, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        _check_slices(sparse_delta)
        delta = sparse_delta
        return self._scatter(op(), delta.indices, delta.values, name)

    scatter.__name__ = name
    return scatter


def _by_indices(name: str, op: Callable[[], Any]) -> Any:
    def scatter(
        self: Any, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Any:
        return self._scatter(op(), indices, updates, name)

    scatter.__name__ = name
    return scatter


def _check_slices(sparse_delta: Any) -> None:
    if not hasattr(sparse_delta, "indices") or not hasattr(sparse_delta, "values"):
        raise TypeError(f"sparse_delta must be a tf.IndexedSlices, got {sparse_delta!r}.")


class VariableRows:
    """Part of `Variable`: the methods that take indices."""

    _handle: EagerTensor
    _dtype: DType
    value: Any
    assign: Any
    _written: Any

    def _scatter(self, op: Any, indices: TensorLike, updates: TensorLike, name: str | None) -> Any:
        op(self._handle, indices, convert_to_tensor(updates, dtype=self._dtype), name=name)
        return self._written()

    scatter_add = _by_slices("scatter_add", lambda: raw_ops.ResourceScatterAdd)
    scatter_sub = _by_slices("scatter_sub", lambda: raw_ops.ResourceScatterSub)
    scatter_mul = _by_slices("scatter_mul", lambda: raw_ops.ResourceScatterMul)
    scatter_div = _by_slices("scatter_div", lambda: raw_ops.ResourceScatterDiv)
    scatter_min = _by_slices("scatter_min", lambda: raw_ops.ResourceScatterMin)
    scatter_max = _by_slices("scatter_max", lambda: raw_ops.ResourceScatterMax)
    scatter_update = _by_slices("scatter_update", lambda: raw_ops.ResourceScatterUpdate)
    scatter_nd_add = _by_indices("scatter_nd_add", lambda: raw_ops.ResourceScatterNdAdd)
    scatter_nd_sub = _by_indices("scatter_nd_sub", lambda: raw_ops.ResourceScatterNdSub)
    scatter_nd_update = _by_indices("scatter_nd_update", lambda: raw_ops.ResourceScatterNdUpdate)
    scatter_nd_max = _by_indices("scatter_nd_max", lambda: raw_ops.ResourceScatterNdMax)
    scatter_nd_min = _by_indices("scatter_nd_min", lambda: raw_ops.ResourceScatterNdMin)

    def batch_scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """`scatter_update` for each entry of the leading dimensions of the indices."""
        _check_slices(sparse_delta)
        value, indices = self.value(), convert_to_tensor(sparse_delta.indices)
        updated = raw_ops.Identity(value)
        grid = np.indices(tuple(int(d or 0) for d in indices.shape))[:-1]
        axes = [raw_ops.Cast(raw_ops.Identity(g), DstT=indices.dtype) for g in grid]
        full = raw_ops.Pack([*axes, indices], axis=-1)
        return self.assign(
            raw_ops.TensorScatterUpdate(updated, full, sparse_delta.values), name=name
        )

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The rows that `indices` name; the gradient is `tf.IndexedSlices`."""
        note_read(self)
        gather, name = raw_ops.ResourceGather, name or "Gather"
        return gather(self._handle, indices, dtype=self._dtype, name=name)  # type: ignore[no-any-return]

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        note_read(self)
        gather, name = raw_ops.ResourceGatherNd, name or "GatherNd"
        return gather(self._handle, indices, dtype=self._dtype, name=name)  # type: ignore[no-any-return]
