"""Numbers read from the bytes that hold them in memory, and strings unpacked."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import DataLossError, bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Namespace, Spec, TensorLike
from runnel.kernels.text.arrays import each
from runnel.ops.shapes import same

_PADDED = frozenset(
    {dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16, dtypes.uint16, dtypes.uint8}
    | {dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64}
)


def _numbers(data: bytes, out_type: DType, little_endian: bool) -> Array:
    kind = np.dtype(out_type.np_dtype)
    numbers = np.frombuffer(data, np.uint8 if kind.kind == "b" else kind)
    if kind.kind == "b":
        return numbers != 0
    if little_endian:
        return numbers.copy()
    part = kind.itemsize // 2 if kind.kind == "c" else kind.itemsize
    return np.frombuffer(numbers.view(f"u{part}").byteswap().tobytes(), kind)


def _raw_shape(bytes: Spec, **attrs: Any) -> Dims:
    return None if bytes.dims is None else (*bytes.dims, None)


@op(
    "DecodeRaw",
    "bytes: string -> output: out_type",
    out_type=_PADDED | {dtypes.bool, dtypes.complex64, dtypes.complex128},
    shape=_raw_shape,
)
def _decode_raw(
    xp: Namespace, bytes: Array, *, out_type: DType, little_endian: bool = True
) -> Array:
    values = bytes.ravel().tolist()
    length = len(values[0]) if values else 0
    if len(set(map(len, values))) > 1:
        raise bad_value("DecodeRaw", want=f"all have {length} bytes, as the first", bytes=values)
    if length % out_type.size:
        want = f"have a multiple of {out_type.size} bytes, the size of {out_type.name}"
        raise bad_value("DecodeRaw", want=want, bytes=values[0])
    numbers = _numbers(b"".join(values), out_type, little_endian)
    return numbers.reshape(*bytes.shape, length // out_type.size)


no_gradient("DecodeRaw")


def _padded_shape(input_bytes: Spec, fixed_length: Spec, **attrs: Any) -> Dims:
    if input_bytes.dims is None:
        return None
    known = fixed_length.value is not None and np.ndim(fixed_length.value) == 0
    width = int(fixed_length.value) // attrs["out_type"].size if known else None  # type: ignore[arg-type]
    return (*input_bytes.dims, width)


@op(
    "DecodePaddedRaw",
    "input_bytes: string, fixed_length: int32 -> output: out_type",
    out_type=_PADDED,
    static=("fixed_length",),
    shape=_padded_shape,
)
def _decode_padded_raw(
    xp: Namespace,
    input_bytes: Array,
    fixed_length: Array,
    *,
    out_type: DType,
    little_endian: bool = True,
) -> Array:
    length = int(fixed_length)
    if length <= 0 or length % out_type.size:
        want = f"be a positive multiple of {out_type.size}, the size of {out_type.name}"
        raise bad_value("DecodePaddedRaw", want=want, fixed_length=length)
    data = b"".join([value[:length].ljust(length, b"\0") for value in input_bytes.ravel().tolist()])
    numbers = _numbers(data, out_type, little_endian)
    return numbers.reshape(*input_bytes.shape, length // out_type.size)


no_gradient("DecodePaddedRaw")


def decode_raw(
    input_bytes: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    r"""The numbers whose memory is in each string, along a further axis.

    All strings must have the same length, unless `fixed_length` says to how many bytes each is cut
    or filled with zeros.

    >>> tf.io.decode_raw([b"\x01\x00\x02\x00"], tf.int16).numpy()
    array([[1, 2]], dtype=int16)
    """
    options: dict[str, Any] = {"out_type": out_type, "little_endian": little_endian, "name": name}
    if fixed_length is None:
        return raw_ops.DecodeRaw(input_bytes, **options)  # type: ignore[no-any-return]
    return raw_ops.DecodePaddedRaw(  # type: ignore[no-any-return]
        input_bytes, fixed_length, **options
    )


_UNPACK: dict[str, Any] = {
    "": lambda data: data,
    "ZLIB": lambda data: zlib.decompress(data) if data else data,  # as GZIP does
    "GZIP": gzip.decompress,
}


@op("DecodeCompressed", "bytes: string -> output: string", shape=same)
def _decode_compressed(xp: Namespace, bytes: Array, *, compression_type: str = "") -> Array:
    unpack = _UNPACK.get(compression_type)
    if unpack is None:
        want = f"be one of {sorted(_UNPACK)}"
        raise bad_value("DecodeCompressed", want=want, compression_type=compression_type)
    try:
        return each(unpack, bytes)
    except (zlib.error, EOFError, OSError) as error:
        message = f"DecodeCompressed: a string is no {compression_type} data: {error}"
        raise DataLossError(None, None, message) from error


def decode_compressed(
    bytes: TensorLike, compression_type: str = "", name: str | None = None
) -> Tensor:
    """Strings that were packed with "ZLIB" or "GZIP", unpacked.

    >>> import zlib
    >>> tf.io.decode_compressed(zlib.compress(b"text"), "ZLIB")
    <tf.Tensor: shape=(), dtype=string, numpy=b'text'>
    """
    return raw_ops.DecodeCompressed(  # type: ignore[no-any-return]
        bytes, compression_type=compression_type, name=name
    )
