"""Files of data: records, messages, tables, and what datasets keep."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import runnel as tf
from runnel.core.protos import messages
from runnel.saved_model.command_line import main as saved_model_cli
from tests.robustness.hostile.format import Case, Damage, Exploit, Format
from tests.robustness.hostile.mutations import (
    damage_bytes,
    damage_file,
    damage_message,
    damage_message_file,
    damage_one_of,
    one_of,
)


def _records(path: str, records: list[bytes], compression: str | None = None) -> None:
    with tf.io.TFRecordWriter(path, compression) as writer:
        for record in records:
            writer.write(record)


def _make_records(folder: str) -> None:
    for name, compression in _COMPRESSIONS.items():
        _records(f"{folder}/{name}", [b"record %d" % i * i for i in range(9)], compression)


_COMPRESSIONS = {"plain": "", "gzip": "GZIP", "zlib": "ZLIB"}


def _load_records(folder: str) -> None:
    refused = None
    for name, compression in _COMPRESSIONS.items():
        if os.path.exists(f"{folder}/{name}"):
            try:
                list(tf.data.TFRecordDataset(f"{folder}/{name}", compression))
            except tf.errors.OpError as error:
                refused = error
    if refused is not None:
        raise refused


# Messages


def _example() -> Any:
    example = messages.Example()
    features = example.features.feature
    features["a"].int64_list.value.extend([1, 2, 3])
    features["b"].float_list.value.extend([0.5, 1.5])
    features["c"].bytes_list.value.extend([b"one", b"two"])
    return example


def _make_example(folder: str) -> None:
    with open(f"{folder}/example", "wb") as file:
        file.write(_example().SerializeToString())
    sequence = messages.SequenceExample()
    sequence.context.CopyFrom(_example().features)
    features = sequence.feature_lists.feature_list["s"].feature
    features.add().int64_list.value.extend([1, 2])
    with open(f"{folder}/sequence", "wb") as file:
        file.write(sequence.SerializeToString())
    with open(f"{folder}/tensor", "wb") as file:
        file.write(tf.io.serialize_tensor(tf.constant([[1.0, 2.0]])).numpy())


_MESSAGES = {
    "example": messages.Example,
    "sequence": messages.SequenceExample,
    "tensor": messages.TensorProto,
}


def _damage_example(folder: str, chance: Random) -> str:
    name = chance.choice(sorted(_MESSAGES))
    how = damage_message_file(f"{folder}/{name}", _MESSAGES[name], chance)
    for other in _MESSAGES:
        if other != name:
            os.remove(f"{folder}/{other}")
    return f"{name} {how}"


def _load_example(folder: str) -> None:
    features = {
        "a": tf.io.FixedLenFeature([3], tf.int64),
        "b": tf.io.VarLenFeature(tf.float32),
        "c": tf.io.RaggedFeature(tf.string),
    }
    lists = {"s": tf.io.VarLenFeature(tf.int64)}
    readers: dict[str, Callable[[Any], Any]] = {
        "example": lambda data: (
            tf.io.parse_single_example(data, features),
            tf.io.parse_example([data, data], features),
        ),
        "sequence": lambda data: tf.io.parse_single_sequence_example(data, features, lists),
        "tensor": lambda data: tf.io.parse_tensor(data, tf.float32),
    }
    for name, reader in readers.items():
        if os.path.exists(f"{folder}/{name}"):
            reader(tf.io.read_file(f"{folder}/{name}"))


def _huge_tensor(case: Case) -> None:
    message = messages.TensorProto(dtype=1, float_val=[1.0])
    message.tensor_shape.dim.add().size = 2**40
    _only_tensor(case, message)


def _odd_tensor(case: Case) -> None:
    message = messages.TensorProto(dtype=1, tensor_content=b"abc")
    message.tensor_shape.dim.add().size = -7
    _only_tensor(case, message)


def _only_tensor(case: Case, message: Any) -> None:
    for name in ("example", "sequence"):
        os.remove(f"{case.folder}/{name}")
    with open(f"{case.folder}/tensor", "wb") as file:
        file.write(message.SerializeToString())


def _make_events(folder: str) -> None:
    writer = tf.summary.create_file_writer(folder)
    with writer.as_default():
        for step in range(5):
            tf.summary.scalar("loss", 0.5, step=step)
            tf.summary.histogram("weights", [1.0, 2.0, 3.0], step=step)
    writer.close()


def _load_events(folder: str) -> None:
    for path in tf.io.gfile.glob(f"{folder}/events*"):
        list(tf.data.TFRecordDataset(path))


def _graph() -> Any:
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def step(x: tf.Tensor) -> tf.Tensor:
        y = tf.nn.relu(tf.linalg.matmul(x, tf.ones([3, 2])))
        return tf.cond(tf.reduce_sum(y) > 0, lambda: tf.concat([y, y], 0), lambda: y * 2.0)

    return step.get_concrete_function().graph.as_graph_def()


def _make_graph(folder: str) -> None:
    with open(f"{folder}/graph.pb", "wb") as file:
        file.write(_graph().SerializeToString())


def _damage_graph(folder: str, chance: Random) -> str:
    return damage_message_file(f"{folder}/graph.pb", messages.GraphDef, chance)


def _load_graph(folder: str) -> None:
    with open(f"{folder}/graph.pb", "rb") as file:
        data = file.read()
    try:
        graph_def = messages.GraphDef.FromString(data)
    except Exception as error:  # protobuf's own class: nothing of ours has read anything yet
        raise ValueError(str(error)) from error
    with tf.Graph().as_default():
        tf.graph_util.import_graph_def(graph_def, name="")


# Tables


def _make_csv(folder: str) -> None:
    with open(f"{folder}/table.csv", "w") as file:
        file.write("a,b,c\n" + "".join(f'{i},{i / 2},"text, ""{i}"""\n' for i in range(20)))


def _load_csv(folder: str) -> None:
    path = f"{folder}/table.csv"
    list(tf.data.TextLineDataset(path))
    made = tf.data.experimental.make_csv_dataset(
        path, 4, num_epochs=1, shuffle=False, column_defaults=[0, 0.0, ""]
    )
    for attempt in (made, tf.data.experimental.CsvDataset(path, [0, 0.0, ""], header=True)):
        list(attempt)


def _make_vocabulary(folder: str) -> None:
    with open(f"{folder}/words.txt", "w") as file:
        file.write("\n".join(["one", "zwölf", "drei drei", "four"]))


def _load_vocabulary(folder: str) -> None:
    path = f"{folder}/words.txt"
    known = tf.lookup.TextFileInitializer(
        path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, -1
    )
    tf.lookup.StaticHashTable(known, -1).lookup(tf.constant(["one"]))
    tf.keras.layers.StringLookup(vocabulary=path)(tf.constant(["one", "x"]))
    tf.keras.layers.TextVectorization(vocabulary=path)(tf.constant(["one two"]))


def _make_npz(folder: str) -> None:
    np.savez(f"{folder}/x.npz", x=np.ones([2], np.float32), y=np.arange(3))

    class Scaling(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None])])
        def scale(self, x: tf.Tensor) -> tf.Tensor:
            return x * 2.0

    scaling = Scaling()
    tf.saved_model.save(scaling, f"{folder}/model", signatures=scaling.scale)


def _damage_npz(folder: str, chance: Random) -> str:
    """Damage the file, or an array in it."""
    path = f"{folder}/x.npz"
    if chance.random() < 0.5:
        return damage_file(path, chance)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(sorted(members))
    members[name], how = damage_bytes(members[name], chance)
    with zipfile.ZipFile(path, "w") as archive:
        for key, data in members.items():
            archive.writestr(key, data)
    return f"{name} {how}"


def _load_npz(folder: str) -> None:
    command = ["run", "--dir", f"{folder}/model", "--tag_set", "serve"]
    command += ["--signature_def", "serving_default", "--inputs", f"x={folder}/x.npz[x]"]
    saved_model_cli(command)


class _Evil:
    def __init__(self, path: str) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return open, (self._path, "w")


def _pickled(case: Case) -> None:
    with zipfile.ZipFile(f"{case.folder}/x.npz", "w") as archive:
        header = io.BytesIO()
        shape = {"descr": "|O", "fortran_order": False, "shape": (1,)}
        np.lib.format.write_array_header_1_0(header, shape)
        data = header.getvalue() + pickle.dumps([_Evil(f"{case.elsewhere}/run")])
        archive.writestr("x.npy", data)


# What datasets keep


def _elements() -> tf.data.Dataset:
    numbers = {"a": tf.range(6), "b": tf.constant([f"text {i}" for i in range(6)])}
    return tf.data.Dataset.from_tensor_slices(numbers)


def _keeping(keep: Callable[[tf.data.Dataset, str], Any]) -> Callable[[str], None]:
    return lambda folder: _all_of(keep(_elements(), f"{folder}/kept"))


def _all_of(dataset: tf.data.Dataset) -> None:
    """Read all elements, which are never fewer in silence."""
    count = sum(1 for _ in dataset)
    if count < 6:
        raise AssertionError(f"{count} elements of 6")


def _snapshot(dataset: tf.data.Dataset, path: str) -> tf.data.Dataset:
    return dataset.snapshot(path)


def _cache(dataset: tf.data.Dataset, path: str) -> tf.data.Dataset:
    return dataset.cache(path)


def _save(folder: str) -> None:
    _elements().save(f"{folder}/kept")


def _load_saved(folder: str) -> None:
    _all_of(tf.data.Dataset.load(f"{folder}/kept"))


def _damage_kept(folder: str, chance: Random) -> str:
    """Damage a file, or the content of a record under a right checksum."""
    paths = [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names]
    path = chance.choice(sorted(paths))
    try:
        records = [record.numpy() for record in tf.data.TFRecordDataset(path)]
        record = chance.randrange(len(records))
    except (tf.errors.OpError, ValueError):
        return damage_file(path, chance)
    records[record], how = damage_bytes(records[record], chance)
    _records(path, records)
    return f"{os.path.basename(path)} record {how}"


def _damage_event(folder: str, chance: Random) -> str:
    (path,) = tf.io.gfile.glob(f"{folder}/events*")
    records = [record.numpy() for record in tf.data.TFRecordDataset(path)]
    event = messages.Event.FromString(records[-1])
    how = damage_message(event, chance)
    _records(path, [*records[:-1], event.SerializeToString()])
    return how


_RECORDS: Damage = one_of([damage_one_of, _damage_kept])
FORMATS = [
    Format("records", 200, _make_records, damage_one_of, _load_records),
    Format(
        "Example", 200, _make_example, _damage_example, _load_example,
        [Exploit("huge", _huge_tensor), Exploit("odd", _odd_tensor)],
    ),
    Format("events", 200, _make_events, one_of([damage_one_of, _damage_event]), _load_events),
    Format("GraphDef", 200, _make_graph, _damage_graph, _load_graph),
    Format("CSV", 200, _make_csv, damage_one_of, _load_csv),
    Format("vocabulary", 200, _make_vocabulary, damage_one_of, _load_vocabulary),
    Format("npz", 200, _make_npz, _damage_npz, _load_npz, [Exploit("pickle", _pickled)]),
    Format("snapshot", 200, _keeping(_snapshot), _RECORDS, _keeping(_snapshot)),
    Format("Dataset.load", 200, _save, _RECORDS, _load_saved),
    Format("cache", 200, _keeping(_cache), damage_one_of, _keeping(_cache)),
]  # fmt: skip
