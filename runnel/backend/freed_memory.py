"""Large blocks of freed memory stay with the process, for the next call."""

from __future__ import annotations

import ctypes
import functools
import sys

# Parameters of mallopt in glibc, and the largest block that it shall keep: 256 MB.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_KEPT = 1 << 28


@functools.cache
def keep_freed_memory() -> None:
    """Let the C library keep large blocks for the next call instead of giving them back.

    At every call XLA allocates one block for all temporary values of a program. glibc maps a block
    of more than 32 MB anew each time, and writing to it faults at every page: 25 ms of the 48 ms
    that a convolution of [16,64,64,3] to 32 channels and its gradients took. XLA allocates in its
    own threads, and what glibc holds for other threads than the first it gives back all the same,
    so there is one heap for all threads: a depthwise convolution of [16,56,56,64] and its gradients
    take 20 ms, not 38.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _KEPT)
        mallopt(_TRIM_THRESHOLD, 2 * _KEPT)
        mallopt(_ARENA_MAX, 1)
