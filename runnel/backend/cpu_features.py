"""When a program is worth its call: NumPy has long vectors for some functions, and copies none."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from numpy.lib.introspect import opt_func_info

from runnel.backend.memory import is_aligned, is_large
from runnel.core.values.types import Array

_LONG = ("AVX512", "X86_V4")  # what NumPy calls loops over vectors of 512 bits


def slow_in_numpy(name: str) -> Callable[[Sequence[Array]], bool]:
    """For `heavy`: whether the arrays are large, and NumPy's function has no long vectors.

    A million exponentials take NumPy half a millisecond on a processor with AVX-512, and XLA one,
    half of which is copying them to where it wants them. With vectors half as long it is NumPy that
    takes twice as long.
    """

    def heavy(values: Sequence[Array]) -> bool:
        return is_large(values) and not _has_long_vectors(name, values[0].dtype.char, len(values))

    return heavy


def read_in_place(values: Sequence[Array]) -> bool:
    """For `heavy`: whether the arrays are large, and need not be copied for a program."""
    return is_large(values) and all(map(is_aligned, values))


def long_vectors() -> bool:
    """Whether this processor has vectors of 512 bits, as far as NumPy can tell."""
    return _has_long_vectors("exp", "f", inputs=1)


@functools.cache
def _has_long_vectors(name: str, kind: str, inputs: int) -> bool:
    loops = opt_func_info(func_name=f"^{name}$").get(name, {})
    used = loops.get(kind * (inputs + 1), {}).get("current", "")
    return used.startswith(_LONG)
