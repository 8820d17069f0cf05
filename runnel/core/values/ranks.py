"""The ranks that the signature of an op tells: checked while tracing, and known by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Dims


@dataclass(frozen=True, slots=True)
class Ranks:
    """The ranks from `least` to `most`, without end if that is None; the `size` of a vector.

    `traced` and `run` say whether they are checked while tracing, and before every run.
    """

    least: int
    most: int | None
    size: int | None = None
    traced: bool = True
    run: bool = False

    @classmethod
    def read(cls, text: str) -> Ranks:
        """What a signature says: "2", "2+", "0-1" or "1 of 2", "2!", "2?"."""
        when = {"traced": "?" not in text, "run": text.endswith(("!", "?"))}
        text = text.rstrip("!?")
        if " of " in text:
            return cls(1, 1, int(text.removeprefix("1 of ")), **when)
        least, dash, most = text.partition("-")
        end = None if "+" in text else int(most if dash else least)
        return cls(int(least.rstrip("+")), end, **when)

    @property
    def known(self) -> Dims:
        """What is known of a shape by the declaration."""
        return (self.size,) * self.least if self.least == self.most else None

    def allow(self, dims: Sequence[int | None]) -> bool:
        """Whether a shape may be one of these."""
        return self.has(len(dims)) and (self.size is None or dims[0] in (self.size, None))

    def has(self, rank: int) -> bool:
        """Whether this is one of the ranks."""
        return self.least <= rank and (self.most is None or rank <= self.most)

    def __str__(self) -> str:
        if self.size is not None:
            return f"1 and {self.size} elements"
        if self.most is None:
            return f"{self.least} or more"
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


def check(op: Any) -> Any:
    """The check of an op before an eager run, with one of the ranks that its signature tells.

    Sizes are the kernel's to look at: TensorFlow's are less strict than its shape functions.
    Not for those of which nothing is looked at but by the kernel: they are to be quick. Nor for
    axes and their like, which TensorFlow's kernels take in any shape.
    """
    traits = op.traits
    slow = traits.check or traits.state or traits.host or traits.heavy or traits.effects

    def is_checked(arg: Any) -> bool:
        often = slow and arg.name not in traits.static and not arg.is_list
        return bool(arg.ranks and (arg.ranks.run or often))

    places = [(place, arg) for place, arg in enumerate(op.inputs) if is_checked(arg)]
    if not places:
        return traits.check

    def checked(*values: Any, **attrs: Any) -> None:
        for place, arg in places:
            for value in values[place] if arg.is_list else (values[place],):
                if not arg.ranks.has(len(value.shape)):
                    raise bad_shape(op.name, want=f"have rank {arg.ranks}", **{arg.name: value})
        if traits.check is not None:
            traits.check(*values, **attrs)

    return checked


def known_dims(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Dims]:
    """The inputs' dimensions, and what the signature tells of those that nothing else does."""
    if not op.tells_ranks:
        return [t.shape._dims for t in inputs]
    pairs = zip(op.flat_args(attrs), inputs, strict=True)
    return [_told(op, arg, tensor) for arg, tensor in pairs]


def _told(op: Any, arg: Any, tensor: Any) -> Dims:
    dims: Dims = tensor.shape._dims
    if arg.ranks is None or not arg.ranks.traced:
        return dims
    ranks: Ranks = arg.ranks
    if dims is None:
        return ranks.known
    if not ranks.allow(dims):
        raise bad_shape(op.name, want=f"have rank {ranks}", **{arg.name: tensor})
    return dims
