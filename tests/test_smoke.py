"""A few seconds of everything, for the hook before a commit."""

import subprocess
import sys

import numpy as np
import pytest

import runnel as tf

pytestmark = pytest.mark.smoke


def test_import_prints_nothing_and_loads_no_heavy_dependency():
    heavy = {"h5py", "google.protobuf", "PIL", "runnel.keras"}
    program = f"import sys, runnel; print(*{heavy} & set(sys.modules), end='')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_op_takes_tensors_lists_and_numbers():
    total = tf.constant([1.0, 2.0]) + [3.0, 4.0] * tf.constant(2.0) + 1
    np.testing.assert_array_equal(total, np.float32([8, 11]))


def test_a_gradient_step_moves_a_variable_downhill():
    v = tf.Variable([1.0, -2.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    v.assign_sub(0.5 * tape.gradient(loss, v))
    np.testing.assert_array_equal(v.numpy(), [0.0, 0.0])
