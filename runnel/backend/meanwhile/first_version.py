"""First versions of programs: compiled in a quarter of the time, and some times as slow.

Most of XLA's time goes into making kernels fast. A first version does without, and without the
newer emitter of kernels, which takes longer whatever it makes. It computes the same, but may round
otherwise. `RUNNEL_FIRST_VERSION=off` does without first versions: every program is then waited for.
"""

from __future__ import annotations

import functools
import importlib
import math
import os
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from runnel.backend import configuration
from runnel.backend.jax import jax
from runnel.core.values.tracebacks import let_through

_VARIABLE = "RUNNEL_FIRST_VERSION"
_OPTIONS: dict[str, Any] = {
    "xla_backend_optimization_level": 0,
    "xla_cpu_use_fusion_emitters": False,  # jaxlib 0.12 has the newer emitter alone
}
_MOST_WORK = 1 << 32  # elements computed in a run, at most; more may take some seconds


class NotAtHand(Exception):
    """A program would have to be compiled."""


class _Thread(threading.local):
    """What a thread compiles or traces."""

    asks = False  # whether the program is at hand, and nothing else
    turns = 1.0  # of the loop that has most of them, since the tracing began


_thread = _Thread()


def wanted() -> bool:
    """Whether programs are to have first versions.

    They have none where answers must not depend on how often something has run.
    """
    fixed = configuration.by_shape or configuration.op_determinism or configuration.jit
    return not fixed and os.environ.get(_VARIABLE, "").lower() not in ("off", "0") and _possible()


@functools.cache
def _options() -> dict[str, Any]:
    """The options that this XLA knows."""
    return {key: value for key, value in _OPTIONS.items() if _is_known(key, value)}


def _is_known(key: str, value: Any) -> bool:
    try:
        jax.jit(lambda: 0, compiler_options={key: value})()
    except Exception as error:  # its class differs between versions
        let_through(error)
        return False
    return True


@functools.cache
def _possible() -> bool:
    """Whether this is XLA for CPUs, with such options, and a JAX that says what it compiles."""
    if jax.default_backend() != "cpu" or not _options():
        return False
    try:
        compiler: Any = importlib.import_module("jax._src.compiler")
        compiles = compiler.backend_compile_and_load
    except (ImportError, AttributeError) as error:
        let_through(error)
        return False

    @functools.wraps(compiles)
    def compiling(*args: Any, **options: Any) -> Any:
        if _thread.asks:
            raise NotAtHand
        return compiles(*args, **options)

    compiler.backend_compile_and_load = compiling
    return True


def is_at_hand(lowered: Any) -> bool:
    """Whether a program need not be compiled, since it was kept on disk; it is loaded then."""
    _thread.asks = True
    try:
        lowered.compile()
    except NotAtHand:
        return False
    finally:
        _thread.asks = False
    return True


def compile(lowered: Any) -> Any:
    """The first version of a program, to be called with such arguments as it was lowered for."""
    return lowered.compile(compiler_options=_options())


def begin_tracing() -> None:
    _thread.turns = 1


def note_loop(turns: int | None) -> None:
    """Note that a loop is traced that has at most so many iterations, if that is known."""
    _thread.turns = max(_thread.turns, math.inf if turns is None else turns)


def is_long(jaxpr: Any) -> bool:
    """Whether what was traced since `begin_tracing` may run so long that it should be fast."""
    return _work(jaxpr) > _MOST_WORK


def _work(jaxpr: Any) -> float:
    """How many elements are computed, at most if there are loops."""
    total = 0.0
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        made = equation.invars[1:2] if name == "dynamic_update_slice" else equation.outvars
        total += sum(math.prod(getattr(value.aval, "shape", ())) for value in made)
        inner = sum(map(_work, _inside(equation.params)))
        turns = _thread.turns if name == "while" else equation.params.get("length", 1)
        total += inner * turns if inner else 0
    return total


def _inside(params: Mapping[str, Any]) -> Iterator[Any]:
    """The programs that an equation holds, such as the body of a loop."""
    for value in params.values():
        for item in value if isinstance(value, tuple | list) else (value,):
            inner = getattr(item, "jaxpr", item)
            if hasattr(inner, "eqns"):
                yield inner
