"""What a profile is asked for: which operations, in what order, with which numbers."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

TRAINABLE = "_trainable_variables"  # the type that is noted on variables which are trained
_LEAST = "bytes peak_bytes residual_bytes output_bytes micros accelerator_micros cpu_micros"
_USUAL = {
    "max_depth": 100,
    **{f"min_{name}": 0 for name in (*_LEAST.split(), "params", "float_ops", "occurrence")},
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": ["micros"],
    "step": -1,
    "output": "stdout",
}
_WHOLE = {**_USUAL, "max_depth": 10000, "account_displayed_op_only": True}


class ProfileOptionBuilder:
    """Puts together the options of `tf.compat.v1.profiler.profile`.

    >>> builder = tf.compat.v1.profiler.ProfileOptionBuilder()
    >>> builder.with_max_depth(3).select(["params"]).build()["select"]
    ['params']
    """

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self._options: dict[str, Any] = copy.deepcopy(dict(_USUAL if options is None else options))

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """How many numbers the variables hold that are trained."""
        wanted = {"account_type_regexes": [TRAINABLE], "select": ["params"]}
        return copy.deepcopy({**_WHOLE, **wanted})

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """How many operations on numbers a run takes."""
        wanted = {"min_float_ops": 1, "order_by": "float_ops", "select": ["float_ops"]}
        return copy.deepcopy({**_WHOLE, **wanted})

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> dict[str, Any]:
        """How long operations took, and how much memory."""
        least = {key: value for key, value in locals().items() if key.startswith("min_")}
        wanted = {"order_by": "micros", "select": ["micros", "bytes"], **least}
        return copy.deepcopy({**_WHOLE, **wanted})

    def build(self) -> dict[str, Any]:
        """The options."""
        return copy.deepcopy(self._options)

    def _with(self, **options: Any) -> ProfileOptionBuilder:
        self._options.update(copy.deepcopy(options))
        return self

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        return self._with(max_depth=max_depth)

    def with_min_memory(
        self,
        min_bytes: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> ProfileOptionBuilder:
        return self._with(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> ProfileOptionBuilder:
        return self._with(
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
        )

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> ProfileOptionBuilder:
        return self._with(account_type_regexes=account_type_regexes)

    def with_node_names(
        self,
        start_name_regexes: Sequence[str] | None = None,
        show_name_regexes: Sequence[str] | None = None,
        hide_name_regexes: Sequence[str] | None = None,
        trim_name_regexes: Sequence[str] | None = None,
    ) -> ProfileOptionBuilder:
        given = {key: value for key, value in locals().items() if key.endswith("_regexes")}
        return self._with(**{key: value for key, value in given.items() if value is not None})

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        return self._with(account_displayed_op_only=is_true)

    def with_empty_output(self) -> ProfileOptionBuilder:
        return self._with(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        return self._with(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> ProfileOptionBuilder:
        return self._with(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file: str) -> ProfileOptionBuilder:
        return self._with(output=f"pprof:outfile={pprof_file}")

    def with_step(self, step: int) -> ProfileOptionBuilder:
        return self._with(step=step)

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        return self._with(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> ProfileOptionBuilder:
        return self._with(select=attributes)
