"""Generators of random numbers that belong to a strategy: each replica has a stream of its own.

They have one state, of which each replica has a copy that goes on as it draws. Its key is mixed
with the number of the replica.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, raw_ops
from runnel.core.op.context import state
from runnel.core.state.variable import VariableAggregation, VariableSynchronization
from runnel.core.values.dtypes import int64, uint64
from runnel.kernels.random import philox
from runnel.kernels.random.seeds import COUNTER_SIZES, Algorithm
from runnel.ops.random.streams import STATE_SIZE

_STATELESS = {
    "StatefulUniform": "StatelessRandomUniformV2",
    "StatefulStandardNormalV2": "StatelessRandomNormalV2",
    "StatefulTruncatedNormal": "StatelessTruncatedNormalV2",
    "StatefulUniformInt": "StatelessRandomUniformIntV2",
    "StatefulUniformFullInt": "StatelessRandomUniformFullIntV2",
}


def of_replicas() -> OfReplicas | None:
    """What a generator made here has to know of its strategy; None under the default one."""
    context = _context()
    return None if context is None else OfReplicas(context.strategy)


def _context() -> Any:
    context = state.strategies[-1] if state.strategies else None
    return None if context is None or context.strategy._is_default else context


class OfReplicas:
    """How the replicas of a strategy share a generator."""

    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy
        extended = strategy.extended
        self._in_copies = extended._count > 1 and extended._processes == 1

    @property
    def kinds(self) -> dict[str, Any]:
        """How its state is a variable, which replicas read and write without the others."""
        if not self._in_copies:
            return {}
        return {
            "synchronization": VariableSynchronization.ON_READ,
            "aggregation": VariableAggregation.ONLY_FIRST_REPLICA,
        }

    def skipped(self, variable: Any, steps: Tensor, algorithm: Algorithm) -> Any:
        """The state before `steps` numbers were left out."""
        self._replica()
        if not self._in_copies:
            return raw_ops.RngReadAndSkip(variable.handle, np.int32(algorithm.value), steps)
        before = variable.read_value()
        variable.assign(_moved(before, steps, algorithm))
        missing = np.zeros(max(0, STATE_SIZE - before.shape[0]), np.int64)
        return raw_ops.ConcatV2([before, missing], np.int32(0)) if len(missing) else before

    def stream(self, before: Tensor, algorithm: Algorithm) -> tuple[Tensor, Tensor]:
        """The key and the counter of the numbers that are drawn from a state."""
        size = COUNTER_SIZES[algorithm]
        words = raw_ops.Bitcast(before, type=uint64)
        counter, key = words[:size], words[size : size + 1]
        replica = self._replica()
        if replica is not None:
            number = raw_ops.Cast(replica.replica_id_in_sync_group, DstT=uint64)
            key = raw_ops.StatelessRandomUniformFullIntV2(
                np.ones(1, np.int32),
                key,
                raw_ops.Pack([number, np.uint64(0)])[:size],
                np.int32(algorithm.value),
                dtype=uint64,
            )
        return key, counter

    def stateless(self, op: Any) -> Any:
        """The op that draws from a stream what another draws from a state."""
        if op.name not in _STATELESS:
            raise NotImplementedError(
                f"{op.name} draws from the state itself, which a generator that was made under a "
                "strategy has for each replica. Make it outside of the scope."
            )
        return getattr(raw_ops, _STATELESS[op.name])

    def _replica(self) -> Any:
        """The replica that asks; None across replicas. RuntimeError under another strategy."""
        context = _context()
        if context is None:
            return None
        if context.strategy is not self._strategy:
            raise RuntimeError(
                f"Strategies cannot be mixed: a generator that was made under {self._strategy} is "
                f"used under {context.strategy}"
            )
        return context.replica


def _moved(before: Tensor, steps: Tensor, algorithm: Algorithm) -> Tensor:
    """The state after so many numbers."""
    words = raw_ops.Bitcast(before, type=uint64)
    low = words[:1] + steps * np.uint64(philox.STEPS_PER_OUTPUT)  # which are ThreeFry's as well
    parts = [low, words[1:]]
    if algorithm is Algorithm.PHILOX:  # whose counter has a second word
        carry = raw_ops.Cast(raw_ops.Less(low, words[:1]), DstT=uint64)
        parts = [low, words[1:2] + carry, words[2:]]
    return raw_ops.Bitcast(raw_ops.ConcatV2(parts, np.int32(0)), type=int64)  # type: ignore[no-any-return]
