"""Places where the threads of a program leave tensors for each other: staging areas.

A staging area is a queue, or a map from numbers in which the tensors of an element may come one by
one. Ops find it by its name (`shared_name`); without one, each op has its own.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.op.op import op
from runnel.core.state.resource import Resource
from runnel.core.values.deadlines import wait_for
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import ResourceExhaustedError, invalid_in
from runnel.core.values.types import Array, Namespace, Spec
from runnel.ops.shapes import nothing

Element = list[Any]  # tensors, None for one that is not there


class _Area(Resource):
    """What both kinds of staging areas have: limits, and those who wait."""

    def __init__(self, capacity: int, memory_limit: int) -> None:
        super().__init__()
        self._capacity, self._limit = capacity, memory_limit
        self.changed = threading.Condition(self.lock)

    def check_fits(self, op_name: str, values: Sequence[Array]) -> int:
        size = sum(np.asarray(value).nbytes for value in values)
        if 0 < self._limit < size:
            message = f"{op_name}: {size} bytes are more than the memory limit {self._limit}."
            raise ResourceExhaustedError(None, None, message)
        return size

    def has_room(self, count: int, held: int, size: int) -> bool:
        full = 0 < self._capacity <= count
        return not full and not 0 < self._limit < held + size


class Stage(_Area):
    """Elements in the order in which they came."""

    def __init__(self, capacity: int, memory_limit: int) -> None:
        super().__init__(capacity, memory_limit)
        self._elements: deque[tuple[Element, int]] = deque()

    def put(self, values: Element) -> None:
        size = self.check_fits("Stage", values)
        with self.changed:
            held = lambda: sum(s for _, s in self._elements)  # noqa: E731
            wait_for(self.changed, lambda: self.has_room(len(self._elements), held(), size))
            self._elements.append((values, size))
            self.changed.notify_all()

    def take(self) -> Element:
        with self.changed:
            wait_for(self.changed, lambda: bool(self._elements))
            values, _ = self._elements.popleft()
            self.changed.notify_all()
            return values

    def peek(self, index: int) -> Element:
        with self.changed:
            wait_for(self.changed, lambda: len(self._elements) > index)
            return self._elements[index][0]

    def __len__(self) -> int:
        return len(self._elements)

    def __bool__(self) -> bool:
        return True

    def clear(self) -> None:
        with self.changed:
            self._elements.clear()
            self.changed.notify_all()


class MapStage(_Area):
    """Elements by number, which are there once all of their tensors have come."""

    def __init__(self, capacity: int, memory_limit: int, *, ordered: bool) -> None:
        super().__init__(capacity, memory_limit)
        self._ordered = ordered
        self.whole: dict[int, Element] = {}
        self.parts: dict[int, Element] = {}

    def put(self, name: str, key: int, places: list[int], values: Element, width: int) -> None:
        """Add some tensors of an element, or all of it; one that is there already stays."""
        size = self.check_fits(name, values)
        if len(places) != len(values) or len(values) > width:
            raise invalid_in(name, f"there are {len(places)} indices for {len(values)} tensors.")
        if len(values) == width:
            places = list(range(width))
        _check_places(name, places, width)
        with self.changed:
            if key not in self.parts:
                wait_for(self.changed, lambda: self.has_room(len(self.whole), self._held(), size))
            element = self.parts.setdefault(key, [None] * width)
            for place, value in zip(places, values, strict=True):
                if element[place] is not None:
                    raise invalid_in(name, f"the tensor {place} of the key {key} is there already.")
                element[place] = value
            if all(value is not None for value in element):
                self.whole.setdefault(key, self.parts.pop(key))
            self.changed.notify_all()

    def _held(self) -> int:
        elements = [*self.whole.values(), *self.parts.values()]
        return sum(np.asarray(v).nbytes for element in elements for v in element if v is not None)

    def read(self, name: str, key: int | None, places: list[int], *, take: bool) -> Any:
        """The key and some tensors of its element; of any element if there is no key."""
        with self.changed:
            wait_for(self.changed, lambda: bool(self.whole) if key is None else key in self.whole)
            if key is None:
                key = min(self.whole) if self._ordered else next(iter(self.whole))
            element = self.whole[key]
            _check_places(name, places, len(element))
            found = [element[place] for place in places]
            if any(value is None for value in found):
                raise invalid_in(name, f"a tensor of the key {key} has been taken already.")
            if take:
                for place in places:
                    element[place] = None
                if all(value is None for value in element):
                    del self.whole[key]
                self.changed.notify_all()
            return key, found

    def clear(self) -> None:
        with self.changed:
            self.whole.clear()
            self.parts.clear()
            self.changed.notify_all()


def _check_places(name: str, places: list[int], width: int) -> None:
    if any(not 0 <= place < width for place in places):
        raise invalid_in(name, f"indices must be in [0, {width}), got {places}.")


_areas: dict[tuple[str, str, tuple[Any, ...]], _Area] = {}  # which nobody else holds
_finding = threading.Lock()


def _area(attrs: dict[str, Any], op_name: str, make: Callable[..., Any], **options: Any) -> Any:
    limits = (attrs["capacity"], attrs["memory_limit"])
    if min(limits) < 0:
        raise invalid_in(op_name, f"limits must not be negative, got {limits}.")
    kind = (make.__name__, *options.values())
    name = (attrs["container"], attrs["shared_name"] or op_name, kind)
    with _finding:
        if name not in _areas:
            _areas[name] = make(*limits, **options)
        return _areas[name]


def _shapes(*inputs: Any, dtypes: tuple[DType, ...], **attrs: Any) -> list[Any]:
    return [[None] * len(dtypes)]


def _size_shape(**attrs: Any) -> Any:
    return ()


@op("Stage", "values: *dtypes ->", shape=nothing, effects="queues")
def _stage(
    xp: Namespace,
    values: list[Array],
    *,
    capacity: int = 0,
    memory_limit: int = 0,
    container: str = "",
    shared_name: str = "",
) -> None:
    attrs = {"capacity": capacity, "memory_limit": memory_limit}
    attrs |= {"container": container, "shared_name": shared_name}  # type: ignore[dict-item]
    _area(attrs, "Stage", Stage).put(values)


def _declare_stage(name: str, signature: str, shape: Any, run: Callable[..., Any]) -> None:
    """An op on a staging area that is a queue; `run` gets the area and the inputs."""

    @op(name, signature, shape=shape, effects="queues")
    def _(
        xp: Namespace,
        *inputs: Array,
        capacity: int = 0,
        memory_limit: int = 0,
        dtypes: tuple[DType, ...],
        container: str = "",
        shared_name: str = "",
    ) -> Any:
        attrs = {"capacity": capacity, "memory_limit": memory_limit}
        attrs |= {"container": container, "shared_name": shared_name}  # type: ignore[dict-item]
        return run(_area(attrs, name, Stage), *inputs)


def _peeked(area: Stage, index: Array) -> list[Element]:
    return [area.peek(int(index))]


_VALUES = "-> values: *dtypes"
_declare_stage("Unstage", _VALUES, _shapes, lambda area: [area.take()])
_declare_stage("StagePeek", f"index: int32 {_VALUES}", _shapes, _peeked)
_declare_stage("StageSize", "-> size: int32", _size_shape, lambda area: np.int32(len(area)))
_declare_stage("StageClear", "->", nothing, lambda area: area.clear())


def _declare_map(
    name: str, ordered: bool, signature: str, shape: Any, run: Callable[..., Any]
) -> None:
    """An op on a staging area that is a map; `run` gets area, name, inputs and dtypes."""

    @op(name, signature, shape=shape, effects="queues")
    def _(
        xp: Namespace,
        *inputs: Any,
        capacity: int = 0,
        memory_limit: int = 0,
        dtypes: tuple[DType, ...],
        container: str = "",
        shared_name: str = "",
    ) -> Any:
        attrs = {"capacity": capacity, "memory_limit": memory_limit}
        attrs |= {"container": container, "shared_name": shared_name}  # type: ignore[dict-item]
        area = _area(attrs, name, MapStage, ordered=ordered)
        return run(area, name, *inputs, width=len(dtypes))


def _places(indices: Array) -> list[int]:
    return np.ravel(indices).tolist()  # type: ignore[no-any-return]


def _put(area: MapStage, name: str, key: Array, indices: Array, values: Any, width: int) -> None:
    area.put(name, int(key), _places(indices), values, width)


def _reader(take: bool) -> Callable[..., Any]:
    def read(area: MapStage, name: str, key: Array, indices: Array, width: int) -> Any:
        return [area.read(name, int(key), _places(indices), take=take)[1]]

    return read


def _take_any(area: MapStage, name: str, indices: Array, width: int) -> Any:
    key, found = area.read(name, None, _places(indices), take=True)
    return [np.int64(key), found]


def _keyed_shapes(indices: Spec, *, dtypes: tuple[DType, ...], **attrs: Any) -> list[Any]:
    return [(), [None] * len(dtypes)]


_KEYED = f"key: int64, indices: int32 {_VALUES}"
for _prefix, _ordered in (("Map", False), ("OrderedMap", True)):
    for _name, _signature, _shape, _run in (
        ("Stage", "key: int64, indices: int32, values: *fake_dtypes ->", nothing, _put),
        ("Peek", _KEYED, _shapes, _reader(take=False)),
        ("Unstage", _KEYED, _shapes, _reader(take=True)),
        (
            "UnstageNoKey",
            "indices: int32 -> key: int64, values: *dtypes",
            _keyed_shapes,
            _take_any,
        ),
        ("Size", "-> size: int32", _size_shape, lambda a, _, width: np.int32(len(a.whole))),
        (
            "IncompleteSize",
            "-> size: int32",
            _size_shape,
            lambda a, _, width: np.int32(len(a.parts)),
        ),
        ("Clear", "->", nothing, lambda a, _, width: a.clear()),
    ):
        _declare_map(f"{_prefix}{_name}", _ordered, _signature, _shape, _run)
