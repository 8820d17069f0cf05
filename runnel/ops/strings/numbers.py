"""Numbers written as strings, and read from them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import COMPLEX, FLOATS, DType
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, DTypeLike, Namespace, TensorLike
from runnel.kernels.text.arrays import packed
from runnel.kernels.text.blocks import BLOCK, SIZE, chunks
from runnel.kernels.text.flat_text import MANY, flat_text
from runnel.ops.shapes import same

_INTS = frozenset(
    {dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64}
    | {dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64}
)
_TRUTHS = packed([b"false", b"true"])
_DIGITS_OF_32_BITS = 10  # digits, below which a number fits into 32 bits
_MOST_PLACES = 9  # behind the point, of numbers that are written together
_EXACT = 2.0**40  # below, a product with a power of ten is wrong by less than _DOUBT
_DOUBT = 1e-3
_FILLS = ("", " ", "+", "-", "0", "#")
_NAN = re.compile(rb"\s*[+-]?nan\(\w*\)\s*", re.IGNORECASE)
_HEX = re.compile(rb"\s*[+-]?0x\s*", re.IGNORECASE)
_STRINGS_FOR_PYTHON = 16  # strings, up to which it is quicker to read one by one
_ZEROS = np.uint64(0x3030303030303030)  # eight times "0"
_WORDS = {8: np.dtype(np.uint64), SIZE: BLOCK}
_LAST = {  # by the number of bytes, the last of a word
    width: np.frombuffer(
        b"".join((b"\xff" * n).rjust(width, b"\0") for n in range(width + 1)), word
    )
    for width, word in _WORDS.items()
}
_TENS = 10 ** np.arange(SIZE + 1, dtype=np.int64)
_STEPS = [  # neighbours are added: digits as pairs, pairs as fours, fours as eights
    (np.uint64(1 + (10 << 8)), np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(1 + (100 << 16)), np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(1 + (10000 << 32)), np.uint64(32), np.uint64(0x00000000FFFFFFFF)),
]


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
    plain = plain_numbers(values, dtype) if len(values) > _STRINGS_FOR_PYTHON else None
    if plain is not None:
        return plain
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return np.array(_parsed(values, float), np.float64).astype(dtype)
    limits = np.iinfo(dtype)
    numbers = _parsed(values, int)
    if numbers and not limits.min <= min(numbers) <= max(numbers) <= limits.max:
        pairs = zip(values, numbers, strict=True)
        raise ValueError(next(v for v, n in pairs if not limits.min <= n <= limits.max))
    return np.array(numbers, dtype)


def plain_numbers(values: Sequence[bytes], dtype: np.dtype[Any]) -> Array | None:
    """Numbers of up to 16 characters read all at once; None if one is longer, or unusual."""
    sizes = np.fromiter(map(len, values), np.int64, len(values))
    stops = np.cumsum(sizes)
    return placed_numbers(b"".join(values), stops - sizes, stops, dtype)


def placed_numbers(text: bytes, starts: Array, stops: Array, dtype: np.dtype[Any]) -> Array | None:
    """The same of numbers that stand in a text, from `starts` to `stops`."""
    limits = np.iinfo(dtype) if dtype.kind in "iu" else None
    found = np.empty(len(starts), dtype)
    data = np.frombuffer(text + b" ", np.uint8)
    before = bytes(SIZE) + text
    for some in chunks(len(starts)):
        numbers = _decimals(data, before, starts[some], stops[some], limits is None)
        if numbers is None:
            return None
        if limits and (numbers.min() < limits.min or numbers.max() > limits.max):
            return None
        found[some] = numbers
    return found


def _decimals(
    data: Array, before: bytes, starts: Array, stops: Array, points: bool
) -> Array | None:
    """Digits, with a minus before them, and a point among them if `points`.

    The last eight or sixteen bytes before each stop are words of eight digits. A number with a
    point has at most 15 of them, so that its quotient by a power of ten is rounded once, as it
    should be.
    """
    minus = data[starts] == ord("-")
    sizes = stops - starts - minus
    longest = sizes.max()
    if sizes.min() < 1 or longest > SIZE:
        return None
    width = 8 if longest <= 8 else SIZE
    last = np.ndarray(len(data), _WORDS[width], before, SIZE - width, (1,))[stops]
    words = (last.view(np.uint64) ^ _ZEROS) & _LAST[width].take(sizes).view(np.uint64)
    digits = words.view(np.uint8)
    dots = np.flatnonzero(digits == ord(".") ^ ord("0")) if points else sizes[:0]
    digits[dots] = 0
    rows, after = dots // width, width - 1 - dots % width
    several = len(dots) > 1 and not np.diff(rows).all()
    if digits.max() > 9 or several or (len(dots) and sizes[rows].min() < 2):
        return None
    numbers = _eights(words)
    if width > 8:
        numbers = numbers[0::2] * 10**8 + numbers[1::2]
    if not points:
        return np.where(minus, -numbers, numbers)
    whole, part = np.divmod(numbers[rows], _TENS[after + 1])  # the point counts as a digit
    numbers[rows] = whole * _TENS[after] + part
    result = numbers.astype(np.float64)
    result[rows] /= _TENS[after]
    return np.copysign(result, np.where(minus, -1.0, 1.0))


def _eights(words: Array) -> Array:
    """The numbers of eight digits, one in each byte of a word; the first is the lowest byte."""
    for factor, shift, mask in _STEPS:
        words = (words * factor >> shift) & mask
    return words.view(np.int64)


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
    shape=same,
    elementwise=True,
)
def _string_to_number(
    xp: Namespace, string_tensor: Array, *, out_type: DType = dtypes.float32
) -> Array:
    dtype = np.dtype(out_type.np_dtype)
    if string_tensor.size >= MANY:
        text = flat_text(string_tensor)
        plain = placed_numbers(text.text, text.starts, text.ends, dtype)
        if plain is not None:
            return plain.reshape(string_tensor.shape)
    try:
        numbers = parse_numbers(string_tensor.ravel().tolist(), dtype)
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
    for key in ("width", "precision"):
        if attrs[key] >= 2**31:
            raise bad_value("AsString", want="have 32 bits", **{key: attrs[key]})
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
    shape=same,
    check=_check_style,
    elementwise=True,
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
    if input.dtype.kind == "u" and fill in ("+", " "):
        fill = ""  # for the place of a sign, which those numbers have not
    flags = fill + (str(width) if width > -1 else "") + (f".{precision}" if precision > -1 else "")
    style = "e" if scientific else "g" if shortest else "f"
    if input.dtype.kind == "b":
        return np.asarray(_TRUTHS[input.astype(np.int64)], object)
    style = "d" if input.dtype.kind in "iu" else style
    if input.dtype.kind not in "iuOc":
        input = input.astype(np.float64)
    if input.dtype.kind in "iuf" and input.size >= MANY and fill == "" and width < 0:
        made = _written_together(input.ravel(), precision, style)
        if made is not None:
            return made.reshape(input.shape)
    numbers = input.ravel().tolist()
    if input.dtype.kind in "iu" or (input.dtype.kind == "f" and np.isfinite(input).all()):
        found = ((f"%{flags}{style}\0" * len(numbers)) % tuple(numbers)).encode().split(b"\0")[:-1]
    else:
        found = list(map(_writer(input.dtype, flags, style), numbers))
    return packed(found, input.shape)


def _written_together(x: Array, precision: int, style: str) -> Array | None:
    """Many numbers as strings, by their digits; None if they are not to be written by digits."""
    if style == "d":
        whole = np.where(x < 0, -x.astype(np.uint64), x.astype(np.uint64))  # also the least number
        return _digits(whole, x < 0, 0)
    places = 6 if precision < 0 else precision
    if style != "f" or places > _MOST_PLACES:
        return None
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = np.abs(x) * float(10**places)
        nearest = np.rint(scaled)
        # Near the middle of two numbers, the product does not tell which is nearer to the value.
        sure = (scaled < _EXACT) & (np.abs(np.abs(scaled - nearest) - 0.5) > _DOUBT)
    doubtful = ~sure
    if np.count_nonzero(doubtful) * 8 > len(x):
        return None
    nearest[doubtful] = 0
    found = _digits(nearest.astype(np.uint64), np.signbit(x), places)
    one = _float_writer(f".{places}", "f")
    for place in np.flatnonzero(doubtful).tolist():
        found[place] = one(float(x[place]))
    return found


def _digits(rest: Array, negative: Array, places: int) -> Array:
    """Numbers as strings, `places` digits behind a point.

    A table has the last digits of all numbers, the next to last ones, … Where a number has no more
    digits there is a zero byte, which is left out in the end.
    """
    most = max(len(str(rest.max())), places + 1)
    rest = rest.astype(np.uint32) if most < _DIGITS_OF_32_BITS else rest
    ten, zero = rest.dtype.type(10), rest.dtype.type(ord("0"))
    text = np.empty((len(rest), most + 2 + (places > 0)), np.uint8)
    text[:, 0], text[:, -1] = np.where(negative, ord("-"), 0), ord("\n")
    for number in range(most):
        above = rest // ten
        digits = rest - above * ten + zero
        text[:, -2 - number - (0 < places <= number)] = (
            digits if number <= places else digits * (rest > 0)
        )
        rest = above
    if places:
        text[:, -2 - places] = ord(".")
    return packed(text.tobytes().translate(None, b"\0").split(b"\n")[:-1])


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
