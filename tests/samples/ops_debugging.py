"""Samples of the ops that check, print, format, or call Python."""

from __future__ import annotations

import numpy as np

from tests.samples import Sample, bools, floats, ints, sample, strings

FLOATS = np.array(
    [1.0, 2.5, 1 / 3, 1e10, 1e-10, 1e6, 123456789.0, -0.0, np.nan, np.inf], np.float32
)

HEALTH = np.array([[1.0, -2.0, 0.0, np.inf], [-np.inf, np.nan, np.nan, 3.0]], np.float32)


def summary(x: np.ndarray, mode: int, **attrs: object) -> Sample:
    return sample("DebugNumericSummaryV2", x, tensor_debug_mode=mode, **attrs)


ROWS = [
    *[summary(HEALTH, mode, tensor_id=7) for mode in (2, 3, 4, 5, 8)],
    *[summary(HEALTH, mode, output_dtype="float64") for mode in (2, 3, 4, 5, 8)],
    *[summary(ints(2, 3), mode) for mode in (2, 3, 4, 5, 8)],
    summary(bools(3), 4),
    summary(floats(2, dtype="bfloat16"), 4),
    summary(floats(2, dtype="float16"), 5),
    summary(np.zeros((0, 3), np.float32), 4),
    summary(np.array(2.0, np.float32), 5),
    summary(np.zeros((1, 2, 3, 1, 2, 3, 1, 2), np.int64), 5),
    summary(HEALTH, 1),
    summary(HEALTH, 7),
    summary(HEALTH, 3, tensor_id=2**24 + 1),
    sample("DebugIdentityV2", floats(2, 3)),
    sample("DebugIdentityV2", strings("a", "b")),
    sample("DebugIdentityV2", floats(2), debug_urls=["/no/scheme"]),
    sample("NoOp"),
    sample("Timestamp", judged=False),  # a different answer every time
    sample("StringFormat", [np.array(1)], template="a%sb"),
    sample("StringFormat", [], template="nothing", placeholder="{}"),
    sample("StringFormat", [ints(4, 6), floats(2)], template="{} and {}", placeholder="{}"),
    sample("StringFormat", [ints(2, 3, 4)], summarize=1),
    sample("StringFormat", [ints(2, 3, 4)], summarize=-1),
    sample("StringFormat", [ints(7)], summarize=0),
    sample("StringFormat", [FLOATS], summarize=-1),
    sample("StringFormat", [FLOATS.astype(np.float64)], summarize=-1),
    sample("StringFormat", [floats(3, dtype="float16")], summarize=-1),
    sample("StringFormat", [floats(3, dtype="bfloat16")], summarize=-1),
    sample("StringFormat", [bools(3)]),
    sample("StringFormat", [strings("hi", "a b", "é", 'q"x', "\x00\n")], summarize=-1),
    sample("StringFormat", [np.zeros((0, 3), np.float32)]),
    sample("StringFormat", [np.zeros((2, 0), np.float32)]),
    sample("StringFormat", [np.zeros((2, 0, 3), np.float32)]),
    sample("StringFormat", [np.array(1)], template="{} {}", placeholder="{}"),
    sample("PrintV2", np.array(b"text", object)),
    sample("PrintV2", np.array(b"text", object), output_stream="stdout", end=""),
    sample("PrintV2", np.array(b"text", object), output_stream="nowhere"),
    sample("PrintV2", np.array(b"text", object), output_stream="file:///no/such/folder/file"),
    sample("PrintV2", strings("text")),
    sample("PrintV2", np.array(1)),
    sample("Assert", np.array(True), [np.array(1)]),
    sample("Assert", np.array(False), [np.array(b"x is", object), ints(5)], summarize=2),
    sample("Assert", np.array([False]), [np.array(1)]),
    sample("Assert", np.array(1), [np.array(1)]),
    sample("PyFunc", [floats(2)], token="unknown", Tout=["float32"]),
    sample("PyFuncStateless", [floats(2)], token="unknown", Tout=["float32"]),
    sample("EagerPyFunc", [floats(2)], token="unknown", Tout=["float32"]),
]
