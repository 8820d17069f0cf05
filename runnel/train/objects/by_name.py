"""Restoring checkpoints without a graph of objects, as TensorFlow 1 wrote them: by names."""

from __future__ import annotations

from typing import Any

from runnel.core.op import context
from runnel.core.state.trackable import Trackable
from runnel.core.state.variable import Variable
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values.errors import InvalidArgumentError
from runnel.train.files.bundle import BundleReader
from runnel.train.objects.object_graph import ObjectGraph
from runnel.train.objects.status import RestoreReport


class NameBasedSaverStatus:
    """The status of restoring a checkpoint by the names of variables."""

    def __init__(self, reader: BundleReader, root: Trackable) -> None:
        graph = ObjectGraph(root)
        pairs = [(p, v) for p, v in zip(graph.paths, graph.objects) if isinstance(v, Variable)]
        self._prefix = reader.prefix
        self._used: set[str] = set()
        self._matched: list[str] = []
        self._missing: list[str] = []
        self._names = set(reader.names())
        with context.building(None), context.unrecorded(), reader:
            found = [(path, v) for path, v in pairs if v._shared_name in self._names]
            for path, variable in found:
                _check(reader, path, variable)
            for path, variable in found:
                self._restore(reader, path, variable)
        matched = set(self._matched)
        self._missing = [path for path, _ in pairs if path not in matched]

    def _restore(self, reader: BundleReader, path: str, variable: Variable) -> None:
        name = variable._shared_name
        array = reader.read(name)
        array.flags.writeable = False
        variable.assign(EagerTensor(array, reader.dtype(name)))
        self._used.add(name)
        self._matched.append(path)

    def report(self) -> RestoreReport:
        unused = sorted(self._names - self._used)
        return RestoreReport(self._prefix, sorted(self._matched), unused, self._missing, [])

    def _complain(self, what: str) -> AssertionError:
        return AssertionError(f"{what}\n{self.report()}")

    def assert_consumed(self) -> NameBasedSaverStatus:
        if self._names - self._used:
            raise self._complain(f"{self._prefix} has values for no variable of the program.")
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> NameBasedSaverStatus:
        if self._missing:
            raise self._complain(f"Variables without a value of their name in {self._prefix}.")
        return self

    def assert_nontrivial_match(self) -> NameBasedSaverStatus:
        if not self._used:
            raise self._complain(f"No variable has a name that is in {self._prefix}.")
        return self

    def expect_partial(self) -> NameBasedSaverStatus:
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Nothing is left to do: the values were restored at once."""

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing is left to do: the values were restored at once."""


def _check(reader: BundleReader, path: str, variable: Variable) -> None:
    name = variable._shared_name
    dtype, shape = reader.dtype(name), reader.shape(name)
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Received incompatible tensor with shape {shape} when attempting to restore {path!r} "
            f"(the variable {name!r}) of shape {variable.shape} from {reader.prefix}."
        )
    if dtype is not variable.dtype:
        text = f"{name!r} in {reader.prefix} is {dtype.name}, {path!r} is {variable.dtype.name}."
        raise InvalidArgumentError(None, None, text)
