"""Layers as functions: each call makes a layer, and calls it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from runnel.v1.layers.convolution import (
    Conv1D,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    SeparableConv1D,
    SeparableConv2D,
)
from runnel.v1.layers.dense import Dense, Dropout, Flatten
from runnel.v1.layers.normalization import BatchNormalization
from runnel.v1.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from runnel.v1.variables.initializers import Ones, Zeros

_INPUTS = inspect.Parameter("inputs", inspect.Parameter.POSITIONAL_OR_KEYWORD)
_REUSE = inspect.Parameter("reuse", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)


def _function(layer: Any, name: str, *, reuse: bool = True) -> Callable[..., Any]:
    """A function with the parameters of a layer: first the inputs, last whether it is known."""
    own = [p for p in inspect.signature(layer).parameters.values() if p.name != "kwargs"]
    signature = inspect.Signature([_INPUTS, *own, *([_REUSE] if reuse else [])])

    def call(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        inputs = given.pop("inputs")
        if reuse:
            given["_reuse"], given["_scope"] = given.pop("reuse", None), given.get("name")
        return layer(**given)(inputs)

    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__name__ = call.__qualname__ = name
    call.__doc__ = layer.__doc__
    return call


dense = _function(Dense, "dense")
conv1d = _function(Conv1D, "conv1d")
conv2d = _function(Conv2D, "conv2d")
conv3d = _function(Conv3D, "conv3d")
conv2d_transpose = _function(Conv2DTranspose, "conv2d_transpose")
conv3d_transpose = _function(Conv3DTranspose, "conv3d_transpose")
separable_conv1d = _function(SeparableConv1D, "separable_conv1d")
separable_conv2d = _function(SeparableConv2D, "separable_conv2d")
max_pooling1d = _function(MaxPooling1D, "max_pooling1d", reuse=False)
max_pooling2d = _function(MaxPooling2D, "max_pooling2d", reuse=False)
max_pooling3d = _function(MaxPooling3D, "max_pooling3d", reuse=False)
average_pooling1d = _function(AveragePooling1D, "average_pooling1d", reuse=False)
average_pooling2d = _function(AveragePooling2D, "average_pooling2d", reuse=False)
average_pooling3d = _function(AveragePooling3D, "average_pooling3d", reuse=False)


def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Any:
    """All dimensions but the first as one."""
    return Flatten(data_format, name=name)(inputs)


def dropout(
    inputs: Any,
    rate: Any = 0.5,
    noise_shape: Any = None,
    seed: int | None = None,
    training: Any = False,
    name: str | None = None,
) -> Any:
    """Zeros in some places while training."""
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


def batch_normalization(
    inputs: Any,
    axis: Any = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = Zeros(),  # noqa: B008
    gamma_initializer: Any = Ones(),  # noqa: B008
    moving_mean_initializer: Any = Zeros(),  # noqa: B008
    moving_variance_initializer: Any = Ones(),  # noqa: B008
    beta_regularizer: Any = None,
    gamma_regularizer: Any = None,
    beta_constraint: Any = None,
    gamma_constraint: Any = None,
    training: Any = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_momentum: float = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Any = None,
) -> Any:
    """Mean 0 and variance 1, by the moments of the batch or those kept of many."""
    options = {k: v for k, v in locals().items() if k not in ("inputs", "training", "reuse")}
    return BatchNormalization(**options, _reuse=reuse, _scope=name)(inputs, training=training)
