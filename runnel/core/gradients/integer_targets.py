"""What is differentiated where integers are asked for their gradient."""

from __future__ import annotations

from collections.abc import Sequence

from runnel.core.gradients.tape import DIFFERENTIABLE, Recorder
from runnel.core.op.raw import raw_ops
from runnel.core.op.registry import gradients
from runnel.core.op.vjp import unknown_gradient
from runnel.core.tensor.tensor import Tensor


def beside_integers(
    recorder: Recorder, targets: Sequence[Tensor], arriving: Sequence[Tensor | None]
) -> tuple[list[Tensor], list[Tensor | None]]:
    """The targets, with what stands for integers, and the gradients that arrive at them."""
    found, given = list(targets), list(arriving)
    for place, target in enumerate(targets):
        beside = None if target._dtype in DIFFERENTIABLE else _beside(recorder, target)
        if beside is not None:
            found[place], given[place] = beside, raw_ops.ZerosLike(beside)
    return found, given


def _beside(recorder: Recorder, target: Tensor) -> Tensor | None:
    """The first output with a gradient of the op that integers come from.

    LookupError if nobody knows a gradient of the op.
    """
    cut = recorder.lost.get(target._id)
    if cut is not None and target._id in cut.made:
        name, outputs = cut.op, []
    else:
        made = (r for r in recorder.records if any(t._id == target._id for t in r.outputs))
        record = next((record for record in made if record.op is not None), None)
        name, outputs = ("", []) if record is None else (record.type, record.outputs)
    if name and name not in gradients:
        raise unknown_gradient(name, getattr(raw_ops, name, None))
    return next((output for output in outputs if output._dtype in DIFFERENTIABLE), None)
