"""MobileNetV3, small and large: found by search, with squeezing and hard swish."""

from __future__ import annotations

import logging
from typing import Any

from runnel.keras import layers
from runnel.keras.applications.architectures.scaffold import (
    Request,
    activate,
    centred,
    channels_of,
    conv,
    depthwise,
    divisible,
    named,
    norm,
    pad,
    rows_and_columns,
)
from runnel.keras.applications.architectures.weight_files import weights_file
from runnel.keras.engine.settings import image_data_format
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor

_NORM = {"epsilon": 1e-3, "momentum": 0.999}
# (expansion, filters, kernel, stride, squeezed, activation): 5 is the size that minimalistic
# networks have not, "h" the hard swish they have not.
_BLOCKS = {
    "small": (
        (1, 16, 3, 2, True, "r"),
        (72.0 / 16, 24, 3, 2, False, "r"),
        (88.0 / 24, 24, 3, 1, False, "r"),
        (4, 40, 5, 2, True, "h"),
        (6, 40, 5, 1, True, "h"),
        (6, 40, 5, 1, True, "h"),
        (3, 48, 5, 1, True, "h"),
        (3, 48, 5, 1, True, "h"),
        (6, 96, 5, 2, True, "h"),
        (6, 96, 5, 1, True, "h"),
        (6, 96, 5, 1, True, "h"),
    ),
    "large": (
        (1, 16, 3, 1, False, "r"),
        (4, 24, 3, 2, False, "r"),
        (3, 24, 3, 1, False, "r"),
        (3, 40, 5, 2, True, "r"),
        (3, 40, 5, 1, True, "r"),
        (3, 40, 5, 1, True, "r"),
        (6, 80, 3, 2, False, "h"),
        (2.5, 80, 3, 1, False, "h"),
        (2.3, 80, 3, 1, False, "h"),
        (2.3, 80, 3, 1, False, "h"),
        (6, 112, 3, 1, True, "h"),
        (6, 112, 3, 1, True, "h"),
        (6, 160, 5, 2, True, "h"),
        (6, 160, 5, 1, True, "h"),
        (6, 160, 5, 1, True, "h"),
    ),
}
_LAST = {"small": 1024, "large": 1280}


def _hard_sigmoid(x: Any) -> Any:
    return layers.ReLU(6.0)(x + 3.0) * (1.0 / 6.0)


def _activated(x: Any, kind: str) -> Any:
    if kind == "r":
        return layers.ReLU()(x)
    return layers.Multiply()([x, _hard_sigmoid(x)])


def _squeezed(x: Any, filters: int, prefix: str) -> Any:
    prefix += "squeeze_excite/"
    options = {"padding": "same", "use_bias": True}
    weights = layers.GlobalAveragePooling2D(keepdims=True, name=f"{prefix}AvgPool")(x)
    weights = conv(weights, divisible(filters * 0.25), 1, f"{prefix}Conv", **options)
    weights = layers.ReLU(name=f"{prefix}Relu")(weights)
    weights = conv(weights, filters, 1, f"{prefix}Conv_1", **options)
    return layers.Multiply(name=f"{prefix}Mul")([x, _hard_sigmoid(weights)])


def _block(
    x: Any,
    number: int,
    expansion: float,
    filters: int,
    kernel: int,
    stride: int,
    squeezed: bool,
    kind: str,
) -> Any:
    inputs, narrow = x, channels_of(x)
    wide = divisible(narrow * expansion)
    prefix = f"expanded_conv_{number}/" if number else "expanded_conv/"
    if number:
        x = conv(x, wide, 1, f"{prefix}expand", padding="same")
        x = _activated(norm(x, f"{prefix}expand/BatchNorm", **_NORM), kind)
    padding = "same"
    if stride == 2:
        x, padding = pad(x, centred(x, kernel), f"{prefix}depthwise/pad"), "valid"
    x = depthwise(x, kernel, f"{prefix}depthwise", strides=stride, padding=padding)
    x = _activated(norm(x, f"{prefix}depthwise/BatchNorm", **_NORM), kind)
    if squeezed:
        x = _squeezed(x, wide, prefix)
    x = conv(x, filters, 1, f"{prefix}project", padding="same")
    x = norm(x, f"{prefix}project/BatchNorm", **_NORM)
    if stride == 1 and narrow == filters:
        return layers.Add(name=f"{prefix}Add")([inputs, x])
    return x


def _known_shape(input_shape: Any, input_tensor: Any) -> Any:
    """The shape of the images; None for sides that may be anything."""
    if input_shape is None and isinstance(input_tensor, KerasTensor):
        rows, columns = rows_and_columns(tuple(input_tensor.shape)[1:])
        input_shape = (rows, columns, 3)
    if input_shape is None:
        last = image_data_format() == "channels_last"
        return (None, None, 3) if last else (3, None, None)
    sides = rows_and_columns(input_shape)
    if all(sides) and min(sides) < 32:
        raise ValueError(f"Images must be at least 32x32, got input_shape={input_shape}.")
    return input_shape


def _check_weights(request: Request, alpha: float, minimalistic: bool) -> None:
    if request.weights != "imagenet":
        return
    known = (1.0,) if minimalistic else (0.75, 1.0)
    if alpha not in known:
        raise ValueError(f"The weights of ImageNet exist for alpha in {known}, got {alpha}.")
    if rows_and_columns(request.shape) != (224, 224):
        logging.getLogger("absl").warning("The weights were trained on images of 224x224.")


def _body(x: Any, kind: str, alpha: float, minimalistic: bool, preprocessed: bool) -> Any:
    swish = "r" if minimalistic else "h"
    if preprocessed:
        x = layers.Rescaling(scale=1.0 / 127.5, offset=-1.0)(x)
    x = conv(x, 16, 3, "Conv", strides=(2, 2), padding="same")
    x = _activated(norm(x, "Conv/BatchNorm", **_NORM), swish)
    for i, (expansion, filters, kernel, stride, squeezed, activation) in enumerate(_BLOCKS[kind]):
        if minimalistic:
            kernel, squeezed, activation = 3, False, "r"
        width = divisible(filters * alpha)
        x = _block(x, i, expansion, width, kernel, stride, squeezed, activation)
    x = conv(x, divisible(channels_of(x) * 6), 1, "Conv_1", padding="same")
    return _activated(norm(x, "Conv_1/BatchNorm", **_NORM), swish)


def _v3(name: str, kind: str) -> Any:
    def build(
        input_shape: Any = None,
        alpha: float = 1.0,
        minimalistic: bool = False,
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        classes: int = 1000,
        pooling: str | None = None,
        dropout_rate: float = 0.2,
        classifier_activation: Any = "softmax",
        include_preprocessing: bool = True,
    ) -> Any:
        shape = _known_shape(input_shape, input_tensor)
        request = Request(
            include_top, weights, input_tensor, shape, pooling, classes, classifier_activation
        )
        x = request.image_of(shape)
        _check_weights(request, alpha, minimalistic)
        x = _body(x, kind, alpha, minimalistic, include_preprocessing)
        if include_top:
            last = divisible(_LAST[kind] * alpha) if alpha > 1.0 else _LAST[kind]
            options = {"padding": "same", "use_bias": True}
            x = layers.GlobalAveragePooling2D(keepdims=True)(x)
            x = _activated(conv(x, last, 1, "Conv_2", **options), "r" if minimalistic else "h")
            if dropout_rate > 0:
                x = layers.Dropout(dropout_rate)(x)
            x = layers.Flatten()(conv(x, classes, 1, "Logits", **options))
            request.check_activation()
            x = activate(x, classifier_activation, "Predictions")
        else:
            x = request.pooled(x, "avg_pool", "max_pool")
        variant = f"{kind}{'_minimalistic' if minimalistic else ''}_224_{alpha}_float"
        key = f"mobilenet_v3_{variant}"
        return request.model(
            x, f"MobilenetV3{kind}", lambda: weights_file("mobilenet_v3", key, include_top)
        )

    return named(name, build, f"The {name} network (Howard et al., 2019), `alpha` times as wide.")


MobileNetV3Small = _v3("MobileNetV3Small", "small")
MobileNetV3Large = _v3("MobileNetV3Large", "large")
