"""JAX, imported when it is first needed: small eager work never loads it.

`jnp` and `lax` stand for the modules of those names. Compiler options live here too, since they are
chosen by measurement and a jaxlib that does not know one must not break.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from runnel.backend import compile_cache, configuration, interrupts
from runnel.core.values.tracebacks import let_through

forked = False  # whether this process came of one that had started XLA, whose threads it lacks


class ForkError(RuntimeError):
    """XLA was asked for in a process that was forked after its threads had started."""


def _note_fork() -> None:
    """In a child: remember that XLA's threads are missing, if they had been started."""
    global forked
    bridge = sys.modules.get("jax._src.xla_bridge")
    forked = forked or getattr(bridge, "backends_are_initialized", _true)()


@functools.cache
def watch_forks() -> None:
    """From now on children know whether they lack XLA's threads; see `forked`."""
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(after_in_child=_note_fork)


def refuse_fork(what: str) -> ForkError:
    """The error for what a forked process cannot do."""
    return ForkError(
        f"{what} in a process that was forked (os.fork, or multiprocessing's start method 'fork') "
        "from one that had used XLA: its threads are not here, and this would wait for them for "
        'ever. Start processes with multiprocessing.get_context("spawn") (or "forkserver"), or '
        "fork before the first function is compiled. Eager operations and datasets work here."
    )


def fetched(array: Any) -> Any:
    """An array as NumPy's; an error if it would never be ready."""
    if forked and not getattr(array, "is_ready", _true)():
        raise refuse_fork("A value that was still being computed is read")
    return np.asarray(array)


def _true() -> bool:
    return True


@functools.cache
def load(name: str) -> ModuleType:
    """The module `name`, with JAX set up for TensorFlow's 64-bit types."""
    return interrupts.undisturbed(functools.partial(_load, name))


def _load(name: str) -> ModuleType:
    keep_freed_memory()  # before JAX starts threads
    jax = importlib.import_module("jax")
    interrupts.keep()
    watch_forks()
    jax.config.update("jax_enable_x64", True)
    compile_cache.enable(jax)
    count = configuration.cpu_devices
    if count > 1 and jax.config.jax_num_cpu_devices != count:
        jax.config.update("jax_num_cpu_devices", count)
    return importlib.import_module(name)


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


class LazyModule:
    """A module that is imported when an attribute of it is read."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(load(self.__name__), attribute)
        setattr(self, attribute, value)
        return value

    def __repr__(self) -> str:
        return f"<lazy module {self.__name__}>"


jax = LazyModule("jax")
jnp = LazyModule("jax.numpy")
lax = LazyModule("jax.lax")

# The defaults of jaxlib 0.10 make convolutions five times slower than the first choice does, and an
# LSTM a twentieth slower than vectors as long as the processor has them. "Individual" products have
# nothing fused with them: XLA would write a bias or a factor out for every element of the product.
_WANTED_OPTIONS: dict[str, str | int] = {
    "xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT",
    "xla_cpu_prefer_vector_width": 512,
}


@functools.cache
def compiler_options() -> dict[str, str | int]:
    """The options of `_WANTED_OPTIONS` that this jaxlib knows."""
    known: dict[str, str | int] = {}
    for key, value in _WANTED_OPTIONS.items():
        try:
            jax.jit(lambda: 0, compiler_options={key: value})()
        except Exception as error:  # an unknown option: its class differs between versions
            let_through(error)
            continue
        known[key] = value
    return known


def compile(fn: Any, **options: Any) -> Any:
    """`jax.jit(fn)` with the compiler options of this project."""
    known = compiler_options()
    return jax.jit(compile_cache.considered(traced(fn)), compiler_options=known, **options)


def count_programs(compiled: Any) -> int:
    """How many programs JAX has at hand for what `compile` gave, for as many kinds of arguments.

    It is fewer than before when it had to forget some. A JAX that does not tell keeps them all.
    """
    count = getattr(compiled, "_cache_size", None)
    return 0 if count is None else int(count())


def was_given_away(array: Any) -> bool:
    """Whether a program has overwritten the memory of an array."""
    return bool(array.is_deleted())


def vmapped(fn: Callable[..., Any]) -> Any:
    """`jax.vmap(fn)`, whose operations XLA runs one by one unless they are traced."""
    if forked:
        raise refuse_fork("A function is to be vectorised")
    return jax.vmap(fn)


class _Trace(threading.local):
    """What a thread traces: what the program is given, by identity."""

    inputs: frozenset[int] = frozenset()


_trace = _Trace()


def traced(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, in whose tracing `stored` knows what the program is given."""

    @functools.wraps(fn)
    def knowing(*args: Any) -> Any:
        before, _trace.inputs = _trace.inputs, frozenset(map(id, args))
        try:
            return fn(*args)
        finally:
            _trace.inputs = before

    return knowing


def stored(x: Any, beside: Any = None) -> Any:
    """`x`, a traced array of floats, which XLA shall compute once and store, however many read it.

    XLA computes anew for each reader whatever it thinks cheap, and for each element where a reader
    broadcasts. It never repeats a division, so `x` is divided by a one that XLA does not see
    through; the compiler of its kernels does, and leaves the division out. The one is made of `x`,
    or of `beside`, a stored array of its shape and dtype: a concatenation and the division are one
    loop if nobody else reads the concatenation. What the program is given is stored already.
    """
    if id(x) in _trace.inputs:
        return x
    bits = lax.bitcast_convert_type(x if beside is None else beside, f"int{8 * x.dtype.itemsize}")
    one = bits.dtype.type(1)
    return x / lax.min(lax.max(bits, one), one).astype(x.dtype)


def element(x: Any, index: Any, axis: int = 0) -> Any:
    """The element of `x` at a traced `index`, which is not negative, along an axis."""
    return lax.dynamic_index_in_dim(x, _unsigned(index), axis, keepdims=False)


def with_element(x: Any, index: Any, value: Any) -> Any:
    """`x` with another element at `index`, which is not negative."""
    return lax.dynamic_update_index_in_dim(x, value, _unsigned(index), 0)


def _unsigned(index: Any) -> Any:
    """An index that JAX does not count from the end, which would be a kernel in every iteration."""
    return index if isinstance(index, int) else index.astype(f"uint{8 * index.dtype.itemsize}")
