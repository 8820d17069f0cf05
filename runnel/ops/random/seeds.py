"""The seeds of stateful random ops: the global one, and those that each op is given."""

from __future__ import annotations

from typing import Any

from runnel.backend import configuration
from runnel.core.op.context import state
from runnel.core.state.owned_state import forget_owned_states
from runnel.kernels.random import seeds


def set_seed(seed: Any) -> None:
    """Make all random functions that follow give numbers which this seed decides.

    While a graph is built, the seed is that of the graph alone.

    Args:
        seed: an integer.

    >>> tf.random.set_seed(1)
    >>> first = tf.random.uniform([2])
    >>> tf.random.set_seed(1)
    >>> bool(tf.reduce_all(first == tf.random.uniform([2])))
    True
    """
    if state.graph is not None:
        state.graph.seed = seed
        return
    seeds.global_seed.set(seed)
    forget_owned_states()


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The pair of seeds of an op that has the seed `op_seed`, or none, by the rules of TensorFlow.

    >>> tf.random.set_seed(1)
    >>> from runnel.ops.random.seeds import get_seed
    >>> get_seed(7)
    (1, 7)
    """
    graph = state.graph
    if graph is None:
        pair = seeds.seed_pair(seeds.global_seed.value, op_seed, seeds.global_seed.next_op_seed)
    else:
        pair = seeds.seed_pair(graph.seed, op_seed, graph.op_seeds.next_op_seed)
        graph.op_seeds.given = op_seed is not None
    if pair == (None, None) and configuration.op_determinism:
        raise RuntimeError(
            "Random ops need a seed when op determinism is enabled: call tf.random.set_seed, or "
            "give the op one."
        )
    return pair


def seed_attrs(op_seed: int | None) -> dict[str, Any]:
    """The attributes `seed` and `seed2` of an op."""
    seed, seed2 = get_seed(op_seed)
    return {"seed": seed or 0, "seed2": seed2 or 0}
