"""Ops of fake quantization and quantized tensors."""

from __future__ import annotations

import numpy as np

from tests.samples import floats, sample, tensor

X = np.array([-3.0, -1.21, -0.5, 0.0, 0.3, 0.5, 1.49, 1.5, 2.5, 7.3], np.float32)
LOW, HIGH = np.float32(-2.0), np.float32(6.0)
C = floats(2, 4, 3, low=-4.0, high=4.0)
LOWS, HIGHS = np.array([-1.0, -2.0, -0.5], np.float32), np.array([1.0, 3.0, 2.0], np.float32)
DTYPES = ("qint8", "quint8", "qint16", "quint16", "qint32")

QUANTIZE = [
    sample("QuantizeV2", X, LOW, HIGH, T=T, mode=mode, gradient=False)
    for T in DTYPES
    for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED")
    if (T, mode)
    not in (
        ("qint32", "MIN_COMBINED"),
        ("qint32", "MIN_FIRST"),
        ("qint32", "SCALED"),
    )  # overflows there
]
DEQUANTIZE = [
    sample("Dequantize", tensor([0, 1, 5, 100, 127], T), LOW, HIGH, mode=mode, gradient=False)
    for T in DTYPES
    for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED")
]

# TensorFlow wants scalar bounds even with an axis, where its documentation asks for one per slice:
# those rows are not judged.
ROWS = [
    *QUANTIZE,
    sample(
        "QuantizeV2",
        X,
        LOW,
        HIGH,
        T="qint8",
        mode="SCALED",
        round_mode="HALF_TO_EVEN",
        gradient=False,
    ),
    sample("QuantizeV2", X, LOW, HIGH, T="qint8", mode="SCALED", narrow_range=True, gradient=False),
    sample("QuantizeV2", X, LOW, HIGH, T="qint8", round_mode="HALF_TO_EVEN", gradient=False),
    sample("QuantizeV2", X, np.float32(0.001), np.float32(0.001), T="quint8", gradient=False),
    sample("QuantizeV2", C, LOWS, HIGHS, T="quint8", axis=2, gradient=False),
    sample("QuantizeV2", C, LOWS, HIGHS, T="qint8", axis=2, mode="SCALED", gradient=False),
    *DEQUANTIZE,
    sample(
        "Dequantize",
        tensor([[1, 2, 3], [4, 5, 6]], "qint8"),
        LOWS,
        HIGHS,
        axis=1,
        mode="SCALED",
        gradient=False,
    ),
    sample("Dequantize", tensor([1, 2], "quint8"), LOW, HIGH, dtype="bfloat16", gradient=False),
    sample("QuantizeAndDequantizeV2", X, LOW, HIGH, range_given=True, differences=False),
    sample("QuantizeAndDequantizeV2", X, LOW, HIGH, differences=False),
    sample(
        "QuantizeAndDequantizeV2", X, LOW, HIGH, signed_input=False, num_bits=4, differences=False
    ),
    sample(
        "QuantizeAndDequantizeV2",
        X,
        LOW,
        HIGH,
        round_mode="HALF_UP",
        range_given=True,
        differences=False,
    ),
    sample(
        "QuantizeAndDequantizeV2",
        X,
        LOW,
        HIGH,
        narrow_range=True,
        range_given=True,
        differences=False,
    ),
    sample(
        "QuantizeAndDequantizeV2",
        C,
        LOWS,
        HIGHS,
        axis=2,
        range_given=True,
        differences=False,
        judged=False,
    ),
    sample("QuantizeAndDequantizeV2", C, LOWS, HIGHS, axis=2, differences=False),
    sample("QuantizeAndDequantizeV3", X, LOW, HIGH, np.int32(6), differences=False),
    sample(
        "QuantizeAndDequantizeV4", X, LOW, HIGH, range_given=True, differences=False, second=False
    ),
    sample(
        "QuantizeAndDequantizeV4",
        C,
        LOWS,
        HIGHS,
        axis=2,
        range_given=True,
        differences=False,
        second=False,
        judged=False,
    ),
    sample("QuantizeAndDequantizeV4Grad", np.ones_like(X), X, LOW, HIGH, gradient=False),
    sample(
        "QuantizedConcat",
        np.int32(0),
        [tensor([0, 128], "quint8"), tensor([255, 3], "quint8")],
        [LOW, LOW],
        [HIGH, HIGH],
        gradient=False,
    ),
    sample(
        "QuantizedConcat",
        np.int32(0),
        [tensor([0, 128], "quint8"), tensor([255, 3], "quint8")],
        [LOW, np.float32(-1)],
        [np.float32(4), HIGH],
        gradient=False,
    ),
    sample("FakeQuantWithMinMaxArgs", X, differences=False),
    sample("FakeQuantWithMinMaxArgs", X, min=-1.3, max=2.1, num_bits=4, differences=False),
    sample(
        "FakeQuantWithMinMaxArgs",
        X,
        min=-1.3,
        max=2.1,
        num_bits=4,
        narrow_range=True,
        differences=False,
    ),
    sample("FakeQuantWithMinMaxArgs", X, min=0.5, max=2.1, differences=False),
    sample("FakeQuantWithMinMaxArgs", X, min=2.0, max=1.0),
    sample("FakeQuantWithMinMaxArgs", X, num_bits=1),
    sample("FakeQuantWithMinMaxArgsGradient", np.ones_like(X), X, gradient=False),
    sample(
        "FakeQuantWithMinMaxVars",
        X,
        np.float32(-1.3),
        np.float32(2.1),
        num_bits=4,
        differences=False,
        second=False,
    ),
    sample(
        "FakeQuantWithMinMaxVars",
        X,
        np.float32(0.0),
        np.float32(0.0),
        differences=False,
        second=False,
    ),
    sample(
        "FakeQuantWithMinMaxVarsGradient",
        np.ones_like(X),
        X,
        np.float32(-1.3),
        np.float32(2.1),
        gradient=False,
    ),
    sample("FakeQuantWithMinMaxVarsPerChannel", C, LOWS, HIGHS, differences=False, second=False),
    sample("FakeQuantWithMinMaxVarsPerChannel", C, LOWS[:2], HIGHS[:2]),
    sample(
        "FakeQuantWithMinMaxVarsPerChannelGradient", np.ones_like(C), C, LOWS, HIGHS, gradient=False
    ),
]
