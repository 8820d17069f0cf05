"""Values for arguments: such as nothing can take, and such as fit the names of parameters.

Each is made by a function of the library, so that TensorFlow can be asked about the same call.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

_BIG = 2**62


def _structured() -> Any:
    return np.zeros(2, [("a", "i4"), ("b", "f4")])


def _nested(depth: int) -> Any:
    made: Any = 1.0
    for _ in range(depth):
        made = [made]
    return made


def _objects(*values: Any) -> Any:
    made = np.empty(len(values), object)
    made[:] = values
    return made


BAD: dict[str, Callable[[Any], Any]] = {
    "None": lambda tf: None,
    "True": lambda tf: True,
    "zero": lambda tf: 0,
    "minus one": lambda tf: -1,
    "three": lambda tf: 3,
    "2**31": lambda tf: 2**31,
    "2**62": lambda tf: _BIG,
    "-2**63": lambda tf: -(2**63),
    "10**30": lambda tf: 10**30,
    "1.5": lambda tf: 1.5,
    "nan": lambda tf: math.nan,
    "inf": lambda tf: math.inf,
    "-inf": lambda tf: -math.inf,
    "1j": lambda tf: 1j,
    "no text": lambda tf: "",
    "text": lambda tf: "a",
    "path": lambda tf: "no/such/file",
    "bytes": lambda tf: b"\xff\x00",
    "no list": lambda tf: [],
    "no tuple": lambda tf: (),
    "no dict": lambda tf: {},
    "set": lambda tf: {1, 2},
    "ragged list": lambda tf: [[1, 2], [3]],
    "mixed list": lambda tf: [1, "a", None],
    "list of None": lambda tf: [None],
    "list of text": lambda tf: ["a", "b"],
    "huge shape": lambda tf: [_BIG, _BIG],
    "negative shape": lambda tf: [-1, -1],
    "shape of inf": lambda tf: [math.inf],
    "rank 10": lambda tf: _nested(10),
    "dict": lambda tf: {"a": 1},
    "dict of shape": lambda tf: {"a": [1, 2], 3: None},
    "module": lambda tf: math,
    "namespace": lambda tf: types.SimpleNamespace(),
    "object": lambda tf: object(),
    "class": lambda tf: object,
    "lambda": lambda tf: lambda *args, **kwargs: None,
    "raising": lambda tf: "".index,
    "range": lambda tf: range(3),
    "generator": lambda tf: (x for x in [1]),
    "error": lambda tf: ValueError("a"),
    "slice": lambda tf: slice(None),
    "ellipsis": lambda tf: ...,
    "no numbers": lambda tf: np.zeros([0], np.float32),
    "no columns": lambda tf: np.zeros([2, 0], np.float32),
    "float16": lambda tf: np.ones([2, 3], np.float16),
    "uint64": lambda tf: np.full([2], 2**64 - 1, np.uint64),
    "bools": lambda tf: np.ones([2, 3], bool),
    "complexes": lambda tf: np.ones([2, 3], np.complex64),
    "dates": lambda tf: np.zeros(2, "M8[s]"),
    "structured": lambda tf: _structured(),
    "objects": lambda tf: _objects(None, object()),
    "texts": lambda tf: np.array(["a", "bc"]),
    "array of rank 10": lambda tf: np.ones([1] * 10, np.float32),
    "array of nan": lambda tf: np.full([2, 3], np.nan, np.float32),
    "ints of 64": lambda tf: np.full([2], 2**62, np.int64),
    "negative ints": lambda tf: np.array([-5, -1], np.int32),
    "scalar array": lambda tf: np.array(7),
    "tensor": lambda tf: tf.constant([[1.0, 2.0], [3.0, 4.0]]),
    "int tensor": lambda tf: tf.constant([5, -7]),
    "string tensor": lambda tf: tf.constant(["a", "b"]),
    "scalar tensor": lambda tf: tf.constant(2),
    "sparse": lambda tf: tf.sparse.from_dense([[1.0, 0.0]]),
    "ragged": lambda tf: tf.ragged.constant([[1], [2, 3]]),
    "variable": lambda tf: tf.Variable([1.0, 2.0]),
    "dataset": lambda tf: tf.data.Dataset.range(3),
    "spec": lambda tf: tf.TensorSpec([None, 2]),
    "unknown shape": lambda tf: tf.TensorShape(None),
    "string dtype": lambda tf: tf.string,
    "variant dtype": lambda tf: tf.variant,
    "dtype name": lambda tf: "float99",
    "layer": lambda tf: tf.keras.layers.Dense(2),
    "keras tensor": lambda tf: tf.keras.Input([3]),
    "array class": lambda tf: np.ndarray,
}

FITTING: dict[str, Callable[[Any], Any]] = {
    "floats": lambda tf: np.arange(6, dtype=np.float32).reshape(2, 3) / 7,
    "square": lambda tf: np.eye(3, dtype=np.float32),
    "ints": lambda tf: np.array([[0, 1, 2], [1, 2, 0]], np.int32),
    "indices": lambda tf: np.array([0, 1], np.int32),
    "images": lambda tf: np.ones([2, 6, 6, 3], np.float32),
    "series": lambda tf: np.ones([2, 8, 3], np.float32),
    "volumes": lambda tf: np.ones([1, 4, 4, 4, 2], np.float32),
    "filter": lambda tf: np.ones([2, 2, 3, 4], np.float32),
    "words": lambda tf: np.array([b"a", b"b c"], object),
    "shape": lambda tf: [2, 3],
    "one": lambda tf: 1,
    "two": lambda tf: 2,
    "half": lambda tf: 0.5,
    "yes": lambda tf: True,
    "no": lambda tf: False,
    "float32": lambda tf: tf.float32,
    "seed": lambda tf: [1, 2],
    "same": lambda tf: "SAME",
    "valid": lambda tf: "valid",
    "name": lambda tf: "name",
    "file": lambda tf: "file",
    "function": lambda tf: tf.identity,
    "relu": lambda tf: "relu",
    "dataset": lambda tf: tf.data.Dataset.range(3),
    "variable": lambda tf: tf.Variable([1.0, 2.0]),
    "sparse": lambda tf: tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]),
    "ragged": lambda tf: tf.ragged.constant([[1.0], [2.0, 3.0]]),
    "spec": lambda tf: tf.TensorSpec([2], tf.float32),
    "features": lambda tf: {"a": tf.io.FixedLenFeature([], tf.float32)},
    "operator": lambda tf: tf.linalg.LinearOperatorIdentity(2),
    "operators": lambda tf: [tf.linalg.LinearOperatorIdentity(2)],
    "layer": lambda tf: tf.keras.layers.Dense(2),
    "cell": lambda tf: tf.keras.layers.GRUCell(2),
    "tensors": lambda tf: [tf.ones([2, 3]), tf.ones([2, 3])],
    "table": lambda tf: tf.lookup.KeyValueTensorInitializer(["a"], [1]),
    "model": lambda tf: tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))]),
    "optimizer": lambda tf: tf.keras.optimizers.SGD(0.1),
    "module": lambda tf: tf.Module(),
}

_NAMES = {
    "floats": "x y a b inputs input tensor value values logits labels y_true y_pred data features",
    "square": "matrix rhs chol",
    "ints": "start end ids segment_ids",
    "indices": "indices index permutation lengths sequence_length row_splits",
    "images": "image images",
    "filter": "filter filters_ kernel depthwise_kernel",
    "words": "string strings serialized contents bytes records",
    "shape": "shape size output_shape input_shape target_shape dims multiples dense_shape",
    "one": "axis dim rank strides stride dilation_rate dilations output_dim num_heads step",
    "two": "units filters kernel_size pool_size n k depth num num_classes batch_size count key_dim",
    "half": "rate alpha learning_rate momentum epsilon stddev mean minval factor delta",
    "yes": "training keepdims trainable",
    "float32": "dtype out_type Tout output_dtype",
    "seed": "seed",
    "same": "padding",
    "name": "name key pattern separator equation",
    "file": "path filename filepath file_pattern directory filenames logdir export_dir prefix",
    "function": "fn func function f map_func body cond true_fn false_fn predicate reduce_func",
    "relu": "activation identifier",
    "dataset": "dataset datasets input_dataset",
    "variable": "variable ref var_list",
    "sparse": "sp_input sp_a sparse",
    "ragged": "rt_input",
    "spec": "spec type_spec element_spec signature",
    "operator": "operator",
    "operators": "operators",
    "layer": "layer",
    "cell": "cell",
    "tensors": "tensors arrays",
    "table": "initializer",
    "model": "model",
    "optimizer": "optimizer",
    "module": "obj root",
}
BY_PARAMETER = {name: key for key, names in _NAMES.items() for name in names.split()}
