"""Programs of TensorFlow 1 in its own mode make the graphs that they make in TensorFlow, and give
the same numbers: with reference variables, and with rarer parts of the library.
"""

import json
from pathlib import Path

import pytest

import runnel as tf
from tests.golden import v1_rarer, v1_references
from tests.v1.test_training import close

GOLDEN = Path(__file__).parents[1] / "golden"
NAMES = ("v1_references", "v1_rarer")
WANTED = {k: v for n in NAMES for k, v in json.loads((GOLDEN / f"{n}.json").read_text()).items()}
PROGRAMS = {**v1_references.PROGRAMS, **v1_rarer.PROGRAMS}


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
