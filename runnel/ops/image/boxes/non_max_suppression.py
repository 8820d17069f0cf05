"""Non-maximum suppression: of boxes that overlap, the one with the highest score stays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, no_gradient, op, raw_ops, scoped
from runnel.core.settings.arguments import integer
from runnel.core.values.dtypes import float16, float32
from runnel.core.values.errors import bad_dtype, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.images.suppression import Limits, Similarity, overlap, select, select_softly
from runnel.ops.array.gathering import join
from runnel.ops.shapes import shape_of

_SCORES = frozenset({float16, float32})


def _check_boxes(op_name: str, boxes: Any, scores: Any) -> None:
    if not boxes.shape.is_compatible_with([None, 4]):
        raise bad_shape(op_name, want="have the shape [boxes, 4]", boxes=boxes)
    if not scores.shape.is_compatible_with([boxes.dims[0] if boxes.dims else None]):
        raise bad_shape(op_name, want="have one element for each box", scores=scores)


def _selected_shape(boxes: Spec, scores: Spec, *rest: Spec, op_name: str, **attrs: Any) -> Dims:
    _check_boxes(op_name, boxes, scores)
    return (None,)


def _check(
    op_name: str, boxes: Array, scores: Array, size: Array, iou: Any, *scalars: Array
) -> None:
    _check_boxes(op_name, *(Spec(v.shape, float32) for v in (boxes, scores)))
    for value in (size, iou, *scalars):
        if np.ndim(value):
            raise bad_shape(op_name, want="be a scalar", threshold=value)
    if size < 0:
        raise bad_value(op_name, want="be non-negative", max_output_size=size)
    if not 0 <= iou <= 1:
        raise bad_value(op_name, want="be in [0, 1]", iou_threshold=iou)


_NO_LIMIT = -math.inf


def _plain(
    op_name: str, boxes: Array, scores: Array, size: Array, iou: Any, least: Any = _NO_LIMIT
) -> Array:
    _check(op_name, boxes, scores, size, iou, least)
    similarity = overlap(boxes.astype(np.float32))
    return _selected(scores.astype(np.float32), similarity, size, iou, least)


def _selected(
    scores: Array, similarity: Similarity, size: Array, threshold: Any, least: Any
) -> Array:
    limits = Limits(int(size), float(threshold), float(least))
    (found,) = select(scores[None], np.arange(len(scores))[None], similarity, limits)
    return found


@op(
    "NonMaxSuppression",
    "boxes: float32, scores: float32, max_output_size: int32[0] -> selected_indices: int32",
    shape=_selected_shape,
    host=True,
)
def _non_max_suppression(
    xp: Namespace,
    boxes: Array,
    scores: Array,
    max_output_size: Array,
    *,
    iou_threshold: float = 0.5,
) -> Array:
    return _plain("NonMaxSuppression", boxes, scores, max_output_size, iou_threshold)


_SUPPRESSED: Any = {"T": _SCORES, "T_threshold": _SCORES, "host": True, "shape": _selected_shape}


@op(
    "NonMaxSuppressionV2",
    "boxes: T=float32, scores: T, max_output_size: int32[0], iou_threshold: "
    "T_threshold=float32[0] -> selected_indices: int32",
    **_SUPPRESSED,
)
def _non_max_suppression_by_tensor(
    xp: Namespace, boxes: Array, scores: Array, max_output_size: Array, iou_threshold: Array
) -> Array:
    return _plain("NonMaxSuppressionV2", boxes, scores, max_output_size, iou_threshold)


@op(
    "NonMaxSuppressionV3",
    "boxes: T=float32, scores: T, max_output_size: int32[0], iou_threshold: "
    "T_threshold=float32[0], score_threshold: T_threshold[0] -> selected_indices: int32",
    **_SUPPRESSED,
)
def _non_max_suppression_above(
    xp: Namespace,
    boxes: Array,
    scores: Array,
    max_output_size: Array,
    iou_threshold: Array,
    score_threshold: Array,
) -> Array:
    name = "NonMaxSuppressionV3"
    return _plain(name, boxes, scores, max_output_size, iou_threshold, score_threshold)


def _padded_dims(size: Spec, pad: bool) -> Dims:
    return (int(size.value),) if pad and size.value is not None else (None,)


def _padded_shape(
    boxes: Spec,
    scores: Spec,
    max_output_size: Spec,
    *rest: Spec,
    op_name: str,
    pad_to_max_output_size: bool = False,
) -> list[Dims]:
    _check_boxes(op_name, boxes, scores)
    return [_padded_dims(max_output_size, pad_to_max_output_size), ()]


def _pad(values: Array, size: Array, wanted: bool) -> Array:
    return np.pad(values, (0, int(size) - len(values))) if wanted else values


_SELECTED: Any = {"T": _SCORES, "host": True, "static": ("max_output_size",)}


@op(
    "NonMaxSuppressionV4",
    "boxes: T=float32, scores: T, max_output_size: int32[0], iou_threshold: "
    "T_threshold=float32[0], score_threshold: T_threshold[0] -> selected_indices: int32, "
    "valid_outputs: int32",
    T_threshold=_SCORES,
    shape=_padded_shape,
    **_SELECTED,
)
def _non_max_suppression_padded(
    xp: Namespace,
    boxes: Array,
    scores: Array,
    max_output_size: Array,
    iou_threshold: Array,
    score_threshold: Array,
    *,
    pad_to_max_output_size: bool = False,
) -> tuple[Array, Array]:
    name = "NonMaxSuppressionV4"
    found = _plain(name, boxes, scores, max_output_size, iou_threshold, score_threshold)
    return _pad(found, max_output_size, pad_to_max_output_size), np.int32(len(found))


def _scored_shape(
    boxes: Spec,
    scores: Spec,
    max_output_size: Spec,
    *rest: Spec,
    op_name: str,
    pad_to_max_output_size: bool = False,
) -> list[Dims]:
    _check_boxes(op_name, boxes, scores)
    dims = _padded_dims(max_output_size, pad_to_max_output_size)
    return [dims, dims, ()]


@op(
    "NonMaxSuppressionV5",
    "boxes: T=float32, scores: T, max_output_size: int32[0], iou_threshold: T[0], "
    "score_threshold: T[0], soft_nms_sigma: T[0] -> selected_indices: int32, selected_scores: "
    "T, valid_outputs: int32",
    shape=_scored_shape,
    **_SELECTED,
)
def _soft_non_max_suppression(
    xp: Namespace,
    boxes: Array,
    scores: Array,
    max_output_size: Array,
    iou_threshold: Array,
    score_threshold: Array,
    soft_nms_sigma: Array,
    *,
    pad_to_max_output_size: bool = False,
) -> tuple[Array, Array, Array]:
    name = "NonMaxSuppressionV5"
    _check(name, boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma)
    if soft_nms_sigma < 0:
        raise bad_value(name, want="be non-negative", soft_nms_sigma=soft_nms_sigma)
    if soft_nms_sigma == 0:
        found = _plain(name, boxes, scores, max_output_size, iou_threshold, score_threshold)
        kept = scores[found]
    else:
        wide = [v.astype(np.float32) for v in (scores, boxes)]
        count, least = int(max_output_size), float(score_threshold)
        found, kept = select_softly(wide[0], overlap(wide[1]), count, float(soft_nms_sigma), least)
    indices, values = (_pad(v, max_output_size, pad_to_max_output_size) for v in (found, kept))
    return indices, values.astype(scores.dtype), np.int32(len(found))


def _overlaps_shape(overlaps: Spec, scores: Spec, *rest: Spec) -> Dims:
    return (None,)


@op(
    "NonMaxSuppressionWithOverlaps",
    "overlaps: float32[2], scores: float32[1], max_output_size: int32[0], overlap_threshold: "
    "float32[0], score_threshold: float32[0] -> selected_indices: int32",
    shape=_overlaps_shape,
    host=True,
)
def _suppression_with_overlaps(
    xp: Namespace,
    overlaps: Array,
    scores: Array,
    max_output_size: Array,
    overlap_threshold: Array,
    score_threshold: Array,
) -> Array:
    name = "NonMaxSuppressionWithOverlaps"
    if overlaps.ndim != 2 or overlaps.shape[0] != overlaps.shape[1]:
        raise bad_shape(name, want="be a square matrix", overlaps=overlaps)
    if scores.shape != overlaps.shape[:1]:
        raise bad_shape(name, want="have one element for each box", scores=scores)
    if max_output_size < 0:
        raise bad_value(name, want="not be negative", max_output_size=max_output_size)
    limits = max_output_size, overlap_threshold, score_threshold
    return _selected(scores, lambda one, other: overlaps[other, one], *limits)


for _name in ("", "V2", "WithOverlaps"):
    no_gradient(f"NonMaxSuppression{_name}")


@scoped("non_max_suppression")
def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf,
    name: str | None = None,
) -> Tensor:
    """The indices of at most `max_output_size` boxes that hardly overlap, best scores first.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [0.0, 2.0, 1.0, 3.0]]
    >>> tf.image.non_max_suppression(boxes, [0.5, 0.9, 0.4], 3).numpy()
    array([1, 2], dtype=int32)
    """
    return raw_ops.NonMaxSuppressionV3(
        boxes, scores, max_output_size, iou_threshold, score_threshold, name=name
    )


def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf,
    soft_nms_sigma: TensorLike = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Indices and scores; with `soft_nms_sigma` an overlap lowers a score and removes nothing.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [0.0, 2.0, 1.0, 3.0]]
    >>> chosen, scores = tf.image.non_max_suppression_with_scores(boxes, [0.5, 0.9, 0.4], 3)
    >>> scores.numpy()
    array([0.9, 0.4], dtype=float32)
    """
    dtype = getattr(boxes, "dtype", float32)
    if dtype not in (float16, float32):
        raise bad_dtype("non_max_suppression_with_scores", want="hold floats", boxes=boxes)
    indices, kept, _ = raw_ops.NonMaxSuppressionV5(
        boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma, name=name
    )
    return indices, kept


def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf,
    name: str | None = None,
) -> Tensor:
    """The same for a given matrix of overlaps.

    >>> tf.image.non_max_suppression_overlaps([[1.0, 0.9], [0.9, 1.0]], [0.3, 0.8], 2).numpy()
    array([1], dtype=int32)
    """
    return raw_ops.NonMaxSuppressionWithOverlaps(
        overlaps, scores, max_output_size, overlap_threshold, score_threshold, name=name
    )


@scoped("non_max_suppression_padded")
def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """Indices, filled up with zeros on request, and how many of them count; also for batches.

    `sorted_input` takes the boxes in the order in which they come. `canonicalized_coordinates` (of
    boxes whose first corner comes first) and `tile_size` are hints that change no result.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [0.0, 2.0, 1.0, 3.0]]
    >>> scores = [0.5, 0.9, 0.4]
    >>> chosen, count = tf.image.non_max_suppression_padded(
    ...     boxes, scores, 4, pad_to_max_output_size=True)
    >>> chosen.numpy(), count.numpy().item()
    (array([1, 2, 0, 0], dtype=int32), 2)
    """
    boxes, scores = convert_to_tensor(boxes), convert_to_tensor(scores)
    pad = pad_to_max_output_size
    _check_padded(boxes, scores, pad)
    if isinstance(max_output_size, list | tuple):
        raise ValueError(f"`max_output_size` must be a scalar, got {max_output_size!r}.")
    if integer("non_max_suppression_padded", "tile_size", tile_size) < 1:
        raise bad_value("non_max_suppression_padded", want="be positive", tile_size=tile_size)
    if boxes.dtype not in (float16, float32):
        boxes = raw_ops.Cast(boxes, DstT=float32)
    if not pad:
        limits = (max_output_size, iou_threshold, score_threshold)
        found = raw_ops.NonMaxSuppressionV4(boxes, scores, *limits)
        return found[0], found[1]
    boxes = raw_ops.Cast(boxes, DstT=float32)
    if not canonicalized_coordinates:
        low, high = boxes[..., :2], boxes[..., 2:]
        corners = [raw_ops.Minimum(low, high), raw_ops.Maximum(low, high)]
        boxes = raw_ops.ConcatV2(corners, np.int32(-1))
    scores = _ranked(boxes, scores, score_threshold, in_order=sorted_input)
    is_known = boxes.shape.rank is not None and None not in boxes.shape.as_list()[:-2]
    suppress = _padded_suppression if is_known else _suppression_of_unknown_batch
    return suppress(boxes, scores, max_output_size, _just_below(iou_threshold))


def _just_below(threshold: TensorLike) -> Tensor:
    """The next smaller number: the padded form also drops boxes that overlap by the threshold."""
    exact = raw_ops.Cast(convert_to_tensor(threshold), DstT=float32)
    return raw_ops.NextAfter(exact, np.float32(-np.inf))


def _ranked(boxes: Tensor, scores: Tensor, threshold: TensorLike, *, in_order: bool) -> Tensor:
    """The scores, `-inf` where they are too low; nothing without a corner above 0 is a box."""
    scores = raw_ops.Cast(scores, DstT=float32)
    seen = raw_ops.Any(boxes > np.float32(0), np.int32(-1))
    given = raw_ops.LogicalAnd(seen, scores > raw_ops.Cast(threshold, DstT=float32))
    if in_order:
        place = raw_ops.Range(np.int32(0), raw_ops.Shape(scores)[-1], np.int32(1))
        scores = raw_ops.ZerosLike(scores) - raw_ops.Cast(place, DstT=float32)
    return raw_ops.SelectV2(given, scores, np.float32(-np.inf))


def _check_padded(boxes: Tensor, scores: Tensor, pad: bool) -> None:
    """What the ops would say in other classes, which for this function are Python's."""
    name = "non_max_suppression_padded"
    if not pad and boxes.shape.rank not in (None, 2):
        want = "must have the shape [boxes, 4] unless pad_to_max_output_size"
        raise ValueError(f"{name}: `boxes` {want}, got shape {boxes.shape}.")
    if boxes.shape.rank is not None and not boxes.shape[-1:].is_compatible_with([4]):
        raise ValueError(f"{name}: `boxes` must have four columns, got shape {boxes.shape}.")
    if scores.shape.num_elements() and not scores.shape.is_compatible_with(boxes.shape[:-1]):
        want = f"must have the shape {boxes.shape[:-1]}, as `boxes`"
        raise ValueError(f"{name}: `scores` {want}, got shape {scores.shape}.")
    if not (boxes.dtype.is_floating or boxes.dtype.is_integer):
        raise TypeError(f"{name}: `boxes` must hold real numbers, got {boxes.dtype.name}.")
    if scores.dtype not in (float16, float32):
        raise TypeError(f"{name}: `scores` must be of dtype float32, got {scores.dtype.name}.")


def _padded_suppression(
    boxes: Tensor, scores: Tensor, most: TensorLike, threshold: Tensor
) -> tuple[Tensor, Tensor]:
    """Each set of boxes by itself: indices, followed by zeros, and how many of them count."""
    outer: list[Any] = boxes.shape.as_list()[:-2]
    flat_boxes = raw_ops.Reshape(boxes, join(np.array([-1], np.int32), shape_of(boxes)[-2:]))
    flat_scores = raw_ops.Reshape(scores, join(np.array([-1], np.int32), shape_of(scores)[-1:]))
    found = [
        _suppressed(flat_boxes[i], flat_scores[i], most, threshold)
        for i in range(int(np.prod(outer)))
    ]
    indices = raw_ops.Pack([each[0] for each in found], axis=0)
    counts = raw_ops.Pack([each[1] for each in found], axis=0)
    indices = raw_ops.Reshape(indices, join(np.array(outer, np.int32), shape_of(indices)[1:]))
    return indices, raw_ops.Reshape(counts, np.array(outer, np.int32))


def _suppression_of_unknown_batch(
    boxes: Tensor, scores: Tensor, most: TensorLike, threshold: Tensor
) -> tuple[Tensor, Tensor]:
    """The same in one go: no box of one set overlaps with a box of another one."""
    zero, one = np.int32(0), np.int32(1)
    shape = raw_ops.Shape(boxes)
    outer, size = shape[:-2], shape[-2]
    sets = raw_ops.Prod(outer, zero)
    flat = raw_ops.Reshape(boxes, [-1, 4])
    owner = raw_ops.FloorDiv(raw_ops.Range(zero, sets * size, one), size)
    together = raw_ops.Equal(raw_ops.ExpandDims(owner, one), raw_ops.ExpandDims(owner, zero))
    overlaps = raw_ops.SelectV2(together, _overlaps(flat), np.float32(0))
    flat_scores = raw_ops.Reshape(scores, np.array([-1], np.int32))
    lowest = np.float32(-np.inf)
    chosen = raw_ops.NonMaxSuppressionWithOverlaps(
        overlaps, flat_scores, sets * size, threshold, lowest
    )
    owner = raw_ops.GatherV2(owner, chosen, zero)
    table = raw_ops.OneHot(owner, sets, one, zero)
    rank = raw_ops.Sum(table * raw_ops.Cumsum(table, zero), np.array([1], np.int32)) - 1
    counted = raw_ops.Where(raw_ops.Less(rank, most))[:, 0]
    places = raw_ops.Pack([owner, rank], axis=1)
    indices = raw_ops.ScatterNd(
        raw_ops.GatherV2(places, counted, zero),
        raw_ops.GatherV2(raw_ops.FloorMod(chosen, size), counted, zero),
        raw_ops.Pack([sets, most]),
    )
    counts = raw_ops.Minimum(raw_ops.Sum(table, np.array([0], np.int32)), most)
    return (
        raw_ops.Reshape(indices, raw_ops.ConcatV2([outer, raw_ops.Pack([most])], zero)),
        raw_ops.Reshape(counts, outer),
    )


def _suppressed(
    boxes: Tensor, scores: Tensor, most: TensorLike, threshold: Tensor
) -> tuple[Tensor, Tensor]:
    chosen = raw_ops.NonMaxSuppressionWithOverlaps(
        _overlaps(boxes), scores, most, threshold, np.float32(-np.inf)
    )
    count = raw_ops.Size(chosen)
    widths = raw_ops.Pack([raw_ops.Pack([np.int32(0), most - count])])
    return raw_ops.Pad(chosen, widths), count


def _overlaps(boxes: Tensor) -> Tensor:
    """The intersection of each two boxes over their union."""
    one, other = raw_ops.ExpandDims(boxes, np.int32(1)), raw_ops.ExpandDims(boxes, np.int32(0))
    low = raw_ops.Maximum(one[..., :2], other[..., :2])
    high = raw_ops.Minimum(one[..., 2:], other[..., 2:])
    common = raw_ops.Prod(raw_ops.Maximum(high - low, np.float32(0)), np.int32(-1))
    area = raw_ops.Prod(boxes[:, 2:] - boxes[:, :2], np.int32(-1))
    union = raw_ops.ExpandDims(area, np.int32(1)) + area - common
    return common / (union + np.float32(1e-8))
