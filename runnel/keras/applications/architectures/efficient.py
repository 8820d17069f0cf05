"""EfficientNet (B0 to B7): inverted bottlenecks, scaled in width, depth and resolution."""

from __future__ import annotations

import math
from typing import Any

import runnel as tf
from runnel.keras import layers
from runnel.keras.applications.architectures.scaffold import (
    Request,
    activate,
    centred,
    channel_axis,
    conv,
    depthwise,
    divisible,
    named,
    norm,
    pad,
    squeezed_and_excited,
)
from runnel.keras.applications.architectures.weight_files import weights_file

KERNEL_INITIALIZER = {
    "class_name": "VarianceScaling",
    "config": {"scale": 2.0, "mode": "fan_out", "distribution": "truncated_normal"},
}
DENSE_INITIALIZER = {
    "class_name": "VarianceScaling",
    "config": {"scale": 1.0 / 3.0, "mode": "fan_out", "distribution": "uniform"},
}
_DEVIATION = (0.229, 0.224, 0.225)
# (kernel, repeats, filters in, filters out, expansion, stride) of the stages of B0.
_STAGES = (
    (3, 1, 32, 16, 1, 1),
    (3, 2, 16, 24, 6, 2),
    (5, 2, 24, 40, 6, 2),
    (3, 3, 40, 80, 6, 2),
    (5, 3, 80, 112, 6, 1),
    (5, 4, 112, 192, 6, 2),
    (3, 1, 192, 320, 6, 1),
)
# (width, depth, size of images, dropout) of the members of the family.
_SCALES = {
    "B0": (1.0, 1.0, 224, 0.2),
    "B1": (1.0, 1.1, 240, 0.2),
    "B2": (1.1, 1.2, 260, 0.3),
    "B3": (1.2, 1.4, 300, 0.3),
    "B4": (1.4, 1.8, 380, 0.4),
    "B5": (1.6, 2.2, 456, 0.4),
    "B6": (1.8, 2.6, 528, 0.5),
    "B7": (2.0, 3.1, 600, 0.5),
}


def _block(
    x: Any,
    prefix: str,
    activation: Any,
    drop: float,
    kernel: int,
    narrow: int,
    out: int,
    expansion: int,
    stride: int,
) -> Any:
    inputs, wide = x, narrow * expansion
    initial = {"kernel_initializer": KERNEL_INITIALIZER, "padding": "same"}
    if expansion != 1:
        x = norm(conv(x, wide, 1, f"{prefix}expand_conv", **initial), f"{prefix}expand_bn")
        x = activate(x, activation, f"{prefix}expand_activation")
    padding = "same"
    if stride == 2:
        x, padding = pad(x, centred(x, kernel), f"{prefix}dwconv_pad"), "valid"
    x = depthwise(
        x,
        kernel,
        f"{prefix}dwconv",
        strides=stride,
        padding=padding,
        depthwise_initializer=KERNEL_INITIALIZER,
    )
    x = activate(norm(x, f"{prefix}bn"), activation, f"{prefix}activation")
    reduced = max(1, int(narrow * 0.25))
    x = squeezed_and_excited(x, wide, reduced, prefix, activation, KERNEL_INITIALIZER)
    x = norm(conv(x, out, 1, f"{prefix}project_conv", **initial), f"{prefix}project_bn")
    return with_way_around(x, inputs, prefix, drop) if stride == 1 and narrow == out else x


def with_way_around(x: Any, inputs: Any, prefix: str, drop: float) -> Any:
    """The block's output, left out for some images while training, added to its input."""
    if drop > 0:
        x = layers.Dropout(drop, noise_shape=(None, 1, 1, 1), name=f"{prefix}drop")(x)
    return layers.Add(name=f"{prefix}add")([x, inputs])


def _stem(x: Any, width: float, activation: Any, trained: bool) -> Any:
    x = layers.Rescaling(1.0 / 255.0)(x)
    x = layers.Normalization(axis=channel_axis())(x)
    if trained:
        # The weights were trained with a deviation where the variance belongs; make up for it.
        shape = [3 if axis == channel_axis() else 1 for axis in range(4)]
        x = x * tf.reshape([1.0 / math.sqrt(d) for d in _DEVIATION], shape)
    x = pad(x, centred(x, 3), "stem_conv_pad")
    options = {"strides": 2, "padding": "valid", "kernel_initializer": KERNEL_INITIALIZER}
    x = norm(conv(x, divisible(32 * width), 3, "stem_conv", **options), "stem_bn")
    return activate(x, activation, "stem_activation")


def _body(x: Any, width: float, depth: float, drop: float, activation: Any) -> Any:
    repeats = [math.ceil(depth * stage[1]) for stage in _STAGES]
    number = 0
    for i, (kernel, _, first, out, expansion, first_stride) in enumerate(_STAGES):
        wide = divisible(out * width)
        for j in range(repeats[i]):
            narrow, stride = (divisible(first * width), first_stride) if j == 0 else (wide, 1)
            prefix = f"block{i + 1}{chr(97 + j)}_"
            rate = drop * number / sum(repeats)
            x = _block(x, prefix, activation, rate, kernel, narrow, wide, expansion, stride)
            number += 1
    initial = {"kernel_initializer": KERNEL_INITIALIZER, "padding": "same"}
    x = norm(conv(x, divisible(1280 * width), 1, "top_conv", **initial), "top_bn")
    return activate(x, activation, "top_activation")


def _efficientnet(member: str) -> Any:
    width, depth, size, dropout = _SCALES[member]

    def build(
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        input_shape: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: Any = "softmax",
        **kwargs: Any,
    ) -> Any:
        drop = kwargs.pop("drop_connect_rate", 0.2)
        activation = kwargs.pop("activation", "swish")
        if kwargs:
            raise TypeError(f"EfficientNet{member} got unexpected arguments {sorted(kwargs)}.")
        data = input_tensor, input_shape
        request = Request(include_top, weights, *data, pooling, classes, classifier_activation)
        x = _stem(request.image(default_size=size), width, activation, weights == "imagenet")
        x = _body(x, width, depth, drop, activation)
        names = ("avg_pool", "avg_pool", "max_pool")
        x = request.finish(x, names, dropout, kernel_initializer=DENSE_INITIALIZER)
        key = f"efficientnet{member.lower()}"
        return request.model(x, key, lambda: weights_file("efficientnet", key, include_top))

    name = f"EfficientNet{member}"
    return named(name, build, f"The {name} network (Tan and Le, 2019).")


EfficientNetB0 = _efficientnet("B0")
EfficientNetB1 = _efficientnet("B1")
EfficientNetB2 = _efficientnet("B2")
EfficientNetB3 = _efficientnet("B3")
EfficientNetB4 = _efficientnet("B4")
EfficientNetB5 = _efficientnet("B5")
EfficientNetB6 = _efficientnet("B6")
EfficientNetB7 = _efficientnet("B7")
