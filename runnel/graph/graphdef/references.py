"""Variables as TensorFlow 1 had them: operations whose output is a reference, made resources.

An operation that takes a reference (`Assign`, `ScatterAdd`, `ApplyAdam` …) changes the variable and
hands the reference on; any other reads the variable when it runs, so after what it waits for. Here
the nodes of a graph get handles in place of references, and a `ReadVariableOp` wherever a value is
wanted. A node that made a reference becomes a read of that name, behind the change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from runnel.core.protos import messages

VARIABLES = frozenset({"VariableV2", "Variable", "TemporaryVariable"})
_HANDLE = "_handle"
DT_RESOURCE = 20  # the number of the dtype in messages
_REFERENCES = 100  # what is added to the number of a dtype to say that it is a reference to it


class _Change(NamedTuple):
    """An op that changes variables: the one for resources, and how many it takes first."""

    op: str
    references: int = 1


_OPTIMIZERS = {
    **dict.fromkeys(["GradientDescent", "ProximalGradientDescent"], 1),
    **dict.fromkeys(["Adagrad", "AdagradV2", "Momentum", "ProximalAdagrad"], 2),
    **dict.fromkeys(["AddSign", "PowerSign"], 2),
    **dict.fromkeys(["Adadelta", "AdagradDA", "Adam", "AdaMax", "Ftrl", "FtrlV2", "RMSProp"], 3),
    "CenteredRMSProp": 4,
}
_CHANGES = {
    "Assign": _Change("AssignVariableOp"),
    "AssignAdd": _Change("AssignAddVariableOp"),
    "AssignSub": _Change("AssignSubVariableOp"),
    "StridedSliceAssign": _Change("ResourceStridedSliceAssign"),
    **{
        f"Scatter{kind}": _Change(f"ResourceScatter{kind}")
        for kind in "Update Add Sub Mul Div Min Max NdUpdate NdAdd NdSub NdMin NdMax".split()
    },
    **{
        f"{sparse}Apply{name}": _Change(f"Resource{sparse}Apply{name}", count)
        for name, count in _OPTIMIZERS.items()
        for sparse in ("", "Sparse")
    },
}
# Ops that answer with a value, and those that hand references on.
_QUESTIONS = {"IsVariableInitialized": "VarIsInitializedOp", "CountUpTo": "ResourceCountUpTo"}
_READS = frozenset({"RefIdentity", "DestroyTemporaryVariable"})
_PASSED = {"RefEnter": "Enter", "RefSwitch": "Switch"}
_JOINED = {"RefMerge": "Merge", "RefExit": "Exit", "RefNextIteration": "NextIteration"}
_FLOW = frozenset({*_PASSED.values(), *_JOINED, *_JOINED.values()})
OPS = frozenset({*VARIABLES, *_CHANGES, *_QUESTIONS, *_READS, *_PASSED, *_JOINED, "RefSelect"})


class _Alias(NamedTuple):
    """A reference: the handle, the dtype, and the node that a reader waits for."""

    handle: str
    dtype: int
    after: str | None = None


def handle_name(variable: str) -> str:
    """The name of the node that is the handle of a variable."""
    return f"{variable}/{_HANDLE}"


def variable_name(handle: str) -> str:
    """The name of the variable that a handle is of."""
    return handle.removesuffix(f"/{_HANDLE}")


def resolved(nodes: Iterable[Any], given: Collection[str] = ()) -> list[Any]:
    """The nodes with resources in place of references, but for tensors that are `given`."""
    return _Resolver(list(nodes), given).run()


class _Resolver:
    def __init__(self, nodes: list[Any], given: Collection[str]) -> None:
        self._nodes = {node.name: node for node in nodes}
        self._given = {text.removesuffix(":0") for text in given}
        self._aliases: dict[str, _Alias | None] = {}
        self._made: list[Any] = []
        self._late = self._behind_changes()

    def _behind_changes(self) -> set[str]:
        """The nodes that something waits in which changes a variable."""
        users: dict[str, list[str]] = defaultdict(list)
        for node in self._nodes.values():
            for text in node.input:
                users[text.removeprefix("^").partition(":")[0]].append(node.name)
        found: set[str] = set()
        open_ = [node.name for node in self._nodes.values() if node.op in _CHANGES]
        while open_:
            name = open_.pop()
            if name not in found:
                found.add(name)
                open_ += users[name]
        return found

    def run(self) -> list[Any]:
        for node in self._nodes.values():
            self._resolve(node)
        return self._made

    def _alias(self, text: str) -> _Alias | None:
        """What a tensor refers to; None if it is a value."""
        if text.startswith("^"):
            return None
        key = text.removesuffix(":0")
        if key not in self._aliases:
            self._aliases[key] = None  # a loop leads back to itself
            self._aliases[key] = None if key in self._given else self._found(key)
        return self._aliases[key]

    def _found(self, key: str) -> _Alias | None:
        name = key.partition(":")[0]
        node = self._nodes.get(name)
        if node is None:
            return None
        if node.op in VARIABLES:
            return _Alias(handle_name(name), _dtype(node))
        if node.op in _CHANGES or node.op in _READS:
            inner = self._alias(node.input[0])
            after = name if node.op in _READS else _step_name(name)
            return None if inner is None else inner._replace(after=after)
        if node.op == "Identity":  # which hands on the memory of the variable, not a copy
            return self._alias(node.input[0])
        if node.op in _PASSED:
            inner = self._alias(node.input[0])
            return None if inner is None else inner._replace(handle=key, after=None)
        return None

    def _resolve(self, node: Any) -> None:
        """Put what takes the place of a node among those made."""
        if node.op in VARIABLES:
            self._make_variable(node)
            return
        first = self._alias(node.input[0]) if node.input else None
        if first is None:
            self._make_plain(node)
        elif node.op in _CHANGES:
            self._make_change(node, first)
        elif node.op in _QUESTIONS:
            made = self._copy(node, _QUESTIONS[node.op], references=1)
            if node.op == "CountUpTo":
                made.attr["T"].type = first.dtype
            else:
                _drop(made, "dtype")
        elif node.op in _READS:
            self._read(node.name, first, [t for t in node.input if t.startswith("^")])
        elif node.op in _PASSED:
            self._copy(node, _PASSED[node.op], references=1).attr["T"].type = DT_RESOURCE
        else:
            self._make_plain(node)

    def _make_variable(self, node: Any) -> None:
        handle = messages.NodeDef(name=handle_name(node.name), op="VarHandleOp", device=node.device)
        shared = node.attr["shared_name"].s or node.attr["var_name"].s or node.name.encode()
        handle.attr["shared_name"].s = shared
        handle.attr["container"].s = node.attr["container"].s
        handle.attr["dtype"].type = _dtype(node)
        handle.attr["shape"].CopyFrom(node.attr["shape"])
        self._made.append(handle)
        self._read(node.name, _Alias(handle.name, _dtype(node)), [])

    def _read(self, name: str, alias: _Alias, waits: list[str]) -> None:
        made = messages.NodeDef(name=name, op="ReadVariableOp", input=[alias.handle, *waits])
        if alias.after is not None and f"^{alias.after}" not in waits:
            made.input.append(f"^{alias.after}")
        made.attr["dtype"].type = alias.dtype
        self._made.append(made)

    def _make_change(self, node: Any, first: _Alias) -> None:
        """A step, and a read of the old name behind it."""
        change = _CHANGES[node.op]
        made = self._copy(node, change.op, change.references)
        made.name = _step_name(node.name)
        if change.op.startswith("Assign"):
            _drop(made, "use_locking", "validate_shape")
        if change.op.startswith("Assign") or change.op.startswith("ResourceScatter"):
            kind = "dtype" if not change.op.startswith("ResourceScatterNd") else "T"
            _drop(made, "T")
            made.attr[kind].type = first.dtype
        self._read(node.name, first._replace(after=made.name), [])

    def _make_plain(self, node: Any) -> None:
        self._copy(node, _JOINED.get(node.op, "Select" if node.op == "RefSelect" else node.op), 0)

    def _copy(self, node: Any, op: str, references: int) -> Any:
        """The node with another op: its first inputs are handles, and the rest values."""
        made = messages.NodeDef()
        made.CopyFrom(node)
        made.op = op
        del made.input[:]
        waits = [text for text in node.input if text.startswith("^")]
        for place, text in enumerate(node.input):
            alias = self._alias(text)
            if alias is None:
                made.input.append(text)
            elif place < references:
                made.input.append(alias.handle)
                if alias.after is not None:
                    waits.append(f"^{alias.after}")
            else:
                made.input.append(self._value_for(node, place, text, alias, waits))
        known = {*made.input}
        made.input.extend(text for text in dict.fromkeys(waits) if text not in known)
        self._made.append(made)
        return made

    def _value_for(self, node: Any, place: int, text: str, alias: _Alias, waits: list[str]) -> str:
        """The tensor for a node that wants a value: a read that waits for what the node does.

        TensorFlow's kernels see the memory of the variable as it is when they begin.
        """
        name = text.partition(":")[0]
        if node.op not in _FLOW:
            others = [t for t in node.input if not t.startswith("^") and self._alias(t) is None]
            sources = [t.partition(":")[0] for t in others]
            waits = [*waits, *(f"^{source}" for source in sources if source in self._late)]
        if not waits and self._nodes[name].op not in _PASSED:
            return text
        own = f"{node.name}/_read_{place}"
        self._read(own, alias, list(dict.fromkeys(waits)))
        return own


def _drop(node: Any, *keys: str) -> None:
    for key in keys:
        if key in node.attr:
            del node.attr[key]


def _step_name(name: str) -> str:
    return f"{name}/_step"


def _dtype(node: Any) -> int:
    kind = int(node.attr["dtype"].type)
    return kind - _REFERENCES if kind > _REFERENCES else kind
