"""What all image networks share: their input, their classifier, their weights."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import runnel as tf
from runnel.keras import activations, layers
from runnel.keras.engine.settings import image_data_format
from runnel.keras.engine.symbolic.input_layer import Input
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor
from runnel.keras.models import Model
from runnel.keras.utils.source_inputs import get_source_inputs

Shape = tuple[int | None, ...]


@dataclass
class Request:
    """The arguments that every network takes."""

    include_top: bool
    weights: Any
    input_tensor: Any
    input_shape: Any
    pooling: str | None
    classes: int
    classifier_activation: Any = "softmax"
    shape: Shape = field(default=(), init=False)

    def __post_init__(self) -> None:
        known = self.weights in ("imagenet", None)
        if not known and not tf.io.gfile.exists(self.weights):
            raise ValueError(
                "`weights` must be None (random), 'imagenet' (trained on ImageNet) or the path of "
                f"a file with weights, got {self.weights!r}."
            )
        if self.weights == "imagenet" and self.include_top and self.classes != 1000:
            raise ValueError(
                "With the weights of ImageNet and include_top=True `classes` must be 1000, got "
                f"{self.classes}."
            )

    def image(self, default_size: int, min_size: int = 32) -> Any:
        """The input of the network."""
        return self.image_of(
            input_shape(self.input_shape, default_size, min_size, self.include_top, self.weights)
        )

    def image_of(self, shape: Shape) -> Any:
        """The input of the network, of a shape that is settled."""
        self.shape = shape
        if self.input_tensor is None:
            self.source: Any = Input(shape=self.shape)
        elif isinstance(self.input_tensor, KerasTensor):
            self.source = self.input_tensor
        else:
            self.source = Input(tensor=self.input_tensor, shape=self.shape)
        return self.source

    def check_activation(self) -> None:
        """Raise unless trained weights get the activation they were trained with."""
        if self.weights is None:
            return
        chosen = activations.get(self.classifier_activation)
        if chosen not in (activations.get("softmax"), activations.get(None)):
            raise ValueError(
                "With trained weights `classifier_activation` must be None or 'softmax', got "
                f"{self.classifier_activation}."
            )

    def finish(
        self,
        x: Any,
        pool_names: tuple[str | None, str | None, str | None] = (None, None, None),
        dropout: float = 0.0,
        **dense: Any,
    ) -> Any:
        """The classifier, or the pooling that is wanted instead.

        `pool_names` are those of the pooling in the classifier, and of "avg" and "max" without.
        """
        top, average, maximum = pool_names
        if not self.include_top:
            return self.pooled(x, average, maximum)
        x = layers.GlobalAveragePooling2D(name=top)(x)
        if dropout > 0:
            x = layers.Dropout(dropout, name="top_dropout")(x)
        self.check_activation()
        options = {"activation": self.classifier_activation, "name": "predictions"} | dense
        return layers.Dense(self.classes, **options)(x)

    def pooled(self, x: Any, average: str | None = None, maximum: str | None = None) -> Any:
        """What a network without a classifier gives."""
        if self.pooling == "avg":
            return layers.GlobalAveragePooling2D(name=average)(x)
        if self.pooling == "max":
            return layers.GlobalMaxPooling2D(name=maximum)(x)
        return x

    def model(self, x: Any, name: str, imagenet: Callable[[], str]) -> Any:
        """The finished model with its weights; `imagenet` finds the file of those."""
        inputs = self.source if self.input_tensor is None else get_source_inputs(self.input_tensor)
        made = Model(inputs, x, name=name)
        if self.weights == "imagenet":
            made.load_weights(imagenet())
        elif self.weights is not None:
            made.load_weights(self.weights)
        return made


def channel_axis() -> int:
    """Where the channels of a batch of images are."""
    return 3 if image_data_format() == "channels_last" else 1


def rows_and_columns(shape: Any) -> tuple[Any, Any]:
    """The height and width in the shape of an image."""
    return (shape[0], shape[1]) if image_data_format() == "channels_last" else (shape[1], shape[2])


def _image_shape(rows: Any, columns: Any, channels: Any) -> Shape:
    if image_data_format() == "channels_last":
        return (rows, columns, channels)
    return (channels, rows, columns)


def input_shape(
    shape: Any, default_size: int, min_size: int, require_flatten: bool, weights: Any
) -> Shape:
    """The shape of the input: as given, checked, or the network's own."""
    channels = 3
    if weights != "imagenet" and shape and len(shape) == 3:
        channels = shape[channel_axis() - 1]
        if channels not in (1, 3):
            message = f"Images have 1 or 3 channels, but `input_shape` has {channels}."
            warnings.warn(message, stacklevel=4)
    own = _image_shape(default_size, default_size, channels)
    if weights == "imagenet" and require_flatten:
        if shape is not None and tuple(shape) != own:
            raise ValueError(
                "With the weights of ImageNet and include_top=True `input_shape` must be "
                f"{own}, got {shape}."
            )
        return own
    if not shape:
        return own if require_flatten else _image_shape(None, None, 3)
    _check_shape(shape, min_size, weights)
    if require_flatten and None in shape:
        raise ValueError(f"With include_top=True `input_shape` must be known, got {shape}.")
    return tuple(shape)


def _check_shape(shape: Any, min_size: int, weights: Any) -> None:
    if len(shape) != 3:
        raise ValueError(f"`input_shape` must be three integers, got {shape}.")
    if shape[channel_axis() - 1] != 3 and weights == "imagenet":
        raise ValueError(f"The weights of ImageNet need 3 channels, got input_shape={shape}.")
    if any(side is not None and side < min_size for side in rows_and_columns(shape)):
        raise ValueError(f"Images must be at least {min_size}x{min_size}, got {shape}.")


def conv(x: Any, filters: int, kernel: Any, name: str | None = None, **options: Any) -> Any:
    """A convolution, without a bias unless asked for."""
    return layers.Conv2D(filters, kernel, name=name, **({"use_bias": False} | options))(x)


def depthwise(x: Any, kernel: Any, name: str | None = None, **options: Any) -> Any:
    """A convolution of each channel, without a bias."""
    return layers.DepthwiseConv2D(kernel, use_bias=False, name=name, **options)(x)


def norm(x: Any, name: str | None = None, **options: Any) -> Any:
    """Batch normalization of the channels."""
    return layers.BatchNormalization(axis=channel_axis(), name=name, **options)(x)


def activate(x: Any, kind: Any, name: str | None = None) -> Any:
    """An activation as a layer."""
    return layers.Activation(kind, name=name)(x)


def pad(x: Any, amount: Any, name: str | None = None) -> Any:
    """Zeros around the images."""
    return layers.ZeroPadding2D(padding=amount, name=name)(x)


def join(xs: list[Any], name: str | None = None) -> Any:
    """Channels side by side."""
    return layers.Concatenate(axis=channel_axis(), name=name)(xs)


def channels_of(x: Any) -> int:
    """How many channels a batch of images has."""
    return int(x.shape[channel_axis()])


def centred(x: Any, kernel: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    """The padding with which a convolution of stride 2 keeps the centre of even and odd images."""
    sizes = [kernel, kernel] if isinstance(kernel, int) else kernel
    images = rows_and_columns(tuple(x.shape)[1:])
    halves = [size // 2 for size in sizes]
    even = [1 if images[0] is None else 1 - side % 2 for side in images]
    return (halves[0] - even[0], halves[0]), (halves[1] - even[1], halves[1])


def divisible(value: float, divisor: int = 8) -> int:
    """The nearest multiple of the divisor, at most a tenth below the value."""
    rounded = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * value else rounded


def squeezed_and_excited(
    x: Any, filters: int, reduced: int, prefix: str, activation: Any, initializer: Any
) -> Any:
    """Channels weighted by what all of the image says, with EfficientNet's names."""
    options = {
        "padding": "same",
        "use_bias": True,
        "kernel_initializer": initializer,
    }
    shape = _image_shape(1, 1, filters)
    weights = layers.GlobalAveragePooling2D(name=f"{prefix}se_squeeze")(x)
    weights = layers.Reshape(shape, name=f"{prefix}se_reshape")(weights)
    weights = conv(weights, reduced, 1, f"{prefix}se_reduce", activation=activation, **options)
    weights = conv(weights, filters, 1, f"{prefix}se_expand", activation="sigmoid", **options)
    return layers.Multiply(name=f"{prefix}se_excite")([x, weights])


def network(name: str, doc: str, body: Callable[[Request, str], Any]) -> Any:
    """A network with the usual arguments, which `body` builds by its name."""

    def build(
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        input_shape: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: Any = "softmax",
    ) -> Any:
        data = input_tensor, input_shape
        request = Request(include_top, weights, *data, pooling, classes, classifier_activation)
        return body(request, name)

    return named(name, build, f"The {name} network ({doc}).")


def named_network(name: str, own: str, doc: str, body: Callable[[Request, str, bool], Any]) -> Any:
    """A network whose model may have another name than its `own`, and that prepares images."""

    def build(
        model_name: str = own,
        include_top: bool = True,
        include_preprocessing: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        input_shape: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: Any = "softmax",
    ) -> Any:
        data = input_tensor, input_shape
        request = Request(include_top, weights, *data, pooling, classes, classifier_activation)
        return body(request, model_name, include_preprocessing)

    return named(name, build, f"The {name} network ({doc}).")


def named(name: str, function: Callable[..., Any], doc: str) -> Any:
    """A member of a family of networks under its own name."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function
