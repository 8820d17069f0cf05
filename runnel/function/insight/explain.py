"""`fn.explain()`: why a function was traced, how its graphs are cut, and what that cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runnel.function.insight.report_page import page, svg
from runnel.function.insight.retracing import Change
from runnel.graph.capacity.programs import Roomy
from runnel.graph.run.effects import graphs_in
from runnel.graph.run.nested import is_host
from runnel.graph.run.plan import Plan
from runnel.graph.run.program import Node, Program, program_of
from runnel.graph.run.segment import Segment

if TYPE_CHECKING:
    from runnel.function.concrete import ConcreteFunction


@dataclass
class Trace:
    """What is remembered of one trace."""

    signature: str
    changes: list[Change]
    seconds: float
    concrete: Any  # a function that gives the ConcreteFunction, or None when it is gone
    times: int = 1  # how often the Python function ran for it: twice, if it made variables

    def report(self, number: int) -> TraceReport:
        concrete: ConcreteFunction | None = self.concrete()
        plans = {} if concrete is None else concrete.plans()
        return TraceReport(
            number,
            self.signature,
            self.changes,
            self.seconds,
            0 if concrete is None else len(concrete.graph.get_operations()),
            [PlanReport.of(label, plan) for label, plan in plans.items()],
        )


@dataclass
class Cut:
    """An operation that runs on the host, between two compiled segments."""

    op: str
    name: str
    why: str
    where: str

    def __str__(self) -> str:
        return f"{self.op} {self.name!r} runs on the host: {self.why} ({self.where})"


@dataclass
class SegmentReport:
    """One compiled piece: its operations, and the seconds to compile it at each concrete shape."""

    operations: int
    compile_seconds: dict[Any, float] = field(default_factory=dict)
    well_seconds: dict[Any, float | None] = field(default_factory=dict)  # after first versions

    def version_at(self, shapes: Any) -> str:
        """Whether a first version runs at some shapes, or did."""
        if shapes not in self.well_seconds:
            return ""
        seconds = self.well_seconds[shapes]
        if seconds is None:
            return ": a first version, compiled quickly, which runs still"
        return f": a first version; compiled well meanwhile in {seconds:.3f} s"


@dataclass
class PlanReport:
    """How one graph is run: `forward`, or that of its gradient."""

    label: str
    operations_traced: int
    operations_needed: int
    operations: int  # after the passes
    passes: dict[str, int]  # how many operations each pass took away
    interpreted: bool
    cuts: list[Cut]
    segments: list[SegmentReport]
    inner: list[PlanReport] = field(default_factory=list)  # of loops and branches on the host
    slower: list[Any] = field(default_factory=list)  # shapes that run no faster when compiled
    stages: list[Cut | SegmentReport] = field(default_factory=list)  # both, in order
    shapes_met: int = 0
    capacities: dict[str, list[int]] = field(default_factory=dict)  # of loops, by their names

    @classmethod
    def of(cls, label: str, plan: Plan) -> PlanReport:
        stages = plan.stages()
        segments = [s for s in stages if isinstance(s, Segment)]
        counts = _Counts()
        counts.add(plan.program)
        reports = [_cut(plan, s) if isinstance(s, Node) else _segment(s) for s in stages]
        return cls(
            label,
            plan.traced + counts.traced_inside,
            counts.needed,
            counts.left,
            counts.passes,
            not any(s.compile_seconds.items() for s in segments),
            [report for report in reports if isinstance(report, Cut)],
            [report for report in reports if isinstance(report, SegmentReport)],
            [PlanReport.of(*pair) for s in stages if isinstance(s, Node) for pair in _inner(s)],
            plan.patience.not_compiled(),
            reports,
            plan.patience.met,
            dict(_capacities(plan.program)),
        )

    def lines(self) -> list[str]:
        count = f"{self.operations_traced} operations traced, {self.operations_needed} needed"
        passes = ", ".join(f"{count} {name}" for name, count in self.passes.items())
        count += f", {self.operations} after the passes" + (f" ({passes})" if passes else "")
        found = [f"  {self.label}: {count}; {_pieces(self.segments)}"]
        found += [f"    cut: {cut}" for cut in self.cuts]
        if self.interpreted:
            found.append("    not compiled: interpreted so far, operation by operation")
        compiled = {shapes for s in self.segments for shapes, _ in s.compile_seconds.items()}
        if self.shapes_met > len(compiled) > 0:
            found.append(f"    interpreted at {self.shapes_met - len(compiled)} other shapes")
        for name, sizes in self.capacities.items():
            upto = ", ".join(map(str, sizes))
            found.append(f"    {name!r} runs as one program for up to {upto} iterations then")
        for number, segment in enumerate(self.segments):
            piece = f"segment {number} ({segment.operations} operations)"
            for shapes, seconds in segment.compile_seconds.items():
                took = f"compiled and first run in {seconds:.3f} s"
                found.append(f"    {piece}: {took} at {_shown(shapes)}{segment.version_at(shapes)}")
        for shapes in self.slower:
            found.append(f"    interpreted, which is faster than these pieces, at {_shown(shapes)}")
        found += [f"  {line}" for plan in self.inner for line in plan.lines()]
        return found


def _shown(shapes: Sequence[Any]) -> str:
    return ", ".join(map(str, shapes)) or "no inputs"


def _inner(node: Node) -> Iterator[tuple[str, Plan]]:
    """The plans of the graphs inside an operation that have run from the host, by their names."""
    for graph in graphs_in(node.operation):
        for key, plan in graph.programs.items():
            if isinstance(plan, Plan):
                name = f"some iterations of {graph.name}" if key[0] == "part" else graph.name
                yield f"{name} of {node.operation.name!r}", plan
    chunks = node.attrs.get("chunks")
    if chunks is not None and chunks.has_run:
        yield f"a chunk of {node.operation.name!r}", chunks.plan


def _capacities(program: Program) -> Iterator[tuple[str, list[int]]]:
    """For how many iterations at most there are programs for loops of many lengths."""
    for node in program.nodes:
        for graph in graphs_in(node.operation):
            for made in graph.programs.values():
                if isinstance(made, Roomy) and made.capacities:
                    yield node.operation.name, made.capacities


class _Counts:
    """The operations of a program, with those in its loops and branches."""

    def __init__(self) -> None:
        self.traced_inside = self.needed = self.left = 0
        self.passes: dict[str, int] = {}

    def add(self, program: Program) -> None:
        self.needed += program.needed
        self.left += len(program.nodes)
        for name, count in program.passes.items():
            self.passes[name] = self.passes.get(name, 0) + count
        for node in program.nodes:
            for graph in graphs_in(node.operation):
                self.traced_inside += len(graph.get_operations())
                self.add(program_of(graph))


def _pieces(segments: Sequence[SegmentReport]) -> str:
    return "1 segment" if len(segments) == 1 else f"{len(segments)} segments"


def _cut(plan: Plan, node: Node) -> Cut:
    operation = node.operation
    return Cut(operation.type, operation.name, _reason(plan, node), operation.where)


def _segment(segment: Segment) -> SegmentReport:
    seconds, well = dict(segment.compile_seconds.items()), dict(segment.well_seconds.items())
    return SegmentReport(len(segment.nodes), seconds, well)


def _reason(plan: Plan, node: Node) -> str:
    return plan.cuts[id(node)] if id(node) in plan.cuts else _nature(node)


def _nature(node: Node) -> str:
    """Why XLA can compile an operation of this kind nowhere."""
    for graph in graphs_in(node.operation):
        for inner in program_of(graph).nodes:
            if is_host(inner.operation):
                made = inner.operation
                return f"{made.type} {made.name!r} inside it ({made.where}): {_nature(inner)}"
    if node.op.traits.effects == "python":
        return "it runs a Python function"
    if node.op.stateful:
        return "it acts on the world outside the program"
    if any(t.dtype.name == "string" for t in (*node.operation.inputs, *node.operation.outputs)):
        return "XLA has no strings"
    if node.op.host:
        return "the shape of its result depends on values, or XLA has no kernel for it"
    return "XLA lacks one of its dtypes"


@dataclass
class TraceReport:
    """One trace: why it was made, and how it runs."""

    number: int
    signature: str
    changes: list[Change]
    seconds: float
    operations: int
    plans: list[PlanReport]

    def lines(self) -> list[str]:
        found = [f"Trace {self.number}: {self.signature}"]
        if self.number == 1:
            found.append("  why: the first call")
        elif self.changes:
            found += [f"  why: {change}" for change in self.changes]
        else:
            found.append("  why: it uses tensors of the function that called it")
        found.append(f"  traced in {self.seconds:.3f} s: {self.operations} operations")
        for plan in self.plans:
            found += plan.lines()
        return found


@dataclass(repr=False)
class Report:
    """All traces of a function. Printed it is a page of text, in a notebook a drawing."""

    name: str
    count: int
    traces: list[TraceReport]

    def head(self) -> str:
        """How often the function was traced."""
        times = "once" if self.count == 1 else f"{self.count} times"
        head = f"{self.name} was traced {times}."
        return f"{head} The last {len(self.traces)}:" if len(self.traces) < self.count else head

    def __str__(self) -> str:
        return "\n".join([self.head(), *[line for trace in self.traces for line in trace.lines()]])

    def __repr__(self) -> str:
        plans = [plan for trace in self.traces for plan in trace.plans]
        segments, cuts = (sum(len(getattr(p, n)) for p in plans) for n in ("segments", "cuts"))
        return (
            f"<Report of {self.name}: {self.count} traces, {segments} segments, {cuts} operations "
            "on the host; print it for more>"
        )

    def _repr_html_(self) -> str:
        return page(self)

    def svg(self) -> str:
        """The stages of what was traced last, as the text of an SVG file."""
        plans = [plan for trace in self.traces for plan in trace.plans]
        if not plans:
            raise ValueError(f"{self.name} has not run yet: there is nothing to draw.")
        return svg(plans[-1])

    def save(self, path: str) -> None:
        """Write the drawing as an SVG file, or the whole page if the name ends in `.html`."""
        text = f"<!doctype html>{page(self)}" if path.endswith(".html") else self.svg()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
