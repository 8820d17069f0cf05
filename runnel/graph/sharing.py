"""Programs that threads share: each computes the whole program for a part of the batch.

XLA shares out an operation if it is large, and threads meet after each. The operations of a
recurrent network are too small for that and come one after the other: all cores but one are idle.
So a program with much to multiply is run for parts of the batch (`parts.py`), as many as there are
cores, at the same time. Forward and backward on two cores with AVX-512, in milliseconds, whole and
shared:

    LSTM of 128 units, 32 sequences of 50 steps    10.3, 7.3
    small CNN, 64 images of 28x28                  10.1, 8.6
    transformer block, 8 sequences of 128          26.2, 23.2

Every part has a lane (`core/lanes.py`), in which no other part's work gets in its way.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from runnel.core import configuration, xla
from runnel.core.lanes import Lanes, cores, lanes
from runnel.core.types import Array
from runnel.core.xla import jax, load
from runnel.graph import part_rules  # noqa: F401 (enters the rules)
from runnel.graph.parts import SUM, WHOLE, Batch, Environment, Part, Rows, evaluate, is_literal
from runnel.graph.program import Node

_FEWEST = 4  # rows of a part
_MOST = 8  # parts
_WORTH = 1 << 26  # multiplications for which threads are called
_SEVERAL = 7  # products; XLA and oneDNN share out a few large ones as well
_SMALL = 16  # times as much as is left of it is work that pays
_LITTLE = 512  # multiplications for a number that is put together
_GROWTH = 16  # times as much as the first time is never expected
_TRIES = 3  # inputs and axes
_AXES = 2  # of an input, one of which may be the batch
_PRODUCTS = frozenset("MatMul BatchMatMulV2 Conv2D Conv3D DepthwiseConv2dNative".split())


def may_pay(nodes: Sequence[Node]) -> bool:
    """Whether there are products among the nodes, and more than one core."""
    return _cores() > 1 and any(name in _PRODUCTS for node in nodes for name in _names(node))


def _names(node: Node) -> Iterator[str]:
    """The names of an operation and of those in its loop."""
    yield node.op.name
    if node.op.name in ("While", "StatelessWhile"):
        yield from (operation.type for operation in node.attrs["body"].get_operations())


def _cores() -> int:
    """How many threads may compute at the same time."""
    if configuration.cpu_devices > 1:
        return 1
    limits = configuration.inter_op_threads, configuration.intra_op_threads
    return min([len(cores()), *[n for n in limits if n]])


class Shared:
    """A compiled function of arrays, which threads share for shapes for which that pays.

    The first `first` arguments are no batches: variables. `donate_argnums` is JAX's.
    """

    def __init__(self, fn: Callable[..., Any], first: int, donate_argnums: tuple[int, ...]) -> None:
        self._fn, self._first, self._donated = fn, first, donate_argnums
        self._whole: Callable[..., Any] = xla.compile(fn, donate_argnums=donate_argnums)
        self._ways: dict[Any, Callable[..., Any]] | None = {}  # None: all shapes go one way
        self.parts = 1  # the most that a batch was divided into

    def lower(self, *args: Any) -> Any:
        """As of a function that is compiled whole."""
        return self._whole.lower(*args)  # type: ignore[attr-defined]

    def __call__(self, *args: Any) -> Any:
        if self._ways is None or any(not hasattr(arg, "ndim") for arg in args):  # or lists of them
            return self._whole(*args)
        key = tuple([(arg.shape, arg.dtype) for arg in args])
        way = self._ways.get(key)
        if way is None:
            way = self._way(args)
            if self._ways is not None:
                self._ways[key] = way
        return way(*args)

    def _way(self, args: Sequence[Array]) -> Callable[..., Any]:
        """The function in two programs, if there is a batch; else as it is."""
        closed, shapes = jax.make_jaxpr(xla.traced(self._fn), return_shape=True)(*args)
        work = multiplications(closed.jaxpr)
        if not self._ways and work < _WORTH // _GROWTH:
            self._ways = None
        if work < _WORTH or closed.effects or jax.default_backend() != "cpu":
            return self._whole
        with xla.sharing():
            closed, _ = jax.make_jaxpr(xla.traced(self._fn), return_shape=True)(*args)
        for place, axis in itertools.islice(_candidates(args, self._first), _TRIES):
            rows = args[place].shape[axis]
            count = max(n for n in range(1, _cores() + 1) if _fits(rows, n))
            division = Division(closed, place, axis, count) if count > 1 else None
            found = lanes(count) if division is not None and division.pays() else None
            if division is not None and found is not None:
                self.parts = max(self.parts, count)
                return division.compiled(found, jax.tree.structure(shapes), self._donated)
        return self._whole


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
        """Whether the parts do nearly all the work, and give little that is put together."""
        work, left = (sum(map(_multiplied, those)) for those in (self.mine, self.rest))
        crossing = sum(v.aval.size for v in self.crossing)
        products = [equation for equation in self.mine if _multiplied(equation)]
        alone = len(products) < _SEVERAL and not any(map(_is_loop, products))
        if alone or any(map(_is_loop, self.rest)):
            return False
        return bool(work >= max(_WORTH, _SMALL * left, _LITTLE * crossing))

    def compiled(self, lanes: Lanes, tree: Any, donated: tuple[int, ...]) -> Callable[..., Any]:
        """The two programs, one after the other."""
        parts = _Parts(self._each, lanes)
        rest = xla.compile(self._rest, donate_argnums=donated)

        def run(*args: Array) -> Any:
            found = parts([np.asarray(args[place]) for place in self.used])
            return tree.unflatten(rest(*args, *found))

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


class _Parts:
    """A program that is run for every part of a batch, each in a lane of its own.

    Each lane has to compile it. Only the first one does so at once and computes all parts as long
    as the others do it beside it, from the second call on.
    """

    def __init__(self, program: Callable[..., list[Array]], lanes: Lanes) -> None:
        self._lanes = lanes
        self._programs = [xla.compile(program, in_shardings=place) for place in lanes.places]
        self._numbers = [np.int32(number) for number in range(len(lanes.places))]
        self._called = False
        self._others: Future[None] | None = None

    def __call__(self, given: Sequence[Array]) -> list[Array]:
        """The results of all parts, one part after the other."""
        if self._is_ready(given):
            with self._lanes.at_home():
                found = [
                    part(n, *given) for part, n in zip(self._programs[::-1], self._numbers[::-1])
                ]
            found.reverse()  # the first lane is the last to start: it is the thread's own
        else:
            found = [self._programs[0](number, *given) for number in self._numbers]
        return [np.asarray(value) for part in found for value in part]

    def _is_ready(self, given: Sequence[Array]) -> bool:
        if self._called and self._others is None:
            self._others = _compiler().submit(self._compile_others, given)
        self._called = True
        if self._others is None or not self._others.done():
            return False
        self._others.result()  # which failed if compiling did
        return True

    def _compile_others(self, given: Sequence[Array]) -> None:
        for program, number in zip(self._programs[1:], self._numbers[1:]):
            program(number, *given)


@functools.cache
def _compiler() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "runnel-compiler")


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


def multiplications(jaxpr: Any) -> int:
    """How many the products and convolutions of a program do."""
    return sum(map(_multiplied, jaxpr.eqns))


def _multiplied(equation: Any) -> int:
    count = _COUNTS.get(equation.primitive.name)
    if count is not None:
        return int(count(equation.params, *[v.aval for v in (*equation.invars, *equation.outvars)]))
    inner = sum(map(multiplications, load("jax.extend.core").jaxprs_in_params(equation.params)))
    return inner * _iterations(equation) if _is_loop(equation) else inner


def _is_loop(equation: Any) -> bool:
    return bool(equation.primitive.name == "while")


def _iterations(loop: Any) -> int:
    """How many there are at most, as far as piles tell: arrays with a row for each."""
    return max([int(v.aval.shape[0]) for v in loop.invars if v.aval.ndim > 2] or [1])


def _of_dot(params: Any, a: Any, b: Any, out: Any) -> int:
    (axes, _), _ = params["dimension_numbers"]
    return int(out.size * math.prod(a.shape[axis] for axis in axes))


_COUNTS: dict[str, Callable[..., int]] = {
    "dot_general": _of_dot,
    "large_product": lambda p, a, b, out: out.size * a.shape[-2 if p["transpose_a"] else -1],
    "large_convolution": lambda p, x, f, out: out.size * f.size // f.shape[-1],
    "large_filter_gradient": lambda p, x, dy, out: dy.size * out.size // dy.shape[-1],
    "conv_general_dilated": lambda p, x, f, out: (
        out.size * f.size // f.shape[p["dimension_numbers"].rhs_spec[0]]
    ),
}
