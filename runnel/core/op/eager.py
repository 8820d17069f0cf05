"""Running one op now: NumPy for small tensors, a compiled program for heavy work on large ones.

On the reading path after `core/op/op.py`, before `core/tensor/tensor.py`.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.backend import forks
from runnel.backend import jax as xla
from runnel.backend.cache import BoundedCache
from runnel.backend.freed_memory import keep_freed_memory
from runnel.backend.patience import COMPILED, Patience
from runnel.core.op.context import state
from runnel.core.op.explaining import explain, symbolic_input
from runnel.core.state.owned_state import OwnedState, owned_state
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import OpError
from runnel.core.values.tracebacks import let_through
from runnel.core.values.types import Array

if TYPE_CHECKING:
    from runnel.core.op.op import Op


keep_freed_memory()  # NumPy's too: a million exponentials take it 0.6 ms, not 3 ms

_programs: BoundedCache[Any] = BoundedCache(2048)
_PRICE = 1.0  # seconds after which a program pays for an operation of a graph that may get one
_patience: defaultdict[Op, Patience] = defaultdict(lambda: Patience(1, 0.05))


def run(
    op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], found: Sequence[DType]
) -> tuple[EagerTensor, ...]:
    """The outputs of `op`, whose dtypes are `found`."""
    try:
        values = [t._value for t in inputs]  # type: ignore[attr-defined]
    except AttributeError:
        raise symbolic_input(op, inputs) from None
    try:
        if not op.plain:
            result = compute(op, values, attrs)
        elif op.moves:
            result = op.kernel(np, *values, **attrs)
        else:
            result = state.run(op.kernel, np, *values, **attrs)
    except OpError:
        raise
    except Exception as error:
        let_through(error)
        better = explain(op, inputs, attrs, error)
        raise better from (None if better is error else error)
    if op.single:
        return (EagerTensor(result, found[0]),)
    if not found:
        return ()
    return tuple([EagerTensor(r, d) for r, d in zip(flat_results(result), found, strict=True)])


watched = False  # whether somebody stands in for `run`, see observing.py


def compute(
    op: Op, values: list[Array], attrs: Mapping[str, Any], owner: OwnedState | None = None
) -> Any:
    """The kernel's answer for flat values; `owner` holds the state of an op that keeps one."""
    if op.check is not None:
        packed, options = op.pack(values, attrs) if op.has_lists else (values, attrs)
        op.check(*packed, **options)
    if op.state is not None:
        return _run_with_state(op, values, attrs, owner)
    if op.heavy and (op.xla or op.large(values)):
        return _run_large(op, values, attrs, at_once=op.xla)
    if op.host or op.lower is not None:
        return op.run(np, values, attrs)  # it may run other ops, or users' functions
    if op.has_lists:
        packed, attrs = op.pack(values, attrs)
        return state.run(op.kernel, np, *packed, **attrs)
    return state.run(op.kernel, np, *values, **attrs)


def flat_results(result: Any) -> list[Array]:
    if result is None:
        return []
    flat: list[Array] = []
    for part in result:
        flat.extend(part) if isinstance(part, list) else flat.append(part)
    return flat


def _run_with_state(
    op: Op, values: list[Array], attrs: Mapping[str, Any], owner: OwnedState | None
) -> Any:
    if op.state == "own":
        owner = owner or owned_state(op, values, attrs)
        with owner.lock:
            result, owner.value = state.run(op.run, np, [owner.value, *values], attrs)
        return result
    resource = values[0]
    if op.state == "read":
        return state.run(op.run, np, [resource.read(), *values[1:]], attrs)
    if op.held > 1:
        return _update_together(op, values, attrs)
    with resource.lock:
        held = None if op.state == "replace" else resource.read()
        answer = state.run(op.run, np, [held, *values[1:]], attrs)
        result, new = answer if op.state == "exchange" else (None, answer)
        resource.assign(new)
    return result


def _update_together(op: Op, values: list[Array], attrs: Mapping[str, Any]) -> None:
    """Run an op that changes several variables, all of which wait for it."""
    resources = values[: op.held]
    with ExitStack() as locks:
        for resource in sorted(resources, key=id):  # one order for all, or two would block
            locks.enter_context(resource.lock)
        held = [resource.read() for resource in resources]
        new = state.run(op.run, np, [*held, *values[op.held :]], attrs)
        for resource, value in zip(resources, new, strict=True):
            resource.assign(value)


def _run_large(op: Op, values: list[Array], attrs: Mapping[str, Any], *, at_once: bool) -> Any:
    """NumPy at shapes met for the first time, since compiling costs more; XLA when it pays."""
    if forks.forked and not at_once:
        return state.run(op.run, np, values, attrs)
    patience, shapes = _patience[op], tuple([v.shape for v in values])
    if at_once or patience.shapes.get(shapes) is COMPILED:
        return run_compiled(op, values, attrs)
    start = time.perf_counter()
    if patience.pays(shapes, _PRICE if state.passing else 0.0):
        result = run_compiled(op, values, attrs)
        patience.compiled(shapes, time.perf_counter() - start)
    else:
        result = state.run(op.run, np, values, attrs)
        patience.ran(shapes, time.perf_counter() - start)
    return result


def run_compiled(op: Op, values: Sequence[Array], attrs: Mapping[str, Any]) -> Any:
    """The kernel's answer as an XLA program."""
    program, dynamic = program_for(op, values, attrs, op.static_places(attrs))
    result = program(*dynamic)
    return np.asarray(result) if op.single else [np.asarray(r) for r in flat_results(result)]


def program_for(
    op: Op, values: Sequence[Any], attrs: Mapping[str, Any], places: Collection[int]
) -> tuple[Any, Sequence[Any]]:
    """A program for an op, kept by attributes and static inputs, and its arguments."""
    if forks.forked:
        raise forks.refuse(f"{op.name} is to be compiled")
    static: dict[int, Array] = {}
    fixed: tuple[Any, ...] = ()
    if places:
        static = {i: np.asarray(values[i]) for i in places}
        fixed = tuple((i, v.shape, v.dtype.str, v.tobytes()) for i, v in static.items())
    key = (op, fixed, tuple(sorted(attrs.items())) if attrs else (), len(values))
    program = _programs.get(key)
    if program is None:
        _programs[key] = program = xla.compile(_with_static(op, static, len(values), dict(attrs)))
    return program, [v for i, v in enumerate(values) if i not in static] if static else values


def _with_static(op: Op, static: dict[int, Array], count: int, attrs: dict[str, Any]) -> Any:
    def program(*dynamic: Array) -> Any:
        rest = iter(dynamic)
        values = [static[i] if i in static else next(rest) for i in range(count)]
        return op.run(xla.jnp, values, attrs)

    return program
