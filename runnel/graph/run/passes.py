"""Passes over a program before it runs: what TensorFlow calls Grappler.

On the reading path after `graph/run/program.py`, before `graph/run/lowering.py`.

One walk over the nodes, in order, asks a few questions of each: is its result known already
(constant folding), has it been computed before (common subexpressions), is it one of its inputs
(identities, arithmetic)? A second walk, backwards, drops what nobody reads any more. The cost is
linear in the number of nodes. Nothing changes a result in its last bit: `x + 0.0` stays, since it
turns -0.0 into 0.0, and `x - 0.0` goes.

`tf.config.optimizer.set_experimental_options` switches passes by TensorFlow's names, for programs
made from then on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.backend import configuration
from runnel.core.op import eager
from runnel.core.values.dtypes import resource, variant
from runnel.core.values.tracebacks import let_through
from runnel.graph.build import static
from runnel.graph.run.simplification import simplified

if TYPE_CHECKING:
    from runnel.graph.run.program import Node, Program

_LARGEST = 1024  # elements; a result of more is not kept as a constant
_COMPARED = 64  # elements; larger constants are not looked through for equal ones

# Pass by pass: TensorFlow's name for its switch, and whether it is on when nobody has said so.
_SWITCHES = {
    "folded": ("constant_folding", True),
    "shared": ("common_subgraph_elimination", True),
    "simplified": ("arithmetic_optimization", True),
    "removed": ("dependency_optimization", True),
    "stripped": ("debug_stripper", False),
}
_OF_SHAPES = ("shape", "size", "rank")
_SEEING = ("folded", "shared")  # the passes that take nothing from those who look at outputs


def switched_on(name: str) -> bool:
    """Whether a pass runs over programs that are made now."""
    options = configuration.optimizer_options
    if options.get("disable_meta_optimizer"):
        return False
    switch, default = _SWITCHES[name]
    return bool(options.get(switch, default))


def optimize(program: Program) -> dict[str, int]:
    """Rewrite a program in place; how many nodes each pass took away."""
    least = int(configuration.optimizer_options.get("min_graph_nodes", 0))
    active = {name for name in _SWITCHES if switched_on(name)}
    if not active or len(program.nodes) < least:
        return {}
    walk = Walk(program, active)
    walk.run()
    if not configuration.optimizer_options.get("disable_model_pruning"):
        _drop_unread(program)
    return walk.counts


class Walk:
    """The walk forwards. `_alias` leads from a slot to the one that has its value."""

    def __init__(self, program: Program, active: set[str]) -> None:
        self.program = program
        self.constants = program.constants
        self.counts: dict[str, int] = {}
        self._alias: dict[int, int] = {}
        self._made: dict[int, Node] = {}  # by slot
        self._seen: dict[Any, list[int]] = {}
        self._equal: dict[Any, int] = {}  # the first slot of each constant, by its content
        self._kept: list[Node] = []
        self._readers = Counter(slot for node in program.nodes for slot in node.ins)
        self._readers.update(program.outputs)
        rules: dict[str, Callable[[Node], Sequence[int] | None]] = {
            "stripped": self._strip,
            "removed": self._remove,
            "folded": self._fold,
            "simplified": self._simplify,
            "shared": self._share,
        }
        self._rules = [(name, rule) for name, rule in rules.items() if name in active]
        self._sharing = "shared" in active

    def run(self) -> None:
        if self._sharing:
            self._share_constants()
        for node in self.program.nodes:
            node.ins = [self._alias.get(slot, slot) for slot in node.ins]
            if not self._replaced(node):
                self._keep(node)
        self.program.nodes = self._kept
        self.program.outputs = [self._alias.get(slot, slot) for slot in self.program.outputs]

    def _keep(self, node: Node) -> None:
        self._kept.append(node)
        self._made.update((slot, node) for slot in node.outs)

    def copy(self, node: Node, ins: list[int], **attrs: Any) -> int:
        """The slot of the only output of a new node, like another on other inputs."""
        made = node.using(ins, **attrs)
        made.outs = [self.program.new_slot()]
        self._keep(made)
        return made.outs[0]

    def _replaced(self, node: Node) -> bool:
        for name, rule in self._rules:
            if node.watcher is not None and name not in _SEEING:
                continue
            found = rule(node)
            if found is not None:
                self._alias.update(zip(node.outs, found, strict=True))
                self.counts[name] = self.counts.get(name, 0) + 1
                return True
        return False

    def _share_constants(self) -> None:
        for slot in self.constants:
            first = self._first_equal(slot)
            if first != slot:
                self._alias[slot] = first

    def _first_equal(self, slot: int) -> int:
        """The first slot of a constant that is equal to the one of this slot."""
        array = np.asarray(self.constants[slot])
        if array.size > _COMPARED:
            return slot
        content = tuple(array.ravel().tolist()) if array.dtype == object else array.tobytes()
        return self._equal.setdefault((array.dtype, array.shape, content), slot)

    def _strip(self, node: Node) -> Sequence[int] | None:
        """Drop what is there to find mistakes only."""
        return node.ins[: len(node.outs)] if node.op.traits.diagnostic else None

    def _remove(self, node: Node) -> Sequence[int] | None:
        """Drop operations that hand on their input."""
        if node.op.traits.identity:
            return node.ins
        same = node.op.name == "Cast" and node.operation.inputs[0].dtype is node.attrs["DstT"]
        return node.ins if same else None

    def _fold(self, node: Node) -> Sequence[int] | None:
        """Compute now what depends on constants and known shapes alone, if the result is small."""
        if node.op.traits.reads in _OF_SHAPES and node.watcher is None:
            return self._fold_shapes(node)
        if not node.ins or not all(slot in self.constants for slot in node.ins):
            return None
        if not _is_pure(node) or node.op.xla or not all(map(_is_small, node.operation.outputs)):
            return None
        values = [self.constants[slot] for slot in node.ins]
        try:
            result = eager.compute(node.op, values, node.attrs)
        except Exception as error:  # it is raised, and explained, when the program runs
            let_through(error)
            return None
        found = [result] if node.op.single else eager.flat_results(result)
        if node.watcher is not None and not all(node.watcher.fine(np, value) for value in found):
            return None
        self.constants.update(zip(node.outs, found, strict=True))
        return [self._first_equal(slot) for slot in node.outs] if self._sharing else node.outs

    def _fold_shapes(self, node: Node) -> Sequence[int] | None:
        """What is known of shapes while tracing; other outputs of the same node stay."""
        found = [static.value(tensor) for tensor in node.operation.outputs]
        for slot, value in zip(node.outs, found, strict=True):
            if value is not None:
                self.constants[slot] = value
                self._alias[slot] = self._first_equal(slot) if self._sharing else slot
        if any(value is None for value in found):
            return None
        return [self._alias[slot] for slot in node.outs]

    def _share(self, node: Node) -> Sequence[int] | None:
        """Use the result of an equal operation that came before."""
        if not _is_pure(node):
            return None
        try:
            key = (node.op, node.watcher, tuple(node.ins), tuple(sorted(node.attrs.items())))
            found = self._seen.setdefault(key, node.outs)
        except TypeError:  # an attribute that cannot be hashed, such as an array
            return None
        return None if found is node.outs else found

    def _simplify(self, node: Node) -> Sequence[int] | None:
        found = simplified(self, node) if _is_pure(node) else None
        return None if found is None else [found]

    def constant(self, slot: int) -> np.ndarray[Any, Any] | None:
        """The value of a slot that is a constant."""
        value = self.constants.get(slot)
        return None if value is None else np.asarray(value)

    def maker(self, slot: int, op_name: str) -> Node | None:
        """The node that makes the value of a slot, if it is of this op."""
        node = self._made.get(slot)
        return node if node is not None and node.op.name == op_name else None

    def is_read_once(self, slot: int) -> bool:
        return self._readers[slot] == 1

    def new_constant(self, value: np.ndarray[Any, Any]) -> int:
        """The slot of a constant that the graph does not have."""
        slot = self.program.new_slot()
        self.constants[slot] = value
        return slot


def _is_pure(node: Node) -> bool:
    op = node.op
    if op.stateful or op.lower is not None or op.traits.effects is not None:
        return False
    return all(t.dtype not in (resource, variant) for t in node.operation.outputs)


def _is_small(tensor: Any) -> bool:
    size = tensor.shape.num_elements()
    return size is not None and size <= _LARGEST


def _drop_unread(program: Program) -> None:
    """Keep what an output or a side effect needs; program order keeps inputs before their uses."""
    wanted = set(program.outputs)
    kept = []
    for node in reversed(program.nodes):
        if node.is_kept or any(slot in wanted for slot in node.outs):
            wanted.update(node.ins)
            kept.append(node)
    program.nodes = kept[::-1]
    program.constants = {s: v for s, v in program.constants.items() if s in wanted}
