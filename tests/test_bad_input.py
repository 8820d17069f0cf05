"""Bad calls of the public functions: TensorFlow's outcome, and no error of NumPy or Python.

The calls are in tests/samples/bad_input.py, the differences that remain in bad_input_deviations.py.
"""

from __future__ import annotations

import functools
import json
import pathlib
import re

import numpy as np
import pytest

import runnel as tf
from tests.samples.bad_input import accepted, cases, run
from tests.samples.bad_input_deviations import DEVIATIONS
from tests.samples.good_calls import GOOD, Case
from tests.samples.good_calls_rare import RARE
from tests.tables import table

pytestmark = [
    pytest.mark.smoke,
    pytest.mark.skipif(
        np.lib.NumpyVersion(np.__version__) < "2.4.0",
        reason="older NumPy takes arrays of one element for numbers",
    ),
]

ANSWERS = json.loads((pathlib.Path(__file__).parent / "golden" / "bad_input.json").read_text())
SYMBOLS = sorted({case.symbol for case in (*GOOD, *RARE)})
ALLOWED = (tf.errors.OpError, TypeError, ValueError, NotImplementedError)

# The words of Python, NumPy and JAX themselves, which say nothing of the op or the argument.
RAW = re.compile(
    r"^(invalid literal for|int\(\) argument|'.*' object |object of type|unsupported operand"
    r"|'[<>=]+' not supported|unhashable|tuple index|list index|list indices|tuple indices"
    r"|The truth value of|setting an array|only (0-dimensional|integer|length-1)|ufunc "
    r"|cannot reshape|operands could not|axis .* is out of bounds|index .* is out of bounds"
    r"|could not (convert|broadcast)|too many indices|integer (division|modulo)|not enough values"
    r"|too many values|Unable to allocate|name '.*' is not|cannot unpack|Python integer )"
)


@functools.cache
def _cases() -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in cases():
        found.setdefault(case.symbol, []).append(case)
    return found


def _namespace(symbol: str) -> str:
    return symbol.rpartition(".")[0] or "tf"


@table("symbol", SYMBOLS, by=_namespace)
def test_outcome_is_tensorflows(symbol: str) -> None:
    answers = ANSWERS[symbol]
    assert {case.id for case in _cases()[symbol]} == set(answers), "run make_bad_input.py"
    wrong = []
    for case in _cases()[symbol]:
        theirs, (ours, error) = answers[case.id], run(tf, case)
        if ours != theirs and not accepted(symbol, case.id, theirs, ours):
            wrong.append(f"{case.id}: TensorFlow {theirs}, here {ours} ({error})")
        if error is not None:
            wrong += _faults(case, theirs, error)
    assert not wrong, "\n".join(wrong)


def _faults(case: Case, theirs: str, error: BaseException) -> list[str]:
    """What is wrong with an error by itself: its class, or a message that explains nothing."""
    found = []
    has_too = isinstance(error, LookupError | AttributeError) and type(error).__name__ == theirs
    if not isinstance(error, ALLOWED) and not has_too:
        found.append(f"{case.id}: {type(error).__name__} must not reach a user: {error}")
    module = type(error).__module__
    if not module.startswith(("builtins", "runnel")):
        found.append(f"{case.id}: an error of {module}: {error}")
    if not str(error).strip() or RAW.match(str(error)):
        found.append(f"{case.id}: the message explains nothing: {error!r}")
    return found


@table("symbol", sorted({s for group in DEVIATIONS.values() for s in group}), by=_namespace)
def test_deviations_that_agree_leave_the_list(symbol: str) -> None:
    by_id = {case.id: case for case in _cases()[symbol]}
    listed = [id for group in DEVIATIONS.values() for id in group.get(symbol, ())]
    settled = [id for id in listed if run(tf, by_id[id])[0] == ANSWERS[symbol][id]]
    assert not settled


def test_every_listed_difference_is_a_case() -> None:
    known = {(case.symbol, case.id) for group in _cases().values() for case in group}
    listed = {
        (symbol, id)
        for functions in DEVIATIONS.values()
        for symbol, ids in functions.items()
        for id in ids
    }
    assert listed <= known
