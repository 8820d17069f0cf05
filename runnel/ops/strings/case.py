"""Strings in small or capital letters, and without the spaces around them."""

from __future__ import annotations

from collections.abc import Callable

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Namespace, TensorLike
from runnel.kernels.text.arrays import each, for_all, packed
from runnel.ops.shapes import same


def _changed(
    op_name: str,
    x: Array,
    encoding: str,
    plain: Callable[[bytes], bytes],
    full: Callable[[str], str],
) -> Array:
    """Letters of ASCII alone without an encoding, those of all scripts with UTF-8."""
    if encoding == "":
        return each(plain, x)
    if encoding != "utf-8":
        raise bad_value(op_name, want='be "" or "utf-8"', encoding=encoding)
    return for_all(lambda values: packed(_changed_texts(values, plain, full)), x)


def _changed_texts(
    values: list[bytes], plain: Callable[[bytes], bytes], full: Callable[[str], str]
) -> list[bytes]:
    """Texts changed all at once; the zero bytes between them are no letters."""
    joined = b"\0".join(values)
    if joined.isascii():
        return list(map(plain, values))
    found = full(joined.decode("utf-8", "replace")).encode().split(b"\0")
    if len(found) != len(values):
        return [full(value.decode("utf-8", "replace")).encode() for value in values]
    return found


@op("StringLower", "input: string -> output: string", shape=same, elementwise=True)
def _lower(xp: Namespace, input: Array, *, encoding: str = "") -> Array:
    return _changed("StringLower", input, encoding, bytes.lower, str.lower)


def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Strings in small letters: those of ASCII, or with `encoding="utf-8"` of all scripts.

    Args:
        input: a tensor, or what can become one.
        encoding: "" for ASCII, "utf-8" for all scripts.

    >>> tf.strings.lower("CamelCase and ÄÖ", encoding="utf-8").numpy().decode()
    'camelcase and äö'
    """
    return raw_ops.StringLower(input, encoding=encoding, name=name)  # type: ignore[no-any-return]


@op("StringUpper", "input: string -> output: string", shape=same, elementwise=True)
def _upper(xp: Namespace, input: Array, *, encoding: str = "") -> Array:
    return _changed("StringUpper", input, encoding, bytes.upper, str.upper)


def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Strings in capital letters: those of ASCII, or with `encoding="utf-8"` of all scripts.

    >>> tf.strings.upper(["a", "b2"]).numpy()
    array([b'A', b'B2'], dtype=object)
    """
    return raw_ops.StringUpper(input, encoding=encoding, name=name)  # type: ignore[no-any-return]


@op("StringStrip", "input: string -> output: string", shape=same, elementwise=True)
def _strip(xp: Namespace, input: Array) -> Array:
    return each(bytes.strip, input)


def strip(input: TensorLike, name: str | None = None) -> Tensor:
    r"""Strings without the white space before and after.

    >>> tf.strings.strip(["  a b ", "\tc\n"]).numpy()
    array([b'a b', b'c'], dtype=object)
    """
    return raw_ops.StringStrip(input, name=name)  # type: ignore[no-any-return]
