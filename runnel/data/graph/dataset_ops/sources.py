"""Datasets of tensors and of numbers, as TensorFlow's ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import emit
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import int64, string, variant
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec
from runnel.data.dataset.spec import FromVariant
from runnel.data.graph.dataset_ops.declaring import (
    METADATA,
    TYPES,
    Writer,
    dataset_op,
    eager_tensors,
    elements,
    types_of,
    written,
)
from runnel.data.graph.element_tensors import encode, tensor_specs
from runnel.data.nodes.node import Node
from runnel.data.nodes.random_numbers import RandomNumbers
from runnel.data.nodes.sources import (
    Counter,
    Empty,
    FromList,
    FromSlices,
    FromTensors,
    FromValues,
    Range,
)
from runnel.data.run.structure import Structure
from runnel.graph.control.subgraphs import trace

_COMPONENTS = "components: *Toutput_types"
_KINDS = "Toutput_types: tuple[DType, ...] = ()"
_SHAPES = "output_shapes: tuple[TensorShape, ...]"


@written(FromVariant)
def _write_variant(node: FromVariant, to: Writer) -> Tensor:
    return to.tensor(node.tensor)


@dataset_op("TensorDataset", _COMPONENTS, _KINDS, _SHAPES, METADATA, stateful=True)
def _tensor_dataset(components: list[Any], *, Toutput_types: Any, **attrs: Any) -> Node:
    tensors = eager_tensors(components, Toutput_types)
    return FromTensors(_structure(tensors), tensors)


@written(FromTensors)
def _write_tensors(node: FromTensors, to: Writer) -> Any:
    made = encode(node.structure, to.tensors(node.tensors))
    return raw_ops.TensorDataset(made, output_shapes=_shapes(node.structure))


@dataset_op(
    "TensorSliceDataset",
    _COMPONENTS,
    _KINDS,
    _SHAPES,
    "is_files: bool = False",
    METADATA,
    "replicate_on_split: bool = False",
    stateful=True,
)
def _tensor_slice_dataset(components: list[Any], *, Toutput_types: Any, **attrs: Any) -> Node:
    tensors = eager_tensors(components, Toutput_types)
    return FromSlices(_structure(tensors), tensors)


@written(FromSlices)
def _write_slices(node: FromSlices, to: Writer) -> Any:
    made = encode(node.whole, to.tensors(node.tensors), rows=True)
    return raw_ops.TensorSliceDataset(made, output_shapes=_shapes(node.structure))


def _structure(tensors: Sequence[EagerTensor]) -> Structure:
    return elements([t.dtype for t in tensors], [t.shape for t in tensors])


def _shapes(structure: Structure) -> tuple[Any, ...]:
    return tuple(spec.shape for spec in tensor_specs(structure))


@dataset_op(
    "ListDataset",
    "tensors: *Tinput_types",
    "Tinput_types: tuple[DType, ...] = ()",
    TYPES,
    METADATA,
    stateful=True,
)
def _list_dataset(
    tensors: list[Any], *, Tinput_types: Any, output_types: Any, out: Structure, **attrs: Any
) -> Node:
    found, width = eager_tensors(tensors, Tinput_types), len(output_types)
    rows = [found[place : place + width] for place in range(0, len(found), width)]
    return FromList(out, rows)


@written(FromList)
def _write_list(node: FromList, to: Writer) -> Any:
    rows = [encode(node.structure, to.tensors(element)) for element in node.elements]
    if not rows:
        return _nothing(node.structure)
    return raw_ops.ListDataset([t for row in rows for t in row], **to.types(node))


@written(FromValues)
def _write_values(node: FromValues, to: Writer) -> Any:
    kinds = node.structure.dtypes
    rows = [eager_tensors(element, kinds) for element in node.elements]
    return _write_list(FromList(node.structure, rows), to)


@written(Empty)
def _write_empty(node: Empty, to: Writer) -> Any:
    return _nothing(node.structure)


def _nothing(structure: Structure) -> Any:
    """No elements: the rows of tensors that have none."""
    specs = tensor_specs(structure)
    if any(spec.dtype is variant for spec in specs):
        raise NotImplementedError(
            f"An empty dataset with elements of type {structure.spec} cannot be saved in a "
            "function."
        )
    return raw_ops.TensorSliceDataset(
        [_no_rows(spec) for spec in specs], output_shapes=_shapes(structure)
    )


def _no_rows(spec: TensorSpec) -> Tensor:
    dims = [0, *[d or 0 for d in spec.shape._dims or ()]]
    kind = object if spec.dtype is string else spec.dtype.np_dtype
    return emit(np.zeros(dims, kind), None, spec.dtype)


@dataset_op(
    "RangeDataset",
    "start: int64, stop: int64, step: int64",
    TYPES,
    METADATA,
    "replicate_on_split: bool = False",
    stateful=True,
)
def _range_dataset(start: Any, stop: Any, step: Any, *, output_types: Any, **attrs: Any) -> Node:
    return Range(int(start), int(stop), int(step), output_types[0])


@written(Range)
def _write_range(node: Range, to: Writer) -> Any:
    ends = [to.int64(n) for n in (node.start, node.stop, node.step)]
    return raw_ops.RangeDataset(*ends, **to.types(node))


@written(Counter)
def _write_counter(node: Counter, to: Writer) -> Any:
    """As TensorFlow counts: a state that grows with every element of an endless dataset."""
    start, step = to.tensors([node.start, node.step])
    zero = emit(np.array(0, np.int64))
    one = raw_ops.TensorDataset([zero], output_shapes=(TensorShape([]),))
    kinds = types_of(Structure(TensorSpec([], int64)))
    endless = raw_ops.RepeatDataset(one, emit(np.array(-1, np.int64)), **kinds)
    graph = trace(lambda count, _, by: (count + by, count), "counter", [start, zero, step])
    return raw_ops.ScanDataset(
        endless, [start], [step], f=graph, preserve_cardinality=True, **to.types(node)
    )


@dataset_op(
    "RandomDatasetV2",
    "seed: int64, seed2: int64, seed_generator: resource",
    "rerandomize_each_iteration: bool = False",
    TYPES,
    METADATA,
    stateful=True,
)
def _random_dataset_with_generator(
    seed: Any, seed2: Any, generator: Any, *, rerandomize_each_iteration: bool, **attrs: Any
) -> Node:
    made = RandomNumbers((int(seed), int(seed2)), rerandomize_each_iteration)
    made.seeds = getattr(generator, "seeds", made.seeds)
    return made


@dataset_op("RandomDataset", "seed: int64, seed2: int64", TYPES, METADATA, stateful=True)
def _random_dataset(seed: Any, seed2: Any, **attrs: Any) -> Node:
    return RandomNumbers((int(seed), int(seed2)), False)


@written(RandomNumbers)
def _write_random(node: RandomNumbers, to: Writer) -> Any:
    return raw_ops.RandomDatasetV2(
        *[to.int64(seed) for seed in node.pair],
        raw_ops.DummySeedGenerator(),
        rerandomize_each_iteration=node.anew,
        **to.types(node),
    )
