"""Every op of the conformance samples, called eagerly on three sizes: which fall behind?

The tables in `tests/samples` have a call for each op. It is made as it stands there, and with
arrays of 64 and 4,000 times as many rows; what an op or a system does not take is left out. So many
jobs run only when asked for, and are listed worst first:

    make bench ARGS="ops --rounds 3"
    python benchmarks/run.py ops --match "LowerBound x64"
"""

from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.jobs import Call, benchmark
from tests.samples import Sample, families, rows
from tests.samples.answers import call_op, tensors_of

TIMES = 1, 64, 4000
_PARAMETERS = 8  # elements; a vector of so few integers says how, not what
_NOT_ALONE = frozenset(  # of programs, of files, of queues and tables, or that print
    "ops_checkpoints ops_debugging ops_graph_only ops_summary ops_tables ops_xla".split()
)


def grown(value: Any, times: int) -> Any:
    """An input with so many times as many rows; what has none, or only says how, as it is."""
    if isinstance(value, list):
        return [grown(each, times) for each in value]
    if not isinstance(value, np.ndarray) or not value.ndim:
        return value
    if value.dtype.kind in "iu" and value.ndim == 1 and value.size <= _PARAMETERS:
        return value
    return np.tile(value, (times, *[1] * (value.ndim - 1)))


def job(row: Sample, times: int) -> None:
    @benchmark(f"{row.op} x{times}")
    def start(tf: ModuleType) -> Call:
        grown_row = replace(row, inputs=tuple(grown(value, times) for value in row.inputs))
        inputs = [tensors_of(tf, value) for value in grown_row.inputs]
        return lambda: call_op(tf, grown_row, inputs)


_seen: set[str] = set()
for _family in families("ops_"):
    for _row in rows(_family) if _family not in _NOT_ALONE else ():
        if isinstance(_row, Sample) and _row.judged and _row.op not in _seen:
            _seen.add(_row.op)
            for _times in TIMES:
                job(_row, _times)
