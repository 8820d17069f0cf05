"""ResNet-RS: residual networks with squeezing, a deeper stem and other scaling."""

from __future__ import annotations

from typing import Any

from runnel.keras import layers
from runnel.keras.engine.naming import get_uid
from .efficient import KERNEL_INITIALIZER
from .scaffold import Request, activate, channel_axis, conv, named, norm, pad, squeezed_and_excited
from .weight_files import weights_file

_NORM = {"momentum": 0.0, "epsilon": 1e-5}
_FILTERS = (64, 128, 256, 512)
# (blocks of the stages, sizes of images weights exist for, dropout, left out while training).
_MEMBERS: dict[int, tuple[tuple[int, ...], tuple[int, ...], float, float]] = {
    50: ((3, 4, 6, 3), (160,), 0.25, 0.0),
    101: ((3, 4, 23, 3), (160, 192), 0.25, 0.0),
    152: ((3, 8, 36, 3), (192, 224, 256), 0.25, 0.0),
    200: ((3, 24, 36, 3), (256,), 0.25, 0.1),
    270: ((4, 29, 53, 4), (256,), 0.25, 0.1),
    350: ((4, 36, 72, 4), (256, 320), 0.4, 0.1),
    420: ((4, 44, 87, 4), (320,), 0.4, 0.1),
}


def _conv(x: Any, filters: int, kernel: int, stride: int, name: str) -> Any:
    padding = "same"
    if stride > 1:
        before = (kernel - 1) // 2
        sides = (before, kernel - 1 - before)
        x, padding = pad(x, (sides, sides)), "valid"
    options = {"strides": stride, "padding": padding, "kernel_initializer": KERNEL_INITIALIZER}
    return conv(x, filters, kernel, name, **options)


def _stem(x: Any) -> Any:
    name = f"stem_{get_uid('stem_')}"
    for i, (filters, stride) in enumerate(((32, 2), (32, 1), (64, 1), (64, 2)), start=1):
        x = _conv(x, filters, 3, stride, f"{name}_stem_conv_{i}")
        x = norm(x, f"{name}_stem_batch_norm_{i}", **_NORM)
        x = activate(x, "relu", f"{name}_stem_act_{i}")
    return x


def _block(x: Any, filters: int, stride: int, projected: bool, drop: float, name: str) -> Any:
    around = x
    if projected:
        if stride == 2:
            around = layers.AveragePooling2D(
                2, strides=2, padding="same", name=f"{name}_projection_pooling"
            )(x)
        around = _conv(around, 4 * filters, 1, 1, f"{name}_projection_conv")
        around = norm(around, f"{name}_projection_batch_norm", **_NORM)
    x = _conv(x, filters, 1, 1, f"{name}_conv_1")
    x = activate(norm(x, f"{name}batch_norm_1", **_NORM), "relu", f"{name}_act_1")
    x = _conv(x, filters, 3, stride, f"{name}_conv_2")
    x = activate(norm(x, f"{name}_batch_norm_2", **_NORM), "relu", f"{name}_act_2")
    x = _conv(x, 4 * filters, 1, 1, f"{name}_conv_3")
    x = norm(x, f"{name}_batch_norm_3", **_NORM)
    wide, reduced = 4 * filters, max(1, int(filters * 4 * 0.25))
    x = squeezed_and_excited(x, wide, reduced, f"{name}_se_", "relu", KERNEL_INITIALIZER)
    if drop:
        x = layers.Dropout(drop, noise_shape=(None, 1, 1, 1), name=f"{name}_drop")(x)
    return activate(layers.Add()([x, around]), "relu", f"{name}_output_act")


def _body(x: Any, depths: tuple[int, ...], drop: float) -> Any:
    for stage, (filters, depth) in enumerate(zip(_FILTERS, depths), start=2):
        rate = drop * stage / (len(depths) + 1)
        for i in range(depth):
            name = f"BlockGroup{stage}__block_{i}_"
            stride = 2 if i == 0 and stage > 2 else 1
            x = _block(x, filters, stride, i == 0, rate, name)
    return x


def _prepared(x: Any, channels: Any) -> Any:
    x = layers.Rescaling(scale=1.0 / 255)(x)
    if channels != 3:
        return x
    variance = [d**2 for d in (0.229, 0.224, 0.225)]
    mean = [0.485, 0.456, 0.406]
    return layers.Normalization(mean=mean, variance=variance, axis=channel_axis())(x)


def _trained_on(weights: Any, sizes: tuple[int, ...]) -> tuple[Any, int]:
    """`weights` as "imagenet" or a path, and the size of images they were trained on."""
    for size in sizes:
        if weights == f"imagenet-i{size}":
            return "imagenet", size
    return weights, max(sizes)


def _resnet_rs(depth: int) -> Any:
    depths, sizes, dropout, drop = _MEMBERS[depth]

    def build(
        include_top: bool = True,
        weights: Any = "imagenet",
        classes: int = 1000,
        input_shape: Any = None,
        input_tensor: Any = None,
        pooling: str | None = None,
        classifier_activation: Any = "softmax",
        include_preprocessing: bool = True,
    ) -> Any:
        chosen, size = _trained_on(weights, sizes)
        data = input_tensor, input_shape
        request = Request(include_top, chosen, *data, pooling, classes, classifier_activation)
        x = request.image(default_size=224)
        if include_preprocessing:
            x = _prepared(x, request.shape[channel_axis() - 1])
        x = _body(_stem(x), depths, drop)
        x = request.finish(x, ("avg_pool", "avg_pool", "max_pool"), dropout)
        name = f"resnet-rs-{depth}"
        return request.model(
            x, name, lambda: weights_file("resnet_rs", f"{name}-i{size}", include_top)
        )

    name = f"ResNetRS{depth}"
    return named(name, build, f"The {name} network (Bello et al., 2021).")


ResNetRS50 = _resnet_rs(50)
ResNetRS101 = _resnet_rs(101)
ResNetRS152 = _resnet_rs(152)
ResNetRS200 = _resnet_rs(200)
ResNetRS270 = _resnet_rs(270)
ResNetRS350 = _resnet_rs(350)
ResNetRS420 = _resnet_rs(420)
