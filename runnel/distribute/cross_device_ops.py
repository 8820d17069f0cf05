"""`CrossDeviceOps`: how values of replicas are reduced where they do not run as one program.

Within a compiled step XLA chooses how devices exchange values, whatever is asked for here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runnel.core.settings.device import device as device_scope
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.distribute.reductions import ReduceOp, as_value, divided, reduce_op, reduced, values_of
from runnel.distribute.values import Mirrored

_kind = reduce_op


class CrossDeviceOps:
    """How values of replicas become one; subclasses say it by `reduce_implementation`."""

    def __init__(self) -> None:
        pass

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: Any = None
    ) -> Any:
        """The sum or the mean of the values of all replicas."""
        return self.reduce_implementation(
            _kind(reduce_op), per_replica_value, destinations, options
        )

    def batch_reduce(
        self, reduce_op: Any, value_destination_pairs: Sequence[Any], options: Any = None
    ) -> list[Any]:
        """Several reductions."""
        return self.batch_reduce_implementation(_kind(reduce_op), value_destination_pairs, options)

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """One value for several devices."""
        return self.broadcast_implementation(tensor, destinations)

    def reduce_implementation(
        self, reduce_op: ReduceOp, per_replica_value: Any, destinations: Any, options: Any
    ) -> Any:
        """What `reduce` does."""
        values = values_of(per_replica_value)
        return reduced(reduce_op, (per_replica_value,) if values is None else values)

    def batch_reduce_implementation(
        self, reduce_op: ReduceOp, value_destination_pairs: Sequence[Any], options: Any
    ) -> list[Any]:
        """What `batch_reduce` does."""
        pairs = value_destination_pairs
        return [self.reduce_implementation(reduce_op, v, d, options) for v, d in pairs]

    def broadcast_implementation(self, tensor: Any, destinations: Any) -> Any:
        """What `broadcast` does."""
        values = values_of(destinations)
        return tensor if values is None else Mirrored([tensor] * len(values))


class ReductionToOneDevice(CrossDeviceOps):
    """Values are added up on one device, by `accumulation_fn` (`tf.add_n`)."""

    def __init__(
        self,
        reduce_to_device: str | None = None,
        accumulation_fn: Callable[[list[Any]], Any] | None = None,
    ) -> None:
        super().__init__()
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn

    def reduce_implementation(
        self, reduce_op: ReduceOp, per_replica_value: Any, destinations: Any, options: Any
    ) -> Any:
        if self.reduce_to_device is None:
            return self._sum(reduce_op, per_replica_value)
        with device_scope(self.reduce_to_device):
            return self._sum(reduce_op, per_replica_value)

    def _sum(self, kind: ReduceOp, value: Any) -> Any:
        parts = values_of(value)
        parts = (value,) if parts is None else parts
        sliced = any(isinstance(part, IndexedSlices) for part in parts)
        if self.accumulation_fn is None or sliced:
            return reduced(kind, parts)
        total = as_value(self.accumulation_fn([as_value(part) for part in parts]))
        return total if kind is ReduceOp.SUM else divided(total, len(parts))


class _AllReduce(CrossDeviceOps):
    """Values are added up everywhere; `num_packs` is for those who exchange packs of them."""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(
                f"{type(self).__name__}: `num_packs` must not be negative, got {num_packs}"
            )
        super().__init__()
        self._num_packs = num_packs


class NcclAllReduce(_AllReduce):
    """Values are added up by the library of the devices."""


class HierarchicalCopyAllReduce(_AllReduce):
    """Values are added up within groups of devices, and then between these."""
