"""Elements that fail or repeat: ignore_errors, unique, assert_cardinality."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.settings.logging import warning
from runnel.core.values import dtypes
from runnel.core.values.errors import FailedPreconditionError, InvalidArgumentError, OpError
from runnel.core.values.type_spec import TensorSpec
from .node import INFINITE, UNKNOWN, CountingStage, Node, Run, Stage, State, Values, number


class IgnoreErrors(Node):
    """The elements that could be made."""

    kind = "IgnoreErrorsDataset"

    def __init__(self, source: Node, log: bool) -> None:
        super().__init__([source], source.structure)
        self.log = log

    def make(self, run: Run) -> Stage:
        return _IgnoreErrors(run.build(self.input), self.log)


class _IgnoreErrors(Stage):
    def __init__(self, source: Any, log: bool) -> None:
        self._source, self._log = source, log

    def __next__(self) -> Values:
        while True:
            try:
                values: Values = next(self._source)
                self.made += 1
                return values
            except OpError as error:
                if self._log:
                    warning(f"Error raised with error message: {error.message}")

    def save(self) -> State:
        return self._source.save()

    def restore(self, state: State) -> None:
        self._source.restore(state)


_COMPARED = (dtypes.int32, dtypes.int64, dtypes.string)


class Unique(Node):
    """Each value once, when it is met first."""

    kind = "UniqueDataset"

    def __init__(self, source: Node) -> None:
        super().__init__([source], source.structure)
        spec = source.structure.spec
        names = ", ".join(dtype.name for dtype in _COMPARED)
        message = f"Dataset.unique: elements must be tensors of {names}, got {spec}."
        if any(getattr(leaf, "dtype", None) not in _COMPARED for leaf in source.structure.leaves):
            raise TypeError(message)
        if not isinstance(spec, TensorSpec):
            raise InvalidArgumentError(None, None, message)

    def make(self, run: Run) -> Stage:
        return _Unique(run.build(self.input))


class _Unique(Stage):
    def __init__(self, source: Any) -> None:
        self._source = source
        self._seen: set[Any] = set()

    def __next__(self) -> Values:
        while True:
            values: Values = next(self._source)
            array = np.asarray(values[0])
            key = tuple(array.ravel().tolist()) if array.dtype == object else array.tobytes()
            if key not in self._seen:
                self._seen.add(key)
                self.made += 1
                return values

    def save(self) -> State:
        return [[list(k) if isinstance(k, tuple) else k for k in self._seen], self._source.save()]

    def restore(self, state: State) -> None:
        seen, source = state
        self._seen = {tuple(key) if isinstance(key, list) else key for key in seen}
        self._source.restore(source)


class AssertCardinality(Node):
    """A dataset that is said to have so many elements, and fails if it has not."""

    kind = "AssertCardinalityDataset"

    def __init__(self, source: Node, count: Any) -> None:
        super().__init__([source], source.structure)
        self.count = count

    def make(self, run: Run) -> Stage:
        return _AssertCardinality(run.build(self.input), number(self.count))

    def cardinality(self) -> int:
        return number(self.count)


class _AssertCardinality(CountingStage):
    def __init__(self, source: Any, expected: int) -> None:
        self._source, self._expected = source, expected
        self._count = 0

    def __next__(self) -> Values:
        try:
            values: Values = next(self._source)
        except StopIteration:
            if self._expected in (UNKNOWN, self._count):
                raise
            raise self._wrong(str(self._count)) from None
        self._count += 1
        if 0 <= self._expected < self._count:
            raise self._wrong(f"at least {self._count}")
        return values

    def _wrong(self, got: str) -> FailedPreconditionError:
        want = "an infinite number of" if self._expected == INFINITE else str(self._expected)
        message = f"Input dataset was expected to contain {want} elements but contained {got}."
        return FailedPreconditionError(None, None, message)
