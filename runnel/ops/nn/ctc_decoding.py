"""Reading labels out of the logits of connectionist temporal classification."""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.extend import Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.values.dtypes import float32, float64
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.ops.choices import at_least
from runnel.ops.nn.ctc import check_decoder, sparse_rows

_NEVER = -math.inf


def _log_add(a: float, b: float) -> float:
    if a == _NEVER:
        return b
    if b == _NEVER:
        return a
    high, low = max(a, b), min(a, b)
    return high + math.log1p(math.exp(low - high))


class _Prefix:
    """Labels read so far, and how probable they are with a blank or their last label at the end."""

    __slots__ = (
        *("blank", "children", "label", "labelled", "parent", "total"),
        *("old_blank", "old_labelled", "old_total"),
    )

    def __init__(self, parent: _Prefix | None, label: int) -> None:
        self.parent = parent
        self.label = label
        self.children: dict[int, _Prefix] = {}
        self.forget()

    def forget(self) -> None:
        """Not alive, and not so before."""
        self.blank = self.labelled = self.total = _NEVER
        self.old_blank = self.old_labelled = self.old_total = _NEVER

    def step(self, logp: list[float], blank: int) -> None:
        """The same labels, one step later."""
        self.labelled = _NEVER
        if self.parent is not None:
            self.labelled = self.old_labelled
            if self.parent.total != _NEVER:
                self.labelled = _log_add(self.labelled, self.parent.before(self.label))
            self.labelled += logp[self.label]
        self.blank = self.old_total + logp[blank]
        self.total = _log_add(self.blank, self.labelled)

    def before(self, label: int) -> float:
        """How probable it is that `label` may follow: after itself only across a blank."""
        return self.old_blank if label == self.label else self.old_total

    def path(self) -> list[int]:
        return [] if self.parent is None else [*self.parent.path(), self.label]


def _search(logits: Array, width: int) -> list[_Prefix]:
    """The most probable prefixes after all steps, the best first."""
    root = _Prefix(None, -1)
    root.blank = root.total = 0.0
    beam = [root]
    shifted = logits - logits.max(axis=1, keepdims=True)
    scores = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    for row in scores:
        beam = _advance(beam, row, width)
    return beam


def _advance(beam: list[_Prefix], row: Array, width: int) -> list[_Prefix]:
    for prefix in beam:
        prefix.old_blank, prefix.old_labelled = prefix.blank, prefix.labelled
        prefix.old_total = prefix.total
    leaves = _Leaves(width)
    logp, blank = row.tolist(), len(row) - 1
    for prefix in beam:
        prefix.step(logp, blank)
        leaves.push(prefix)
    for prefix in beam:
        if leaves.take(prefix.old_total):
            _expand(prefix, logp, row[:blank], leaves)
    return leaves.best_first()


class _Leaves:
    """The prefixes of the next step; one that a better one pushes out is no longer alive."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.heap: list[tuple[float, int, _Prefix]] = []
        self.pushed = 0
        self.bar = _NEVER  # what a total must be above

    def take(self, total: float) -> bool:
        return total > self.bar

    def push(self, prefix: _Prefix) -> None:
        heap = self.heap
        self.pushed += 1
        if len(heap) == self.width:
            out = heapq.heapreplace(heap, (prefix.total, self.pushed, prefix))[2]
            out.blank = out.labelled = out.total = _NEVER
        else:
            heapq.heappush(heap, (prefix.total, self.pushed, prefix))
        if len(heap) == self.width:
            self.bar = heap[0][0]

    def best_first(self) -> list[_Prefix]:
        return [prefix for _, _, prefix in sorted(self.heap, key=lambda item: (-item[0], item[1]))]


def _expand(prefix: _Prefix, logp: list[float], row: Array, leaves: _Leaves) -> None:
    """Offer the prefix with one label more. TensorFlow's way, also for a child that was in the beam
    and has been pushed out at this step: it is tried again, and if it fails it expands no more."""
    children = prefix.children
    for label in _hopeful(prefix, row, leaves.bar):
        child = children.get(label)
        if child is None:
            child = children[label] = _Prefix(prefix, label)
        if child.total != _NEVER:
            continue
        total = logp[label] + prefix.before(label)
        if total > leaves.bar:
            child.blank, child.labelled, child.total = _NEVER, total, total
            leaves.push(child)
        else:
            child.forget()


def _hopeful(prefix: _Prefix, row: Array, bar: float) -> list[int]:
    """The labels with which the prefix may be good enough, and those of the children it had.

    Of 30 labels and 50 prefixes, trying all takes twelve times as long.
    """
    found: list[int] = np.flatnonzero(row + prefix.old_total > bar).tolist()
    had = [label for label, child in prefix.children.items() if child.old_total != _NEVER]
    return sorted({*found, *had}) if had else found


def _beam_rule(inputs: Spec, *others: Spec, top_paths: int, **attrs: Any) -> list[Any]:
    batch = inputs.dims[1] if inputs.dims is not None else None
    several: list[list[Dims]] = [[dims] * top_paths for dims in ((None, 2), (None,), (2,))]
    return [*several, (batch, top_paths)]


@op(
    "CTCBeamSearchDecoder",
    "inputs: T=float32[3], sequence_length: int32[1] -> decoded_indices: top_paths*int64, "
    "decoded_values: top_paths*int64, decoded_shape: top_paths*int64, log_probability: T",
    T=frozenset({float32, float64}),
    shape=_beam_rule,
    check=check_decoder,
    host=True,
    beam_width=at_least(1),
    top_paths=at_least(1),
)
def _ctc_beam_search_decoder(
    xp: Namespace,
    inputs: Array,
    sequence_length: Array,
    *,
    beam_width: int,
    top_paths: int,
    merge_repeated: bool = True,
) -> list[Any]:
    rows: list[list[list[int]]] = [[] for _ in range(top_paths)]
    scores = np.zeros((inputs.shape[1], top_paths), inputs.dtype)
    for b in range(inputs.shape[1]):
        found = _search(inputs[: sequence_length[b], b].astype(np.float64), beam_width)
        if len(found) < top_paths:
            raise bad_value(
                "CTCBeamSearchDecoder", want=f"be at most {len(found)}", top_paths=top_paths
            )
        for k in range(top_paths):
            path = found[k].path()
            if merge_repeated:
                path = [v for i, v in enumerate(path) if i == 0 or v != path[i - 1]]
            rows[k].append(path)
            scores[b, k] = found[k].total
    indices, values, shapes = zip(*(sparse_rows(each) for each in rows))
    return [list(indices), list(values), list(shapes), scores]


no_gradient("CTCBeamSearchDecoder")


def ctc_greedy_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    merge_repeated: bool = True,
    blank_index: int | None = None,
) -> tuple[list[Any], Tensor]:
    """The best class of each step, without blanks: a list of one sparse tensor, and its score."""
    x = convert_to_tensor(inputs)
    *parts, score = raw_ops.CTCGreedyDecoder(
        x,
        sequence_length,
        merge_repeated=merge_repeated,
        blank_index=-1 if blank_index is None else blank_index,
    )
    return [SparseTensor(*parts)], score


def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[Any], Tensor]:
    """The most probable labels: `top_paths` sparse tensors, and their log probabilities."""
    found = raw_ops.CTCBeamSearchDecoder(
        convert_to_tensor(inputs),
        sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=False,
    )
    groups = (found[i : i + top_paths] for i in range(0, 3 * top_paths, top_paths))
    return [SparseTensor(*parts) for parts in zip(*groups)], found[-1]
