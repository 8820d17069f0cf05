"""Iterators: `tf.data.Iterator`, its spec, and the iterator over NumPy values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from runnel.autograph.loops import while_stmt
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.op import placing
from runnel.core.op.context import state, unwatched
from runnel.core.op.raw import raw_ops
from runnel.core.state.trackable import Trackable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import resource, string
from runnel.core.values.errors import OutOfRangeError
from runnel.core.values.tracebacks import trim
from runnel.core.values.type_spec import TensorSpec, TypeSpec, register
from runnel.data.dataset.base import checked
from runnel.data.dataset.optional import Optional
from runnel.data.graph import ops
from runnel.data.nodes.node import Node
from runnel.data.run.states import decode, encode
from runnel.data.run.structure import Structure
from runnel.ops.control.python_functions import py_function

_MOST_TRACED = 1000  # elements that Python code may ask for while a graph is being built


class Iterator(ABC):
    """An iterator over a dataset, made by `iter(dataset)`.

    >>> iterator = iter(tf.data.Dataset.range(2))
    >>> next(iterator).numpy(), iterator.get_next().numpy()
    (np.int64(0), np.int64(1))
    """

    @property
    @abstractmethod
    def element_spec(self) -> Any:
        """The type of the elements."""

    @abstractmethod
    def get_next(self) -> Any:
        """The next element; `tf.errors.OutOfRangeError` after the last."""

    @abstractmethod
    def get_next_as_optional(self) -> Optional:
        """The next element as an optional, which has no value after the last."""

    def __iter__(self) -> Any:
        return self

    @abstractmethod
    def __next__(self) -> Any: ...


class OwnedIterator(Iterator, Trackable):
    """The iterator of a dataset, in eager mode or in a graph."""

    def __init__(
        self, structure: Structure, handle: Tensor, held: ops.IteratorResource | None = None
    ) -> None:
        self._structure = structure
        self._handle = handle
        self._held = held
        self._traced = 0

    @classmethod
    def over(cls, node: Node, variant: Callable[[], Tensor]) -> OwnedIterator:
        """A new iterator over a dataset."""
        if state.graph is None:
            held = ops.IteratorResource(node)
            return cls(node.structure, EagerTensor(held, resource), held)
        return cls(node.structure, ops.iterator_over(variant(), node.structure))

    @property
    def element_spec(self) -> Any:
        return self._structure.spec

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)

    @property
    def _iterator_resource(self) -> Tensor:
        return self._handle

    def _resource(self) -> ops.IteratorResource:
        if self._held is None:
            if not isinstance(self._handle, EagerTensor):
                raise ValueError("An iterator of a graph has no state while that is traced.")
            self._held = self._handle._value
        return self._held  # type: ignore[return-value]

    def __next__(self) -> Any:
        try:
            if state.graph is not None:
                self._traced += 1
                if self._traced > _MOST_TRACED:
                    raise ValueError(
                        "A dataset is iterated over in a graph by Python's own `for`, which would "
                        "never end. Let AutoGraph convert the function (its source must be "
                        "available), or use Dataset.reduce."
                    )
                return self.get_next()
            held = self._held or self._resource()
            if state.tapes:
                held = _Unrecorded(held)  # type: ignore[assignment]
            if state.watcher is not None:
                return self._structure.pack(_shown(held))
            element = self._structure.pack(held.next())
            return element if state.device is None else placing.brought_here(element)
        except StopIteration:
            raise
        except Exception as error:
            trim(error)
            raise

    next = __next__

    def get_next(self) -> Any:
        if state.graph is not None:
            return self._structure.pack_tensors(ops.get_next(self._handle, self._structure))
        try:
            return self.__next__()
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext]") from None

    def get_next_as_optional(self) -> Optional:
        return Optional(ops.next_as_optional(self._handle, self._structure), self._structure)

    def _autograph_for(
        self,
        test: Callable[[], Any] | None,
        body: Callable[[Any], None],
        get: Callable[[], Any],
        put: Callable[[Any], None],
        names: Sequence[str],
        relaxes: bool = False,
    ) -> None:
        """`for` over the iterator as a loop of the graph; variables may change shape if asked."""

        def more() -> Tensor:
            going = convert_to_tensor(True) if test is None else convert_to_tensor(test())
            return raw_ops.Identity(ops.has_next.apply([self._handle, going], {}))

        def step() -> None:
            body(self.get_next())

        while_stmt(more, step, get, put, names, begins=False, relaxes=relaxes)

    def _save(self) -> bytes:
        return encode(self._resource().save())

    def _restore(self, saved: bytes) -> None:
        self._resource().restore(decode(saved))

    def _serialize_to_tensors(self) -> dict[str, Tensor]:
        """The state as `tf.train.Checkpoint` stores it; in a graph, that of when it runs."""
        if state.graph is not None:
            return {"ITERATOR_STATE": py_function(self._save, [], string)}
        return {"ITERATOR_STATE": convert_to_tensor(self._save(), dtype=string)}

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> None:
        self._restore(restored_tensors["ITERATOR_STATE"].numpy())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec}>"


def _shown(held: Any) -> Any:
    """The next values, which somebody looks at, though not at what makes them."""
    with unwatched():
        values = held.next()
    assert state.watcher is not None
    state.watcher.given("IteratorGetNext", values)
    return values


class _Unrecorded:
    """Takes elements while a tape is active: what happens in the pipeline is not for it."""

    def __init__(self, held: ops.IteratorResource) -> None:
        self._held = held

    def next(self) -> Any:
        values = self._held.advance()
        if values is None:
            raise StopIteration
        return values


@register("tf.IteratorSpec")
class IteratorSpec(TypeSpec):
    """The type of an iterator over elements of a type.

    >>> spec = tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))
    >>> @tf.function(input_signature=[spec])
    ... def second(iterator):
    ...     next(iterator)
    ...     return next(iterator)
    >>> second(iter(tf.data.Dataset.range(3))).numpy()
    np.int64(1)
    """

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        return self._element_spec

    @property
    def value_type(self) -> Any:
        return OwnedIterator

    @classmethod
    def from_value(cls, value: Any) -> IteratorSpec:
        """The spec of an iterator."""
        return cls(value.element_spec)

    def cast(self, value: Any, cast_context: Any) -> Any:
        """`value` as an iterator of this type; TypeError if it is none."""
        return super().cast(value, cast_context)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> Any:
        return TensorSpec([], resource)

    def _to_components(self, value: Any) -> Any:
        return value._handle

    def _from_components(self, components: Any) -> Any:
        return OwnedIterator(Structure(self._element_spec), components)


class NumpyIterator:
    """An iterator over a dataset whose elements are NumPy arrays, made by `as_numpy_iterator`."""

    def __init__(self, dataset: Any) -> None:
        self._iterator = iter(checked(dataset, "NumpyIterator"))
        self._simple = self._iterator._structure.single

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        if self._simple:
            held = self._iterator._held
            if state.graph is None and held is not None:
                return _array(held.next()[0])
        return nest.map_structure(_as_numpy, next(self._iterator))

    def next(self) -> Any:
        return self.__next__()

    def save(self) -> bytes:
        """The place in the dataset, for `restore`."""
        return self._iterator._save()  # type: ignore[no-any-return]

    def restore(self, state: bytes) -> None:
        """Go to the place where `save` was called."""
        self._iterator._restore(state)


def _as_numpy(leaf: Any) -> Any:
    if isinstance(leaf, EagerTensor):
        return _array(leaf._value)
    if isinstance(leaf, SparseTensor):
        parts = raw_ops.SparseToDense(leaf.indices, leaf.dense_shape, leaf.values, _zero(leaf))
        return _array(parts._value)
    if isinstance(leaf, RaggedTensor):
        return leaf.numpy()
    return leaf


def _zero(sparse: SparseTensor) -> Any:
    return np.zeros((), sparse.dtype.np_dtype) if sparse.dtype is not string else ""


def _array(value: Any) -> Any:
    """A value for users, who cannot write into it."""
    if not isinstance(value, np.ndarray):
        return value
    if value.ndim == 0:
        return value[()]
    if value.flags.writeable:
        value = value.view()
        value.flags.writeable = False
    return value
