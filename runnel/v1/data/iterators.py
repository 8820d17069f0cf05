"""Iterators of graphs: an operation gives the next element; another one begins again."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.data.graph.dataset_ops.handles import iterator_once
from runnel.data.graph.ops import get_next, next_as_optional
from runnel.data.run.structure import Structure
from runnel.v1.data.types import classes_of, shapes_of, spec_of, types_of


class Iterator:
    """Gives the elements of a dataset, one each time that its operation is run."""

    def __init__(
        self,
        iterator_resource: Any,
        initializer: Any,
        output_types: Any,
        output_shapes: Any,
        output_classes: Any,
    ) -> None:
        self._resource, self._initializer = iterator_resource, initializer
        self._structure = Structure(spec_of(output_types, output_shapes, output_classes))
        self._calls = 0

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """An iterator without a dataset, for any dataset with such elements."""
        made = Iterator(None, None, output_types, output_shapes, output_classes)
        made._resource = _handle(made._structure, shared_name)
        return made

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """The iterator that a string names, which may be fed."""
        made = Iterator(None, None, output_types, output_shapes, output_classes)
        text = tf.convert_to_tensor(string_handle, tf.string)
        made._resource = raw_ops.IteratorFromStringHandleV2(text, **_attrs(made._structure))
        return made

    @property
    def initializer(self) -> Any:
        """The operation that begins from the first element."""
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely created using "
                "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
                "`tf.data.Dataset.make_initializable_iterator()` instead."
            )
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Any:
        """An operation that lets the iterator begin with a dataset."""
        with tf.name_scope(name or "make_initializer"):
            theirs = Structure(dataset.element_spec)
            for ours, given in zip(self._structure.flat, theirs.flat, strict=False):
                if ours.dtype != given.dtype:
                    raise TypeError(
                        f"Expected output types {self.output_types!r} but got dataset with output "
                        f"types {types_of(dataset)!r}."
                    )
                if not given.shape.is_compatible_with(ours.shape) or _wider(
                    given.shape, ours.shape
                ):
                    raise TypeError(
                        f"Expected shapes compatible with {ours.shape} but got {given.shape}."
                    )
            return raw_ops.MakeIterator(dataset._variant_tensor, self._resource)

    def get_next(self, name: str | None = None) -> Any:
        """The next element, as tensors."""
        self._calls += 1
        with tf.name_scope(name or "IteratorGetNext"):
            found = get_next(self._resource, self._structure)
        return self._structure.pack_tensors(found)

    def get_next_as_optional(self) -> Any:
        """The next element, or nothing at the end."""
        return tf.data.experimental.Optional(
            next_as_optional(self._resource, self._structure), self._structure
        )

    def string_handle(self, name: str | None = None) -> Any:
        """A string that names the iterator, to be fed to `from_string_handle`."""
        return raw_ops.IteratorToStringHandle(self._resource, name=name)

    @property
    def element_spec(self) -> Any:
        """The type of the elements."""
        return self._structure.spec

    output_types = property(lambda self: types_of(self))
    output_shapes = property(lambda self: shapes_of(self))
    output_classes = property(lambda self: classes_of(self))


def _wider(given: Any, ours: Any) -> bool:
    """Whether a shape leaves open what another says."""
    if ours.rank is None:
        return False
    if given.rank is None:
        return True
    return any(a is None and b is not None for a, b in zip(given, ours, strict=True))


def _attrs(structure: Structure) -> dict[str, Any]:
    return {
        "output_types": tuple(structure.dtypes),
        "output_shapes": tuple(spec.shape for spec in structure.flat),
    }


def _handle(structure: Structure, shared_name: str | None) -> Any:
    return raw_ops.IteratorV2(
        shared_name=shared_name or "", container="", **_attrs(structure), name="Iterator"
    )


def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Iterator:
    """An iterator that begins when its `initializer` is run.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     dataset = tf.compat.v1.data.Dataset.range(3)
    ...     iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
    ...     element = iterator.get_next()
    ...     session.run(iterator.initializer)
    ...     [int(session.run(element)) for _ in range(3)]
    [0, 1, 2]
    """
    if state.graph is None:
        raise RuntimeError(
            "make_initializable_iterator() is not supported in eager mode. Use Python-style "
            "iteration instead."
        )
    made = Iterator.from_structure(dataset.element_spec, shared_name=shared_name)
    made._initializer = raw_ops.MakeIterator(dataset._variant_tensor, made._resource)
    return made


def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator that needs no initializer, and goes through the dataset once."""
    if state.graph is None:
        return iter(dataset)
    made = Iterator(None, None, dataset.element_spec, None, None)
    variant = dataset._variant_tensor
    attrs = {"shared_name": "", "container": ""}
    made._resource = iterator_once.apply([variant], attrs, name="OneShotIterator")
    return made
