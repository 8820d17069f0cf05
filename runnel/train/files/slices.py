"""The keys under which a checkpoint holds the parts of a partitioned variable.

They are made so that their order as bytes is that of what they say: a zero, the name, the number of
dimensions, and the start and length of the part in each of them.
"""

from __future__ import annotations

from collections.abc import Sequence

_WHOLE = -1  # the length of a part that takes everything in its dimension


def slice_key(name: str, extents: Sequence[tuple[int, int]]) -> bytes:
    """The key of the part of `name` with these starts and lengths; -1 is the whole length."""
    parts = [_number(0), _text(name.encode()), _number(len(extents))]
    parts += [_signed(number) for extent in extents for number in extent]
    return b"".join(parts)


def extents_of(proto: object) -> list[tuple[int, int]]:
    """Starts and lengths that a `TensorSliceProto` holds."""
    return [
        (e.start, e.length) if e.HasField("length") else (0, _WHOLE)
        for e in proto.extent  # type: ignore[attr-defined]
    ]


def region(extents: Sequence[tuple[int, int]], dims: Sequence[int]) -> tuple[slice, ...]:
    """Where a part lies in the whole tensor; ValueError if that is not inside."""
    if len(extents) != len(dims):
        raise ValueError(f"a part has {len(extents)} dimensions, the whole has {len(dims)}")
    found = []
    for (start, length), size in zip(extents, dims):
        length = size - start if length == _WHOLE else length
        if start < 0 or length < 0 or start + length > size:
            raise ValueError(f"a part reaches from {start} over {length} of {size}")
        found.append(slice(start, start + length))
    return tuple(found)


def _number(value: int) -> bytes:
    """A number that is not negative: how many bytes it has, and these."""
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size, "big")


def _text(value: bytes) -> bytes:
    """A string with an end, which none of its bytes can be taken for."""
    marks = {0: b"\x00\xff", 255: b"\xff\x00"}
    return b"".join(marks.get(byte, bytes([byte])) for byte in value) + b"\x00\x01"


def _signed(value: int) -> bytes:
    """A number with a sign: as many leading ones as it has bytes, the rest in two's complement."""
    bits = (~value if value < 0 else value).bit_length()
    size = bits // 7 + 1
    marks = ((1 << size) - 1) << (7 * size)
    number = (value & ((1 << (8 * size)) - 1)) ^ (marks & ((1 << (8 * size)) - 1))
    return number.to_bytes(size, "big")
