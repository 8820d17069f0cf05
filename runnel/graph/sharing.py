"""Programs that threads share: each computes the whole program for a part of the batch.

XLA shares out an operation if it is large. Those of a recurrent network are not, and there is one
after the other: a loop of an LSTM leaves all cores but one idle. So a program with such a loop is
run in parts (`parts.py`), as many as there are cores, at the same time. An LSTM of 128 units is
trained on 32 sequences of 50 steps in 8.4 ms so on two cores, and in 12 ms otherwise.

XLA runs what one thread of Python calls in the order of the calls, so every part has a thread.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from runnel.core import configuration, xla
from runnel.core.types import Array
from runnel.core.xla import jax, load
from runnel.graph import part_rules  # noqa: F401 (enters the rules)
from runnel.graph.parts import SUM, WHOLE, Batch, Environment, Part, Rows, evaluate, is_literal
from runnel.graph.program import Node

_FEWEST = 8  # rows of a part
_MOST = 8  # parts
_WORTH = 1 << 25  # multiplications in loops for which threads are called
_AXES = 2  # of an input, one of which may be the batch


def may_pay(nodes: Sequence[Node]) -> bool:
    """Whether there is a loop with products among the nodes, and more than one core."""
    loops = [node for node in nodes if node.op.name in ("While", "StatelessWhile")]
    return _cores() > 1 and any(
        operation.type in ("MatMul", "BatchMatMulV2")
        for loop in loops
        for operation in loop.attrs["body"].get_operations()
    )


def _cores() -> int:
    """How many threads may compute at the same time."""
    if configuration.cpu_devices > 1:
        return 1
    mine = getattr(os, "sched_getaffinity", None)
    limits = configuration.inter_op_threads, configuration.intra_op_threads
    return min([len(mine(0)) if mine else os.cpu_count() or 1, *[n for n in limits if n]])


class Shared:
    """A compiled function of arrays, which threads share for shapes for which that pays.

    The first `first` arguments are no batches: variables. `donate_argnums` is JAX's.
    """

    def __init__(self, fn: Callable[..., Any], first: int, donate_argnums: tuple[int, ...]) -> None:
        self._fn, self._first, self._donated = fn, first, donate_argnums
        self._whole = xla.compile(fn, donate_argnums=donate_argnums)
        self._ways: dict[Any, Callable[..., Any]] = {}
        self.parts = 1  # the most that a batch was divided into
        self.lower = self._whole.lower

    def __call__(self, *args: Any) -> Any:
        if any(not hasattr(arg, "ndim") for arg in args):  # lists of arrays
            return self._whole(*args)
        key = tuple([(arg.shape, arg.dtype) for arg in args])
        way = self._ways.get(key)
        if way is None:
            way = self._ways[key] = self._divided(args) or self._whole
        return way(*args)

    def _divided(self, args: Sequence[Array]) -> Callable[..., Any] | None:
        """The function in two programs, if there is a batch."""
        with xla.sharing():
            closed, shapes = jax.make_jaxpr(xla.traced(self._fn), return_shape=True)(*args)
        if closed.effects:
            return None
        tree = jax.tree.structure(shapes)
        for place, axis in _candidates(args, self._first):
            rows = args[place].shape[axis]
            count = max(n for n in range(1, _cores() + 1) if _fits(rows, n))
            division = Division(closed, place, axis, count) if count > 1 else None
            if division is not None and division.pays():
                self.parts = max(self.parts, count)
                return division.compiled(tree, self._donated)
        return None


def _candidates(args: Sequence[Array], first: int) -> Iterator[tuple[int, int]]:
    """Places of arguments and axes that may be a batch, the most likely first."""
    for axis in range(_AXES):
        for place in range(first, len(args)):
            if args[place].ndim > max(axis, 1) and args[place].shape[axis] >= 2 * _FEWEST:
                yield place, axis


def _fits(rows: int, count: int) -> bool:
    return count <= _MOST and rows % count == 0 and rows // count >= _FEWEST


class Division:
    """A program in two: what is run for each part of a batch, and the rest."""

    def __init__(self, closed: Any, place: int, axis: int, count: int) -> None:
        self.closed, self.place, self.count = closed, place, count
        self.seed = Rows(axis, 1)
        self.rows = closed.in_avals[place].shape[axis]
        self.kinds = self._find_kinds()
        self.rest = self._find_rest()
        made = {v for equation in self.rest for v in equation.outvars}
        made.update(closed.jaxpr.invars, closed.jaxpr.constvars)
        read = [v for equation in self.rest for v in equation.invars]
        wanted = [v for v in (*read, *closed.jaxpr.outvars) if not is_literal(v)]
        self.crossing = [v for v in dict.fromkeys(wanted) if v not in made]
        self.mine = needed_for(self.crossing, closed.jaxpr)
        mine = {v for equation in self.mine for v in equation.invars if not is_literal(v)}
        self.used = [place for place, v in enumerate(closed.jaxpr.invars) if v in mine]

    def _environment(
        self, index: Array, args: Mapping[int, Array], equations: Sequence[Any]
    ) -> Environment:
        """What one part gets of some equations, as far as there are rules for them."""
        batch, jaxpr = Batch(self.rows, self.count, index), self.closed.jaxpr
        start = [Part(WHOLE, args.get(place)) for place in range(len(jaxpr.invars))]
        if self.place in args:
            start[self.place] = Part(self.seed, batch.cut(args[self.place], self.seed))
        env = Environment(jaxpr, [Part(WHOLE, c) for c in self.closed.consts], start)
        for equation in equations:
            env.add(equation, batch.apply(equation, env.read(equation.invars)))
        return env

    def _find_kinds(self) -> dict[Any, Any]:
        found: dict[Any, Any] = {}

        def look(index: Array, *args: Array) -> None:
            env = self._environment(index, dict(enumerate(args)), self.closed.jaxpr.eqns)
            found.update((v, part and part.kind) for v, part in env.items())

        avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.closed.in_avals]
        jax.eval_shape(look, np.int32(0), *avals)
        return found

    def _find_rest(self) -> list[Any]:
        """The equations that are not run for each part: those without rules, and for them also
        what has nothing to do with the batch.
        """
        jaxpr = self.closed.jaxpr
        free = {*jaxpr.constvars, *jaxpr.invars} - {jaxpr.invars[self.place]}
        for equation in jaxpr.eqns:
            if all(is_literal(v) or v in free for v in equation.invars):
                free.update(equation.outvars)
        return needed_for(
            jaxpr.outvars,
            jaxpr,
            lambda made: any(v in free or self.kinds[v] is None for v in made),
        )

    def pays(self) -> bool:
        """Whether loops with products are among what the parts do, and hardly any work is left."""
        loops = [equation for equation in self.mine if equation.primitive.name == "while"]
        products = [multiplications(loop.params["body_jaxpr"].jaxpr) for loop in loops]
        all_of_them = sum(n * _iterations(loop) for n, loop in zip(products, loops, strict=True))
        crossing = sum(v.aval.size for v in self.crossing)
        if all_of_them < _WORTH or crossing > max(products):
            return False
        left = [equation.primitive.name for equation in self.rest]
        return "while" not in left and sum(map(_multiplied, self.rest)) <= max(products)

    def compiled(self, tree: Any, donated: tuple[int, ...]) -> Callable[..., Any]:
        """The two programs, one after the other."""
        each = xla.compile(self._each)
        rest = xla.compile(self._rest, donate_argnums=donated)
        numbers = [xla.jnp.int32(i) for i in range(self.count)]
        ready = False

        def run(*args: Array) -> Any:
            nonlocal ready
            given = [args[place] for place in self.used]
            if ready:
                others = [hand(i).submit(each, numbers[i], *given) for i in range(1, self.count)]
                found = [each(numbers[0], *given), *[other.result() for other in others]]
            else:  # compiled by one thread
                found = [each(number, *given) for number in numbers]
                ready = True
            return tree.unflatten(rest(*args, *[value for part in found for value in part]))

        return run

    def _each(self, index: Array, *given: Array) -> list[Array]:
        args = dict(zip(self.used, given, strict=True))
        env = self._environment(index, args, self.mine)
        return [part.value for v in self.crossing if (part := env[v]) is not None]

    def _rest(self, *args: Array) -> list[Array]:
        jaxpr, given, width = self.closed.jaxpr, len(self.closed.in_avals), len(self.crossing)
        parts = [args[given + i * width : given + (i + 1) * width] for i in range(self.count)]
        joined = [self._joined(v, values) for v, *values in zip(self.crossing, *parts, strict=True)]
        names = [*jaxpr.constvars, *jaxpr.invars, *self.crossing]
        env = dict(zip(names, [*self.closed.consts, *args[:given], *joined], strict=True))

        def read(atoms: Sequence[Any]) -> list[Array]:
            return [a.val if is_literal(a) else env[a] for a in atoms]

        for equation in self.rest:
            env.update(
                zip(equation.outvars, evaluate(equation, read(equation.invars)), strict=True)
            )
        return read(jaxpr.outvars)

    def _joined(self, variable: Any, parts: Sequence[Array]) -> Array:
        kind = self.kinds[variable]
        if kind is WHOLE:
            return parts[0]
        if kind is SUM:
            return functools.reduce(xla.jnp.add, parts)
        return Batch(self.rows, self.count, parts[0]).join(parts, kind)


def needed_for(
    variables: Iterable[Any], jaxpr: Any, wanted: Callable[[Sequence[Any]], bool] | None = None
) -> list[Any]:
    """The equations that some variables need, without those that are not `wanted`."""
    needed = {v for v in variables if not is_literal(v)}
    found = []
    for equation in reversed(jaxpr.eqns):
        if needed.isdisjoint(equation.outvars):
            continue
        if wanted is None or wanted(equation.outvars):
            found.append(equation)
            needed.update(v for v in equation.invars if not is_literal(v))
    return found[::-1]


def _iterations(loop: Any) -> int:
    """How many there are at most, as far as piles tell: arrays with a row for each."""
    return max([int(v.aval.shape[0]) for v in loop.invars if v.aval.ndim > 2] or [1])


def multiplications(jaxpr: Any) -> int:
    """How many the products of a program do, each loop inside it counted once."""
    inner = load("jax.extend.core").jaxprs_in_params
    return sum(
        _multiplied(equation) + sum(map(multiplications, inner(equation.params)))
        for equation in jaxpr.eqns
    )


def _multiplied(equation: Any) -> int:
    if equation.primitive.name not in ("dot_general", "large_product"):
        return 0
    shape, out = equation.invars[0].aval.shape, equation.outvars[0].aval
    if equation.primitive.name == "dot_general":
        (axes, _), _ = equation.params["dimension_numbers"]
    else:
        axes = [-2 if equation.params["transpose_a"] else -1]
    return int(out.size * math.prod(shape[axis] for axis in axes))


@functools.cache
def hand(number: int) -> ThreadPoolExecutor:
    """The thread that calls the program for one part."""
    return ThreadPoolExecutor(1, f"runnel-part-{number}")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=hand.cache_clear)  # the threads are not in the child
