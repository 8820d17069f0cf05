"""ConvNeXt: convolutional networks built as transformers are."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import layers
from runnel.keras.applications.architectures.scaffold import (
    Request,
    channel_axis,
    conv,
    named_network,
)
from runnel.keras.applications.architectures.weight_files import weights_file
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.initializers import Constant
from runnel.keras.models import Sequential

_SCALE = 1e-6
# (blocks, channels) of the four stages.
_STAGES = {
    "Tiny": ((3, 3, 9, 3), (96, 192, 384, 768)),
    "Small": ((3, 3, 27, 3), (96, 192, 384, 768)),
    "Base": ((3, 3, 27, 3), (128, 256, 512, 1024)),
    "Large": ((3, 3, 27, 3), (192, 384, 768, 1536)),
    "XLarge": ((3, 3, 27, 3), (256, 512, 1024, 2048)),
}
_MEAN = (0.485, 0.456, 0.406)
_DEVIATION = (0.229, 0.224, 0.225)


class StochasticDepth(Layer):
    """Inputs left out for some samples while training."""

    def __init__(self, drop_path_rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.drop_path_rate = drop_path_rate

    def call(self, x: Any, training: Any = None) -> Any:
        if not training:
            return x
        kept = 1 - self.drop_path_rate
        shape = (tf.shape(x)[0],) + (1,) * (x.shape.rank - 1)
        return x / kept * tf.floor(kept + tf.random.uniform(shape, 0, 1))

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"drop_path_rate": self.drop_path_rate}


class LayerScale(Layer):
    """Channels multiplied by weights that begin very small."""

    def __init__(self, init_values: float, projection_dim: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.init_values = init_values
        self.projection_dim = projection_dim

    def build(self, input_shape: Any) -> None:
        self.gamma = self.add_weight(
            name="gamma", shape=(self.projection_dim,), initializer=Constant(self.init_values)
        )
        super().build(input_shape)

    def call(self, x: Any) -> Any:
        return x * self.gamma

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "init_values": self.init_values,
            "projection_dim": self.projection_dim,
        }


def _norm(name: str | None = None) -> Any:
    return layers.LayerNormalization(epsilon=1e-6, name=name)


def _block(x: Any, width: int, name: str) -> Any:
    inputs = x
    options = {"padding": "same", "groups": width, "use_bias": True}
    x = conv(x, width, 7, f"{name}_depthwise_conv", **options)
    x = _norm(f"{name}_layernorm")(x)
    x = layers.Dense(4 * width, name=f"{name}_pointwise_conv_1")(x)
    x = layers.Activation("gelu", name=f"{name}_gelu")(x)
    x = layers.Dense(width, name=f"{name}_pointwise_conv_2")(x)
    x = LayerScale(_SCALE, width, name=f"{name}_layer_scale")(x)
    return inputs + layers.Activation("linear", name=f"{name}_identity")(x)


def _entrance(stage: int, width: int, name: str) -> Any:
    """What shrinks the image before a stage: patches first, then pairs of pixels."""
    if stage == 0:
        patches = layers.Conv2D(width, 4, strides=4, name=f"{name}_stem_conv")
        return Sequential([patches, _norm(f"{name}_stem_layernorm")], name=f"{name}_stem")
    number = stage - 1
    pairs = layers.Conv2D(width, 2, strides=2, name=f"{name}_downsampling_conv_{number}")
    return Sequential(
        [_norm(f"{name}_downsampling_layernorm_{number}"), pairs],
        name=f"{name}_downsampling_block_{number}",
    )


def _prepared(x: Any, name: str) -> Any:
    return layers.Normalization(
        mean=[m * 255 for m in _MEAN],
        variance=[(d * 255) ** 2 for d in _DEVIATION],
        name=f"{name}_prestem_normalization",
    )(x)


def _finished(x: Any, request: Request, name: str) -> Any:
    if not request.include_top:
        return _norm()(request.pooled(x))
    request.check_activation()
    x = layers.GlobalAveragePooling2D(name=f"{name}_head_gap")(x)
    x = _norm(f"{name}_head_layernorm")(x)
    activation = request.classifier_activation
    return layers.Dense(request.classes, activation=activation, name=f"{name}_head_dense")(x)


def _convnext(member: str) -> Any:
    def body(request: Request, name: str, prepares: bool) -> Any:
        x = request.image(default_size=224)
        if prepares and request.shape[channel_axis() - 1] == 3:
            x = _prepared(x, name)
        depths, widths = _STAGES[member]
        entrances = [_entrance(stage, width, name) for stage, width in enumerate(widths)]
        for stage, (depth, width) in enumerate(zip(depths, widths)):
            x = entrances[stage](x)
            for i in range(depth):
                x = _block(x, width, f"{name}_stage_{stage}_block_{i}")
        x = _finished(x, request, name)
        return request.model(x, name, lambda: weights_file("convnext", name, request.include_top))

    own = f"convnext_{member.lower()}"
    return named_network(f"ConvNeXt{member}", own, "Liu et al., 2022", body)


ConvNeXtTiny = _convnext("Tiny")
ConvNeXtSmall = _convnext("Small")
ConvNeXtBase = _convnext("Base")
ConvNeXtLarge = _convnext("Large")
ConvNeXtXLarge = _convnext("XLarge")
