"""Images mirrored, turned and transposed."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import bool as bool_
from runnel.core.values.dtypes import int32
from runnel.core.values.types import TensorLike
from runnel.ops.image.shared import at_least_3d, cast, sizes
from runnel.ops.random.numbers import uniform
from runnel.ops.random.seeded_numbers import stateless_uniform


@scoped("flip_left_right")
def flip_left_right(image: TensorLike) -> Tensor:
    """`image`, or each image of a batch, mirrored: left becomes right.

    >>> tf.image.flip_left_right([[[1], [2], [3]]]).numpy().ravel()
    array([3, 2, 1], dtype=int32)
    """
    return _flip(image, -2)


@scoped("flip_up_down")
def flip_up_down(image: TensorLike) -> Tensor:
    """`image`, or each image of a batch, upside down.

    >>> tf.image.flip_up_down([[[1]], [[2]], [[3]]]).numpy().ravel()
    array([3, 2, 1], dtype=int32)
    """
    return _flip(image, -3)


def _flip(image: TensorLike, axis: int) -> Tensor:
    image = _of_rank_3_or_4(image)
    rank = image.shape.rank
    place: Any = raw_ops.Rank(image) + axis if rank is None else rank + axis
    return raw_ops.ReverseV2(
        image, raw_ops.Pack([place], axis=0) if rank is None else np.array([place], np.int32)
    )


def _of_rank_3_or_4(image: TensorLike) -> Tensor:
    image = at_least_3d(image)
    if image.shape.rank not in (None, 3, 4):
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return image


@scoped("rot90")
def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> Tensor:
    """`image`, or each image of a batch, turned to the left by `k` quarters of a circle.

    >>> tf.image.rot90([[[1], [2]], [[3], [4]]])[..., 0].numpy().tolist()
    [[2, 4], [1, 3]]
    """
    image = _of_rank_3_or_4(image)
    turns = constant_value(convert_to_tensor(k, dtype=int32))
    if turns is not None and turns.ndim:
        raise ValueError(f"`k` must be a scalar, got {k!r}.")
    if turns is None:
        return _turn_by_tensor(image, k)
    return _turn(image, int(turns) % 4)


def _turn(image: Tensor, quarters: int) -> Tensor:
    if quarters == 0:
        return image
    if quarters == 1:
        return transpose(flip_left_right(image))
    if quarters == 2:
        return flip_up_down(flip_left_right(image))
    return flip_left_right(transpose(image))


def _turn_by_tensor(image: Tensor, k: TensorLike) -> Tensor:
    """Rows and columns exchanged for an odd `k`, then either of them turned round."""
    turns = raw_ops.FloorMod(convert_to_tensor(k), 4)
    rank: Any = image.shape.rank if image.shape.rank is not None else raw_ops.Rank(image)
    odd = raw_ops.Equal(raw_ops.FloorMod(turns, 2), 1)
    swapped = raw_ops.SelectV2(odd, np.array([2, 3, 1], np.int32), np.array([3, 2, 1], np.int32))
    front = raw_ops.Range(np.int32(0), rank - 3, np.int32(1))
    order = raw_ops.ConcatV2([front, rank - swapped], np.int32(0))
    found = raw_ops.Transpose(image, order)
    upside_down = raw_ops.LogicalOr(raw_ops.Equal(turns, 1), raw_ops.Equal(turns, 2))
    found = _turned_round(found, rank - 3, upside_down)
    found = _turned_round(found, rank - 2, raw_ops.GreaterEqual(turns, 2))
    if isinstance(rank, int):
        dims = image.shape._dims or ()
        same = dims[-3] if dims[-3] == dims[-2] else None
        found.set_shape([*dims[:-3], same, same, dims[-1]])
    return found


def _turned_round(x: Tensor, axis: Any, wanted: Tensor) -> Tensor:
    """`x` backwards along an axis where `wanted` is true."""
    size = raw_ops.Shape(x)[axis]
    places = raw_ops.Range(np.int32(0), size, np.int32(1))
    return raw_ops.GatherV2(x, raw_ops.SelectV2(wanted, size - 1 - places, places), axis)


@scoped("transpose")
def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """`image`, or each image of a batch, with rows and columns exchanged.

    >>> tf.image.transpose([[[1], [2]], [[3], [4]]])[..., 0].numpy().tolist()
    [[1, 3], [2, 4]]
    """
    image = _of_rank_3_or_4(image)
    rank = image.shape.rank
    if rank is None:
        front = raw_ops.Range(np.int32(0), raw_ops.Rank(image) - 3, np.int32(1))
        last = raw_ops.Rank(image) - np.array([2, 3, 1], np.int32)
        return raw_ops.Transpose(image, raw_ops.ConcatV2([front, last], 0), name=name)
    order = [1, 0, 2] if rank == 3 else [0, 2, 1, 3]
    return raw_ops.Transpose(image, np.array(order, np.int32), name=name)


@scoped("random_flip_left_right")
def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """`image`, mirrored with a probability of one half; each image of a batch by itself.

    Args:
        image: an image, or a batch of some: `[height, width, channels]`, with the batch in front.
        seed: a number that decides, with the global seed, which random numbers are drawn.

    >>> tf.image.random_flip_left_right([[[1], [1]]]).numpy().ravel()
    array([1, 1], dtype=int32)
    """
    return _random_flip(image, -2, seed)


@scoped("random_flip_up_down")
def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """`image`, upside down with a probability of one half; each image of a batch by itself.

    >>> tf.image.random_flip_up_down([[[1]], [[1]]]).numpy().ravel()
    array([1, 1], dtype=int32)
    """
    return _random_flip(image, -3, seed)


def _random_flip(image: TensorLike, axis: int, seed: int | None) -> Tensor:
    return _flip_where(image, axis, lambda shape: uniform(shape, 0, 1.0, seed=seed))


@scoped("stateless_random_flip_left_right")
def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """`image`, mirrored with a probability of one half, always in the same way for a `seed`.

    >>> tf.image.stateless_random_flip_left_right([[[1], [1]]], seed=(1, 2)).numpy().ravel()
    array([1, 1], dtype=int32)
    """
    return _stateless_random_flip(image, -2, seed)


@scoped("stateless_random_flip_up_down")
def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """`image`, upside down with a probability of one half, always the same for a `seed`.

    >>> tf.image.stateless_random_flip_up_down([[[1]], [[1]]], seed=(1, 2)).numpy().ravel()
    array([1, 1], dtype=int32)
    """
    return _stateless_random_flip(image, -3, seed)


def _stateless_random_flip(image: TensorLike, axis: int, seed: TensorLike) -> Tensor:
    return _flip_where(image, axis, lambda shape: stateless_uniform(shape, seed))


def _flip_where(image: TensorLike, axis: int, draw: Any) -> Tensor:
    """Flip where a number that `draw` gives says so: one for each image."""
    image = _of_rank_3_or_4(image)
    flipped = _flip(image, axis)
    if image.shape.rank is None:
        front = raw_ops.Shape(image)[:-3]  # one number for an image, one for each of a batch
        drawn = draw(front)
        single = raw_ops.Equal(raw_ops.Size(front), 0)
        chosen = raw_ops.SelectV2(single, raw_ops.Less(drawn, 0.5), raw_ops.Greater(drawn, 0.5))
        shape = raw_ops.ConcatV2([front, np.ones(3, np.int32)], np.int32(0))
        return raw_ops.SelectV2(raw_ops.Reshape(chosen, shape), flipped, image)
    if image.shape.rank == 3:
        return raw_ops.SelectV2(raw_ops.Less(draw([]), 0.5), flipped, image)
    batch = sizes(image)[0]
    drawn = raw_ops.Round(draw([batch]))
    chosen = raw_ops.Reshape(cast(drawn, bool_), np.array([-1, 1, 1, 1], np.int32))
    return raw_ops.SelectV2(chosen, flipped, image)
