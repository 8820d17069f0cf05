"""MobileNet and MobileNetV2: convolutions split into depthwise and pointwise ones."""

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
    norm,
    pad,
    rows_and_columns,
)
from runnel.keras.applications.architectures.weight_files import unchecked_file
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor

# (filters, stride) of the blocks of MobileNet.
_BLOCKS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)]
_BLOCKS += [(512, 1)] * 5 + [(1024, 2), (1024, 1)]
# (expansion, filters, blocks, stride of the first) of the stages of MobileNetV2.
_STAGES = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]
_ALPHAS = {1.0: "1_0", 0.75: "7_5", 0.5: "5_0", 0.25: "2_5"}
_SIZES = (128, 160, 192, 224)
_V2_SIZES = (96, *_SIZES)
_V2_ALPHAS = (0.35, 0.5, 0.75, 1.0, 1.3, 1.4)
_V2_NORM = {"epsilon": 1e-3, "momentum": 0.999}


def _default_size(shape: Any, sizes: tuple[int, ...]) -> int:
    if shape is None:
        return 224
    rows, columns = rows_and_columns(shape)
    return rows if rows == columns and rows in sizes else 224


def _trained_size(request: Request, sizes: tuple[int, ...]) -> Any:
    """The height that names the model; with trained weights one that weights exist for."""
    rows, columns = rows_and_columns(request.shape)
    if request.weights == "imagenet" and (rows != columns or rows not in sizes):
        logging.getLogger("absl").warning(
            f"`input_shape` is not square, or not one of {sizes}: the weights for 224 are loaded."
        )
        return 224
    return rows


def _relu6(x: Any, name: str) -> Any:
    return layers.ReLU(6.0, name=name)(x)


def MobileNet(
    input_shape: Any = None,
    alpha: float = 1.0,
    depth_multiplier: int = 1,
    dropout: float = 0.001,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
    **kwargs: Any,
) -> Any:
    """The MobileNet network (Howard et al., 2017), `alpha` times as wide."""
    if kwargs:
        raise ValueError(f"Unknown argument(s): {kwargs}")
    request = Request(
        include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
    )
    x = request.image(_default_size(input_shape, _SIZES))
    if weights == "imagenet" and (depth_multiplier != 1 or alpha not in _ALPHAS):
        raise ValueError(
            f"The weights of ImageNet exist for depth_multiplier=1 and alpha in {tuple(_ALPHAS)}, "
            f"got {depth_multiplier} and {alpha}."
        )
    rows = _trained_size(request, _SIZES)
    x = conv(x, int(32 * alpha), 3, "conv1", padding="same", strides=(2, 2))
    x = _relu6(norm(x, "conv1_bn"), "conv1_relu")
    for i, (filters, stride) in enumerate(_BLOCKS, start=1):
        x = _mobile_block(x, int(filters * alpha), stride, depth_multiplier, i)
    if include_top:
        x = layers.GlobalAveragePooling2D(keepdims=True)(x)
        x = layers.Dropout(dropout, name="dropout")(x)
        x = conv(x, classes, 1, "conv_preds", padding="same", use_bias=True)
        x = layers.Reshape((classes,), name="reshape_2")(x)
        request.check_activation()
        x = activate(x, classifier_activation, "predictions")
    else:
        x = request.pooled(x)
    suffix = "" if include_top else "_no_top"
    return request.model(
        x,
        f"mobilenet_{alpha:0.2f}_{rows}",
        lambda: unchecked_file("mobilenet", f"mobilenet_{_ALPHAS[alpha]}_{rows}_tf{suffix}.h5"),
    )


def _mobile_block(x: Any, filters: int, stride: int, multiplier: int, number: int) -> Any:
    padding = "same"
    if stride == 2:
        x, padding = pad(x, ((0, 1), (0, 1)), f"conv_pad_{number}"), "valid"
    name = f"conv_dw_{number}"
    strides = (stride, stride)
    x = depthwise(x, 3, name, padding=padding, depth_multiplier=multiplier, strides=strides)
    x = _relu6(norm(x, f"{name}_bn"), f"{name}_relu")
    name = f"conv_pw_{number}"
    x = conv(x, filters, 1, name, padding="same", strides=(1, 1))
    return _relu6(norm(x, f"{name}_bn"), f"{name}_relu")


def MobileNetV2(
    input_shape: Any = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
    **kwargs: Any,
) -> Any:
    """The MobileNetV2 network (Sandler et al., 2018), `alpha` times as wide."""
    if kwargs:
        raise ValueError(f"Unknown argument(s): {kwargs}")
    request = Request(
        include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
    )
    x = request.image(_default_size(_known_shape(input_shape, input_tensor), _V2_SIZES))
    if weights == "imagenet" and alpha not in _V2_ALPHAS:
        raise ValueError(f"The weights of ImageNet exist for alpha in {_V2_ALPHAS}, got {alpha}.")
    rows = _trained_size(request, _V2_SIZES)
    x = conv(x, divisible(32 * alpha), 3, "Conv1", strides=(2, 2), padding="same")
    x = _relu6(norm(x, "bn_Conv1", **_V2_NORM), "Conv1_relu")
    number = 0
    for expansion, filters, depth, first_stride in _STAGES:
        for i in range(depth):
            stride = first_stride if i == 0 else 1
            x = _inverted_block(x, expansion, divisible(int(filters * alpha)), stride, number)
            number += 1
    x = conv(x, divisible(1280 * alpha) if alpha > 1.0 else 1280, 1, "Conv_1")
    x = _relu6(norm(x, "Conv_1_bn", **_V2_NORM), "out_relu")
    x = request.finish(x)
    suffix = "" if include_top else "_no_top"
    file = f"mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{float(alpha)}_{rows}{suffix}.h5"
    return request.model(
        x, f"mobilenetv2_{alpha:0.2f}_{rows}", lambda: unchecked_file("mobilenet_v2", file)
    )


def _known_shape(input_shape: Any, input_tensor: Any) -> Any:
    if input_shape is None and isinstance(input_tensor, KerasTensor):
        return tuple(input_tensor.shape)[1:]
    return input_shape


def _inverted_block(x: Any, expansion: int, filters: int, stride: int, number: int) -> Any:
    """Widened, convolved, narrowed; with a way around where the sizes agree."""
    inputs, wide = x, channels_of(x)
    prefix = f"block_{number}_" if number else "expanded_conv_"
    if number:
        x = conv(x, expansion * wide, 1, f"{prefix}expand", padding="same")
        x = _relu6(norm(x, f"{prefix}expand_BN", **_V2_NORM), f"{prefix}expand_relu")
    padding = "same"
    if stride == 2:
        x, padding = pad(x, centred(x, 3), f"{prefix}pad"), "valid"
    x = depthwise(x, 3, f"{prefix}depthwise", strides=stride, padding=padding)
    x = _relu6(norm(x, f"{prefix}depthwise_BN", **_V2_NORM), f"{prefix}depthwise_relu")
    x = conv(x, filters, 1, f"{prefix}project", padding="same")
    x = norm(x, f"{prefix}project_BN", **_V2_NORM)
    if wide == filters and stride == 1:
        return layers.Add(name=f"{prefix}add")([inputs, x])
    return x
