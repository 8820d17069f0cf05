"""The op CropAndResize, which cuts boxes out of images and brings them to one size."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.settings.arguments import check_room
from runnel.core.values.dtypes import (
    DType,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
)
from runnel.core.values.errors import OutOfRangeError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import scatter
from runnel.ops.choices import SAMPLING
from runnel.ops.shapes import shape_of

_FLOATING = frozenset({float16, float32, float64})
_PIXELS = _FLOATING | {uint8, uint16, int8, int16, int32, int64}


def _check_ranks(op_name: str, **arguments: Any) -> None:
    for name, value in arguments.items():
        dims = value.dims if isinstance(value, Spec) else value.shape
        rank = {"image": 4, "grads": 4, "boxes": 2, "box_ind": 1}[name]
        if dims is not None and len(dims) != rank:
            raise bad_shape(op_name, want=f"have {rank} dimensions", **{name: value})
        if dims is not None and name == "boxes" and dims[1] not in (4, None):
            raise bad_shape(op_name, want="have 4 columns: y1, x1, y2, x2", boxes=value)


def _check_count(op_name: str, boxes: Any, box_ind: Any) -> None:
    pair: list[Any] = [v.dims if isinstance(v, Spec) else v.shape for v in (boxes, box_ind)]
    if None in pair or None in (pair[0][0], pair[1][0]):
        return
    if pair[0][0] != pair[1][0]:
        raise bad_shape(
            op_name, want=f"have one element for each of {pair[0][0]} boxes", box_ind=box_ind
        )


def _check_indices(op_name: str, box_ind: np.ndarray, batch: int) -> None:
    if box_ind.size and not (box_ind.min() >= 0 and box_ind.max() < batch):
        message = f"{op_name}: `box_ind` has values outside [0, {batch}). [Op:{op_name}]"
        raise OutOfRangeError(None, None, message)


def _crops_shape(
    image: Spec,
    boxes: Spec,
    box_ind: Spec,
    crop_size: Spec,
    *,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Dims:
    _check_ranks("CropAndResize", image=image, boxes=boxes, box_ind=box_ind)
    _check_count("CropAndResize", boxes, box_ind)
    _check_method("CropAndResize", method)
    height, width = (None, None) if crop_size.value is None else crop_size.value.tolist()
    if height is not None and min(height, width) <= 0:
        raise bad_value("CropAndResize", want="be positive", crop_size=crop_size.value)
    count = boxes.dims[0] if boxes.dims is not None else None
    return count, height, width, None if image.dims is None else image.dims[3]


def _check_method(op_name: str, method: str) -> None:
    if method not in ("bilinear", "nearest"):
        raise bad_value(op_name, want="be 'bilinear' or 'nearest'", method=method)


def _check_crop(image: Array, boxes: Array, box_ind: Array, crop_size: Array, **attrs: Any) -> None:
    specs = [Spec(v.shape, int32, np.asarray(v)) for v in (image, boxes, box_ind, crop_size)]
    dims = _crops_shape(*specs, **attrs)
    check_room("CropAndResize", dims, 4)  # type: ignore[arg-type]
    _check_indices("CropAndResize", box_ind, image.shape[0])


class Grid:
    """Where in the image the samples of each crop lie, along one axis."""

    def __init__(self, xp: Namespace, start: Array, end: Array, size: int, samples: int) -> None:
        last = np.float32(size - 1)
        steps = np.arange(samples, dtype=np.float32)
        if samples > 1:
            scale = (end - start) * last / np.float32(samples - 1)
            self.position = start[:, None] * last + steps * scale[:, None]
        else:
            self.position = (np.float32(0.5) * (start + end) * last)[:, None]
        self.inside = (self.position >= 0) & (self.position <= last)
        position = xp.clip(self.position, np.float32(0), last)
        below = xp.floor(position)
        self.lower = below.astype(np.int32)
        self.upper = xp.ceil(position).astype(np.int32)
        self.nearest = xp.floor(position + np.float32(0.5)).astype(np.int32)
        self.fraction = position - below


def _grids(xp: Namespace, boxes: Array, image: Any, crop: Any) -> tuple[Grid, Grid]:
    rows = Grid(xp, boxes[:, 0], boxes[:, 2], image[1], crop[0])
    columns = Grid(xp, boxes[:, 1], boxes[:, 3], image[2], crop[1])
    return rows, columns


@op(
    "CropAndResize",
    "image: T, boxes: float32, box_ind: int32, crop_size: int32[1 of 2] -> crops: float32",
    T=_PIXELS,
    static=("crop_size",),
    shape=_crops_shape,
    check=_check_crop,
    heavy=True,
)
def _crop_and_resize(
    xp: Namespace,
    image: Array,
    boxes: Array,
    box_ind: Array,
    crop_size: np.ndarray,
    *,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Array:
    rows, columns = _grids(xp, boxes, image.shape, np.ravel(crop_size).tolist())
    batch = box_ind[:, None, None]
    if method == "nearest":
        crops = image[batch, rows.nearest[:, :, None], columns.nearest[:, None, :]]
    else:
        across, down = columns.fraction[:, None, :, None], rows.fraction[:, :, None, None]
        (top_left, top_right), (bottom_left, bottom_right) = _corners(image, batch, rows, columns)
        top = top_left + (top_right - top_left) * across
        bottom = bottom_left + (bottom_right - bottom_left) * across
        crops = top + (bottom - top) * down
    inside = rows.inside[:, :, None, None] & columns.inside[:, None, :, None]
    return xp.where(inside, crops.astype(np.float32), np.float32(extrapolation_value))


def _corners(image: Array, batch: Array, rows: Grid, columns: Grid) -> list[list[Array]]:
    return [
        [
            image[batch, row[:, :, None], column[:, None, :]].astype(np.float32)
            for column in (columns.lower, columns.upper)
        ]
        for row in (rows.lower, rows.upper)
    ]


@RegisterGradient("CropAndResize", needs="image boxes box_ind")
def _crop_and_resize_grad(op: Any, dy: Tensor) -> Gradients:
    image, boxes, box_ind, _ = op.inputs
    dimage = None
    if image.dtype in _FLOATING:
        dimage = raw_ops.CropAndResizeGradImage(
            dy, boxes, box_ind, shape_of(image), T=image.dtype, method=op.attrs["method"]
        )
    # TensorFlow's gradient of the boxes is that of `bilinear`, whatever the method.
    dboxes = raw_ops.CropAndResizeGradBoxes(dy, image, boxes, box_ind)
    return dimage, dboxes, None, None


def _image_shape(
    grads: Spec, boxes: Spec, box_ind: Spec, image_size: Spec, *, T: DType, method: str = "bilinear"
) -> Dims:
    _check_ranks("CropAndResizeGradImage", grads=grads, boxes=boxes, box_ind=box_ind)
    _check_method("CropAndResizeGradImage", method)
    return (None,) * 4 if image_size.value is None else tuple(image_size.value.tolist())


def _check_grad_image(
    grads: Array, boxes: Array, box_ind: Array, image_size: Array, **attrs: Any
) -> None:
    _check_ranks("CropAndResizeGradImage", grads=grads, boxes=boxes, box_ind=box_ind)
    _check_count("CropAndResizeGradImage", boxes, box_ind)
    _check_indices("CropAndResizeGradImage", box_ind, int(image_size[0]))


@op(
    "CropAndResizeGradImage",
    "grads: float32, boxes: float32, box_ind: int32, image_size: int32[1 of 4] -> output: T",
    T=_FLOATING,
    static=("image_size",),
    shape=_image_shape,
    check=_check_grad_image,
    heavy=True,
    method=SAMPLING,
)
def _crop_grad_image(
    xp: Namespace,
    grads: Array,
    boxes: Array,
    box_ind: Array,
    image_size: np.ndarray,
    *,
    T: DType,
    method: str = "bilinear",
) -> Array:
    size = np.ravel(image_size).tolist()
    rows, columns = _grids(xp, boxes, size, grads.shape[1:3])
    inside = rows.inside[:, :, None, None] & columns.inside[:, None, :, None]
    grads = xp.where(inside, grads, np.float32(0))
    batch = xp.broadcast_to(box_ind[:, None, None], grads.shape[:3])
    total = xp.zeros(size, np.float32)
    if method == "nearest":
        place = (batch, rows.nearest[:, :, None], columns.nearest[:, None, :])
        return scatter(xp, total, place, grads, "add").astype(T.np_dtype)
    for row, down in ((rows.lower, 1 - rows.fraction), (rows.upper, rows.fraction)):
        for column, across in (
            (columns.lower, 1 - columns.fraction),
            (columns.upper, columns.fraction),
        ):
            part = grads * down[:, :, None, None] * across[:, None, :, None]
            total = scatter(xp, total, (batch, row[:, :, None], column[:, None, :]), part, "add")
    return total.astype(T.np_dtype)


def _boxes_shape(
    grads: Spec, image: Spec, boxes: Spec, box_ind: Spec, *, method: str = "bilinear"
) -> Dims:
    _check_ranks("CropAndResizeGradBoxes", grads=grads, image=image, boxes=boxes, box_ind=box_ind)
    return boxes.dims


def _check_grad_boxes(
    grads: Array, image: Array, boxes: Array, box_ind: Array, **attrs: Any
) -> None:
    _check_ranks("CropAndResizeGradBoxes", grads=grads, image=image, boxes=boxes, box_ind=box_ind)
    _check_count("CropAndResizeGradBoxes", boxes, box_ind)
    _check_indices("CropAndResizeGradBoxes", box_ind, image.shape[0])


@op(
    "CropAndResizeGradBoxes",
    "grads: float32, image: T, boxes: float32, box_ind: int32 -> output: float32",
    T=_PIXELS,
    shape=_boxes_shape,
    check=_check_grad_boxes,
    heavy=True,
    method=frozenset({"bilinear"}),
)
def _crop_grad_boxes(
    xp: Namespace,
    grads: Array,
    image: Array,
    boxes: Array,
    box_ind: Array,
    *,
    method: str = "bilinear",
) -> Array:
    rows, columns = _grids(xp, boxes, image.shape, grads.shape[1:3])
    inside = rows.inside[:, :, None, None] & columns.inside[:, None, :, None]
    grads = xp.where(inside, grads, np.float32(0))
    (top_left, top_right), (bottom_left, bottom_right) = _corners(
        image, box_ind[:, None, None], rows, columns
    )
    across, down = columns.fraction[:, None, :, None], rows.fraction[:, :, None, None]
    steep = (1 - across) * (bottom_left - top_left) + across * (bottom_right - top_right)
    slope = (1 - down) * (top_right - top_left) + down * (bottom_right - bottom_left)
    dy1, dy2 = _ends(xp, xp.sum(grads * steep, axis=(2, 3)), image.shape[1])
    dx1, dx2 = _ends(xp, xp.sum(grads * slope, axis=(1, 3)), image.shape[2])
    return xp.stack([dy1, dx1, dy2, dx2], axis=1)


def _ends(xp: Namespace, dposition: Array, size: int) -> tuple[Array, Array]:
    """The gradients of a box's start and end, given those of its samples' positions."""
    samples = dposition.shape[1]
    last = np.float32(size - 1)
    share = (
        np.arange(samples, dtype=np.float32) / np.float32(samples - 1)
        if samples > 1
        else np.float32(0.5)
    )
    return xp.sum(dposition * (last * (1 - share)), axis=1), xp.sum(
        dposition * (last * share), axis=1
    )


@scoped("CropAndResize", last=True)
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: TensorLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """The `boxes` (y1, x1, y2, x2, from 0 to 1) of the images `box_indices`, all of one size.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.crop_and_resize(image, [[0.0, 0.0, 0.5, 1.0]], [0], [2, 2])[0, ..., 0].numpy()
    array([[0., 2.],
           [3., 5.]], dtype=float32)
    """
    return raw_ops.CropAndResize(
        convert_to_tensor(image),
        convert_to_tensor(boxes, dtype=float32),
        convert_to_tensor(box_indices, dtype=int32),
        crop_size,
        method=method,
        extrapolation_value=extrapolation_value,
        name=name,
    )
