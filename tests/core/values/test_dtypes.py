import copy
import json
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from runnel.core.values import dtypes
from tests.golden.expressions import HERE, answer, recorded
from tests.tables import table

pytestmark = pytest.mark.smoke

TABLE = json.loads((HERE / "dtypes.json").read_text())
NAMES = {
    "tf": SimpleNamespace(**vars(dtypes), dtypes=dtypes),
    "np": np,
}
PLAIN = [dtypes.as_dtype(facts["enum"]) for facts in TABLE if facts["enum"] < 100]


def attempt(dtype, attribute):
    try:
        value = getattr(dtype, attribute)
    except Exception as error:
        return type(error).__name__
    return [int(bound) for bound in value] if attribute == "limits" else float(value)


@table("facts", TABLE, ids=lambda facts: facts["name"])
def test_dtype_is_as_in_tensorflow(facts):
    dtype = dtypes.as_dtype(facts["enum"])
    assert {
        **{flag: getattr(dtype, flag) for flag in facts if flag.startswith("is_")},
        **{bound: attempt(dtype, bound) for bound in ("min", "max", "limits")},
        "name": dtype.name,
        "repr": repr(dtype),
        "str": str(dtype),
        "enum": dtype.as_datatype_enum,
        "size": dtype.size,
        "numpy": np.dtype(dtype.as_numpy_dtype).name,
        "base": dtype.base_dtype.name,
        "real": dtype.real_dtype.name,
    } == facts


@table("expression, expected", recorded("as_dtype"))
def test_answers_are_those_of_tensorflow(expression, expected):
    assert answer(expression, NAMES) == expected


def test_there_is_one_object_per_dtype():
    assert dtypes.DType(1) is dtypes.float32
    for dtype in PLAIN:
        assert pickle.loads(pickle.dumps(dtype)) is dtype
        assert copy.deepcopy(dtype) is copy.copy(dtype) is dtype


def test_numpy_dtypes_and_dtypes_map_to_each_other():
    for np_dtype, dtype in dtypes.FROM_NUMPY.items():
        assert np_dtype == np.dtype(dtype.as_numpy_dtype)
        assert dtype.np_dtype == (np_dtype[0] if dtype.is_quantized else np_dtype)
        assert dtypes.as_dtype(np_dtype) is dtype
    assert dtypes.FROM_NUMPY[np.dtype(object)] is dtypes.string
    assert dtypes.resource.np_dtype == dtypes.variant.np_dtype == np.dtype(object)


def test_a_python_type_means_what_its_values_become():
    kinds = {int: "int32", float: "float32", complex: "complex128", bool: "bool"}
    assert {kind: dtypes.as_dtype(kind).name for kind in kinds} == kinds
    assert dtypes.as_dtype(str) is dtypes.as_dtype(bytes) is dtypes.string


def test_bounds_have_the_type_of_the_elements():
    assert type(dtypes.float16.max) is np.float16
    assert type(dtypes.bfloat16.min) is dtypes.bfloat16.as_numpy_dtype
    assert type(dtypes.int4.max) is type(dtypes.int64.max) is int


def test_groups_agree_with_the_flags():
    usual = [dtype for dtype in PLAIN if dtype.is_numeric and not dtype.is_quantized]
    assert {d for d in usual if d.is_floating} == dtypes.FLOATS
    assert {d for d in usual if d.is_complex} == dtypes.COMPLEX
    assert {d for d in usual if d.is_integer} == dtypes.INTS
    assert {d for d in usual if d.is_unsigned} == dtypes.UNSIGNED_INTS
    assert set(usual) == dtypes.NUMERIC == dtypes.REAL | dtypes.COMPLEX


def test_a_dtype_is_found_in_sets_and_dicts_by_itself():
    assert dtypes.float32 in {dtypes.float32, dtypes.int32}
    assert {dtypes.float32: 1}[dtypes.as_dtype("float")] == 1
    # as in TensorFlow: tables of libraries have the numbers of messages for keys
    assert {1: "float"}[dtypes.float32] == "float" and {dtypes.float32: 2}[1] == 2


def test_errors_name_the_value():
    with pytest.raises(TypeError, match="as_dtype: 'flout32' does not stand for a dtype"):
        dtypes.as_dtype("flout32")
    with pytest.raises(TypeError, match="'string'> has no lowest and highest value"):
        dtypes.string.min
    with pytest.raises(ValueError, match="'complex64'> has no intensity limits"):
        dtypes.complex64.limits
    with pytest.raises(TypeError, match="handle_data"):
        dtypes.DType(20, object())


def test_a_dtype_survives_its_message():
    message = dtypes.float32.experimental_as_proto()
    assert isinstance(message, dtypes.DType.experimental_type_proto())
    assert dtypes.DType.experimental_from_proto(message) is dtypes.float32
