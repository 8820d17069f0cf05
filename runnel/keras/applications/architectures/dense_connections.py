"""DenseNet (121, 169, 201): every layer sees the outputs of all before it in its block."""

from __future__ import annotations

from typing import Any

from runnel.keras import layers
from .scaffold import Request, activate, channels_of, conv, join, network, norm, pad
from .weight_files import weights_file

_GROWTH = 32
_DEPTHS = {
    "DenseNet121": (6, 12, 24, 16),
    "DenseNet169": (6, 12, 32, 32),
    "DenseNet201": (6, 12, 48, 32),
}


def _relu(x: Any, bn: str, relu: str) -> Any:
    return activate(norm(x, bn, epsilon=1.001e-5), "relu", relu)


def _layer(x: Any, name: str) -> Any:
    new = conv(_relu(x, f"{name}_0_bn", f"{name}_0_relu"), 4 * _GROWTH, 1, f"{name}_1_conv")
    new = _relu(new, f"{name}_1_bn", f"{name}_1_relu")
    new = conv(new, _GROWTH, 3, f"{name}_2_conv", padding="same")
    return join([x, new], f"{name}_concat")


def _transition(x: Any, name: str) -> Any:
    x = _relu(x, f"{name}_bn", f"{name}_relu")
    x = conv(x, channels_of(x) // 2, 1, f"{name}_conv")
    return layers.AveragePooling2D(2, strides=2, name=f"{name}_pool")(x)


def _densenet(request: Request, name: str) -> Any:
    x = pad(request.image(default_size=224), ((3, 3), (3, 3)))
    x = conv(x, 64, 7, "conv1/conv", strides=2)
    x = pad(_relu(x, "conv1/bn", "conv1/relu"), ((1, 1), (1, 1)))
    x = layers.MaxPooling2D(3, strides=2, name="pool1")(x)
    for stage, depth in enumerate(_DEPTHS[name], start=2):
        for i in range(1, depth + 1):
            x = _layer(x, f"conv{stage}_block{i}")
        if stage < 5:
            x = _transition(x, f"pool{stage}")
    x = request.finish(_relu(x, "bn", "relu"), ("avg_pool", "avg_pool", "max_pool"))
    key = name.lower()
    return request.model(x, key, lambda: weights_file("densenet", key, request.include_top))


DenseNet121 = network("DenseNet121", "Huang et al., 2016", _densenet)
DenseNet169 = network("DenseNet169", "Huang et al., 2016", _densenet)
DenseNet201 = network("DenseNet201", "Huang et al., 2016", _densenet)
