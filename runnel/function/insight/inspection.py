"""What a `tf.function` tells about its traces."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from runnel.core.op.context import state
from runnel.core.values import nest
from runnel.core.values.type_spec import TensorSpec
from runnel.function.concrete import ConcreteFunction
from runnel.function.function_type import FunctionType
from runnel.function.insight.compiler_ir import check_target, compiler_ir
from runnel.function.insight.explain import Report, Trace
from runnel.function.traces import Traces

if TYPE_CHECKING:
    from collections import deque


class Inspection:
    """The questions that can be put to a `tf.function`; none of them is asked by a call."""

    _name: str
    _options: Mapping[str, Any]
    _traces: Traces
    _log: deque[Trace]
    _count: int
    _discarded: int

    @abstractmethod
    def _bind(self, args: Any, kwargs: dict[str, Any]) -> tuple[FunctionType, list[Any]]: ...

    @abstractmethod
    def _trace_for(self, kind: FunctionType) -> ConcreteFunction: ...

    @property
    def _concrete_variable_creation_fn(self) -> ConcreteFunction | None:
        """The first trace, None before there is one; libraries look at its graph."""
        return next((trace.concrete() for trace in self._log), None)

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """A function from a stage of the compiler to the program there, for such arguments.

        >>> fn = tf.function(lambda x: x + 1.0, jit_compile=True)
        >>> print(fn.experimental_get_compiler_ir(tf.ones([3]))(stage="hlo")[:9])
        HloModule
        """
        if not self._options.get("jit_compile"):
            raise ValueError("Compiler IR can be had of functions with jit_compile=True only.")
        kind, given = self._bind(args, kwargs)
        concrete = self._trace_for(kind)
        specs = [leaf for leaf in nest.flatten(given) if isinstance(leaf, TensorSpec)]
        inputs = specs or kind.tensors(given)

        def generate(
            stage: str = "hlo", device_name: str | None = None, platform_name: str | None = None
        ) -> str | bytes:
            check_target(stage, device_name, platform_name)
            return compiler_ir(concrete, inputs, stage)

        return generate

    def experimental_get_tracing_count(self) -> int:
        """How often the function has been traced; twice for a first call that makes variables."""
        return self._count + self._discarded

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        """All traces, each once."""
        return self._traces.each()

    def _saved_traces(self) -> list[ConcreteFunction]:
        """All traces, each once; those of single replicas are made anew, as outside of strategies.

        A file knows one value of a variable, and no replicas.
        """
        traces: list[Any] = self._traces.items()
        outer, state.strategies = state.strategies, ()
        try:
            found = [
                concrete if kind.seen is None or kind.seen[1] is None else self._anew(kind)
                for kind, concrete in traces
            ]
        finally:
            state.strategies = outer
        return list({id(concrete): concrete for concrete in found}.values())

    def _anew(self, kind: Any) -> ConcreteFunction:
        return self._trace_for(FunctionType(kind.each))

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all traces, for people."""
        between = "\n\n" if verbose else "\n"
        return between.join(c.pretty_printed_signature(verbose) for c in self._traces.each())

    def explain(self) -> Report:
        """Why each trace was made, how its graph is cut, and what it cost.

        Printed, the report is a page of text; in a notebook it is a drawing of the segments.

        >>> fn = tf.function(lambda x: x + 1)
        >>> _ = fn(1), fn(2)
        >>> report = fn.explain()
        >>> report
        <Report of <lambda>: 2 traces, 0 segments, 0 operations on the host; print it for more>
        >>> [str(change.new) for change in report.traces[1].changes]
        ['Literal[2]']
        """
        log, first = list(self._log), self._count - len(self._log) + 1
        return Report(self._name, self._count, [t.report(first + i) for i, t in enumerate(log)])
