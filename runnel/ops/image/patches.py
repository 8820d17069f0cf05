"""Patches of images and volumes: every window as one row of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.op.vjp import derived
from runnel.core.values.dtypes import COMPLEX, REAL
from runnel.core.values.dtypes import bool as bool_
from runnel.core.values.errors import UnimplementedError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike


def _window(size: int, kernel: int, stride: int, rate: int, padding: str) -> tuple[int, int, int]:
    """How many windows fit, and the padding before and after."""
    reach = (kernel - 1) * rate + 1
    if padding == "VALID":
        return max(0, -(-(size - reach + 1) // stride)), 0, 0
    count = -(-size // stride)
    missing = max(0, (count - 1) * stride + reach - size)
    return count, missing // 2, missing - missing // 2


def _patches_shape(
    op_name: str, images: Spec, ksizes: Any, strides: Any, rates: Any, padding: str
) -> Dims:
    rank = 5 if op_name == "ExtractVolumePatches" else 4
    if padding not in ("SAME", "VALID"):
        raise bad_value(op_name, want="be 'SAME' or 'VALID'", padding=padding)
    for name, sizes in (("ksizes", ksizes), ("strides", strides), ("rates", rates)):
        if len(sizes) != rank:
            raise bad_value(op_name, want=f"have {rank} elements", **{name: sizes})
        if sizes[0] != 1 or sizes[-1] != 1:
            message = f"{op_name}: `{name}` must be 1 for batch and channels, got {list(sizes)}."
            raise UnimplementedError(None, None, f"{message} [Op:{op_name}]")
        if min(sizes) < 1:
            raise bad_value(op_name, want="be positive", **{name: sizes})
    dims = images.dims or (None,) * rank
    if len(dims) != rank:
        raise bad_shape(op_name, want=f"have {rank} dimensions", images=images)
    space = [
        None if d is None else _window(d, kernel, stride, rate, padding)[0]
        for d, kernel, stride, rate in list(zip(dims, ksizes, strides, rates))[1:-1]
    ]
    channels = None if dims[-1] is None else dims[-1] * int(np.prod(ksizes))
    return (dims[0], *space, channels)


def _patches(xp: Namespace, x: Array, ksizes: Any, strides: Any, rates: Any, padding: str) -> Array:
    space = len(ksizes) - 2
    for axis in range(space, 0, -1):  # from the back, so that the axes in front stay where they are
        kernel, stride, rate = ksizes[axis], strides[axis], rates[axis]
        count, before, after = _window(x.shape[axis], kernel, stride, rate, padding)
        widths = [(0, 0)] * x.ndim
        widths[axis] = (before, after)
        padded = xp.pad(x, widths)
        index = (np.arange(count)[:, None] * stride + np.arange(kernel) * rate).ravel()
        x = xp.take(padded, index, axis=axis)
        x = xp.reshape(x, (*x.shape[:axis], count, kernel, *x.shape[axis + 1 :]))
    order = (0, *range(1, 2 * space, 2), *range(2, 2 * space + 1, 2), 2 * space + 1)
    x = xp.transpose(x, order)
    return xp.reshape(x, (*x.shape[: space + 1], int(np.prod(x.shape[space + 1 :]))))


def _image_patches_shape(
    images: Spec, *, ksizes: tuple, strides: tuple, rates: tuple, padding: str
) -> Dims:
    return _patches_shape("ExtractImagePatches", images, ksizes, strides, rates, padding)


@op(
    "ExtractImagePatches",
    "images: T[4] -> patches: T",
    T=REAL | COMPLEX | {bool_},
    shape=_image_patches_shape,
    check=lambda images, **attrs: _image_patches_shape(Spec(images.shape, bool_), **attrs),
)
def _extract_image_patches(
    xp: Namespace, images: Array, *, ksizes: tuple, strides: tuple, rates: tuple, padding: str
) -> Array:
    return _patches(xp, images, ksizes, strides, rates, padding)


RegisterGradient("ExtractImagePatches")(derived)


def _volume_patches_shape(input: Spec, *, ksizes: tuple, strides: tuple, padding: str) -> Dims:
    ones = (1,) * len(ksizes)
    return _patches_shape("ExtractVolumePatches", input, ksizes, strides, ones, padding)


@op(
    "ExtractVolumePatches",
    "input: T[5+] -> patches: T",
    T=REAL,
    shape=_volume_patches_shape,
    check=lambda input, **attrs: _volume_patches_shape(Spec(input.shape, bool_), **attrs),
)
def _extract_volume_patches(
    xp: Namespace, input: Array, *, ksizes: tuple, strides: tuple, padding: str
) -> Array:
    return _patches(xp, input, ksizes, strides, (1,) * len(ksizes), padding)


RegisterGradient("ExtractVolumePatches")(derived)


def extract_patches(
    images: TensorLike,
    sizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """The patches of `sizes` at every `strides`, each flattened into the last axis.

    >>> image = tf.reshape(tf.range(9), [1, 3, 3, 1])
    >>> patches = tf.image.extract_patches(image, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
    >>> patches[0, 0].numpy().tolist()
    [[0, 1, 3, 4], [1, 2, 4, 5]]
    """
    return raw_ops.ExtractImagePatches(
        images, ksizes=sizes, strides=strides, rates=rates, padding=padding, name=name
    )


def extract_volume_patches(
    input: TensorLike, ksizes: Any, strides: Any, padding: str, name: str | None = None
) -> Tensor:
    """Blocks of a volume, each flattened into the channels of the place where it starts.

    >>> size = [1, 2, 2, 2, 1]
    >>> tf.extract_volume_patches(tf.zeros([1, 4, 4, 4, 1]), size, size, "VALID").shape
    TensorShape([1, 2, 2, 2, 8])
    """
    return raw_ops.ExtractVolumePatches(
        input, ksizes=ksizes, strides=strides, padding=padding, name=name
    )  # type: ignore[no-any-return]
