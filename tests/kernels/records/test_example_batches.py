"""Batches of records read side by side give what records read one by one give."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.kernels.records import example_wire as wire
from runnel.kernels.records.example_batches import Batch, column

KEYS = ["id", "x", "name", "a key that is much longer than the others", ""]


def _feature(rng: random.Random) -> Any:
    count = rng.choice([0, 1, 1, 1, 2, 40])
    kind = rng.choice(["ints", "floats", "texts"])
    if kind == "ints":
        value: Any = [rng.choice([0, 1, 127, 128, 300, 2**40, -1, -(2**63)]) for _ in range(count)]
        return tf.train.Feature(int64_list=tf.train.Int64List(value=value))
    if kind == "floats":
        value = [rng.random() for _ in range(count)]
        return tf.train.Feature(float_list=tf.train.FloatList(value=value))
    value = [bytes(rng.choice([0, 3, 120, 200])) for _ in range(count)]
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=value))


def _record(rng: random.Random, keys: list[str]) -> bytes:
    feature = {key: _feature(rng) for key in keys}
    example = tf.train.Example(features=tf.train.Features(feature=feature))
    return example.SerializeToString(deterministic=rng.random() < 0.5)  # type: ignore[no-any-return]


def _alike(rng: random.Random) -> bytes:
    """Records as one program writes them: the same keys, values of several sizes."""
    number = rng.choice([1, 200, 10**9])
    feature = {
        "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
        "x": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0, number])),
        "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes(number % 190)])),
    }
    example = tf.train.Example(features=tf.train.Features(feature=feature))
    return example.SerializeToString(deterministic=True)  # type: ignore[no-any-return]


def _assert_agree(records: list[bytes]) -> None:
    batch = Batch(records)
    singles = [wire.example(record) for record in records]
    assert set().union(*singles) <= set(batch.fields)
    for key, field in batch.fields.items():
        wanted = [single.get(key, (0, 0, 0)) for single in singles]
        assert field.kinds.tolist() == [kind for kind, _, _ in wanted]
        for kind in (wire.BYTES, wire.FLOAT, wire.INT64):
            lengths, values = column(batch, field, kind)
            alone = [wire.values(r, w) if w[0] == kind else [] for r, w in zip(records, wanted)]
            found = np.broadcast_to(lengths, len(records)).tolist()
            assert found == [len(part) for part in alone]
            assert values.tolist() == [v for part in alone for v in list(part)]


@pytest.mark.parametrize("seed", range(40))
def test_records_side_by_side_are_as_read_alone(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.choice([1, 5, 30])
    if seed % 2:
        _assert_agree([_alike(rng) for _ in range(count)])
    else:
        _assert_agree([_record(rng, rng.sample(KEYS, rng.randint(0, 5))) for _ in range(count)])


def test_records_without_anything_are_empty() -> None:
    _assert_agree([b""] * 10)
    _assert_agree([b"", *[_alike(random.Random(i)) for i in range(9)]])


@pytest.mark.parametrize("seed", range(60))
def test_damaged_records_fail_or_read_as_they_do_alone(seed: int) -> None:
    rng = random.Random(seed)
    records = [_alike(rng) for _ in range(8)]
    damaged = bytearray(records[rng.choice([0, 3])])
    for _ in range(rng.choice([1, 4])):
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    if rng.random() < 0.3:
        damaged = damaged[: rng.randrange(len(damaged))]
    records[rng.choice([0, 3])] = bytes(damaged)
    features = {"id": tf.io.VarLenFeature(tf.int64), "x": tf.io.RaggedFeature(tf.float32)}
    try:
        alone = [tf.io.parse_single_example(record, features) for record in records]
    except tf.errors.InvalidArgumentError:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.parse_example(records, features)
        return
    together = tf.io.parse_example(records, features)
    wanted = [n for one in alone for n in one["id"].values.numpy().tolist()]
    assert together["id"].values.numpy().tolist() == wanted
    np.testing.assert_array_equal(
        together["x"].flat_values.numpy(), np.concatenate([one["x"].numpy() for one in alone])
    )


def test_a_record_of_the_batch_is_named_in_errors() -> None:
    records = [_alike(random.Random(i)) for i in range(9)]
    missing = tf.train.Example().SerializeToString()
    features = {"id": tf.io.FixedLenFeature([], tf.int64)}
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Example 4, key: id\. Feature"):
        tf.io.parse_example([*records[:4], missing, *records[4:]], features)
    with pytest.raises(tf.errors.InvalidArgumentError, match="number 9"):
        tf.io.parse_example([*records, b"\x0a\xff"], features)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Example 0, key: id\. Number of"):
        tf.io.parse_example(records, {"id": tf.io.FixedLenFeature([2], tf.int64)})


def test_defaults_stand_where_a_feature_is_missing() -> None:
    records = [_alike(random.Random(i)) for i in range(9)]
    missing = tf.train.Example().SerializeToString()
    features = {"id": tf.io.FixedLenFeature([], tf.int64, default_value=-5)}
    found = tf.io.parse_example([*records[:4], missing, *records[4:]], features)["id"].numpy()
    alone = [int(tf.io.parse_single_example(r, features)["id"]) for r in records]
    assert found.tolist() == [*alone[:4], -5, *alone[4:]]
