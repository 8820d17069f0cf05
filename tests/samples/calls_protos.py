"""Calls of the functions that read and write the fields of protocol messages."""

from tests.samples import call, symbol, tensor

INTS = ("tensorflow.Int64List", ["value"])

ROWS = [
    call("io.decode_proto", [b"\n\x02\x01\x02", b""], *INTS, [symbol("int64")]),
    call("io.decode_proto", b"\n\x02\x01\x02", *INTS, [symbol("int64")]),
    call("io.decode_proto", [b"\xff"], *INTS, [symbol("int64")]),
    call("io.decode_proto", [b""], *INTS, [symbol("string")]),
    call("io.encode_proto", [[2], [1]], [tensor([[1, 2], [3, 4]], "int64")], INTS[1], INTS[0]),
    call("io.encode_proto", [[0]], [tensor([[1, 2]], "int64")], INTS[1], INTS[0]),
    call("io.encode_proto", [[5]], [tensor([[1, 2]], "int64")], INTS[1], INTS[0]),
    call("io.encode_proto", [[1]], [], INTS[1], INTS[0]),
]
