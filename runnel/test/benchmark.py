"""`tf.test.Benchmark`: what a benchmark measured, printed and written to a file."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runnel.core.protos import messages
from runnel.core.values import nest


class Benchmark:
    """A base for benchmarks; each is a method whose name begins with `benchmark`.

    With TEST_REPORT_FILE_PREFIX in the environment, each report is also written to a file of that
    prefix, as a `BenchmarkEntries` message.
    """

    def _caller(self) -> str:
        """The method that is being measured: the outermost one of a benchmark."""
        for frame in reversed(inspect.stack()):
            if isinstance(frame.frame.f_locals.get("self"), Benchmark):
                return frame.function
        raise AssertionError("this method is one of a benchmark")

    def _name(self, overwrite_name: str | None) -> str:
        return f"{type(self).__name__}.{overwrite_name or self._caller()}"

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: Mapping[str, Any] | None = None,
        name: str | None = None,
        metrics: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Print what was measured, and write it down."""
        _check_kind("extras", extras, dict)
        _check_kind("metrics", metrics, list)
        entries = messages.BenchmarkEntries()
        entry = entries.entry.add(name=self._name(name))
        given = {
            "iters": iters,
            "cpu_time": cpu_time,
            "wall_time": wall_time,
            "throughput": throughput,
        }
        for field, value in given.items():
            if value is not None:
                setattr(entry, field, value)
        for key, value in (extras or {}).items():
            kind = "double_value" if isinstance(value, float | int) else "string_value"
            setattr(entry.extras[key], kind, value if kind == "double_value" else str(value))
        for metric in metrics or ():
            _add_metric(entry, metric)
        print(entries)
        prefix = os.environ.get("TEST_REPORT_FILE_PREFIX")
        if prefix:
            with open(f"{prefix}{entry.name.replace('/', '__')}", "wb") as file:
                file.write(entries.SerializeToString())

    def evaluate(self, tensors: Any) -> Any:
        """The values of the tensors in a structure."""
        return nest.map_structure(lambda t: t.numpy() if hasattr(t, "numpy") else t, tensors)

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: Mapping[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """How long a function takes: `op_or_tensor` is called, for there are no sessions."""
        if not callable(op_or_tensor) or sess is not None or feed_dict or store_trace:
            raise NotImplementedError(
                "tf.test.Benchmark.run_op_benchmark: there are no sessions. Give a function, and "
                "None as the session."
            )
        for _ in range(burn_iters):
            op_or_tensor()
        times = []
        for _ in range(min_iters):
            start = time.perf_counter()
            self.evaluate(op_or_tensor())
            times.append(time.perf_counter() - start)
        median = float(np.median(times))
        extra = {"wall_time_mean": float(np.mean(times)), **(extras or {})}
        throughput = mbs / median if mbs else None
        report = {"iters": min_iters, "wall_time": median, "throughput": throughput}
        self.report_benchmark(**report, extras=extra, name=name)  # type: ignore[arg-type]
        return {"name": self._name(name), **report, "extras": extra}

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether the class measures nothing itself."""
        return not any(name.startswith("benchmark") for name in dir(cls))


def _check_kind(name: str, value: Any, kind: type) -> None:
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"`{name}` must be a {kind.__name__}, got {value!r}.")


def _add_metric(entry: Any, metric: Mapping[str, Any]) -> None:
    if "name" not in metric or "value" not in metric:
        raise TypeError(f"A metric has a name and a value, got {metric!r}.")
    added = entry.metrics.add(name=metric["name"], value=metric["value"])
    for bound in ("min_value", "max_value"):
        if metric.get(bound) is not None:
            getattr(added, bound).value = metric[bound]


def benchmark_config() -> Any:
    """A ConfigProto in which operations are run as they stand, without rewriting."""
    config = messages.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = 2
    return config
