"""What takes elements from datasets in graphs: iterators, reductions, a single element."""

from __future__ import annotations

from typing import Any

from runnel.core.op.registry import no_gradient
from runnel.core.state.resource import Resource
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.types import Namespace
from runnel.data.dataset.reducing import reduced
from runnel.data.graph.ops import IteratorResource, component_shapes
from runnel.graph.build.func_graph import FuncGraph
from .declaring import METADATA, TYPES, declared, elements, function, node_in


def _anonymous_iterator(xp: Namespace, **types: Any) -> Any:
    return IteratorResource()


def _iterator_with_deleter(xp: Namespace, **types: Any) -> Any:
    return IteratorResource(), Resource()


def _make_iterator(xp: Namespace, dataset: Any, iterator: IteratorResource) -> None:
    iterator.start(node_in("MakeIterator", dataset))


def _delete_iterator(xp: Namespace, handle: Any, deleter: Any) -> None:
    """Nothing to do: an iterator goes with its handle."""


declared("AnonymousIteratorV3", "-> handle: resource", _anonymous_iterator, TYPES, stateful=True)
declared(
    "AnonymousIteratorV2",
    "-> handle: resource, deleter: variant",
    _iterator_with_deleter,
    TYPES,
    stateful=True,
    shape=lambda **types: [(), ()],
)
declared("MakeIterator", "dataset: variant, iterator: resource ->", _make_iterator, stateful=True)
declared("DeleteIterator", "handle: resource, deleter: variant ->", _delete_iterator, stateful=True)


def _reduce(
    xp: Namespace,
    dataset: Any,
    state: list[Any],
    captured: list[Any],
    *,
    f: FuncGraph,
    Tstate: Any,
    output_types: Any,
    output_shapes: Any,
    **attrs: Any,
) -> Any:
    node = node_in("ReduceDataset", dataset)
    out = elements(output_types, output_shapes)
    step = function(f, captured, [out, node.structure], out)
    return [reduced(node, step, state)]


declared(
    "ReduceDataset",
    "input_dataset: variant, initial_state: *Tstate, other_arguments: *Targuments -> "
    "components: *output_types",
    _reduce,
    "f: FuncGraph, Tstate: tuple[DType, ...] = ()",
    TYPES,
    "use_inter_op_parallelism: bool = True",
    METADATA,
    effects="datasets",
    shape=component_shapes,
)
no_gradient("ReduceDataset")


def _single_element(xp: Namespace, dataset: Any, **types: Any) -> Any:
    iterator = IteratorResource(node_in("DatasetToSingleElement", dataset))
    values = iterator.advance()
    if values is None:
        raise InvalidArgumentError(None, None, "Dataset was empty. [Op:DatasetToSingleElement]")
    if iterator.advance() is not None:
        text = "Dataset had more than one element. [Op:DatasetToSingleElement]"
        raise InvalidArgumentError(None, None, text)
    return [values]


declared(
    "DatasetToSingleElement",
    "dataset: variant -> components: *output_types",
    _single_element,
    TYPES,
    METADATA,
    effects="datasets",
    shape=component_shapes,
)
