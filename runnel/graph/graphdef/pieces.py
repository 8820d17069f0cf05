"""Loops and branches in pieces, for programs that switch control flow of version 2 off.

A graph holds whole loops and branches in any case. As a message it has what TensorFlow 1 made of
them: a `Switch` for each value that enters a branch and a `Merge` for each that leaves; `Enter`,
`Merge`, `Switch`, `NextIteration` and `Exit` for each variable of a loop. `old_control_flow.py`
makes them whole again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from runnel.backend import configuration
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import Graph
from runnel.graph.build.operation import Operation
from runnel.graph.build.order import Order
from runnel.graph.build.reference_ops import ReferenceTensor, reference_form_of
from runnel.graph.control.accumulators import Plain
from runnel.graph.run.effects import has_effect
from runnel.graph.run.program import needed

WHOLE = frozenset({"If", "StatelessIf", "While", "StatelessWhile"})
_LEAVING = ("Merge", "Exit")  # the names of what hands on the results of branches and loops


class Value(NamedTuple):
    """A tensor in the message: its name there, and whether it is a reference."""

    text: str
    dtype: DType
    refers: bool = False

    def at(self, text: str) -> Value:
        return self._replace(text=text)


class Pieces:
    """Writes loops and branches of a graph as nodes; `write` writes any other operation."""

    def __init__(
        self,
        graph: Graph,
        nodes: Any,
        write: Callable[[Any, Operation, Plain], None],
        plain_form: Callable[[Operation, set[int]], Plain],
        portable: Callable[[FuncGraph], FuncGraph],
        text_of: Callable[[Any], str],
    ) -> None:
        self._nodes, self._write = nodes, write
        self._plain_form, self._portable, self._text_of = plain_form, portable, text_of
        self._heirs = _heirs_of(graph.get_operations())
        heirs = {op.name for op in self._heirs.values()}
        self._taken = {op.name for op in graph.get_operations()} - heirs
        self._values: dict[int, Value] = {}
        self._titles: Mapping[int, str] = {}
        self._done: dict[str, str] = {}  # what to wait for, by the name of a loop or branch

    def ref(self, tensor: Any) -> str:
        """How a tensor is named in the message."""
        found = self._values.get(tensor._id)
        return self._text_of(tensor) if found is None else found.text

    def name(self, operation: Operation) -> str:
        """What to wait for in the place of an operation."""
        return self._done.get(operation.name, operation.name)

    def take(self, operation: Operation, plain: Plain) -> bool:
        """Write a loop or branch; False for other operations. Its results bear the names of what
        hands them on, which is left out.
        """
        if operation.type not in WHOLE or plain.type is not None:
            return bool(operation.outputs) and operation.outputs[0]._id in self._values
        outputs = operation.outputs
        heirs = {i: self._heirs[t._id] for i, t in enumerate(outputs) if t._id in self._heirs}
        self._titles = {i: heir.name for i, heir in heirs.items()}
        inputs = [self._value(t) for t in (*operation.inputs, *plain.inputs)]
        waits = [f"^{self.name(op)}" for op in operation.control_inputs]
        made = self._whole(operation.name, operation, plain, inputs, waits)
        for place, (output, value) in enumerate(zip(outputs, made)):
            self._values[output._id] = value
            if place in heirs:
                self._values[heirs[place].outputs[0]._id] = value
        return True

    def _value(self, tensor: Any) -> Value:
        """A tensor of the graph itself."""
        if isinstance(tensor, ReferenceTensor):
            return Value(self.ref(tensor), tensor._handle_data.dtype, refers=True)
        return Value(self.ref(tensor), tensor._dtype)

    def _whole(
        self,
        name: str,
        operation: Operation,
        plain: Plain,
        inputs: Sequence[Value],
        waits: Sequence[str],
    ) -> list[Value]:
        titles, self._titles = self._titles, {}  # those inside have no names of their own
        write = self._loop if "While" in operation.type else self._branches
        results, done = write(name, plain, list(inputs), list(waits), titles)
        self._done[name] = done
        return results

    def _node(
        self, name: str, op: str, inputs: Sequence[str], dtype: DType | None = None, **attrs: Any
    ) -> str:
        """A node of a name that is free; its name."""
        name = self._free(name)
        node = self._nodes.add(name=name, op=op)
        node.input.extend(inputs)
        if dtype is not None:
            node.attr["T"].type = dtype.enum
        for key, value in attrs.items():
            field = {bool: "b", int: "i", bytes: "s"}[type(value)]
            setattr(node.attr[key], field, value)
        return name

    def _free(self, name: str) -> str:
        found, count = name, 0
        while found in self._taken:
            count += 1
            found = f"{name}_{count}"
        self._taken.add(found)
        return found

    # Branches

    def _branches(
        self,
        name: str,
        plain: Plain,
        inputs: list[Value],
        waits: list[str],
        titles: Mapping[int, str],
    ) -> tuple[list[Value], str]:
        condition = inputs[0].text
        switch = self._node(f"{name}/Switch", "Switch", [condition, condition, *waits], dtypes.bool)
        pivots = [
            self._node(f"{name}/switch_{side}", "Identity", [f"{switch}:{port}"], dtypes.bool)
            for side, port in (("f", 0), ("t", 1))
        ]
        chosen = self._node(f"{name}/pred_id", "Identity", [condition], dtypes.bool)
        sent = [self._switched(name, value, chosen) for value in inputs[1:]]
        sides = []
        for port, key in enumerate(("else_branch", "then_branch")):
            given = [v.at(f"{v.text}:{port}" if port else v.text) for v in sent]
            pivot = f"^{pivots[port]}"
            results, effects = self._inlined(plain.attrs[key], given, name, [pivot])
            if not results:  # something has to leave the branch
                results = [Value(pivots[port], dtypes.bool)]
            sides.append([self._behind(name, value, effects) for value in results])
        made = [
            a.at(self._merged(titles.get(i, f"{name}/Merge"), [a.text, b.text], a.dtype))
            for i, (a, b) in enumerate(zip(*sides, strict=True))
        ]
        return made, made[0].text

    def _switched(self, name: str, value: Value, chosen: str) -> Value:
        op = "RefSwitch" if value.refers else "Switch"
        return value.at(self._node(f"{name}/Switch", op, [value.text, chosen], value.dtype))

    def _behind(self, name: str, value: Value, waits: Sequence[str]) -> Value:
        """A result that is there only after the side effects."""
        if value.refers:
            return self._read(name, value, waits)
        if not waits:
            return value
        text = self._node(f"{name}/Identity", "Identity", [value.text, *waits], value.dtype)
        return value.at(text)

    def _read(self, name: str, value: Value, waits: Sequence[str] = ()) -> Value:
        text = self._node(f"{name}/read", "Identity", [value.text, *waits], value.dtype)
        return Value(text, value.dtype)

    def _merged(self, name: str, inputs: Sequence[str], dtype: DType) -> str:
        return self._node(name, "Merge", inputs, dtype, N=len(inputs))

    # Loops

    def _loop(
        self,
        name: str,
        plain: Plain,
        inputs: list[Value],
        waits: list[str],
        titles: Mapping[int, str],
    ) -> tuple[list[Value], str]:
        body: FuncGraph = self._portable(plain.attrs["body"])
        kept = [a._id == b._id for a, b in zip(body.outputs, body.inputs, strict=True)]
        entered = [
            self._entered(name, v, waits, constant=same)
            for v, same in zip(inputs, kept, strict=True)
        ]
        merges = {
            i: self._merged(f"{name}/Merge", [v.text, v.text], v.dtype)
            for i, v in enumerate(entered)
            if not kept[i]
        }
        begun = [v.at(merges[i]) if i in merges else v for i, v in enumerate(entered)]
        first = next(iter(merges.values()))
        found, _ = self._inlined(plain.attrs["cond"], begun, name, [f"^{first}"])
        test = self._node(f"{name}/LoopCond", "LoopCond", [found[0].text])
        switches = {
            i: self._node(f"{name}/Switch", "Switch", [merge, test], inputs[i].dtype)
            for i, merge in merges.items()
        }
        inside = [
            v.at(self._node(f"{name}/Identity", "Identity", [f"{switches[i]}:1"], v.dtype))
            if i in switches
            else v
            for i, v in enumerate(begun)
        ]
        pivot = f"^{inside[next(iter(switches))].text}"
        results, effects = self._inlined(plain.attrs["body"], inside, name, [pivot])
        for i, merge in merges.items():
            self._close(name, merge, self._behind(name, results[i], effects))
        ends = {
            i: self._node(titles.get(i, f"{name}/Exit"), "Exit", [switch], inputs[i].dtype)
            for i, switch in switches.items()
        }
        made = [v.at(ends[i]) if i in ends else v for i, v in enumerate(inputs)]
        return made, next(iter(ends.values()))

    def _entered(self, name: str, value: Value, waits: list[str], *, constant: bool) -> Value:
        op = "RefEnter" if value.refers else "Enter"
        inputs = [value.text, *waits]
        attrs = {"frame_name": name.encode(), "is_constant": constant, "parallel_iterations": 10}
        return value.at(self._node(f"{name}/Enter", op, inputs, value.dtype, **attrs))

    def _close(self, name: str, merge: str, value: Value) -> None:
        """Lead the value of the next iteration back."""
        text = self._node(f"{name}/NextIteration", "NextIteration", [value.text], value.dtype)
        next(n for n in reversed(self._nodes) if n.name == merge).input[1] = text

    # What is inside

    def _inlined(
        self, graph: FuncGraph, given: Sequence[Value], name: str, pivot: list[str]
    ) -> tuple[list[Value], list[str]]:
        """Write the operations of a branch or a body: its results, and what has an effect."""
        graph = self._portable(graph)
        values = dict(zip([t._id for t in graph.inputs], given, strict=True))
        operations = needed(graph, graph.inputs, graph.outputs)
        used = {t._id for op in operations for t in op.inputs} | {t._id for t in graph.outputs}
        order, names = Order(operations), dict[Operation, str]()
        for operation in operations:
            plain = self._plain_form(operation, used)
            before = [*operation.after, *order.before(operation)]
            waits = [f"^{names[op]}" for op in dict.fromkeys(before) if op in names]
            for earlier in plain.before:
                self._inner(name, earlier, self._plain_form(earlier, set()), values, [], pivot)
            names[operation] = self._inner(name, operation, plain, values, waits, pivot)
        effects = [f"^{names[op]}" for op in operations if has_effect(op)]
        results = [values[t._id] for t in graph.outputs]
        return [self._read(name, v) if v.refers else v for v in results], effects

    def _inner(
        self,
        scope: str,
        operation: Operation,
        plain: Plain,
        values: dict[int, Value],
        waits: list[str],
        pivot: list[str],
    ) -> str:
        """Write an operation inside a loop or branch; the name of what is there when it is done."""
        inputs = [values[t._id] for t in (*operation.inputs, *plain.inputs)]
        inside = operation.name.startswith(f"{scope}/")
        name = operation.name if inside else f"{scope}/{operation.name}"
        if operation.type in WHOLE and plain.type is None:
            name = self._free(name)
            made = self._whole(name, operation, plain, inputs, [*waits, *pivot])
            values.update(zip([t._id for t in operation.outputs], made))
            return self._done[name]
        changed = reference_form_of(operation, [v.refers for v in inputs])
        name = self._free(name)
        node = self._nodes.add()
        if changed is None:
            self._write(node, operation, plain)
            inputs = [self._read(scope, v) if v.refers else v for v in inputs]
        else:
            attrs = changed.op.type_attrs(changed.inputs, changed.attrs)
            self._write(node, changed, Plain(attrs))
        node.name = name
        node.input.extend([*[v.text for v in inputs], *waits, *([] if inputs else pivot)])
        for place, tensor in enumerate(operation.outputs):
            text = f"{name}:{place}" if place else name
            values[tensor._id] = Value(text, tensor._dtype)
        return name


def _heirs_of(operations: Sequence[Operation]) -> dict[int, Operation]:
    """What hands on the results of loops and branches, by these."""
    return {
        op.inputs[0]._id: op
        for op in operations
        if op.type == "Identity"
        and op.inputs[0].op.type in WHOLE
        and op.name.rpartition("/")[2].partition("_")[0] in _LEAVING
    }


def pieces_are_wanted() -> bool:
    """Whether loops and branches are written in pieces."""
    return not configuration.control_flow_v2
