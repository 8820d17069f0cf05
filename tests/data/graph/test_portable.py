"""Datasets as bytes: what is read again is the same dataset, and nonsense is refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.values import nest
from runnel.data.graph.portable import from_bytes, to_bytes
from runnel.data.run.states import decode, encode

Dataset = tf.data.Dataset


def _options() -> Any:
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 3
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    return options


def _nested(x: Any) -> Any:
    inner = Dataset.range(x + 1).map(lambda y: y * x)  # `inner` captures a tensor of this graph
    return inner.flat_map(lambda y: Dataset.from_tensors(y + x))


def _looped(x: Any) -> Any:
    total = tf.constant(0, tf.int64)
    for i in tf.range(x):
        total += i if i % 2 == 0 else -i
    return total


MADE: dict[str, Callable[[], Any]] = {
    "slices": lambda: Dataset.from_tensor_slices({"a": [1.5, 2.5], "b": ["x", "y"]}),
    "function": lambda: Dataset.range(6).map(lambda x: (tf.strings.as_string(x), x * 2)),
    "control flow": lambda: Dataset.range(6).map(_looped),
    "datasets in datasets": lambda: Dataset.range(4).flat_map(_nested),
    "interleave": lambda: Dataset.range(4).interleave(_nested, cycle_length=2),
    "windows": lambda: Dataset.range(8).window(3, 2).flat_map(lambda w: w.batch(3)),
    "groups": lambda: Dataset.range(8).group_by_window(
        lambda x: x % 3, lambda k, g: g.map(lambda v: v + k).batch(4), 2
    ),
    "shuffle": lambda: Dataset.range(9).shuffle(4, seed=3).repeat(2),
    "padded": lambda: Dataset.range(5).map(tf.range).padded_batch(2, padding_values=-1),
    "ragged": lambda: Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3]])).batch(2),
    "sparse": lambda: Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2]])),
    "chosen": lambda: Dataset.sample_from_datasets([Dataset.range(9), Dataset.range(4)], seed=2),
    "options": lambda: Dataset.range(3).with_options(_options()),
    "scan": lambda: Dataset.range(5).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s)),
    "reduced inside": lambda: Dataset.range(4).map(
        lambda x: Dataset.range(x).reduce(tf.constant(0, tf.int64), lambda s, y: s + y)
    ),
    "random numbers": lambda: Dataset.range(3).map(
        lambda x: tf.random.stateless_uniform([], [1, x])
    ),
    "captured": lambda: _captured(),
}


def _captured() -> Any:
    table = tf.range(100)
    return Dataset.range(5).map(lambda x: table[x * 3])


def _plain(value: Any) -> Any:
    if isinstance(value, tf.SparseTensor):
        value = tf.sparse.to_dense(value)
    if hasattr(value, "to_list"):
        return value.to_list()
    return np.asarray(value).tolist()


@pytest.mark.parametrize("name", MADE)
def test_what_is_read_again_is_the_same_dataset(name: str) -> None:
    made = MADE[name]()
    again = Dataset(from_bytes(to_bytes(made._node)))
    assert again.element_spec == made.element_spec
    assert int(again.cardinality()) == int(made.cardinality())
    assert again.options() == made.options()
    found, wanted = (
        [[_plain(v) for v in nest.flatten(element)] for element in islice(dataset, 12)]
        for dataset in (again, MADE[name]())
    )
    assert found == wanted


def test_a_dataset_of_files_goes_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n")
    Dataset.range(3).save(str(tmp_path / "saved"))
    lines = tf.data.TextLineDataset(str(tmp_path / "a"))
    again = Dataset(from_bytes(to_bytes(lines._node)))
    assert list(again.as_numpy_iterator()) == [b"one", b"two"]
    loaded = Dataset.load(str(tmp_path / "saved")).cache(str(tmp_path / "cache"))
    again = Dataset(from_bytes(to_bytes(loaded._node)))
    assert [int(x) for x in again] == [0, 1, 2]


def test_errors_of_what_is_read_again_name_the_users_line() -> None:
    failing = Dataset.range(3).map(lambda x: 6 // (x - 1))
    again = Dataset(from_bytes(to_bytes(failing._node)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"element 1 .*test_portable\.py:"):
        list(again)


def test_what_runs_python_is_refused_by_name() -> None:
    def refuse(dataset: Any, message: str) -> None:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            to_bytes(dataset._node)

    spec = tf.TensorSpec([], tf.int64)
    refuse(Dataset.from_generator(lambda: iter([1]), output_signature=spec), "runs Python code")
    numpy = Dataset.range(3).map(lambda x: tf.numpy_function(abs, [x], tf.int64))
    refuse(numpy.batch(2), r"function lambda of MapDataset.*calls Python")
    inside = Dataset.range(3).flat_map(
        lambda x: Dataset.range(x).map(lambda y: tf.py_function(abs, [y], tf.int64))
    )
    refuse(inside, "calls Python")


def test_nonsense_is_data_loss() -> None:
    whole = to_bytes(Dataset.range(3).map(lambda x: x + 1).batch(2)._node)
    choice = random.Random(0)
    for _ in range(60):
        broken = bytearray(whole[: choice.randrange(1, len(whole))])
        broken[choice.randrange(len(broken))] = choice.randrange(256)
        with pytest.raises(tf.errors.DataLossError):
            from_bytes(bytes(broken))
    tree = decode(whole)
    tree["dataset"]["nodes"][0][0] = "Popen"
    with pytest.raises(tf.errors.DataLossError, match="no dataset"):
        from_bytes(encode(tree))
