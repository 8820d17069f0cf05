"""`tf.compat.v1.set_random_seed`: the seed of the default graph."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.graph.session.default import process_graph
from runnel.ops.random.seeds import get_seed as get_seed


def set_random_seed(seed: Any) -> None:
    """Give the default graph a seed, and ops that run at once another beginning."""
    if state.graph is None:
        process_graph().seed = seed
    tf.random.set_seed(seed)
