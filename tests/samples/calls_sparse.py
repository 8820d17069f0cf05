"""Public functions of sparse tensors."""

import numpy as np

from tests.samples import call, floats, made, symbol, tensor


def sparse(indices, values, shape):
    return made("SparseTensor", indices, values, shape)


A = sparse([[0, 1], [1, 0]], [1.5, -2.0], [2, 3])
B = sparse([[0, 1], [1, 2]], [-1.0, 4.0], [2, 3])
WHOLE = sparse([[0, 1], [1, 0]], [1, 2], [2, 3])
UNSORTED = sparse([[1, 0], [0, 1]], [1.0, 2.0], [2, 3])
OUTSIDE = sparse([[0, 7]], [1.0], [2, 3])
TWICE = sparse([[0, 1], [0, 1]], [1.0, 2.0], [2, 3])
EMPTY = sparse(np.zeros((0, 2), np.int64), np.zeros(0, np.float32), [2, 3])
CUBE = sparse([[0, 0, 1], [0, 1, 0], [1, 0, 0]], [-3.0, 2.0, 5.0], [2, 3, 4])
WORDS = sparse([[0, 0], [1, 0], [1, 1]], tensor(["a", "b", "c"]), [2, 2])
MORE = sparse([[0, 0], [1, 0]], tensor(["d", "e"]), [2, 1])
NUMBERS = sparse([[0, 0], [1, 0]], [5, 6], [2, 1])
TEXT = tensor([["x", "y"], ["z", "w"]])
ones = tensor(np.ones((2, 3), np.float32))

CLASS = [
    call("SparseTensor", [[0, 1], [2, 3]], [1.0, 2.0], [3, 4]),
    call("SparseTensor", np.zeros((0, 2)), tensor([], "string"), [3, 4]),
    call("SparseTensor", [[0, 9]], [1], [3, 4]),
    call("SparseTensor", [0, 1], [1.0, 2.0], [3, 4]),
    call("SparseTensor", [[0, 1]], [1.0, 2.0], [3, 4]),
    call("SparseTensor", [[0, 1]], [1.0], [3]),
    call("SparseTensor", [[0, 1]], 1.0, [3, 4]),
    call("SparseTensor", [[0, 1]], [1.0], [[3, 4]]),
    call("SparseTensor", tensor([[0, 1]]), [1.0], [3, 4]),
    call("SparseTensor.from_value", A),
    call("SparseTensor.from_value", 5),
    call("SparseTensor.with_values", A, [7, 8]),
    call("SparseTensor.with_values", A, [7]),
    call("SparseTensor.__mul__", A, 2.0),
    call("SparseTensor.__mul__", A, ones),
    call("SparseTensor.__mul__", A, tensor([1.0, 2.0, 3.0])),
    call("SparseTensor.__mul__", WHOLE, 2.5),
    call("SparseTensor.__mul__", A, tensor(2)),
    call("SparseTensor.__mul__", A, tensor([1.0, 2.0])),
    call("SparseTensor.__truediv__", A, 2.0),
    call("SparseTensor.__truediv__", WHOLE, 2),
    call("SparseTensor.__truediv__", A, 0.0),
    call("Tensor.__add__", ones, A),
    call("nest.flatten", A, expand_composites=True),
    call("nest.map_structure", symbol("negative"), [A, B]),
]

PLAIN = [
    row
    for name in (
        ["abs", "asin", "asinh", "atan", "atanh", "negative", "sign", "sin", "sqrt", "square"]
        + ["tan", "tanh", "math.erf", "math.bessel_i0e", "math.bessel_i1e"]
    )
    for row in (call(name, sparse([[0, 1], [1, 0]], [0.5, 0.25], [2, 3])), call(name, EMPTY))
] + [
    call("math.abs", WHOLE),
    call("exp", A),
    call("add", A, B),
    call("cast", A, symbol("int32")),
    call("cast", WORDS, symbol("int32")),
    call("shape", A),
    call("shape", CUBE, out_type=symbol("int64")),
    call("size", CUBE),
    call("rank", CUBE),
    call("identity", A),
    call("stop_gradient", A),
    call("divide", A, 2.0),
    call("divide", 2.0, A),
    call("concat", [A], 0),
    call("concat", [A, B], 0),
    call("convert_to_tensor", A),
    call("zeros_like", A),
    call("reduce_sum", A),
    call("matmul", A, tensor(floats(3, 2))),
    call("is_tensor", A),
    call("get_static_value", A),
    call("edit_distance", WORDS, WORDS),
]

DENSE = [
    call("sparse.from_dense", [[0, 1], [2, 0]]),
    call("sparse.from_dense", ["", "a"]),
    call("sparse.from_dense", [True, False]),
    call("sparse.from_dense", np.zeros((0, 3), np.float32)),
    call("sparse.from_dense", 5.0),
    call("sparse.to_dense", A),
    call("sparse.to_dense", A, 9),
    call("sparse.to_dense", WHOLE, 9.0),
    call("sparse.to_dense", WORDS),
    call("sparse.to_dense", WORDS, default_value="-"),
    call("sparse.to_dense", UNSORTED, validate_indices=False),
    call("sparse.to_dense", EMPTY),
    call("sparse.to_dense", UNSORTED),
    call("sparse.to_dense", OUTSIDE),
    call("sparse.to_dense", TWICE),
    call("sparse.to_dense", [1.0]),
    call("sparse.to_indicator", sparse([[0, 0], [0, 1], [1, 0]], [2, 0, 1], [2, 2]), 3),
    call("sparse.to_indicator", sparse([[0]], [2], [3]), tensor(3)),
    call("sparse.to_indicator", WHOLE, 2),
    call("sparse.to_indicator", WHOLE, 3.0),
]

PLACES = [
    call("sparse.reorder", UNSORTED),
    call("sparse.reorder", WORDS),
    call("sparse.reorder", EMPTY),
    call("sparse.reorder", ones),
    call("sparse.reshape", A, [3, 2]),
    call("sparse.reshape", CUBE, [-1, 4]),
    call("sparse.reshape", A, tensor([6])),
    call("sparse.reshape", A, [4, 2]),
    call("sparse.reshape", A, [-1, -1]),
    call("sparse.reshape", A, 6),
    call("sparse.reshape", ones, [6]),
    call("sparse.transpose", A),
    call("sparse.transpose", CUBE, [2, 0, 1]),
    call("sparse.transpose", EMPTY, [1, 0]),
    call("sparse.transpose", A, [0]),
    call("sparse.transpose", A, [0, 5]),
    call("sparse.expand_dims", A),
    call("sparse.expand_dims", A, 0),
    call("sparse.expand_dims", A, axis=-2),
    call("sparse.expand_dims", A, 3),
    call("sparse.reset_shape", A),
    call("sparse.reset_shape", EMPTY),
    call("sparse.reset_shape", A, [3, 5]),
    call("sparse.reset_shape", A, [1, 3]),
    call("sparse.reset_shape", A, [3]),
    call("sparse.eye", 3),
    call("sparse.eye", 2, 3, symbol("int32")),
    call("sparse.eye", 0),
    call("sparse.eye", 2, dtype=symbol("bool")),
    call("sparse.eye", -1),
    call("sparse.eye", [2]),
]

JOINING = [
    call("sparse.concat", 0, [A, B]),
    call("sparse.concat", -1, [A, B, A]),
    call("sparse.concat", 0, [A, sparse([[0, 0]], [9.0], [1, 4])], expand_nonconcat_dims=True),
    call("sparse.concat", -1, [A, sparse([[0, 0]], [9.0], [1, 4])], expand_nonconcat_dims=True),
    call("sparse.concat", 0, [A]),
    call("sparse.concat", 0, [A, sparse([[0, 0]], [9.0], [1, 4])]),
    call("sparse.concat", 0, []),
    call("sparse.concat", 0, A),
    call("sparse.concat", 0, [A, ones]),
    call("sparse.split", A, 2, 1),
    call("sparse.split", CUBE, num_split=3, axis=-1),
    call("sparse.split", EMPTY, 2, 0),
    call("sparse.split", A, 4, 1),
    call("sparse.split", A, 2),
    call("sparse.slice", A, [0, 1], [1, 2]),
    call("sparse.slice", CUBE, [0, 0, 0], [1, 9, 2]),
    call("sparse.slice", A, [5, 0], [1, 1]),
    call("sparse.slice", A, [0], [1]),
    call("sparse.retain", A, [True, False]),
    call("sparse.retain", WORDS, tensor([False, True, True])),
    call("sparse.retain", EMPTY, np.zeros(0, bool)),
    call("sparse.retain", A, [True]),
    call(
        "sparse.mask",
        made("IndexedSlices", tensor(floats(3, 2)), tensor([1, 5, 7]), tensor([9, 2])),
        [5, 8],
    ),
    call("sparse.mask", made("IndexedSlices", tensor(floats(2, 2)), tensor([1, 5])), []),
    call("sparse.mask", made("IndexedSlices", tensor(floats(2)), tensor([1, 1])), [1]),
    call("sparse.mask", A, [0]),
]

ARITHMETIC = [
    call("sparse.add", A, B),
    call("sparse.add", A, B, 0.6),
    call("sparse.add", WHOLE, WHOLE, threshold=3),
    call("sparse.add", A, ones),
    call("sparse.add", ones, A),
    call("sparse.add", A, EMPTY),
    call("sparse.add", A, WHOLE),
    call("sparse.add", A, [1.0]),
    call("sparse.add", 1.0, 1.0),
    call("sparse.maximum", A, B),
    call("sparse.maximum", WHOLE, WHOLE),
    call("sparse.maximum", A, CUBE),
    call("sparse.minimum", A, B),
    call("sparse.minimum", A, EMPTY),
    call("sparse.minimum", A, ones),
    call("sparse.softmax", A),
    call("sparse.softmax", CUBE),
    call("sparse.softmax", EMPTY),
    call("sparse.softmax", WHOLE),
    call("sparse.map_values", symbol("multiply"), A, A),
    call("sparse.map_values", symbol("add"), A, 5.0),
    call("sparse.map_values", symbol("add"), 5.0, y=A),
    call("sparse.map_values", symbol("multiply"), A, B),
    call("sparse.map_values", symbol("reduce_sum"), A),
    call("sparse.map_values", symbol("add"), 1, 2),
    call("sparse.sparse_dense_matmul", A, floats(3, 2)),
    call("sparse.sparse_dense_matmul", A, floats(2, 2), adjoint_a=True),
    call("sparse.sparse_dense_matmul", A, floats(2, 3), adjoint_b=True),
    call("sparse.sparse_dense_matmul", floats(4, 2), A),
    call("sparse.sparse_dense_matmul", floats(4, 3), A, adjoint_b=True),
    call("sparse.sparse_dense_matmul", floats(2, 4), A, adjoint_a=True),
    call("sparse.sparse_dense_matmul", EMPTY, floats(3, 2)),
    call("sparse.sparse_dense_matmul", A, floats(2, 2)),
    call("sparse.sparse_dense_matmul", OUTSIDE, floats(3, 2)),
    call("sparse.sparse_dense_matmul", ones, ones),
    call("sparse.sampled_addmm", [[0, 1], [1, 0]], [1.0, 2.0], [2, 2], floats(2, 3), floats(3, 2)),
    call(
        "sparse.sampled_addmm",
        [[0, 1]],
        [1.0],
        [2, 2],
        floats(2, 3),
        floats(3, 2),
        beta=2.0,
        alpha=0.5,
    ),
    call("sparse.sampled_addmm", [[0, 1]], [1.0], [2, 2], floats(2, 3), floats(2, 2)),
]

REDUCING = [
    row
    for name in ("sparse.reduce_sum", "sparse.reduce_max")
    for row in (
        call(name, A),
        call(name, CUBE, axis=[0, 2]),
        call(name, CUBE, axis=-1, keepdims=True),
        call(name, CUBE, axis=1, output_is_sparse=True),
        call(name, CUBE, axis=[0, 1], keepdims=True, output_is_sparse=True),
        call(name, A, output_is_sparse=True),
        call(name, EMPTY, axis=1),
        call(name, A, axis=[]),
        call(name, A, axis=5),
        call(name, ones),
    )
] + [
    call("sparse.fill_empty_rows", sparse([[0, 1], [3, 0]], [1.0, 2.0], [5, 3]), 9.0),
    call("sparse.fill_empty_rows", WORDS, "z"),
    call("sparse.fill_empty_rows", EMPTY, 1.0),
    call("sparse.fill_empty_rows", A, [9.0]),
    call("sparse.bincount", [1, 1, 3]),
    call("sparse.bincount", [[1, 1], [0, 2]], axis=-1),
    call("sparse.bincount", [[1, 1], [0, 2]], axis=-1, minlength=5, binary_output=True),
    call("sparse.bincount", [1, 1, 3], weights=[0.5, 1.0, 2.0], maxlength=2),
    call("sparse.bincount", WHOLE),
    call("sparse.bincount", WHOLE, axis=-1),
    call("sparse.bincount", WHOLE, weights=A, axis=-1),
    call("sparse.bincount", WHOLE, weights=B),
    call("sparse.bincount", WHOLE, weights=[1.0, 2.0]),
    call("sparse.bincount", [-1, 2]),
    call("sparse.bincount", [1], axis=1),
    call("math.bincount", WHOLE),
    call("math.bincount", WHOLE, axis=-1, minlength=4),
    call("math.bincount", WHOLE, weights=A, axis=-1),
    call("math.bincount", WHOLE, binary_output=True, dtype=symbol("float32")),
    call("math.bincount", WHOLE, weights=[1.0, 2.0]),
]
for name in ("segment_sum", "segment_mean", "segment_sqrt_n"):
    REDUCING += [
        call(f"sparse.{name}", floats(3, 2), [0, 2, 1], [0, 0, 2]),
        call(f"sparse.{name}", floats(3, 2), [0, 2], [0, 0], num_segments=3),
        call(f"sparse.{name}", floats(3, 2), [], []),
        call(f"sparse.{name}", floats(3, 2), [0, 5], [0, 0]),
        call(f"sparse.{name}", floats(3, 2), [0, 1], [1, 0]),
        call(f"sparse.{name}", floats(3, 2), [0, 1], [0, 3], num_segments=2),
    ]

CROSSING = [
    row
    for name in ("sparse.cross", "sparse.cross_hashed")
    for row in (
        call(name, [WORDS, MORE]),
        call(name, [tensor([[1], [2]]), WORDS, TEXT]),
        call(name, [NUMBERS, NUMBERS]),
        call(name, []),
        call(name, [WORDS, sparse([[0, 0]], tensor(["a"]), [1, 1])]),
        call(name, [WORDS, tensor(["q"])]),
        call(name, WORDS),
        call(name, [WORDS, [["u"], ["v"]]]),
    )
] + [
    call("sparse.cross", [WORDS, MORE], separator="-"),
    call("sparse.cross_hashed", [WORDS, NUMBERS], num_buckets=100, hash_key=7),
    call("sparse.cross_hashed", [WORDS], num_buckets=-1),
    call("io.serialize_sparse", A),
    call("io.serialize_sparse", WORDS),
    call("io.serialize_sparse", EMPTY),
    call("io.serialize_sparse", ones),
    call("io.serialize_many_sparse", CUBE),
    call("io.serialize_many_sparse", WORDS),
    call("io.serialize_many_sparse", UNSORTED),
    call(
        "io.deserialize_many_sparse",
        made("io.serialize_many_sparse", CUBE),
        symbol("float32"),
        rank=3,
    ),
    call("io.deserialize_many_sparse", made("io.serialize_many_sparse", WORDS), symbol("string")),
    call("io.deserialize_many_sparse", made("io.serialize_many_sparse", A), symbol("int32")),
    call(
        "io.deserialize_many_sparse", made("io.serialize_many_sparse", A), symbol("float32"), rank=1
    ),
    call("io.deserialize_many_sparse", [["a", "b", "c"]], symbol("float32")),
]

TABLE = floats(5, 2)
IDS = sparse([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [4, 2])
BAD = sparse([[0, 0], [0, 1], [2, 0]], [1, -1, 0], [4, 2])
WEIGHTS = sparse([[0, 0], [0, 1], [2, 0]], [0.5, 2.0, 1.0], [4, 2])
LOOKUP = [
    row
    for combiner in ("mean", "sum", "sqrtn", "max")
    for row in (
        call("nn.embedding_lookup_sparse", TABLE, IDS, None, combiner=combiner),
        call("nn.embedding_lookup_sparse", TABLE, IDS, WEIGHTS, combiner=combiner, max_norm=1.0),
        call("nn.safe_embedding_lookup_sparse", TABLE, BAD, combiner=combiner),
        call(
            "nn.safe_embedding_lookup_sparse", TABLE, BAD, WEIGHTS, combiner=combiner, default_id=2
        ),
    )
] + [
    call("nn.embedding_lookup_sparse", [TABLE, TABLE], IDS, WEIGHTS),
    call("nn.embedding_lookup_sparse", TABLE, sparse([[0, 0]], [9], [2, 2]), None),
    call("nn.embedding_lookup_sparse", TABLE, [1], None),
    call("nn.embedding_lookup_sparse", TABLE, IDS, [1.0]),
    call(
        "nn.safe_embedding_lookup_sparse", TABLE, sparse([[0, 0, 0], [1, 1, 0]], [1, 2], [2, 2, 3])
    ),
    call("nn.safe_embedding_lookup_sparse", None, BAD),
    call("nn.safe_embedding_lookup_sparse", [], BAD),
    call("nn.ctc_greedy_decoder", floats(4, 2, 3), tensor([4, 3])),
    call("nn.ctc_beam_search_decoder", floats(4, 2, 3), tensor([4, 3]), beam_width=5, top_paths=2),
]

ROWS = [
    *CLASS,
    *PLAIN,
    *DENSE,
    *PLACES,
    *JOINING,
    *ARITHMETIC,
    *REDUCING,
    *CROSSING,
    *LOOKUP,
]
