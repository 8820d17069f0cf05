"""tf.io.serialize_tensor, tf.io.parse_tensor."""

from __future__ import annotations

from tests.samples import call, floats, made, symbol, tensor

ROWS = [
    call("io.serialize_tensor", tensor(floats(2, 2))),
    call("io.serialize_tensor", [1, 2, 3]),
    call("io.serialize_tensor", "text"),
    call("io.parse_tensor", made("io.serialize_tensor", [1, 2, 3]), symbol("int32")),
    call("io.parse_tensor", made("io.serialize_tensor", [["a"], ["b"]]), symbol("string")),
    call("io.parse_tensor", made("io.serialize_tensor", [1, 2, 3]), out_type=symbol("float32")),
    call("io.parse_tensor", "x", symbol("float32")),
    call("io.parse_tensor", ["x"], symbol("float32")),
]
