"""Datasets that a Python generator makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from runnel.core.op import context
from runnel.core.tensor.convert import to_array
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values import dtypes, nest
from runnel.core.values.dtypes import string
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.type_spec import TensorSpec
from runnel.data.nodes.node import Node, Run, Stage, State, Values, located
from runnel.data.run.components import unpacked
from runnel.data.run.structure import Structure, boxed, raw
from runnel.ops.control.python_functions import call


class Generator(Node):
    """What the iterable that a function returns yields."""

    kind = "FlatMapDataset"
    portable = False

    def __init__(
        self,
        generator: Callable[..., Any],
        structure: Structure,
        args: Sequence[Any],
        *,
        lenient: bool = False,
    ) -> None:
        super().__init__((), structure)
        self.lenient = lenient  # cut off the fractions of Python numbers for integer components
        self.generator = generator
        self.args = tuple(args)
        self.label = getattr(generator, "__name__", "")

    def make(self, run: Run) -> Stage:
        return _Generated(self)


class _Generated(Stage):
    def __init__(self, node: Generator) -> None:
        self._node = node
        self._iterator: Iterator[Any] | None = None
        self._count = 0
        structure = node.structure
        self._spec = structure.spec
        self._readers = [_reader(leaf, node.lenient) for leaf in structure.leaves]
        self._single = isinstance(self._spec, TensorSpec)
        self._tuple = (
            type(self._spec) is tuple
            and structure.plain
            and all(isinstance(part, TensorSpec) for part in self._spec)
        )

    def _begin(self) -> Iterator[Any]:
        with context.building(None), context.unrecorded():
            args = [
                np.asarray(raw(a))[()] if isinstance(a, EagerTensor) else a for a in self._node.args
            ]
            self._iterator = call(lambda: iter(self._node.generator(*args)), (), "PyFunc")
        return self._iterator

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._count

    def __next__(self) -> Values:
        try:
            element = self._following()
        except StopIteration:
            raise
        except Exception as error:
            self._count += 1
            raise located(error, self._node, self._count - 1) from error
        try:
            values = self._read(element)
        except Exception as error:
            self._count += 1
            raise located(self._misfit(element, error), self._node, self._count - 1) from error
        self._count += 1
        return values

    def _following(self) -> Any:
        iterator = self._iterator or self._begin()
        found: list[Any] = []

        def step() -> None:
            for element in iterator:
                found.append(element)
                return

        call(step, (), "PyFunc")
        if not found:
            raise StopIteration
        return found[0]

    def _read(self, element: Any) -> Values:
        if self._single:
            return self._readers[0](element)  # type: ignore[no-any-return]
        if self._tuple and isinstance(element, tuple) and len(element) == len(self._readers):
            parts: Sequence[Any] = element
        elif isinstance(element, list) and isinstance(self._spec, tuple):
            raise TypeError("a list stands for a tensor; yield a tuple")
        else:
            parts = nest.flatten_up_to(self._spec, element, check_types=False)
        return [v for read, part in zip(self._readers, parts, strict=True) for v in read(part)]

    def _misfit(self, element: Any, error: Exception) -> Exception:
        return InvalidArgumentError(
            None,
            None,
            f"{type(error).__name__}: `generator` yielded an element that did not match the "
            f"expected structure {self._spec}: {error}",
        )

    def save(self) -> State:
        return self._count

    def restore(self, state: State) -> None:
        """A generator has no state to save: it runs again to where it was."""
        for _ in range(state):
            self._following()
        self._count = state


def _reader(spec: Any, lenient: bool) -> Callable[[Any], list[Any]]:
    """From what was yielded for one component to its values; a misfit raises."""
    if not isinstance(spec, TensorSpec):
        return lambda value: unpacked(spec, value)
    dtype, shape = spec.dtype.np_dtype, spec.shape
    dims = shape._dims
    if spec.dtype is string:
        return lambda value: [_fitting(_strings(value), spec)]
    kind = np.dtype(dtype).type
    numbers = _NUMBERS[:1] if spec.dtype.is_integer else _NUMBERS if spec.dtype.is_floating else ()

    def read(value: Any) -> list[Any]:
        if type(value) in numbers and dims == ():
            return [kind(value)]
        if isinstance(value, EagerTensor):
            array = np.asarray(raw(value))
        elif isinstance(value, np.ndarray | np.generic):
            array = np.array(value)  # a copy: the generator may use its array again
        elif spec.dtype is dtypes.bool:
            array = np.array(value, dtype)
        elif lenient and type(value) is float and spec.dtype.is_integer:
            array = np.array(value)
        else:
            array = to_array(value, spec.dtype)
        if array.dtype != dtype:
            array = array.astype(dtype)
        if array.shape != dims:
            _fitting(array, spec)
        return [array]

    return read


_NUMBERS = (int, float)


def _strings(value: Any) -> Any:
    if type(value) is bytes:
        return boxed(value)
    if isinstance(value, EagerTensor):
        return raw(value)
    return to_array(value, string)


def _fitting(array: Any, spec: TensorSpec) -> Any:
    dims = spec.shape._dims
    if dims is not None and (
        len(dims) != array.ndim or any(d is not None and d != s for d, s in zip(dims, array.shape))
    ):
        raise TypeError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape "
            f"{spec.shape} was expected."
        )
    return array
