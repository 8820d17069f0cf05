"""Programs in the shape of TensorFlow's tutorials on several workers, and its answers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import runnel as tf
from tests.distribute.processes import run_together

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE.parent / "golden" / "tutorials.json").read_text())


@pytest.mark.parametrize("name", GOLDEN)
def test_two_workers_answer_what_tensorflows_do(name: str, tmp_path: Path) -> None:
    program = (HERE / "tutorials" / f"{name}.py").read_text()
    said = run_together(program, 2, str(tmp_path))
    parts = "\n".join(said).split("ANSWER ")[1:]  # two may write to the same line
    answers = [json.JSONDecoder().raw_decode(part)[0] for part in parts]
    assert sorted(number for number, _ in answers) == [0, 1]
    for _, answer in answers:
        tf.nest.map_structure(_assert_close, answer, GOLDEN[name])


def _assert_close(got: object, want: object) -> None:
    if isinstance(want, str):
        assert got == want
    else:
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)  # type: ignore[call-overload]
