"""What an op says of itself where it is declared, beside its signature and its kernel.

On the reading path after `core/op/signature.py`, before `core/op/op.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple, get_args

Kernel = Callable[..., Any]
ShapeRule = Callable[..., Any]
State = Literal["read", "update", "exchange", "replace", "own"]
Effects = Literal[
    "python", "reads files", "writes files", "output", "queues", "datasets", "clock", "entropy"
]
LEAVING = frozenset({"python", "reads files", "writes files", "output"})  # the program
Reads = Literal["shape", "size", "rank", "length"]
Unbroadcast = Literal["all", "asked", "unlike"]


class Guard(NamedTuple):
    """A check of values for compiled programs, which cannot raise where they are."""

    fine: Kernel  # gets the array namespace and what the op's kernel gets; a scalar truth
    want: str  # in words
    needed: Callable[[Any], bool] | None = None  # whether an operation can be given bad values
    size: Kernel | None = None  # for what the kernel gets: `indices` from 0 to below it are fine


@dataclass(frozen=True, kw_only=True, slots=True)
class Traits:
    """The options of `@op`. Whoever treats ops differently asks for a trait, never for a name.

    What an op needs to be right:
      shape: rule from input `Spec`s and attributes to the dimensions of the output, or a list of
        them.
      static: names of the inputs whose values decide the output's shape; the kernel gets NumPy
        arrays.
      host: the kernel is for NumPy alone (shapes that depend on values); graphs are cut here. So
        are those of ops of strings, and of resources without a `state`, which are `stateful`, too.
        Or a function that tells from the inputs whether NumPy is much faster at it than XLA.
      xla: the kernel is for `jax.numpy` and `jax.lax` alone.
      check: called with the inputs' NumPy values before the eager kernel; raises for bad values.
      guard: a `Guard`: the part of `check` that compiled programs do, which depends on values.
      state: "read", "update" or "exchange" when the first input is a resource whose value the
        kernel gets; it returns the outputs, the new value, or `(outputs, new value)`. "replace" is
        "update" of what need not have a value yet. An "update" of several resources, the first
        inputs, returns a tuple of new values. "own" when
        the op keeps a state of its own between runs, made by `initial(**attrs)`: the kernel gets it
        first and returns `(outputs, new state)`. In a compiled graph that is one array.
      lower: for ops that hold graphs: called with the node, its values and the `States` in place of
        the kernel when a segment is compiled.
      stateful: runs in program order and even when nobody asks for its outputs, as in TensorFlow.
      effects: what it reads or changes of the world outside the program: "python" (a function of
        the user's, which may do anything), "reads files", "writes files" (or both), "output" (it
        prints), "queues" (it may wait for other threads), "datasets" (it takes their elements, and
        may do all of that), "clock", "entropy" (the system's random numbers). That is for the
        `host`, and `stateful` if not said otherwise. An op with neither effects nor a state is
        pure: it may be computed early, or once for many.

    What lets it be fast; without them it is as right, and slower:
      heavy: worth compiling on large tensors (more than one pass over memory); or a function that
        tells from the inputs' values whether they are worth it.
      moves: the output has only numbers of the first input (or list), in another order; NumPy finds
        nothing to warn of there.
      elementwise: an element of the output follows from those at its place in the inputs, which are
        broadcast, and is the same to the last bit whatever stands beside it (not so `exp`, which
        NumPy computes in blocks with a remainder).
      rows: row by row, its outputs follow from the records in its first input alone; or a function
        that tells whether that is so for an operation.
      recompute: where XLA needs a result in several kernels it is computed in each, at the cost of
        so many additions; 0 if XLA never does it twice. 1 for what is `elementwise`.
      identity: the outputs are the inputs.
      neutral: for each of two operands the number that leaves the other one as it is, to the last
        bit (-0.0 is, added to anything; 0.0 is not), or None.
      self_inverse: twice over it changes nothing.
      diagnostic: it is there to find mistakes only, and hands on its inputs at most.
      reads: all that it reads of its inputs: "shape", "size" or "rank", or a list's "length".
      takes_unmade: the places of inputs that may be `Unmade` strings.

    What TensorFlow does in graphs, by op:
      default_name: of an operation to which nobody gives a name; the op's, if not this.
      scope: that which the public function enters, and names the operation after.
      unbroadcast: whose gradients the tape sums to the inputs' shapes: of "all" inputs, of those
        that are "asked" for, or of these where the shapes are not known to be the same ("unlike").
      fed: a run may be given another value for it, so that nothing follows from its input before.
      watched: how many of its outputs `tf.debugging.enable_check_numerics` looks at; none where
        wrong numbers were wrong in an input already (`moves`), or are meant so.
    """

    shape: ShapeRule | None = None
    static: tuple[str, ...] = ()
    host: bool | Callable[..., bool] | None = None
    xla: bool = False
    check: Kernel | None = None
    guard: Guard | None = None
    state: State | None = None
    initial: Kernel | None = None
    lower: Callable[..., Any] | None = None
    stateful: bool | None = None
    effects: Effects | None = None

    heavy: bool | Callable[..., bool] = False
    moves: bool = False
    elementwise: bool = False
    rows: bool | Callable[[Any], bool] = False
    recompute: int | None = None
    identity: bool = False
    neutral: tuple[float | None, float | None] = (None, None)
    self_inverse: bool = False
    diagnostic: bool = False
    reads: Reads | None = None
    takes_unmade: tuple[int, ...] = ()

    default_name: str | None = None
    scope: str | None = None
    unbroadcast: Unbroadcast = "all"
    fed: bool = False
    watched: int | None = None

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {choices}, got {getattr(self, name)!r}.")
        if self.effects is not None:
            self._imply(host=True, stateful=True)
        if self.elementwise:
            self._imply(recompute=1)
        if self.moves:
            self._imply(watched=0)

    def _imply(self, **traits: Any) -> None:
        for name, value in traits.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)


_CHOICES = {
    "state": (None, *get_args(State)),
    "effects": (None, *get_args(Effects)),
    "reads": (None, *get_args(Reads)),
    "unbroadcast": get_args(Unbroadcast),
}
_OPTIONS = tuple(field.name for field in fields(Traits))


def split_options(
    op_name: str, options: Mapping[str, Any], types: Collection[str]
) -> tuple[Traits, dict[str, Any]]:
    """The traits among an op's options, and the dtypes that its type attributes `types` may have.

    >>> split_options("Relu", {"hevy": True}, ["T"])
    Traceback (most recent call last):
    TypeError: Relu has no option and no attribute `hevy`, did you mean `heavy`?
    """
    allowed = {key: value for key, value in options.items() if key not in _OPTIONS}
    for key in allowed:
        if key not in types:
            near = get_close_matches(key, [*_OPTIONS, *sorted(types)], 1)
            hint = (
                f", did you mean `{near[0]}`?" if near else f": its attributes are {sorted(types)}."
            )
            raise TypeError(f"{op_name} has no option and no attribute `{key}`{hint}")
    return Traits(**{k: v for k, v in options.items() if k in _OPTIONS}), allowed
