"""Loops and branches in pieces, as TensorFlow 1 and frozen graphs have them, made whole again.

A loop is a frame: values come in by `Enter`, meet those of the last iteration in a `Merge`, and a
`Switch` sends them into the body, whose results go back by `NextIteration`, or out by `Exit`. A
branch is a `Switch` for each value that enters it, and a `Merge` for each that leaves. Here nodes
of these ops become `While` and `If`, with functions for their parts; the innermost come first.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from runnel.core.op.raw import raw_ops
from runnel.core.protos import messages

OPS = frozenset({"Enter", "Exit", "NextIteration", "LoopCond", "Switch", "Merge"})
_PORTS = {"output_false": 0, "output_true": 1, "output": 0, "value_index": 1}  # in functions


class Ref(NamedTuple):
    """An output of a node; a control dependency has none."""

    node: str
    port: int = 0


def ref_of(text: str) -> Ref:
    node, *place = text.removeprefix("^").split(":")
    if len(place) == 2:  # as functions name outputs
        return Ref(node, _PORTS.get(place[0], -1) if place[0] in _PORTS else int(place[1]))
    return Ref(node, int(place[0]) if place else 0)


def whole(nodes: Iterable[Any], add: Callable[[Any], None]) -> list[Any]:
    """The nodes of a graph with whole loops and branches; `add` gets functions for their parts."""
    rewriter = _Rewriter(nodes, add)
    try:
        rewriter.make_loops()
        rewriter.make_branches()
    except (IndexError, KeyError) as error:  # of nodes that lack inputs, in a damaged file
        raise ValueError(f"a loop or a branch of the graph is damaged: {error!r}") from error
    return list(rewriter.nodes.values())


class _Rewriter:
    """Replaces groups of nodes by one, until none of the old ops is left."""

    _names = itertools.count()

    def __init__(self, nodes: Iterable[Any], add: Callable[[Any], None]) -> None:
        self.nodes = {node.name: _copy(node) for node in nodes}
        self._add = add

    def _data(self, node: Any) -> list[str]:
        return [text for text in node.input if not text.startswith("^")]

    def _of(self, *ops: str) -> list[Any]:
        return [node for node in self.nodes.values() if node.op in ops]

    def _closure(self, starts: Iterable[str], stops: Callable[[str], bool]) -> set[str]:
        """The nodes that some inputs come from, without those at which to stop."""
        found: set[str] = set()
        open_ = [ref_of(text).node for text in starts]
        while open_:
            name = open_.pop()
            if name in found or name not in self.nodes or stops(name):
                continue
            found.add(name)
            open_ += [ref_of(text).node for text in self.nodes[name].input]
        return found

    def _function(
        self,
        title: str,
        body: set[str],
        arguments: Sequence[tuple[str, int]],
        known: Mapping[Ref, str],
        results: Sequence[tuple[str, int]],
    ) -> str:
        """Add a function of some nodes: what they get from outside is `known` by arguments."""
        made = messages.FunctionDef()
        made.signature.name = f"{title}_{next(self._names)}"
        for name, kind in arguments:
            made.signature.input_arg.add(name=name, type=kind)
        for name in (n for n in self.nodes if n in body):
            node = made.node_def.add()
            node.CopyFrom(self.nodes[name])
            kept = [_renamed(text, known) for text in node.input if _is_kept(text, body)]
            del node.input[:]
            node.input.extend(kept)
        for place, (text, kind) in enumerate(results):
            made.signature.output_arg.add(name=f"result_{place}", type=kind)
            made.ret[f"result_{place}"] = _renamed(text, known)
        self._add(made)
        return str(made.signature.name)

    def _replace(self, node: Any, outputs: Mapping[str, int], gone: set[str]) -> None:
        """Put a node in the place of others; those that had results hand on its own."""
        self.nodes = {key: value for key, value in self.nodes.items() if key not in gone}
        gone = gone - {*outputs}
        # Values of an iteration that nobody takes out of it:
        for name in self._behind(gone, self._data):
            self._check_droppable(name)
            del self.nodes[name]
        for other in self.nodes.values():
            kept = [_moved(text, gone, node.name) for text in other.input]
            del other.input[:]
            other.input.extend(kept)
        self.nodes[node.name] = node
        types = node.attr["T" if node.op == "While" else "Tout"].list.type
        for name, place in outputs.items():
            made = messages.NodeDef(name=name, op="Identity", input=[f"{node.name}:{place}"])
            made.attr["T"].type = types[place]
            self.nodes[name] = made

    def make_loops(self) -> None:
        while frames := {node.attr["frame_name"].s for node in self._of("Enter")}:
            made = [frame for frame in sorted(frames) if self._make_loop(frame)]
            if not made:
                raise NotImplementedError("A loop of the graph is not one that TensorFlow makes.")

    def _make_loop(self, frame: bytes) -> bool:
        """Make one loop whole; False if there are others inside it."""
        enters = {n.name: n for n in self._of("Enter") if n.attr["frame_name"].s == frame}
        merges = [n for n in self._of("Merge") if self._enter_of(n) in enters]
        by_merge = {n.name: place for place, n in enumerate(merges)}
        fixed = [n for n in enters if n not in {self._enter_of(m) for m in merges}]
        switches = {
            n.name: by_merge[ref_of(n.input[0]).node]
            for n in self._of("Switch")
            if ref_of(n.input[0]).node in by_merge
        }
        backs = [self.nodes[self._next_of(m)] for m in merges]
        conds = {ref_of(self.nodes[name].input[1]).node for name in switches}
        if len(conds) != 1:
            raise NotImplementedError("A loop of the graph has no condition, or several.")
        (cond,) = conds
        edge = {*by_merge, *switches, *enters, cond}
        body = self._body(backs, edge)
        test = self._closure([self.nodes[cond].input[0]], lambda name: name in edge)
        if any(self.nodes[name].op == "Enter" for name in body | test):
            return False
        self._finish_loop(frame, merges, fixed, switches, backs, cond, body, test)
        return True

    def _enter_of(self, merge: Any) -> str:
        for text in self._data(merge):
            source = self.nodes.get(ref_of(text).node)
            if source is not None and source.op == "Enter":
                return str(source.name)
        return ""

    def _next_of(self, merge: Any) -> str:
        for text in self._data(merge):
            source = self.nodes.get(ref_of(text).node)
            if source is not None and source.op == "NextIteration":
                return str(source.name)
        raise NotImplementedError(f"The node {merge.name!r} is not a part of a loop.")

    def _body(self, backs: Sequence[Any], edge: set[str]) -> set[str]:
        """What an iteration does: all that its results, or the next iteration, wait for."""
        starts = [text for back in backs for text in back.input]
        return self._closure(starts, lambda name: name in edge)

    def _finish_loop(
        self,
        frame: bytes,
        merges: Sequence[Any],
        fixed: Sequence[str],
        switches: Mapping[str, int],
        backs: Sequence[Any],
        cond: str,
        body: set[str],
        test: set[str],
    ) -> None:
        kinds = [m.attr["T"].type for m in merges]
        kinds += [self.nodes[name].attr["T"].type for name in fixed]
        arguments = [(f"loop_argument_{place}", kind) for place, kind in enumerate(kinds)]
        names = [name for name, _ in arguments]
        constants = {Ref(name): names[len(merges) + i] for i, name in enumerate(fixed)}
        by_merge = {Ref(m.name): names[place] for place, m in enumerate(merges)}
        by_switch = {Ref(name, 1): names[place] for name, place in switches.items()}
        title = frame.decode("utf-8", "replace").replace("/", "_") or "loop"
        test_result = [(self._data(self.nodes[cond])[0], 10)]  # a boolean
        known = {**by_merge, **constants}
        cond_name = self._function(f"{title}_cond", test, arguments, known, test_result)
        results = [(self._data(b)[0], k) for b, k in zip(backs, kinds, strict=False)]
        results += [(names[len(merges) + i], kinds[len(merges) + i]) for i in range(len(fixed))]
        known = {**by_switch, **constants, **by_merge}
        body_name = self._function(f"{title}_body", body, arguments, known, results)
        made = messages.NodeDef(name=self._fresh(f"{title}/while"), op="While")
        entering = [self._enter_of(m) for m in merges] + list(fixed)
        made.input.extend(self._data(self.nodes[name])[0] for name in entering)
        outer = {t for n in entering for t in self.nodes[n].input if t.startswith("^")}
        made.input.extend(sorted(outer))
        made.attr["T"].list.type.extend(kinds)
        made.attr["cond"].func.name, made.attr["body"].func.name = cond_name, body_name
        exits = {
            node.name: switches[ref_of(node.input[0]).node]
            for node in self._of("Exit")
            if ref_of(node.input[0]).node in switches
        }
        gone = {*exits, *switches, *entering, *body, *test, cond}
        gone |= {n.name for n in [*merges, *backs]}
        self._replace(made, exits, gone)

    def _fresh(self, name: str) -> str:
        return next(n for n in _numbered(name) if n not in self.nodes)

    def make_branches(self) -> None:
        while merges := self._of("Merge"):
            groups: dict[str, list[Any]] = {}
            for merge in merges:
                pred = self._pred_of(merge)
                if pred is not None:
                    groups.setdefault(pred, []).append(merge)
            if not groups:
                raise NotImplementedError("A branch of the graph is not one that TensorFlow makes.")
            for pred, group in groups.items():
                self._make_branch(pred, group)
        self._drop_unjoined()

    def _is_switch(self, name: str) -> bool:
        return bool(self.nodes[name].op == "Switch")

    def _sides(self, text: str) -> dict[str, set[int]] | None:
        """By condition: which outputs of its switches a value comes from; None if of a branch."""
        inside = self._closure([text], self._is_switch)
        if any(self.nodes[name].op == "Merge" for name in inside):
            return None
        found: dict[str, set[int]] = {}
        reads = [text, *[t for name in inside for t in self.nodes[name].input]]
        for read in reads:
            source = self.nodes.get(ref_of(read).node)
            if source is not None and source.op == "Switch":
                found.setdefault(self._data(source)[1], set()).add(ref_of(read).port)
        return found

    def _source(self, text: str) -> str:
        """What decides, whoever hands it on: a branch has an `Identity` of its condition."""
        while (source := self.nodes.get(ref_of(text).node)) is not None and source.op == "Identity":
            text = self._data(source)[0]
        return text

    def _side(self, text: str, pred: str) -> set[int]:
        """Which outputs of the switches of a condition a value comes from."""
        sides = self._sides(text) or {}
        same = (ports for key, ports in sides.items() if self._source(key) == self._source(pred))
        return sides.get(pred) or next(same)

    def _pred_of(self, merge: Any) -> str | None:
        """What decides between the inputs of a `Merge`; None if these are not whole yet."""
        sides = [self._sides(text) for text in self._data(merge)]
        if len(sides) != 2:
            raise NotImplementedError(
                f"The node {merge.name!r} joins {len(sides)} branches; only two can be joined."
            )
        if sides[0] is None or sides[1] is None:
            return None
        pairs = [(a, b) for a in sides[0] for b in sides[1] if self._source(a) == self._source(b)]
        # Those of the branch itself come first: many branches may ask the same.
        for a, b in sorted(pairs, key=lambda pair: sum(p == self._source(p) for p in pair)):
            if sorted(map(sorted, (sides[0][a], sides[1][b]))) == [[0], [1]]:
                return b if a == self._source(a) else a
        raise NotImplementedError(f"The node {merge.name!r} does not join two branches.")

    def _make_branch(self, pred: str, merges: Sequence[Any]) -> None:
        """Make the branches that join in some nodes whole."""
        by_side: dict[int, list[str]] = {0: [], 1: []}
        for merge in merges:
            for text in self._data(merge):
                side = min(self._side(text, pred))
                by_side[side].append(text)
        closures = {side: self._closure(t, self._is_switch) for side, t in by_side.items()}
        reads = [
            text
            for side, texts in by_side.items()
            for text in [*texts, *[t for n in closures[side] for t in self.nodes[n].input]]
        ]
        switches = sorted(
            {ref_of(t).node for t in reads if not t.startswith("^") and self._reads_switch(t)}
        )
        arguments = [
            (f"branch_argument_{place}", self.nodes[name].attr["T"].type)
            for place, name in enumerate(switches)
        ]
        kinds = [merge.attr["T"].type for merge in merges]
        names = {}
        for side, title in ((1, "then"), (0, "else")):
            known = {Ref(n, side): arguments[i][0] for i, n in enumerate(switches)}
            results = list(zip(by_side[side], kinds, strict=True))
            names[title] = self._function(
                f"branch_{title}", closures[side], arguments, known, results
            )
        made = messages.NodeDef(name=self._fresh(f"{merges[0].name}/if"), op="If")
        made.input.append(pred)
        made.input.extend(self._data(self.nodes[name])[0] for name in switches)
        made.attr["Tcond"].type = 10
        made.attr["Tin"].list.type.extend(kind for _, kind in arguments)
        made.attr["Tout"].list.type.extend(kinds)
        made.attr["then_branch"].func.name = names["then"]
        made.attr["else_branch"].func.name = names["else"]
        outputs = {merge.name: place for place, merge in enumerate(merges)}
        inside = {name for side in closures.values() for name in side}
        self._replace(made, outputs, {*outputs})
        beside = self._behind(inside, lambda node: node.input)
        self._drop_unread(inside | {name for name in beside if not self._does(name)})

    def _reads_switch(self, text: str) -> bool:
        source = self.nodes.get(ref_of(text).node)
        return source is not None and source.op == "Switch"

    def _drop_unread(self, names: set[str]) -> None:
        """Leave out those of some nodes that nobody reads, and then those that they read."""
        reads = {n.name: {ref_of(t).node for t in n.input} for n in self.nodes.values()}
        readers = Counter(name for sources in reads.values() for name in sources)
        open_ = [name for name in names if name in reads and not readers[name]]
        while open_:
            name = open_.pop()
            del self.nodes[name]
            for source in reads[name]:
                readers[source] -= 1
                if not readers[source] and source in names and source in self.nodes:
                    open_.append(source)

    def _drop_unjoined(self) -> None:
        """Leave out what is left of branches: nodes behind a `Switch` that nobody reads."""
        switches = {node.name for node in self._of("Switch")}
        behind = switches | self._behind(switches, lambda node: node.input)
        for name in behind:
            self._check_droppable(name)
        self._drop_unread(behind)

    def _behind(self, names: set[str], reads: Callable[[Any], Iterable[str]]) -> set[str]:
        """The nodes that come after some others, by the inputs that `reads` gives."""
        readers: dict[str, list[str]] = defaultdict(list)
        for node in self.nodes.values():
            for text in reads(node):
                readers[ref_of(text).node].append(node.name)
        found: set[str] = set()
        open_ = list(names)
        while open_:
            for reader in readers[open_.pop()]:
                if reader not in found:
                    found.add(reader)
                    open_.append(reader)
        return found

    def _does(self, name: str) -> bool:
        """Whether a node does something, and does not only compute."""
        kind = self.nodes[name].op
        op = vars(raw_ops).get(kind)
        return op is not None and op.stateful and kind not in ("If", "While", "ReadVariableOp")

    def _check_droppable(self, name: str) -> None:
        """Complain if something is done, and not only computed, where no value ever arrives."""
        kind = self.nodes[name].op
        if self._does(name):
            raise NotImplementedError(
                f"The node {name!r} ({kind}) is in a branch or a loop that is never left."
            )


def _copy(node: Any) -> Any:
    """A node that may be changed: the message is the caller's."""
    made = messages.NodeDef()
    made.CopyFrom(node)
    return made


def _numbered(name: str) -> Iterable[str]:
    yield name
    for number in itertools.count(1):
        yield f"{name}_{number}"


def _renamed(text: str, known: Mapping[Ref, str]) -> str:
    return text if text.startswith("^") else known.get(ref_of(text), text)


def _is_kept(text: str, body: set[str]) -> bool:
    return not text.startswith("^") or ref_of(text).node in body


def _moved(text: str, gone: set[str], name: str) -> str:
    """An input that comes from a node that is gone, as one of the node in its place."""
    if ref_of(text).node not in gone:
        return text
    if text.startswith("^"):
        return f"^{name}"
    raise NotImplementedError(f"The value {text!r} is used outside its loop.")
