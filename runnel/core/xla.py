"""JAX, imported when it is first needed: small eager work never loads it.

`jnp` and `lax` stand for the modules of those names. Compiler options live here too, since they are
chosen by measurement and a jaxlib that does not know one must not break.
"""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any

from runnel.core import compilation_cache, configuration


@functools.cache
def load(name: str) -> ModuleType:
    """The module `name`, with JAX set up for TensorFlow's 64-bit types."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    compilation_cache.enable(jax)
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

# The default of jaxlib 0.10 makes convolutions five times slower than this choice does.
_WANTED_OPTIONS = {"xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_DOT"}


@functools.cache
def compiler_options() -> dict[str, str]:
    """The options of `_WANTED_OPTIONS` that this jaxlib knows."""
    known = {}
    for key, value in _WANTED_OPTIONS.items():
        try:
            jax.jit(lambda: 0, compiler_options={key: value})()
        except Exception:  # an unknown option: its class differs between jaxlib versions
            continue
        known[key] = value
    return known


def compile(fn: Any, **options: Any) -> Any:
    """`jax.jit(fn)` with the compiler options of this project."""
    return jax.jit(fn, compiler_options=compiler_options(), **options)
