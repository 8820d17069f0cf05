"""Writes models with TensorFlow, and what they give, to `saved_models/*.zip`.

    python tests/golden/make_saved_models.py [NAME ...]

Names are of programs in `saved_model_programs.py`; without any, all models are written.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tf_keras import Model as KerasModel
from tf_keras import Sequential, layers, models

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.golden.keras_models import OWN_INPUT, of_own_layers
from tests.golden.saved_model_answers import FOLDER, called, encode, pack
from tests.golden.saved_model_programs import PROGRAMS, Call, values

v1 = tf.compat.v1


def filled(model: Any) -> Any:
    """A Keras model with weights that do not depend on chance."""
    model.set_weights([values(*w.shape, scale=0.05) + 0.1 for w in model.get_weights()])
    return model


def keras_dense() -> Any:
    parts = [layers.Dense(4, "relu"), layers.BatchNormalization(), layers.Dense(2, "softmax")]
    model = Sequential([layers.Input([3]), *parts])
    return filled(model), values(4, 3)


def keras_conv() -> Any:
    parts = [
        layers.Conv2D(3, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dropout(0.5),
        layers.Dense(2),
    ]
    return filled(Sequential([layers.Input([8, 8, 1]), *parts])), values(2, 8, 8, 1)


def keras_lstm() -> Any:
    model = Sequential([layers.Input([None, 2]), layers.LSTM(3), layers.Dense(1)])
    return filled(model), values(2, 4, 2)


def keras_embedding() -> Any:
    parts = [layers.Embedding(9, 4), layers.GlobalAveragePooling1D(), layers.Dense(2)]
    model = Sequential([layers.Input([5], dtype="int32"), *parts])
    return filled(model), np.int32([[1, 2, 3, 0, 8], [4, 4, 4, 4, 4]])


def keras_attention() -> Any:
    x = layers.Input([4, 6])
    y = layers.MultiHeadAttention(2, 3)(x, x)
    y = layers.LayerNormalization()(y + x)
    return filled(KerasModel(x, y)), values(2, 4, 6)


KERAS = (keras_dense, keras_conv, keras_lstm, keras_embedding, keras_attention)


def gradients(model: Any, x: Any) -> list[Any]:
    """Those of the sum of the squares of a Keras model's outputs."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(model(x, training=False)))
    found = tape.gradient(loss, list(model.trainable_variables))
    return [tf.convert_to_tensor(g).numpy() for g in found]


def session(folder: str) -> None:
    """A model of TensorFlow 1: both kinds of variables, a table from a file."""
    words = Path(tempfile.mkdtemp()) / "words.txt"
    words.write_text("a\nb\n")
    with tf.Graph().as_default(), v1.Session() as run:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        keys = v1.placeholder(tf.string, [None], name="keys")
        w = v1.get_variable("w", initializer=values(2, 3), use_resource=True)
        b = v1.get_variable("b", initializer=values(3), use_resource=False, trainable=False)
        y = tf.nn.relu(x @ w + b, name="y")
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, path := tf.constant(str(words)))
        lines = tf.lookup.TextFileInitializer(
            path,
            tf.string,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        )
        table = v1.lookup.StaticVocabularyTable(lines, num_oov_buckets=1)
        found = table.lookup(keys)
        run.run([v1.global_variables_initializer(), v1.tables_initializer()])
        v1.saved_model.simple_save(
            run,
            folder,
            {"x": x, "keys": keys},
            {"y": y, "found": found},
            legacy_init_op=v1.tables_initializer(),
        )


def session_sparse(folder: str) -> None:
    """A model of TensorFlow 1 with a sparse and a ragged tensor in its signature."""
    with tf.Graph().as_default(), v1.Session() as run:
        places = v1.sparse_placeholder(tf.float32, [None, 3], name="places")
        rows = v1.ragged.placeholder(tf.int32, 1, name="rows")
        w = v1.get_variable("w", initializer=values(3, 2), use_resource=True)
        y = tf.sparse.sparse_dense_matmul(places, w)
        doubled = tf.ragged.map_flat_values(lambda x: x * 2, rows)
        run.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(
            run,
            folder,
            {"places": places, "rows": rows},
            {"y": y, "same": places, "doubled": doubled},
        )


def record(name: str, save: Any, calls: list[Call], of_keras: bool = False) -> None:
    with tempfile.TemporaryDirectory() as folder:
        save(folder)
        loaded = tf.saved_model.load(folder)
        answers = [
            {**call._asdict(), "args": encode(call.args), "kwargs": encode(call.kwargs)}
            | {"result": encode(called(tf, loaded, call))}
            for call in calls
        ]
        if of_keras:
            answers[0]["gradients"] = encode(gradients(loaded, tf.constant(calls[0].args[0])))
        pack(Path(folder), name, answers)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PROGRAMS:
        model, calls, signatures = PROGRAMS[name](tf)
        record(
            name,
            lambda folder, m=model, s=signatures: tf.saved_model.save(m, folder, signatures=s),
            calls,
        )
    if sys.argv[1:]:
        sys.exit()
    fed = {"x": values(2, 2), "keys": np.array([b"b", b"zzz"], object)}
    parts = {
        "places_indices": np.int64([[0, 1], [1, 2]]),
        "places_values": np.float32([5.0, 6.0]),
        "places_dense_shape": np.int64([2, 3]),
        "rows_component_0": np.int32([1, 2, 3]),
        "rows_component_1": np.int64([0, 1, 3]),
    }
    for write, given in ((session, fed), (session_sparse, parts)):
        written = Path(tempfile.mkdtemp()) / "session"
        write(str(written))
        record(
            write.__name__,
            lambda folder, path=written: shutil.copytree(path, folder, dirs_exist_ok=True),
            [Call("serving_default", (), given, signature=True)],
        )
    for make in KERAS:
        model, x = make()
        called_ = Call("__call__", (x,), {"training": False})
        served = Call("serving_default", (), {model.input_names[0]: x}, signature=True)
        record(
            make.__name__,
            lambda folder, m=model: models.save_model(m, folder, save_format="tf"),
            [called_, served],
            of_keras=True,
        )
    for name, model in of_own_layers(tf).items():
        record(
            name,
            lambda folder, m=model: models.save_model(m, folder, save_format="tf"),
            [
                Call("__call__", (np.float32(OWN_INPUT),), {"training": train})
                for train in (False, True)
            ],
        )
