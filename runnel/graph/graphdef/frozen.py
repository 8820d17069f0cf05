"""Nodes and functions that want the handle of a variable, made to want its value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from runnel.core.files.tensor_proto import make_tensor_proto
from runnel.core.protos import messages
from runnel.graph.graphdef.references import VARIABLES
from runnel.graph.graphdef.subgraphs import node_of

_PASSING = frozenset({"Identity", "Enter", "Switch"})  # which hand handles on
_OF_HANDLES = ("_output_shapes", "_handle_dtypes", "_handle_shapes")


class Held(NamedTuple):
    """What the value of a variable is, as messages say it: the number of its dtype, its shape."""

    kind: int
    shape: Any


class _Call(NamedTuple):
    """How an operation calls functions: by which attributes, with which inputs and results."""

    functions: tuple[str, ...]
    kinds: str
    before: int = 0  # inputs that are no arguments
    results: str | None = None  # where their shapes are, if results are what arguments are


_LOOP = _Call(("cond", "body"), "T", results="output_shapes")
_BRANCHES = _Call(("then_branch", "else_branch"), "Tin", 1)
_CASES = _Call(("branches",), "Tin", 1)
_PLAIN = _Call(("f",), "Tin")
_CALLS = {
    **dict.fromkeys(("While", "StatelessWhile"), _LOOP),
    **dict.fromkeys(("If", "StatelessIf"), _BRANCHES),
    **dict.fromkeys(("Case", "StatelessCase"), _CASES),
    **dict.fromkeys(("PartitionedCall", "StatefulPartitionedCall"), _PLAIN),
}


class Frozen:
    """Nodes of one graph or function, among which some hold values of variables.

    Args:
        nodes: the nodes by their names.
        handles: what was a handle and is a value now: names of nodes, or of arguments.
        library: the functions that nodes call.
        first: what comes after the name of a node where another names its only result.
    """

    def __init__(
        self,
        nodes: Mapping[str, Any],
        handles: Mapping[str, Held],
        library: FrozenLibrary,
        first: str = "",
    ) -> None:
        self._nodes, self._handles, self._library = nodes, handles, library
        self._first = first

    def source(self, text: str) -> str | None:
        """The variable whose handle a tensor is, if its value is known."""
        if text.startswith("^"):
            return None
        name = node_of(text)
        while (node := self._nodes.get(name)) is not None:
            if node.op in _PASSING:
                text = node.input[0]
            elif _CALLS.get(node.op) is _LOOP and name not in self._handles:
                text = node.input[_index(text)]  # a loop hands on what it gets
            else:
                break
            name = node_of(text)
        return name if name in self._handles else None

    def replaced(self, node: Any) -> list[Any]:
        """What stands in the place of a node."""
        held = {
            place: self._handles[source]
            for place, text in enumerate(node.input)
            if (source := self.source(text)) is not None
        }
        if not held:
            self._library.keep(node)
            return [node]
        first = self._nodes.get(self.source(node.input[0]) or "")
        if first is not None and first.op in VARIABLES:
            return [node]
        if node.op in _CALLS:
            return [self._call(node, held)]
        if 0 in held:
            kind = held[0].kind
            if node.op == "ReadVariableOp":
                return [_changed(node, "Identity", list(node.input), {"T": kind})]
            if node.op in _PASSING:
                return [_changed(node, node.op, list(node.input), {"T": kind})]
            if node.op == "ResourceGather":
                return self._gathered(node, kind)
        raise ValueError(
            f"convert_variables_to_constants: the node {node.name!r} ({node.op}) wants a variable, "
            "and not only its value. Leave the variable in, by `variable_names_blacklist`."
        )

    def _call(self, node: Any, held: Mapping[int, Held]) -> Any:
        call = _CALLS[node.op]
        made = messages.NodeDef()
        made.CopyFrom(node)
        arguments = {place - call.before: what for place, what in held.items()}
        for place, what in arguments.items():
            made.attr[call.kinds].list.type[place] = what.kind
            if call.results and call.results in made.attr:
                made.attr[call.results].list.shape[place].CopyFrom(what.shape)
        for function in _named(made, call.functions):
            function.name = self._library.with_values(function.name, arguments)
        if "_read_only_resource_inputs" in made.attr:
            del made.attr["_read_only_resource_inputs"]
        return made

    def _gathered(self, node: Any, kind: int) -> list[Any]:
        axis = constant(f"{node.name}/axis", int(node.attr["batch_dims"].i), 3)
        data = [t for t in node.input if not t.startswith("^")]
        waits = [t for t in node.input if t.startswith("^")]
        kinds = {"Tparams": kind, "Taxis": 3, "Tindices": node.attr["Tindices"].type}
        made = _changed(node, "GatherV2", [*data, f"{axis.name}{self._first}", *waits], kinds)
        made.attr["batch_dims"].i = node.attr["batch_dims"].i
        return [axis, made]


class FrozenLibrary:
    """The functions that are left, each as it was or with values in the place of variables."""

    def __init__(self, library: Any) -> None:
        self._before = {function.signature.name: function for function in library.function}
        self._gradients = library.gradient
        self._made: dict[str, Any] = {}

    def keep(self, node: Any) -> None:
        """Keep the functions that a node names, and those that they name."""
        for name in _functions_of(node):
            if name in self._before and name not in self._made:
                self._made[name] = self._before[name]
                for part in self._before[name].node_def:
                    self.keep(part)

    def with_values(self, name: str, arguments: Mapping[int, Held]) -> str:
        """The name of a function some of whose arguments are values and no handles any more."""
        places = "_".join(f"{place}_{what.kind}" for place, what in sorted(arguments.items()))
        title = f"{name}_frozen_{places}"
        if title not in self._made:
            self._made[title] = messages.FunctionDef()  # it may call itself
            self._made[title].CopyFrom(self._frozen(title, self._before[name], arguments))
        return title

    def _frozen(self, title: str, function: Any, arguments: Mapping[int, Held]) -> Any:
        made = messages.FunctionDef()
        made.CopyFrom(function)
        made.signature.name = title
        handles = {}
        for place, what in arguments.items():
            arg = made.signature.input_arg[place]
            arg.type = what.kind
            handles[arg.name] = what
            _set_shape(made.arg_attr[place].attr, what)
        nodes = {node.name: node for node in function.node_def}
        frozen = Frozen(nodes, handles, self, ":output:0")
        del made.node_def[:]
        for node in function.node_def:
            made.node_def.extend(frozen.replaced(node))
        for result in made.signature.output_arg:
            source = frozen.source(made.ret[result.name])
            if source is not None:
                result.type = handles[source].kind
        _name_results(made, {name for name, node in nodes.items() if node.op == "ReadVariableOp"})
        return made

    def used(self) -> Any:
        """The library."""
        made = messages.FunctionDefLibrary(function=[self._made[name] for name in self._made])
        made.gradient.extend(g for g in self._gradients if g.function_name in self._made)
        return made


def held_by(constant: Any) -> Held:
    """What a node holds that is a constant."""
    return Held(constant.attr["dtype"].type, constant.attr["value"].tensor.tensor_shape)


def constant(name: str, value: Any, kind: int | None = None) -> Any:
    """A node with a value, of a dtype by its number."""
    proto = make_tensor_proto(value, dtype=kind)
    made = messages.NodeDef(name=name, op="Const")
    made.attr["dtype"].type = proto.dtype
    made.attr["value"].tensor.CopyFrom(proto)
    return made


def _index(text: str) -> int:
    """Which result of its node a tensor is: `node`, `node:2`, and `node:output:2` in functions."""
    last = text.rpartition(":")[2]
    return int(last) if last.isdecimal() and ":" in text else 0


def _named(node: Any, attributes: Iterable[str]) -> Iterable[Any]:
    """The messages in attributes of a node that name functions."""
    for key in attributes:
        attr = node.attr[key]
        yield from attr.list.func if attr.list.func else [attr.func]


def _functions_of(node: Any) -> Iterable[str]:
    yield node.op
    for attr in node.attr.values():
        yield from (function.name for function in (*attr.list.func, attr.func))


def _name_results(function: Any, reads: Collection[str]) -> None:
    """Name the results of former reads as those of `Identity` are named."""
    left = {node.name for node in function.node_def if node.op == "ReadVariableOp"}
    before = {f"{name}:value:0": f"{name}:output:0" for name in set(reads) - left}
    for node in function.node_def:
        for place, text in enumerate(node.input):
            node.input[place] = before.get(text, text)
    for key, text in function.ret.items():
        function.ret[key] = before.get(text, text)


def _set_shape(attrs: Any, what: Held) -> None:
    for key in _OF_HANDLES:
        if key in attrs:
            del attrs[key]
    attrs["_output_shapes"].list.shape.add().CopyFrom(what.shape)


def _changed(node: Any, op: str, inputs: list[str], kinds: dict[str, int]) -> Any:
    made = messages.NodeDef(name=node.name, op=op, device=node.device, input=inputs)
    for key in ("frame_name", "is_constant", "parallel_iterations", "_class"):
        if key in node.attr:
            made.attr[key].CopyFrom(node.attr[key])
    for key, kind in kinds.items():
        made.attr[key].type = kind
    return made
