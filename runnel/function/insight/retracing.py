"""Why a function was traced again, and the warning when that happens too often."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from runnel.core.settings.logging import warning
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.function.function_type import FunctionType
from runnel.function.structure_type import Structure
from runnel.function.trace_type import Literal, Weakref
from runnel.function.variable_type import VariableType

_HISTORY = 10  # calls that are looked back on
_OFTEN = 5  # so many traces among them are worth a warning
_WARNINGS = 2  # for one function
_COMPARED = 16  # earlier traces, the last ones, that a new one is compared with


class Change(NamedTuple):
    """One argument whose type differs from that of an earlier trace."""

    argument: str
    old: Any
    new: Any
    remedy: str

    def __str__(self) -> str:
        return f"{self.argument} was {self.old!r} and is {self.new!r}: {self.remedy}"


def changes(new: FunctionType, earlier: Sequence[FunctionType]) -> list[Change]:
    """What sets a call apart from the most similar of the earlier traces."""
    found = [list(_between(old, new)) for old in reversed(earlier[-_COMPARED:])]
    return min(found, key=len, default=[])


def _between(old: FunctionType, new: FunctionType) -> Iterator[Change]:
    if old.seen != new.seen:
        yield Change("the caller", _who(old.seen), _who(new.seen), _APART)
    was = {p.name: p.type for p in old.each}
    now = {p.name: p.type for p in new.each}
    for name in {**was, **now}:
        if name not in was or name not in now:
            missing = "not given"
            yield Change(name, was.get(name, missing), now.get(name, missing), _SAME_NUMBER)
        else:
            yield from _differences(name, was[name], now[name])


def _differences(path: str, old: Any, new: Any) -> Iterator[Change]:
    if old == new:
        return
    if isinstance(old, Structure) and isinstance(new, Structure) and old._matches(new):
        for key, a, b in zip(old.keys, old.parts, new.parts, strict=True):
            yield from _differences(f"{path}[{key!r}]", a, b)
        return
    yield Change(path, old, new, remedy(old, new))


_APART = "strategies, and replicas that run one after the other, have traces of their own."


def _who(seen: Any) -> str:
    """Who calls a function, by what sets traces apart."""
    if seen is None:
        return "outside of strategies"
    strategy, replica = seen
    name = type(strategy).__name__
    return f"across the replicas of a {name}" if replica is None else f"a replica of a {name}"


_SAME_NUMBER = "pass the same arguments in every call."


def remedy(old: Any, new: Any) -> str:
    """What to do so that both types share a trace."""
    if isinstance(old, TensorSpec) and isinstance(new, TensorSpec):
        return _tensor_remedy(old, new)
    if isinstance(old, Literal) and isinstance(new, Literal):
        numbers = isinstance(old.value, int | float) and isinstance(new.value, int | float)
        if numbers:
            return "pass tf.constant(value), since every Python number has a trace of its own."
        return "Python values have a trace each; pass a tensor if only its value differs."
    if {type(old), type(new)} == {Literal, TensorSpec}:
        return "pass a tensor in every call, not a Python value in some."
    if isinstance(new, VariableType):
        return "pass variables of one shape and dtype that the function does not know anyway."
    if isinstance(new, Weakref):
        return (
            "pass the same object, or give its class __eq__ and __hash__, or __tf_tracing_type__."
        )
    if isinstance(old, Structure) or isinstance(new, Structure):
        return "keep the structure of the argument: the same containers, lengths and keys."
    if isinstance(old, TypeSpec) and isinstance(new, TypeSpec):
        return "give an input_signature with a type spec that includes both."
    return "pass arguments of the same kind in every call."


def _tensor_remedy(old: TensorSpec, new: TensorSpec) -> str:
    if old.dtype is not new.dtype:
        return f"cast it to one dtype before the call, tf.cast(x, tf.{old.dtype.name})."
    joint = TensorSpec(old.shape.most_specific_compatible_shape(new.shape), old.dtype)
    return f"use reduce_retracing=True, or input_signature with {joint!r}."


class Detector:
    """Counts calls and traces of one piece of Python code."""

    def __init__(self) -> None:
        self._calls: deque[int] = deque()  # for each trace, the calls from it to the next one
        self._count = 0
        self._warned = 0
        self._lock = threading.Lock()

    def called(self) -> None:
        """A call that found its trace."""
        if self._calls:
            self._calls[-1] += 1
            self._count += 1

    def traced(self, label: str, why: Callable[[], list[Change]]) -> None:
        """A call that had to be traced; warns if that happens often."""
        with self._lock:
            self._calls.append(1)
            self._count += 1
            while self._count - self._calls[0] > _HISTORY:
                self._count -= self._calls.popleft()
            if len(self._calls) < _OFTEN or self._warned >= _WARNINGS:
                return
            self._warned += 1
            text = f"{len(self._calls)} out of the last {self._count} calls to {label}"
        warning(f"{text} triggered tf.function retracing. {_advice(why())}")


def _advice(found: Sequence[Change]) -> str:
    """The reason for the last trace, in words."""
    if not found:
        return "Each was the first call of a new tf.function: make it once, outside the loop."
    return f"The last time, argument {'; '.join(map(str, found))} See fn.explain()."


_detectors: weakref.WeakKeyDictionary[Any, Detector] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def detector_for(function: Any) -> Detector:
    """The counter of a Python function: one for all functions made of the same code."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    key = getattr(getattr(function, "__func__", function), "__code__", None)
    if key is None:
        return Detector()
    with _lock:
        return _detectors.setdefault(key, Detector())
