"""`tf.keras.layers.Dense`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import activations, constraints, initializers, regularizers
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.layers.arguments import add_parameters, names_of, whole_number, written


class Dense(Layer):
    """`activation(inputs @ kernel + bias)`.

    Args:
        units: how many features the output has.
        activation: a function or the name of one; None leaves the values as they are.
        use_bias: whether a bias is added.
        kernel_initializer, bias_initializer: what the weights begin with: names or initializers.
        kernel_regularizer, bias_regularizer, activity_regularizer: penalties on weights and
            outputs, added to the loss.
        kernel_constraint, bias_constraint: functions that weights go through after each update.

    >>> layer = tf.keras.layers.Dense(2, kernel_initializer="ones")
    >>> layer(tf.constant([[1.0, 2.0, 3.0]])).numpy()
    array([[6., 6.]], dtype=float32)
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units = whole_number("units", units) if not isinstance(units, int) else units
        if self.units < 0:
            raise ValueError(
                f"Received an invalid value for `units`, expected a positive integer. Received: "
                f"units={units}"
            )
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        if not tf.as_dtype(self.dtype).is_floating and not tf.as_dtype(self.dtype).is_complex:
            raise TypeError(
                "A Dense layer can only be built with a floating-point dtype. "
                f"Received: dtype={self.dtype}"
            )
        last = tf.TensorShape(input_shape)[-1]
        if last is None:
            raise ValueError(
                "The last dimension of the inputs to a Dense layer should be defined. Found "
                f"None. Full input shape received: {input_shape}"
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = add_parameters(self, "kernel", [last, self.units])
        self.bias = add_parameters(self, "bias", [self.units]) if self.use_bias else None
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        if inputs.dtype is not self._compute:
            inputs = tf.cast(inputs, self._compute)
        if isinstance(inputs, tf.RaggedTensor):
            return self._of_rows(inputs)
        if isinstance(inputs, tf.SparseTensor):
            outputs = tf.sparse.sparse_dense_matmul(inputs, tf.convert_to_tensor(self.kernel))
        elif inputs.shape.rank in (2, None):
            outputs = tf.matmul(inputs, self.kernel)
        else:
            outputs = tf.tensordot(inputs, self.kernel, [[inputs.shape.rank - 1], [0]])
        if self.use_bias:
            outputs = tf.nn.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def _of_rows(self, inputs: Any) -> Any:
        """What a ragged tensor holds goes through the layer, and gets its rows again."""
        if inputs.shape[-1] is None:
            raise ValueError(
                "The last dimension of a ragged tensor given to a Dense layer must be known, got "
                f"shape {inputs.shape}."
            )
        if inputs.flat_values.shape.rank > 1:
            return inputs.with_flat_values(self.call(inputs.flat_values))
        outputs = self.call(tf.reshape(inputs.flat_values, (-1, inputs.shape[-1])))
        return _innermost_replaced(inputs, outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tf.TensorShape(input_shape).with_rank_at_least(2)
        if shape[-1] is None:
            raise ValueError(
                "The last dimension of the input shape of a Dense layer should be defined. "
                f"Found None. Received: input_shape={input_shape}"
            )
        return shape[:-1].concatenate(self.units)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **written(self, _SETTINGS)}


def _innermost_replaced(rows: Any, values: Any) -> Any:
    """`rows` with `values` instead of the innermost rows, which all have one length."""
    if not isinstance(rows.values, tf.RaggedTensor):
        return values
    return rows.with_values(_innermost_replaced(rows.values, values))


_SETTINGS = names_of(Dense.__init__)
