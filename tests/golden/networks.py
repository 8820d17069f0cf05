"""The image networks that are compared with Keras's, and what is compared of them."""

from __future__ import annotations

import hashlib
from typing import Any

_SMALL: dict[str, Any] = {"include_top": False, "input_shape": (96, 96, 3)}

# Every architecture once; of large families the members that a table could get wrong.
NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "VGG16": ("VGG16", {"include_top": False}),
    "VGG16 with a classifier": ("VGG16", {"input_shape": (32, 32, 3), "classes": 10}),
    "VGG19": ("VGG19", {"include_top": False, "pooling": "max"}),
    "ResNet50": ("ResNet50", {}),
    "ResNet101": ("ResNet101", _SMALL),
    "ResNet152": ("ResNet152", _SMALL),
    "ResNet50V2": ("ResNet50V2", {"include_top": False, "pooling": "avg"}),
    "ResNet101V2": ("ResNet101V2", _SMALL),
    "ResNet152V2": ("ResNet152V2", {}),
    "MobileNet": ("MobileNet", {}),
    "MobileNet of half the width": ("MobileNet", {"alpha": 0.5, **_SMALL}),
    "MobileNetV2": ("MobileNetV2", {}),
    "MobileNetV2 of 1.4 times the width": ("MobileNetV2", {"alpha": 1.4, **_SMALL}),
    "MobileNetV3Small": ("MobileNetV3Small", {}),
    "MobileNetV3Large": ("MobileNetV3Large", {"input_shape": (96, 96, 3), "classes": 7}),
    "MobileNetV3Large, minimalistic": ("MobileNetV3Large", {"minimalistic": True, **_SMALL}),
    "InceptionV3": ("InceptionV3", {}),
    "InceptionResNetV2": ("InceptionResNetV2", {"include_top": False}),
    "Xception": ("Xception", {}),
    "DenseNet121": ("DenseNet121", {}),
    "DenseNet169": ("DenseNet169", _SMALL),
    "DenseNet201": ("DenseNet201", _SMALL),
    "NASNetMobile": ("NASNetMobile", {}),
    "NASNetLarge": ("NASNetLarge", _SMALL),
    "EfficientNetB0": ("EfficientNetB0", {}),
    "EfficientNetB3": ("EfficientNetB3", _SMALL),
    "EfficientNetV2B0": ("EfficientNetV2B0", {}),
    "EfficientNetV2B3": ("EfficientNetV2B3", _SMALL),
    "EfficientNetV2S": ("EfficientNetV2S", {"include_preprocessing": False, **_SMALL}),
    "EfficientNetV2M": ("EfficientNetV2M", _SMALL),
    "ConvNeXtTiny": ("ConvNeXtTiny", {}),
    "ConvNeXtSmall": ("ConvNeXtSmall", _SMALL),
    "RegNetX002": ("RegNetX002", {}),
    "RegNetX016": ("RegNetX016", _SMALL),
    "RegNetY002": ("RegNetY002", {}),
    "RegNetY016": ("RegNetY016", _SMALL),
    "ResNetRS50": ("ResNetRS50", {}),
    "ResNetRS200": ("ResNetRS200", _SMALL),
}


def description(model: Any) -> dict[str, Any]:
    """What must be the same: names and kinds of layers in order, names and shapes of weights."""
    layers = [(type(layer).__name__, layer.name) for layer in model.layers]
    weights = [(w.name, list(w.shape)) for w in model.weights]
    return {
        "name": model.name,
        "output": [list(output.shape) for output in model.outputs],
        "layers": len(layers),
        "weights": len(weights),
        "parameters": model.count_params(),
        "layers hash": _hash(layers),
        "weights hash": _hash(weights),
        "connections hash": _hash(_connections(model)),
        "options hash": _hash([_options(layer) for layer in model.layers]),
    }


def _hash(values: Any) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def _connections(model: Any) -> list[Any]:
    """For each layer the layers it gets its inputs from."""
    found = []
    for layer in model.layers:
        before = layer._inbound_nodes[0].inbound_layers if layer._inbound_nodes else []
        several = before if isinstance(before, (list, tuple)) else [before]
        found.append((layer.name, [one.name for one in several]))
    return found


_OPTIONS = """strides padding dilation_rate groups use_bias epsilon momentum rate max_value
pool_size depth_multiplier axis scale keepdims""".split()


def _options(layer: Any) -> list[Any]:
    """Settings that decide what a layer computes, as far as its kind has them."""
    found = []
    for name in _OPTIONS:
        value = layer.get_config().get(name) if hasattr(layer, name) else None
        if type(value).__name__ in ("list", "tuple", "ListWrapper", "_TupleWrapper"):
            value = [list(v) if isinstance(v, (list, tuple)) else v for v in value]
        value = 3 if name == "axis" and value == -1 else value  # the same, for images
        number = hasattr(value, "item") or isinstance(value, (int, float))
        found.append(float(value) if number else value)
    return found
