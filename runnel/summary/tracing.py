"""`tf.summary.trace_on` and its like: the graphs and profiles of what runs, which are not kept."""

from __future__ import annotations

from typing import Any


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Begin to collect what runs: not implemented; `tf.summary.graph` writes a function's graph.

    >>> tf.summary.trace_on(graph=False)
    """
    if profiler_outdir is not None:
        raise NotImplementedError("tf.summary.trace_on: profiler_outdir=")
    if profiler:
        raise NotImplementedError("tf.summary.trace_on: profiler=True")
    if graph:
        raise NotImplementedError(
            "tf.summary.trace_on: graph=True. Use tf.summary.graph(concrete_function.graph)."
        )


def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Write what was collected: an error, since `trace_on` collects nothing."""
    raise ValueError(
        f"tf.summary.trace_export({name!r}, step={step}, profiler_outdir={profiler_outdir}): "
        "tracing must be enabled with tf.summary.trace_on before."
    )


def trace_off() -> None:
    """Stop collecting, without writing anything."""
