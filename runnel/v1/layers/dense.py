"""`Dense`, `Dropout` and `Flatten`."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.v1.layers.base import Layer, Spec
from runnel.v1.variables.initializers import Zeros


class Dense(Layer):
    """`activation(inputs @ kernel + bias)`, along the last dimension."""

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = Zeros(),  # noqa: B008
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.activation, self.use_bias = int(units), activation, use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.kernel: Any = None
        self.bias: Any = None
        self.input_spec = Spec(min_ndim=2)

    def build(self, input_shape: Any) -> None:
        size = input_shape[-1]
        if size is None:
            raise ValueError("Dense: the last dimension of the inputs must be known.")
        self.input_spec = Spec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_weight(
            "kernel",
            [size, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        rank = inputs.shape.rank
        if rank == 2:
            found = tf.matmul(inputs, self.kernel)
        else:
            found = tf.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            found.set_shape([*inputs.shape[:-1], self.units])
        if self.bias is not None:
            found = tf.nn.bias_add(found, self.bias)
        return found if self.activation is None else self.activation(found)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return tf.TensorShape(input_shape)[:-1].concatenate(self.units)


class Dropout(Layer):
    """Zeros in some places while training."""

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False) -> Any:  # type: ignore[override]
        def dropped() -> Any:
            return tf.nn.dropout(inputs, self.rate, self._sizes(inputs), self.seed)

        known = tf.get_static_value(training) if isinstance(training, tf.Tensor) else training
        if known is None:
            return tf.cond(training, dropped, lambda: tf.identity(inputs))
        return dropped() if known else tf.identity(inputs)

    def _sizes(self, inputs: Any) -> Any:
        if self.noise_shape is None or not any(n is None for n in self.noise_shape):
            return self.noise_shape
        sizes = tf.shape(inputs)
        return [sizes[i] if n is None else n for i, n in enumerate(self.noise_shape)]

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


class Flatten(Layer):
    """All dimensions but the first as one."""

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format or "channels_last"
        self.input_spec = Spec(min_ndim=1)

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = tf.transpose(inputs, [0, *range(2, rank), 1])
        sizes = inputs.shape[1:]
        if sizes.is_fully_defined():
            return tf.reshape(inputs, [-1, int(np.prod(sizes.as_list()))])
        return tf.reshape(inputs, [tf.shape(inputs)[0], -1])
