"""What lies where among the arguments and results of a segment's program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from runnel.backend import jax as xla
from runnel.core.tensor.tensor_list import LISTS
from runnel.graph.run import alarms
from runnel.graph.run.lowering import States

if TYPE_CHECKING:
    from runnel.graph.run.segment import Segment


class Places(NamedTuple):
    """Which variables the handles of a segment stand for: those of one number, for the same."""

    numbers: tuple[int, ...] = ()
    changing: tuple[int, ...] = ()  # those whose shape an assignment may change


@dataclass(frozen=True)
class Layout:
    """What lies where among a program's arguments and results.

    Arguments: the variables whose memory it is `given` to overwrite, those it is `lent`, the states
    of ops, the inputs. Results: the given variables, those that are `replaced`, since their shape
    may change, or they must be what they were if something goes wrong; the states; the outputs;
    the alarm, if there is one.
    """

    places: dict[int, int]  # of variables, by the slots of their handles
    given: list[int]
    replaced: list[int]
    lent: list[int]
    written: list[int]  # those given and those replaced

    @classmethod
    def of(cls, segment: Segment, places: Places) -> Layout:
        place_of = dict(zip(segment.resources, places.numbers, strict=True))
        updated = {place_of[slot] for slot in segment.updated}
        given = set() if segment.watched else updated.difference(places.changing)
        lent = set(places.numbers) - given
        written = [*sorted(given), *sorted(updated - given)]
        return cls(place_of, sorted(given), written[len(given) :], sorted(lent), written)


class StatesByPlace(States):
    """States in which several slots may stand for one variable."""

    def __init__(
        self, values: dict[Any, Any], places: dict[int, int], alarm: alarms.Alarm | None
    ) -> None:
        super().__init__(_ByPlace(values, places), alarm)


class _ByPlace(dict[Any, Any]):
    def __init__(self, values: dict[Any, Any], places: dict[int, int]) -> None:
        super().__init__({("place", k) if isinstance(k, int) else k: v for k, v in values.items()})
        self._slots = {slot: ("place", place) for slot, place in places.items()}

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self._slots.get(key, key))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(self._slots.get(key, key), value)


def kind(args: Sequence[Any]) -> tuple[Any, ...]:
    """What JAX looks at to find the program for arguments whose dtypes are known."""
    return tuple(
        [_kind_of_list(x) if x.__class__ in LISTS else (x.__class__, x.shape) for x in args]
    )


def _kind_of_list(value: Any) -> tuple[Any, ...]:
    leaves, structure = xla.jax.tree.flatten(value)
    return (structure, *[(type(x), x.shape) for x in leaves])
