"""Errors one can read: what is printed for common mistakes, line by line."""

from __future__ import annotations

import json
import traceback
from pathlib import Path

import numpy as np
import pytest

import runnel as tf
from tests.mistakes import MISTAKES, Ending, Mistake, ending

RECORDED = json.loads((Path(__file__).parent / "golden" / "mistakes.json").read_text("utf-8"))
NAMED = ("mistake_in_layer", "wrong_input_shape", "missing_record_file")


@pytest.fixture(scope="module")
def endings(tmp_path_factory) -> dict[str, Ending]:
    folder = str(tmp_path_factory.mktemp("mistakes"))
    with pytest.warns(UserWarning, match="HDF5"):
        return {m.name: ending(m, {"tf": tf, "np": np}, folder) for m in MISTAKES}


def _wrong(mistake: Mistake, end: Ending) -> list[str]:
    unseen = [f"the line {line!r}" for line in mistake.lines if line not in end.printed]
    unsaid = [f"the words {words!r}" for words in mistake.told if words not in end.printed]
    kind = RECORDED[mistake.name]["error"]
    other = [f"a {kind}"] if end.error != kind else []
    missing = unseen + unsaid + other
    return [f"{mistake.name}: {what} expected in\n{end.printed}" for what in missing]


def test_every_mistake_shows_the_users_lines_and_what_to_do(endings):
    wrong = [text for m in MISTAKES for text in _wrong(m, endings[m.name])]
    assert not wrong, "\n".join(wrong)


def test_stacks_are_short(endings):
    assert len(MISTAKES) == 64
    assert all(endings[name].length <= 25 for name in NAMED)
    ours = sum(end.length for end in endings.values())
    assert ours < 0.6 * sum(row["lines"] for row in RECORDED.values())


def test_lines_of_the_library_can_be_had():
    tf.debugging.disable_traceback_filtering()
    try:
        with pytest.raises(ValueError, match="incompatible") as raised:
            tf.keras.losses.categorical_crossentropy(tf.ones([2]), tf.ones([2, 3]))
    finally:
        tf.debugging.enable_traceback_filtering()
    assert "_check_shapes" in "".join(traceback.format_exception(raised.value))
