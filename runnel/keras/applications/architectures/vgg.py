"""VGG16 and VGG19: convolutions of 3x3 between poolings, and three dense layers."""

from __future__ import annotations

from typing import Any

from runnel.keras import layers
from runnel.keras.applications.architectures.scaffold import Request, conv, network
from runnel.keras.applications.architectures.weight_files import weights_file

_DEPTHS = {"VGG16": (2, 2, 3, 3, 3), "VGG19": (2, 2, 4, 4, 4)}
_FILTERS = (64, 128, 256, 512, 512)


def _vgg(request: Request, name: str) -> Any:
    x = request.image(default_size=224)
    options = {"activation": "relu", "padding": "same", "use_bias": True}
    for block, (depth, filters) in enumerate(zip(_DEPTHS[name], _FILTERS), start=1):
        for i in range(1, depth + 1):
            x = conv(x, filters, 3, f"block{block}_conv{i}", **options)
        x = layers.MaxPooling2D((2, 2), strides=(2, 2), name=f"block{block}_pool")(x)
    if request.include_top:
        x = layers.Flatten(name="flatten")(x)
        x = layers.Dense(4096, activation="relu", name="fc1")(x)
        x = layers.Dense(4096, activation="relu", name="fc2")(x)
        request.check_activation()
        x = layers.Dense(
            request.classes, activation=request.classifier_activation, name="predictions"
        )(x)
    else:
        x = request.pooled(x)
    key = name.lower()
    return request.model(x, key, lambda: weights_file(key, key, request.include_top))


VGG16 = network("VGG16", "Simonyan and Zisserman, 2014", _vgg)
VGG19 = network("VGG19", "Simonyan and Zisserman, 2014", _vgg)
