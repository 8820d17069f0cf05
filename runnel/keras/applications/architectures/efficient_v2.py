"""EfficientNetV2: the first stages fuse the depthwise convolution with the one before it."""

from __future__ import annotations

import math
from typing import Any

from runnel.keras import layers
from runnel.keras.initializers import Constant
from .efficient import DENSE_INITIALIZER, KERNEL_INITIALIZER, with_way_around
from .scaffold import (
    Request,
    activate,
    channel_axis,
    conv,
    depthwise,
    named,
    norm,
    squeezed_and_excited,
)
from .weight_files import weights_file

_NORM = {"momentum": 0.9}
_SAME = {"kernel_initializer": KERNEL_INITIALIZER, "padding": "same"}
# (fused, repeats, filters in, filters out, expansion, squeezing, stride) of the stages.
_B = (
    (True, 1, 32, 16, 1, 0.0, 1),
    (True, 2, 16, 32, 4, 0.0, 2),
    (True, 2, 32, 48, 4, 0.0, 2),
    (False, 3, 48, 96, 4, 0.25, 2),
    (False, 5, 96, 112, 6, 0.25, 1),
    (False, 8, 112, 192, 6, 0.25, 2),
)
_S = (
    (True, 2, 24, 24, 1, 0.0, 1),
    (True, 4, 24, 48, 4, 0.0, 2),
    (True, 4, 48, 64, 4, 0.0, 2),
    (False, 6, 64, 128, 4, 0.25, 2),
    (False, 9, 128, 160, 6, 0.25, 1),
    (False, 15, 160, 256, 6, 0.25, 2),
)
_M = (
    (True, 3, 24, 24, 1, 0.0, 1),
    (True, 5, 24, 48, 4, 0.0, 2),
    (True, 5, 48, 80, 4, 0.0, 2),
    (False, 7, 80, 160, 4, 0.25, 2),
    (False, 14, 160, 176, 6, 0.25, 1),
    (False, 18, 176, 304, 6, 0.25, 2),
    (False, 5, 304, 512, 6, 0.25, 1),
)
_L = (
    (True, 4, 32, 32, 1, 0.0, 1),
    (True, 7, 32, 64, 4, 0.0, 2),
    (True, 7, 64, 96, 4, 0.0, 2),
    (False, 10, 96, 192, 4, 0.25, 2),
    (False, 19, 192, 224, 6, 0.25, 1),
    (False, 25, 224, 384, 6, 0.25, 2),
    (False, 7, 384, 640, 6, 0.25, 1),
)
# (stages, width, depth, size of images) of the members of the family.
_MEMBERS = {
    "B0": (_B, 1.0, 1.0, 224),
    "B1": (_B, 1.0, 1.1, 240),
    "B2": (_B, 1.1, 1.2, 260),
    "B3": (_B, 1.2, 1.4, 300),
    "S": (_S, 1.0, 1.0, 384),
    "M": (_M, 1.0, 1.0, 480),
    "L": (_L, 1.0, 1.0, 480),
}


def _rounded(filters: float) -> int:
    return max(8, int(filters + 4) // 8 * 8)


def _block(
    x: Any,
    prefix: str,
    drop: float,
    fused: bool,
    narrow: int,
    out: int,
    expansion: int,
    squeezing: float,
    stride: int,
) -> Any:
    inputs, wide = x, narrow * expansion
    if expansion != 1:
        kernel, step = (3, stride) if fused else (1, 1)
        x = conv(x, wide, kernel, f"{prefix}expand_conv", strides=step, **_SAME)
        x = norm(x, f"{prefix}expand_bn", **_NORM)
        x = activate(x, "swish", f"{prefix}expand_activation")
    if not fused:
        options = {"padding": "same", "depthwise_initializer": KERNEL_INITIALIZER}
        x = depthwise(x, 3, f"{prefix}dwconv2", strides=stride, **options)
        x = activate(norm(x, f"{prefix}bn", **_NORM), "swish", f"{prefix}activation")
    if squeezing:
        reduced = max(1, int(narrow * squeezing))
        x = squeezed_and_excited(x, wide, reduced, prefix, "swish", KERNEL_INITIALIZER)
    only = fused and expansion == 1  # the projection is the one convolution there is
    kernel, step = (3, stride) if only else (1, 1)
    x = conv(x, out, kernel, f"{prefix}project_conv", strides=step, **_SAME)
    x = norm(x, f"{prefix}project_bn", **_NORM)
    if only:
        x = activate(x, "swish", f"{prefix}project_activation")
    return with_way_around(x, inputs, prefix, drop) if stride == 1 and narrow == out else x


def _prepared(x: Any, member: str, channels: Any) -> Any:
    if not member.startswith("B") or channels != 3:
        return layers.Rescaling(scale=1.0 / 128.0, offset=-1)(x)
    x = layers.Rescaling(scale=1.0 / 255)(x)
    mean, deviation = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    variance = [d**2 for d in deviation]
    return layers.Normalization(mean=mean, variance=variance, axis=channel_axis())(x)


def _body(x: Any, member: str) -> Any:
    stages, width, depth, _ = _MEMBERS[member]
    x = conv(x, _rounded(stages[0][2] * width), 3, "stem_conv", strides=2, **_SAME)
    x = activate(norm(x, "stem_bn", **_NORM), "swish", "stem_activation")
    total = sum(stage[1] for stage in stages)  # before scaling: rates may exceed 0.2
    number = 0
    for i, (fused, repeats, first, out, expansion, squeezing, first_stride) in enumerate(stages):
        wide = _rounded(out * width)
        for j in range(math.ceil(depth * repeats)):
            narrow, stride = (_rounded(first * width), first_stride) if j == 0 else (wide, 1)
            prefix = f"block{i + 1}{chr(97 + j)}_"
            drop = 0.2 * number / total
            x = _block(x, prefix, drop, fused, narrow, wide, expansion, squeezing, stride)
            number += 1
    x = conv(x, _rounded(1280 * width), 1, "top_conv", **_SAME)
    return activate(norm(x, "top_bn", **_NORM), "swish", "top_activation")


def _efficientnet(member: str) -> Any:
    def build(
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        input_shape: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: Any = "softmax",
        include_preprocessing: bool = True,
    ) -> Any:
        data = input_tensor, input_shape
        request = Request(include_top, weights, *data, pooling, classes, classifier_activation)
        x = request.image(default_size=_MEMBERS[member][3])
        if include_preprocessing:
            x = _prepared(x, member, request.shape[channel_axis() - 1])
        x = request.finish(
            _body(x, member),
            ("avg_pool", "avg_pool", "max_pool"),
            0.2,
            kernel_initializer=DENSE_INITIALIZER,
            bias_initializer=Constant(0.0),
        )
        key = f"efficientnetv2-{member.lower()}"
        return request.model(x, key, lambda: weights_file("efficientnet_v2", key, include_top))

    name = f"EfficientNetV2{member}"
    return named(name, build, f"The {name} network (Tan and Le, 2021).")


EfficientNetV2B0 = _efficientnet("B0")
EfficientNetV2B1 = _efficientnet("B1")
EfficientNetV2B2 = _efficientnet("B2")
EfficientNetV2B3 = _efficientnet("B3")
EfficientNetV2S = _efficientnet("S")
EfficientNetV2M = _efficientnet("M")
EfficientNetV2L = _efficientnet("L")
