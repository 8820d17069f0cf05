"""Small programs with Keras give tf_keras's answers."""

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded
from tests.tables import table

SUBJECTS = [
    "keras_backend",
    "keras_checkpoints",
    "keras_engine",
    "keras_extension_types",
    "keras_layer_edges",
    "keras_library",
    "keras_losses",
    "keras_metrics",
    "keras_models",
    "keras_normalization",
    "keras_premade",
    "keras_programs",
    "keras_small_parts",
    "keras_sparse",
    "keras_symbolic",
    "keras_tensor",
    "keras_tools",
]
CASES = [(s, name, case) for s in SUBJECTS for name, case in cases(s).items()]
RECORDED = {subject: recorded(subject) for subject in SUBJECTS}


@table("subject, name, case", CASES, ids=lambda c: c[1], by=lambda subject, *_: subject)
def test_the_answer_is_tf_keras_answer(subject, name, case):
    assert_answer(case, tf, RECORDED[subject][name], warnings=False)
