"""The op ScaleAndTranslate, which resizes with a kernel of any width, and that of its gradient."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values.dtypes import float32
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.kernels import resampling
from runnel.ops.image.resize.interpolation import (
    PIXELS,
    any_like,
    check_grad,
    check_images,
    check_resized,
    check_size,
    pair,
    with_size,
)
from runnel.ops.image.shared import cast


def _check_scale(
    images: Any, size: Any, scale: Any, translation: Any, *, kernel_type: str, **attrs: Any
) -> None:
    check_images("ScaleAndTranslate", images=images)
    check_size("ScaleAndTranslate", size)
    check_resized("ScaleAndTranslate", images, size)
    _check_pairs("ScaleAndTranslate", scale, translation, kernel_type)


def _check_pairs(op_name: str, scale: Any, translation: Any, kernel_type: str) -> None:
    for name, vector in (("scale", scale), ("translation", translation)):
        dims = vector.dims if isinstance(vector, Spec) else vector.shape
        if dims is not None and (len(dims) != 1 or dims[0] not in (2, None)):
            raise bad_shape(op_name, want="be a vector of two elements", **{name: vector})
    value = scale.value if isinstance(scale, Spec) else scale
    if value is not None and not np.min(value) > 0:
        raise bad_value(op_name, want="be greater than zero", scale=value)
    if kernel_type not in resampling.KERNELS:
        known = ", ".join(resampling.KERNELS)
        raise bad_value(op_name, want=f"be one of {known}", kernel_type=kernel_type)


def _scaled_shape(images: Spec, size: Spec, scale: Spec, translation: Spec, **attrs: Any) -> Dims:
    _check_scale(images, size, scale, translation, **attrs)
    return with_size(images, size)


@op(
    "ScaleAndTranslate",
    "images: T, size: int32, scale: float32, translation: float32 -> resized_images: float32",
    T=PIXELS,
    static=("size", "scale", "translation"),
    shape=_scaled_shape,
    heavy=True,
    check=_check_scale,
)
def _scale_and_translate(
    xp: Namespace,
    images: Array,
    size: np.ndarray,
    scale: np.ndarray,
    translation: np.ndarray,
    *,
    kernel_type: str = "lanczos3",
    antialias: bool = True,
) -> Array:
    images = images.astype(np.float32)
    for axis, outputs, factor, shift in zip((1, 2), pair(size), scale, translation):
        taps = resampling.kernel_taps(
            kernel_type, images.shape[axis], outputs, factor, shift, antialias
        )
        images = resampling.resample(xp, images, taps, axis)
    return images


@RegisterGradient("ScaleAndTranslate", needs="scale translation")
def _scale_and_translate_grad(op: Any, dy: Tensor) -> Gradients:
    image, _, scale, translation = op.inputs
    attrs = {key: op.attrs[key] for key in ("kernel_type", "antialias")}
    wide = raw_ops.ScaleAndTranslateGrad(
        dy, cast(any_like(image), float32), scale, translation, **attrs
    )
    return cast(wide, image.dtype), None, None, None


def _scaled_original(
    grads: Spec, original_image: Spec, scale: Spec, translation: Spec, **attrs: Any
) -> Dims:
    check_images("ScaleAndTranslateGrad", grads=grads)
    check_images("ScaleAndTranslateGrad", original_image=original_image)
    _check_pairs("ScaleAndTranslateGrad", scale, translation, attrs["kernel_type"])
    return original_image.dims


@op(
    "ScaleAndTranslateGrad",
    "grads: T, original_image: T, scale: float32, translation: float32 -> output: T",
    T=frozenset({float32}),
    static=("scale", "translation"),
    shape=_scaled_original,
    heavy=True,
    check=partial(check_grad, "ScaleAndTranslateGrad"),
)
def _scale_and_translate_adjoint(
    xp: Namespace,
    grads: Array,
    original_image: Array,
    scale: np.ndarray,
    translation: np.ndarray,
    *,
    kernel_type: str = "lanczos3",
    antialias: bool = True,
) -> Array:
    for axis, factor, shift in zip((1, 2), scale, translation):
        sizes = original_image.shape[axis], grads.shape[axis]
        taps = resampling.kernel_taps(kernel_type, *sizes, factor, shift, antialias)
        grads = resampling.spread(xp, grads, taps, axis)
    return grads
