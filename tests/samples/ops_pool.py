"""Samples of the ops in runnel/ops/nn/pool/shared.py, batch_norm.py and normalization.py."""

import numpy as np

from tests.samples import floats, ints, positive, sample

X = (2, 5, 6, 3)
TIES = np.array([[1, 2, 2], [2, 1, 2], [0, 2, 2]], np.float32).reshape(1, 3, 3, 1)
WINDOWS = [
    {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"},
    {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"},
    {"ksize": [1, 3, 2, 1], "strides": [1, 1, 2, 1], "padding": "SAME"},
    {"ksize": [1, 3, 3, 1], "strides": [1, 2, 2, 1], "padding": "VALID"},
]
LARGE = {"ksize": [1, 9, 9, 1], "strides": [1, 9, 9, 1], "padding": "SAME"}
CUBES = [
    {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "VALID"},
    {"ksize": [1, 2, 3, 2, 1], "strides": [1, 1, 2, 1, 1], "padding": "SAME"},
]
FIRST = WINDOWS[0]


def _largest(x, window):
    """What max pooling makes of `x`: the gradients take it for granted that it is."""
    size, step = window["ksize"][1:-1], window["strides"][1:-1]
    pads = [(0, 0)] * x.ndim
    out = [(n - k) // s + 1 for n, k, s in zip(x.shape[1:], size, step)]
    if window["padding"] == "SAME":
        out = [-(-n // s) for n, s in zip(x.shape[1:], step)]
        over = [max((o - 1) * s + k - n, 0) for o, s, k, n in zip(out, step, size, x.shape[1:])]
        pads[1:-1] = [(t // 2, t - t // 2) for t in over]
    padded = np.pad(x, pads, constant_values=-np.inf)
    result = np.empty((x.shape[0], *out, x.shape[-1]), x.dtype)
    for place in np.ndindex(*out):
        region = tuple(slice(p * s, p * s + k) for p, s, k in zip(place, step, size))
        axes = tuple(range(1, x.ndim - 1))
        result[(slice(None), *place)] = padded[(slice(None), *region)].max(axis=axes)
    return result


def _max_grad(name, x, window, **rest):
    y = _largest(x, window)
    return sample(name, x, y, floats(*y.shape, seed=2), **window, **rest)


def _max_grad_grad(name, x, window, **rest):
    return sample(name, x, _largest(x, window), floats(*x.shape, seed=2), **window, **rest)


ROWS = [
    *[sample("MaxPool", floats(*X), **w) for w in WINDOWS],
    sample(
        "MaxPool", TIES, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME", differences=False
    ),
    sample("MaxPool", floats(1, 10, 10, 2), **LARGE),
    # The gradient of explicit padding is wrong in TensorFlow: it takes padding for elements.
    sample(
        "MaxPool",
        floats(*X),
        ksize=[1, 2, 2, 1],
        strides=[1, 2, 2, 1],
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0],
        second=False,
    ),
    sample(
        "MaxPool",
        floats(2, 4, 4, 4),
        ksize=[1, 1, 1, 2],
        strides=[1, 1, 1, 2],
        padding="VALID",
        gradient=False,
    ),
    sample("MaxPool", floats(*X, dtype="float64"), **FIRST),
    sample("MaxPool", floats(*X, dtype="float16"), differences=False, **FIRST),
    sample("MaxPool", floats(*X, dtype="bfloat16"), differences=False, **FIRST),
    sample("MaxPool", ints(*X), **FIRST),
    sample("MaxPool", ints(*X, dtype="uint8", low=0, high=200), **FIRST),
    sample(
        "MaxPool",
        floats(1, 3, 4, 4),
        data_format="NCHW",
        ksize=[1, 1, 2, 2],
        strides=[1, 1, 2, 2],
        padding="SAME",
        judged=False,
    ),
    sample("MaxPool", floats(1, 1, 1, 1), gradient=False, **FIRST),  # of nothing
    sample(
        "MaxPool", floats(1, 1, 1, 1), ksize=[1, 3, 3, 1], strides=[1, 1, 1, 1], padding="VALID"
    ),
    sample("MaxPool", floats(3, 3, 1), **FIRST),
    sample("MaxPool", floats(*X), ksize=[2, 2], strides=[1, 1, 1, 1], padding="SAME"),
    sample("MaxPool", floats(*X), ksize=[1, 0, 2, 1], strides=[1, 1, 1, 1], padding="SAME"),
    sample("MaxPool", floats(*X), ksize=[2, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME"),
    sample(
        "MaxPoolV2",
        floats(*X),
        np.array([1, 2, 2, 1], np.int32),
        np.array([1, 2, 2, 1], np.int32),
        padding="SAME",
    ),
    *[_max_grad("MaxPoolGrad", floats(*X), w) for w in WINDOWS],
    sample("MaxPoolGrad", floats(*X), floats(2, 2, 3, 3), floats(2, 2, 4, 3), **FIRST),
    *[_max_grad_grad("MaxPoolGradGrad", floats(*X), w) for w in WINDOWS],
    sample(
        "MaxPoolGradV2",
        floats(*X),
        _largest(floats(*X), FIRST),
        floats(2, 2, 3, 3, seed=2),
        np.array([1, 2, 2, 1], np.int32),
        np.array([1, 2, 2, 1], np.int32),
        padding="VALID",
    ),
    sample(
        "MaxPoolGradGradV2",
        floats(*X),
        _largest(floats(*X), FIRST),
        floats(*X, seed=2),
        np.array([1, 2, 2, 1], np.int32),
        np.array([1, 2, 2, 1], np.int32),
        padding="VALID",
    ),
    # TensorFlow has the gradient of the gradient with argmax on GPUs only.
    *[sample("MaxPoolWithArgmax", floats(*X), second=False, **w) for w in WINDOWS],
    sample(
        "MaxPoolWithArgmax", floats(*X), include_batch_in_index=True, second=False, **WINDOWS[1]
    ),
    sample("MaxPoolWithArgmax", TIES, Targmax="int32", gradient=False, **WINDOWS[1]),
    sample(
        "MaxPoolGradWithArgmax",
        floats(1, 2, 2, 1),
        floats(1, 1, 1, 1),
        np.array([3], np.int64).reshape(1, 1, 1, 1),
        second=False,
        gradient=False,
        **FIRST,
    ),
    sample(
        "MaxPoolGradGradWithArgmax",
        floats(1, 2, 2, 1),
        floats(1, 2, 2, 1),
        np.array([3], np.int64).reshape(1, 1, 1, 1),
        judged=False,  # for GPUs only
        **FIRST,
    ),
    *[sample("MaxPool3D", floats(1, 4, 4, 5, 2), **w) for w in CUBES],
    sample("MaxPool3D", floats(4, 4, 5, 2), **CUBES[0]),
    *[_max_grad("MaxPool3DGrad", floats(1, 4, 4, 4, 1), w) for w in CUBES],
    *[_max_grad_grad("MaxPool3DGradGrad", floats(1, 4, 4, 4, 1), w) for w in CUBES],
    *[sample("AvgPool", floats(*X), **w) for w in WINDOWS],
    sample("AvgPool", floats(1, 10, 10, 2), **LARGE),
    sample("AvgPool", floats(*X, dtype="float64"), **WINDOWS[2]),
    sample("AvgPool", floats(*X, dtype="float16"), differences=False, **WINDOWS[2]),
    sample(
        "AvgPool", floats(1, 2, 2, 2), ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID"
    ),
    sample("AvgPool", floats(2, 2), **FIRST),
    sample(
        "AvgPool",
        floats(1, 3, 4, 4),
        data_format="NCHW",
        ksize=[1, 1, 2, 2],
        strides=[1, 1, 2, 2],
        padding="SAME",
        judged=False,
    ),
    sample("AvgPoolGrad", np.array(X, np.int32), floats(2, 5, 3, 3), **WINDOWS[2]),
    *[sample("AvgPool3D", floats(1, 4, 4, 5, 2), **w) for w in CUBES],
    sample("AvgPool3DGrad", np.array([1, 4, 4, 5, 2], np.int32), floats(1, 2, 2, 2, 2), **CUBES[0]),
    *[
        sample(
            name,
            floats(2, 3, 4, 2),
            positive(2),
            floats(2, seed=1),
            floats(2, seed=2),
            positive(2, seed=3),
            epsilon=0.01,
            differences=False,  # the averages take no part in the gradient
            tolerance=2e-4,
            **rest,
        )
        for name in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
        for rest in ({}, {"exponential_avg_factor": 0.25})
    ],
    sample(
        "FusedBatchNormV3",
        floats(2, 3, 4, 2, dtype="float16"),
        positive(2),
        floats(2, seed=1),
        floats(0),
        floats(0),
        differences=False,
        tolerance=1e-2,
        second=False,
    ),
    # The CPU kernel leaves the reserved outputs of inference as they are in memory.
    sample(
        "FusedBatchNormV3",
        floats(2, 3, 4, 2),
        positive(2),
        floats(2, seed=1),
        floats(2, seed=2),
        positive(2, seed=3),
        is_training=False,
        judged=False,
        differences=False,
    ),
    sample(
        "FusedBatchNormV3",
        floats(2, 2, 3, 4),
        positive(2),
        floats(2, seed=1),
        floats(0),
        floats(0),
        data_format="NCHW",
        differences=False,
        tolerance=2e-4,
    ),
    sample("FusedBatchNormV3", floats(2, 3, 2), positive(2), floats(2), floats(2), positive(2)),
    sample("FusedBatchNormV3", floats(1, 2, 3, 2), positive(3), floats(2), floats(2), positive(2)),
    *[
        sample(
            name,
            floats(2, 3, 2, 2),
            floats(2, 3, 2, 2, seed=1),
            positive(2),
            floats(2, seed=2),
            positive(2, seed=3),
            *extra,
            is_training=training,
            differences=False,
            tolerance=2e-4,
        )
        for name, extra in (
            ("FusedBatchNormGrad", []),
            ("FusedBatchNormGradV2", []),
            ("FusedBatchNormGradV3", [floats(2)]),
        )
        for training in (True, False)
    ],
    sample("LRN", floats(1, 2, 2, 7)),
    sample("LRN", floats(1, 2, 2, 7), depth_radius=2, bias=0.7, alpha=0.3, beta=0.75),
    sample("LRN", floats(1, 2, 2, 7, dtype="float16"), differences=False),
    sample("LRN", floats(2, 7)),
    sample(
        "LRNGrad",
        floats(1, 2, 2, 4),
        floats(1, 2, 2, 4, seed=1),
        floats(1, 2, 2, 4, seed=2),
        depth_radius=1,
    ),
]
