"""Samples of the ops of activations, softmax, losses, bias, top_k and dilation in runnel/ops."""

import numpy as np

from tests.samples import floats, ints, sample

LOGITS = np.array([[1.0, 2.0, -1.0], [0.5, 0.5, 0.5]], np.float32)
ONE_HOT = np.array([[0.0, 1.0, 0.0], [0.2, 0.3, 0.5]], np.float32)
TIES = np.array([[3.0, 1.0, 3.0, 2.0], [0.0, 0.0, 5.0, 5.0]], np.float32)

_UNARY = ["Relu", "Relu6", "LeakyRelu", "Elu", "Selu"]
_FEATURES = {"Relu6": floats(3, 4, low=-3, high=9), "Elu": floats(3, 4, low=-4, high=3)}

ROWS = [
    *[sample(name, _FEATURES.get(name, floats(3, 4))) for name in _UNARY],
    *[sample(name, floats(5, seed=1, dtype="bfloat16"), differences=False) for name in _UNARY],
    *[sample(name, floats(5, seed=2, dtype="float16"), differences=False) for name in _UNARY],
    *[sample(name, floats(0, 3)) for name in _UNARY],
    *[
        sample(name, np.array([np.inf, -np.inf, 0.0], np.float64), differences=False)
        for name in _UNARY
    ],
    sample("Relu", np.array([np.nan, -1.0], np.float32), gradient=False),
    sample("Relu", ints(4, dtype="int32")),
    sample("Relu", ints(4, dtype="int8")),
    sample("Relu", np.array([True])),
    sample("Relu6", ints(6, low=-3, high=10, dtype="int64")),
    sample("Elu", ints(3)),
    sample("LeakyRelu", floats(3, 4, seed=3), alpha=0.5),
    sample("LeakyRelu", floats(2, 2, seed=4, dtype="float64"), alpha=1.5),
    sample("ReluGrad", floats(3, 4), floats(3, 4, seed=5)),
    sample("ReluGrad", floats(3), floats(1)),
    sample("ReluGrad", ints(4), ints(4, seed=1)),
    sample("Relu6Grad", floats(3, 4), floats(3, 4, low=-3, high=9, seed=6)),
    sample("LeakyReluGrad", floats(3, 4), floats(3, 4, seed=7), alpha=0.3),
    sample("EluGrad", floats(3, 4), floats(3, 4, low=-0.9, high=2, seed=8)),
    sample("SeluGrad", floats(3, 4), floats(3, 4, low=-1.5, high=2, seed=9)),
    sample("Softmax", LOGITS),
    sample("Softmax", floats(2, 3, 4, low=-20, high=20)),
    sample("Softmax", floats(2, 3, dtype="float16"), differences=False),
    sample("Softmax", floats(2, 3, dtype="bfloat16"), differences=False, second=False),  # cancels
    sample("Softmax", floats(0, 3)),
    sample("Softmax", floats(3, 0)),
    sample("Softmax", np.float32(1.0)),
    sample("Softmax", np.array([0.0, np.inf], np.float32), gradient=False),
    sample("LogSoftmax", LOGITS),
    sample("LogSoftmax", floats(2, 3, 4, dtype="float64", low=-50, high=50)),
    sample("LogSoftmax", floats(2, 3, dtype="float16"), differences=False),
    sample("LogSoftmax", floats(3, 0)),
    # As in TensorFlow, `backprop` passes nothing on to the labels: no differences there.
    sample("SoftmaxCrossEntropyWithLogits", LOGITS, ONE_HOT, differences=False),
    sample(
        "SoftmaxCrossEntropyWithLogits",
        LOGITS.astype("float64"),
        ONE_HOT.astype("float64"),
        differences=False,
    ),
    sample("SoftmaxCrossEntropyWithLogits", LOGITS, ONE_HOT[:1], differences=False, gradient=False),
    sample(
        "SoftmaxCrossEntropyWithLogits",
        LOGITS.astype("float16"),
        ONE_HOT.astype("float16"),
        differences=False,
    ),
    sample("SoftmaxCrossEntropyWithLogits", LOGITS, ONE_HOT[:, :2]),
    sample("SoftmaxCrossEntropyWithLogits", floats(0, 3), floats(0, 3)),
    sample("SoftmaxCrossEntropyWithLogits", LOGITS[0], ONE_HOT[0]),
    sample("SparseSoftmaxCrossEntropyWithLogits", LOGITS, np.array([1, 2], np.int64)),
    sample(
        "SparseSoftmaxCrossEntropyWithLogits", LOGITS.astype("float64"), np.array([0, 0], np.int32)
    ),
    sample("SparseSoftmaxCrossEntropyWithLogits", LOGITS, np.array([1, 3], np.int32)),
    sample("SparseSoftmaxCrossEntropyWithLogits", LOGITS, np.array([1, -1], np.int32)),
    sample("SparseSoftmaxCrossEntropyWithLogits", LOGITS, np.array([1], np.int32)),
    sample("L2Loss", floats(3, 4)),
    sample("L2Loss", floats(3, 4, dtype="float16"), differences=False),
    sample("L2Loss", floats(0)),
    sample("BiasAdd", floats(2, 3, 4), floats(4, seed=1)),
    sample("BiasAdd", floats(2, 3, 4, 5), floats(3, seed=1), data_format="NCHW"),
    sample("BiasAdd", floats(2, 3), floats(3, seed=1), data_format="NCHW"),
    sample("BiasAdd", ints(2, 3), ints(3, seed=1)),
    sample(
        "BiasAdd", floats(2, 3, dtype="bfloat16"), floats(3, dtype="bfloat16"), differences=False
    ),
    sample("BiasAdd", floats(3), floats(3)),
    sample("BiasAdd", floats(2, 3), floats(4)),
    sample("BiasAdd", floats(2, 3), floats(1, 3)),
    sample("BiasAddGrad", floats(2, 3, 4)),
    sample("BiasAddGrad", floats(2, 3, 4, 5), data_format="NCHW"),
    sample("BiasAddGrad", floats(2, 3, dtype="float16"), differences=False),
    sample("BiasAddGrad", ints(2, 3, dtype="int8")),
    sample("BiasAddGrad", floats(3)),
    sample("TopKV2", floats(3, 5), np.int32(2)),
    sample("TopKV2", TIES, np.int32(3), differences=False),
    sample("TopKV2", floats(2, 3, 4), np.int64(4)),
    sample("TopKV2", ints(6, dtype="int32"), np.int32(3), index_type="int64"),
    sample("TopKV2", ints(6, dtype="uint8", low=0, high=200), np.int32(6)),
    sample("TopKV2", floats(6, dtype="bfloat16"), np.int32(3), differences=False),
    sample("TopKV2", floats(6, dtype="float16"), np.int32(1), differences=False),
    sample("TopKV2", floats(4), np.int32(0), gradient=False),
    sample("TopKV2", floats(4), np.int32(5)),
    sample("TopKV2", floats(4), np.int32(-1)),
    sample("TopKV2", np.float32(1), np.int32(1)),
    sample("InTopKV2", floats(4, 5), ints(4, low=0, high=5), np.int32(2)),
    sample("InTopKV2", TIES, np.array([0, 2], np.int64), np.int64(1)),
    sample("InTopKV2", TIES, np.array([4, -1], np.int64), np.int64(4)),
    sample(
        "InTopKV2",
        np.array([[1.0, np.nan], [np.inf, 0.0]], np.float32),
        np.array([0, 0], np.int32),
        np.int32(1),
    ),
    sample("InTopKV2", TIES, np.array([0], np.int32), np.int32(1)),
    sample("NthElement", floats(3, 5), np.int32(1)),
    sample("NthElement", floats(3, 5), np.int32(1), reverse=True),
    sample("NthElement", TIES, np.int32(2)),
    sample("NthElement", ints(2, 4), np.int32(0)),
    sample("NthElement", floats(3), np.int32(3)),
    *[
        sample(
            "Dilation2D", floats(2, 5, 6, 2), floats(2, 3, 2, seed=1), strides=s, rates=r, padding=p
        )
        for p in ("SAME", "VALID")
        for s, r in (
            ([1, 1, 1, 1], [1, 1, 1, 1]),
            ([1, 2, 2, 1], [1, 1, 1, 1]),
            ([1, 1, 1, 1], [1, 2, 2, 1]),
        )
    ],
    sample(
        "Dilation2D",
        ints(1, 3, 3, 1),
        ints(2, 2, 1),
        strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1],
        padding="SAME",
    ),
    sample(
        "Dilation2D",
        floats(1, 3, 3, 1),
        floats(2, 2, 2),
        strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1],
        padding="SAME",
    ),
    sample(
        "Dilation2DBackpropInput",
        floats(1, 4, 4, 2),
        floats(2, 2, 2, seed=1),
        floats(1, 4, 4, 2, seed=2),
        strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1],
        padding="SAME",
        gradient=False,
    ),
    sample(
        "Dilation2DBackpropFilter",
        floats(1, 4, 4, 2),
        floats(2, 2, 2, seed=1),
        floats(1, 4, 4, 2, seed=2),
        strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1],
        padding="SAME",
        gradient=False,
    ),
]
