"""Samples of the ops that read and write the fields of protocol messages."""

import numpy as np

from tests.samples import sample, strings, tensor

NUMBERS = strings(b"\n\x02\x01\x02", b"", b"\n\x01\x07")  # of tensorflow.Int64List
SHAPE = strings(b"\x12\x02\x08\x03\x12\x05\x08\x04\x12\x01x", b"\x18\x01")  # of TensorShapeProto
VERSION = strings(b"\x08\x05\x1a\x02\x01\x02", b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")


def decode(data, message, names, types, **attrs):
    message_type = f"tensorflow.{message}"
    return sample(
        *("DecodeProtoV2", data),
        message_type=message_type,
        field_names=names,
        output_types=types,
        **attrs,
    )


def encode(sizes, values, message, names):
    message_type = f"tensorflow.{message}"
    sizes = np.array(sizes, np.int32)
    return sample("EncodeProto", sizes, values, field_names=names, message_type=message_type)


ROWS = [
    decode(NUMBERS, "Int64List", ["value"], ["int64"]),
    decode(NUMBERS[:, None], "Int64List", ["value"], ["int64"]),
    decode(NUMBERS[0], "Int64List", ["value"], ["int64"]),
    decode(SHAPE, "TensorShapeProto", ["unknown_rank", "dim"], ["bool", "string"]),
    decode(VERSION, "VersionDef", ["producer", "bad_consumers"], ["int32", "int64"]),
    decode(VERSION, "VersionDef", ["min_consumer"], ["int32"]),
    decode(strings("producer: 3"), "VersionDef", ["producer"], ["int32"], message_format="text"),
    decode(strings("producer: x"), "VersionDef", ["producer"], ["int32"], message_format="text"),
    decode(VERSION, "VersionDef", ["producer"], ["int32"], message_format="json"),
    decode(VERSION, "VersionDef", ["producer"], ["int32"], sanitize=True),
    decode(VERSION, "VersionDef", ["producer"], ["float32"]),
    decode(VERSION, "VersionDef", ["nothing"], ["int32"]),
    decode(VERSION, "NoSuchMessage", ["producer"], ["int32"]),
    decode(VERSION, "VersionDef", ["producer"], ["int32", "int32"]),
    decode(VERSION, "VersionDef", ["producer"], ["int32"], descriptor_source="no such file"),
    decode(strings(b"\xff\xff"), "VersionDef", ["producer"], ["int32"]),
    decode(tensor([], "string"), "VersionDef", ["producer"], ["int32"]),
    encode([[2], [0]], [np.array([[5, 6], [7, 8]])], "Int64List", ["value"]),
    encode([[[1]]], [np.array([[[5]]])], "Int64List", ["value"]),
    encode([[1]], [np.array([[1.5]], np.float32)], "FloatList", ["value"]),
    encode([[2]], [strings(b"a", b"\xff")[None]], "BytesList", ["value"]),
    encode(
        [[2, 1]],
        [np.array([[4, 5]], np.int32), np.array([[-3]], np.int32)],
        *("VersionDef", ["bad_consumers", "producer"]),
    ),
    encode([[1]], [np.array([[True]])], "TensorShapeProto", ["unknown_rank"]),
    encode([[3]], [np.array([[5, 6]])], "Int64List", ["value"]),
    encode([[1]], [np.array([[5.0]])], "Int64List", ["value"]),
    encode([[1, 1]], [np.array([[5]])], "Int64List", ["value"]),
    encode([1], [np.array([5])], "Int64List", ["value"]),
    encode([[1]], [np.array([[5]])], "Int64List", ["nothing"]),
]
