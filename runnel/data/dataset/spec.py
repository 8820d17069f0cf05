"""Datasets as values: the spec of a dataset, and the variant tensor that holds one in a graph."""

from __future__ import annotations

from typing import Any

from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import variant
from runnel.core.values.type_spec import TensorSpec, TypeSpec, register
from runnel.data.dataset.base import made, node_of, plain_class
from runnel.data.graph.layouts import decoded
from runnel.data.nodes.node import UNKNOWN, Node, Run, Stage
from runnel.data.run.structure import Structure


class FromVariant(Node):
    """The dataset that a symbolic variant tensor will hold."""

    kind = "VariantDataset"

    def __init__(self, tensor: Tensor, structure: Structure) -> None:
        super().__init__((), structure)
        self.tensor = tensor

    def make(self, run: Run) -> Stage:
        return run.build(node_of(self.tensor))  # type: ignore[no-any-return]

    def cardinality(self) -> int:
        return node_of(self.tensor).cardinality() if hasattr(self.tensor, "_value") else UNKNOWN


def from_variant(variant: Tensor, structure: Any) -> Any:
    """The dataset in a variant tensor, whose elements have the type `structure`.

    >>> dataset = tf.data.Dataset.range(2)
    >>> variant = tf.data.experimental.to_variant(dataset)
    >>> [int(x) for x in tf.data.experimental.from_variant(variant, dataset.element_spec)]
    [0, 1]
    """
    if not isinstance(variant, EagerTensor):
        return made(FromVariant(variant, Structure(structure)))
    dataset = made(decoded(node_of(variant), structure))
    dataset._shown = "_VariantDataset"  # whatever makes its elements
    return dataset


def to_variant(dataset: Any) -> Tensor:
    """The variant tensor that stands for a dataset in graphs."""
    return dataset._variant_tensor


class NestedVariant:
    """Several datasets as one value: a batch of them."""

    def __init__(self, variant_tensor: Tensor, element_spec: Any, dataset_shape: Any) -> None:
        self._variant_tensor = variant_tensor
        self._element_spec, self._dataset_shape = element_spec, dataset_shape

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self._element_spec, self._dataset_shape)


@register("tf.DatasetSpec")
class DatasetSpec(TypeSpec):
    """The type of a dataset, for elements that are datasets and arguments of functions.

    >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorSpec(dataset_shape, variant).shape

    @property
    def element_spec(self) -> Any:
        """The type of the dataset's elements."""
        return self._element_spec

    @property
    def _structure(self) -> Structure:
        return Structure(self._element_spec)

    @property
    def value_type(self) -> Any:
        return plain_class()

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """The spec of a dataset."""
        return cls(value.element_spec)

    def cast(self, value: Any, cast_context: Any) -> Any:
        """`value` as a dataset of this type; TypeError if it is none."""
        return super().cast(value, cast_context)

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._dataset_shape

    @property
    def _component_specs(self) -> Any:
        return TensorSpec(self._dataset_shape, variant)

    def _to_components(self, value: Any) -> Any:
        return value._variant_tensor

    def _from_components(self, components: Any) -> Any:
        if self._dataset_shape.rank:
            return NestedVariant(components, self._element_spec, self._dataset_shape)
        return from_variant(components, self._element_spec)

    def _batch(self, batch_size: int | None) -> DatasetSpec:
        shape = TensorSpec([batch_size], variant).shape.concatenate(self._dataset_shape)
        return DatasetSpec(self._element_spec, shape)

    def _unbatch(self) -> DatasetSpec:
        if self._dataset_shape.rank == 0:
            raise ValueError("A dataset has no rows that could be sliced.")
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])
