"""Programs of TensorFlow 1 compute what they compute there, for the same seeds."""

import json
from pathlib import Path

import numpy as np
import pytest

import runnel as tf
from tests.golden.v1_programs import PROGRAMS

WANTED = json.loads((Path(__file__).parents[1] / "golden/v1.json").read_text())


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_computes_what_it_does_in_tensorflow(name):
    with tf.Graph().as_default():
        found = PROGRAMS[name](tf.compat.v1)
    np.testing.assert_allclose(found, WANTED[name], rtol=2e-5, atol=1e-6)
