"""Xception: separable convolutions with ways around them."""

from __future__ import annotations

from typing import Any

from runnel.keras import layers
from runnel.keras.applications.architectures.scaffold import Request, activate, conv, norm
from runnel.keras.applications.architectures.weight_files import weights_file


def _separable(x: Any, filters: int, name: str) -> Any:
    made = layers.SeparableConv2D(filters, 3, padding="same", use_bias=False, name=name)
    return norm(made(x), f"{name}_bn")


def _entry(x: Any, block: int, widths: tuple[int, int], activated: bool = True) -> Any:
    """Two separable convolutions and a pooling, with a projection around them."""
    residual = norm(conv(x, widths[1], 1, strides=(2, 2), padding="same"))
    for i, width in enumerate(widths, start=1):
        name = f"block{block}_sepconv{i}"
        if activated or i > 1:
            x = activate(x, "relu", f"{name}_act")
        x = _separable(x, width, name)
    pool = layers.MaxPooling2D(3, strides=(2, 2), padding="same", name=f"block{block}_pool")
    return layers.Add()([pool(x), residual])


def _middle(x: Any, block: int) -> Any:
    residual = x
    for i in range(1, 4):
        name = f"block{block}_sepconv{i}"
        x = _separable(activate(x, "relu", f"{name}_act"), 728, name)
    return layers.Add()([x, residual])


def Xception(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
) -> Any:
    """The Xception network (Chollet, 2016)."""
    request = Request(
        include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
    )
    x = request.image(default_size=299, min_size=71)
    for i, (filters, stride) in enumerate(((32, 2), (64, 1)), start=1):
        name = f"block1_conv{i}"
        x = norm(conv(x, filters, 3, name, strides=stride), f"{name}_bn")
        x = activate(x, "relu", f"{name}_act")
    x = _entry(x, 2, (128, 128), activated=False)
    x = _entry(x, 3, (256, 256))
    x = _entry(x, 4, (728, 728))
    for block in range(5, 13):
        x = _middle(x, block)
    x = _entry(x, 13, (728, 1024))
    for i, filters in enumerate((1536, 2048), start=1):
        name = f"block14_sepconv{i}"
        x = activate(_separable(x, filters, name), "relu", f"{name}_act")
    x = request.finish(x, ("avg_pool", None, None))
    key = "xception"
    return request.model(x, key, lambda: weights_file(key, key, include_top))
