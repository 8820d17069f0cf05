"""Numbers written as strings, and read from them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core import dtypes
from runnel.core.convert import convert_to_tensor
from runnel.core.dtypes import COMPLEX, FLOATS, DType
from runnel.core.errors import bad_value
from runnel.core.op import op
from runnel.core.raw import raw_ops
from runnel.core.registry import no_gradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, DTypeLike, Namespace, TensorLike
from runnel.ops.shapes import same
from runnel.ops.string_arrays import packed

_INTS = frozenset(
    {dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64}
    | {dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64}
)
_TRUTHS = packed([b"false", b"true"])
_FILLS = ("", " ", "+", "-", "0", "#")
_NAN = re.compile(rb"\s*[+-]?nan\(\w*\)\s*", re.IGNORECASE)
_HEX = re.compile(rb"\s*[+-]?0x\s*", re.IGNORECASE)


def parse_float(value: bytes) -> float:
    """The number that a string holds, in C's notation; ValueError if it holds none."""
    if b"_" in value:
        raise ValueError(value)
    try:
        return float(value)
    except ValueError:
        if _HEX.match(value):
            return float.fromhex(value.decode())
        if _NAN.fullmatch(value):
            return math.nan
        raise


def parse_int(value: bytes) -> int:
    """The whole number that a string holds; ValueError if it holds none."""
    if b"_" in value:
        raise ValueError(value)
    return int(value)


def parse_numbers(values: Sequence[bytes], dtype: np.dtype[Any]) -> Array:
    """The numbers that strings hold; ValueError, with the string, for one that holds none."""
    plain = plain_numbers(values, dtype.kind == "f")
    if dtype.kind == "f":
        found = np.array(_parsed(values, float), np.float64) if plain is None else plain
        with np.errstate(over="ignore"):
            return found.astype(dtype)
    limits = np.iinfo(dtype)
    if plain is not None and limits.min <= plain.min() and plain.max() <= limits.max:
        return plain.astype(dtype)
    numbers = _parsed(values, int)
    if numbers and not limits.min <= min(numbers) <= max(numbers) <= limits.max:
        pairs = zip(values, numbers, strict=True)
        raise ValueError(next(v for v, n in pairs if not limits.min <= n <= limits.max))
    return np.array(numbers, dtype)


def plain_numbers(values: Sequence[bytes], points: bool) -> Array | None:
    """Numbers of few digits, with a decimal point if `points`, read all at once; None for others.

    A number of up to 15 digits divided by a power of ten is rounded once, as it should be.
    """
    text = b" ".join([*values, b""])
    data = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(data == ord(" "))
    if len(ends) != len(values) or not values:
        return None
    starts = np.concatenate([[0], ends[:-1] + 1])
    minus = data[starts] == ord("-")
    dots = np.flatnonzero(data == ord(".")) if points else ends[:0]
    places = np.searchsorted(ends, dots)
    decimals = np.zeros(len(values), np.int64)
    decimals[places] = ends[places] - dots - 1
    sizes = ends - starts - minus
    sizes[places] -= 1
    digits = np.count_nonzero(data - np.uint8(ord("0")) < 10)
    several = len(dots) > 1 and not np.diff(places).all()
    most = 15 if points else 18
    if several or digits != sizes.sum() or sizes.min() < 1 or sizes.max() > most:
        return None
    numbers = np.fromstring(text.replace(b".", b"") if len(dots) else text, np.int64, sep=" ")
    if not points:
        return numbers
    return np.copysign(numbers / 10.0**decimals, np.where(minus, -1.0, 1.0))


def _parsed(values: Sequence[bytes], kind: Callable[[bytes], Any]) -> list[Any]:
    """All numbers in Python's way, or one by one where that is not C's."""
    if b"_" not in b"".join(values):
        try:
            return list(map(kind, values))
        except ValueError:
            pass
    parse: Callable[[bytes], Any] = parse_float if kind is float else parse_int
    found = []
    for value in values:
        try:
            found.append(parse(value))
        except ValueError:
            raise ValueError(value) from None
    return found


@op(
    "StringToNumber",
    "string_tensor: string -> output: out_type",
    out_type=frozenset(
        {dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64}
    ),
    host=True,
    shape=same,
)
def _string_to_number(
    xp: Namespace, string_tensor: Array, *, out_type: DType = dtypes.float32
) -> Array:
    try:
        numbers = parse_numbers(string_tensor.ravel().tolist(), np.dtype(out_type.np_dtype))
    except ValueError as error:
        want = f"hold numbers of dtype {out_type.name}"
        raise bad_value("StringToNumber", want=want, string_tensor=error.args[0]) from None
    return numbers.reshape(string_tensor.shape)


no_gradient("StringToNumber")


def to_number(
    input: TensorLike, out_type: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """The numbers that strings hold.

    >>> tf.strings.to_number(["3.25", " -1e1 "]).numpy()
    array([  3.25, -10.  ], dtype=float32)
    """
    return raw_ops.StringToNumber(  # type: ignore[no-any-return]
        input, out_type=out_type, name=name
    )


def _writer(dtype: np.dtype[Any], flags: str, style: str) -> Callable[[Any], bytes]:
    """How one element is written; `flags` and `style` are those of C's `printf`."""
    if dtype.kind == "O":
        plain = "%" + flags.lstrip("+ #0").partition(".")[0] + "s"
        return lambda value: plain.encode() % value
    one = _float_writer(flags, style)
    if dtype.kind != "c":
        return one
    return lambda value: b"(" + one(value.real) + b"," + one(value.imag) + b")"


def _float_writer(flags: str, style: str) -> Callable[[Any], bytes]:
    pattern = ("%" + flags + style).encode()
    special = (
        "%" + flags.partition(".")[0].replace("0", "", int(flags[:1] == "0")) + style
    ).encode()

    def write(value: float) -> bytes:
        return pattern % value if math.isfinite(value) else special % value

    return write


def _check_style(input: Array, **attrs: Any) -> None:
    fill, precision = attrs["fill"], attrs["precision"]
    if fill not in _FILLS:
        raise bad_value("AsString", want=f"be one of {_FILLS}", fill=fill)
    if input.dtype.kind in "biu":
        for key in ("scientific", "shortest"):
            if attrs[key]:
                raise bad_value("AsString", want="be False for whole numbers", **{key: True})
        if precision >= 0:
            raise bad_value("AsString", want="be -1 for whole numbers", precision=precision)
    if attrs["scientific"] and attrs["shortest"]:
        raise bad_value("AsString", want="be False where `scientific` is True", shortest=True)


@op(
    "AsString",
    "input: T -> output: string",
    T=frozenset({dtypes.bool, dtypes.string, dtypes.variant} | _INTS | FLOATS | COMPLEX),
    host=True,
    shape=same,
    check=_check_style,
)
def _as_string(
    xp: Namespace,
    input: Array,
    *,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
) -> Array:
    if fill == "" and width < 0 and input.dtype.kind == "O":
        return input
    flags = fill + (str(width) if width > -1 else "") + (f".{precision}" if precision > -1 else "")
    style = "e" if scientific else "g" if shortest else "f"
    if input.dtype.kind == "b":
        return _TRUTHS[input.astype(np.int64)]
    style = "d" if input.dtype.kind in "iu" else style
    if input.dtype.kind not in "iuOc":
        input = input.astype(np.float64)
    numbers = input.ravel().tolist()
    if input.dtype.kind in "iu" or (input.dtype.kind == "f" and np.isfinite(input).all()):
        found = ((f"%{flags}{style}\0" * len(numbers)) % tuple(numbers)).encode().split(b"\0")[:-1]
    else:
        found = list(map(_writer(input.dtype, flags, style), numbers))
    return packed(found, input.shape)


no_gradient("AsString")


def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Numbers as strings, written as C's `printf` would.

    `precision` digits after the point; `scientific` with an exponent; `shortest` whichever is
    shorter; `width` with `fill` ("0", " ", "+", "-") before the number.

    >>> tf.strings.as_string([3.14159, 2.0], precision=2).numpy()
    array([b'3.14', b'2.00'], dtype=object)
    """
    return raw_ops.AsString(  # type: ignore[no-any-return]
        convert_to_tensor(input),
        precision=precision,
        scientific=scientific,
        shortest=shortest,
        width=width,
        fill=fill,
        name=name,
    )
