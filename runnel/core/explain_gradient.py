"""Why a gradient is None: `GradientTape.explain`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runnel.core.backprop import backprop
from runnel.core.composite_gradient import flatten_sources, flatten_targets
from runnel.core.tape import DIFFERENTIABLE, Cut, Recorder
from runnel.core.tensor import Tensor


@dataclass(frozen=True)
class Explanation:
    """Whether a gradient exists; if not, the reason, and the line of the program where the path ends."""

    connected: bool
    reason: str
    where: str | None = None

    def __str__(self) -> str:
        start = "There is a gradient" if self.connected else "No gradient"
        return f"{start}: {self.reason}" + (f" ({self.where})" if self.where else "")


def explain(recorder: Recorder | None, target: Any, source: Any) -> Explanation:
    raise NotImplementedError
