"""Combinations by eager mode and graphs, and by the behaviour of TensorFlow 1 or 2."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import runnel
from runnel.compat.cases import combining
from runnel.compat.cases.combining import OptionalParameter, ParameterModifier, TestCombination
from runnel.compat.tools.contexts import eager_mode
from runnel.compat.tools.graphs import enabled


class EagerGraphCombination(TestCombination):
    """The parameter `mode`: "eager", or "graph" for a test that builds one."""

    def context_managers(self, kwargs: dict[str, Any]) -> Sequence[Any]:
        mode = kwargs.get("mode")
        if mode is None:
            return []
        if mode not in ("eager", "graph"):
            raise ValueError(f'`mode` is "eager" or "graph", got {mode!r}')
        return [eager_mode() if mode == "eager" else runnel.Graph().as_default()]

    def parameter_modifiers(self) -> Sequence[ParameterModifier]:
        return [OptionalParameter("mode")]


class TFVersionCombination(TestCombination):
    """The parameter `tf_api_version`: 1 or 2; tests of the other behaviour are skipped."""

    def should_execute_combination(self, kwargs: Mapping[str, Any]) -> tuple[bool, str | None]:
        wanted = kwargs.get("tf_api_version")
        if wanted in (1, 2) and (wanted == 2) != enabled():
            return False, f"The test is about the behaviour of TensorFlow {wanted}."
        return True, None

    def parameter_modifiers(self) -> Sequence[ParameterModifier]:
        return [OptionalParameter("tf_api_version")]


generate = functools.partial(
    combining.generate, test_combinations=(EagerGraphCombination(), TFVersionCombination())
)
