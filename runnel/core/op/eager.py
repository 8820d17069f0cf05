"""Running one op now: NumPy for small tensors, a compiled program for heavy work on large ones."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.backend import jax as xla
from runnel.backend.cache import BoundedCache
from runnel.backend.patience import COMPILED, Patience
from runnel.core.op.context import state
from runnel.core.settings.arguments import check_room
from runnel.core.state.resource import OwnedState, owned_state
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import (
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    out_of_scope,
)
from runnel.core.values.tracebacks import cause, let_through, shown
from runnel.core.values.types import Array, Spec

if TYPE_CHECKING:
    from runnel.core.op.op import Op


xla.keep_freed_memory()  # NumPy's too: a million exponentials take it 0.6 ms, not 3 ms

_programs: BoundedCache[Any] = BoundedCache(2048)
_patience: defaultdict[Op, Patience] = defaultdict(lambda: Patience(1))


def run(
    op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], found: Sequence[DType]
) -> tuple[EagerTensor, ...]:
    """The outputs of `op`, whose dtypes are `found`."""
    try:
        values = [t._value for t in inputs]  # type: ignore[attr-defined]
    except AttributeError:
        raise _symbolic_input(op, inputs) from None
    try:
        if not op.plain:
            result = compute(op, values, attrs)
        elif op.moves:
            result = op.kernel(np, *values, **attrs)
        else:
            result = state.run(op.kernel, np, *values, **attrs)
    except OpError as error:
        raise shown(error)  # noqa: B904 (the error itself, with fewer lines)
    except Exception as error:
        let_through(error)
        better = explain(op, inputs, attrs, error)
        raise shown(better) from cause(error, better)
    if op.single:
        return (EagerTensor(result, found[0]),)
    if not found:
        return ()
    return tuple([EagerTensor(r, d) for r, d in zip(flat_results(result), found, strict=True)])


watched = False  # whether somebody stands in for `run`, see interception.py


_LISTS = frozenset({list, tuple})


def run_listed(
    op: Op, listed: Any, rest: Sequence[Any], attrs: Mapping[str, Any]
) -> EagerTensor | None:
    """The output of an op of a list of tensors and `rest`, not laid out flat on their way.

    None where more has to be done than to call the kernel: a graph is being built, somebody
    watches, an argument is no tensor yet, or there is an error to explain.
    """
    parts = _unwatched(listed)
    if parts is None:
        return None
    values, kinds = [parts], [listed[0]._dtype]
    for arg in rest:
        if type(arg) is not EagerTensor:
            return None
        values.append(arg._value)
        kinds.append(arg._dtype)
    found = op.typed.get(tuple(kinds))
    if found is None:
        return None
    try:
        return EagerTensor(state.run(op.kernel, np, *values, **attrs), found[0])
    except Exception as error:
        let_through(error)
        return None


def run_moving(op: Op, listed: Any, number: Any) -> EagerTensor | None:
    """`run_listed` of an op that only moves what is listed, as a Python number says."""
    parts = _unwatched(listed) if type(number) is int else None
    if parts is None:
        return None
    try:
        return EagerTensor(op.kernel(np, parts, number), listed[0]._dtype)
    except Exception as error:
        let_through(error)
        return None


def _unwatched(listed: Any) -> list[Array] | None:
    """The values of listed eager tensors of one dtype, if nobody wants to see what is done."""
    here = state
    if here.graph is not None or here.tapes or watched or type(listed) not in _LISTS or not listed:
        return None
    dtype = getattr(listed[0], "_dtype", None)
    parts = []
    for part in listed:
        if type(part) is not EagerTensor or part._dtype is not dtype:
            return None
        parts.append(part._value)
    return parts


def compute(
    op: Op, values: list[Array], attrs: Mapping[str, Any], owner: OwnedState | None = None
) -> Any:
    """The kernel's answer for flat values; `owner` holds the state of an op that keeps one."""
    if op.check is not None:
        packed, options = op.pack(values, attrs)
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
    if xla.forked and not at_once:
        return state.run(op.run, np, values, attrs)
    patience, shapes = _patience[op], tuple([v.shape for v in values])
    if at_once or patience.shapes.get(shapes) is COMPILED:
        return run_compiled(op, values, attrs)
    start = time.perf_counter()
    if patience.pays(shapes):
        result = run_compiled(op, values, attrs)
        patience.compiled(shapes, time.perf_counter() - start)
    else:
        result = state.run(op.run, np, values, attrs)
        patience.ran(shapes, time.perf_counter() - start)
    return result


def run_compiled(op: Op, values: Sequence[Array], attrs: Mapping[str, Any]) -> Any:
    """The kernel's answer as an XLA program, kept by attributes and static inputs."""
    if xla.forked:
        raise xla.refuse_fork(f"{op.name} is to be compiled")
    static: dict[int, Array] = {}
    fixed: tuple[Any, ...] = ()
    places = op.static_places(attrs)
    if places:
        static = {i: np.asarray(values[i]) for i in places}
        fixed = tuple((i, v.shape, v.dtype.str, v.tobytes()) for i, v in static.items())
    key = (op, fixed, tuple(sorted(attrs.items())) if attrs else (), len(values))
    program = _programs.get(key)
    if program is None:
        _programs[key] = program = xla.compile(_with_static(op, static, len(values), dict(attrs)))
    dynamic = [v for i, v in enumerate(values) if i not in static] if static else values
    result = program(*dynamic)
    return np.asarray(result) if op.single else [np.asarray(r) for r in flat_results(result)]


def _with_static(op: Op, static: dict[int, Array], count: int, attrs: dict[str, Any]) -> Any:
    def program(*dynamic: Array) -> Any:
        rest = iter(dynamic)
        values = [static[i] if i in static else next(rest) for i in range(count)]
        return op.run(xla.jnp, values, attrs)

    return program


def spec_of(tensor: Tensor) -> Spec:
    """All that is known of an eager tensor."""
    value = tensor._value  # type: ignore[attr-defined]
    if not isinstance(value, np.ndarray | np.generic):
        return Spec((), tensor._dtype, handle=value)
    return Spec(value.shape, tensor._dtype, np.asarray(value))


def explain(
    op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], error: Exception
) -> Exception:
    """The error a user should see for one that a kernel raised."""
    if isinstance(error, NotImplementedError | xla.ForkError):
        return error
    if op.shape is not None:
        try:
            _check_sizes(op, op.infer([spec_of(t) for t in inputs], attrs), inputs)
        except OpError as better:
            return better
        except (
            Exception
        ) as worse:  # the rule stumbled over the same input: the kernel's words stand
            error = worse
    described = ", ".join(f"{t.dtype.name}{t.shape}" for t in inputs)
    if isinstance(error, MemoryError):
        want = f"{op.name} lacks the memory for its result from inputs of {described}"
        return ResourceExhaustedError(None, op, f"{want}: {error} [Op:{op.name}]")
    return InvalidArgumentError(
        None, op, f"{op.name} cannot take inputs of {described}: {error} [Op:{op.name}]"
    )


def _check_sizes(op: Op, dims: Any, inputs: Sequence[Tensor]) -> None:
    """An error for outputs that no memory holds: NumPy has many words for that."""
    size = max([1, *[t._dtype.size for t in inputs]])
    for shape in dims if op.outputs and isinstance(dims, list) else [dims]:
        if shape is not None and all(isinstance(d, int) for d in shape):
            check_room(op.name, shape, size)


def _symbolic_input(op: Op, inputs: Sequence[Tensor]) -> TypeError:
    symbolic = next(t for t in inputs if not hasattr(t, "_value"))
    return TypeError(out_of_scope(symbolic, f"by {op.name} in eager mode"))
