"""Reference variables make the graphs that they make in TensorFlow, and give the same numbers."""

import json
from pathlib import Path

import pytest

import runnel as tf
from tests.golden.v1_references import PROGRAMS
from tests.v1.test_training import close

WANTED = json.loads((Path(__file__).parents[1] / "golden/v1_references.json").read_text())


@pytest.fixture(autouse=True)
def references():
    tf.compat.v1.disable_resource_variables()
    tf.compat.v1.disable_control_flow_v2()
    yield
    tf.compat.v1.enable_resource_variables()
    tf.compat.v1.enable_control_flow_v2()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_what_it_does_in_tensorflow(name):
    with tf.Graph().as_default():
        found = PROGRAMS[name](tf.compat.v1)
    assert found == close(WANTED[name])
