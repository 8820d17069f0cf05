"""Queues, hooks, supervisors and checkpoints do in TensorFlow 1's programs what they do there."""

import json
from pathlib import Path

import pytest

import runnel as tf
from tests.golden.v1_training import PROGRAMS

WANTED = json.loads((Path(__file__).parents[1] / "golden/v1_training.json").read_text())


def close(value):
    """A nest in which numbers are compared as nearly equal."""
    if isinstance(value, list):
        return [close(v) for v in value]
    return pytest.approx(value, rel=1e-5) if isinstance(value, float) else value


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_what_it_does_in_tensorflow(name, tmp_path):
    with tf.Graph().as_default():
        found = PROGRAMS[name](tf.compat.v1, str(tmp_path))
    assert found == close(WANTED[name])
