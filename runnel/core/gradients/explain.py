"""Why a gradient is None: `GradientTape.explain`."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runnel.core.gradients.backprop import backprop
from runnel.core.gradients.composite import flatten_sources, flatten_targets
from runnel.core.gradients.tape import DIFFERENTIABLE, Cut, Record, Recorder
from runnel.core.op.context import unrecorded
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest

_SHORT = 150  # characters


@dataclass(frozen=True, repr=False)
class Explanation:
    """Whether there is a gradient, why, and the line of the program where the path ends."""

    connected: bool
    reason: str
    where: str | None = None

    def __str__(self) -> str:
        start = "There is a gradient" if self.connected else "No gradient"
        return f"{start}: {self.reason}" + (f" [{self.where}]" if self.where else "")

    def __repr__(self) -> str:
        text = " ".join(str(self).split())
        return f"<{text if len(text) <= _SHORT else text[: _SHORT - 1] + '…'}>"

    def _repr_html_(self) -> str:
        color, text = ("#1e8449" if self.connected else "#c0392b"), html.escape(self.reason.strip())
        where = f"<div><code>{html.escape(self.where)}</code></div>" if self.where else ""
        title = "There is a gradient" if self.connected else "No gradient"
        return (
            '<div style="font-family: sans-serif">'
            f'<b style="color: {color}">{title}</b><div style="white-space: pre-line">{text}</div>'
            f"{where}</div>"
        )


def explain(recorder: Recorder | None, target: Any, source: Any) -> Explanation:
    """See `GradientTape.explain`."""
    if recorder is None:
        raise RuntimeError(
            "The tape holds no records: it has not been started, or `gradient` has used it up. "
            "Call `explain` before "
            "`gradient`, or make the tape with persistent=True."
        )
    sources = [source] if isinstance(source, Operators) else nest.flatten(source)
    targets = flatten_targets(target)
    found = [_explain_one(recorder, targets, one) for one in sources]
    if len(found) == 1:
        return found[0]
    lines = [
        f"\n  source {i} ({_describe(s)}): {e}"
        for i, (s, e) in enumerate(zip(sources, found, strict=True))
    ]
    return Explanation(all(e.connected for e in found), "".join(lines))


def _describe(source: Any) -> str:
    kind = "tensor" if isinstance(source, Tensor) else f"variable {source.name!r}"
    return f"{kind} of shape {source.shape}"


def _explain_one(recorder: Recorder, targets: list[Tensor], source: Any) -> Explanation:
    (x,) = flatten_sources(source)
    return (
        _bad_dtype(recorder, targets, source)
        or _not_watched(recorder, x, source)
        or _gradient_exists(recorder, targets, x)
        or _cut_on_the_way(recorder, targets)
        or _outside(recorder, targets)
        or _unrelated(recorder, targets)
    )


def _bad_dtype(recorder: Recorder, targets: list[Tensor], source: Any) -> Explanation | None:
    if source._dtype not in DIFFERENTIABLE and all(t is not source for t in targets):
        want = "Only floating and complex tensors have gradients: tf.cast it before it is watched."
        return Explanation(False, f"the source is of dtype {source._dtype.name}. {want}")
    bad = [t for t in targets if t._dtype not in DIFFERENTIABLE]
    if not targets or len(bad) < len(targets) or any(t is source for t in bad):
        return None
    cut = recorder.lost.get(bad[0]._id)
    kind = bad[0]._dtype.name
    reason = f"the target is of dtype {kind}. Only floating and complex tensors have gradients."
    return Explanation(False, reason, cut.where if cut else None)


def _not_watched(recorder: Recorder, x: Tensor, source: Any) -> Explanation | None:
    if x._id in recorder.watched:
        return None
    if not isinstance(source, Tensor):
        return Explanation(
            False,
            f"the variable {source.name!r} is not watched. {_why_unwatched(recorder, source)}",
        )
    if x._id < recorder.first:
        how = "It is a tensor; call tape.watch(source) before it is used."
        rebound = any(
            v.shape == x.shape and v._dtype is x._dtype for v in recorder.variables.values()
        )
        hint = " If it was a tf.Variable, `v = v - ...` made a tensor of it: use v.assign_sub(...)."
        return Explanation(False, f"the source is not watched. {how}{hint if rebound else ''}")
    if recorder.last is not None and x._id > recorder.last:
        return Explanation(False, "the source was computed after the tape's `with` block.")
    cut = recorder.lost.get(x._id)
    if cut is not None:
        return Explanation(
            False, f"the source depends on watched tensors, but {_cause(cut)}.", cut.where
        )
    return Explanation(
        False, "the source was computed from nothing that is watched, and is not watched itself."
    )


def _why_unwatched(recorder: Recorder, variable: Any) -> str:
    if not variable.trainable:
        return "It is not trainable; call tape.watch(variable) to differentiate by it all the same."
    if not recorder.watches_variables:
        return "The tape has watch_accessed_variables=False; call tape.watch(variable)."
    if any(v.name == variable.name for v in recorder.variables.values()):
        return "Another variable of that name was used: has this one been replaced by a new one?"
    return "It was not read inside the tape's `with` block."


def _gradient_exists(recorder: Recorder, targets: list[Tensor], x: Tensor) -> Explanation | None:
    """The good news; or an op on the way whose gradient for this input is None."""
    path = _path(recorder, targets, x)
    if not path and all(t._id != x._id for t in targets):
        return None
    try:
        with unrecorded():
            found = backprop(recorder.records, targets, [x], [None] * len(targets))
    except LookupError as error:
        return Explanation(False, f"{error}")
    names = " <- ".join(entry.type for entry in reversed(path[-8:])) or "the target is the source"
    if found[0] is not None:
        return Explanation(True, f"{names}.")
    inside = " A tape inside the function would tell where it ends." if _goes_inside(path) else ""
    reason = "an op on the way gives none to the input that depends on the source"
    return Explanation(False, f"{reason}: {names}.{inside}")


def _goes_inside(path: list[Any]) -> bool:
    return any(isinstance(entry, Record) and entry.op is None for entry in path)


def _path(recorder: Recorder, targets: list[Tensor], x: Tensor) -> list[Any]:
    """The records between the source and the targets."""
    live = {x._id}
    after = []
    for entry in recorder.records:
        if any(t._id in live for t in entry.inputs):
            after.append(entry)
            live.update(o._id for o in entry.outputs)
    needed = {t._id for t in targets}
    between = []
    for entry in reversed(after):
        if any(o._id in needed for o in entry.outputs):
            between.append(entry)
            needed.update(t._id for t in entry.inputs)
    return between[::-1]


def _cut_on_the_way(recorder: Recorder, targets: list[Tensor]) -> Explanation | None:
    """A place before the target where a path from a watched tensor ends."""
    needed = {t._id for t in targets}
    for entry in reversed(recorder.records):
        if any(o._id in needed for o in entry.outputs):
            needed.update(t._id for t in entry.inputs)
    cuts = [recorder.lost[i] for i in sorted(needed) if i in recorder.lost]
    return _report(cuts)


def _report(cuts: Sequence[Cut]) -> Explanation | None:
    if not cuts:
        return None
    first, more = cuts[0], {cut.where for cut in cuts} - {cuts[0].where}
    others = (
        f" So do {len(more)} other places."
        if len(more) > 1
        else " So does another place."
        if more
        else ""
    )
    return Explanation(False, f"{_cause(first)}.{others}", first.where)


_CAUSES = {
    "numpy": "a watched tensor became a NumPy array, and what NumPy computes is not recorded",
    "StopGradient": "tf.stop_gradient ends the path",
}


def _cause(cut: Cut) -> str:
    if cut.op in _CAUSES:
        return _CAUSES[cut.op]
    op = getattr(raw_ops, cut.op, None)
    if op is not None and op.traits.effects == "python":
        return "tf.numpy_function ends the path: what NumPy computes is not recorded"
    if cut.dtype is None:
        return f"{cut.op} keeps a value in a state, such as a variable, which ends the path"
    if cut.dtype not in DIFFERENTIABLE:
        return f"{cut.op} gives a tensor of dtype {cut.dtype.name}, which ends the path"
    return f"{cut.op} has no gradient and ends the path"


def _outside(recorder: Recorder, targets: list[Tensor]) -> Explanation | None:
    if targets and all(t._id < recorder.first for t in targets):
        return Explanation(False, "the target was computed before the tape's `with` block.")
    if targets and recorder.last is not None and all(t._id > recorder.last for t in targets):
        return Explanation(
            False, "the target was computed after the tape's `with` block. Compute it inside."
        )
    return None


def _unrelated(recorder: Recorder, targets: list[Tensor]) -> Explanation:
    youngest = max([t._id for t in targets], default=0)
    before = [cut for cut in recorder.cuts if cut.before < youngest]
    detours = [cut for cut in before if cut.op == "numpy" or cut.dtype is None]
    if any(t._id in recorder.watched for t in targets):
        reason = "the target depends on watched tensors, but not on this source"
    else:
        reason = "the target was computed from nothing watched (or while the recording was stopped)"
    if not detours:
        return Explanation(False, f"{reason}.")
    last = detours[-1]
    return Explanation(False, f"{reason}. Perhaps because {_cause(last)}.", last.where)
