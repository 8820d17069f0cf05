"""`tf.compat.v1.profiler`: what a graph holds and its runs took, by scope, by op and by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from runnel.core.files import files
from runnel.core.protos import messages
from runnel.core.values.errors import InvalidArgumentError
from runnel.graph.session.default import get_default_graph
from runnel.v1.profile.counting import float_ops
from runnel.v1.profile.options import TRAINABLE, ProfileOptionBuilder

AdviceProto = messages.AdviceProto
GraphNodeProto = messages.GraphNodeProto
MultiGraphNodeProto = messages.MultiGraphNodeProto
OpLogProto = messages.OpLogProto

_ROOT = "_TFProfRoot"
_FIELDS = (
    "exec_micros cpu_exec_micros requested_bytes peak_bytes output_bytes parameters float_ops"
).split()
_ASKED = {  # the names of numbers in options, and in messages
    "bytes": "requested_bytes",
    "micros": "exec_micros",
    "cpu_micros": "cpu_exec_micros",
    "params": "parameters",
    **{name: name for name in ("peak_bytes", "output_bytes", "float_ops")},
}
_HOLDING = frozenset({"VariableV2", "VarHandleOp", "Placeholder"})  # what counts as parameters


@dataclass
class _Row:
    """An operation, or all below a scope, of an op or from a line."""

    name: str
    types: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)
    runs: int = 0
    definitions: int = 1
    devices: set[str] = field(default_factory=set)
    shapes: list[Any] = field(default_factory=list)
    below: list[_Row] = field(default_factory=list)
    is_operation: bool = False
    totals: dict[str, int] = field(default_factory=dict)

    def number(self, key: str) -> int:
        return self.numbers.get(key, 0)

    def add(self, other: _Row) -> None:
        """Count another one among this."""
        for key, value in other.numbers.items():
            self.numbers[key] = self.number(key) + value
        self.runs += other.runs
        self.devices |= other.devices

    def sum_up(self) -> None:
        """The totals of this and of what is below."""
        self.totals = dict(self.numbers)
        self.totals["run_count"] = self.runs
        self.totals["definition_count"] = self.definitions
        for row in self.below:
            for key, value in row.totals.items():
                self.totals[key] = self.totals.get(key, 0) + value


def _rows(graph: Any, run_meta: Any, op_log: Any) -> list[tuple[Any, _Row]]:
    """Each operation of a graph with what is known of it."""
    trained = {v.op.name for v in graph.get_collection("trainable_variables")}
    noted = {} if op_log is None else {entry.name: entry for entry in op_log.log_entries}
    found = []
    for operation in graph.get_operations():
        row = _Row(operation.name, {operation.type}, is_operation=True)
        if operation.type in _HOLDING:
            shape = operation.get_attr("shape")
            row.shapes = [shape]
            row.numbers["parameters"] = _elements(shape)
            row.types |= {TRAINABLE} if operation.name in trained else set()
        row.numbers["float_ops"] = float_ops(operation)
        entry = noted.get(operation.name)
        if entry is not None:
            row.types |= set(entry.types)
            row.numbers["float_ops"] = entry.float_ops or row.number("float_ops")
        found.append((operation, row))
    if run_meta is not None:
        _add_run(run_meta, {row.name: row for _, row in found})
    return found


def _elements(shape: Any) -> int:
    count = 1
    for dim in shape.dim:
        count *= max(0, dim.size)
    return count


def _add_run(run_meta: Any, rows: Mapping[str, _Row]) -> None:
    """Note what operations took in a run."""
    for device in run_meta.step_stats.dev_stats:
        for stats in device.node_stats:
            row = rows.get(stats.node_name)
            if row is None:
                continue
            row.runs += 1
            row.devices.add(device.device)
            row.types.add(device.device)
            outputs = [o.tensor_description.allocation_description for o in stats.output]
            took = {
                "exec_micros": stats.op_end_rel_micros,
                "cpu_exec_micros": stats.op_end_rel_micros,
                "requested_bytes": sum(m.total_bytes for m in stats.memory),
                "peak_bytes": sum(m.peak_bytes for m in stats.memory),
                "output_bytes": sum(o.requested_bytes for o in outputs),
            }
            for key, value in took.items():
                row.numbers[key] = row.number(key) + value


def _matches(patterns: Iterable[str], texts: Iterable[str]) -> bool:
    return any(re.fullmatch(pattern, text) for pattern in patterns for text in texts)


class _View:
    """What of the rows is shown, by the options."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = {**ProfileOptionBuilder().build(), **options}
        for key in ("min_residual_bytes", "min_accelerator_micros"):
            if self._options[key]:
                raise NotImplementedError(f"profile: {key} asks for what is not known of a run.")
        for name in (*self._options["select"], self._options["order_by"]):
            if name not in {*_ASKED, "name", "depth", "occurrence", "op_types", "device"}:
                raise NotImplementedError(f"profile: {name!r} is not known of operations.")

    def accounts(self, row: _Row) -> bool:
        return _matches(self._options["account_type_regexes"], row.types)

    def shows(self, row: _Row, depth: int) -> bool:
        if row.name == _ROOT:
            return True
        options = self._options
        small = any(row.number(key) < options[f"min_{name}"] for name, key in _ASKED.items())
        if small or depth > options["max_depth"] or row.definitions < options["min_occurrence"]:
            return False
        shown = _matches(options["show_name_regexes"], [row.name])
        return shown and not _matches(options["hide_name_regexes"], [row.name])

    def ordered(self, rows: list[_Row]) -> list[_Row]:
        key = self._options["order_by"]
        if key not in _ASKED:
            return sorted(rows, key=lambda row: row.name)
        return sorted(rows, key=lambda row: (-row.totals.get(_ASKED[key], 0), row.name))

    def tree(self, rows: Sequence[_Row], depth: int = 1) -> list[_Row]:
        """The rows that are shown, with those that are shown below them."""
        found = []
        for row in rows:
            if _matches(self._options["trim_name_regexes"], [row.name]):
                below: list[_Row] = []
            else:
                below = self.tree(row.below, depth + 1)
            row.sum_up()
            if not self.shows(row, depth):
                found += below
                continue
            row.below = below
            if self._options["account_displayed_op_only"]:
                row.sum_up()
            row.below = self.ordered(below)
            found.append(row)
        return found

    def write(self, root: _Row, line: Callable[[_Row], str]) -> None:
        """Print the rows, or write them to a file."""
        kind, _, where = str(self._options["output"]).partition(":outfile=")
        if kind == "none":
            return
        if kind not in ("stdout", "file"):
            raise NotImplementedError(f"profile: the output {kind!r} is not supported.")
        text = "\n".join(self._lines(root, 0, line))
        if kind == "file":
            files.write_whole(where, text.encode())
        else:
            print(text)

    def _lines(self, row: _Row, depth: int, line: Callable[[_Row], str]) -> Iterable[str]:
        yield f"{'  ' * depth}{line(row)}"
        for inner in row.below:
            yield from self._lines(inner, depth + 1, line)

    def line(self, row: _Row) -> str:
        """A row as text: its own numbers, and those with all below."""
        told = [
            f"{row.number(_ASKED[name])}/{row.totals.get(_ASKED[name], 0)} {name}"
            for name in self._options["select"]
            if name in _ASKED
        ]
        return f"{row.name} ({', '.join(told)})"


def _by_scope(rows: Sequence[tuple[Any, _Row]], view: _View) -> _Row:
    """A tree of the scopes in the names of operations."""
    root = _Row(_ROOT)
    known = {"": root}
    for row in sorted((r for _, r in rows if view.accounts(r)), key=lambda r: r.name):
        parts = row.name.split("/")
        for end in range(1, len(parts)):
            scope, outer = "/".join(parts[:end]), "/".join(parts[: end - 1])
            if scope not in known:
                known[scope] = _Row(scope)
                known[outer].below.append(known[scope])
        known[row.name] = row
        known["/".join(parts[:-1])].below.append(row)
    return root


def _by(key: Callable[[Any], str], rows: Sequence[tuple[Any, _Row]], view: _View) -> _Row:
    """All operations of a kind as one."""
    known: dict[str, _Row] = {}
    for operation, row in rows:
        if view.accounts(row):
            title = key(operation)
            if title not in known:
                known[title] = _Row(title, definitions=0)
            known[title].add(row)
            known[title].definitions += 1
    return _Row(_ROOT, below=list(known.values()))


def _line_of(operation: Any) -> str:
    frame = operation.traceback[-1]
    return f"{frame.filename.rpartition('/')[2]}:{frame.lineno}:{frame.name}"


def _chained(root: _Row) -> _Row:
    """Each row below the one before it, so that totals are of what is left."""
    rows, root.below = root.below, []
    for row in reversed(rows):
        row.below = root.below
        row.sum_up()
        root.below = [row]
    return root


def _message(row: _Row, kind: Any) -> Any:
    made = kind(name=row.name)
    for key in _FIELDS:
        setattr(made, key, row.number(key))
        setattr(made, f"total_{key}", row.totals.get(key, 0))
    if kind is GraphNodeProto:
        made.run_count, made.total_run_count = row.runs, row.totals["run_count"]
        made.total_definition_count = row.totals["definition_count"]
        made.devices.extend(sorted(row.devices))
        made.shapes.extend(row.shapes)
    made.children.extend(_message(inner, kind) for inner in row.below)
    return made


def profile(
    graph: Any = None,
    run_meta: Any = None,
    op_log: Any = None,
    cmd: str = "scope",
    options: Mapping[str, Any] | None = None,
) -> Any:
    """What a graph holds and, with `run_meta`, what a traced run of it took.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default() as graph:
    ...     w = v1.get_variable("w", [3, 2])
    ...     y = tf.matmul(tf.ones([4, 3]), w)
    >>> options = v1.profiler.ProfileOptionBuilder.float_operation() | {"output": "none"}
    >>> v1.profiler.profile(graph, cmd="op", options=options).children[0].float_ops
    48
    """
    if options is None:
        options = ProfileOptionBuilder.trainable_variables_parameter()
    rows = _rows(graph or get_default_graph(), run_meta, op_log)
    return _profiled(rows, cmd, options)


def _profiled(rows: Sequence[tuple[Any, _Row]], cmd: str, options: Mapping[str, Any]) -> Any:
    view = _View(options)
    if cmd == "scope":
        found = view.tree([_by_scope(rows, view)])[0]
        view.write(found, view.line)
        return _message(found, GraphNodeProto)
    if cmd not in ("op", "code"):
        if cmd == "graph":
            raise NotImplementedError("profile: cmd='graph' is not supported; use 'scope'.")
        raise InvalidArgumentError(None, None, f"profile: unknown cmd {cmd!r}.")
    key = _line_of if cmd == "code" else lambda operation: operation.type
    found = view.tree([_by(key, rows, view)])[0]
    view.write(found, view.line)
    return _message(_chained(found) if cmd == "op" else found, MultiGraphNodeProto)


class Profiler:
    """Profiles of a graph and of several of its runs.

    >>> with tf.Graph().as_default() as graph:
    ...     w = tf.compat.v1.get_variable("w", [3, 2])
    >>> options = tf.compat.v1.profiler.ProfileOptionBuilder().with_empty_output().build()
    >>> tf.compat.v1.profiler.Profiler(graph).profile_name_scope(options).total_parameters
    6
    """

    def __init__(self, graph: Any = None, op_log: Any = None) -> None:
        self._graph, self._op_log = graph or get_default_graph(), op_log
        self._steps: dict[int, list[Any]] = {}

    def add_step(self, step: int, run_meta: Any) -> None:
        """Add what a traced run took, under the number of a step."""
        self._steps.setdefault(step, []).append(run_meta)

    def _profiled(self, cmd: str, options: Mapping[str, Any]) -> Any:
        rows = _rows(self._graph, None, self._op_log)
        step = options.get("step", -1)
        runs = [m for s, held in self._steps.items() if step in (-1, s) for m in held]
        for run_meta in runs:
            _add_run(run_meta, {row.name: row for _, row in rows})
        return _profiled(rows, cmd, options)

    def profile_python(self, options: Mapping[str, Any]) -> Any:
        """By the lines of the program that made the operations."""
        return self._profiled("code", options)

    def profile_operations(self, options: Mapping[str, Any]) -> Any:
        """By the ops."""
        return self._profiled("op", options)

    def profile_name_scope(self, options: Mapping[str, Any]) -> Any:
        """By the scopes in names."""
        return self._profiled("scope", options)

    def profile_graph(self, options: Mapping[str, Any]) -> Any:
        """By what takes what."""
        return self._profiled("graph", options)

    def advise(self, options: Mapping[str, Any] | None = None) -> Any:
        """Reports of what could be better."""
        runs = [m for held in self._steps.values() for m in held]
        return advise(self._graph, runs[-1] if runs else None, options)


_CHECKERS = ("ExpensiveOperationChecker", "AcceleratorUtilizationChecker", "OperationChecker")
_MOST_REPORTED = 5


def advise(
    graph: Any = None, run_meta: Any = None, options: Mapping[str, Any] | None = None
) -> Any:
    """Reports of what could be better: here, which operations of a run took longest."""
    wanted = [*_CHECKERS, "JobChecker"] if options is None else list(options)
    made = AdviceProto()
    for name in wanted:
        made.checkers[name].SetInParent()
    if run_meta is None or "ExpensiveOperationChecker" not in wanted:
        return made
    rows = [row for _, row in _rows(graph or get_default_graph(), run_meta, None)]
    rows.sort(key=lambda row: -row.number("exec_micros"))
    total = sum(row.number("exec_micros") for row in rows)
    for row in rows[:_MOST_REPORTED]:
        took = row.number("exec_micros")
        if took:
            text = f"{row.name} took {took} µs, {100 * took / total:.1f} % of the run."
            made.checkers["ExpensiveOperationChecker"].reports.append(text)
    return made


def write_op_log(
    graph: Any, log_dir: Any, op_log: Any = None, run_meta: Any = None, add_trace: bool = True
) -> None:
    """Write a file `tfprof_log` of what is noted of operations: counts, types, lines."""
    made = OpLogProto()
    numbers: dict[str, int] = {}
    for operation, row in _rows(graph or get_default_graph(), run_meta, op_log):
        entry = made.log_entries.add(name=operation.name, float_ops=row.number("float_ops"))
        entry.types.extend(sorted(row.types - {operation.type}))
        if add_trace:
            _write_trace(entry.code_def, operation, numbers)
    for text, number in numbers.items():
        made.id_to_string[number] = text
    files.write_whole(f"{log_dir}/tfprof_log", made.SerializeToString())


def _write_trace(code: Any, operation: Any, numbers: dict[str, int]) -> None:
    """The user's line, whose texts are kept by numbers."""
    frame = operation.traceback[-1]
    texts = (frame.filename, frame.name, frame.line or "")
    file, function, line = [numbers.setdefault(t, len(numbers) + 1) for t in texts]
    code.traces.add(file_id=file, lineno=frame.lineno, function_id=function, line_id=line)
