"""ResNet (50, 101, 152) and its second version: bottlenecks with a way around."""

from __future__ import annotations

from typing import Any

from runnel.keras import layers
from .scaffold import Request, activate, conv, named, network, norm, pad
from .weight_files import weights_file

_EPSILON = 1.001e-5
_FILTERS = (64, 128, 256, 512)
_DEPTHS = {"50": (3, 4, 6, 3), "101": (3, 4, 23, 3), "152": (3, 8, 36, 3)}


def _norm(x: Any, name: str) -> Any:
    return norm(x, name, epsilon=_EPSILON)


def _block(x: Any, filters: int, stride: int, projected: bool, name: str) -> Any:
    """Three convolutions; the way around is projected where the size changes."""
    shortcut = x
    if projected:
        shortcut = conv(x, 4 * filters, 1, f"{name}_0_conv", strides=stride, use_bias=True)
        shortcut = _norm(shortcut, f"{name}_0_bn")
    steps = ((filters, 1, {"strides": stride}), (filters, 3, {"padding": "same"}))
    for i, (width, kernel, options) in enumerate(steps, start=1):
        x = conv(x, width, kernel, f"{name}_{i}_conv", use_bias=True, **options)  # type: ignore[arg-type]
        x = activate(_norm(x, f"{name}_{i}_bn"), "relu", f"{name}_{i}_relu")
    x = _norm(conv(x, 4 * filters, 1, f"{name}_3_conv", use_bias=True), f"{name}_3_bn")
    x = layers.Add(name=f"{name}_add")([shortcut, x])
    return activate(x, "relu", f"{name}_out")


def _activated_first(x: Any, filters: int, stride: int, projected: bool, name: str) -> Any:
    """The block of the second version: normalization and activation before convolutions."""
    first = activate(_norm(x, f"{name}_preact_bn"), "relu", f"{name}_preact_relu")
    shortcut = x
    if projected:
        shortcut = conv(first, 4 * filters, 1, f"{name}_0_conv", strides=stride, use_bias=True)
    elif stride > 1:
        shortcut = layers.MaxPooling2D(1, strides=stride)(x)
    x = conv(first, filters, 1, f"{name}_1_conv", strides=1)
    x = activate(_norm(x, f"{name}_1_bn"), "relu", f"{name}_1_relu")
    x = pad(x, ((1, 1), (1, 1)), f"{name}_2_pad")
    x = conv(x, filters, 3, f"{name}_2_conv", strides=stride)
    x = activate(_norm(x, f"{name}_2_bn"), "relu", f"{name}_2_relu")
    x = conv(x, 4 * filters, 1, f"{name}_3_conv", use_bias=True)
    return layers.Add(name=f"{name}_out")([shortcut, x])


def _body(x: Any, depths: tuple[int, ...], second: bool) -> Any:
    for stage, (filters, depth) in enumerate(zip(_FILTERS, depths), start=2):
        for i in range(1, depth + 1):
            name = f"conv{stage}_block{i}"
            if second:  # shrinks at the end of a stage, but for the last
                stride = 2 if i == depth and stage < 5 else 1
                x = _activated_first(x, filters, stride, i == 1, name)
            else:  # shrinks at the beginning, but for the first
                x = _block(x, filters, 2 if i == 1 and stage > 2 else 1, i == 1, name)
    return x


def _network(request: Request, name: str) -> Any:
    key = name.lower()
    second = key.endswith("v2")
    x = pad(request.image(default_size=224), ((3, 3), (3, 3)), "conv1_pad")
    x = conv(x, 64, 7, "conv1_conv", strides=2, use_bias=True)
    if not second:
        x = activate(_norm(x, "conv1_bn"), "relu", "conv1_relu")
    x = pad(x, ((1, 1), (1, 1)), "pool1_pad")
    x = layers.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    x = _body(x, _DEPTHS[key.removeprefix("resnet").removesuffix("v2")], second)
    if second:
        x = activate(_norm(x, "post_bn"), "relu", "post_relu")
    x = request.finish(x, ("avg_pool", "avg_pool", "max_pool"))
    return request.model(x, key, lambda: weights_file("resnet", key, request.include_top))


def _first_version(name: str) -> Any:
    def build(
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        input_shape: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        **kwargs: Any,
    ) -> Any:
        activation = kwargs.pop("classifier_activation", "softmax")
        if kwargs:
            raise ValueError(f"Unknown argument(s): {kwargs}")
        data = input_tensor, input_shape
        request = Request(include_top, weights, *data, pooling, classes, activation)
        return _network(request, name)

    return named(name, build, f"The {name} network (He et al., 2015).")


ResNet50 = _first_version("ResNet50")
ResNet101 = _first_version("ResNet101")
ResNet152 = _first_version("ResNet152")
ResNet50V2 = network("ResNet50V2", "He et al., 2016", _network)
ResNet101V2 = network("ResNet101V2", "He et al., 2016", _network)
ResNet152V2 = network("ResNet152V2", "He et al., 2016", _network)
