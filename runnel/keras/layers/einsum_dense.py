"""`tf.keras.layers.EinsumDense`."""

from __future__ import annotations

import re
from typing import Any

import runnel as tf
from runnel.keras import activations, constraints, initializers, regularizers
from runnel.keras.engine.layer.base_layer import Layer

_PARTS = re.compile(r"(\.{3})?([a-zA-Z]+)(\.{3})?,([a-zA-Z]+)->(\.{3})?([a-zA-Z]+)(\.{3})?")


class EinsumDense(Layer):
    """A dense layer whose product is written as an einsum of the inputs and the kernel.

    `output_shape` leaves out the batch; a dimension of it may be None.

    >>> layer = tf.keras.layers.EinsumDense("abc,cd->abd", output_shape=(None, 5), bias_axes="d")
    >>> layer(tf.ones([2, 3, 4])).shape
    TensorShape([2, 3, 5])
    """

    def __init__(
        self,
        equation: str,
        output_shape: Any,
        activation: Any = None,
        bias_axes: str | None = None,
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
        if not isinstance(equation, str):
            raise TypeError(f"`equation` must be a string, such as 'ab,bc->ac', got {equation!r}.")
        self.equation = equation
        single = isinstance(output_shape, int)
        self.partial_output_shape = (output_shape,) if single else tuple(output_shape)
        self.bias_axes = bias_axes
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)

    def build(self, input_shape: Any) -> None:
        dims = tf.TensorShape(input_shape).as_list()
        kernel, bias, output = _shapes(
            self.equation, dims, self.partial_output_shape, self.bias_axes
        )
        self.full_output_shape = output
        self.kernel = self.add_weight(
            "kernel",
            shape=kernel,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias = None
        if bias is not None:
            self.bias = self.add_weight(
                "bias",
                shape=bias,
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        outputs = tf.einsum(self.equation, inputs, self.kernel)
        if self.bias is not None:
            outputs = outputs + self.bias
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, _: Any) -> Any:
        return tf.TensorShape(self.full_output_shape)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "output_shape": self.partial_output_shape,
            "equation": self.equation,
            "activation": activations.serialize(self.activation),
            "bias_axes": self.bias_axes,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "kernel_constraint": constraints.serialize(self.kernel_constraint),
            "bias_constraint": constraints.serialize(self.bias_constraint),
        }


def _shapes(
    equation: str, dims: list[Any], partial: tuple[Any, ...], bias_axes: str | None
) -> tuple[list[Any], list[Any] | None, tuple[Any, ...]]:
    """The shapes of the kernel, of the bias (None for no bias) and of the outputs."""
    found = _PARTS.fullmatch(equation.replace(" ", ""))
    if found is None:
        raise ValueError(
            f"Invalid einsum equation '{equation}'. Equations must be in the form [X],[Y]->[Z], "
            "...[X],[Y]->...[Z], or [X]...,[Y]->[Z]...."
        )
    before, left, after, kernel, _, right, _ = found.groups()
    elided = len(dims) - len(left)
    if before:
        output = (*dims[: max(elided, 1)], *partial)
        sizes_in, sizes_out = dims[elided:], output[len(output) - len(right) :]
    else:
        output = (dims[0], *partial, *(dims[-elided:] if after and elided else ()))
        sizes_in, sizes_out = dims[: len(left)], output[: len(right)]
    if len(sizes_in) < len(left):
        raise IndexError(
            f"EinsumDense: inputs must have the axes '{left}' of the equation '{equation}', got "
            f"shape {tuple(dims)}."
        )
    if len(sizes_out) < len(right):
        raise ValueError(
            f"EinsumDense: `output_shape` must have the axes '{right}' of the equation "
            f"'{equation}' but for that of the batch, got {partial}."
        )
    inside = dict(zip(left, sizes_in, strict=True))
    outside = dict(zip(right, sizes_out, strict=True))
    _check_labels(equation, inside, outside, kernel)
    kernel_shape = [inside[label] if label in inside else outside[label] for label in kernel]
    bias = _bias_shape(right, outside, bias_axes, elided if after else 0)
    return kernel_shape, bias, tuple(output)


def _check_labels(
    equation: str, inside: dict[str, Any], outside: dict[str, Any], kernel: str
) -> None:
    for label, size in inside.items():
        other = outside.get(label)
        if other is not None and size is not None and other != size:
            raise ValueError(
                f"Input shape and output shape do not match at shared dimension '{label}'. Input "
                f"shape is {size}, and output shape is {other}."
            )
    for label in kernel:
        if label not in inside and label not in outside:
            raise ValueError(
                f"Weight dimension '{label}' did not have a match in either the input or the "
                f"output of '{equation}'."
            )
    for label in outside:
        if label not in inside and label not in kernel:
            raise ValueError(
                f"Dimension '{label}' was specified in the output of '{equation}' but has no "
                "corresponding dim in the input spec or weight spec."
            )


def _bias_shape(
    right: str, outside: dict[str, Any], bias_axes: str | None, behind: int
) -> list[Any] | None:
    """A size for each axis from the first of the bias on, and for those elided behind them."""
    if not bias_axes:
        return None
    for label in bias_axes:
        if label not in right:
            raise ValueError(
                f"Bias dimension '{label}' was requested, but is not part of the output spec "
                f"'{right}'."
            )
    first = min(right.index(label) for label in bias_axes)
    own = [outside[label] if label in bias_axes else 1 for label in right[first:]]
    return own + [1] * behind
