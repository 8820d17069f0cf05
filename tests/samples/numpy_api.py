"""Calls of `tf.experimental.numpy`, recorded with NumPy's behaviour enabled.

Not one of the tables `calls_*`: TensorFlow can run most of these functions only after
`experimental_enable_numpy_behavior`, which changes all tensors of its process.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples import Call, call, symbol, tensor

I32 = tensor([1, 2, 3])
I64 = tensor(np.array([[4, -2, 9], [0, 7, 3]]))
F32 = tensor([1.0, 2.5, -3.0])
F64 = tensor(np.array([[0.5, -1.5, 2.25], [3.0, -0.25, 8.0]]))
U8 = tensor([1, 2, 3], "uint8")
BOOL = tensor([True, False, True])
C64 = tensor(np.array([1 + 2j, -3j, 2], np.complex64))
HALF = tensor([1.0, 2.0, 3.0], "float16")
MATRIX = tensor(np.arange(12.0).reshape(3, 4))
CUBE = tensor(np.arange(24).reshape(2, 3, 4))
SQUARE = tensor(np.array([[4, 1, 0], [2, 5, 1], [7, 3, 6]], np.float32))
NAN = tensor(np.array([[1.0, np.nan, 3.0], [np.nan, 5.0, 6.0]]))
ODD = tensor(np.array([np.nan, np.inf, -np.inf, -0.0, 2.0]))


def n(name: str, *args: Any, **kwargs: Any) -> Call:
    return call(f"experimental.numpy.{name}", *args, **kwargs)


FLOAT_FUNCTIONS = (
    "sin cos tan sinh cosh tanh arcsinh arctan exp exp2 expm1 cbrt deg2rad sinc ceil floor fix"
).split()
POSITIVE_FUNCTIONS = "log log2 log10 log1p sqrt".split()
UNIT_FUNCTIONS = "arcsin arccos arctanh".split()
ANY_FUNCTIONS = (
    "absolute abs fabs square negative positive sign conj conjugate real imag around round signbit"
).split()
TESTS = "isnan isfinite isinf isposinf isneginf".split()
PAIRS = (
    "add subtract multiply divide true_divide floor_divide mod remainder power float_power maximum "
    "minimum equal not_equal less less_equal greater greater_equal hypot logaddexp heaviside "
    "isclose allclose"
).split()
LOGIC = "logical_and logical_or logical_xor".split()
REDUCTIONS = "sum prod mean std var max min amax amin ptp all any nansum nanprod nanmean".split()

ROWS = [
    *[n(f, x) for f in FLOAT_FUNCTIONS for x in (I32, F32, F64, 2, 0.5)],
    *[n(f, x) for f in POSITIVE_FUNCTIONS for x in (I32, tensor([0.5, 2.0]), 3, 0.5)],
    *[n(f, x) for f in UNIT_FUNCTIONS for x in (tensor([0.5, -0.2]), 0, 0.5)],
    *[n("rad2deg", x) for x in (I32, F32, F64)],
    n("arccosh", [1.5, 3.0]),
    n("arccosh", I32),
    *[n(f, x) for f in ANY_FUNCTIONS for x in (I32, F32, F64, -2, 0.5)],
    *[
        n(f, C64)
        for f in (
            "absolute",
            "square",
            "conj",
            "real",
            "imag",
            "sign",
            "exp",
            "sqrt",
            "iscomplex",
            "isreal",
            "angle",
        )
    ],
    n("angle", C64, deg=True),
    n("angle", F32),
    *[n(f, ODD) for f in TESTS],
    n("reciprocal", F32),
    *[
        n(f, x, y)
        for f in PAIRS
        for x, y in ((I32, F32), (F32, 2), (F32, 1.5), (U8, I32), (3, 4.0), (F64, [1, 2, 3]))
    ],
    *[n("logaddexp2", x, y, _tolerance=1e-6) for x, y in ((F32, 2), (F32, 1.5), (F64, [1, 2, 3]))],
    *[
        n("add", x, y)
        for x in (I32, F32, U8, BOOL, HALF)
        for y in (1, 1.5, True, 1j, np.float64(1.5), np.array([1, 2, 3]), BOOL, HALF)
    ],
    n("add", U8, 300),
    n("multiply", BOOL, BOOL),
    n("maximum", BOOL, BOOL),
    n("subtract", BOOL, BOOL),
    n("divide", I32, I32),
    n("divide", U8, U8),
    n("floor_divide", I64, 0),
    n("divmod", I64, 4),
    n("arctan2", F32, 2.0),
    n("nextafter", F32, 3.0),
    *[n(f, x, y) for f in LOGIC for x, y in ((BOOL, I32), (F32, 0), (I32, I32))],
    *[n("logical_not", x) for x in (BOOL, I32, F32)],
    *[
        n(f, x, y)
        for f in ("bitwise_and", "bitwise_or", "bitwise_xor")
        for x, y in ((I32, 3), (BOOL, BOOL), (U8, I32), (F32, 1))
    ],
    n("bitwise_not", I32),
    n("bitwise_not", BOOL),
    n("gcd", I64, 6),
    n("gcd", F32, 6),
    n("lcm", I64, 6),
    n("around", F64, 1),
    n("round", [0.5, 1.5, 2.5]),
    n("clip", F64, -1, 2),
    n("clip", I32, None, 2),
    n("clip", I32, 1.5, None),
    n("clip", I32, None, None),
    n("polyval", [1, 2, 3], F32),
    n("isclose", ODD, ODD),
    n("isclose", ODD, ODD, equal_nan=True),
    n("allclose", [1.0, 2.0], [1.0, 2.00001]),
    n("array_equal", [1, 2], [1, 2]),
    n("array_equal", [1, 2], [1, 2, 3]),
    n("iscomplexobj", C64),
    n("isrealobj", C64),
    # creation
    *[
        n("array", x)
        for x in (
            [1, 2],
            [1.0, 2],
            [True],
            3,
            2.5,
            1j,
            [[1, 2], [3, 4]],
            F32,
            [F32, F32],
            np.float32(3),
        )
    ],
    n("array", [1, 2], ndmin=3),
    n("array", [1, 2], dtype=np.float32),
    n("array", [1.7], dtype=symbol("int32")),
    n("array", [[1, 2], [3]]),
    *[n(f, [1, 2.5]) for f in ("asarray", "asanyarray", "ascontiguousarray", "copy")],
    n("ascontiguousarray", 3),
    *[n(f, shape) for f in ("zeros", "ones", "empty") for shape in (3, (2, 3), [])],
    n("zeros", 2, dtype=np.int32),
    n("ones", (2,), bool),
    n("full", (2, 3), 7),
    n("full", (2, 3), [1, 2, 3], dtype=np.float32),
    *[n(f, I32) for f in ("zeros_like", "ones_like", "empty_like")],
    n("ones_like", I32, dtype=np.float64),
    n("full_like", I32, 2.5),
    n("full_like", I32, 2.5, dtype=np.float64),
    n("full_like", I32, 2.5, order="C"),
    n("eye", 3),
    n("eye", 3, 4, k=-1, dtype=np.int32),
    n("identity", 2),
    n("tri", 3, 4, 1),
    n("tri", 3, dtype=np.int64),
    *[
        n("arange", *args)
        for args in ((3,), (1, 7, 2), (3.0,), (5, 1, -2), (0, 1, 0.25), (3, None, 2))
    ],
    n("arange", 4, dtype=np.float32),
    n("arange", 4, dtype=np.int16),
    n("arange", 1, 2, 0),
    n("linspace", 0, 1, 5),
    n("linspace", 0, 1, 5, endpoint=False),
    n("linspace", 0, 1, 5, retstep=True),
    n("linspace", tensor([0.0, 1.0]), tensor([1.0, 3.0]), 3),
    n("linspace", tensor([0.0, 1.0]), tensor([1.0, 3.0]), 3, axis=1),
    n("logspace", 0, 2, 3),
    n("logspace", 0, 3, 4, base=2.0, endpoint=False),
    n("geomspace", 1, 1000, 4),
    n("geomspace", -1.0, -8.0, 4),
    n("meshgrid", [1, 2], [3, 4, 5]),
    n("meshgrid", [1, 2], [3, 4, 5], indexing="ij"),
    n("meshgrid", [1, 2], [3.5], [5, 6], indexing="xy"),
    n("meshgrid", [1], sparse=True),
    n("diag_indices", 3),
    n("vander", [1, 2, 3]),
    n("vander", [1.0, 2.0], 3, increasing=True),
    # reductions
    *[
        n(f, x, **kw)
        for f in REDUCTIONS
        for x in (F64, I64)
        for kw in ({}, {"axis": 0}, {"axis": -1, "keepdims": True})
    ],
    *[
        n(f, x)
        for f in ("sum", "prod", "mean", "max", "min", "any", "all", "count_nonzero")
        for x in (BOOL, U8, I32)
    ],
    *[n(f, NAN, axis=1) for f in ("nansum", "nanprod", "nanmean")],
    n("sum", I64, dtype=np.float32),
    n("sum", CUBE, axis=(0, 2)),
    n("mean", I64, dtype=np.float32),
    n("var", F64, axis=0, dtype=np.float32),
    n("count_nonzero", I64, 0),
    n("average", F64),
    n("average", I64, axis=0),
    n("average", F64, weights=F64),
    n("average", F64, axis=1, weights=[1, 2, 3]),
    n("average", F64, axis=1, weights=[1, 2, 3], returned=True),
    n("average", F64, returned=True),
    n("average", F64, weights=[1, 2, 3]),
    *[
        n(f, x, **kw)
        for f in ("cumsum", "cumprod")
        for x in (F64, I64)
        for kw in ({}, {"axis": 0}, {"axis": 1})
    ],
    n("cumsum", U8),
    n("cumsum", I64, dtype=np.float32),
    *[n(f, I64, **kw) for f in ("argmax", "argmin") for kw in ({}, {"axis": 0}, {"axis": 1})],
    # shapes
    n("ravel", CUBE),
    n("flatten", CUBE),
    n("flatten", MATRIX, "F"),
    n("flatten", MATRIX, "X"),
    n("reshape", MATRIX, (2, -1)),
    n("reshape", MATRIX, 12),
    n("reshape", MATRIX, (2, 6), order="F"),
    n("reshape", MATRIX, (2, 6), "A"),
    n("transpose", CUBE),
    n("transpose", CUBE, (1, 0, 2)),
    n("swapaxes", CUBE, 0, 2),
    n("swapaxes", CUBE, -1, 0),
    n("moveaxis", CUBE, 0, -1),
    n("moveaxis", CUBE, [0, 1], [-1, -2]),
    n("expand_dims", I32, 1),
    n("squeeze", tensor(np.zeros((1, 2, 1)))),
    n("squeeze", tensor(np.zeros((1, 2, 1))), axis=0),
    n("squeeze", tensor(np.zeros((1, 2, 1))), axis=1),
    *[n(f, x) for f in ("atleast_1d", "atleast_2d", "atleast_3d") for x in (1, I32, MATRIX, CUBE)],
    n("atleast_2d", 1, I32),
    n("broadcast_to", I32, (2, 3)),
    n("broadcast_arrays", I32, [[1.0], [2.0]]),
    n("concatenate", [I32, F32]),
    n("concatenate", [MATRIX, MATRIX], axis=1),
    n("concatenate", [[1, 2], [3.5]]),
    n("append", I32, [4, 5]),
    n("append", MATRIX, MATRIX, axis=0),
    n("append", MATRIX, 7),
    n("stack", [I32, F32], axis=1),
    *[n(f, (I32, F32)) for f in ("hstack", "vstack", "dstack")],
    *[n(f, (MATRIX, MATRIX)) for f in ("hstack", "vstack", "dstack")],
    n("split", I64, 3, axis=1),
    n("split", tensor(np.arange(8)), [2, 5]),
    n("hsplit", MATRIX, 2),
    n("vsplit", MATRIX, 3),
    n("dsplit", CUBE, 2),
    n("hsplit", tensor(np.arange(4)), 2),
    n("tile", I32, 2),
    n("tile", I32, (2, 2)),
    n("tile", MATRIX, [2]),
    n("repeat", I32, 2),
    n("repeat", MATRIX, 2, axis=0),
    n("repeat", I32, [1, 0, 2]),
    n("flip", CUBE),
    n("flip", CUBE, 1),
    n("fliplr", MATRIX),
    n("flipud", MATRIX),
    n("roll", MATRIX, 2),
    n("roll", MATRIX, 1, axis=1),
    n("roll", MATRIX, (1, 2), axis=(0, 1)),
    *[n("rot90", MATRIX, k) for k in (0, 1, 2, 3, -1)],
    n("rot90", CUBE, 1, axes=(1, 2)),
    n("pad", MATRIX, [[1, 0], [2, 1]], "constant"),
    n("pad", I32, [[1, 2]], "constant", constant_values=7),
    n("pad", MATRIX, [[1, 1], [2, 1]], "reflect"),
    n("pad", MATRIX, [[1, 1], [2, 1]], "symmetric"),
    n("pad", MATRIX, [[1, 1], [2, 1]], "wrap"),
    n("ndim", CUBE),
    n("size", CUBE),
    n("isscalar", 3),
    n("isscalar", [3]),
    n("isscalar", F32),
    # elements
    n("where", BOOL, I32, F32),
    n("where", [True, False, True], 1, 2.5),
    n("where", I64),
    n("where", BOOL, 1, None),
    n("nonzero", I64),
    n("nonzero", BOOL),
    n("select", [[True, False, True], [True, True, False]], [I32, F32], default=9),
    n("select", [BOOL], [I32, F32]),
    n("take", I32, [0, 2, 7]),
    n("take", I32, [0, -1], mode="wrap"),
    n("take", MATRIX, [0, 2], axis=1),
    n("take", MATRIX, [[0, 5], [11, 2]]),
    n("take_along_axis", I64, [[1], [0]], 1),
    n("take_along_axis", I64, [[1, 0, -1]], 0),
    n("take_along_axis", I64, [1, 5, 0], None),
    n("compress", [True, False], MATRIX, axis=0),
    n("compress", [False, True, True], I64),
    n("compress", [True, False, True], I64, 1),
    n("sort", I64),
    n("sort", I64, axis=0),
    n("sort", I64, axis=None),
    n("sort", I64, kind="heapsort"),
    n("argsort", I64),
    n("argsort", I64, axis=0, kind="stable"),
    n("argsort", I64, axis=None),
    n("ix_", [0, 1], [2, 3, 4]),
    n("ix_", [True, False, True], [1]),
    n("diff", I64),
    n("diff", I64, axis=0),
    n("diff", I64, n=2),
    n("diff", BOOL),
    n("diag", I32),
    n("diag", I32, k=1),
    n("diag", MATRIX),
    n("diag", MATRIX, k=-1),
    n("diagflat", [[1, 2], [3, 4]], -1),
    n("diagonal", CUBE),
    n("diagonal", CUBE, 1, 1, 2),
    n("diagonal", MATRIX, 7),
    n("tril", MATRIX),
    n("tril", CUBE, -1),
    n("triu", MATRIX, 1),
    n("triu", I32),
    # products
    n("matmul", MATRIX, tensor(np.arange(8.0).reshape(4, 2))),
    n("matmul", I32, F32),
    n("matmul", SQUARE, F32),
    n("matmul", F32, SQUARE),
    n("matmul", CUBE, tensor(np.arange(8).reshape(4, 2))),
    n("matmul", 2, F32),
    n("dot", I32, F32),
    n("dot", SQUARE, SQUARE),
    n("dot", CUBE, tensor(np.arange(8).reshape(4, 2))),
    n("dot", I32, 2.5),
    n("inner", SQUARE, SQUARE),
    n("inner", I32, I32),
    n("vdot", C64, C64),
    n("vdot", MATRIX, MATRIX),
    n("outer", I32, F32),
    n("outer", MATRIX, [1, 2]),
    n("tensordot", CUBE, CUBE, axes=[[0, 1], [0, 1]]),
    n("tensordot", SQUARE, SQUARE, 1),
    n("tensordot", SQUARE, SQUARE),
    n("einsum", "ij,jk->ik", SQUARE, SQUARE),
    n("einsum", "i,i->", I32, F32),
    n("kron", I32, F32),
    n("kron", [[1, 2], [3, 4]], SQUARE),
    n("kron", [[1, 2], [3, 4]], I32),
    n("cross", [1, 2, 3], [4, 5, 6]),
    n("cross", [1.0, 2.0], [3.0, 4.0]),
    n("cross", [1, 2], [3, 4, 5]),
    n("cross", SQUARE, SQUARE, axisa=0, axisb=1),
    n("cross", [1, 2, 3, 4], [1, 2, 3, 4]),
    n("trace", SQUARE),
    n("trace", I64, offset=1),
    n("trace", CUBE, 0, 1, 2, dtype=np.float32),
    # dtypes
    n("result_type", np.int32, np.float32),
    n("result_type", I32, 1.5),
    n("promote_types", np.int8, np.uint8),
    n("issubdtype", np.int32, np.integer),
    n("random.randint", 3, 3),
]
