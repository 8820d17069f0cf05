"""Samples of ops that only graphs hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples import Sample, floats, ints, positive, sample, strings

N, X, H, T = 2, 3, 2, 4  # rows, inputs, units, steps


def lstm(name: str, dtype: str = "float32", times: int = 0, **attrs: Any) -> Sample:
    x = floats(times, N, X, dtype=dtype) if times else floats(N, X, dtype=dtype)
    state = [floats(N, H, seed=i, dtype=dtype) for i in (1, 2)]
    peepholes = [floats(H, seed=i, dtype=dtype) for i in (3, 4, 5)]
    weights = [floats(X + H, 4 * H, seed=6, dtype=dtype), *peepholes, floats(4 * H, dtype=dtype)]
    length = [np.int64(times)] if times else []
    return sample(name, *length, x, *state, *weights, second=False, differences=False, **attrs)


def lstm_back(name: str, times: int = 0, dtype: str = "float32", **attrs: Any) -> Sample:
    inputs = lstm(name, dtype, times).inputs
    shape = (times, N, H) if times else (N, H)
    kept = [positive(*shape, seed=i, low=0.1, high=0.9, dtype=dtype) for i in range(7)]
    kept = kept if times else kept[:6]  # a step's gradient does not ask for `h`
    arriving = [floats(*shape, seed=i, dtype=dtype) for i in (8, 9)]
    return sample(name, *inputs, *kept, *arriving, gradient=False, **attrs)


GRU = [
    floats(N, X),
    floats(N, H),
    floats(X + H, 2 * H),
    floats(X + H, H),
    floats(2 * H, seed=1),
    floats(H, seed=2),
]


def conv(op: str, *inputs: Any, dtype: str = "float32", **attrs: Any) -> Sample:
    x, f = floats(1, 4, 5, 2, dtype=dtype), floats(3, 3, 2, 3, dtype=dtype)
    pads = np.array([[0, 0], [1, 2], [2, 1], [0, 0]], np.int32)
    how = {"mode": "REFLECT", "strides": [1, 1, 1, 1], "padding": "VALID"} | attrs
    return sample(op, x, *inputs, pads, f, gradient=False, **how)


SIZE = np.array([6, 7], np.int32)
SOUND = floats(40, 2, low=-1, high=1)
SPECTRUM = positive(1, 3, 129)
ROWS = [
    lstm("LSTMBlockCell", gradient=False),
    lstm("LSTMBlockCell", gradient=False, use_peephole=True, cell_clip=0.5, forget_bias=0.3),
    lstm("LSTMBlockCell", "float16", gradient=False, cell_clip=-1.0),
    sample("LSTMBlockCell", *lstm("LSTMBlockCell").inputs[:-1], floats(3), gradient=False),
    lstm_back("LSTMBlockCellGrad", use_peephole=False),
    lstm_back("LSTMBlockCellGrad", use_peephole=True),
    lstm_back("LSTMBlockCellGrad", dtype="float16", use_peephole=True),
    lstm("BlockLSTM", times=T),
    lstm("BlockLSTM", times=T, use_peephole=True, cell_clip=0.5),
    lstm("BlockLSTM", "float16", times=T, gradient=False),
    lstm("BlockLSTMV2", times=T, gradient=False),  # see there why
    lstm("BlockLSTMV2", times=T, gradient=False, use_peephole=True),
    lstm_back("BlockLSTMGrad", times=T, use_peephole=False),
    lstm_back("BlockLSTMGrad", times=T, use_peephole=True),
    lstm_back("BlockLSTMGradV2", times=T, use_peephole=False),
    lstm_back("BlockLSTMGradV2", times=T, use_peephole=True),
    sample("GRUBlockCell", *GRU, gradient=False),
    sample("GRUBlockCell", *GRU[:-2], floats(3), GRU[-1], gradient=False),
    sample("GRUBlockCellGrad", *GRU, *[positive(N, H, seed=i) for i in range(4)], gradient=False),
    conv("FusedPadConv2D"),
    conv("FusedPadConv2D", mode="SYMMETRIC", strides=[1, 2, 2, 1], padding="SAME"),
    conv("FusedPadConv2D", dtype="float64"),
    conv("FusedPadConv2D", dtype="float16"),
    conv("FusedResizeAndPadConv2D", SIZE),
    conv("FusedResizeAndPadConv2D", SIZE, resize_align_corners=True, mode="SYMMETRIC"),
    conv("FusedResizeAndPadConv2D", SIZE, dtype="float64", strides=[1, 2, 2, 1], tolerance=1e-5),
    sample("AudioSpectrogram", SOUND, window_size=16, stride=8),
    sample("AudioSpectrogram", SOUND, window_size=12, stride=5, magnitude_squared=True),
    sample("AudioSpectrogram", SOUND, window_size=64, stride=5),
    sample("AudioSpectrogram", SOUND, window_size=1, stride=5),
    sample("AudioSpectrogram", SOUND[:, 0], window_size=8, stride=5),
    sample("Mfcc", SPECTRUM, np.int32(16000)),
    sample("Mfcc", SPECTRUM, np.int32(8000), filterbank_channel_count=20),
    sample("Mfcc", SPECTRUM, np.int32(8000), lower_frequency_limit=300.0, dct_coefficient_count=5),
    sample("Mfcc", SPECTRUM[0], np.int32(8000)),
    sample("NearestNeighbors", floats(5, 3), floats(4, 3, seed=1), np.int64(2)),
    sample("NearestNeighbors", floats(5, 3), floats(4, 3, seed=1), np.int64(9)),
    sample("NearestNeighbors", floats(5, 3), floats(4, 2), np.int64(1)),
    sample("NearestNeighbors", floats(5, 3), floats(4, 3), np.int64(0)),
    sample("DataFormatDimMap", np.array([0, 1, 2, 3, -1, -4], np.int32)),
    sample(
        "DataFormatDimMap",
        ints(2, 3, low=0, high=4, dtype="int64"),
        src_format="NCHW",
        dst_format="NHWC",
    ),
    sample("DataFormatDimMap", np.int32(3), src_format="NDHWC", dst_format="NCDHW"),
    sample("DataFormatDimMap", np.int32(3), src_format="NHW"),
    sample("DataFormatVecPermute", np.array([5, 6, 7, 8], np.int32)),
    sample(
        "DataFormatVecPermute", np.array([5, 6], np.int32), src_format="NHWC", dst_format="NCWH"
    ),
    sample("DataFormatVecPermute", ints(4, 2, dtype="int64"), src_format="NCHW", dst_format="NHWC"),
    sample(
        "DataFormatVecPermute",
        np.array([1, 2, 3, 4, 5], np.int32),
        src_format="NDHWC",
        dst_format="NCDHW",
    ),
    sample("DataFormatVecPermute", np.array([1, 2, 3], np.int32)),
    *[
        sample(
            name, floats(4, 2), np.array([1, -1, 2], np.int32), floats(3, 2, seed=1), gradient=False
        )
        for name in ("InplaceUpdate", "InplaceAdd", "InplaceSub")
    ],
    sample("InplaceAdd", ints(3), np.array([1, 1], np.int32), ints(2, seed=1)),
    sample("InplaceUpdate", ints(3), np.array([1], np.int32), ints(2)),
    sample("InplaceUpdate", ints(3), np.int32(1), ints(1)),
    *[sample("ToBool", v) for v in (np.float32(0), np.int64(3), ints(2), ints(0), np.bool_(True))],
    sample("ToBool", strings("a")),
    sample("ToBool", np.array(b"", object)),
    sample("FakeParam", dtype="float32", shape=[0, 3]),
    sample("Copy", floats(2), gradient=False),
    sample("CopyHost", strings("a"), tensor_name="x"),
    sample("ControlTrigger"),
    sample("DeviceIndex", device_names=["GPU", "CPU"]),
    sample("DeviceIndex", device_names=["TPU"]),
    sample("BiasAddV1", floats(2, 3), floats(3)),
    sample("BiasAddV1", ints(2, 2, 3), ints(3)),
    sample("BiasAddV1", floats(2, 3), floats(2)),
    *[
        sample("InTopK", floats(3, 5), np.array([0, 4, 7], kind), k=k)
        for kind, k in (("int32", 2), ("int64", 3), ("int32", 0))
    ],
    sample("InTopK", floats(3, 5), np.array([0, 4], np.int32), k=1),
]
