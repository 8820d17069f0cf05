"""Programs that run in first versions until they have been compiled well.

The first run of a large graph at some shapes waits for first versions alone, unless the programs
are on disk (`backend/meanwhile/first_version.py`). When the shapes have come again some times,
their programs are compiled well in the background, and take the places of the first versions.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from runnel.backend import jax as xla
from runnel.backend.meanwhile import background, first_version
from runnel.core.settings import meshes
from runnel.core.tensor.tensor_list import LISTS
from runnel.graph.run.nested import size_of

if TYPE_CHECKING:
    from runnel.graph.run.plan import Plan

_LARGE = 100  # operations; fewer are soon compiled well
_SOON, _LATE = 3, 64  # runs after which programs are compiled well, for few shapes and for many

_swapping = threading.Lock()


class Traced(NamedTuple):
    """A segment's program after tracing."""

    stage: Any  # JAX's
    own: int  # results that come before the outputs
    program: Any
    shapes: Any  # of the arguments

    def stand_in(self, first: Callable[..., Any]) -> None:
        """Run a first version of the program for such arguments."""
        with _swapping:
            if not isinstance(self.program.run, Versions):
                self.program.run = Versions(self.program.well)
            self.program.run.first[self.shapes] = first

    def made_well(self) -> None:
        """Run the program itself again for such arguments."""
        with _swapping:
            versions = self.program.run
            if isinstance(versions, Versions):
                versions.first.pop(self.shapes, None)
                if not versions.first:
                    self.program.run = versions.well


class Versions:
    """Called in place of a program: its first version for the shapes that there is one for."""

    def __init__(self, well: Callable[..., Any]) -> None:
        self.well = well
        self.first: dict[Any, Callable[..., Any]] = {}

    def __call__(self, *args: Any) -> Any:
        first = None if meshes.made.any else self.first.get(shapes_of(args))
        return (self.well if first is None else first)(*args)


def shapes_of(args: Sequence[Any]) -> tuple[Any, ...]:
    """What tells the arguments of a program apart: their dtypes are always the same."""
    return tuple([_inside(x) if type(x) in LISTS else x.shape for x in args])


def _inside(value: Any) -> tuple[Any, ...]:
    leaves, structure = xla.jax.tree.flatten(value)
    return (structure, *[x.shape for x in leaves])


def suit(plan: Plan) -> bool:
    """Whether the programs of a plan are to have first versions.

    Those of loops on the host have none: their bodies are called too often.
    """
    if plan.at_once is True or plan.inner or meshes.made.any:
        return False
    return size_of(plan.program.nodes) >= _LARGE and first_version.wanted()


class Unfinished:
    """What compiles well the programs of a plan, by the shapes at which first versions run."""

    def __init__(self) -> None:
        self.jobs: dict[Any, tuple[list[int], list[background.Job]]] = {}  # with the runs to come

    def add(self, shapes: Any, jobs: list[background.Job], *, many: bool) -> None:
        """Note what is to be done when shapes, of which there may be `many`, have come again."""
        if jobs:
            self.jobs[shapes] = [_LATE if many else _SOON], jobs

    def came(self, shapes: Any) -> None:
        """Note one more run."""
        left, jobs = self.jobs.get(shapes) or ([0], [])
        left[0] -= 1
        if left[0] == 1:
            self.jobs.pop(shapes, None)
            background.add(jobs)
