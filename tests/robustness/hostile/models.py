"""Files of models: .keras, .h5, SavedModels, checkpoints, JSON."""

from __future__ import annotations

import glob
import json
import os
import zipfile
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import h5py
import numpy as np

import runnel as tf
from runnel.core.protos import messages
from tests.robustness.hostile.configs import CONFIGS
from tests.robustness.hostile.format import Case, Exploit, Format
from tests.robustness.hostile.mutations import (
    damage_bytes,
    damage_json,
    damage_message_file,
    damage_one_of,
    one_of,
)


def _model() -> Any:
    layers = tf.keras.layers
    entry = tf.keras.Input([6], name="entry")
    x = layers.Dense(4, activation="relu", kernel_regularizer="l2")(entry)
    x = tf.math.exp(layers.BatchNormalization()(x))[:, :3]
    x = layers.Concatenate()([x, layers.Reshape([2, 3])(entry)[:, 0]])
    model = tf.keras.Model(entry, layers.Dense(2, name="out")(x))
    model.compile("adam", "mse", metrics=["mae"])
    model.optimizer.build(model.trainable_variables)
    return model


# .keras


def _read_members(path: str) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _write_members(path: str, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def _damage_member(folder: str, chance: Random) -> str:
    """Damage what is in the archive, and pack it again."""
    path = f"{folder}/model.keras"
    members = _read_members(path)
    name = chance.choice([*members, "config.json", "config.json"])
    if chance.random() < 0.05:
        members[chance.choice(["../evil", "/evil", "x" * 300, "assets/../../evil"])] = members.pop(
            name
        )
        how = "renamed"
    elif name.endswith(".json") and chance.random() < 0.9:
        text, how = damage_json(members[name].decode(), chance)
        members[name] = text.encode(errors="replace")
    elif name.endswith(".h5") and chance.random() < 0.5:
        with open(f"{folder}/inner.h5", "wb") as file:
            file.write(members[name])
        how = _damage_h5(f"{folder}/inner.h5", chance)
        with open(f"{folder}/inner.h5", "rb") as file:
            members[name] = file.read()
    else:
        members[name], how = damage_bytes(members[name], chance)
    _write_members(path, members)
    return f"{name} {how}"


def _parsed(text: Any) -> Any:
    """What a user's own program reads before it asks Keras: nested too deep, it is no config."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("too deep for Python's json") from error


def _load_keras(folder: str) -> None:
    tf.keras.models.load_model(f"{folder}/model.keras").get_weights()


def _keras_config(config: Callable[[Case], Any]) -> Callable[[Case], None]:
    def make(case: Case) -> None:
        members = _read_members(f"{case.folder}/model.keras")
        members["config.json"] = json.dumps(config(case)).encode()
        _write_members(f"{case.folder}/model.keras", members)

    return make


def _zip_bomb(case: Case) -> None:
    with zipfile.ZipFile(f"{case.folder}/model.keras", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("config.json", b" " * (1 << 28))


def _keras_elsewhere(kind: str) -> Callable[[Case], None]:
    def make(case: Case) -> None:
        path = f"{case.folder}/model.keras"
        members = _read_members(path)
        with open(f"{case.folder}/inner.h5", "wb") as file:
            file.write(members["model.weights.h5"])
        _point_elsewhere(f"{case.folder}/inner.h5", case, kind)
        with open(f"{case.folder}/inner.h5", "rb") as file:
            members["model.weights.h5"] = file.read()
        _write_members(path, members)

    return make


# .h5


def _objects(h5: Any) -> list[Any]:
    found = [h5]
    h5.visititems(lambda name, thing: found.append(thing))
    return found


_LIMITS = [0, -1, 2**31, 2**62, b"", b"x" * 2000, "text", float("nan"), [[1]], np.zeros([3, 0])]


def _damage_h5(path: str, chance: Random) -> str:
    """Change an attribute or an array of an HDF5 file, or put another in its place."""
    with h5py.File(path, "r+") as h5:
        thing = chance.choice(_objects(h5))
        attributes = list(thing.attrs)
        if attributes and chance.random() < 0.6:
            name = chance.choice(attributes)
            how = _damage_attribute(thing, name, chance)
            return f"{thing.name}@{name} {how}"
        inner = [one for one in _objects(h5) if one.name != "/"]
        if not inner:
            return "nothing"
        return _damage_object(h5, chance.choice(inner).name, chance)


def _damage_attribute(thing: Any, name: str, chance: Random) -> str:
    value = thing.attrs[name]
    if isinstance(value, str) and value.startswith("{"):
        text, how = damage_json(value, chance)
        thing.attrs[name] = text.replace("\0", "").encode(errors="replace")
        return how
    del thing.attrs[name]
    if chance.random() < 0.8:
        thing.attrs[name] = chance.choice(_LIMITS)
    return "replaced"


def _damage_object(h5: Any, name: str, chance: Random) -> str:
    way = chance.choice(["del", "group", "loop", "shape", "dtype", "huge", "moved"])
    if way == "moved":
        h5.move(name, f"{name}-moved")
        return f"{name} moved"
    del h5[name]
    if way == "group":
        h5.create_group(name)
    elif way == "loop":
        h5[name] = h5py.SoftLink(name)
    elif way == "shape":
        h5[name] = np.zeros(chance.choice([(), (0,), (1, 2, 3, 4, 5), (1000,)]), np.float32)
    elif way == "dtype":
        h5[name] = chance.choice([b"text", np.int64(3), np.zeros([2], "S5"), np.zeros(4, "c16")])
    elif way == "huge":
        h5.create_dataset(name, [2**40], np.float32, chunks=(1024,))
    return f"{name} {way}"


def _damage_h5_file(folder: str, chance: Random) -> str:
    return _damage_h5(f"{folder}/model.h5", chance)


def _load_h5(folder: str) -> None:
    tf.keras.models.load_model(f"{folder}/model.h5").get_weights()


def _h5_config(config: Callable[[Case], Any]) -> Callable[[Case], None]:
    def make(case: Case) -> None:
        with h5py.File(f"{case.folder}/model.h5", "r+") as h5:
            h5.attrs["model_config"] = json.dumps(config(case)).encode()

    return make


def _point_elsewhere(path: str, case: Case, kind: str) -> None:
    """Have an array of an HDF5 file be in another file."""
    with h5py.File(path, "r+") as h5:
        name = next(one.name for one in _objects(h5) if isinstance(one, h5py.Dataset))
        shape, dtype = h5[name].shape, h5[name].dtype
        del h5[name]
        secret = f"{case.elsewhere}/secret.txt"
        if kind == "link":
            h5[name] = h5py.ExternalLink(secret, "/x")
        elif kind == "storage":
            size = int(np.prod(shape)) * dtype.itemsize
            h5.create_dataset(name, shape, dtype, external=[(secret, 0, max(size, 1))])
        else:
            layout = h5py.VirtualLayout(shape, dtype)
            layout[...] = h5py.VirtualSource(secret, "x", shape, dtype)
            h5.create_virtual_dataset(name, layout)


def _h5_elsewhere(kind: str) -> Callable[[Case], None]:
    return lambda case: _point_elsewhere(f"{case.folder}/model.h5", case, kind)


_ELSEWHERE = ("link", "storage", "virtual")


# SavedModels


class _Table(tf.Module):
    def __init__(self, vocabulary: str) -> None:
        super().__init__()
        known = tf.lookup.TextFileInitializer(
            vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, -1
        )
        self.table = tf.lookup.StaticHashTable(known, -1)
        self.scale = tf.Variable([2.0, 3.0])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def find(self, words: tf.Tensor) -> tf.Tensor:
        found = tf.cast(self.table.lookup(words), tf.float32)
        return tf.while_loop(lambda x: tf.reduce_sum(x) < 9.0, lambda x: [x + 1.0], [found])[0]


def _make_saved_models(folder: str) -> None:
    _model().save(f"{folder}/keras", save_format="tf")
    with open(f"{folder}/words.txt", "w") as file:
        file.write("one\ntwo\nthree\n")
    module = _Table(f"{folder}/words.txt")
    tf.saved_model.save(module, f"{folder}/module", signatures=module.find)


def _damage_graph(folder: str, chance: Random) -> str:
    kind = chance.choice(["keras", "module"])
    path = f"{folder}/{kind}/saved_model.pb"
    return f"{kind}: " + damage_message_file(path, messages.SavedModel, chance)


def _load_saved_models(folder: str) -> None:
    module = tf.saved_model.load(f"{folder}/module")
    if isinstance(module.signatures, Mapping):  # a file may say that it is another object
        for signature in module.signatures.values():
            signature(tf.constant(["one", "x"]))
    tf.keras.models.load_model(f"{folder}/keras")


def _edited(change: Callable[[Any, Case], None]) -> Callable[[Case], None]:
    """A SavedModel whose message is changed."""

    def make(case: Case) -> None:
        path = f"{case.folder}/module/saved_model.pb"
        with open(path, "rb") as file:
            message = messages.SavedModel.FromString(file.read())
        change(message.meta_graphs[0], case)
        with open(path, "wb") as file:
            file.write(message.SerializeToString())

    return make


def _asset_elsewhere(graph: Any, case: Case) -> None:
    """Another file as an asset: by a path that leads out of the folder, and by a whole one."""
    graph.asset_file_def[0].filename = "../../../../elsewhere/secret.txt"


def _whole_asset(graph: Any, case: Case) -> None:
    graph.asset_file_def[0].filename = f"{case.elsewhere}/secret.txt"


def _reading_initializer(graph: Any, case: Case) -> None:
    """The function that fills the table writes a file instead."""
    for function in graph.graph_def.library.function:
        for node in function.node_def:
            if "InitializeTableFromTextFile" in node.op:
                node.op = "WriteFile"
                node.ClearField("attr")


# Checkpoints


def _make_checkpoints(folder: str) -> None:
    checkpoint = _checkpoint()
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    manager.save()
    manager.save()


def _checkpoint() -> tf.train.Checkpoint:
    return tf.train.Checkpoint(
        a=tf.Variable(np.ones([20, 3], np.float32)),
        words=tf.Variable(["one", "two"]),
        model=_model(),
    )


def _load_checkpoints(folder: str) -> None:
    latest = tf.train.latest_checkpoint(folder) or f"{folder}/ckpt-2"
    reader = tf.train.load_checkpoint(latest)
    for name in reader.get_variable_to_shape_map():
        reader.get_tensor(name)
    checkpoint = _checkpoint()
    checkpoint.restore(latest).expect_partial()
    manager = tf.train.CheckpointManager(_checkpoint(), folder, max_to_keep=2)
    manager.restore_or_initialize()


# JSON

_READERS: dict[str, Callable[[str], Any]] = {
    "model": lambda text: tf.keras.models.model_from_json(text),
    "layer": lambda text: tf.keras.layers.deserialize(_parsed(text)),
    "optimizer": lambda text: tf.keras.optimizers.deserialize(_parsed(text)),
    "loss": lambda text: tf.keras.losses.deserialize(_parsed(text)),
    "metric": lambda text: tf.keras.metrics.deserialize(_parsed(text)),
    "initializer": lambda text: tf.keras.initializers.deserialize(_parsed(text)),
    "regularizer": lambda text: tf.keras.regularizers.deserialize(_parsed(text)),
    "constraint": lambda text: tf.keras.constraints.deserialize(_parsed(text)),
    "schedule": lambda text: tf.keras.optimizers.schedules.deserialize(_parsed(text)),
    "functional": lambda text: tf.keras.Model.from_config(_parsed(text)),
    "sequential": lambda text: tf.keras.Sequential.from_config(_parsed(text)),
    "tokenizer": lambda text: tf.keras.preprocessing.text.tokenizer_from_json(text),
}


def _stacked() -> Any:
    layers = tf.keras.layers
    cells = layers.RNN([layers.LSTMCell(3), layers.GRUCell(2)])
    parts = [
        layers.Conv1D(4, 3, padding="same"),
        layers.Bidirectional(layers.LSTM(2, return_sequences=True)),
    ]
    parts += [layers.TimeDistributed(layers.Dense(3)), layers.MultiHeadAttention(1, 2), cells]
    x = entry = tf.keras.Input([5, 2])
    for part in parts:
        x = part(x, x) if isinstance(part, layers.MultiHeadAttention) else part(x)
    return tf.keras.Model(entry, x)


def _make_configs(folder: str) -> None:
    k = tf.keras
    words = k.Sequential(
        [k.Input([1], dtype="string"), k.layers.StringLookup(vocabulary=["a", "b"])]
    )
    tokens = k.preprocessing.text.Tokenizer()
    tokens.fit_on_texts(["one two", "two three"])
    rate = k.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    texts = {
        "model": _model().to_json(),
        "model-words": words.to_json(),
        "model-stacked": _stacked().to_json(),
        "layer": json.dumps(k.layers.serialize(k.layers.Conv2D(3, 2, kernel_regularizer="l2"))),
        "layer-wrapped": json.dumps(k.layers.serialize(k.layers.Bidirectional(k.layers.GRU(2)))),
        "optimizer": json.dumps(k.optimizers.serialize(k.optimizers.Adam(rate))),
        "loss": json.dumps(k.losses.serialize(k.losses.Huber())),
        "metric": json.dumps(k.metrics.serialize(k.metrics.AUC())),
        "initializer": json.dumps(k.initializers.serialize(k.initializers.HeNormal(3))),
        "regularizer": json.dumps(k.regularizers.serialize(k.regularizers.L1L2(0.1, 0.2))),
        "constraint": json.dumps(k.constraints.serialize(k.constraints.MaxNorm(2))),
        "schedule": json.dumps(k.optimizers.schedules.serialize(rate)),
        "functional": json.dumps(_model().get_config()),
        "sequential": json.dumps(words.get_config()),
        "tokenizer": tokens.to_json(),
    }
    for name, text in texts.items():
        with open(f"{folder}/{name}.json", "w") as file:
            file.write(text)


def _damage_config(folder: str, chance: Random) -> str:
    """Damage one of the configs; the others are not read again."""
    path = chance.choice(sorted(glob.glob(f"{folder}/*.json")))
    with open(path) as file:
        text, how = damage_json(file.read(), chance)
    _only(path, text)
    return f"{os.path.basename(path)} {how}"


def _only(path: str, text: str) -> None:
    for other in glob.glob(f"{os.path.dirname(path)}/*.json"):
        os.remove(other)
    with open(path, "w", errors="replace") as file:
        file.write(text)


def _load_configs(folder: str) -> None:
    for path in sorted(glob.glob(f"{folder}/*.json")):
        kind = os.path.basename(path).removesuffix(".json").partition("-")[0]
        with open(path) as file:
            _READERS[kind](file.read())


def _json_config(config: Callable[[Case], Any]) -> Callable[[Case], None]:
    return lambda case: _only(f"{case.folder}/model.json", json.dumps(config(case)))


def _inner_config(config: Callable[[Case], Any]) -> Callable[[Case], None]:
    def make(case: Case) -> None:
        made = config(case)
        path = f"{case.folder}/{made['class_name'].lower()}.json"
        _only(path, json.dumps(made["config"]))

    return make


FORMATS = [
    Format(
        "keras",
        1000,
        lambda folder: _model().save(f"{folder}/model.keras"),
        one_of([_damage_member, _damage_member, damage_one_of]),
        _load_keras,
        [Exploit(name, _keras_config(config)) for name, config in CONFIGS.items()]
        + [Exploit(kind, _keras_elsewhere(kind)) for kind in _ELSEWHERE]
        + [Exploit("bomb", _zip_bomb)],
    ),
    Format(
        "h5",
        1000,
        lambda folder: _model().save(f"{folder}/model.h5"),
        one_of([_damage_h5_file, damage_one_of]),
        _load_h5,
        [Exploit(name, _h5_config(config)) for name, config in CONFIGS.items()]
        + [Exploit(kind, _h5_elsewhere(kind)) for kind in _ELSEWHERE],
    ),
    Format(
        "SavedModel",
        1000,
        _make_saved_models,
        one_of([_damage_graph, _damage_graph, damage_one_of]),
        _load_saved_models,
        [
            Exploit("asset_elsewhere", _edited(_asset_elsewhere)),
            Exploit("whole_asset", _edited(_whole_asset)),
            Exploit("reading_initializer", _edited(_reading_initializer)),
        ],
    ),
    Format("checkpoint", 1000, _make_checkpoints, damage_one_of, _load_checkpoints),
    Format(
        "JSON",
        1000,
        _make_configs,
        _damage_config,
        _load_configs,
        [Exploit(name, _json_config(config)) for name, config in CONFIGS.items()]
        + [Exploit(f"{name}_inner", _inner_config(config)) for name, config in CONFIGS.items()],
    ),
]
