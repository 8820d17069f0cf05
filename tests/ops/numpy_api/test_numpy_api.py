"""`tf.experimental.numpy` against TensorFlow's answers, and behaviour that must be asked for."""

from __future__ import annotations

import inspect
import textwrap

import pytest

import runnel as tf
from tests import children
from tests.samples import Call, rows, store
from tests.samples.answers import run_call
from tests.tables import table
from tests.test_conformance import assert_answer

GOLDEN = store.load("numpy_api")


@table("row", rows("numpy_api"), ids=lambda row: row.id)
def test_call_agrees_with_tensorflow(row: Call) -> None:
    answer = run_call(tf, row)
    want = GOLDEN[row.id]
    if "error" in want:
        assert "error" in answer, f"TensorFlow: {want['error']} {want['message']}"
        return
    assert_answer(answer, want, row)


def test_every_function_has_a_docstring() -> None:
    for name, function in vars(tf.experimental.numpy).items():
        if inspect.isfunction(function):
            assert function.__doc__, name


def run_enabled(code: str, call: str = "experimental_enable_numpy_behavior()") -> str:
    """What a new process prints in which NumPy's behaviour is enabled."""
    program = f"import numpy as np\nimport runnel as tf\ntnp = tf.experimental.numpy\ntnp.{call}\n"
    return children.run(program + textwrap.dedent(code), check=True).stdout.strip()


def test_tensors_stay_strict_until_asked() -> None:
    x = tf.constant([1, 2])
    assert not hasattr(x, "astype")
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        x + tf.constant([1.0, 2.0])


def test_operators_promote_when_enabled() -> None:
    printed = run_enabled(
        """
        i, f = tf.constant([1, 2, 3]), tf.constant([1.0, 2.0, 3.0])
        for y in (i + f, i + 1.5, f + 1, 1 + i, i / i, i // 2, i ** 2):
            print(y.dtype.name, end=" ")
        for y in (i % 2.0, i & 1, -i, i < f, i == f, f @ f):
            print(y.dtype.name, end=" ")
        print(i == None, i[i > 1].numpy().tolist())
        v = tf.Variable([1, 2])
        print((v + 1.5).dtype.name)
        """
    )
    assert printed.split("\n") == [
        "float64 float64 float32 int32 float64 int32 int32 "
        "float64 int32 int32 bool bool float32 False [2, 3]",
        "float64",
    ]


def test_tensors_have_numpys_methods_when_enabled() -> None:
    printed = run_enabled(
        """
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        print(x.T.tolist(), x.astype(tf.int32).dtype.name, x.ravel().shape, x.size, x.tolist())
        print(x.reshape(4).shape, x.reshape(2, 2, 1).shape, x.reshape((4, 1)).shape)
        print(x.clip(2, 3).tolist(), x.max().numpy(), x.min().numpy(), x.mean().numpy())
        print(x.flatten().shape, x.data is x, (+x).shape)
        """
    )
    assert printed.split("\n") == [
        "[[1.0, 3.0], [2.0, 4.0]] int32 (4,) 4 [[1.0, 2.0], [3.0, 4.0]]",
        "(4,) (2, 2, 1) (4, 1)",
        "[[2.0, 2.0], [3.0, 3.0]] 4.0 1.0 2.5",
        "(4,) True (2, 2)",
    ]


def test_python_floats_are_float32_where_preferred() -> None:
    printed = run_enabled(
        """
        for y in (tnp.array([1.5]), tnp.array(np.array([1.5])), tnp.arange(3.0)):
            print(y.dtype.name, end=" ")
        for x in (tf.constant([1], tf.uint8), tf.constant([1])):
            print(tnp.add(x, 1.5).dtype.name, end=" ")
        """,
        "experimental_enable_numpy_behavior(prefer_float32=True)",
    )
    assert printed.split("\n") == ["float32 float64 float32 float32 float64"]


def test_operators_stay_strict_in_mode_off() -> None:
    printed = run_enabled(
        """
        try:
            tf.constant([1]) + tf.constant([1.0])
        except (TypeError, tf.errors.InvalidArgumentError):
            print("strict", tf.constant([1]).T.shape)
        """,
        "experimental_enable_numpy_behavior(dtype_conversion_mode='off')",
    )
    assert printed == "strict (1,)"


def test_unknown_modes_are_refused() -> None:
    with pytest.raises(ValueError, match="does not exist"):
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="some")


def test_random_numbers_follow_the_seed() -> None:
    tnp = tf.experimental.numpy
    for draw in (
        lambda: tnp.random.rand(3),
        lambda: tnp.random.randint(9, size=3),
        lambda: tnp.random.randn(2, 2),
    ):
        tnp.random.seed(7)
        first = draw().numpy()
        tnp.random.seed(7)
        assert (draw().numpy() == first).all()
    assert tnp.random.poisson(3.0, 4).dtype == tf.int64
    assert tnp.random.uniform([0.0, 5.0], [1.0, 6.0]).shape == (2,)
