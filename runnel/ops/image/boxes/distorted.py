"""Random crops that keep a part of some object in view: the ops SampleDistortedBoundingBox."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.values.dtypes import SIGNED_INTS, int32, int64, uint8
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.random import philox, seeds
from runnel.ops.random.seeds import seed_attrs

_SIZES = SIGNED_INTS | {uint8}


class Draws:
    """Single numbers from a stream of Philox blocks, in the order TensorFlow takes them."""

    def __init__(self, key: Array, counter: Array) -> None:
        self._words = self._stream(key, counter)

    @staticmethod
    def _stream(key: Array, counter: Array) -> Iterator[int]:
        place = 0
        while True:
            block = philox.blocks(np, key, counter, np.array([place], np.uint64))
            yield from philox.words(np, block).ravel().tolist()
            place += 1

    def uniform(self) -> np.float32:
        """A number from 0 to 1: 23 of 32 bits."""
        bits = np.uint32(next(self._words) & 0x7FFFFF | 0x3F800000)
        return bits.view(np.float32) - np.float32(1)

    def below(self, limit: int) -> int:
        """An integer from 0 to `limit - 1`, each as likely."""
        if limit & (limit - 1) == 0:
            return next(self._words) & (limit - 1)
        rejected = (1 << 32) % limit
        word = next(self._words)
        while word < rejected:
            word = next(self._words)
        return word % limit


def _nearest(x: Any) -> int:
    return int(np.rint(np.float32(x)))


def _random_crop(
    draws: Draws, width: int, height: int, area_range: tuple[float, float], aspect: np.float32
) -> tuple[int, int, int, int] | None:
    """A crop (y, x, height, width) of this aspect ratio and an area in the range, or None."""
    least, most = (np.float32(a) * np.float32(width) * np.float32(height) for a in area_range)
    rows = _nearest(np.sqrt(least / aspect))
    most_rows = _nearest(np.sqrt(most / aspect))
    if _nearest(most_rows * aspect) > width:
        most_rows = int((width + 0.5 - np.float32(1e-7)) / aspect)
        most_rows -= _nearest(most_rows * aspect) > width
    most_rows = min(most_rows, height)
    rows = min(rows, most_rows)
    if rows < most_rows:
        rows += draws.below(most_rows - rows + 1)
    columns = _nearest(rows * aspect)
    for step, wrong in ((1, rows * columns < least), (-1, rows * columns > most)):
        if wrong:
            rows += step
            columns = _nearest(rows * aspect)
    fits = 0 < columns <= width and 0 < rows <= height and least <= rows * columns <= most
    if not fits:
        return None
    y = draws.below(height - rows) if rows < height else 0
    x = draws.below(width - columns) if columns < width else 0
    return y, x, rows, columns


def _covers(crop: tuple[int, int, int, int], boxes: Array, share: float) -> bool:
    """Whether the crop holds at least this share of one of the boxes (in pixels)."""
    y, x, rows, columns = crop
    if rows * columns < 1:
        return False
    for top, left, bottom, right in boxes.tolist():
        area = (bottom - top) * (right - left)
        if area < 1:
            continue
        high = max(0, min(bottom, y + rows) - max(top, y))
        wide = max(0, min(right, x + columns) - max(left, x))
        if np.float32(high * wide) / np.float32(area) >= np.float32(share):
            return True
    return False


def _sample(
    op_name: str,
    draws: Draws,
    image_size: Array,
    bounding_boxes: Array,
    min_object_covered: float,
    *,
    aspect_ratio_range: tuple,
    area_range: tuple,
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
) -> list[Array]:
    _check(op_name, image_size, bounding_boxes, min_object_covered, aspect_ratio_range, area_range)
    if max_attempts <= 0:
        raise bad_value(op_name, want="be positive", max_attempts=max_attempts)
    height, width = (int(n) for n in image_size[:2])
    pixels = np.array([height, width, height, width], np.float32)
    boxes = (bounding_boxes.reshape(-1, 4) * pixels).astype(np.int64)
    if not len(boxes):
        if not use_image_if_no_bounding_boxes:
            hint = "Use use_image_if_no_bounding_boxes for the whole image."
            raise bad_shape(op_name, want="hold a box", hint=hint, bounding_boxes=bounding_boxes)
        boxes = np.array([[0, 0, height, width]], np.int64)
    low, high = (np.float32(r) for r in aspect_ratio_range)
    crop = (0, 0, height, width)
    for _ in range(max_attempts):
        aspect = draws.uniform() * (high - low) + low
        found = _random_crop(draws, width, height, area_range, aspect)
        if found is not None and _covers(found, boxes, min_object_covered):
            crop = found
            break
    y, x, rows, columns = crop
    box = np.array([y, x, y + rows, x + columns], np.float32) / pixels
    begin, size = ([y, x, 0], [rows, columns, -1])
    dtype = image_size.dtype
    return [np.array(begin, dtype), np.array(size).astype(dtype), box.reshape(1, 1, 4)]


def _check(
    op_name: str, image_size: Array, boxes: Array, covered: Any, aspect: tuple, area: tuple
) -> None:
    if image_size.shape != (3,):
        raise bad_shape(op_name, want="be a vector of three elements", image_size=image_size)
    if image_size[:2].min() < 1:
        raise bad_value(op_name, want="hold positive sizes", image_size=image_size)
    if boxes.ndim != 3 or boxes.shape[-1] != 4:
        raise bad_shape(op_name, want="have the shape [batch, boxes, 4]", bounding_boxes=boxes)
    if boxes.size and not (boxes.min() >= 0 and boxes.max() <= 1):
        raise bad_value(op_name, want="be in [0, 1]", bounding_boxes=boxes)
    if covered < 0 or covered > 1:
        raise bad_value(op_name, want="be in [0, 1]", min_object_covered=covered)
    if len(aspect) != 2 or min(aspect) <= 0:
        raise bad_value(op_name, want="be two positive numbers", aspect_ratio_range=aspect)
    if len(area) != 2 or min(area) <= 0 or max(area) > 1:
        raise bad_value(op_name, want="be two numbers in (0, 1]", area_range=area)


def _sampled_shape(image_size: Spec, *rest: Spec, **attrs: Any) -> list[Dims]:
    return [(3,), (3,), (1, 1, 4)]


@op(
    "StatelessSampleDistortedBoundingBox",
    "image_size: T[1 of 3], bounding_boxes: float32[3], min_object_covered: float32[0], seed: "
    "Tseed[1 of 2] -> begin: T, size: T, bboxes: float32",
    T=_SIZES,
    Tseed=frozenset({int32, int64}),
    shape=_sampled_shape,
    host=True,
)
def _stateless_sample(
    xp: Namespace,
    image_size: Array,
    bounding_boxes: Array,
    min_object_covered: Array,
    seed: Array,
    *,
    aspect_ratio_range: tuple[float, ...] = (0.75, 1.33),
    area_range: tuple[float, ...] = (0.05, 1.0),
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> list[Array]:
    name = "StatelessSampleDistortedBoundingBox"
    if seed.shape != (2,):
        raise bad_shape(name, want="be a vector of two elements", seed=seed)
    return _sample(
        name,
        Draws(*philox.scramble(np, seed)),
        image_size,
        bounding_boxes,
        float(min_object_covered),
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
    )


def _first_place(*, seed: int, seed2: int, **attrs: Any) -> tuple[int, int]:
    return seeds.start(seed, seed2)


def _next_sample(
    op_name: str, place: tuple[int, int], *inputs: Any, **attrs: Any
) -> tuple[Any, Any]:
    """A sample, and the place in its stream where the next call of the op goes on."""
    key, counter = place
    sample = _sample(op_name, Draws(*seeds.stream(key, counter)), *inputs, **attrs)
    return sample, (key, counter + attrs["max_attempts"])


@op(
    "SampleDistortedBoundingBox",
    "image_size: T[1 of 3], bounding_boxes: float32[3] -> begin: T, size: T, bboxes: float32",
    T=_SIZES,
    shape=_sampled_shape,
    host=True,
    state="own",
    initial=_first_place,
)
def _sample_distorted(
    xp: Namespace,
    place: Any,
    image_size: Array,
    bounding_boxes: Array,
    *,
    seed: int = 0,
    seed2: int = 0,
    min_object_covered: float = 0.1,
    aspect_ratio_range: tuple[float, ...] = (0.75, 1.33),
    area_range: tuple[float, ...] = (0.05, 1.0),
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> tuple[Any, Any]:
    return _next_sample(
        "SampleDistortedBoundingBox",
        place,
        image_size,
        bounding_boxes,
        min_object_covered,
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
    )


@op(
    "SampleDistortedBoundingBoxV2",
    "image_size: T[1 of 3], bounding_boxes: float32[3], min_object_covered: float32[0] -> "
    "begin: T, size: T, bboxes: float32",
    T=_SIZES,
    shape=_sampled_shape,
    host=True,
    state="own",
    initial=_first_place,
)
def _sample_distorted_by_tensor(
    xp: Namespace,
    place: Any,
    image_size: Array,
    bounding_boxes: Array,
    min_object_covered: Array,
    *,
    seed: int = 0,
    seed2: int = 0,
    aspect_ratio_range: tuple[float, ...] = (0.75, 1.33),
    area_range: tuple[float, ...] = (0.05, 1.0),
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> tuple[Any, Any]:
    return _next_sample(
        "SampleDistortedBoundingBoxV2",
        place,
        image_size,
        bounding_boxes,
        float(min_object_covered),
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
    )


for _name in ("", "V2"):
    no_gradient(f"SampleDistortedBoundingBox{_name}")


def _given(
    aspect_ratio_range: Any, area_range: Any, max_attempts: Any, use_image_if_no_bounding_boxes: Any
) -> dict[str, Any]:
    """The attributes that were given; the op has its own for the rest."""
    attrs = {
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    return {key: value for key, value in attrs.items() if value is not None}


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Begin and size of a random crop, for `tf.slice`, and the crop as a box.

    It holds at least `min_object_covered` of one of the boxes, or is the whole image.

    >>> begin, size, box = tf.image.sample_distorted_bounding_box(
    ...     [50, 60, 3], [[[0.1, 0.2, 0.8, 0.9]]])
    >>> begin.shape, size.shape, box.shape
    (TensorShape([3]), TensorShape([3]), TensorShape([1, 1, 4]))
    """
    attrs = _given(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    seeds_given: dict[str, Any] = seed_attrs(seed) if seed else {}
    return raw_ops.SampleDistortedBoundingBoxV2(
        image_size, bounding_boxes, min_object_covered, **seeds_given, **attrs, name=name
    )


def stateless_sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: TensorLike,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Begin and size of a crop that `seed` decides, for `tf.slice`, and the crop as a box.

    It holds at least `min_object_covered` of one of the boxes, or is the whole image.

    >>> begin, size, box = tf.image.stateless_sample_distorted_bounding_box(
    ...     [50, 60, 3], [[[0.1, 0.2, 0.8, 0.9]]], seed=(1, 2))
    >>> begin.numpy(), size.numpy()
    (array([0, 4, 0], dtype=int32), array([44, 55, -1], dtype=int32))
    """
    attrs = _given(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    return raw_ops.StatelessSampleDistortedBoundingBox(
        image_size, bounding_boxes, min_object_covered, seed, **attrs, name=name
    )
