"""Small programs that mean the same in TensorFlow and here, with TensorFlow's answers.

A file `cases_<subject>.py` holds functions of one argument, the module (`tensorflow` or `runnel`).
`make_cases.py` records what they return under TensorFlow, or the class of the error they raise, and
how many warnings they log; a test runs them again.
"""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.expressions import of_this_python

HERE = Path(__file__).parent
Case = Callable[[Any], Any]


def cases(subject: str) -> dict[str, Case]:
    """The functions of `cases_<subject>.py` by name, in order."""
    module = importlib.import_module(f"tests.golden.cases_{subject}")
    own = [f for f in vars(module).values() if getattr(f, "__module__", None) == module.__name__]
    return {
        f.__name__: f
        for f in own
        if callable(f) and not f.__name__.startswith("_") and not isinstance(f, type)
    }


class _Counter(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        # That objects are deleted before their values were restored is told when Python collects
        # them, which may be in the middle of another case.
        self.count += "deleted" not in record.getMessage()


def answer(case: Case, tf: Any) -> dict[str, Any]:
    """What the case returns, as plain data, or the class of its error, and how often it warned."""
    counter = _Counter()
    logger = logging.getLogger("tensorflow")
    logger.addHandler(counter)
    try:
        found: dict[str, Any] = {"result": plain(case(tf))}
    except Exception as error:
        found = {"error": type(error).__name__, "message": str(error)[:200]}
    finally:
        logger.removeHandler(counter)
    return {**found, "warnings": counter.count}


def plain(value: Any) -> Any:
    """A nest of tensors, slices and Python values as JSON can hold it."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if type(value).__name__ in ("IndexedSlices", "IndexedSlicesValue"):
        return {"values": plain(value.values), "indices": plain(value.indices)}
    if type(value).__name__ == "RaggedTensor":
        return {"flat_values": plain(value.flat_values), "row_splits": plain(value.row_splits)}
    if type(value).__name__ == "SparseTensor":
        return {"values": plain(value.values), "sparse_indices": plain(value.indices)}
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    if array.dtype.kind == "c":
        return {"dtype": array.dtype.name, "value": [array.real.tolist(), array.imag.tolist()]}
    wide = array.astype(np.float64) if array.dtype.kind not in "iubOSU" else array
    return {"dtype": array.dtype.name, "value": wide.tolist()}


def record(subject: str, tf: Any) -> None:
    answers = {name: answer(case, tf) for name, case in cases(subject).items()}
    for name, found in answers.items():
        if "error" in found:
            print(f"{subject} {name}: {found['error']}: {found.pop('message')}")
    (HERE / f"cases_{subject}.json").write_text(json.dumps(answers, indent=1) + "\n")


def recorded(subject: str) -> dict[str, dict[str, Any]]:
    answers: dict[str, dict[str, Any]] = json.loads((HERE / f"cases_{subject}.json").read_text())
    return answers


def assert_answer(case: Case, tf: Any, want: dict[str, Any], *, warnings: bool = True) -> None:
    """Run a case and compare it with the recorded answer; also the number of `warnings`."""
    got = answer(case, tf)
    if "error" in want:
        assert got.get("error") == want["error"], f"TensorFlow: {want['error']}; got {got}"
        return
    assert "error" not in got, f"{got['error']}: {got['message']}"
    assert_same(got["result"], want["result"], "result")
    assert not warnings or got["warnings"] == want["warnings"], (
        f"{got['warnings']} warnings, TensorFlow {want['warnings']}"
    )


def assert_same(got: Any, want: Any, where: str) -> None:
    assert type(got) is type(want), f"{where}: {got!r}, TensorFlow {want!r}"
    if isinstance(want, dict) and "dtype" in want:
        assert got["dtype"] == want["dtype"], f"{where}: {got!r}, TensorFlow {want!r}"
        assert np.shape(got["value"]) == np.shape(want["value"]), (
            f"{where}: {got!r}, TensorFlow {want!r}"
        )
        if want["dtype"] == "object":
            assert got["value"] == want["value"]
        else:
            close = {"float16": 2e-3, "bfloat16": 2e-2, "float64": 1e-9}.get(want["dtype"], 2e-5)
            np.testing.assert_allclose(
                got["value"], want["value"], rtol=close, atol=close, err_msg=where
            )
    elif isinstance(want, dict):
        assert got.keys() == want.keys(), f"{where}: {got!r}, TensorFlow {want!r}"
        for key in want:
            assert_same(got[key], want[key], f"{where}[{key!r}]")
    elif isinstance(want, list):
        assert len(got) == len(want), f"{where}: {got!r}, TensorFlow {want!r}"
        for i, (a, b) in enumerate(zip(got, want, strict=True)):
            assert_same(a, b, f"{where}[{i}]")
    else:
        want = of_this_python(want) if isinstance(want, str) else want
        assert got == want, f"{where}: {got!r}, TensorFlow {want!r}"
