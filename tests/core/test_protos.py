"""The tables of messages against TensorFlow's declarations, and messages that TensorFlow wrote."""

from __future__ import annotations

import json
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

import runnel as tf
from runnel.core.composite import structured_value
from runnel.core.protos import messages
from tests import children
from tests.tables import table

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "protos.json").read_text())
Point = namedtuple("Point", "x y")


def declared() -> dict[str, Any]:
    """What the tables say, in the form of the recorded facts."""
    found: dict[str, Any] = {}
    file = messages.pool().FindFileByName("runnel.proto")
    for message in file.message_types_by_name.values():
        describe(message, found)
    for enum in file.enum_types_by_name.values():
        found[enum.full_name] = {value.name: value.number for value in enum.values}
    return found


def describe(message: Any, found: dict[str, Any]) -> None:
    fields = found[message.full_name] = {}
    for field in message.fields:
        inner = field.message_type or field.enum_type
        oneof = field.containing_oneof and field.containing_oneof.name
        kind = inner and inner.full_name
        fields[field.name] = [field.number, field.type, field.is_repeated, oneof, kind]
    for enum in message.enum_types:
        found[enum.full_name] = {value.name: value.number for value in enum.values}
    for nested in message.nested_types:
        describe(nested, found)


def test_the_tables_are_tensorflows_declarations() -> None:
    own, theirs = declared(), GOLDEN["declarations"]
    assert own.keys() == theirs.keys()
    for name, fields in theirs.items():
        assert own[name] == fields, name


@table("name", GOLDEN["written"])
def test_a_message_that_tensorflow_wrote_is_read_and_written_again(name: str) -> None:
    data = bytes.fromhex(GOLDEN["written"][name])
    message = getattr(messages, name).FromString(data)
    assert message.SerializeToString(deterministic=True) == data
    text = text_format.MessageToString(message)
    assert text_format.Parse(text, type(message)(), descriptor_pool=messages.pool()) == message


@table("call, answer", GOLDEN["make_tensor_proto"])
def test_make_tensor_proto_writes_what_tensorflow_writes(call: str, answer: str) -> None:
    try:
        proto = eval(f"tf.make_tensor_proto({call})", {"tf": tf, "np": np})
    except Exception as error:
        assert type(error).__name__ == answer, repr(error)
        return
    assert proto.SerializeToString().hex() == answer, proto


@pytest.mark.parametrize(
    "dtype",
    "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool "
    "complex64 complex128".split(),
)
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0, 2)])
def test_an_array_survives_its_message(dtype: str, shape: tuple[int, ...]) -> None:
    kind = getattr(tf, dtype)
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(kind.np_dtype)
    back = tf.make_ndarray(tf.make_tensor_proto(array))
    assert back.dtype == array.dtype and back.shape == array.shape
    np.testing.assert_array_equal(back, array)


def test_the_last_of_too_few_elements_stands_for_the_rest() -> None:
    assert tf.make_ndarray(tf.make_tensor_proto(7, shape=[2, 2])).tolist() == [[7, 7], [7, 7]]
    assert tf.make_ndarray(tf.make_tensor_proto([1, 2], shape=[4])).tolist() == [1, 2, 2, 2]
    assert tf.make_ndarray(tf.make_tensor_proto("a", shape=[2])).tolist() == [b"a", b"a"]


def test_a_shape_that_cannot_be_is_refused() -> None:
    proto = tf.make_tensor_proto([1, 2])
    proto.tensor_shape.dim[0].size = 1 << 60
    with pytest.raises(ValueError, match="reasonable size"):
        tf.make_ndarray(proto)
    proto.tensor_shape.dim[0].size = 3
    with pytest.raises(ValueError, match="does not hold 8 bytes"):
        tf.make_ndarray(proto)


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        -1.5,
        True,
        "text",
        [1, (2, [])],
        {"a": 1, "b": {"c": None}},
        tf.TensorShape([1, None]),
        tf.TensorShape(None),
        tf.int32,
        tf.TensorSpec([2], tf.float32, "n"),
        tf.IndexedSlicesSpec([2, None], tf.int32),
    ],
    ids=repr,
)
def test_a_structure_survives_its_message(value: Any) -> None:
    assert structured_value.decode(structured_value.encode(value)) == value


def test_tensors_arrays_and_named_tuples_survive_their_messages() -> None:
    value = Point(tf.constant([1, 2]), np.array([1.5]))
    back = structured_value.decode(structured_value.encode(value))
    assert type(back).__name__ == "Point" and back._fields == ("x", "y")
    assert back.x.numpy().tolist() == [1, 2]
    assert isinstance(back.y, np.ndarray) and back.y.tolist() == [1.5]


@pytest.mark.parametrize("value", [1j, b"bytes", slice(1), np.float32(1)], ids=repr)
def test_a_structure_with_something_else_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot be written"):
        structured_value.encode([value])


def test_protobuf_is_imported_when_it_is_used() -> None:
    code = "import runnel, sys; print('google.protobuf' in sys.modules)"
    run = children.run(code, check=True)
    assert run.stdout.strip() == "False"
