"""Connectionist temporal classification: the loss of labels that come without their times."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.backend.jax import lax
from runnel.core.extend import (
    RegisterGradient,
    Tensor,
    convert_to_tensor,
    no_gradient,
    op,
    raw_ops,
    scoped,
)
from runnel.core.settings.arguments import integer
from runnel.core.values.dtypes import bfloat16, float16, float32, float64
from runnel.core.values.errors import FailedPreconditionError, bad_dtype, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import scatter

_T = frozenset({float32, float64})


def _scan(xp: Namespace, step: Any, first: Array, items: Any) -> Array:
    """`first` and what `step(carry, item)` makes of it, item by item, stacked."""
    if xp is np:
        found = [first]
        for item in zip(*items):
            found.append(step(found[-1], item))
        return np.stack(found)

    def both(carry: Array, item: Any) -> tuple[Array, Array]:
        new = step(carry, item)
        return new, new

    rest = lax.scan(both, first, items)[1]
    return xp.concatenate([first[None], rest])


def _shifted(xp: Namespace, x: Array, by: int) -> Array:
    """Rows moved `by` places to the right (left where negative); what is new has probability 0."""
    gap = xp.full((x.shape[0], abs(by)), -np.inf, x.dtype)
    if by > 0:
        return xp.concatenate([gap, x[:, :-by]], axis=1)
    return xp.concatenate([x[:, -by:], gap], axis=1)


def _dense_labels(
    xp: Namespace, indices: Array, values: Array, batch: int, width: int
) -> tuple[Array, Array]:
    """Labels as a matrix, and how many there are in each row; those beyond `width` are dropped."""
    row, column = indices[:, 0], indices[:, 1]
    lengths = scatter(xp, xp.zeros(batch, np.int64), row, column + 1, "max")
    place = xp.minimum(column, width)
    labels = scatter(xp, xp.zeros((batch, width + 1), np.int32), (row, place), values)
    return labels[:, :width], lengths


def _collapsed(xp: Namespace, labels: Array, lengths: Array) -> tuple[Array, Array]:
    """The labels with each run of the same one made a single one, and how many are left."""
    batch, width = labels.shape
    there = xp.arange(width) < lengths[:, None]
    new = xp.concatenate([there[:, :1], labels[:, 1:] != labels[:, :-1]], axis=1) & there
    place = xp.where(new, xp.cumsum(new, axis=1) - 1, width)  # the rest goes to a column too many
    row = xp.broadcast_to(xp.arange(batch)[:, None], place.shape)
    found = scatter(xp, xp.zeros((batch, width + 1), labels.dtype), (row, place), labels)
    return found[:, :width], xp.sum(new, axis=1).astype(lengths.dtype)


def _loss_and_gradient(
    xp: Namespace,
    logits: Array,
    labels: Array,
    label_length: Array,
    sequence_length: Array,
    merge_repeated: bool,
) -> tuple[Array, Array]:
    """Forward and backward through labels with blanks between; `logits` is [time, batch, class].

    The blank is the last class.
    """
    times, batch, classes = logits.shape
    blank = classes - 1
    logits = logits - xp.max(logits, axis=2, keepdims=True)
    logp = logits - xp.log(xp.sum(xp.exp(logits), axis=2, keepdims=True))
    blanks = xp.full((batch, labels.shape[1] + 1), blank, labels.dtype)
    pairs = xp.stack([blanks[:, 1:], labels], axis=2).reshape(batch, 2 * labels.shape[1])
    states = xp.concatenate([pairs, blanks[:, :1]], axis=1)
    number = xp.arange(states.shape[1])
    last = (2 * label_length)[:, None]
    is_label = states != blank
    nothing = xp.full((batch, 2), -1, states.dtype)
    before = xp.concatenate([nothing, states], axis=1)[:, :-2]
    may_skip = is_label & (number >= 2)
    may_stay = ~is_label
    if merge_repeated:
        may_skip, may_stay = may_skip & (before != states), xp.ones_like(is_label)
    emitted = xp.take_along_axis(logp, xp.broadcast_to(states, (times, *states.shape)), axis=2)
    zero = xp.asarray(-np.inf, logp.dtype)

    def forward(alpha: Array, item: Any) -> Array:
        emission, time = item
        total = xp.where(may_stay, alpha, zero)
        total = xp.logaddexp(total, _shifted(xp, alpha, 1))
        total = xp.logaddexp(total, xp.where(may_skip, _shifted(xp, alpha, 2), zero))
        return xp.where((time < sequence_length)[:, None], emission + total, alpha)

    clock = xp.arange(times)
    start = xp.where((number < 2) & (number <= last), emitted[0], zero)
    alpha = _scan(xp, forward, start, (emitted[1:], clock[1:]))
    is_end = (number == last) | (number == last - 1)
    ends = xp.where(is_end, alpha[-1], zero)
    loss = -_log_sum(xp, ends)

    def backward(carry: Array, item: Any) -> Array:
        emission, time = item  # of the step after, which `carry` belongs to
        later = carry + emission
        total = xp.where(may_stay, later, zero)
        total = xp.logaddexp(total, _shifted(xp, later, -1))
        skipping = xp.where(may_skip, later, zero)
        total = xp.logaddexp(total, _shifted(xp, skipping, -2))
        here = (time == sequence_length - 1)[:, None]
        inside = (time < sequence_length - 1)[:, None]
        return xp.where(here, end, xp.where(inside, total, zero))

    end = xp.where(is_end, xp.zeros((), logp.dtype), zero)
    final = xp.where((times - 1 == sequence_length - 1)[:, None], end, zero)
    beta = _scan(xp, backward, final, (emitted[1:][::-1], clock[:-1][::-1]))[::-1]
    return loss, _gradient(xp, logp, alpha + beta, loss, states, sequence_length)


def _log_sum(xp: Namespace, x: Array) -> Array:
    top = xp.max(x, axis=1, keepdims=True)
    safe = xp.where(xp.isfinite(top), top, xp.zeros((), x.dtype))
    return (safe + xp.log(xp.sum(xp.exp(x - safe), axis=1, keepdims=True)))[:, 0]


def _gradient(
    xp: Namespace, logp: Array, both: Array, loss: Array, states: Array, sequence_length: Array
) -> Array:
    """Softmax less the probability that each class is meant, while the sequence lasts."""
    finite = xp.isfinite(loss)
    scale = xp.where(finite, loss, xp.zeros((), loss.dtype))
    meant = xp.where(finite[:, None], xp.exp(both + scale[:, None]), xp.zeros((), loss.dtype))
    hits = (states[:, :, None] == xp.arange(logp.shape[2])).astype(logp.dtype)
    posterior = xp.moveaxis(xp.matmul(xp.moveaxis(meant, 0, 1), hits), 1, 0)
    running = (xp.arange(logp.shape[0])[:, None] < sequence_length)[:, :, None]
    return xp.where(running, xp.exp(logp) - posterior, xp.zeros((), logp.dtype))


def _loss_rule(inputs: Spec, *others: Spec, **attrs: Any) -> list[Dims]:
    if inputs.dims is None:
        return [(None,), (None, None, None)]
    if len(inputs.dims) != 3:
        raise bad_shape("CTCLoss", want="be [time, batch, classes]", inputs=inputs)
    return [inputs.dims[1:2], inputs.dims]


def _check_loss(
    inputs: Array,
    labels_indices: Array,
    labels_values: Array,
    sequence_length: Array,
    *,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
) -> None:
    if inputs.ndim != 3:
        raise bad_shape("CTCLoss", want="be [time, batch, classes]", inputs=inputs)
    times, batch, _ = inputs.shape
    if sequence_length.shape != (batch,):
        raise bad_shape("CTCLoss", want=f"have shape ({batch},)", sequence_length=sequence_length)
    if sequence_length.size and sequence_length.max() > times:
        raise bad_value("CTCLoss", want=f"be at most {times}", sequence_length=sequence_length)
    width = int(labels_indices[:, 1].max(initial=-1)) + 1
    labels, lengths = _dense_labels(np, labels_indices, labels_values, batch, width)
    if preprocess_collapse_repeated and width:
        lengths = _collapsed(np, labels, lengths)[1]
    if (lengths == 0).any():
        raise bad_value("CTCLoss", want="have labels in every row", labels_indices=labels_indices)
    if not ignore_longer_outputs_than_inputs and (lengths > sequence_length).any():
        want = "be no shorter than the labels of each row"
        raise bad_value("CTCLoss", want=want, sequence_length=sequence_length)


@op(
    "CTCLoss",
    "inputs: T=float32, labels_indices: int64[2], labels_values: int32[1], sequence_length: "
    "int32[1] -> loss: T, gradient: T",
    T=_T,
    shape=_loss_rule,
    check=_check_loss,
    heavy=True,
)
def _ctc_loss(
    xp: Namespace,
    inputs: Array,
    labels_indices: Array,
    labels_values: Array,
    sequence_length: Array,
    *,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
) -> list[Array]:
    times, batch, _ = inputs.shape
    width = labels_values.shape[0]
    width = width if preprocess_collapse_repeated else min(times, width)
    labels, lengths = _dense_labels(xp, labels_indices, labels_values, batch, width)
    if preprocess_collapse_repeated:
        labels, lengths = _collapsed(xp, labels, lengths)
    loss, gradient = _loss_and_gradient(
        xp, inputs, labels, lengths, sequence_length, ctc_merge_repeated
    )
    if ignore_longer_outputs_than_inputs:
        fits = lengths <= sequence_length
        zero = xp.zeros((), loss.dtype)
        loss, gradient = xp.where(fits, loss, zero), xp.where(fits[:, None], gradient, zero)
    return [loss, gradient]


@RegisterGradient("CTCLoss", needs="outputs")
def _ctc_loss_gradient(op: Any, dloss: Tensor, _: Any) -> Gradients:
    weights = raw_ops.Reshape(dloss, np.array([1, -1, 1], np.int32))
    return op.outputs[1] * weights, None, None, None


def ctc_loss(
    labels: Any,
    logits: TensorLike,
    label_length: TensorLike,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """How unlikely `labels`, a matrix or a sparse tensor, are for `logits` in any alignment.

    `unique`, which speeds TensorFlow up, makes no difference here.

    >>> logits = tf.zeros([3, 1, 2])
    >>> tf.nn.ctc_loss([[1]], logits, [1], [3], blank_index=0).numpy().round(4)
    array([0.2877], dtype=float32)
    """
    x = convert_to_tensor(logits)
    if not logits_time_major:
        x = raw_ops.Transpose(x, np.array([1, 0, 2], np.int32))
    is_sparse = hasattr(labels, "indices") and hasattr(labels, "values")
    if blank_index is None:
        if is_sparse:
            raise ValueError("ctc_loss: sparse `labels` need a `blank_index`.")
        blank_index = 0
    if x.shape.rank not in (3, None):
        raise bad_shape("ctc_loss", want="have rank 3", logits=x)
    classes = x.shape[2] if x.shape.rank else None
    if classes == 0:
        raise bad_shape("ctc_loss", want="have a class at least", logits=x)
    blank = integer("ctc_loss", "blank_index", blank_index)
    if classes is not None and not -classes <= blank < classes:
        raise ValueError(f"ctc_loss: `blank_index` must be in [{-classes}, {classes}).")
    is_last = blank == -1 or blank + 1 == classes
    if blank < 0:
        blank += classes or raw_ops.Shape(x)[2]
    if is_sparse:
        indices, values = labels.indices, labels.values
    else:
        sizes = convert_to_tensor(label_length)
        if not sizes.dtype.is_integer:
            raise bad_dtype("ctc_loss", want="hold integers", label_length=sizes)
        indices, values = _listed(convert_to_tensor(labels), sizes)
    if not values.dtype.is_integer:
        raise bad_dtype("ctc_loss", want="be integers", labels=values)
    values = raw_ops.Cast(values, DstT="int32")
    if not is_last:
        last = np.int32(2)
        parts = [x[:, :, :blank], x[:, :, blank + 1 :], x[:, :, blank : blank + 1]]
        x = raw_ops.ConcatV2(parts, last)
        values = raw_ops.SelectV2(values < blank, values, values - 1)
    lengths = raw_ops.Cast(convert_to_tensor(logit_length), DstT="int32")
    if not is_sparse:
        lengths = _within(x, lengths)
    half = x.dtype in (float16, bfloat16)
    wide = raw_ops.Cast(x, DstT=float32) if half else x
    loss: Tensor = raw_ops.CTCLoss(wide, indices, values, lengths, name=name)[0]
    return raw_ops.Cast(loss, DstT=x.dtype) if half else loss


def _within(logits: Tensor, lengths: Tensor) -> Tensor:
    """A length for each example, none of which is more than there are frames."""
    frames, batch = raw_ops.Unpack(raw_ops.Shape(logits)[:2], num=2)
    if lengths.shape.rank not in (None, 1):
        raise bad_shape("CTCLoss", want="be a vector", logit_length=lengths)
    lengths = raw_ops.BroadcastTo(lengths, raw_ops.Reshape(batch, [1]))
    return raw_ops.Minimum(lengths, frames)  # type: ignore[no-any-return]


def _listed(labels: Tensor, length: Tensor) -> tuple[Tensor, Tensor]:
    """The places and values of the labels within their lengths."""
    width = raw_ops.Shape(labels)[1]
    column = raw_ops.Range(np.int32(0), width, np.int32(1))
    length = raw_ops.Cast(raw_ops.ExpandDims(length, np.int32(1)), DstT="int32")
    indices = raw_ops.Where(raw_ops.Less(column, length))
    return indices, raw_ops.GatherNd(labels, indices)


def _greedy_rule(inputs: Spec, *others: Spec, **attrs: Any) -> list[Dims]:
    batch = inputs.dims[1] if inputs.dims is not None else None
    return [(None, 2), (None,), (2,), (batch, 1)]


def check_decoder(inputs: Array, sequence_length: Array, **attrs: Any) -> None:
    """What decoders ask of their inputs."""
    if inputs.ndim != 3:
        raise bad_shape("CTCDecoder", want="be [time, batch, classes]", inputs=inputs)
    if inputs.shape[0] == 0:
        raise bad_shape("CTCDecoder", want="have steps of time", inputs=inputs)
    if sequence_length.ndim != 1:
        raise bad_shape("CTCDecoder", want="be a vector", sequence_length=sequence_length)
    if sequence_length.shape != inputs.shape[1:2]:
        message = f"CTCDecoder: `sequence_length` must have shape {inputs.shape[1:2]}, got shape "
        raise FailedPreconditionError(None, None, f"{message}{sequence_length.shape}.")
    if attrs.get("beam_width", 1) < 1:
        raise bad_value("CTCDecoder", want="be positive", beam_width=attrs["beam_width"])
    if sequence_length.size and sequence_length.max() > inputs.shape[0]:
        message = f"CTCDecoder: `sequence_length` must be at most {inputs.shape[0]}, got "
        raise FailedPreconditionError(None, None, f"{message}{sequence_length.tolist()}.")


@op(
    "CTCGreedyDecoder",
    "inputs: T=float32[3], sequence_length: int32[1] -> decoded_indices: int64, decoded_values: "
    "int64, decoded_shape: int64, log_probability: T",
    T=_T,
    shape=_greedy_rule,
    check=check_decoder,
    host=True,
)
def _ctc_greedy_decoder(
    xp: Namespace,
    inputs: Array,
    sequence_length: Array,
    *,
    merge_repeated: bool = False,
    blank_index: int = -1,
) -> list[Array]:
    _, batch, classes = inputs.shape
    blank = blank_index % classes
    best = inputs.argmax(axis=2)
    rows, scores = [], []
    for b in range(batch):
        path = best[: sequence_length[b], b]
        scores.append(-inputs[: sequence_length[b], b].max(axis=1).sum())
        keep = path != blank
        if merge_repeated:
            keep &= np.append(True, path[1:] != path[:-1])[: path.size]
        rows.append(path[keep].tolist())
    return [*sparse_rows(rows), np.array(scores, inputs.dtype)[:, None]]


no_gradient("CTCGreedyDecoder")


def sparse_rows(rows: list[list[int]]) -> tuple[Array, Array, Array]:
    """Rows of different lengths as indices, values and dense shape of a sparse tensor."""
    indices = [(b, i) for b, row in enumerate(rows) for i in range(len(row))]
    values = [value for row in rows for value in row]
    width = max((len(row) for row in rows), default=0)
    return (
        np.array(indices, np.int64).reshape(-1, 2),
        np.array(values, np.int64),
        np.array([len(rows), width], np.int64),
    )


@scoped("collapse_repeated_labels")
def collapse_repeated(
    labels: TensorLike, seq_length: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Rows of labels with repetitions removed, padded with zeros, and their new lengths.

    >>> rows, lengths = tf.nn.collapse_repeated([[1, 1, 2], [3, 3, 3]], [3, 3])
    >>> rows.numpy().tolist(), lengths.numpy().tolist()
    ([[1, 2], [3, 0]], [2, 1])
    """
    x = convert_to_tensor(labels)
    first = raw_ops.OnesLike(x[:, :1] == x[:, :1])
    new = raw_ops.ConcatV2([first, raw_ops.NotEqual(x[:, 1:], x[:, :-1])], np.int32(1))
    column = raw_ops.Range(np.int32(0), raw_ops.Shape(x)[1], np.int32(1))
    given = convert_to_tensor(seq_length)
    if not given.shape.is_compatible_with(x.shape[:1]) and given.shape.rank != 0:
        want = f"have shape {x.shape[:1]}"
        if given.shape.rank == 1 and 0 not in (given.shape[0], x.shape[0]):
            got = f"got shape {given.shape}"
            raise ValueError(f"collapse_repeated: `seq_length` must {want}, {got}.")
        raise bad_shape("collapse_repeated", want=want, seq_length=given)
    length = raw_ops.Cast(given, DstT="int32")
    inside = raw_ops.Less(column, raw_ops.ExpandDims(length, np.int32(-1)))
    kept = raw_ops.LogicalAnd(new, inside)
    lengths = raw_ops.Sum(raw_ops.Cast(kept, DstT="int32"), np.int32(1))
    width = raw_ops.Max(lengths, np.int32(0))
    place = raw_ops.Cumsum(raw_ops.Cast(kept, DstT="int32"), np.int32(1)) - 1
    chosen = raw_ops.Where(kept)
    row = raw_ops.Cast(chosen[:, :1], DstT="int32")
    target = raw_ops.ExpandDims(raw_ops.GatherNd(place, chosen), np.int32(1))
    shape = raw_ops.Pack([raw_ops.Shape(x)[0], width])
    places = raw_ops.ConcatV2([row, target], np.int32(1))
    collapsed = raw_ops.ScatterNd(places, raw_ops.GatherNd(x, chosen), shape)
    return collapsed, raw_ops.Cast(lengths, DstT=given.dtype)


@scoped("ctc_unique_labels")
def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> list[Tensor]:
    """For each row its different labels, padded with zeros, and which of them each label is.

    >>> unique, index = tf.nn.ctc_unique_labels([[5, 7, 5]])
    >>> unique.numpy().tolist(), index.numpy().tolist()
    ([[5, 7, 0]], [[0, 1, 0]])
    """
    given = convert_to_tensor(labels)
    if given.shape.rank == 0:
        raise ValueError("ctc_unique_labels: `labels` must be a matrix, got a scalar.")
    x = raw_ops.Cast(given, DstT="int64")
    columns, rows = raw_ops.ExpandDims(x, np.int32(2)), raw_ops.ExpandDims(x, np.int32(1))
    alike = raw_ops.Cast(raw_ops.Equal(columns, rows), DstT="int32")
    origin = raw_ops.ArgMax(alike, np.int32(2), output_type="int32")  # where it stands first
    here = raw_ops.Range(np.int32(0), raw_ops.Shape(x)[1], np.int32(1))
    is_first = raw_ops.Cast(raw_ops.Equal(origin, here), DstT="int32")
    number = raw_ops.Cumsum(is_first, np.int32(1)) - 1
    index = raw_ops.GatherV2(number, origin, np.int32(1), batch_dims=1)
    chosen = raw_ops.Where(raw_ops.Cast(is_first, DstT="bool"))
    target = raw_ops.ExpandDims(raw_ops.GatherNd(number, chosen), np.int32(1))
    places = raw_ops.ConcatV2([raw_ops.Cast(chosen[:, :1], DstT="int32"), target], np.int32(1))
    unique = raw_ops.ScatterNd(places, raw_ops.GatherNd(x, chosen), raw_ops.Shape(x))
    return [unique, index]
