"""Operations of a SavedModel that touch more than tensors: that read or write files, or run Python.

A function with such operations is loaded like any other, and they run when somebody calls it. But
what loading itself runs, the functions that make and fill tables, may read the assets of the model
and nothing else. `LoadOptions(forbid_outside_access=True)` asks that of all functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from runnel.core.op.op import Op
from runnel.core.op.raw import raw_ops
from runnel.core.values.errors import PermissionDeniedError
from runnel.graph.graphdef.importing import CALLS

_FILE_NAMES = ("filename", "filenames")
_WORDS = {"python": "runs Python", "output": "prints, or writes files"}
Finding = tuple[str, str, str]  # the op, what it does, the function it is in


class Library:
    """The functions of a SavedModel, to be searched."""

    def __init__(self, library: Any) -> None:
        self._functions = {function.signature.name: function for function in library.function}
        self._seen: set[tuple[str, tuple[int, ...]]] = set()

    def search(self, name: str, assets: Sequence[int]) -> Iterator[Finding]:
        """What a function and those it calls touch; the arguments at `assets` are the model's."""
        key = (name, tuple(assets))
        if name not in self._functions or key in self._seen:
            return
        self._seen.add(key)
        function = self._functions[name]
        args = [arg.name for arg in function.signature.input_arg]
        own = {args[place] for place in assets if place < len(args)}
        yield from self.search_nodes(function.node_def, own, name)

    def search_nodes(self, nodes: Iterable[Any], assets: set[str], where: str) -> Iterator[Finding]:
        """What nodes touch; tensors of the names `assets` are paths of the model's own files."""
        nodes = list(nodes)
        times = Counter(node.name for node in nodes)
        own = assets - times.keys()  # a name that stands for two things is not trusted
        for node in nodes:
            inputs = [ref.removeprefix("^").partition(":")[0] for ref in node.input]
            if node.op == "Identity" and own.issuperset(inputs) and times[node.name] == 1:
                own.add(node.name)
            op = getattr(raw_ops, node.op, None)
            if op is not None and op.leaves_program and not _reads_asset(op, inputs, own):
                yield node.op, _WORDS.get(op.traits.effects, op.traits.effects), where
            passed = [place for place, ref in enumerate(inputs) if ref in own]
            for name in _called(node):
                direct = node.op in CALLS or node.op == name
                yield from self.search(name, passed if direct else ())


def _reads_asset(op: Op, inputs: Sequence[str], assets: set[str]) -> bool:
    """Whether an operation reads a file of the model itself."""
    places = [place for place, arg in enumerate(op.inputs) if arg.name in _FILE_NAMES]
    named = [inputs[place] for place in places if place < len(inputs)]
    return op.traits.effects == "reads files" and bool(named) and assets.issuperset(named)


def _called(node: Any) -> Iterator[str]:
    """The functions that a node calls, or has somebody call."""
    yield node.op
    for value in node.attr.values():
        kind = value.WhichOneof("value")
        if kind == "func":
            yield value.func.name
        elif kind == "list":
            yield from (function.name for function in value.list.func)


def forbid(findings: Iterable[Finding], folder: str, why: str) -> None:
    """Raise an error that lists the findings, if there are any."""
    found = sorted(set(findings))
    if found:
        listed = "; ".join(f"{op} ({what}) in the function {where!r}" for op, what, where in found)
        text = f"The SavedModel in {folder} is refused: {why}, and it has {listed}."
        raise PermissionDeniedError(None, None, text)
