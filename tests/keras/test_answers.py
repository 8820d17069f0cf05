"""Small programs with Keras give tf_keras's answers."""

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

SUBJECTS = [
    "keras_backend",
    "keras_engine",
    "keras_layer_edges",
    "keras_library",
    "keras_losses",
    "keras_metrics",
    "keras_normalization",
    "keras_premade",
    "keras_programs",
    "keras_small_parts",
    "keras_tensor",
    "keras_tools",
]
CASES = [(s, name, case) for s in SUBJECTS for name, case in cases(s).items()]
RECORDED = {subject: recorded(subject) for subject in SUBJECTS}


@pytest.mark.parametrize("subject, name, case", CASES, ids=[f"{s}-{n}" for s, n, _ in CASES])
def test_the_answer_is_tf_keras_answer(subject, name, case):
    assert_answer(case, tf, RECORDED[subject][name], warnings=False)
