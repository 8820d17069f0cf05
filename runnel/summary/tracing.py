"""`tf.summary.trace_on` and its like: the graphs of functions that run, and profiles of them."""

from __future__ import annotations

import threading
from typing import Any

from runnel.core.op.context import state
from runnel.core.op.observing import Observer, ignore, observe
from runnel.core.protos import messages
from runnel.core.settings.logging import warning
from runnel.core.values.errors import UnavailableError
from runnel.graph.graphdef.as_call_graph import called_form
from runnel.profiler import sessions
from runnel.summary.metadata import metadata
from runnel.summary.writing import summary_scope, write


class _Trace(Observer):
    """What is collected between `trace_on` and `trace_export`."""

    def __init__(self, *, graph: bool, profiler: bool, profiling: bool) -> None:
        self.profiling = profiling  # whether there is a profile, for which a folder was given
        self.plugin = "graph_run_metadata_graph" if graph and not profiler else "graph_run_metadata"
        self.collects = graph or profiler
        self._functions: list[Any] = []

    def planned(self, function: Any) -> None:
        self._functions.append(function)

    def message(self) -> bytes:
        """The graphs as `RunMetadata`. What XLA makes of them is no graph of TensorFlow's ops."""
        found = messages.RunMetadata()
        for function in list(self._functions):
            graph = called_form(function.graph, function.inputs, function.outputs)
            found.function_graphs.add().pre_optimization_graph.CopyFrom(graph)
        return found.SerializeToString()  # type: ignore[no-any-return]


class _Current:
    """The one trace of a process."""

    lock = threading.Lock()
    trace: _Trace | None = None


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Begin to collect the graphs of functions that run for the first time from here on.

    With `profiler`, a profile of what runs is written to `profiler_outdir` as well.

    >>> tf.summary.trace_on(graph=True)
    >>> tf.function(lambda x: x + 1)(tf.constant(1)).numpy()
    np.int32(2)
    >>> tf.summary.trace_export("my_function", step=0)  # to the default writer, if there is one
    """
    if state.graph is not None:
        warning("tf.summary.trace_on: a trace cannot begin inside a tf.function.")
        return
    with _Current.lock:
        if _Current.trace is not None:
            warning("tf.summary.trace_on: a trace has begun already.")
            return
        if profiler and profiler_outdir is None:
            warning("tf.summary.trace_on: there is no profile without a `profiler_outdir`.")
        profiling = profiler and profiler_outdir is not None
        if profiling:
            sessions.start(profiler_outdir)
        trace = _Trace(graph=bool(graph), profiler=bool(profiler), profiling=bool(profiling))
        _Current.trace = trace
        if trace.collects:
            observe(trace)


def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Write what was collected since `trace_on` as a summary named `name`, and collect no more.

    TensorBoard's page of graphs shows it under that name.
    """
    if state.graph is not None:
        warning("tf.summary.trace_export: a trace cannot be written inside a tf.function.")
        return
    trace = _Current.trace
    if trace is None:
        raise ValueError("tf.summary.trace_export: call tf.summary.trace_on before.")
    if profiler_outdir is not None and trace.profiling:
        warning("tf.summary.trace_export: the profile is where trace_on said, not here.")
    with summary_scope(name, f"{trace.plugin}_summary") as (tag, _):
        write(tag, trace.message, step, metadata(trace.plugin, None, b"1"))
    _end(trace)
    if trace.profiling:
        sessions.stop()


def trace_off() -> None:
    """Collect no more, and forget what was collected; a profile is written all the same."""
    trace = _Current.trace
    if trace is None:
        return
    _end(trace)
    if trace.profiling:
        try:
            sessions.stop()
        except UnavailableError as error:
            warning(f"tf.summary.trace_off: {error}")


def _end(trace: _Trace) -> None:
    with _Current.lock:
        if _Current.trace is trace:
            _Current.trace = None
            ignore(trace)
