"""Programs with `tf.feature_column`: every column over dense, sparse and odd features."""

from __future__ import annotations

import copy
import gzip
import json
import os
import tempfile
from typing import Any

import numpy as np


def _dense(tf: Any, columns: Any, features: Any) -> Any:
    return tf.keras.layers.DenseFeatures(columns)(features)


def _sparse(tf: Any, indices: Any, values: Any, shape: Any) -> Any:
    return tf.SparseTensor(indices, values, shape)


def _ids(tf: Any, column: Any, features: Any) -> Any:
    """The categories that a column finds."""
    cache = tf.__internal__.feature_column.FeatureTransformationCache(features)
    found = column.get_sparse_tensors(cache, None)
    return [found.id_tensor, found.weight_tensor]


def _file(words: str) -> str:
    path = os.path.join(tempfile.mkdtemp(), "words.txt")
    with open(path, "w") as file:
        file.write(words)
    return path


_WORDS = [["cat", ""], ["dog", "cow"], ["", ""]]


def numbers(tf: Any) -> Any:
    fc = tf.feature_column
    one = fc.numeric_column("one")
    pair = fc.numeric_column("pair", shape=2, dtype=tf.int32)
    scaled = fc.numeric_column("scaled", shape=(2, 1), normalizer_fn=lambda x: x * 2.0)
    features = {
        "one": np.array([1.0, 2.0], "float32"),
        "pair": np.array([[1, 2], [3, 4]], "int32"),
        "scaled": np.array([[[1.0], [2.0]], [[3.0], [4.0]]], "float64"),
    }
    made: dict[Any, Any] = {}
    layer = tf.keras.layers.DenseFeatures([scaled, pair, one])
    whole = layer({k: tf.constant(v) for k, v in features.items()}, cols_to_output_tensors=made)
    shapes = layer.compute_output_shape((None, 1))
    parts = {column.name: value for column, value in made.items()}
    return [whole, parts, list(tf.TensorShape(shapes)), layer.weights]


def texts(tf: Any) -> Any:
    fc = tf.feature_column
    day = fc.categorical_column_with_identity("day", 7)
    word = fc.categorical_column_with_vocabulary_list("word", ("a", "b"), num_oov_buckets=1)
    columns = [
        fc.numeric_column("x", shape=[2], default_value=[1, 2.5]),
        fc.numeric_column("i", default_value=3, dtype=tf.int64),
        fc.bucketized_column(fc.numeric_column("x"), [1, 2]),
        day,
        word,
        fc.categorical_column_with_hash_bucket("h", 5, tf.int64),
        fc.crossed_column(["a", day], 9, 3),
        fc.indicator_column(word),
        fc.weighted_categorical_column(day, "w"),
        fc.sequence_numeric_column("s"),
        fc.sequence_categorical_column_with_identity("s", 4, 1),
        fc.categorical_column_with_vocabulary_file("f", "words.txt", 3, default_value=2),
    ]
    parents = [[p if isinstance(p, str) else p.name for p in c.parents] for c in columns]
    specs = [{k: repr(v) for k, v in c.parse_example_spec.items()} for c in columns]
    return [[repr(c) for c in columns], [c.name for c in columns], parents, specs]


def buckets(tf: Any) -> Any:
    fc = tf.feature_column
    one = fc.bucketized_column(fc.numeric_column("one"), [0.0, 1.5, 3.0])
    pair = fc.bucketized_column(fc.numeric_column("pair", shape=2), (1, 2))
    features = {
        "one": tf.constant([-1.0, 0.0, 1.5, 9.0]),
        "pair": tf.constant([[0.0, 1.0], [2.0, 3.0], [1.5, 1.5], [2.5, 0.5]]),
    }
    shapes = [list(pair.variable_shape), pair.num_buckets]
    embedded = fc.embedding_column(pair, 1, initializer=tf.constant_initializer([1, 2, 3, 4, 5, 6]))
    return [
        _dense(tf, [pair, one], features),
        _ids(tf, pair, features),
        shapes,
        _dense(tf, [embedded], features),
        _dense(tf, [fc.indicator_column(pair)], features),
    ]


def hashes(tf: Any) -> Any:
    fc = tf.feature_column
    word = fc.categorical_column_with_hash_bucket("word", 11)
    number = fc.categorical_column_with_hash_bucket("number", 7, dtype=tf.int64)
    features = {
        "word": tf.constant(_WORDS),
        "number": tf.constant([[1, -1], [2, 33], [-5, 0]]),
    }
    sparse = {"word": _sparse(tf, [[0, 0], [2, 1]], ["ä", "dog"], [3, 2])}
    return [
        _ids(tf, word, features),
        _ids(tf, number, features),
        _ids(tf, word, sparse),
        _dense(tf, [fc.indicator_column(number), fc.indicator_column(word)], features),
    ]


def vocabularies(tf: Any) -> Any:
    fc = tf.feature_column
    make = fc.categorical_column_with_vocabulary_list
    features = {"word": tf.constant(_WORDS), "n": tf.constant([[5, -1], [7, 9], [7, 7]])}
    columns = [
        make("word", ["dog", "cat"]),
        make("word", ["dog", "cat"], default_value=1),
        make("word", ["dog", "cat"], num_oov_buckets=3),
        make("n", [7, 5]),
        make("n", [7, 5], dtype=tf.int32, num_oov_buckets=2),
    ]
    return [[_ids(tf, c, features), c.num_buckets, c.dtype.name] for c in columns]


def files(tf: Any) -> Any:
    fc = tf.feature_column
    make = fc.categorical_column_with_vocabulary_file
    features = {"word": tf.constant(_WORDS), "n": tf.constant([[5, -1], [7, 9], [7, 7]])}
    columns = [
        make("word", _file("dog\ncat\ncow\n")),
        make("word", _file("dog\ncat\ncow\n"), vocabulary_size=2, num_oov_buckets=2),
        make("word", _file("dog\ncat\ncow"), default_value=0),
        make("n", _file("7\n5\n"), dtype=tf.int64),
    ]
    return [[_ids(tf, c, features), c.num_buckets] for c in columns]


def packed_files(tf: Any) -> Any:
    path = os.path.join(tempfile.mkdtemp(), "words.tfrecord.gz")
    with tf.io.TFRecordWriter(path, "GZIP") as writer:
        for word in ("dog", "cat"):
            writer.write(word)
    with gzip.open(path) as file:
        size = len(file.read())
    column = tf.feature_column.categorical_column_with_vocabulary_file("word", path)
    return [_ids(tf, column, {"word": tf.constant(_WORDS)}), column.file_format, size]


def identities(tf: Any) -> Any:
    fc = tf.feature_column
    plain = fc.categorical_column_with_identity("n", 3)
    safe = fc.categorical_column_with_identity("n", 3, default_value=1)
    features = {"n": tf.constant([[0, 2], [-1, 1]])}
    odd = {"n": _sparse(tf, [[0, 0], [1, 1], [2, 0]], tf.constant([7, -3, 2], tf.int32), [3, 2])}
    return [
        _ids(tf, plain, features),
        _ids(tf, safe, odd),
        _dense(tf, [fc.indicator_column(safe)], odd),
        _dense(tf, [fc.indicator_column(plain)], {"n": tf.constant([2, 0], tf.int64)}),
    ]


def weights(tf: Any) -> Any:
    fc = tf.feature_column
    tag = fc.categorical_column_with_vocabulary_list("tag", ["a", "b", "c"])
    column = fc.weighted_categorical_column(tag, "share")
    sparse = {
        "tag": _sparse(tf, [[0, 0], [0, 1], [1, 0], [1, 1]], ["a", "c", "z", "b"], [3, 2]),
        "share": _sparse(tf, [[0, 0], [0, 1], [1, 0], [1, 1]], [0.5, 2.0, 3.0, -1.0], [3, 2]),
    }
    dense = {
        "tag": tf.constant([["a", "a"], ["b", "c"]]),
        "share": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
    }
    whole = fc.weighted_categorical_column(tag, "share", dtype=tf.int32)
    counts = {**dense, "share": tf.constant([[1, 2], [3, 4]])}
    table = tf.constant_initializer([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    embedded = [
        fc.embedding_column(column, 2, combiner=c, initializer=table)
        for c in ("mean", "sum", "sqrtn")
    ]
    return [
        _ids(tf, column, sparse),
        _dense(tf, [fc.indicator_column(column)], sparse),
        _dense(tf, [fc.indicator_column(column)], dense),
        _dense(tf, [fc.indicator_column(whole)], counts),
        [_dense(tf, [e], f) for e in embedded for f in (sparse, dense)],
        column.name,
    ]


def crosses(tf: Any) -> Any:
    fc = tf.feature_column
    day = fc.categorical_column_with_identity("day", 7)
    age = fc.bucketized_column(fc.numeric_column("age"), [18, 65])
    word = fc.categorical_column_with_vocabulary_list("word", ["cat", "dog"])
    plain = fc.crossed_column(["word", "place"], 100)
    keyed = fc.crossed_column(["word", "place"], 100, hash_key=5)
    mixed = fc.crossed_column([day, "word", age], 1000)
    nested = fc.crossed_column([fc.crossed_column(["place", "word"], 10), word], 50)
    features = {
        "word": tf.constant([["cat", "dog"], ["cow", ""]]),
        "place": tf.constant([["home"], ["away"]]),
        "day": tf.constant([[1], [6]]),
        "age": tf.constant([[3.0], [65.0]]),
    }
    sparse = {**features, "word": _sparse(tf, [[0, 0], [1, 0]], ["cat", "dog"], [2, 1])}
    columns = [plain, keyed, mixed, nested]
    return [
        [_ids(tf, c, f) for c in columns for f in (features, sparse)],
        [c.name for c in columns],
        _dense(tf, [fc.indicator_column(fc.crossed_column(["word", "place"], 6))], sparse),
    ]


def embeddings(tf: Any) -> Any:
    fc = tf.feature_column
    table = tf.constant_initializer(np.arange(1.0, 9.0).reshape(4, 2))
    day = fc.categorical_column_with_identity("day", 4)
    features = {"day": _sparse(tf, [[0, 0], [0, 2], [2, 0]], [3, 1, -1], [3, 3])}
    full = {"day": tf.constant([[0, 1], [2, 3]], tf.int64)}
    made = []
    for combiner in ("mean", "sum", "sqrtn"):
        column = fc.embedding_column(day, 2, combiner=combiner, initializer=table)
        made += [_dense(tf, [column], features), _dense(tf, [column], full)]
    short = fc.embedding_column(day, 2, initializer=table, max_norm=1.0)
    fast = fc.embedding_column(day, 2, initializer=table, use_safe_embedding_lookup=False)
    wide = {"day": _sparse(tf, [[0, 0, 1], [1, 0, 0]], [3, 1], [2, 1, 2])}
    return [
        made,
        _dense(tf, [short], full),
        _dense(tf, [fast], full),
        _dense(tf, [fc.embedding_column(day, 2, initializer=table)], wide),
    ]


def drawn_embeddings(tf: Any) -> Any:
    fc = tf.feature_column
    tf.random.set_seed(3)
    a = fc.embedding_column(fc.categorical_column_with_identity("a", 3), 2)
    b = fc.embedding_column(fc.categorical_column_with_hash_bucket("b", 4), 3, trainable=False)
    layer = tf.keras.layers.DenseFeatures([b, a], name="columns")
    out = layer({"a": tf.constant([[1], [2]]), "b": tf.constant([["x"], ["y"]])})
    names = [v.name for v in layer.weights]
    return [out, names, [v.name for v in layer.trainable_weights]]


def sequences(tf: Any) -> Any:
    fc = tf.feature_column
    word = fc.sequence_categorical_column_with_vocabulary_list("word", ["a", "b", "c"])
    number = fc.sequence_numeric_column("number", shape=2, default_value=-1.0)
    table = tf.constant_initializer(np.arange(6.0).reshape(3, 2))
    places = [[0, 0], [0, 1], [2, 0]]
    features = {
        "word": _sparse(tf, places, ["b", "z", "c"], [3, 2]),
        "number": _sparse(
            tf, [[0, 0], [0, 1], [0, 2], [0, 3], [2, 0], [2, 1]], [1.0, 2, 3, 4, 5, 6], [3, 4]
        ),
    }
    both = [number, fc.embedding_column(word, 2, initializer=table)]
    layer = tf.keras.experimental.SequenceFeatures(both, name="steps")
    single = tf.keras.experimental.SequenceFeatures([fc.indicator_column(word)])
    deep = {"word": _sparse(tf, [[0, 0, 0], [0, 0, 1], [1, 1, 0]], ["a", "b", "c"], [2, 2, 2])}
    return [
        layer(features),
        [w.name for w in layer.weights],
        single(features),
        single(deep),
        list(layer.compute_output_shape((4, 5))),
    ]


def other_sequences(tf: Any) -> Any:
    fc = tf.feature_column
    hashed = fc.sequence_categorical_column_with_hash_bucket("h", 5)
    listed = fc.sequence_categorical_column_with_vocabulary_file("h", _file("a\nb\n"))
    number = fc.sequence_categorical_column_with_identity("n", 4, default_value=0)
    weighted = fc.weighted_categorical_column(listed, "w")
    features = {
        "h": _sparse(tf, [[0, 0], [1, 1]], ["a", "q"], [2, 2]),
        "n": _sparse(tf, [[0, 0], [1, 1]], tf.constant([3, 9], tf.int64), [2, 2]),
        "w": _sparse(tf, [[0, 0], [1, 1]], [0.5, 2.0], [2, 2]),
    }
    made = [
        tf.keras.experimental.SequenceFeatures([fc.indicator_column(c)])(features)
        for c in (hashed, listed, number)
    ]
    normal = fc.sequence_numeric_column("x", normalizer_fn=lambda x: x * 2.0, dtype=tf.float64)
    x = {"x": _sparse(tf, [[0, 0], [1, 1]], tf.constant([1.0, 2.0], tf.float64), [2, 2])}
    return [made, tf.keras.experimental.SequenceFeatures([normal])(x), weighted.num_buckets]


def examples(tf: Any) -> Any:
    fc = tf.feature_column
    day = fc.categorical_column_with_identity("day", 7)
    columns = [
        fc.numeric_column("x", shape=2),
        fc.indicator_column(fc.weighted_categorical_column(day, "w")),
        fc.embedding_column(day, 1, initializer=tf.ones_initializer()),
        fc.indicator_column(fc.crossed_column([day, "word"], 5)),
    ]
    spec = fc.make_parse_example_spec(columns)
    example = tf.train.Example()
    example.features.feature["x"].float_list.value.extend([1.0, 2.0])
    example.features.feature["day"].int64_list.value.extend([3, 4])
    example.features.feature["w"].float_list.value.extend([0.5, 1.5])
    example.features.feature["word"].bytes_list.value.append(b"cat")
    parsed = tf.io.parse_example([example.SerializeToString()], spec)
    return [{k: repr(spec[k]) for k in sorted(spec)}, _dense(tf, columns, parsed)]


def _normal(x: Any) -> Any:
    return x / 2.0


def configs(tf: Any) -> Any:
    fc, api = tf.feature_column, tf.__internal__.feature_column
    day = fc.categorical_column_with_identity("day", 7, default_value=0)
    columns = [
        fc.numeric_column("x", shape=2, normalizer_fn=_normal, default_value=1),
        fc.bucketized_column(fc.numeric_column("x"), [1, 2]),
        fc.embedding_column(day, 2, combiner="sum", max_norm=2.0),
        fc.indicator_column(fc.crossed_column(["a", day], 9)),
        fc.weighted_categorical_column(day, "w"),
        fc.categorical_column_with_vocabulary_list("v", ["a", "b"], num_oov_buckets=1),
        fc.categorical_column_with_vocabulary_file("f", "w.txt", vocabulary_size=2),
        fc.categorical_column_with_hash_bucket("h", 3),
        fc.sequence_numeric_column("s"),
        fc.indicator_column(fc.sequence_categorical_column_with_identity("s", 4)),
    ]
    written = [api.serialize_feature_column(c) for c in columns]
    plain = copy.deepcopy(written)  # TensorFlow changes what it reads
    read = [api.deserialize_feature_column(w, {"_normal": _normal}) for w in plain]
    same = [a == b for a, b in zip(columns, read)]
    del same[2]  # two initializers are never equal
    return [json.dumps(written), same, json.dumps(read[2].initializer.get_config())]


def layer_config(tf: Any) -> Any:
    fc = tf.feature_column
    day = fc.categorical_column_with_identity("day", 3)
    columns = [
        fc.embedding_column(day, 2, initializer=tf.keras.initializers.Ones()),
        fc.indicator_column(day),
    ]
    layer = tf.keras.layers.DenseFeatures(columns, name="columns")
    config = layer.get_config()
    again = type(layer).from_config(config, custom_objects={"Ones": tf.keras.initializers.Ones})
    shared = [c.categorical_column is again._feature_columns[0].categorical_column
              for c in again._feature_columns]  # fmt: skip
    return [json.dumps(config), again({"day": tf.constant([[1], [2]])}), shared]


def _model(tf: Any) -> Any:
    fc = tf.feature_column
    tf.keras.utils.set_random_seed(1)
    word = fc.categorical_column_with_vocabulary_list("word", ["a", "b"], num_oov_buckets=1)
    columns = [
        fc.numeric_column("x", shape=2),
        fc.embedding_column(word, 2, initializer=tf.keras.initializers.RandomUniform(seed=2)),
        fc.indicator_column(fc.crossed_column([word, "x2"], 4)),
    ]
    inputs = {
        "x": tf.keras.Input([2], name="x"),
        "word": tf.keras.Input([1], name="word", dtype="string"),
        "x2": tf.keras.Input([1], name="x2", dtype="int64"),
    }
    rows = {
        "x": np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], "float32"),
        "word": np.array([["a"], ["b"], ["c"]]),
        "x2": np.array([[1], [2], [3]]),
    }
    hidden = tf.keras.layers.DenseFeatures(columns)(inputs)
    dense = tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.GlorotUniform(3))
    return tf.keras.Model(inputs, dense(hidden)), rows


def trained_model(tf: Any) -> Any:
    model, rows = _model(tf)
    model.compile(tf.keras.optimizers.legacy.SGD(0.5), "mse")
    history = model.fit(rows, np.array([[1.0], [2.0], [3.0]]), epochs=3, verbose=0, shuffle=False)
    return [
        np.array(history.history["loss"], "float32"),
        model.predict(rows, verbose=0),
        type(model.layers[-2]).__name__,
    ]


def saved_models(tf: Any) -> Any:
    model, rows = _model(tf)
    want = model.predict(rows, verbose=0)
    close = []
    custom = {"RandomUniform": tf.keras.initializers.RandomUniform}
    for ending in (".h5", ".keras", ""):
        path = os.path.join(tempfile.mkdtemp(), "model" + ending)
        model.save(path)
        again = tf.keras.models.load_model(path, custom_objects=custom)
        close.append(bool(np.allclose(again.predict(rows, verbose=0), want)))
    return close


def subclassed_model(tf: Any) -> Any:
    fc = tf.feature_column
    x, day = fc.numeric_column("x"), fc.categorical_column_with_identity("day", 3)
    ones = tf.keras.initializers.Ones()
    columns = [x, fc.embedding_column(day, 2, initializer=ones)]
    features = tf.keras.layers.DenseFeatures(columns, name="features")
    score = tf.keras.layers.Dense(1, kernel_initializer=ones, name="score")
    model = tf.keras.Sequential([features, score], name="model")
    model.compile(tf.keras.optimizers.legacy.Adam(0.1), "mse", metrics=["mae"])
    rows = {"x": np.array([0.1, 0.2, 0.3, 0.4], "float32"), "day": np.array([0, 1, 2, 2])}
    data = tf.data.Dataset.from_tensor_slices((rows, np.array([1.0, 2, 3, 4], "float32"))).batch(2)
    history = model.fit(data, epochs=2, verbose=0)
    losses = {name: np.array(values, "float32") for name, values in history.history.items()}
    measured = np.array(model.evaluate(data, verbose=0), "float32")
    return [losses, measured, [w.name for w in model.weights]]


def in_a_function(tf: Any) -> Any:
    fc = tf.feature_column
    word = fc.categorical_column_with_vocabulary_list("word", ["cat", "dog"])
    layer = tf.keras.layers.DenseFeatures([fc.indicator_column(word), fc.numeric_column("x")])

    @tf.function(
        input_signature=[
            {"word": tf.TensorSpec([None, None], tf.string), "x": tf.TensorSpec([None], tf.float32)}
        ]
    )
    def run(features: Any) -> Any:
        return layer(features)

    return run({"word": tf.constant(_WORDS), "x": tf.constant([1.0, 2.0, 3.0])})


def unknown_rank(tf: Any) -> Any:
    column = tf.feature_column.numeric_column("x")

    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def run(x: Any) -> Any:
        cache = tf.__internal__.feature_column.FeatureTransformationCache({"x": x})
        return cache.get(column, None)

    return [run(tf.constant([1.0, 2.0])), run(tf.constant([[1.0], [2.0]]))]


def old_graph_layers(tf: Any) -> Any:
    fc, v1 = tf.feature_column, tf.compat.v1
    with tf.Graph().as_default():
        v1.set_random_seed(2)
        x = fc.numeric_column("x", shape=2)
        day = fc.categorical_column_with_identity("day", 3)
        word = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
        features = {
            "x": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
            "day": tf.constant([[0], [2]]),
            "word": tf.constant([["b"], ["c"]]),
        }
        columns = [x, fc.embedding_column(day, 2), fc.indicator_column(word)]
        found: dict[Any, Any] = {}
        outputs: dict[Any, Any] = {}
        whole = v1.feature_column.input_layer(
            features, columns, cols_to_vars=found, cols_to_output_tensors=outputs
        )
        again = v1.feature_column.input_layer(features, [x])
        weighted = fc.weighted_categorical_column(day, "w")
        linear: dict[Any, Any] = {}
        sums = v1.feature_column.linear_model(
            {**features, "w": tf.constant([[2.0], [3.0]])},
            [x, weighted, word],
            units=2,
            cols_to_vars=linear,
        )
        loss = tf.reduce_sum((sums - 1.0) ** 2) + tf.reduce_sum(whole**2)
        step = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        names = [v.name for v in v1.global_variables()]
        model = sorted(v.name for v in v1.get_collection(v1.GraphKeys.MODEL_VARIABLES))
        by_column = {
            c if isinstance(c, str) else c.name: [v.name for v in vs]
            for c, vs in {**found, **linear}.items()
        }
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), v1.tables_initializer()])
            first = session.run([whole, again, sums])
            losses = [session.run([loss, step])[0] for _ in range(3)]
            last = session.run(sums)
        tensors = sorted(c.name for c in outputs)
    return [names, model, by_column, first, losses, last, tensors]


def old_shared_tables(tf: Any) -> Any:
    fc, v1 = tf.feature_column, tf.compat.v1
    with tf.Graph().as_default():
        kinds = [fc.categorical_column_with_identity(k, 3) for k in ("a", "b")]
        table = v1.constant_initializer([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        both = v1.feature_column.shared_embedding_columns(kinds, 2, initializer=table)
        features = {"a": tf.constant([[0], [1]]), "b": tf.constant([[2], [1]])}
        whole = v1.feature_column.input_layer(features, both)
        names = [v.name for v in v1.global_variables()]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            return [session.run(whole), names, [c.name for c in both]]


def shared_tables(tf: Any) -> Any:
    fc, v1 = tf.feature_column, tf.compat.v1
    with tf.Graph().as_default():
        kinds = [fc.categorical_column_with_identity(k, 3) for k in ("b", "a")]
        table = v1.constant_initializer([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        both = fc.shared_embeddings(kinds, 2, initializer=table, combiner="sum")
        features = {"a": tf.constant([[0, 2], [1, 1]]), "b": tf.constant([[2], [1]])}
        whole = tf.keras.layers.DenseFeatures(both)(features)
        names = [v.name for v in v1.global_variables()]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            return [session.run(whole), names, [c.name for c in both]]


def from_checkpoint(tf: Any) -> Any:
    fc, v1 = tf.feature_column, tf.compat.v1
    path = os.path.join(tempfile.mkdtemp(), "model")
    with tf.Graph().as_default(), v1.Session() as session:
        table = v1.get_variable("old/rows", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        session.run(table.initializer)
        v1.train.Saver().save(session, path)
    with tf.Graph().as_default(), v1.Session() as session:
        day = fc.categorical_column_with_identity("day", 3)
        column = fc.embedding_column(day, 2, ckpt_to_load_from=path, tensor_name_in_ckpt="old/rows")
        whole = v1.feature_column.input_layer({"day": tf.constant([[2], [0]])}, [column])
        with v1.variable_scope("new"):
            rows = v1.get_variable("rows", [3, 2])
        v1.train.init_from_checkpoint(path, {"old/": "new/"})
        session.run(v1.global_variables_initializer())
        return session.run([whole, rows])


def _fails(name: str, action: Any) -> None:
    def case(tf: Any) -> Any:
        return action(tf, tf.feature_column)

    case.__name__ = name
    case.__module__ = __name__
    globals()[name] = case


_DAY = {"day": [[1], [2]]}
for _name, _action in {
    "scalar_feature": lambda tf, fc: _dense(tf, fc.numeric_column("x"), {"x": tf.constant(1.0)}),
    "missing_feature": lambda tf, fc: _dense(tf, fc.numeric_column("x"), {"y": tf.constant([1.0])}),
    "no_dictionary": lambda tf, fc: _dense(tf, fc.numeric_column("x"), tf.constant([1.0])),
    "sparse_number": lambda tf, fc: _dense(
        tf, fc.numeric_column("x"), {"x": _sparse(tf, [[0, 0]], [1.0], [1, 1])}
    ),
    "ragged_number": lambda tf, fc: _dense(
        tf, fc.numeric_column("x"), {"x": tf.ragged.constant([[1.0], [2.0, 3.0]])}
    ),
    "ragged_words": lambda tf, fc: _ids(
        tf,
        fc.categorical_column_with_hash_bucket("x", 3),
        {"x": tf.ragged.constant([["a"], ["b", "c"]])},
    ),
    "number_of_text": lambda tf, fc: _dense(tf, fc.numeric_column("x"), {"x": tf.constant(["a"])}),
    "identity_of_text": lambda tf, fc: _ids(
        tf, fc.categorical_column_with_identity("x", 3), {"x": tf.constant(["a"])}
    ),
    "identity_out_of_range": lambda tf, fc: _dense(
        tf,
        fc.embedding_column(fc.categorical_column_with_identity("x", 3), 2),
        {"x": tf.constant([7])},
    ),
    "list_of_integers_for_words": lambda tf, fc: _ids(
        tf, fc.categorical_column_with_vocabulary_list("x", ["a"]), {"x": tf.constant([1])}
    ),
    "hash_of_floats": lambda tf, fc: _ids(
        tf, fc.categorical_column_with_hash_bucket("x", 3), {"x": tf.constant([1.0])}
    ),
    "categorical_in_dense": lambda tf, fc: _dense(
        tf, fc.categorical_column_with_identity("day", 3), _DAY
    ),
    "sequence_in_dense": lambda tf, fc: _dense(
        tf, fc.indicator_column(fc.sequence_categorical_column_with_identity("day", 3)), _DAY
    ),
    "embedded_sequence_in_dense": lambda tf, fc: _dense(
        tf, fc.embedding_column(fc.sequence_categorical_column_with_identity("day", 3), 2), _DAY
    ),
    "dense_in_sequence": lambda tf, fc: tf.keras.experimental.SequenceFeatures(
        fc.indicator_column(fc.categorical_column_with_identity("day", 3))
    )(_DAY),
    "number_in_sequence": lambda tf, fc: tf.keras.experimental.SequenceFeatures(
        [fc.numeric_column("x")]
    ),
    "one_name_twice": lambda tf, fc: tf.keras.layers.DenseFeatures(
        [fc.numeric_column("x"), fc.numeric_column("x", shape=2)]
    ),
    "no_columns": lambda tf, fc: tf.keras.layers.DenseFeatures([]),
    "columns_as_dict": lambda tf, fc: tf.keras.layers.DenseFeatures({"x": fc.numeric_column("x")}),
    "other_columns": lambda tf, fc: tf.keras.layers.DenseFeatures(["x"]),
    "different_batches": lambda tf, fc: _dense(
        tf,
        [fc.numeric_column("x"), fc.numeric_column("y")],
        {"x": tf.constant([1.0]), "y": tf.constant([1.0, 2.0])},
    ),
    "different_lengths": lambda tf, fc: tf.keras.experimental.SequenceFeatures(
        [fc.sequence_numeric_column("x"), fc.sequence_numeric_column("y")]
    )(
        {
            "x": _sparse(tf, [[0, 0], [0, 1]], [1.0, 2.0], [1, 2]),
            "y": _sparse(tf, [[0, 0]], [1.0], [1, 2]),
        }
    ),
    "wrong_weight_dtype": lambda tf, fc: _ids(
        tf,
        fc.weighted_categorical_column(fc.categorical_column_with_identity("day", 3), "w"),
        {"day": tf.constant([[1]]), "w": tf.constant([[1]])},
    ),
    "fewer_weights_than_words": lambda tf, fc: _dense(
        tf,
        fc.indicator_column(
            fc.weighted_categorical_column(fc.categorical_column_with_identity("day", 3), "w")
        ),
        {"day": tf.constant([[1, 2]]), "w": tf.constant([[1.0, 0.0]])},
    ),
    "weights_in_a_cross": lambda tf, fc: _ids(
        tf,
        fc.crossed_column(
            [
                fc.weighted_categorical_column(fc.categorical_column_with_identity("day", 3), "w"),
                "x",
            ],
            5,
        ),
        {"d": tf.constant([[1]]), "w": tf.constant([[1.0]]), "x": tf.constant([["a"]])},
    ),
    "shape_of_text": lambda tf, fc: fc.numeric_column("x", shape="a"),
    "shape_of_zero": lambda tf, fc: fc.numeric_column("x", shape=0),
    "text_numbers": lambda tf, fc: fc.numeric_column("x", dtype=tf.string),
    "key_of_number": lambda tf, fc: fc.numeric_column(3),
    "default_of_another_shape": lambda tf, fc: fc.numeric_column("x", default_value=[1, 2]),
    "default_float_for_int": lambda tf, fc: fc.numeric_column(
        "x", default_value=1.5, dtype=tf.int32
    ),
    "normalizer_of_number": lambda tf, fc: fc.numeric_column("x", normalizer_fn=2),
    "boundaries_falling": lambda tf, fc: fc.bucketized_column(fc.numeric_column("x"), [2, 1]),
    "boundaries_missing": lambda tf, fc: fc.bucketized_column(fc.numeric_column("x"), []),
    "buckets_of_matrix": lambda tf, fc: fc.bucketized_column(
        fc.numeric_column("x", shape=(2, 2)), [1]
    ),
    "buckets_of_text": lambda tf, fc: fc.bucketized_column("x", [1]),
    "no_hash_buckets": lambda tf, fc: fc.categorical_column_with_hash_bucket("x", 0),
    "missing_hash_buckets": lambda tf, fc: fc.categorical_column_with_hash_bucket("x", None),
    "hashed_floats": lambda tf, fc: fc.categorical_column_with_hash_bucket("x", 3, tf.float32),
    "no_identity": lambda tf, fc: fc.categorical_column_with_identity("x", 0),
    "identity_default_outside": lambda tf, fc: fc.categorical_column_with_identity("x", 3, 3),
    "empty_list": lambda tf, fc: fc.categorical_column_with_vocabulary_list("x", []),
    "word_twice": lambda tf, fc: fc.categorical_column_with_vocabulary_list("x", ["a", "a"]),
    "list_of_floats": lambda tf, fc: fc.categorical_column_with_vocabulary_list("x", [1.0]),
    "list_of_other_dtype": lambda tf, fc: fc.categorical_column_with_vocabulary_list(
        "x", ["a"], dtype=tf.int32
    ),
    "list_default_and_buckets": lambda tf, fc: fc.categorical_column_with_vocabulary_list(
        "x", ["a"], default_value=0, num_oov_buckets=1
    ),
    "list_negative_buckets": lambda tf, fc: fc.categorical_column_with_vocabulary_list(
        "x", ["a"], num_oov_buckets=-1
    ),
    "no_file": lambda tf, fc: fc.categorical_column_with_vocabulary_file("x", ""),
    "absent_file": lambda tf, fc: fc.categorical_column_with_vocabulary_file("x", "/no/such"),
    "absent_file_of_known_size": lambda tf, fc: _ids(
        tf,
        fc.categorical_column_with_vocabulary_file("x", "/no/such", vocabulary_size=2),
        {"x": tf.constant(["a"])},
    ),
    "file_too_short": lambda tf, fc: _ids(
        tf,
        fc.categorical_column_with_vocabulary_file("x", _file("a\n"), vocabulary_size=3),
        {"x": tf.constant(["a"])},
    ),
    "file_of_no_words": lambda tf, fc: fc.categorical_column_with_vocabulary_file("x", _file("")),
    "file_default_and_buckets": lambda tf, fc: fc.categorical_column_with_vocabulary_file(
        "x", _file("a\n"), default_value=0, num_oov_buckets=1
    ),
    "indicator_of_number": lambda tf, fc: fc.indicator_column(fc.numeric_column("x")),
    "weights_of_text": lambda tf, fc: fc.weighted_categorical_column(
        fc.categorical_column_with_identity("x", 3), "w", tf.string
    ),
    "cross_of_one": lambda tf, fc: fc.crossed_column(["a"], 3),
    "cross_of_number": lambda tf, fc: fc.crossed_column(["a", fc.numeric_column("x")], 3),
    "cross_of_hash": lambda tf, fc: fc.crossed_column(
        ["a", fc.categorical_column_with_hash_bucket("x", 3)], 3
    ),
    "cross_without_buckets": lambda tf, fc: fc.crossed_column(["a", "b"], 0),
    "embedding_of_no_size": lambda tf, fc: fc.embedding_column(
        fc.categorical_column_with_identity("x", 3), 0
    ),
    "embedding_half_a_checkpoint": lambda tf, fc: fc.embedding_column(
        fc.categorical_column_with_identity("x", 3), 2, ckpt_to_load_from="x"
    ),
    "embedding_first_value": lambda tf, fc: fc.embedding_column(
        fc.categorical_column_with_identity("x", 3), 2, initializer=3
    ),
    "embedding_combiner": lambda tf, fc: _dense(
        tf,
        fc.embedding_column(fc.categorical_column_with_identity("day", 3), 2, combiner="max"),
        {"day": tf.constant([[1]])},
    ),
    "shared_eagerly": lambda tf, fc: fc.shared_embeddings(
        [fc.categorical_column_with_identity("x", 3)], 2
    ),
    "spec_of_text": lambda tf, fc: fc.make_parse_example_spec(["x"]),
    "specs_that_differ": lambda tf, fc: fc.make_parse_example_spec(
        [fc.numeric_column("x"), fc.categorical_column_with_identity("x", 3)]
    ),
    "weights_of_the_same_feature": lambda tf, fc: fc.make_parse_example_spec(
        [fc.weighted_categorical_column(fc.categorical_column_with_identity("x", 3), "x")]
    ),
    "unknown_class": lambda tf, fc: tf.__internal__.feature_column.deserialize_feature_column(
        {"class_name": "Nothing", "config": {}}
    ),
    "config_of_other_keys": lambda tf, fc: (
        tf.__internal__.feature_column.deserialize_feature_column(
            {"class_name": "NumericColumn", "config": {"key": "x"}}
        )
    ),
    "config_of_text": lambda tf, fc: tf.__internal__.feature_column.serialize_feature_column(3),
}.items():
    _fails(_name, _action)
del _action
