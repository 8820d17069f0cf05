"""When a program is worth its call: NumPy computes some functions with vectors, and copies none."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from numpy.lib.introspect import opt_func_info

from runnel.core.eager import is_large
from runnel.core.memory import is_aligned
from runnel.core.types import Array


def slow_in_numpy(name: str) -> Callable[[Sequence[Array]], bool]:
    """For `heavy`: whether the arrays are large, and NumPy's function goes number by number.

    A million sines take NumPy half a millisecond on a processor with AVX-512, and XLA one, half
    of which is copying them to where it wants them.
    """

    def heavy(values: Sequence[Array]) -> bool:
        return is_large(values) and not _has_vectors(name, values[0].dtype.char, len(values))

    return heavy


def read_in_place(values: Sequence[Array]) -> bool:
    """For `heavy`: whether the arrays are large, and need not be copied for a program."""
    return is_large(values) and all(map(is_aligned, values))


@functools.cache
def _has_vectors(name: str, kind: str, inputs: int) -> bool:
    loops = opt_func_info(func_name=f"^{name}$").get(name, {})
    used = loops.get(kind * (inputs + 1), {}).get("current", "baseline")
    return not used.startswith("baseline")
