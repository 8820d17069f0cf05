"""`tf.keras.backend`: the functions of the table, traced and in models; what tables cannot say."""

import inspect
from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.golden import cases_keras_backend
from tests.samples import Tensor, rows, store
from tests.samples.answers import _fill, describe
from tests.tables import table
from tests.test_conformance import assert_answer

K = tf.keras.backend
FAMILY = "calls_keras_backend"
ANSWERS = store.load(FAMILY)
ROWS = [row for row in rows(FAMILY) if "error" not in ANSWERS[row.id]]
# These give something else than tensors, or give it only outside of graphs.
PYTHON = (
    "backend batch_get_value cast_to_floatx count_params dtype eval get_value int_shape "
    "is_keras_tensor is_sparse ndim zeros"
).split()


def _name(row: Any) -> str:
    return str(row.symbol.split(".")[-1])


def _is_moving(value: Any) -> bool:
    """Whether an argument is a tensor that may come from outside: not a shape, not a string."""
    return isinstance(value, Tensor) and np.ndim(value.value) > 0 and np.size(value.value) > 0


def _first_letter(row: Any) -> str:
    return _name(row)[0]


TRACED = [row for row in ROWS if _name(row) not in PYTHON and any(map(_is_moving, row.args))]


@table("row", TRACED, ids=lambda row: row.id, by=_first_letter)
def test_a_function_gives_the_same_when_traced_for_any_size_of_batch(row):
    moving = [i for i, value in enumerate(row.args) if _is_moving(value)]
    args = _fill(tf, row.args)
    kwargs = {k: _fill(tf, v) for k, v in row.kwargs.items()}
    shapes = [args[i].shape.as_list() for i in moving]  # those of kernels and the like are known
    shapes[0][0] = None if moving[0] == 0 else shapes[0][0]
    specs = [tf.TensorSpec(shape, args[i].dtype) for shape, i in zip(shapes, moving)]

    @tf.function(input_signature=specs, autograph=False)
    def traced(*given: Any) -> Any:
        inside = list(args)
        for i, tensor in zip(moving, given, strict=True):
            inside[i] = tensor
        return getattr(K, _name(row))(*inside, **kwargs)

    tf.random.set_seed(87)
    assert_answer(describe(tf, traced(*[args[i] for i in moving])), ANSWERS[row.id], row)


# The batch is the first axis, so functions for which it is another cannot be parts of a model.
IN_MODELS = [
    row for row in TRACED if _is_moving(row.args[0]) and _name(row) not in ("dropout", "gather")
]


@table("row", IN_MODELS, ids=lambda row: row.id, by=_first_letter)
def test_a_function_gives_the_same_as_a_part_of_a_model(row):
    first, *rest = _fill(tf, row.args)
    kwargs = {k: _fill(tf, v) for k, v in row.kwargs.items()}
    symbol = tf.keras.Input(batch_shape=first.shape.as_list(), dtype=first.dtype)
    outputs = getattr(K, _name(row))(symbol, *rest, **kwargs)
    assert all(map(K.is_keras_tensor, tf.nest.flatten(outputs)))
    model = tf.keras.Model(symbol, outputs)
    found = {k: v for k, v in describe(tf, model(first)).items() if k != "kind"}
    assert_answer({**found, "kind": ANSWERS[row.id]["kind"]}, ANSWERS[row.id], row)


def test_every_function_of_the_backend_has_a_recorded_answer():
    programs = inspect.getsource(cases_keras_backend)
    asked = {_name(row) for row in rows(FAMILY)}
    lacking = [
        name
        for name, value in vars(K).items()
        if inspect.isfunction(value) and name not in asked and f".{name}(" not in programs
    ]
    by_hand = {"print_tensor", "manual_variable_initialization", "random_binomial"}
    by_hand |= {"learning_phase_scope", "set_learning_phase"}
    assert set(lacking) == by_hand


def test_a_tensor_is_printed_with_a_message(capsys):
    assert K.print_tensor(tf.constant([1, 2]), message="x:").numpy().tolist() == [1, 2]
    tf.function(lambda x: K.print_tensor(x, "in a graph", summarize=1))(tf.range(5))
    assert capsys.readouterr().out == "x: [1 2]\nin a graph [0 ... 4]\n"


def test_the_old_name_of_bernoulli_warns():
    with pytest.warns(UserWarning, match="random_bernoulli"):
        old = K.random_binomial((4,), p=1.0, seed=1)
    assert old.numpy().tolist() == [1.0] * 4


def test_variables_have_values_whatever_is_said_of_their_initialization():
    K.manual_variable_initialization(True)
    assert K.get_value(K.variable(3.0)) == 3.0
    K.manual_variable_initialization(False)


def test_the_learning_phase_is_that_of_the_scope():
    with K.learning_phase_scope(1):
        assert K.in_train_phase("training", "inference") == "training"
    assert K.in_train_phase("training", "inference") == "inference"
    K.set_learning_phase(1)
    assert K.in_test_phase("inference", "training") == "training"
    K.clear_session()
    assert K.learning_phase() == 0


def test_a_sparse_matrix_of_scipy_becomes_a_sparse_tensor():
    from scipy import sparse

    made = K.variable(sparse.csr_matrix(np.array([[0.0, 2.0], [3.0, 0.0]], np.float32)))
    assert K.is_sparse(made)
    assert K.eval(made).tolist() == [[0.0, 2.0], [3.0, 0.0]]


def test_a_model_of_backend_functions_can_be_saved_and_loaded(tmp_path):
    x = tf.keras.Input((3,))
    y = K.categorical_crossentropy(x, K.softmax(x))
    model = tf.keras.Model(x, [y, K.mean(x, axis=-1)])
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    given = np.float32([[0.2, 0.3, 0.5]])
    for a, b in zip(model(given), again(given), strict=True):
        np.testing.assert_allclose(a, b)
