"""Tensors in strings: SerializeTensor, ParseTensor."""

from __future__ import annotations

import numpy as np

from tests.samples import bools, complexes, floats, ints, sample, strings

_FLOATS = b"\x08\x01\x12\x04\x12\x02\x08\x02\x22\x08\x00\x00\x80\x3f\x00\x00\x00\x40"
_ONE_FOR_ALL = b"\x08\x01\x12\x08\x12\x02\x08\x02\x12\x02\x08\x02\x2a\x04\x00\x00\x00\x3f"
_NOTHING_GIVEN = b"\x08\x03\x12\x04\x12\x02\x08\x03"
_NO_RANK = b"\x08\x01\x12\x02\x18\x01"
_NEGATIVE = b"\x08\x01\x12\x0d\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"


def _scalar(data: bytes) -> np.ndarray:
    return np.array(data, object)


ROWS = [
    *[
        sample("SerializeTensor", np.asarray(floats(2, 3), dtype))
        for dtype in ("float32", "float64", "float16")
    ],
    sample("SerializeTensor", floats(2, 3, dtype="bfloat16")),
    *[
        sample("SerializeTensor", ints(4, low=0, dtype=dtype))
        for dtype in "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split()
    ],
    sample("SerializeTensor", bools(3)),
    sample("SerializeTensor", complexes(2)),
    sample("SerializeTensor", strings("a", "", b"\xff")),
    sample("SerializeTensor", np.float32(2.5)),
    sample("SerializeTensor", floats(0, 3)),
    sample("ParseTensor", _scalar(_FLOATS), out_type="float32"),
    sample("ParseTensor", _scalar(_ONE_FOR_ALL), out_type="float32"),
    sample("ParseTensor", _scalar(_NOTHING_GIVEN), out_type="int32"),
    sample("ParseTensor", _scalar(_FLOATS), out_type="int32"),
    sample("ParseTensor", _scalar(_FLOATS[:-1]), out_type="float32"),
    sample("ParseTensor", _scalar(_FLOATS[:-2] + b"\x00"), out_type="float32"),
    sample("ParseTensor", _scalar(b"nonsense"), out_type="float32"),
    sample("ParseTensor", _scalar(b""), out_type="float32"),
    sample("ParseTensor", _scalar(_NO_RANK), out_type="float32"),
    sample("ParseTensor", _scalar(_NEGATIVE), out_type="float32"),
    sample("ParseTensor", strings("a", "b"), out_type="float32"),
]
