"""Graphs with datasets in them, and other ops of ours, as TensorFlow can run them.

Here a dataset is one operation, and a loop asks its iterator whether there is another element. In
TensorFlow every step of a dataset is an operation, and an element comes as an optional. So a
function that is saved is copied, with those operations in place of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from runnel.core.op import context
from runnel.core.op.op import execute
from runnel.core.op.raw import raw_ops
from runnel.core.state.resource import VariableResource
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import variant
from runnel.core.values.shape import TensorShape
from runnel.data.graph.dataset_ops.declaring import Writer, types_of
from runnel.data.graph.element_tensors import decode, encode, is_plain, tensor_specs
from runnel.data.graph.ops import OWN_OPS
from runnel.data.nodes.node import DatasetValue
from runnel.data.run.functions import UserFunction
from runnel.data.run.structure import Structure
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.inlining import inline
from runnel.graph.build.operation import Operation
from runnel.graph.control.loops import emit_loop, stack
from runnel.graph.control.subgraphs import match_captures, trace
from runnel.graph.graphdef.export import written_as
from runnel.graph.run.effects import graphs_in


@written_as
def tensorflow_form(graph: FuncGraph) -> FuncGraph:
    """The graph of a function as TensorFlow can run it: the same one if it has no datasets.

    A dataset that it captures is made in it. Its captures may be others, such as the variables
    that the functions of its datasets use.
    """
    if not _has_datasets(graph):
        return graph
    made = FuncGraph(graph.name)
    with context.building(made), context.unrecorded():
        given = [_placeholder(made, tensor) for tensor in graph.arguments]
        given += [_captured(made, outside) for outside in graph.external_captures]
        made.outputs = _copied(graph, graph.outputs, given, made)  # type: ignore[assignment]
    titles = {old._id: new._id for old, new in zip(graph.arguments, given)}
    made.titles = {titles.get(key, key): title for key, title in graph.titles.items()}
    return made


def _has_datasets(graph: FuncGraph) -> bool:
    if any(_is_dataset(tensor) for tensor in graph.external_captures):
        return True
    return any(
        operation.type in OWN_OPS
        or operation.type in _elsewhere
        or _is_composite(operation)
        or any(_has_datasets(inner) for inner in graphs_in(operation))
        for operation in graph.get_operations()
    )


def _is_dataset(tensor: Any) -> bool:
    return isinstance(tensor, EagerTensor) and isinstance(tensor._value, DatasetValue)


def _is_composite(operation: Operation) -> bool:
    """Whether an element that an operation gives or takes is laid out in another way there."""
    structure = operation.attrs.get("structure")
    return isinstance(structure, Structure) and not is_plain(structure)


def _placeholder(graph: FuncGraph, tensor: Any) -> Tensor:
    made = graph.add_input(tensor.dtype, tensor.shape._dims, tensor.op.name)
    made._handle_data = _of_one_value(tensor._handle_data)
    return made


def _of_one_value(held: Any) -> Any:
    """What a handle points to, of which a file has one value and not one for each replica."""
    if getattr(held, "replicas", None) != "rows":
        return held
    return VariableResource(held.dtype, held.static_shape[1:], held.name)


def _captured(graph: FuncGraph, outside: Tensor) -> Tensor:
    """What stands in the graph for a tensor that it captures."""
    if _is_dataset(outside):
        return Writer({}, _function).tensor(outside)
    made = graph._new_capture(outside)
    made._handle_data = _of_one_value(made._handle_data)
    return made


def _copied(
    graph: FuncGraph,
    outputs: Sequence[Any],
    given: Sequence[Tensor],
    into: FuncGraph,
    instead: Callable[[Operation, list[Tensor]], Any] | None = None,
) -> list[Tensor]:
    """What a graph computes, added to another in TensorFlow's form; `instead` is asked first."""

    def replaced(operation: Operation, inputs: list[Tensor]) -> Any:
        found = instead(operation, inputs) if instead is not None else None
        return _replaced(operation, inputs) if found is None else found

    found = inline(graph, graph.inputs, list(outputs), given, into, replaced)
    return [tensor if tensor.graph is into else into.capture(tensor) for tensor in found]  # type: ignore[attr-defined]


def _replaced(operation: Operation, inputs: list[Tensor]) -> list[Tensor] | None:
    """What is added for an operation, None if it stays as it is."""
    if operation.type in _REPLACED:
        return _REPLACED[operation.type](operation, inputs)
    if not any(_has_datasets(inner) for inner in graphs_in(operation)):
        return None
    if "While" in operation.type:
        return _loop(operation, inputs)
    return _branches(operation, inputs)


def _dataset(operation: Operation, inputs: list[Tensor]) -> list[Tensor]:
    known = dict(zip(operation.attrs["ids"], inputs, strict=True))
    return [Writer(known, _function).node(operation.attrs["node"])]


def _function(function: UserFunction) -> tuple[FuncGraph, list[Tensor]]:
    """The graph of a dataset's function, and what it captures."""
    old = function.graph
    made = FuncGraph(old.name)
    with context.building(made), context.unrecorded():
        given: list[Tensor] = []
        for structure in function.inputs:
            parts = [made.add_input(s.dtype, s.shape._dims) for s in tensor_specs(structure)]
            given += decode(structure, parts)
        given += [_placeholder(made, inside) for inside in old.internal_captures]
        flat = _copied(old, old.outputs, given, made)
        made.outputs = encode(function.output, flat)  # type: ignore[assignment]
    return made, [*function.captured, *made.external_captures]


def _iterator(operation: Operation, inputs: list[Tensor]) -> list[Tensor]:
    handle = raw_ops.AnonymousIteratorV3(**types_of(operation.attrs["structure"]))
    raw_ops.MakeIterator(inputs[0], handle)
    return [handle]


def _parts(operation: Operation, inputs: list[Tensor]) -> list[Tensor] | None:
    """The next element, or the value of an optional."""
    structure = operation.attrs["structure"]
    if structure is None:
        return None
    found = execute(operation.op, inputs, types_of(structure))
    return decode(structure, found)


def _next_as_optional(operation: Operation, inputs: list[Tensor]) -> list[Tensor] | None:
    structure = operation.attrs["structure"]
    if structure is None:
        return None
    return [raw_ops.IteratorGetNextAsOptional(inputs[0], **types_of(structure))]


def _optional(operation: Operation, inputs: list[Tensor]) -> list[Tensor] | None:
    structure = operation.attrs["structure"]
    return None if structure is None else [raw_ops.OptionalFromValue(encode(structure, inputs))]


_REPLACED: dict[str, Callable[[Operation, list[Tensor]], Any]] = {
    "MakeDataset": _dataset,
    "IteratorOver": _iterator,
    "IteratorGetNext": _parts,
    "OptionalGetValue": _parts,
    "IteratorGetNextAsOptional": _next_as_optional,
    "OptionalFromValue": _optional,
}


_elsewhere: set[str] = set()


def write_instead(kind: str, replace: Callable[[Operation, list[Tensor]], list[Tensor]]) -> None:
    """Have operations of a kind that TensorFlow has not replaced in graphs that are written."""
    _REPLACED[kind] = replace
    _elsewhere.add(kind)


def _branches(operation: Operation, inputs: list[Tensor]) -> list[Tensor]:
    """`If` or `Case` with branches that have become TensorFlow's."""
    if operation.attrs.get("saved"):
        raise NotImplementedError(
            f"{operation.name!r}, made at {operation.where}, has a gradient in this function and a "
            "dataset in a branch, which cannot be saved. Iterate over the dataset outside of it."
        )
    made = {id(graph): _part(graph, graph.outputs) for graph in graphs_in(operation)}
    captured = match_captures(list(made.values()))
    attrs = {key: _exchanged(value, made) for key, value in operation.attrs.items()}
    op = operation.op
    args, full = op.flatten((inputs[0], [*inputs[1:], *captured]), attrs)
    return list(execute(op, args, full))


def _exchanged(value: Any, made: Mapping[int, FuncGraph]) -> Any:
    if isinstance(value, tuple):
        return tuple(made.get(id(item), item) for item in value)
    return made.get(id(value), value)


def _part(graph: FuncGraph, outputs: Sequence[Any], ahead: _Ahead | None = None) -> FuncGraph:
    """A branch, or a part of a loop; its inputs are all that it had, and the element ahead."""
    made = FuncGraph(graph.name, outer=context.state.graph)
    with context.building(made):
        given = [_placeholder(made, tensor) for tensor in graph.inputs]
        instead = None
        if ahead is not None:
            instead = ahead.taking(made.add_input(variant, (), "optional"))
        made.outputs = _copied(graph, outputs, given, made, instead)  # type: ignore[assignment]
    return made


def _loop(operation: Operation, inputs: list[Tensor]) -> list[Tensor]:
    """`While` with parts that have become TensorFlow's."""
    cond, body = operation.attrs["cond"], operation.attrs["body"]
    stacks = operation.attrs.get("stacks")
    asked = [op for op in cond.get_operations() if op.type == "IteratorHasNext"]
    ahead = _Ahead(cond, body, asked[0]) if asked else None
    test = _part(cond, cond.outputs, ahead)
    step = _part(body, [*body.outputs, *(stacks or ())], ahead)
    count = len(inputs)
    values, stacked = step.outputs[:count], step.outputs[count:]
    start, step.outputs = inputs, values
    if ahead is not None:
        start = [*inputs, ahead.optional(inputs)]
        with context.building(step):
            step.outputs = [*values, ahead.optional(values)]  # type: ignore[list-item]
    limit, name = operation.attrs.get("limit", -1), operation.name.rsplit("/", 1)[-1]
    outputs: list[Any] = emit_loop(test, step, start, limit, name)
    if stacks is None:
        return outputs[:count]
    lists, times = stack(outputs[0].op, stacked)
    return [*outputs[:count], *lists, times]


class _Ahead:
    """The element that a loop over an iterator will take next, as a variable of the loop.

    It is an optional: without a value after the last element, and also if the loop ends for another
    reason, since nobody may take an element that is not used.
    """

    def __init__(self, cond: FuncGraph, body: FuncGraph, asked: Operation) -> None:
        self._cond, self._asked = cond, asked
        taken = next(op for op in body.get_operations() if op.type == "IteratorGetNext")
        self._taken, self._structure = taken, taken.attrs["structure"]

    def optional(self, values: Sequence[Tensor]) -> Tensor:
        """The next element if the loop will go on with these values of its variables."""
        graph = context.state.graph
        handle, going = _copied(self._cond, self._asked.inputs, values, graph, self._going)  # type: ignore
        if constant_value(self._asked.inputs[1]) is not None:  # there is no other reason
            return self._next(handle)
        some = trace(self._next, "next_element", [handle])
        none = trace(lambda _: raw_ops.OptionalNone(), "no_element", [handle])
        made: list[Tensor] = raw_ops.If(
            going,
            [handle],
            then_branch=some,
            else_branch=none,
            Tout=(variant,),
            output_shapes=(TensorShape([]),),
        )
        return made[0]

    def _next(self, handle: Tensor) -> Tensor:
        types = types_of(self._structure)
        return raw_ops.IteratorGetNextAsOptional(handle, **types)  # type: ignore[no-any-return]

    def _going(self, operation: Operation, inputs: list[Tensor]) -> list[Tensor] | None:
        return [inputs[1]] if operation is self._asked else None

    def taking(self, optional: Tensor) -> Callable[[Operation, list[Tensor]], Any]:
        """What stands in the loop for asking, and for taking an element."""

        def replaced(operation: Operation, inputs: list[Tensor]) -> list[Tensor] | None:
            if operation is self._asked:
                return [raw_ops.OptionalHasValue(optional)]
            if operation is self._taken:
                found = raw_ops.OptionalGetValue(optional, **types_of(self._structure))
                return decode(self._structure, found)
            return None

        return replaced
