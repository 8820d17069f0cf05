"""Benchmarks with parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class ParameterizedBenchmark(type):
    """The metaclass of benchmarks that are run once for each row of `_benchmark_parameters`.

    A row is a tuple: its name, which ends the names of the methods, and the arguments.
    """

    def __new__(
        mcs, name: str, bases: tuple[type, ...], attrs: dict[str, Any]
    ) -> ParameterizedBenchmark:
        rows = attrs["_benchmark_parameters"]
        made = {k: v for k, v in attrs.items() if not k.startswith("benchmark")}
        for method_name in attrs.keys() - made.keys():
            for row, *arguments in rows:
                method = _with_arguments(attrs[method_name], arguments)
                method.__name__ = f"{method_name}__{row}"
                made[method.__name__] = method
        return super().__new__(mcs, name, bases, made)


def _with_arguments(function: Any, arguments: list[Any]) -> Callable[[Any], Any]:
    return lambda self: function(self, *arguments)
