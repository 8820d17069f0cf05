"""Programs of JAX in graphs: inputs of any size, files, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

import runnel as tf

FOLDER = Path(__file__).parents[2] / "golden" / "stablehlo"
X = np.ones([2, 3], np.float32)


def called(x, name="any_size", **attrs):
    how = {"version": 9, "platforms": ["CPU"], "Sout": [(None, 3), (None,)]}
    how |= {"module": (FOLDER / f"{name}.bin").read_bytes(), "Tout": [tf.float32, tf.bool]}
    return tf.raw_ops.XlaCallModule(args=[x], **{**how, **attrs})


def test_inputs_have_any_size_in_a_function_and_in_a_file(tmp_path):
    module = tf.Module()
    module.f = tf.function(called, input_signature=[tf.TensorSpec([None, 3])])
    assert module.f.get_concrete_function().output_shapes[0].as_list() == [None, 3]
    tf.saved_model.save(module, tmp_path)
    again = tf.saved_model.load(tmp_path)
    for f in (module.f, again.f):
        for rows in (2, 5, 2):
            doubled, positive = f(tf.ones([rows, 3]))
            np.testing.assert_array_equal(doubled, np.full([rows, 3], 2.0 + rows))
            assert positive.shape == [rows * 3]


@pytest.mark.parametrize(
    ("match", "x", "attrs"),
    [
        ("must be float32 of shape", np.ones([2, 4], np.float32), {}),
        ("got float64", np.ones([2, 3]), {}),
        ("cannot be read", X, {"module": b"nothing"}),
        ("is for TPU", X, {"platforms": ["TPU"]}),
        ("`Tout` must be", X, {"Tout": [tf.float32, tf.int32]}),
        ("takes 2 inputs", X, {"name": "fixed"}),
    ],
)
def test_what_does_not_fit_is_refused(match, x, attrs):
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        called(x, **attrs)


def test_a_program_that_calls_back_into_the_process_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="xla_ffi_python_cpu_callback"):
        called(X, "calling_back", Sout=[(2, 3)], Tout=[tf.float32])
