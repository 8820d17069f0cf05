"""The modes "all" and "safe" against TensorFlow's answers: every operator on every pair of dtypes.

Each mode holds for a process; two of them answer all questions.
"""

from __future__ import annotations

import json
import textwrap
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import runnel as tf
from tests import children
from tests.golden.promotion_programs import (
    ARRAYS,
    FUNCTIONS,
    MODES,
    OPERATORS,
    PYTHON,
    STRONG,
    VARIABLES,
    WEAK,
)

ROOT = Path(__file__).parent.parent.parent.parent
GOLDEN = {
    mode: json.loads((ROOT / f"tests/golden/promotion_{mode}.json").read_text()) for mode in MODES
}
TABLES = [*OPERATORS, *FUNCTIONS, *(f"variable {name}" for name in VARIABLES)]
RIGHT = [*STRONG, *(f"weak {name}" for name in WEAK), *PYTHON, *ARRAYS]

# Where we differ, and why.
OTHERWISE = {
    "tf.constant(2**40, tf.int64)": "the dtype that was asked for holds the number",
    "tf.convert_to_tensor(2**40)": "it is no weak number, and 64 bits hold it",
    "f + tf.TensorShape([1, 2])": "a shape is a vector of int32, as in tf.constant",
    "[type(x).__name__ == 'EagerWeakTensor' for x in wi]": "one class for eager and symbolic",
    "tf.type_spec_from_value(w)": "one class for eager and symbolic",
    "tf.data.Dataset.from_tensors(wi).element_spec": "one class for eager and symbolic",
    "tf.function(lambda x: tf.cond(x > 1, lambda: x, lambda: x * 2))(w)": "one class, so it works",
    "tf.function(lambda x: tf.cond(x > 1, lambda: x, lambda: -x))(tf.constant(0.5))": "the same",
    "tf.function(count)(tf.constant(0))": "the same",
    "wi.astype(int)": "`int` is a dtype of NumPy",
    "i.astype(int)": "`int` is a dtype of NumPy",
    "tf.TensorSpec.from_tensor(w)": "a weak tensor has a spec of its own",
    "tf.function(lambda x: x + 1)(1)": "a Python number that a function returns has int32 for good",
    "tf.function(lambda x: [x, x.dtype.name, x.shape.rank])(wi)": "the same",
    "tnp.arange(0, 3.0)": "TensorFlow casts the start alone and stumbles",
    "tnp.average([1, 2])": "TensorFlow divides an int32 by a weak float inside",
    "tnp.pad([1], 1, 'constant')": "TensorFlow pads weak ints with another dtype and stumbles",
    "tnp.random.uniform(0, 1, 2).dtype": "TensorFlow mixes float64 and float32 and stumbles",
    "tnp.geomspace(1, 4, 3)": "the default float is float32 in these modes",
    "tnp.logaddexp(1, 2)": "the default float is float32 in these modes",
    "tnp.dot([1], [2])": "Python ints are 64 bits where NumPy's table decides, as in tnp.add",
    "tnp.hypot(3, 4)": "made of functions that promote by NumPy's table, as tnp.add is",
}


@cache
def answers(mode: str) -> dict[str, Any]:
    program = ROOT / "tests" / "golden" / "promotion_programs.py"
    start = f"import runpy; runpy.run_path({str(program)!r}, run_name='__main__')"
    done = children.run(start, mode, check=True)
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("mode", MODES)
def test_every_pair_of_dtypes_promotes_as_in_tensorflow(mode: str, name: str) -> None:
    table = GOLDEN[mode]["table"][name]
    assert list(table) == (STRONG if name.startswith("variable") else RIGHT)
    for left, row in table.items():
        got = answers(mode)["table"][name][left].split()
        for right, mine, its in zip(RIGHT, got, row.split(), strict=False):
            assert mine == its or _is_known(name, left, right, its), (left, right, mine, its)
        assert len(got) == len(row.split())


def _is_known(name: str, left: str, right: str, answer: str) -> bool:
    """Whether TensorFlow's answer comes of what it lacks rather than of what it means."""
    if answer in ("!NFE", "!AE"):  # it has no kernel; a Python number has no dtype
        return True
    if left in ARRAYS or right in ARRAYS:  # NumPy was asked, or an array took another dtype
        return True
    return name in ("&", "|", "^") and answer == "!VE"  # we say InvalidArgumentError


@pytest.mark.parametrize("mode", MODES)
def test_expressions_give_tensorflows_answers(mode: str) -> None:
    wrong = {
        text: (want, answers(mode)["expressions"][text])
        for text, want in GOLDEN[mode]["expressions"].items()
        if answers(mode)["expressions"][text] != want and text not in OTHERWISE
    }
    assert not wrong


def run(code: str) -> str:
    """What a new process prints."""
    program = "import runnel as tf\ntnp = tf.experimental.numpy\n" + textwrap.dedent(code)
    done = children.run(program)
    assert not done.returncode, done.stderr
    return done.stdout.strip()


def test_modes_can_be_changed_and_left() -> None:
    printed = run(
        """
        def show():
            x, y = tf.constant([1], tf.int32), tf.constant([1.0], tf.float32)
            calls = (
                lambda: x + y,
                lambda: tf.add(x, y),
                lambda: tf.constant(1) + 1.5,
                lambda: tf.Variable([1.0]).assign(x),
            )
            for make in calls:
                try:
                    print(make().dtype.name, end=" ")
                except (TypeError, ValueError, tf.errors.InvalidArgumentError) as error:
                    print(type(error).__name__[0], end=" ")
            print()

        show()
        for mode in ("all", "safe", "off", "legacy", "all", "off"):
            tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
            show()
        """
    )
    assert [line.strip() for line in printed.splitlines()] == [
        "I I I V",
        "float32 float32 float32 float32",
        "T T float32 T",
        "I I I V",
        "float64 I float64 V",
        "float32 float32 float32 float32",
        "I I I V",
    ]


def test_weak_tensors_are_pickled_saved_and_passed_on() -> None:
    printed = run(
        """
        import pickle, tempfile
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
        w = tf.constant([1.5, 2.5])
        print(pickle.loads(pickle.dumps(w)))

        class Twice(tf.Module):
            @tf.function
            def __call__(self, x):
                return x * 2

        module = Twice()
        print(module(w), module(tf.cast(w, tf.float16)).dtype.name)
        module.__call__.get_concrete_function(w)
        folder = tempfile.mkdtemp()
        tf.saved_model.save(module, folder)
        print(tf.saved_model.load(folder)(w))
        print(next(iter(tf.data.Dataset.from_tensor_slices(w).batch(2))))
        """
    )
    weak = "dtype=float32, weak=True)"
    assert printed.splitlines() == [
        f"tf.Tensor([1.5 2.5], shape=(2,), {weak}",
        f"tf.Tensor([3. 5.], shape=(2,), {weak} float16",
        f"tf.Tensor([3. 5.], shape=(2,), {weak}",
        f"tf.Tensor([1.5 2.5], shape=(2,), {weak}",
    ]


def test_safe_says_what_would_be_lost() -> None:
    printed = run(
        """
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="safe")
        try:
            tf.constant([1], tf.int32) + tf.constant([1.0], tf.float32)
        except TypeError as error:
            print(error)
        """
    )
    assert "'safe'" in printed and "int32 and float32" in printed and "tf.cast" in printed


def test_users_handlers_come_before_promotion() -> None:
    printed = run(
        """
        class Tagged(tf.experimental.ExtensionType):
            value: tf.Tensor

        @tf.experimental.dispatch_for_api(tf.math.add)
        def add(x: Tagged, y: Tagged):
            return Tagged(tf.add(x.value, y.value))

        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
        a, b = Tagged(tf.constant(1, tf.int8)), Tagged(tf.constant(1.5, tf.float16))
        print(tf.add(a, b).value.dtype.name, tf.add(tf.ragged.constant([[1]]), 1).to_list())
        """
    )
    assert printed == "float16 [[2]]"


def test_nothing_is_weak_until_it_is_asked_for() -> None:
    assert type(tf.constant(1.5) + 1).__name__ == "EagerTensor"
