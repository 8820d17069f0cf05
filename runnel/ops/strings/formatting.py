"""Tensors as text: the op StringFormat and `tf.strings.format`, on which `tf.print` is built."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Namespace, TensorLike
from runnel.ops.shapes import scalar

_EMPTY = {"b": "", "c": "[]"}  # by kind: what TensorFlow writes for no values, of whatever shape


def summary(value: Array, summarize: int) -> str:
    """An array as TensorFlow prints it; `summarize` elements at both ends of each axis, -1 for all.

    >>> summary(np.arange(10), 2)
    '[0 1 ... 8 9]'
    """
    array = np.asarray(value)
    if array.size == 0 and array.dtype.kind in _EMPTY:
        return _EMPTY[array.dtype.kind]
    ends = array.size if summarize < 0 else min(summarize, array.size)
    return _axis(array, ends, array.ndim, _writer(array.dtype))


def _axis(array: np.ndarray[Any, Any], ends: int, rank: int, write: Callable[[Any], str]) -> str:
    if array.ndim == 0:
        return write(array[()])
    depth = rank - array.ndim
    gap = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * (depth + 1)
    count = len(array)
    if array.ndim == 1:
        head = _texts(array[:ends].tolist(), write)
        tail = _texts(array[max(ends, count - ends) :].tolist(), write)
    else:
        head = [_axis(array[i], ends, rank, write) for i in range(min(ends, count))]
        tail = [_axis(array[i], ends, rank, write) for i in range(max(ends, count - ends), count)]
    text = gap.join(head)
    if count > 2 * ends:
        text += gap + "..."
    return "[" + "".join([text, *(gap + part for part in tail)]) + "]"


def elements_shown(array: np.ndarray[Any, Any], most: int) -> str:
    """The first elements of an array as a failed assertion shows them, -1 for all.

    >>> elements_shown(np.arange(12).reshape(2, 2, 3), 5)
    '[[0 1 2][3 4...]]...'
    """
    count = array.size if most < 0 else min(most, array.size)
    write = _plain if array.dtype.kind == "O" else _writer(array.dtype)
    texts = iter([write(value) for value in array.ravel()[:count].tolist()])
    rest = "..." if count < array.size else ""
    return (_rows(texts, count, array.shape, rest) if array.ndim else next(texts, "")) + rest


def _rows(texts: Iterator[str], count: int, shape: tuple[int, ...], rest: str) -> str:
    """The first `count` elements of an array of some shape; `rest` follows a row that is cut."""
    if len(shape) == 1:
        return " ".join(itertools.islice(texts, count))
    size = math.prod(shape[1:])
    rows = []
    for start in range(0, count, size or 1):
        here = min(size, count - start)
        cut = rest if len(shape) == 2 and here < size else ""
        rows.append(f"[{_rows(texts, here, shape[1:], rest)}{cut}]")
    return "".join(rows)


def _plain(value: bytes) -> str:
    return bytes(value).decode("utf-8", "replace")


def _texts(values: list[Any], write: Callable[[Any], str]) -> list[str]:
    """What is written for each of some values: all strings are decoded, and looked at, as one."""
    if write is quoted and len(values) > _VALUES_FOR_PYTHON and set(map(type, values)) == {bytes}:
        whole = b"\0".join(values)
        ordinary = len(whole.translate(None, _SPECIAL_BYTES))
        if ordinary == len(whole) - len(values) + 1:  # but for the zero bytes between them
            text = whole.decode("utf-8", "surrogateescape").replace("\0", '"\0"')
            return f'"{text}"'.split("\0")
    return [write(value) for value in values]


def _writer(dtype: np.dtype[Any]) -> Callable[[Any], str]:
    if dtype == np.float64:
        return _double_text
    if dtype.kind == "b":
        return lambda x: str(int(x))
    if dtype.kind == "c":
        part = _double_text if dtype == np.complex128 else _float_text
        return lambda x: f"({part(x.real)},{part(x.imag)})"
    if dtype.kind in "iu":
        return str
    if dtype.names:
        return lambda x: str(x[0])  # quantized
    return quoted if dtype.kind == "O" else _float_text


def _double_text(value: Any) -> str:
    return _shortest(float(value), 15, 17, float)


def _float_text(value: Any) -> str:
    return _shortest(float(value), 6, 9, np.float32)


def _shortest(value: float, digits: int, all_digits: int, kind: Callable[[Any], Any]) -> str:
    """With `digits` where they say it all, else with as many as tell any two numbers apart."""
    text = f"{value:.{digits}g}"
    return text if kind(float(text)) == value or value != value else f"{value:.{all_digits}g}"


_VALUES_FOR_PYTHON = 8  # values, up to which it is quicker to write one by one
_SPECIAL = re.compile(r"[\x00-\x1f\"'\\\x7f]")
_SPECIAL_BYTES = bytes(code for code in range(128) if _SPECIAL.match(chr(code)))
_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", '"': r"\"", "'": r"\'", "\\": r"\\"}


def quoted(value: Any) -> str:
    """A string between quotes, with C's escapes; letters beyond ASCII are left alone."""
    if not isinstance(value, bytes):
        return str(value)
    text = value.decode("utf-8", "surrogateescape")
    return '"' + _SPECIAL.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[0]) or f"\\{ord(match[0]):03o}"


@op("StringFormat", "inputs: *T -> output: string", shape=scalar)
def _string_format(
    xp: Namespace,
    inputs: list[Array],
    *,
    template: str = "%s",
    placeholder: str = "%s",
    summarize: int = 3,
) -> Array:
    pieces = template.split(placeholder)
    if len(pieces) - 1 != len(inputs):
        want = f"have {len(inputs)} placeholders {placeholder!r}, as many as there are inputs"
        raise bad_value("StringFormat", want=want, template=template)
    texts = [summary(value, summarize) for value in inputs]
    filled = "".join(part for pair in zip(pieces, [*texts, ""]) for part in pair)
    return np.array(filled.encode("utf-8", "surrogateescape"), object)


def format(
    template: str,
    inputs: TensorLike,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Tensor:
    """`template` with each placeholder replaced by the text of a tensor.

    >>> format("x is {} and y is {}", (tf.constant([1, 2]), tf.constant(0.5)))
    <tf.Tensor: shape=(), dtype=string, numpy=b'x is [1 2] and y is 0.5'>
    """
    if not isinstance(template, str):
        raise TypeError(f"tf.strings.format: `template` must be a string, got {template!r}.")
    items = list(inputs) if isinstance(inputs, list | tuple | str) else [inputs]
    if template.count(placeholder) != len(items):
        raise ValueError(
            f"tf.strings.format: `template` has {template.count(placeholder)} placeholders "
            f"{placeholder!r} for {len(items)} inputs."
        )
    return raw_ops.StringFormat(  # type: ignore[no-any-return]
        items, template=template, placeholder=placeholder, summarize=summarize, name=name
    )
