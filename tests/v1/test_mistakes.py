"""Mistakes in programs of TensorFlow 1 end with TensorFlow's class of error, and say which name."""

import json
from pathlib import Path

import pytest

import runnel as tf
from tests.golden.v1_mistakes import mistakes, outcome
from tests.tables import table

WANTED = json.loads((Path(__file__).parents[1] / "golden/v1_mistakes.json").read_text())


@pytest.mark.filterwarnings("ignore")
@table("mistake", mistakes(), ids=lambda mistake: mistake.name)
def test_a_mistake_ends_as_it_does_in_tensorflow(mistake):
    kind, message = outcome(mistake.program, tf.compat.v1)
    wanted = mistake.ours or WANTED[mistake.name]
    assert kind == ("" if wanted == "none" else wanted), message
    assert not [words for words in mistake.told if words not in message], message
