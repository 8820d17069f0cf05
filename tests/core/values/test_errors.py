import json
import pickle
import traceback
from types import SimpleNamespace

import numpy as np
import pytest

from runnel.core.values import errors
from runnel.core.values.dtypes import float32, int32
from runnel.core.values.shape import TensorShape
from tests.golden.expressions import HERE

pytestmark = pytest.mark.smoke

FACTS = json.loads((HERE / "errors.json").read_text())


@pytest.fixture
def tracing(monkeypatch):
    monkeypatch.setattr(errors, "tracing", lambda: True)


@pytest.fixture(autouse=True)
def eager(monkeypatch):
    monkeypatch.setattr(errors, "tracing", lambda: False)


@pytest.mark.parametrize("name", FACTS["classes"])
def test_class_is_as_in_tensorflow(name):
    cls = getattr(errors, name)
    error = cls(None, None, "message")
    bases = [base.__name__ for base in cls.__mro__ if base is not errors._Coded]
    assert {"bases": bases, "code": error.error_code} == FACTS["classes"][name]
    assert errors.exception_type_from_error_code(error.code) is cls
    assert errors.error_code_from_exception_type(cls) == error.code


def test_codes_are_those_of_tensorflow():
    assert {name: getattr(errors, name) for name in FACTS["codes"]} == FACTS["codes"]


def test_an_error_tells_what_it_was_given():
    error = errors.NotFoundError("node", None, "no such file", {"path": b"/x"})
    assert (error.node_def, error.op, error.message) == ("node", None, "no such file")
    assert str(error) == "no such file"
    assert error.experimental_payloads == {"path": b"/x"}
    assert errors.OpError(None, None, "message", 7).error_code == errors.PERMISSION_DENIED
    assert issubclass(errors.OperatorNotAllowedInGraphError, TypeError)


def test_pickling_leaves_the_op_behind():
    op = SimpleNamespace(name="add", unpicklable=lambda: None)
    for error in (
        errors.NotFoundError(None, op, "message", {"a": b"b"}),
        errors.OpError(None, op, "message", 5, {"a": b"b"}),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (again.op, again.message, again.code) == (None, "message", 5)
        assert again.experimental_payloads == {"a": b"b"}


def test_the_text_says_where_the_op_was_made():
    op = SimpleNamespace(name="add_1", traceback=traceback.extract_stack())
    text = str(errors.InvalidArgumentError(None, op, "message"))
    assert text.startswith("message\n\nThe op 'add_1' was made here:\n")
    assert "test_errors.py" in text


def test_codes_without_a_class():
    with pytest.raises(KeyError):
        errors.exception_type_from_error_code(errors.OK)
    with pytest.warns(UserWarning, match="ValueError is not one of tf.errors"):
        assert errors.error_code_from_exception_type(ValueError) == errors.UNKNOWN


def test_a_status_raises_the_error_of_its_code():
    with errors.raise_exception_on_not_ok_status():
        pass
    with (
        pytest.raises(errors.DataLossError, match="bad checksum"),
        errors.raise_exception_on_not_ok_status() as status,
    ):
        status.code, status.message = errors.DATA_LOSS, "bad checksum"


HELPERS = [
    (errors.bad_shape, ValueError, np.zeros((2, 3)), "got shape (2, 3)"),
    (errors.bad_dtype, TypeError, np.zeros(2, np.int32), "got dtype int32"),
    (errors.bad_value, ValueError, -1, "got -1"),
]


@pytest.mark.parametrize("helper, traced, value, got", HELPERS)
def test_a_helper_words_the_error_of_an_op(helper, traced, value, got):
    error = helper("MatMul", want="fit", hint="Transpose it.", b=value)
    assert type(error) is errors.InvalidArgumentError
    assert error.message == f"MatMul: `b` must fit, {got}. Transpose it. [Op:MatMul]"
    assert str(helper("MatMul", want="fit", b=value)) == f"MatMul: `b` must fit, {got}. [Op:MatMul]"


@pytest.mark.parametrize("helper, traced, value, got", HELPERS)
def test_a_helper_follows_the_mode(tracing, helper, traced, value, got):
    assert type(helper("MatMul", want="fit", b=value)) is traced


class Symbolic:
    shape = TensorShape([2, None])
    dtype = float32

    def numpy(self):
        raise NotImplementedError


@pytest.mark.parametrize(
    "describe, value, text",
    [
        (errors.describe_shape, [[1], [2]], "shape (2, 1)"),
        (errors.describe_shape, 3, "shape ()"),
        (errors.describe_shape, [[1], [2, 3]], "the ragged value [[1], [2, 3]]"),
        (errors.describe_shape, Symbolic(), "shape (2, None)"),
        (errors.describe_shape, SimpleNamespace(shape=None), "shape <unknown>"),
        (errors.describe_dtype, Symbolic(), "dtype float32"),
        (errors.describe_dtype, int32, "dtype int32"),
        (errors.describe_dtype, "a", "a Python str"),
        (errors.describe_value, np.float32(1.5), "1.5"),
        (errors.describe_value, list(range(100)), "[0, 1, 2, 3, 4, 5, ...]"),
        (errors.describe_value, np.arange(100), "[0, 1, 2, 3, 4, 5, ...]"),
        (
            errors.describe_value,
            Symbolic(),
            "a symbolic value of shape (2, None) and dtype float32",
        ),
    ],
)
def test_arguments_of_all_kinds_are_described(describe, value, text):
    assert describe(value) == text


def test_long_values_are_cut():
    assert len(errors.describe_value("x" * 1000)) <= 80
