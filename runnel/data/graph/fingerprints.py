"""A number for how a dataset is made: its steps, their parameters, functions and specs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from runnel.core.tensor.tensor import EagerTensor
from runnel.data.nodes.node import Node
from runnel.data.run.functions import UserFunction

_LEFT_OUT = frozenset(("where", "label", "structure"))


def fingerprint(node: Node) -> int:
    """64 bits that depend on what the dataset does, and not on where or when it was made."""
    digest = hashlib.sha256()
    for part in _parts(node):
        digest.update(part)
        digest.update(b"\0")
    return int.from_bytes(digest.digest()[:8], "little")


def _parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, Node):
        yield value.kind.encode()
        yield repr(value.structure.spec).encode()
        for name, part in sorted(vars(value).items()):
            if name not in _LEFT_OUT | value.derived:
                yield from _parts(part)
    elif isinstance(value, UserFunction):
        yield from _function_parts(value)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _parts(item)
    elif isinstance(value, EagerTensor):
        yield from _parts(value._value)
    elif isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        yield repr((array.dtype.str, array.shape)).encode()
        yield repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
    elif value is None or isinstance(value, bool | int | float | str | bytes):
        yield repr(value).encode()


def _function_parts(function: UserFunction) -> Iterator[bytes]:
    for operation in function.graph._operations:
        yield operation.type.encode()
        for key, value in sorted(operation.attrs.items()):
            if key != "ids":  # of tensors, which are others each time
                yield key.encode()
                yield from _parts(value)
    yield from _parts(function.captured)
