"""`RandomFourierFeatures`: features whose products are near those of a kernel machine."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import initializers
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec

_KERNELS = ("gaussian", "laplacian")


class RandomFourierFeatures(Layer):
    """Cosines of random projections, as many as `output_dim`.

    >>> layer = tf.keras.layers.experimental.RandomFourierFeatures(8)
    >>> layer(tf.ones([2, 3])).shape
    TensorShape([2, 8])
    """

    def __init__(
        self,
        output_dim: int,
        kernel_initializer: Any = "gaussian",
        scale: float | None = None,
        trainable: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if output_dim <= 0:
            raise ValueError(f"`output_dim` should be a positive integer. Received: {output_dim}")
        named = isinstance(kernel_initializer, str)
        if named and kernel_initializer.lower() not in _KERNELS:
            raise ValueError(
                f"Unsupported `kernel_initializer`: {kernel_initializer} Expected one of: "
                f"{list(_KERNELS)}"
            )
        if scale is not None and scale <= 0.0:
            raise ValueError(
                f"When provided, `scale` should be a positive float. Received: {scale}"
            )
        super().__init__(trainable=trainable, name=name, **kwargs)
        self.output_dim = output_dim
        self.kernel_initializer = kernel_initializer
        self.scale = scale

    def build(self, input_shape: Any) -> None:
        shape = tf.TensorShape(input_shape)
        if shape.rank != 2:
            raise ValueError(
                f"The rank of the input tensor should be 2. Received input with rank {shape.rank} "
                f"instead. Full input shape received: {input_shape}"
            )
        features = _known_features(shape)
        self.input_spec = InputSpec(ndim=2, axes={1: features})
        self.unscaled_kernel = self._fixed(
            "unscaled_kernel", (features, self.output_dim), self._projections(features)
        )
        phases = initializers.RandomUniform(0.0, 2 * np.pi)
        self.bias = self._fixed("bias", (self.output_dim,), phases)
        if self.scale is None:
            self.scale = np.sqrt(features / 2.0) if self._kind == "gaussian" else 1.0
        self.kernel_scale = self.add_weight(
            "kernel_scale",
            shape=(1,),
            dtype=tf.float32,
            initializer=initializers.Constant(self.scale),
            trainable=True,
            constraint="NonNeg",
        )
        super().build(input_shape)

    def _fixed(self, name: str, shape: tuple[int, ...], initializer: Any) -> Any:
        return self.add_weight(
            name, shape=shape, dtype=tf.float32, initializer=initializer, trainable=False
        )

    @property
    def _kind(self) -> str | None:
        named = isinstance(self.kernel_initializer, str)
        return self.kernel_initializer.lower() if named else None

    def _projections(self, features: int) -> Any:
        """An initializer: normal numbers for a gaussian kernel, Cauchy's for a laplacian one."""
        if self._kind == "gaussian":
            return initializers.RandomNormal(stddev=1.0)
        if self._kind == "laplacian":
            uniform = np.random.uniform(0.0, 1.0, (features, self.output_dim))
            return initializers.Constant(np.tan(np.pi * (uniform - 0.5)))
        return self.kernel_initializer

    def call(self, inputs: Any) -> Any:
        # The weights are float32, so a policy that computes in another dtype is refused here.
        inputs = tf.cast(tf.convert_to_tensor(inputs, dtype=self.dtype), tf.float32)
        kernel = self.unscaled_kernel * (1.0 / self.kernel_scale)
        return tf.cos(tf.nn.bias_add(tf.matmul(inputs, kernel), self.bias))

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tf.TensorShape(input_shape).with_rank(2)
        _known_features(shape)
        return shape[:-1].concatenate(self.output_dim)

    def get_config(self) -> dict[str, Any]:
        chosen = self.kernel_initializer
        own = {
            "output_dim": self.output_dim,
            "kernel_initializer": chosen if self._kind else initializers.serialize(chosen),
            "scale": self.scale,
        }
        return {**super().get_config(), **own}


def _known_features(shape: tf.TensorShape) -> int:
    if shape[-1] is None:
        raise ValueError(
            "The last dimension of the input tensor should be defined. Found `None`. Full input "
            f"shape received: {shape}"
        )
    return int(shape[-1])
