"""JAX, imported when it is first needed: small eager work never loads it.

On the reading path after `core/tensor/tensor.py`, before `ops/nn/bias.py`.

`jnp` and `lax` stand for the modules of those names. Compiler options live here too, since they are
chosen by measurement and a jaxlib that does not know one must not break.
"""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from runnel.backend import compile_cache, compiling, configuration, forks, interrupts
from runnel.backend.freed_memory import keep_freed_memory
from runnel.core.values.tracebacks import let_through


def fetched(array: Any) -> Any:
    """An array as NumPy's; an error if it would never be ready."""
    if forks.forked and not getattr(array, "is_ready", lambda: True)():
        raise forks.refuse("A value that was still being computed is read")
    return np.asarray(array)


@functools.cache
def load(name: str) -> ModuleType:
    """The module `name`, with JAX set up for TensorFlow's 64-bit types."""
    return interrupts.undisturbed(functools.partial(_load, name))


def _load(name: str) -> ModuleType:
    keep_freed_memory()  # before JAX starts threads
    jax = interrupts.import_jax()
    interrupts.without_jax_callbacks()
    forks.watch()
    jax.config.update("jax_enable_x64", True)
    compile_cache.enable(jax)
    compiling.listen(jax)
    count = configuration.cpu_devices
    if count > 1 and jax.config.jax_num_cpu_devices != count:
        jax.config.update("jax_num_cpu_devices", count)
    return importlib.import_module(name)


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
    if forks.forked:
        raise forks.refuse("A function is to be vectorised")
    return jax.vmap(fn)


class _Trace(threading.local):
    """What a thread traces: what the program is given, by identity."""

    inputs: frozenset[int] = frozenset()


tracing = _Trace()


def traced(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, in whose tracing it is known what the program is given: that need not be `stored`."""

    @functools.wraps(fn)
    def knowing(*args: Any) -> Any:
        before, tracing.inputs = tracing.inputs, frozenset(map(id, args))
        try:
            return fn(*args)
        finally:
            tracing.inputs = before

    return knowing
