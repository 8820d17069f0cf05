"""InceptionV3 and InceptionResNetV2: several convolutions side by side, joined."""

from __future__ import annotations

from typing import Any

from runnel.keras import layers
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.saving.object_registration import register_keras_serializable
from .scaffold import Request, activate, channels_of, conv, join, norm
from .weight_files import weights_file

# A branch is a chain of (filters, kernel) with 2 for one that shrinks the image.
Branch = tuple[tuple[Any, ...], ...]


def _conv(x: Any, filters: int, kernel: Any, stride: int = 1, padding: str = "same") -> Any:
    x = conv(x, filters, kernel, strides=stride, padding=padding)
    return activate(norm(x, scale=False), "relu")


def _chain(x: Any, branch: Branch) -> Any:
    for filters, kernel, *shrinks in branch:
        x = _conv(x, filters, kernel, 2, "valid") if shrinks else _conv(x, filters, kernel)
    return x


def _pooled(x: Any, filters: int) -> Any:
    """The branch that averages first."""
    return _conv(layers.AveragePooling2D(3, strides=1, padding="same")(x), filters, 1)


def _shrunk(x: Any) -> Any:
    """The branch that takes the largest."""
    return layers.MaxPooling2D(3, strides=2)(x)


def _stem(x: Any) -> Any:
    x = _conv(x, 32, 3, 2, "valid")
    x = _conv(_conv(x, 32, 3, padding="valid"), 64, 3)
    x = _conv(_shrunk(x), 80, 1, padding="valid")
    return _shrunk(_conv(x, 192, 3, padding="valid"))


def _narrow(x: Any, pooled: int, name: str) -> Any:
    branches: list[Branch] = [
        ((64, 1),),
        ((48, 1), (64, 5)),
        ((64, 1), (96, 3), (96, 3)),
    ]
    return join([*[_chain(x, branch) for branch in branches], _pooled(x, pooled)], name)


def _long(x: Any, width: int, name: str) -> Any:
    row, column = (1, 7), (7, 1)
    branches: list[Branch] = [
        ((192, 1),),
        ((width, 1), (width, row), (192, column)),
        ((width, 1), (width, column), (width, row), (width, column), (192, row)),
    ]
    return join([*[_chain(x, branch) for branch in branches], _pooled(x, 192)], name)


def _wide(x: Any, number: int) -> Any:
    """Branches that fork again at their end."""
    single = _conv(x, 320, 1)
    fork = _conv(x, 384, 1)
    fork = join([_conv(fork, 384, (1, 3)), _conv(fork, 384, (3, 1))], f"mixed9_{number}")
    double = _conv(_conv(x, 448, 1), 384, 3)
    double = join([_conv(double, 384, (1, 3)), _conv(double, 384, (3, 1))])
    return join([single, fork, double, _pooled(x, 192)], f"mixed{9 + number}")


def InceptionV3(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
) -> Any:
    """The InceptionV3 network (Szegedy et al., 2015)."""
    request = Request(
        include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
    )
    x = _stem(request.image(default_size=299, min_size=75))
    for i, pooled in enumerate((32, 64, 64)):
        x = _narrow(x, pooled, f"mixed{i}")
    shrinking: list[Branch] = [((384, 3, 2),), ((64, 1), (96, 3), (96, 3, 2))]
    x = join([*[_chain(x, branch) for branch in shrinking], _shrunk(x)], "mixed3")
    for i, width in enumerate((128, 160, 160, 192), start=4):
        x = _long(x, width, f"mixed{i}")
    shrinking = [
        ((192, 1), (320, 3, 2)),
        ((192, 1), (192, (1, 7)), (192, (7, 1)), (192, 3, 2)),
    ]
    x = join([*[_chain(x, branch) for branch in shrinking], _shrunk(x)], "mixed8")
    for i in range(2):
        x = _wide(x, i)
    x = request.finish(x, ("avg_pool", None, None))
    key = "inception_v3"
    return request.model(x, key, lambda: weights_file(key, key, include_top))


@register_keras_serializable()
class CustomScaleLayer(Layer):
    """The first input plus `scale` times the second."""

    def __init__(self, scale: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale

    def call(self, inputs: Any) -> Any:
        return inputs[0] + inputs[1] * self.scale

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"scale": self.scale}


# Kind: (scale, its branches).
_RESIDUAL: dict[str, tuple[float, list[Branch]]] = {
    "block35": (
        0.17,
        [((32, 1),), ((32, 1), (32, 3)), ((32, 1), (48, 3), (64, 3))],
    ),
    "block17": (0.1, [((192, 1),), ((128, 1), (160, (1, 7)), (192, (7, 1)))]),
    "block8": (0.2, [((192, 1),), ((192, 1), (224, (1, 3)), (256, (3, 1)))]),
}


def _residual(x: Any, kind: str, number: int, last: bool = False) -> Any:
    """Branches joined, projected and added to the input at a small scale."""
    scale, branches = _RESIDUAL[kind]
    name = f"{kind}_{number}"
    mixed = join([_chain(x, branch) for branch in branches], f"{name}_mixed")
    up = conv(mixed, channels_of(x), 1, f"{name}_conv", padding="same", use_bias=True)
    x = CustomScaleLayer(1.0 if last else scale)([x, up])
    return x if last else activate(x, "relu", f"{name}_ac")


def InceptionResNetV2(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
    **kwargs: Any,
) -> Any:
    """The InceptionResNetV2 network (Szegedy et al., 2016)."""
    if kwargs:
        raise ValueError(f"Unknown argument(s): {kwargs}")
    request = Request(
        include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation
    )
    x = _stem(request.image(default_size=299, min_size=75))
    first: list[Branch] = [((96, 1),), ((48, 1), (64, 5)), ((64, 1), (96, 3), (96, 3))]
    x = join([*[_chain(x, branch) for branch in first], _pooled(x, 64)], "mixed_5b")
    for i in range(1, 11):
        x = _residual(x, "block35", i)
    second: list[Branch] = [((384, 3, 2),), ((256, 1), (256, 3), (384, 3, 2))]
    x = join([*[_chain(x, branch) for branch in second], _shrunk(x)], "mixed_6a")
    for i in range(1, 21):
        x = _residual(x, "block17", i)
    third: list[Branch] = [
        ((256, 1), (384, 3, 2)),
        ((256, 1), (288, 3, 2)),
        ((256, 1), (288, 3), (320, 3, 2)),
    ]
    x = join([*[_chain(x, branch) for branch in third], _shrunk(x)], "mixed_7a")
    for i in range(1, 11):
        x = _residual(x, "block8", i, last=i == 10)
    x = norm(conv(x, 1536, 1, "conv_7b", padding="same"), "conv_7b_bn", scale=False)
    x = request.finish(activate(x, "relu", "conv_7b_ac"), ("avg_pool", None, None))
    key = "inception_resnet_v2"
    return request.model(x, key, lambda: weights_file(key, key, include_top))
