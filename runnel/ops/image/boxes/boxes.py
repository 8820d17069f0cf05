"""Boxes drawn on images, and boxes chosen class by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, no_gradient, op, raw_ops, scoped
from runnel.core.tensor.convert import unread
from runnel.core.values.dtypes import float16, float32
from runnel.core.values.errors import NotFoundError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.images.suppression import Limits, overlap, select

_WORK = frozenset({float16, float32})
_COLORS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)


def _drawn_shape(images: Spec, boxes: Spec, *colors: Spec, op_name: str) -> Dims:
    _check_drawing(op_name, images, boxes, *colors)
    return images.dims


def _check_drawing(op_name: str, images: Spec, boxes: Spec, *colors: Spec) -> None:
    if images.rank not in (None, 4):
        raise bad_shape(op_name, want="be 4-dimensional", images=images)
    depth = images.dims[3] if images.dims is not None else None
    if depth not in (None, 1, 3, 4):
        raise bad_shape(op_name, want="have 1, 3 or 4 channels", images=images)
    batch = images.dims[0] if images.dims is not None else None
    if not boxes.shape.is_compatible_with([batch, None, 4]):
        raise bad_shape(op_name, want="have the shape [batch, boxes, 4]", boxes=boxes)
    for table in colors:
        if table.rank not in (None, 2):
            raise bad_shape(op_name, want="be a matrix", colors=table)
        wide = (
            table.dims is None or depth is None or table.dims[1] is None or table.dims[1] >= depth
        )
        if not wide:
            raise bad_shape(op_name, want=f"have at least {depth} columns", colors=table)


def _checked(op_name: str) -> Any:
    def check(*values: Array) -> None:
        _check_drawing(op_name, *(Spec(v.shape, float32) for v in values))

    return check


def _draw(xp: Namespace, images: Array, boxes: Array, colors: Array) -> Array:
    """The outlines, one box after the other, each one pixel wide."""
    height, width, depth = images.shape[1:]
    ends = boxes * np.array([height - 1, width - 1] * 2, np.float32)
    ends = xp.trunc(ends).astype(np.int64)[..., None]
    y, x = np.arange(height), np.arange(width)
    top, left, bottom, right = (ends[:, :, i] for i in range(4))
    real = ((top <= bottom) & (left <= right))[..., None]
    within_rows, within_columns = (y >= top) & (y <= bottom), (x >= left) & (x <= right)
    on_row, on_column = (y == top) | (y == bottom), (x == left) | (x == right)
    outline = (on_row[..., None] & within_columns[:, :, None]) | (
        within_rows[..., None] & on_column[:, :, None]
    )
    outline = outline & real
    for i in range(boxes.shape[1]):
        color = colors[i % colors.shape[0], :depth].astype(images.dtype)
        images = xp.where(outline[:, i, ..., None], color, images)
    return images


def _default_colors(depth: int) -> np.ndarray:
    return np.ones((len(_COLORS), 1), np.float32) if depth == 1 else _COLORS


@op(
    "DrawBoundingBoxes",
    "images: T=float32, boxes: float32 -> output: T",
    T=_WORK,
    shape=_drawn_shape,
    check=_checked("DrawBoundingBoxes"),
)
def _draw_bounding_boxes(xp: Namespace, images: Array, boxes: Array) -> Array:
    return _draw(xp, images, boxes, _default_colors(images.shape[-1]))


@op(
    "DrawBoundingBoxesV2",
    "images: T=float32[3+], boxes: float32, colors: float32 -> output: T",
    T=_WORK,
    shape=_drawn_shape,
    check=_checked("DrawBoundingBoxesV2"),
)
def _draw_colored_boxes(xp: Namespace, images: Array, boxes: Array, colors: Array) -> Array:
    table = colors if colors.size else _default_colors(images.shape[-1])
    return _draw(xp, images, boxes, table)


no_gradient("DrawBoundingBoxes")


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, colors: TensorLike, name: str | None = None
) -> Tensor:
    """`images` with the outlines of `boxes` (y1, x1, y2, x2, from 0 to 1), in turn in `colors`.

    >>> image = tf.zeros([1, 3, 3, 1])
    >>> drawn = tf.image.draw_bounding_boxes(image, [[[0.0, 0.0, 1.0, 1.0]]], [[7.0]])
    >>> drawn[0, ..., 0].numpy()
    array([[7., 7., 7.],
           [7., 0., 7.],
           [7., 7., 7.]], dtype=float32)
    """
    pictures = unread(images, dtype_hint=float32)
    if colors is None:
        return raw_ops.DrawBoundingBoxes(pictures, boxes, name=name)
    return raw_ops.DrawBoundingBoxesV2(pictures, boxes, colors, name=name)


def _total(per_class: int, total: int, classes: int, pad_per_class: bool) -> int:
    return min(total, per_class * classes) if pad_per_class else total


def _combined_shape(
    boxes: Spec,
    scores: Spec,
    max_output_size_per_class: Spec,
    max_total_size: Spec,
    iou_threshold: Spec,
    score_threshold: Spec,
    *,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> list[Dims]:
    name = "CombinedNonMaxSuppression"
    if not boxes.shape.is_compatible_with([None, None, None, 4]):
        raise bad_shape(name, want="have the shape [batch, boxes, classes or 1, 4]", boxes=boxes)
    batch, count, q, _ = boxes.dims or (None,) * 4
    if not scores.shape.is_compatible_with([batch, count, None]):
        raise bad_shape(name, want="have the shape [batch, boxes, classes]", scores=scores)
    classes = scores.dims[2] if scores.dims is not None else None
    if q is not None and classes is not None and q not in (1, classes):
        raise bad_shape(
            name, want="have a third dimension of 1 or the number of classes", boxes=boxes
        )
    sizes = max_output_size_per_class.value, max_total_size.value
    size = None
    if sizes[1] is not None and (
        not pad_per_class or (sizes[0] is not None and classes is not None)
    ):
        per_class = 0 if sizes[0] is None else int(sizes[0])
        size = _total(per_class, int(sizes[1]), classes or 0, pad_per_class)
    return [(batch, size, 4), (batch, size), (batch, size), (batch,)]


def _check_combined(*values: Array, pad_per_class: bool, clip_boxes: bool) -> None:
    name = "CombinedNonMaxSuppression"
    _combined_shape(*(Spec(v.shape, float32, np.asarray(v)) for v in values))
    per_class, total, iou, _ = values[2:]
    if per_class <= 0:
        raise bad_value(name, want="be positive", max_output_size_per_class=per_class)
    if total <= 0:
        raise bad_value(name, want="be positive", max_total_size=total)
    if not 0 <= iou <= 1:
        raise bad_value(name, want="be in [0, 1]", iou_threshold=iou)


@op(
    "CombinedNonMaxSuppression",
    "boxes: float32, scores: float32, max_output_size_per_class: int32[0], max_total_size: "
    "int32[0], iou_threshold: float32[0], score_threshold: float32[0] -> nmsed_boxes: float32, "
    "nmsed_scores: float32, nmsed_classes: float32, valid_detections: int32",
    static=("max_output_size_per_class", "max_total_size"),
    shape=_combined_shape,
    check=_check_combined,
    host=True,
)
def _combined_suppression(
    xp: Namespace,
    boxes: Array,
    scores: Array,
    max_output_size_per_class: Array,
    max_total_size: Array,
    iou_threshold: Array,
    score_threshold: Array,
    *,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> list[Array]:
    per_class, total = int(max_output_size_per_class), int(max_total_size)
    limits = Limits(per_class, float(iou_threshold), float(score_threshold))
    batch, count, classes = scores.shape
    rows = scores.transpose(0, 2, 1).reshape(-1, count)
    box_of = np.arange(boxes.size // 4).reshape(boxes.shape[:3]).transpose(0, 2, 1)
    box_of = np.broadcast_to(box_of, (batch, classes, count)).reshape(-1, count)
    flat = boxes.reshape(-1, 4)
    found = select(rows, box_of, overlap(flat), limits)
    row = np.repeat(np.arange(len(rows)), [len(each) for each in found])
    place = np.concatenate([np.zeros(0, np.int32), *found])
    image, value = row // max(classes, 1), rows[row, place]
    order = np.lexsort((-value, image))  # image by image, the highest scores first
    counts = np.bincount(image, minlength=batch)
    rank = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    size = _total(per_class, total, classes, pad_per_class)
    order, rank = order[rank < size], rank[rank < size]
    image, row, place, value = image[order], row[order], place[order], value[order]
    best = np.zeros((batch, size, 4), np.float32)
    values, labels = np.zeros((2, batch, size), np.float32)
    chosen = flat[box_of[row, place]]
    best[image, rank] = np.clip(chosen, 0, 1) if clip_boxes else chosen
    values[image, rank], labels[image, rank] = value, row % max(classes, 1)
    return [best, values, labels, np.minimum(counts, size).astype(np.int32)]


class CombinedNonMaxSuppression(NamedTuple):
    """What `tf.image.combined_non_max_suppression` returns."""

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


@scoped("combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: TensorLike,
    max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """The best boxes of each class that hardly overlap, for a batch of images, filled with zeros.

    >>> boxes = tf.constant([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, 0.9]]]])
    >>> found = tf.image.combined_non_max_suppression(boxes, [[[0.2], [0.7]]], 2, 2)
    >>> found.nmsed_scores.numpy(), found.valid_detections.numpy()
    (array([[0.7, 0. ]], dtype=float32), array([1], dtype=int32))
    """
    most = convert_to_tensor(max_total_size)
    limits = (max_output_size_per_class, most, iou_threshold, score_threshold)
    attrs = {"pad_per_class": pad_per_class, "clip_boxes": clip_boxes}
    found: Sequence[Tensor] = raw_ops.CombinedNonMaxSuppression(
        boxes, scores, *limits, **attrs, name=name
    )
    return CombinedNonMaxSuppression(*found)


def generate_bounding_box_proposals(
    scores: TensorLike,
    bbox_deltas: TensorLike,
    image_info: TensorLike,
    anchors: TensorLike,
    nms_threshold: TensorLike = 0.7,
    pre_nms_topn: TensorLike = 6000,
    min_size: TensorLike = 16,
    post_nms_topn: int = 300,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Not available, as in TensorFlow without a GPU."""
    message = "tf.image.generate_bounding_box_proposals has no kernel for the CPU."
    raise NotFoundError(None, None, message)
