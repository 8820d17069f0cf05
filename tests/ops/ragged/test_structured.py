"""`tf.experimental.StructuredTensor`, with answers that TensorFlow 2.21 gave."""

from __future__ import annotations

from typing import Any

import pytest

import runnel as tf

Structured = tf.experimental.StructuredTensor
PEOPLE = [{"x": 1, "y": [1, 2]}, {"x": 2, "y": [3]}]
NESTED = [{"q": [{"z": 1}, {"z": 2}]}, {"q": [{"z": 3}]}]


@pytest.fixture
def people() -> Any:
    return Structured.from_pyval(PEOPLE)


@pytest.fixture
def nested() -> Any:
    return Structured.from_pyval(NESTED)


@pytest.mark.parametrize(
    "value",
    [
        PEOPLE,
        NESTED,
        [[{"a": 1}], [{"a": 2}, {"a": 3}]],
        [{"a": []}, {"a": [1]}],
        {"a": b"x", "b": [True]},
        {},
    ],
)
def test_python_values_come_back(value: Any) -> None:
    assert Structured.from_pyval(value).to_pyval() == value


def test_what_has_no_dict_is_a_tensor() -> None:
    assert Structured.from_pyval([1, 2]).numpy().tolist() == [1, 2]
    assert Structured.from_pyval([]).shape == (0,)


def test_shapes_and_fields(people: Any, nested: Any) -> None:
    assert (people.shape, people.rank, people.field_names()) == ((2,), 1, ("x", "y"))
    assert people.nrows().numpy() == 2
    assert repr(people.field_value("y")) == "<tf.RaggedTensor [[1, 2], [3]]>"
    assert repr(nested.field_value("q").shape) == "TensorShape([2, None])"
    assert repr(nested.field_value("q").row_partitions[0].row_splits().numpy().tolist()) == (
        "[0, 2, 3]"
    )
    assert Structured.from_pyval({"a": 1}).nrows() is None
    with pytest.raises(KeyError):
        people.field_value("nope")


def test_text(people: Any) -> None:
    assert repr(people) == (
        "<StructuredTensor(\n    fields={\n"
        '        "x": tf.Tensor([1 2], shape=(2,), dtype=int32),\n'
        '        "y": <tf.RaggedTensor [[1, 2], [3]]>},\n    shape=(2,))>'
    )


def test_indexing(people: Any, nested: Any) -> None:
    assert people[0].to_pyval() == {"x": 1, "y": [1, 2]}
    assert people[0, "x"].numpy() == 1
    assert people[:, "x"].numpy().tolist() == [1, 2]
    assert people[1:].to_pyval() == [{"x": 2, "y": [3]}]
    assert nested[0, "q", 1].to_pyval() == {"z": 2}
    with pytest.raises(TypeError):
        people["x"]
    with pytest.raises(ValueError, match="places come before"):
        nested[:, "q", "z"]


def test_updates(people: Any, nested: Any) -> None:
    assert people.with_updates({"z": [7, 8], "y": None}).to_pyval() == [
        {"x": 1, "z": 7},
        {"x": 2, "z": 8},
    ]
    assert people.with_updates({"x": lambda v: v * 10})[:, "x"].numpy().tolist() == [10, 20]
    added = nested.with_updates({("q", "z"): lambda v: v + 1})
    assert added.to_pyval() == [{"q": [{"z": 2}, {"z": 3}]}, {"q": [{"z": 4}]}]
    promoted = nested.promote(("q", "z"), "zz")
    assert repr(promoted.field_value("zz")) == "<tf.RaggedTensor [[1, 2], [3]]>"
    with pytest.raises(ValueError, match="shape"):
        people.with_updates({"x": [1, 2, 3]})


def test_partitions_and_merging(people: Any) -> None:
    rows = tf.experimental.RowPartition.from_row_lengths([1, 1])
    cut = people.partition_outer_dimension(rows)
    assert cut.to_pyval() == [[PEOPLE[0]], [PEOPLE[1]]]
    assert cut.merge_dims(0, 1).to_pyval() == PEOPLE
    with pytest.raises(ValueError, match="rank at least 1"):
        people[0].partition_outer_dimension(rows)
    with pytest.raises(ValueError, match="out of bounds"):
        people.merge_dims(0, 5)


def test_constructors() -> None:
    fields = {"x": [1, 2], "y": [[1, 2], [3, 4]]}
    assert Structured.from_fields(fields, shape=[2]).to_pyval()[1] == {"x": 2, "y": [3, 4]}
    assert Structured.from_fields_and_rank(fields, rank=1).shape == (2,)
    assert Structured.from_fields({}, shape=[3]).to_pyval() == [{}, {}, {}]
    shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2)])
    assert Structured.from_shape(shape).to_pyval() == [[{}], [{}, {}]]
    rows = tf.ragged.constant([[1, 2], [3]])
    assert Structured.from_fields({"x": rows}, shape=[None, None]).to_pyval() == [
        [{"x": 1}, {"x": 2}],
        [{"x": 3}],
    ]


@pytest.mark.parametrize(
    ("error", "make"),
    [
        (ValueError, lambda: Structured.from_fields({"x": [1, 2], "y": [1]}, shape=[2])),
        (ValueError, lambda: Structured.from_fields({"x": [1, 2]}, shape=[3])),
        (TypeError, lambda: Structured.from_fields({1: 2})),
        (ValueError, lambda: Structured.from_fields_and_rank({"x": [1, 2]}, rank=2)),
        (ValueError, lambda: Structured.from_fields_and_rank({}, rank=1)),
        (KeyError, lambda: Structured.from_pyval([{"a": 1}, {"b": 2}])),
        (TypeError, lambda: Structured(1, 2)),
    ],
)
def test_mistakes(error: type[Exception], make: Any) -> None:
    with pytest.raises(error):
        make()


def test_functions_take_and_return_them(people: Any) -> None:
    assert tf.function(lambda x: x)(people).to_pyval() == PEOPLE
    assert len(tf.nest.flatten(people, expand_composites=True)) == 4
    assert bool(people == people)
