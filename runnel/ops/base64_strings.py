"""Strings in base64, with the letters that are safe in web addresses."""

from __future__ import annotations

import base64
import re

from runnel.core.errors import bad_value
from runnel.core.op import op
from runnel.core.raw import raw_ops
from runnel.core.registry import no_gradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, Namespace, TensorLike
from runnel.ops.shapes import same
from runnel.ops.string_arrays import each

_WHOLE = re.compile(rb"(?:[\w-]{4})*(?:[\w-]{2}(?:==)?|[\w-]{3}=?)?")


@op("EncodeBase64", "input: string -> output: string", host=True, shape=same)
def _encode(xp: Namespace, input: Array, *, pad: bool = False) -> Array:
    if pad:
        return each(base64.urlsafe_b64encode, input)
    return each(lambda value: base64.urlsafe_b64encode(value).rstrip(b"="), input)


no_gradient("EncodeBase64")


def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in base64, with `=` at the end if `pad`.

    >>> tf.io.encode_base64(["Hi", "you"]).numpy()
    array([b'SGk', b'eW91'], dtype=object)
    """
    return raw_ops.EncodeBase64(input, pad=pad, name=name)  # type: ignore[no-any-return]


@op("DecodeBase64", "input: string -> output: string", host=True, shape=same)
def _decode(xp: Namespace, input: Array) -> Array:
    return each(_decoded, input)


def _decoded(value: bytes) -> bytes:
    if not _WHOLE.fullmatch(value):
        raise bad_value("DecodeBase64", want="be web-safe base64", input=value)
    return base64.urlsafe_b64decode(value.rstrip(b"=") + b"==")


no_gradient("DecodeBase64")


def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """What strings in base64 stand for; the `=` at their end may be missing.

    >>> tf.io.decode_base64("SGk").numpy()
    b'Hi'
    """
    return raw_ops.DecodeBase64(input, name=name)  # type: ignore[no-any-return]
