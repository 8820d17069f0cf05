"""CRC-32C, masked as TensorFlow stores it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_DELTA = 0xA282EAD8


@functools.cache
def _extend() -> Callable[[int, Any], int]:
    import google_crc32c

    return google_crc32c.extend  # type: ignore[no-any-return]


def extend(crc: int, data: Any) -> int:
    """The checksum of what `crc` is that of, followed by `data`: bytes, or an array of uint8."""
    return _extend()(crc, data)


@functools.cache
def crc32c() -> Callable[[bytes], int]:
    """The function that computes a checksum, for loops in which every call counts."""
    import google_crc32c

    return google_crc32c.value  # type: ignore[no-any-return]


def mask(crc: int) -> int:
    """A checksum in the form for files, whose own checksums may be taken in turn."""
    return (((crc >> 15) | (crc << 17)) + _DELTA) & 0xFFFFFFFF


def masked(data: Any) -> int:
    """The masked checksum of `data`."""
    return mask(extend(0, data))
