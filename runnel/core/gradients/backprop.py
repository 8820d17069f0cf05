"""The way back: from the records of a tape, or the operations of a graph, to gradients.

On the reading path after `core/gradients/tape.py`, before `core/gradients/gradient_tape.py`.
"""

from __future__ import annotations

import functools
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.gradients.naming import TAPE, Naming
from runnel.core.gradients.ones_and_zeros import ones_like, zeros_like
from runnel.core.gradients.tape import DIFFERENTIABLE, Shell
from runnel.core.gradients.unbroadcast import unbroadcast
from runnel.core.op import vjp
from runnel.core.op.context import asking_for, state
from runnel.core.op.raw import raw_ops
from runnel.core.op.registry import gradients
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.tensor.vectors import vector
from runnel.core.values.dtypes import int32, resource, variant

if TYPE_CHECKING:
    Gradient = Tensor | IndexedSlices

Table = dict[
    int, Any
]  # by id of a tensor: its gradient so far, or a list of parts yet to be added up


def backprop(
    records: Sequence[Any],
    targets: Sequence[Tensor],
    sources: Sequence[Tensor],
    output_gradients: Sequence[Tensor | None],
    watched: Sequence[Tensor] | None = None,
    naming: Naming = TAPE,
    *,
    in_order: bool = False,
) -> list[Gradient | None]:
    """The gradient of each source: the sum over all targets.

    `watched` are the sources of which records tell, where that is not all of them. Targets of other
    than DIFFERENTIABLE dtypes have a gradient by themselves alone. Records are walked from last to
    first if that is said, or if this is no graph.
    """
    path, live = _path(records, sources if watched is None else watched)
    wanted = {source._id for source in sources}
    table: Table = {}
    apart: Table = {}
    for target, given in zip(targets, output_gradients, strict=True):
        if target._dtype in DIFFERENTIABLE:
            seeds = table
        elif target._id in wanted:
            seeds = apart
        else:
            continue
        seed = ones_like(target) if given is None else given
        seeds[target._id] = _join(seeds[target._id], seed) if target._id in seeds else seed
    with asking_for(None if naming.whole else live):
        if in_order or state.graph is None:
            for entry in reversed(path):
                _visit(entry, table, wanted, live, naming)
        else:
            for entry in _from_targets(path, targets[::-1] if naming is TAPE else targets):
                _visit(entry, table, wanted, live, naming)
    table.update(apart)
    return [_take(table, source._id, wanted) for source in sources]


def _visit(entry: Any, table: Table, wanted: set[int], live: set[int], naming: Naming) -> None:
    """Pass on what has arrived at the outputs of an op, if anything has."""
    outputs = entry.outputs
    if len(outputs) == 1:
        found = _take(table, outputs[0]._id, wanted)
        if found is not None:
            _step_back(entry, (found,), table, live, naming)
    else:
        arriving = [_take(table, output._id, wanted) for output in outputs]
        if any(g is not None for g in arriving):
            _step_back(entry, arriving, table, live, naming)


def _from_targets(path: Sequence[Any], targets: Sequence[Tensor]) -> Iterable[Any]:
    """The records on the way back, breadth first: each as soon as all that use it have been."""
    makers = {output._id: entry for entry in path for output in entry.outputs}
    last = [makers[t._id] for t in targets if t._id in makers]
    users = _count_users(last, makers)
    queue = deque(dict.fromkeys(entry for entry in last if not users[entry]))
    while queue:
        entry = queue.popleft()
        yield entry
        for tensor in entry.inputs:
            maker = makers.get(tensor._id)
            if maker is not None:
                users[maker] -= 1
                if not users[maker]:
                    queue.append(maker)


def _count_users(last: Sequence[Any], makers: dict[int, Any]) -> Counter[Any]:
    """How often the outputs of each record are used on the way to the last ones."""
    users: Counter[Any] = Counter()
    pending, seen = list(last), set()
    while pending:
        entry = pending.pop()
        if entry not in seen:
            seen.add(entry)
            found = [makers[t._id] for t in entry.inputs if t._id in makers]
            users.update(found)
            pending += found
    return users


def _path(records: Sequence[Any], sources: Sequence[Tensor]) -> tuple[list[Any], set[int]]:
    """The records that depend on a source, in order, and the ids of the tensors that do."""
    live = {source._id for source in sources}
    path = []
    for entry in records:
        for tensor in entry.inputs:
            if tensor._id in live:
                path.append(entry)
                for output in entry.outputs:
                    if output._dtype in DIFFERENTIABLE:
                        live.add(output._id)
                break
    return path, live


def _step_back(
    entry: Any, arriving: Sequence[Any], table: Table, live: set[int], naming: Naming
) -> None:
    if len(arriving) > 1 and entry.backward is None and entry.op.takes_zeros:
        arriving = _with_zeros(entry, arriving, naming.zeros)
    graph = state.graph
    if graph is None:
        _pass_on(entry, _rule(entry, arriving), table, live)
        return
    with graph.on_behalf_of(entry, naming.scope):
        found = _rule(entry, arriving)
        summed = _repeats(entry)
        if summed:
            found = unbroadcast(entry, found)
        _pass_on(entry, found, table, live, summed=summed)


def _repeats(entry: Any) -> bool:
    """Whether an op repeats its inputs to one shape, element by element."""
    return entry.backward is None and getattr(entry.op.shape, "elementwise", False)


def _pass_on(
    entry: Any, found: Sequence[Any], table: Table, live: set[int], *, summed: bool = False
) -> None:
    for tensor, gradient in zip(entry.inputs, found):
        key = tensor._id
        if gradient is None or key not in live:
            continue
        if not summed and not _fits(gradient, tensor):
            gradient = fit(gradient, tensor, entry)
        have = table.get(key)
        table[key] = gradient if have is None else _join(have, gradient)


def gradients_of_inputs(entry: Any, arriving: Sequence[Any]) -> Sequence[Any]:
    """What the gradient function of an op makes of the gradients of its outputs."""
    if state.graph is None:
        return _rule(entry, arriving)
    with state.graph.on_behalf_of(entry):
        return _rule(entry, arriving)


def _rule(entry: Any, arriving: Sequence[Any]) -> Sequence[Any]:
    if entry.backward is not None:
        found: Any = entry.backward(*arriving)
    else:
        function: Any = gradients.get(entry.op.name, vjp.unregistered)
        if function is None:
            return [None] * len(entry.inputs)
        if not entry.op.takes_slices:
            arriving = [convert_to_tensor(g) if type(g) is IndexedSlices else g for g in arriving]
        found = function(entry, *arriving)
    if not isinstance(found, tuple | list):
        found = (found,)
    if len(found) != len(entry.inputs):
        raise ValueError(
            f"The gradient function of {entry.type!r} must return {len(entry.inputs)} "
            f"gradients, one per input, got {len(found)}."
        )
    return found  # type: ignore[no-any-return]


def _with_zeros(entry: Any, arriving: Sequence[Any], name: str) -> list[Any]:
    return [
        zeros_like(o, name) if g is None and o._dtype in DIFFERENTIABLE else g
        for o, g in zip(entry.outputs, arriving, strict=True)
    ]


def _join(have: Any, gradient: Gradient) -> Any:
    """Two gradients of one tensor: their sum, or a list of parts to be added up when asked for.

    Dense values are added at once, so that only the sum is kept; the operations of a graph, and
    slices, all together.
    """
    if state.graph is None and isinstance(have, Tensor) and isinstance(gradient, Tensor):
        return _add(have, gradient)
    if isinstance(have, list):
        return [*have, gradient]
    return [have, gradient]


def _take(table: Table, key: int, wanted: set[int]) -> Gradient | None:
    found = table.get(key) if key in wanted else table.pop(key, None)
    if type(found) is list:
        found = add_up(found)
        if key in wanted:
            table[key] = found
    return found


def add_up(parts: Sequence[Any]) -> Gradient:
    """The sum of gradients, which came from last to first; of slices alone it is slices again."""
    if isinstance(parts[0], IndexedSlices) and all(isinstance(p, IndexedSlices) for p in parts):
        return _join_slices(parts[::-1])
    dense = [p for p in parts if not isinstance(p, IndexedSlices)]
    slices = [p for p in parts if isinstance(p, IndexedSlices)]
    tensors = [p if isinstance(p, Tensor) else convert_to_tensor(p) for p in dense]
    total = tensors[0] if len(tensors) == 1 else raw_ops.AddN(tensors)
    return functools.reduce(_add_slices, slices, total)


def _add(x: Tensor, y: Tensor) -> Tensor:
    if x._dtype is variant:
        return raw_ops.AddN([x, y])  # type: ignore[no-any-return]
    return raw_ops.AddV2(x, y)  # type: ignore[no-any-return]


def _add_slices(total: Tensor, part: IndexedSlices) -> Tensor:
    """Only the rows that `part` has are touched, which a loop over rows can do in place."""
    rows = raw_ops.ExpandDims(part.indices, np.int32(-1))
    return raw_ops.TensorScatterAdd(total, rows, part.values)  # type: ignore[no-any-return]


def _join_slices(parts: Sequence[IndexedSlices]) -> IndexedSlices:
    axis = np.int32(0)
    values = raw_ops.ConcatV2([p.values for p in parts], axis)
    same = all(p.indices.dtype is int32 for p in parts)
    indices = [p.indices if same else raw_ops.Cast(p.indices, DstT=np.int64) for p in parts]
    return IndexedSlices(values, raw_ops.ConcatV2(indices, axis), parts[0].dense_shape)


def _fits(gradient: Any, tensor: Any) -> bool:
    if type(gradient) is not EagerTensor:
        return False
    kind = type(tensor)
    return (kind is EagerTensor and gradient._value.shape == tensor._value.shape) or (
        kind is Shell and gradient._value.shape == tensor.dims
    )


def fit(gradient: Any, tensor: Tensor, entry: Any) -> Gradient:
    """`gradient` summed over the dimensions along which `tensor` was broadcast."""
    if isinstance(gradient, IndexedSlices) or tensor._dtype is resource or tensor._dtype is variant:
        return gradient  # type: ignore[no-any-return]
    if not isinstance(gradient, Tensor):
        gradient = convert_to_tensor(gradient, dtype=tensor._dtype)
    have, want = gradient.shape._dims, tensor.shape._dims
    if have is None or want is None or None in have or None in want:
        return _sum_dynamic(gradient, tensor) if _broadcasts(entry) else gradient
    return gradient if have == want else _sum_static(gradient, have, want)


def _sum_static(gradient: Tensor, have: Sequence[Any], want: Sequence[Any]) -> Tensor:
    extra = len(have) - len(want)
    if extra < 0:
        return gradient
    inner = tuple([i + extra for i, w in enumerate(want) if w == 1 and have[i + extra] != 1])
    if not inner:
        return raw_ops.Sum(gradient, vector(tuple(range(extra))))  # type: ignore[no-any-return]
    total = raw_ops.Sum(gradient, vector((*range(extra), *inner)), keep_dims=True)
    return raw_ops.Reshape(total, vector(tuple(want))) if extra else total  # type: ignore[no-any-return]


def _sum_dynamic(gradient: Tensor, tensor: Tensor) -> Tensor:
    shape = raw_ops.Shape(tensor)
    axes, _ = raw_ops.BroadcastGradientArgs(shape, raw_ops.Shape(gradient))
    return raw_ops.Reshape(raw_ops.Sum(gradient, axes), shape)  # type: ignore[no-any-return]


def _broadcasts(entry: Any) -> bool:
    return entry.backward is None and getattr(entry.op.shape, "broadcasts", False)
