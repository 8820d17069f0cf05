"""Locally connected layers: convolutions with a kernel of its own at each place."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import activations
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.engine.settings import checked_data_format
from runnel.keras.layers.arguments import add_parameters, keep, passes_on, whole_number, written
from runnel.keras.layers.convolution.convolution import as_tuple, conv_length

_OPTIONS = """kernel_initializer bias_initializer kernel_regularizer bias_regularizer
kernel_constraint bias_constraint""".split()
_SETTINGS = """filters kernel_size strides padding data_format activation use_bias
kernel_initializer bias_initializer kernel_regularizer bias_regularizer activity_regularizer
kernel_constraint bias_constraint implementation""".split()


def local_conv(
    inputs: Any, kernel: Any, kernel_size: Any, strides: Any, lengths: Any, channels_first: bool
) -> Any:
    """Windows with a kernel each, `[windows, values, filters]`; `lengths` counts the windows."""
    windows, values, filters = kernel.shape
    rank = len(lengths)
    places = math.prod(whole_number("kernel_size", size) for size in kernel_size)
    if values is not None and places > values:
        raise ValueError(f"`kernel_size` must fit a kernel of {values} values, got {kernel_size}.")
    images = tf.transpose(inputs, [0, *range(2, rank + 2), 1]) if channels_first else inputs
    seen = []
    for offsets in product(*map(range, kernel_size)):
        cuts = [
            slice(start, start + stride * (count - 1) + 1, stride)
            for start, stride, count in zip(offsets, strides, lengths, strict=True)
        ]
        seen.append(images[(slice(None), *cuts)])
    # The values of a window are in the order of the inputs' own axes.
    patches = tf.stack(seen, axis=-1 if channels_first else -2)
    patches = tf.reshape(patches, [-1, windows, values])
    made = tf.reshape(tf.einsum("bwv,wvf->bwf", patches, kernel), [-1, *lengths, filters])
    return tf.transpose(made, [0, rank + 1, *range(1, rank + 1)]) if channels_first else made


def _reached(size: int, count: int, width: int, stride: int, padding: str) -> np.ndarray:
    """Which of the places along one axis each of the windows sees: `[places, windows]`."""
    center = np.arange(count) * stride + (width // 2 if padding == "valid" else 0)
    place = np.arange(size)[:, None]
    return (place >= center - width // 2) & (place < center - width // 2 + width)


class _LocallyConnected(Layer):
    """What these layers share; `rank` is the number of dimensions along which windows lie.

    By `implementation`, the kernel has the values of each window (1), a number for each pair of an
    input and an output, most of which are not used (2), or one for each pair that is connected (3).
    """

    kernel_initializer: Any
    bias_initializer: Any
    kernel_regularizer: Any
    bias_regularizer: Any
    kernel_constraint: Any
    bias_constraint: Any

    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: Any,
        strides: Any,
        padding: str,
        data_format: str | None,
        activation: Any,
        use_bias: bool,
        implementation: int,
        **kwargs: Any,
    ) -> None:
        options = {name: kwargs.pop(name) for name in _OPTIONS}
        super().__init__(**kwargs)
        self.rank, self.filters = rank, filters
        self.kernel_size = as_tuple(kernel_size, rank, "kernel_size")
        self.strides = as_tuple(strides, rank, "strides")
        self.padding = str(padding).lower()
        if implementation == 1 and self.padding != "valid":
            raise ValueError(
                "Invalid border mode for a locally connected layer (only 'valid' is supported if "
                f"implementation is 1): {padding}"
            )
        if implementation not in (1, 2, 3):
            raise ValueError(f"Unrecognized implementation mode: {implementation}.")
        self.implementation = implementation
        self.data_format = checked_data_format(data_format)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        keep(self, options)
        self.input_spec = InputSpec(ndim=rank + 2)

    def _space(self, shape: Any) -> tuple[list[Any], Any]:
        """The sizes along which windows lie, and the number of channels."""
        dims = tf.TensorShape(shape).as_list()
        if self.data_format == "channels_first":
            return dims[2:], dims[1]
        return dims[1:-1], dims[-1]

    def _lengths(self, space: list[Any]) -> list[Any]:
        return [
            conv_length(n, size, self.padding, stride)
            for n, size, stride in zip(space, self.kernel_size, self.strides, strict=True)
        ]

    def build(self, input_shape: Any) -> None:
        space, channels = self._space(input_shape)
        if channels is None or None in space:
            raise ValueError(
                "The spatial dimensions and the channels of the inputs to a locally connected "
                f"layer should be fully-defined. Received: input_shape={input_shape}"
            )
        lengths = self._lengths(space)
        if min(lengths) <= 0:
            raise ValueError(
                "One of the dimensions in the output is <= 0 due to downsampling in "
                f"{self.name}. Received: input_shape={input_shape}"
            )
        self._out: tuple[int, ...] = tuple(lengths)
        self._make_kernel(space, channels)
        self.bias = (
            add_parameters(self, "bias", (*lengths, self.filters)) if self.use_bias else None
        )
        axis = 1 if self.data_format == "channels_first" else -1
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
        super().build(input_shape)

    def _make_kernel(self, space: list[Any], channels: int) -> None:
        if self.implementation == 1:
            patch = math.prod(self.kernel_size) * channels
            self.kernel = add_parameters(
                self, "kernel", (math.prod(self._out), patch, self.filters)
            )
            return
        mask = self._connections(space)
        entering, leaving = (
            self._with_channels(space, channels),
            self._with_channels(self._out, self.filters),
        )
        if self.implementation == 2:
            self.kernel = add_parameters(self, "kernel", (*entering, *leaving))
            self._mask = mask
            return
        sizes = math.prod(entering), math.prod(leaving)
        pairs = np.argwhere(np.broadcast_to(mask, (*entering, *leaving)).reshape(sizes).T)
        self._pairs = tf.__internal__.tracking.NoDependency(pairs)
        self._sizes = tf.__internal__.tracking.NoDependency((sizes[1], sizes[0]))
        self.kernel = add_parameters(self, "kernel", (len(pairs),))

    def _connections(self, space: list[Any]) -> np.ndarray:
        """Whether an input reaches an output: the axes of inputs, then those of outputs."""
        parts = [
            _reached(*sizes, self.padding)
            for sizes in zip(space, self._out, self.kernel_size, self.strides, strict=True)
        ]
        mask = parts[0] if self.rank == 1 else np.einsum("ac,bd->abcd", *parts)
        if self.data_format == "channels_first":
            return np.expand_dims(mask, (0, self.rank + 1))
        return np.expand_dims(mask, (self.rank, 2 * self.rank + 1))

    def _with_channels(self, space: Any, channels: int) -> tuple[int, ...]:
        first = self.data_format == "channels_first"
        return (channels, *space) if first else (*space, channels)

    def _connected(self, inputs: Any) -> Any:
        """The outputs without bias."""
        first = self.data_format == "channels_first"
        if self.implementation == 1:
            return local_conv(inputs, self.kernel, self.kernel_size, self.strides, self._out, first)
        flat = tf.reshape(inputs, [-1, math.prod(inputs.shape[1:])])
        leaving = self._with_channels(self._out, self.filters)
        kernel = tf.convert_to_tensor(self.kernel)  # in the dtype of computing
        if self.implementation == 2:
            kernel *= tf.cast(self._mask, kernel.dtype)
            made = tf.matmul(flat, tf.reshape(kernel, [flat.shape[1], math.prod(leaving)]))
        else:
            sparse = tf.SparseTensor(self._pairs, kernel, self._sizes)
            made = tf.transpose(tf.sparse.sparse_dense_matmul(sparse, flat, adjoint_b=True))
        return tf.reshape(made, [-1, *leaving])

    def call(self, inputs: Any) -> Any:
        outputs, bias = self._connected(inputs), self.bias
        if bias is not None and self.data_format == "channels_first":
            # Keras only reshapes it, so that saved weights mean the same.
            bias = tf.reshape(bias, [self.filters, *self._out])
        outputs = outputs if bias is None else outputs + bias
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, lengths = input_shape[0], self._lengths(self._space(input_shape)[0])
        if self.data_format == "channels_first":
            return tf.TensorShape([batch, self.filters, *lengths])
        return tf.TensorShape([batch, *lengths, self.filters])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **written(self, _SETTINGS)}


class LocallyConnected1D(_LocallyConnected):
    """A kernel of its own for each window of sequences.

    >>> tf.keras.layers.LocallyConnected1D(4, 3)(tf.ones([1, 5, 2])).shape
    TensorShape([1, 3, 4])
    """

    @passes_on(_LocallyConnected, rank=1)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        pass


class LocallyConnected2D(_LocallyConnected):
    """A kernel of its own for each window of images.

    >>> tf.keras.layers.LocallyConnected2D(4, 3)(tf.ones([1, 5, 5, 2])).shape
    TensorShape([1, 3, 3, 4])
    """

    @passes_on(_LocallyConnected, rank=2)
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        pass
