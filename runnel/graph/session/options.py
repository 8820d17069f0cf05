"""What the messages `RunOptions` and `CallableOptions` ask of a session."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from runnel.core.values.deadlines import within
from runnel.graph.session.timing import tracing, write_stats

if TYPE_CHECKING:
    from runnel.graph.session.session import BaseSession


def described_run(
    session: BaseSession, run: Callable[[], Any], options: Any, run_metadata: Any
) -> Any:
    """The result of `run`; `run_metadata` gets what the options ask for: times, graphs."""
    if options is not None and not hasattr(options, "trace_level"):
        raise TypeError(f"Session.run: `options` must be a RunOptions, got {options!r}.")
    if run_metadata is not None and not hasattr(run_metadata, "step_stats"):
        raise TypeError(f"Session.run: `run_metadata` is no RunMetadata, got {run_metadata!r}.")
    traced = options is not None and run_metadata is not None and options.trace_level
    patience = 0 if options is None else options.timeout_in_ms
    trace: AbstractContextManager[Any] = tracing() if traced else nullcontext([])
    with within(patience), trace as taken:
        result = run()
    if run_metadata is not None:
        run_metadata.Clear()
    if traced:
        write_stats(run_metadata.step_stats, taken, session.list_devices()[0].name)
    if run_metadata is not None and options is not None and options.output_partition_graphs:
        run_metadata.partition_graphs.append(session.graph_def)
    return result


def callable_of(session: BaseSession, options: Any) -> Callable[..., list[Any]]:
    """A function from the values of `feed` to those of `fetch`, which runs the `target` as well.

    A connection gives a tensor the value of another one, which is computed before.
    """
    if options.feed_devices or options.fetch_devices or options.fetch_skip_sync:
        raise NotImplementedError("CallableOptions: feed_devices, fetch_devices, fetch_skip_sync.")
    fed, fetched = list(options.feed), list(options.fetch)
    wanted = fetched + list(options.target)
    sources = [connection.from_tensor for connection in options.tensor_connection]
    fed_within = fed + [connection.to_tensor for connection in options.tensor_connection]
    inner = session.make_callable(wanted, fed_within)
    before = session.make_callable(sources, fed) if sources else None

    def call(*values: Any, run_metadata: Any = None) -> list[Any]:
        if len(values) != len(fed):
            raise TypeError(f"The callable takes {len(fed)} values, got {len(values)}.")

        def run() -> Any:
            return inner(*values, *(before(*values) if before else ()))

        found = described_run(session, run, options.run_options, run_metadata)
        return found[: len(fetched)]  # type: ignore[no-any-return]

    return call
