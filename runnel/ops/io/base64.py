"""Strings in base64, with the letters that are safe in web addresses."""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Namespace, TensorLike
from runnel.kernels.text.arrays import for_all, packed
from runnel.ops.shapes import same

_SAFE, _PLAIN = bytes.maketrans(b"+/", b"-_"), bytes.maketrans(b"-_", b"+/")
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_WHOLE = re.compile(rb"(?:[\w-]{4})*(?:[\w-]{2}(?:==)?|[\w-]{3}=?)?")


@op("EncodeBase64", "input: string -> output: string", shape=same)
def _encode(xp: Namespace, input: Array, *, pad: bool = False) -> Array:
    return for_all(lambda values: packed(_encoded(values, pad)), input)


def _encoded(values: list[bytes], pad: bool) -> list[bytes]:
    """All strings at once: every line ends where its string does."""
    lines = b"".join(map(b2a_base64, values)).translate(_SAFE, b"" if pad else b"=")
    return lines.split(b"\n")[:-1]


no_gradient("EncodeBase64")


def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in base64, with `=` at the end if `pad`.

    >>> tf.io.encode_base64(["Hi", "you"]).numpy()
    array([b'SGk', b'eW91'], dtype=object)
    """
    return raw_ops.EncodeBase64(input, pad=pad, name=name)  # type: ignore[no-any-return]


@op("DecodeBase64", "input: string -> output: string", shape=same)
def _decode(xp: Namespace, input: Array) -> Array:
    return for_all(lambda values: packed(_decoded(values)), input)


def _decoded(values: list[bytes]) -> list[bytes]:
    text = b"\0".join([*values, b""])
    if text.translate(None, _LETTERS) != bytes(len(values)):  # something else, padding perhaps
        for value in values:
            if not _WHOLE.fullmatch(value):
                raise bad_value("DecodeBase64", want="be web-safe base64", input=value)
    lines = text.translate(_PLAIN, b"=").split(b"\0")[:-1]
    if 1 in {size % 4 for size in set(map(len, lines))}:
        value = next(value for value in values if len(value) % 4 == 1)
        raise bad_value("DecodeBase64", want="be web-safe base64", input=value)
    return [a2b_base64(line + b"==") for line in lines]


no_gradient("DecodeBase64")


def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """What strings in base64 stand for; the `=` at their end may be missing.

    >>> tf.io.decode_base64("SGk").numpy()
    b'Hi'
    """
    return raw_ops.DecodeBase64(input, name=name)  # type: ignore[no-any-return]
