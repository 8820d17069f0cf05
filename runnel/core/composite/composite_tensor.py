"""The base of values that are made of tensors, for classes of libraries built on this one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from runnel.core.composite.extension_type import BatchableExtensionTypeSpec, ExtensionType
from runnel.core.composite.ragged_spec import RaggedTensorSpec
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.row_partition import RowPartition
from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorSpec
from runnel.core.state.variable import Variable
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.values.none_spec import NoneTensorSpec
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import BatchableTypeSpec, TypeSpec


class CompositeTensor(ABC):
    """A value that its type spec takes apart into tensors, and puts together again.

    `tf.nest` expands it where it is asked to expand composites, and functions, loops and datasets
    take it. Our own composite values count as its subclasses.

    >>> isinstance(tf.ragged.constant([[1]]), tf.__internal__.CompositeTensor)
    True
    """

    @property
    @abstractmethod
    def _type_spec(self) -> TypeSpec:
        """The spec of this value."""

    def _shape_invariant_to_type_spec(self, shape: TensorShape) -> TypeSpec:
        """The type of a loop variable like this one whose shape invariant is `shape`."""
        return self._type_spec._varying(shape)

    def _convert_variables_to_tensors(self) -> Self:
        """The same value with tensors in place of the variables in it."""
        return self

    def _consumers(self) -> list[Any]:
        """The operations that take a part of it."""
        parts = self._type_spec._to_tensor_list(self)
        return list(dict.fromkeys(op for part in parts for op in part.consumers()))

    def __tf_tracing_type__(self, context: Any) -> TypeSpec:
        return self._type_spec


for _kind in (ExtensionType, IndexedSlices, RaggedTensor, RowPartition, SparseTensor, Variable):
    CompositeTensor.register(_kind)
    for _name in ("_convert_variables_to_tensors", "_consumers"):
        if _kind is not Variable and not hasattr(_kind, _name):
            setattr(_kind, _name, vars(CompositeTensor)[_name])
for _spec in (BatchableExtensionTypeSpec, NoneTensorSpec, RaggedTensorSpec, SparseTensorSpec):
    BatchableTypeSpec.register(_spec)
