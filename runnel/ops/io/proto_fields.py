"""Fields of protocol messages as tensors, and back: `tf.io.decode_proto`, `tf.io.encode_proto`."""

from __future__ import annotations

import functools
import importlib
import struct
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.files import files
from runnel.core.protos import messages
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import (
    DataLossError,
    InvalidArgumentError,
    OpError,
    bad_shape,
    bad_value,
)
from runnel.core.values.types import Array, Dims, DTypeLike, Namespace, Spec, TensorLike
from runnel.kernels.text.arrays import attribute_bytes, packed

_FLOAT, _SIGNED, _UNSIGNED = "float32 float64", "int32 int64", "uint32 uint64"
# By protobuf's number of a field's type: what it is called, and the dtypes that can hold it.
_KINDS = {
    1: ("double", "float64"),
    2: ("float", _FLOAT),
    3: ("varint", "int64"),
    4: ("varint", "uint64"),
    5: ("varint", _SIGNED),
    6: ("fixed64", "uint64"),
    7: ("fixed32", _UNSIGNED),
    8: ("varint", "bool"),
    9: ("bytes", "string"),
    10: ("group", "string"),
    11: ("bytes", "string"),
    12: ("bytes", "string"),
    13: ("varint", _UNSIGNED),
    14: ("varint", "int32"),
    15: ("sfixed32", _SIGNED),
    16: ("sfixed64", "int64"),
    17: ("zigzag", _SIGNED),
    18: ("zigzag", "int64"),
}


@functools.lru_cache(32)
def _message(op_name: str, name: str, source: str) -> Any:
    """The class of a message that the descriptors of a source declare."""
    for pool in _pools(op_name, source):
        try:
            descriptor = pool.FindMessageTypeByName(name)
        except KeyError:
            continue
        factory: Any = importlib.import_module("google.protobuf.message_factory")
        return factory.GetMessageClass(descriptor)
    raise bad_value(op_name, want="be a message that is declared", message_type=name)


def _pools(op_name: str, source: str) -> list[Any]:
    pools: Any = importlib.import_module("google.protobuf.descriptor_pool")
    if source in ("", "local://"):
        return [messages.pool(), pools.Default()]
    schema: Any = importlib.import_module("google.protobuf.descriptor_pb2")
    made = pools.DescriptorPool()
    try:
        data = source[8:] if source.startswith("bytes://") else None
        content = files.read_whole(source) if data is None else attribute_bytes(data)
        for file in schema.FileDescriptorSet.FromString(content).file:
            made.Add(file)
    except (
        OpError,
        ValueError,
        TypeError,
        importlib.import_module("google.protobuf.message").Error,
    ):
        want = "be local://, bytes:// and a FileDescriptorSet, or a file that holds one"
        raise bad_value(op_name, want=want, descriptor_source=source) from None
    return [made]


def _fields(op_name: str, message: Any, names: Sequence[str], types: Sequence[DType]) -> list[Any]:
    """The descriptors of fields, each of which must fit its dtype."""
    found = []
    for name, dtype in zip(names, types, strict=True):
        field = message.DESCRIPTOR.fields_by_name.get(name) or _extension(message, name)
        if field is None:
            full = message.DESCRIPTOR.full_name
            raise bad_value(op_name, want=f"be fields of {full}", field_names=name)
        allowed = _KINDS[field.type][1].split()
        if dtype.name not in allowed:
            raise bad_value(op_name, want=f"be one of {allowed} for {name!r}", type=dtype.name)
        found.append(field)
    return found


def _extension(message: Any, name: str) -> Any:
    """The extension of a message that has this full name, None if there is none."""
    try:
        return message.DESCRIPTOR.file.pool.FindExtensionByName(name)
    except KeyError:
        return None


def _decode_shape(bytes: Spec, *, field_names: Sequence[str], **attrs: Any) -> list[Any]:
    types = attrs["output_types"]
    if bytes.dims is None:
        return [None, [None] * len(types)]
    return [(*bytes.dims, len(field_names)), [(*bytes.dims, None) for _ in types]]


@op(
    "DecodeProtoV2",
    "bytes: string -> sizes: int32, values: *output_types",
    shape=_decode_shape,
    effects="reads files",
    stateful=False,
)
def _decode_proto(
    xp: Namespace,
    bytes: Array,
    *,
    message_type: str,
    field_names: tuple[str, ...],
    output_types: tuple[DType, ...],
    descriptor_source: str = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
) -> tuple[Array, list[Array]]:
    name = "DecodeProtoV2"
    if len(field_names) != len(output_types):
        want = f"have {len(field_names)} dtypes, one for each field"
        raise bad_value(name, want=want, output_types=len(output_types))
    if message_format not in ("binary", "text"):
        raise bad_value(name, want='be "binary" or "text"', message_format=message_format)
    if not bytes.size:
        raise bad_value(name, want="hold one message at least", bytes=bytes)
    message = _message(name, message_type, descriptor_source)
    fields = _fields(name, message, field_names, output_types)
    parsed = [_parsed(message, data, message_format) for data in bytes.ravel().tolist()]
    columns = [[_values(each, field) for each in parsed] for field in fields]
    sizes = np.array([[len(v) for v in column] for column in columns], np.int32)
    shaped = sizes.reshape(len(fields), len(parsed)).T.reshape(*bytes.shape, len(fields))
    padded = [_padded(c, f, t) for c, f, t in zip(columns, fields, output_types, strict=True)]
    return shaped, [values.reshape(*bytes.shape, values.shape[1]) for values in padded]


no_gradient("DecodeProtoV2")


def _parsed(message: Any, data: bytes, form: str) -> Any:
    errors: Any = importlib.import_module("google.protobuf.message")
    text: Any = importlib.import_module("google.protobuf.text_format")
    try:
        if form == "binary":
            return message.FromString(data)
        return text.Parse(data, message())
    except (errors.DecodeError, text.ParseError, UnicodeDecodeError) as error:
        raise DataLossError(
            None, None, f"DecodeProtoV2: {data[:40]!r} is no message in {form} form: {error}"
        ) from error


def _values(message: Any, field: Any) -> list[Any]:
    """The values that a message has for a field."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return _entries(getattr(message, field.name), field)
    given = dict(message.ListFields()).get(field)
    if given is None:
        return []
    values = [given] if isinstance(given, str | bytes) or not hasattr(given, "__len__") else given
    return [_plain(value) for value in values]


def _entries(mapping: Any, field: Any) -> list[bytes]:
    """The entries of a map, which are messages with a key and a value."""
    factory: Any = importlib.import_module("google.protobuf.message_factory")
    entry = factory.GetMessageClass(field.message_type)
    return [entry(key=key, value=mapping[key]).SerializeToString() for key in sorted(mapping)]


def _plain(value: Any) -> Any:
    if hasattr(value, "SerializeToString"):
        return value.SerializeToString()
    return value.encode() if isinstance(value, str) else value


def _padded(column: list[list[Any]], field: Any, dtype: DType) -> Array:
    """The values of a field in all messages, filled up with its default."""
    many = field.is_repeated if hasattr(field, "is_repeated") else field.label == 3
    default = b"" if dtype is dtypes.string else 0
    if not many and field.message_type is None:
        default = _plain(field.default_value)
    width = max([1, *[len(values) for values in column]])
    result = np.full((len(column), width), default, dtype.np_dtype)
    for place, values in enumerate(column):
        if values:
            result[place, : len(values)] = values
    return result


DecodeProtoV2 = namedtuple("DecodeProtoV2", ["sizes", "values"])


def decode_proto(
    bytes: TensorLike,
    message_type: str,
    field_names: Sequence[str],
    output_types: Sequence[DTypeLike],
    descriptor_source: str = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> Any:
    """Fields of serialized messages: how often each is there, and the values, padded.

    `descriptor_source` is "local://" for TensorFlow's own messages and those that the program has
    imported, "bytes://" followed by a serialized `FileDescriptorSet`, or the path of one.

    >>> feature = tf.train.Int64List(value=[3, 4]).SerializeToString()
    >>> tf.io.decode_proto(feature, "tensorflow.Int64List", ["value"], [tf.int64]).values[0].numpy()
    array([3, 4])
    """
    sizes, *values = raw_ops.DecodeProtoV2(
        bytes,
        message_type=message_type,
        field_names=field_names,
        output_types=tuple(as_dtype(dtype) for dtype in output_types),
        descriptor_source=descriptor_source,
        message_format=message_format,
        sanitize=sanitize,
        name=name,
    )
    return DecodeProtoV2(sizes, values)


def _varint(value: Any) -> bytes:
    number, found = int(value) & 0xFFFFFFFFFFFFFFFF, bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def _delimited(value: Any) -> bytes:
    return _varint(len(value)) + bytes(value)


def _zigzag(value: Any) -> bytes:
    return _varint((int(value) << 1) ^ (int(value) >> 63))


# By what a field is called in `_KINDS`: the number of its form on the wire, and what writes it.
_WIRE: dict[str, tuple[int, Callable[[Any], bytes]]] = {
    "varint": (0, _varint),
    "zigzag": (0, _zigzag),
    "double": (1, struct.Struct("<d").pack),
    "fixed64": (1, struct.Struct("<Q").pack),
    "sfixed64": (1, struct.Struct("<q").pack),
    "bytes": (2, _delimited),
    "group": (3, bytes),
    "float": (5, struct.Struct("<f").pack),
    "fixed32": (5, struct.Struct("<I").pack),
    "sfixed32": (5, struct.Struct("<i").pack),
}


def _written(field: Any, values: list[Any]) -> bytes:
    """The bytes of a field with some values."""
    wire, write = _WIRE[_KINDS[field.type][0]]
    tag = _varint(field.number << 3 | wire)
    if wire == 3:
        end = _varint(field.number << 3 | 4)
        return b"".join([tag + write(value) + end for value in values])
    if field.is_packed and values:
        return _varint(field.number << 3 | 2) + _delimited(b"".join(map(write, values)))
    return b"".join([tag + write(value) for value in values])


def _encode_shape(sizes: Spec, values: list[Spec], **attrs: Any) -> Dims:
    return None if sizes.dims is None else sizes.dims[:-1]


def _check_encoding(sizes: Array, values: list[Array], names: Sequence[str]) -> None:
    name = "EncodeProto"
    if len(values) != len(names):
        want = f"have {len(names)} tensors, one for each field"
        raise bad_value(name, want=want, values=len(values))
    if not sizes.ndim or sizes.shape[-1] != len(names):
        want = f"have a last dimension of {len(names)}, the number of fields"
        raise bad_shape(name, want=want, sizes=sizes)
    for place, value in enumerate(values):
        if value.ndim < 2 or value.shape[:-1] != sizes.shape[:-1]:
            want = f"have one dimension or more, {sizes.shape[:-1]}, and one for the values"
            raise bad_shape(name, want=want, values=value)
        most = int(sizes[..., place].max(initial=0))
        if most > value.shape[-1]:
            want = f"not exceed {value.shape[-1]}, the values of {names[place]!r}"
            raise bad_value(name, want=want, sizes=most)


@op(
    "EncodeProto",
    "sizes: int32, values: *Tinput_types[2+] -> bytes: string",
    shape=_encode_shape,
    effects="reads files",
    stateful=False,
)
def _encode_proto(
    xp: Namespace,
    sizes: Array,
    values: list[Array],
    *,
    field_names: tuple[str, ...],
    message_type: str,
    descriptor_source: str = "local://",
) -> Array:
    _check_encoding(sizes, values, field_names)
    message = _message("EncodeProto", message_type, descriptor_source)
    types = [dtypes.FROM_NUMPY[value.dtype] for value in values]
    fields = _fields("EncodeProto", message, field_names, types)
    counts = sizes.reshape(-1, len(fields)).tolist()
    rows = [value.reshape(len(counts), value.shape[-1]).tolist() for value in values]
    order = sorted(range(len(fields)), key=lambda place: fields[place].number)
    found = [
        b"".join([_written(fields[p], rows[p][i][: max(count[p], 0)]) for p in order])
        for i, count in enumerate(counts)
    ]
    return packed(found, sizes.shape[:-1])


no_gradient("EncodeProto")


def encode_proto(
    sizes: TensorLike,
    values: Sequence[TensorLike],
    field_names: Sequence[str],
    message_type: str,
    descriptor_source: str = "local://",
    name: str | None = None,
) -> Tensor:
    """Serialized messages of the values of their fields; `sizes` says how many are there of each.

    >>> values = [tf.constant([[3, 4, 0]], tf.int64)]
    >>> data = tf.io.encode_proto([[2]], values, ["value"], "tensorflow.Int64List")
    >>> tf.train.Int64List.FromString(data[0].numpy()).value
    [3, 4]
    """
    if not isinstance(values, list | tuple):
        raise TypeError(f"tf.io.encode_proto: `values` must be a list, got {values!r}.")
    if not values:
        raise InvalidArgumentError(None, None, "tf.io.encode_proto needs the values of a field.")
    return raw_ops.EncodeProto(  # type: ignore[no-any-return]
        sizes,
        values,
        field_names=field_names,
        message_type=message_type,
        descriptor_source=descriptor_source,
        name=name,
    )
