"""A program of JAX computed for a part of a batch.

The rows of a batch seldom meet, so most of a program can be computed for some rows alone. A value
is then the same in all parts (`WHOLE`), or a part has its own rows of it (`Rows`), or a term of a
sum over the parts (`SUM`), such as the gradient of a weight. `RULES` says for each primitive of JAX
what its results are (`part_rules.py`). What no rule covers, and what needs that, is not computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from runnel.core.types import Array
from runnel.core.xla import jnp, lax, load

WHOLE, SUM = "whole", "sum"


class Rows(NamedTuple):
    """Where the batch lies: along an axis of `before` times the rows times some more places."""

    axis: int
    before: int


class Part(NamedTuple):
    """A value in one part of a batch."""

    kind: Any
    value: Any


Found = list[Part] | None
Rule = Callable[["Batch", Any, list[Part]], Found]


class Batch:
    """A batch of `rows` in `count` parts, of which the one with the number `index` is computed."""

    def __init__(self, rows: int, count: int, index: Array) -> None:
        self.rows, self.count, self.index = rows, count, index

    def cut(self, x: Array, kind: Rows) -> Array:
        """The rows of this part."""
        size = self.rows // self.count
        sides = _opened(x.shape, kind, self.rows)
        found = lax.dynamic_slice_in_dim(x.reshape(sides), self.index * size, size, kind.axis + 1)
        return found.reshape(self.shape(x.shape, kind))

    def join(self, parts: Sequence[Array], kind: Rows) -> Array:
        """What `cut` would have made the parts of."""
        size = self.rows // self.count
        opened = [x.reshape(_opened(x.shape, kind, size)) for x in parts]
        whole = list(parts[0].shape)
        whole[kind.axis] *= self.count
        return jnp.concatenate(opened, kind.axis + 1).reshape(whole)

    def shape(self, whole: Sequence[int], kind: Any) -> tuple[int, ...]:
        """The shape that a part has of a value with the shape `whole`."""
        if not isinstance(kind, Rows):
            return tuple(whole)
        return tuple(n // self.count if a == kind.axis else n for a, n in enumerate(whole))

    def as_kind(self, part: Part, kind: Any) -> Part | None:
        """The same value as one of another kind, if possible."""
        if part.kind == kind:
            return part
        if part.kind is not WHOLE:
            return None
        if kind is SUM:
            nothing = jnp.zeros((), part.value.dtype)
            return Part(SUM, jnp.where(self.index == 0, part.value, nothing))
        return Part(kind, self.cut(part.value, kind))

    def all_as(self, parts: Sequence[Part], kind: Any) -> list[Array] | None:
        """The values of parts that are, or become, of one kind, if they may be broadcast too."""
        found = [part if _is_repeated(part, kind) else self.as_kind(part, kind) for part in parts]
        known = all_known(found)
        return None if known is None else [part.value for part in known]

    def run(self, closed: Any, parts: Sequence[Part]) -> list[Part | None]:
        """The results of a whole program of JAX; None where there is no rule."""
        env = Environment(closed.jaxpr, [Part(WHOLE, c) for c in closed.consts], parts)
        for equation in closed.jaxpr.eqns:
            env.add(equation, self.apply(equation, env.read(equation.invars)))
        return env.read(closed.jaxpr.outvars)

    def apply(self, equation: Any, parts: list[Part | None]) -> Found:
        """The results of one primitive; None if there is no rule for such arguments."""
        known = all_known(parts)
        if known is None:
            return None
        if all(part.kind is WHOLE for part in known):
            values = evaluate(equation, [part.value for part in known])
            return [Part(WHOLE, value) for value in values]
        rule = RULES.get(equation.primitive.name)
        return None if rule is None else rule(self, equation, known)


class Environment(dict[Any, "Part | None"]):
    """The parts of the variables of a program; None where there is no rule."""

    def __init__(self, jaxpr: Any, consts: Sequence[Part], args: Sequence[Part | None]) -> None:
        super().__init__(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *args], strict=True))

    def read(self, atoms: Sequence[Any]) -> list[Part | None]:
        return [Part(WHOLE, jnp.asarray(a.val)) if is_literal(a) else self[a] for a in atoms]

    def add(self, equation: Any, found: Found) -> None:
        nothing: list[Part | None] = [None] * len(equation.outvars)
        self.update(zip(equation.outvars, nothing if found is None else found, strict=True))


def all_known(parts: Sequence[Part | None]) -> Found:
    """The parts, or None if there is no rule for one of them."""
    known = [part for part in parts if part is not None]
    return known if len(known) == len(parts) else None


def _is_repeated(part: Part, kind: Any) -> bool:
    """Whether a value that is the same in all parts is also the same in all rows."""
    if part.kind is not WHOLE or not isinstance(kind, Rows):
        return False
    return not part.value.ndim or part.value.shape[kind.axis] == 1


def is_literal(atom: Any) -> bool:
    return isinstance(atom, load("jax.extend.core").Literal)


def evaluate(equation: Any, values: Sequence[Array]) -> list[Array]:
    """The results of a primitive with whole arguments, whatever programs it has inside."""
    bound = equation.primitive.get_bind_params(equation.params)
    inner, params = bound if isinstance(bound, tuple) else ((), bound)  # as JAX's version has it
    found = equation.primitive.bind(*inner, *values, **params)
    return list(found) if equation.primitive.multiple_results else [found]


def _opened(shape: Sequence[int], kind: Rows, rows: int) -> tuple[int, ...]:
    """The shape with the rows as an axis of their own, after `kind.axis`."""
    after = shape[kind.axis] // (kind.before * rows)
    return (*shape[: kind.axis], kind.before, rows, after, *shape[kind.axis + 1 :])


RULES: dict[str, Rule] = {}  # by the names of primitives


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Enter a rule for primitives some of whose arguments are not the same in all parts.

    It gives the parts of the results, or None if it does not cover such arguments.
    """

    def enter(found: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, found))
        return found

    return enter
