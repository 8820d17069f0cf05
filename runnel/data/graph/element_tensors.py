"""The tensors of an element as TensorFlow's datasets pass them on.

Here a ragged or sparse component is several tensors; there it is one, of dtype `variant`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.composite.ragged_spec import RaggedTensorSpec
from runnel.core.composite.sparse_tensor import SparseTensorSpec
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import variant
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.data.run.structure import Structure


def tensor_specs(structure: Structure) -> list[TensorSpec]:
    """The types of TensorFlow's tensors for an element."""
    return [spec for leaf in structure.leaves for spec in _specs(leaf)]


def _specs(leaf: TypeSpec) -> list[TensorSpec]:
    return [TensorSpec(None, variant)] if _is_one(leaf) else list(leaf.flatten())


def _is_one(leaf: TypeSpec) -> bool:
    return isinstance(leaf, RaggedTensorSpec | SparseTensorSpec)


def is_plain(structure: Structure) -> bool:
    """Whether elements are the same tensors here and there."""
    return not any(_is_one(leaf) for leaf in structure.leaves)


def encode(structure: Structure, tensors: Sequence[Tensor], *, rows: bool = False) -> list[Tensor]:
    """TensorFlow's tensors for an element's; with `rows`, one for each row of a component."""
    found: list[Tensor] = []
    for leaf, group in zip(structure.leaves, structure.groups(tensors), strict=True):
        if isinstance(leaf, RaggedTensorSpec):
            values, *splits = group
            found.append(raw_ops.RaggedTensorToVariant(splits, values, batched_input=rows))
        elif isinstance(leaf, SparseTensorSpec):
            write = raw_ops.SerializeManySparse if rows else raw_ops.SerializeSparse
            found.append(write(*group, out_type=variant))
        else:
            found += group
    return found


def decode(structure: Structure, tensors: Sequence[Tensor]) -> list[Tensor]:
    """An element's tensors of TensorFlow's."""
    rest = iter(tensors)
    found: list[Tensor] = []
    for leaf, width in zip(structure.leaves, structure.widths, strict=True):
        if _is_one(leaf):
            found += _decoded(leaf, next(rest))
        else:
            found += [next(rest) for _ in range(width)]
    return found


def _decoded(leaf: Any, encoded: Tensor) -> list[Tensor]:
    if isinstance(leaf, SparseTensorSpec):
        parts = list(raw_ops.DeserializeSparse(encoded, dtype=leaf.dtype))
    else:
        *splits, values = raw_ops.RaggedTensorFromVariant(
            encoded,
            input_ragged_rank=-1,
            output_ragged_rank=leaf.ragged_rank,
            Tvalues=leaf.dtype,
            Tsplits=leaf.row_splits_dtype,
        )
        parts = [values, *splits]
    for part, spec in zip(parts, leaf.flatten(), strict=True):
        part.set_shape(spec.shape)
    return parts
