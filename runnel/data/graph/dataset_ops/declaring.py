"""How an op that makes a dataset is declared: what it reads, and what is written as it.

    @dataset_op("TakeDataset", "input_dataset: variant, count: int64", TYPES, METADATA)
    def _take(source, count, **types):
        return Take(source, count)

    @written(Take)
    def _write_take(node, to):
        return raw_ops.TakeDataset(to.node(node.input), to.int64(node.count), **to.types(node))

The first makes a node of the op's values when a graph runs; the second adds the op for a node to
the graph being built.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from runnel.core.op.op import Op, op
from runnel.core.op.raw import raw_ops
from runnel.core.protos import messages
from runnel.core.tensor.convert import convert_to_tensor, emit
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import DType, int64, string
from runnel.core.values.dtypes import bool as boolean
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.type_spec import TensorSpec
from runnel.core.values.types import Namespace
from runnel.data.dataset.spec import DatasetSpec
from runnel.data.graph.element_tensors import tensor_specs
from runnel.data.graph.layouts import encoded
from runnel.data.nodes.node import DatasetValue, Node
from runnel.data.run.functions import UserFunction
from runnel.data.run.structure import Structure
from runnel.graph.build.func_graph import FuncGraph
from runnel.ops.shapes import scalar

TYPES = "output_types: tuple[DType, ...], output_shapes: tuple[TensorShape, ...]"
METADATA = "metadata: str = ''"
_functions = threading.Lock()


def dataset_op(
    name: str, inputs: str, *attrs: str, stateful: bool = False, effects: str | None = None
) -> Callable[[Callable[..., Node]], Callable[..., Node]]:
    """Declare an op by a function from its values, in which datasets are nodes, to a node.

    Besides the attributes the function gets `out`, the structure that the types of elements say.
    """

    def declare(make: Callable[..., Node]) -> Callable[..., Node]:
        def kernel(xp: Namespace, *values: Any, **given: Any) -> DatasetValue:
            if "output_types" in given:
                given["out"] = elements(given["output_types"], given["output_shapes"])
            node = make(*[_opened(v) for v in values], **given)
            return DatasetValue(node.named(_name_in(given.get("metadata", ""))))

        options = {"stateful": stateful, "effects": effects}
        declared(name, f"{inputs} -> handle: variant", kernel, *attrs, **options)
        return make

    return declare


def declared(
    name: str, signature: str, kernel: Callable[..., Any], *attrs: str, **options: Any
) -> Op:
    """Declare an op of the host whose kernel takes the attributes that `attrs` lists."""
    first = inspect.Parameter("xp", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    rest = [parameter for part in attrs for parameter in _parameters(part)]
    kernel.__signature__ = inspect.Signature([first, *rest])  # type: ignore[attr-defined]
    shape = options.pop("shape", scalar)
    return op(name, signature, host=True, shape=shape, **options)(kernel)


@functools.cache
def _parameters(attrs: str) -> list[inspect.Parameter]:
    """Keyword parameters of a part of a signature."""
    args = ast.parse(f"def f(*, {attrs}): ...").body[0].args  # type: ignore[attr-defined]
    return [
        inspect.Parameter(
            arg.arg,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=ast.unparse(arg.annotation),
            default=inspect.Parameter.empty if default is None else ast.literal_eval(default),
        )
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]


def _opened(value: Any) -> Any:
    """A value of an op, in which datasets are nodes."""
    if isinstance(value, list):
        return [_opened(item) for item in value]
    return encoded(value.node) if isinstance(value, DatasetValue) else value


def node_in(name: str, value: Any) -> Node:
    """The node of a variant; `InvalidArgumentError` if that holds something else."""
    found = _opened(value)
    if not isinstance(found, Node):
        text = f"{name}: the variant must hold a dataset, got {found!r}. [Op:{name}]"
        raise InvalidArgumentError(None, None, text)
    return found


def text(value: Any) -> str:
    """A scalar string of an op."""
    return np.asarray(value).item().decode("utf-8", "surrogateescape")  # type: ignore[no-any-return]


def eager_tensors(values: Sequence[Any], kinds: Sequence[DType]) -> list[EagerTensor]:
    """The values of an op as tensors; a dataset is a variant again."""
    pairs = zip(values, kinds, strict=True)
    return [EagerTensor(DatasetValue(v) if isinstance(v, Node) else v, d) for v, d in pairs]


def elements(output_types: Sequence[DType], output_shapes: Sequence[Any]) -> Structure:
    """The structure of elements that are flat."""
    specs = tuple(TensorSpec(s, d) for s, d in zip(output_shapes, output_types, strict=True))
    return Structure(specs[0] if len(specs) == 1 else specs)


def dataset_of(structure: Structure) -> Structure:
    """The structure of a dataset of such elements, for functions that return one."""
    return Structure(DatasetSpec(structure.spec))


def returned(graph: FuncGraph) -> Structure:
    """The structure of what a graph returns."""
    return elements([t.dtype for t in graph.outputs], [t.shape for t in graph.outputs])


def function(
    graph: FuncGraph, captured: Sequence[Any], inputs: Sequence[Structure], output: Structure
) -> UserFunction:
    """The function of an attribute, whose last arguments are `captured`; its plan is made once."""
    with _functions:
        kept = graph.programs.get("function")
        if kept is None:
            places = graph.arguments[len(graph.arguments) - len(captured) :]
            tensors = [EagerTensor(v, t.dtype) for v, t in zip(captured, places, strict=True)]
            kept = UserFunction.of_graph(graph, inputs, output, tensors, graph.name)
            graph.programs["function"] = kept
    made = copy.copy(kept)
    kinds = [t.dtype for t in graph.internal_captures]
    made.captured = tuple(EagerTensor(v, d) for v, d in zip(captured, kinds, strict=True))
    made.__dict__.pop("_runner", None)
    _check_arguments(made)
    return made


def _check_arguments(made: UserFunction) -> None:
    """Complain of a function that takes other elements than there are."""
    wanted = [t.dtype for t in made.graph.arguments]
    got = [dtype for structure in made.inputs for dtype in structure.dtypes]
    if wanted != got:
        names = ", ".join(d.name for d in wanted), ", ".join(d.name for d in got)
        text = f"The function {made.name!r} of a dataset takes ({names[0]}), got ({names[1]})."
        raise InvalidArgumentError(None, None, text)


def choice(deterministic: str) -> bool | None:
    """What the attribute `deterministic` says; None is for the options of the dataset."""
    return {"true": True, "false": False}.get(deterministic)


def chosen(deterministic: bool | None) -> str:
    return "default" if deterministic is None else str(deterministic).lower()


def _with_name(tensor: Tensor, name: str | None) -> Tensor:
    """The variant of a dataset whose operation tells the name that the user gave it."""
    operation = tensor.op
    if name and "metadata" in operation.op.kinds:
        told = messages.BytesList(value=[name.encode()])  # its field 1, as in the real message
        metadata = told.SerializeToString().decode("utf-8", "surrogateescape")
        operation.attrs = {**operation.attrs, "metadata": metadata}
    return tensor


def _name_in(metadata: str) -> str | None:
    """The user's name of a dataset; not one that TensorFlow made, such as "RangeDataset:0"."""
    told = messages.BytesList.FromString(metadata.encode("utf-8", "surrogateescape")).value
    name = told[0].decode() if told else ""
    return name if name.isidentifier() else None


_WRITERS: dict[type[Node], Callable[[Any, Writer], Tensor]] = {}


def written(kind: type[Node]) -> Callable[[Callable[[Any, Any], Tensor]], Any]:
    """Declare how a kind of node is written."""

    def declare(write: Callable[[Any, Any], Tensor]) -> Any:
        _WRITERS[kind] = write
        return write

    return declare


class Writer:
    """Adds the ops of datasets to the graph being built.

    `known` has tensors of this graph for symbolic ones that the nodes hold; `rewritten` makes the
    graph of a function one of TensorFlow's ops, and gives it with what it captures.
    """

    def __init__(
        self,
        known: Mapping[int, Tensor],
        rewritten: Callable[[UserFunction], tuple[FuncGraph, list[Tensor]]],
    ) -> None:
        self._known = known
        self._rewritten = rewritten
        self._done: dict[int, Tensor] = {}

    def node(self, node: Node) -> Tensor:
        """The variant of a dataset."""
        if id(node) not in self._done:
            write = _WRITERS.get(type(node))
            if write is None:
                why = "it runs Python code" if not node.portable else "TensorFlow has no op for it"
                raise NotImplementedError(
                    f"A dataset of kind {node.title}, made at {node.where}, cannot be saved in a "
                    f"function: {why}."
                )
            self._done[id(node)] = _with_name(write(node, self), node.given_name)
        return self._done[id(node)]

    def tensor(self, value: Any) -> Tensor:
        """A tensor of the graph for one that a node holds."""
        if isinstance(value, EagerTensor):
            held = value._value
            if isinstance(held, DatasetValue):
                return self.node(held.node)
            if isinstance(held, np.ndarray | np.generic) and held.dtype != object:
                return emit(np.asarray(held), None, value.dtype)
            if value.dtype is string:
                return emit(np.asarray(held), None, string)
        if isinstance(value, Tensor):
            return self._known.get(value._id, value)  # a resource is captured where it is used
        return convert_to_tensor(value)

    def tensors(self, values: Sequence[Any]) -> list[Tensor]:
        return [self.tensor(value) for value in values]

    def int64(self, value: Any) -> Tensor:
        return self.scalar(value, int64)

    def boolean(self, value: Any) -> Tensor:
        return self.scalar(value, boolean)

    def scalar(self, value: Any, dtype: DType) -> Tensor:
        """A number that a node holds as a tensor of a dtype."""
        if not isinstance(value, Tensor):
            return emit(np.asarray(value, dtype.np_dtype), None, dtype)
        found = self.tensor(value)
        return found if found.dtype is dtype else raw_ops.Cast(found, DstT=dtype)  # type: ignore[no-any-return]

    def text(self, value: Any) -> Tensor:
        return self.tensor(value) if isinstance(value, Tensor) else convert_to_tensor(value)

    def types(self, node: Node) -> dict[str, Any]:
        """The attributes that say what the elements are."""
        return types_of(node.structure)

    def function(self, function: UserFunction) -> tuple[FuncGraph, list[Tensor]]:
        """The graph of a function for an attribute, and what it captures."""
        graph, captured = self._rewritten(function)
        return graph, self.tensors(captured)


def types_of(structure: Structure) -> dict[str, Any]:
    """The attributes that say what elements are."""
    specs = tensor_specs(structure)
    return {
        "output_types": tuple(spec.dtype for spec in specs),
        "output_shapes": tuple(spec.shape for spec in specs),
    }
