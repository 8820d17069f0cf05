"""Graphs with so little to do that NumPy is done before XLA has been called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.backend import memory
from runnel.core.state.resource import VariableResource
from runnel.graph.run.program import Node

_FEW = 12  # operations: three dense layers take NumPy 38 µs, and 51 with a call of XLA
_OF_HALVES = 8  # times as long NumPy takes for floats in half precision
_LITTLE = 1 << 20  # multiplications by variables; so many take NumPy no longer than a call of XLA


def is_small(nodes: Sequence[Node]) -> bool:
    """Whether a graph has few operations, none of them for XLA, beside those that read variables.

    Its values may still be large: see `is_little`.
    """
    working = [node for node in nodes if not _only_reads(node)]
    return len(working) <= _FEW and all(
        node.op.lower is None and not (node.op.xla or _makes_much(node) or _works_long(node))
        for node in working
    )


def is_little(values: Sequence[Any], heavy: bool) -> bool:
    """Whether so few operations on such values are not worth a call of XLA.

    The variables of a product may be large as long as few rows are multiplied by them: a model of
    two layers answers for one sample in 13 µs, and in 33 by XLA.
    """
    rows, factors = 1, 0
    for v in values:
        if isinstance(v, VariableResource):
            factors += v.elements
        elif getattr(v, "elements", v.size) > memory.LARGE:
            return False
        elif v.shape:
            rows = max(rows, v.size // max(v.shape[-1], 1))
    return factors <= memory.LARGE or (heavy and rows * factors <= _LITTLE)


def _only_reads(node: Node) -> bool:
    """Whether an operation is but the reading of a variable."""
    return node.op.state == "read" and len(node.ins) == 1


def _makes_much(node: Node) -> bool:
    """Whether an operation is known to have a large output, such as many random numbers."""
    outputs = node.operation.outputs
    sizes = [(t.shape.num_elements(), t.dtype.size == 2 and t.dtype.is_floating) for t in outputs]
    return any(
        n is not None and n * (_OF_HALVES if halves else 1) > memory.LARGE for n, halves in sizes
    )


def _works_long(node: Node) -> bool:
    """Whether an op that knows when it is worth a program says so of inputs of such shapes."""
    shapes = [t.shape for t in node.operation.inputs]
    if node.op.large is memory.is_large or not all(s.is_fully_defined() for s in shapes):
        return False
    dtypes = [t.dtype.as_numpy_dtype for t in node.operation.inputs]
    return node.op.large([np.broadcast_to(np.zeros((), d), s) for s, d in zip(shapes, dtypes)])
