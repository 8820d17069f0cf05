"""The public convolutions of `tf.nn`, in terms of the convolution ops."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.op.attributes import attribute
from runnel.core.tensor.convert import unread
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import TensorLike
from runnel.kernels.windows.windows import channels_first
from runnel.ops.shapes import shape_of

Padding = str | bytes | Sequence[Sequence[int]]


def full_list(value: Any, rank: int, channel_first: bool, name: str) -> tuple[int, ...]:
    """A number for every dimension, from one for all the spatial ones, or one for each of them."""
    if value is None:
        value = [1]
    if isinstance(value, Tensor):
        value = list(value)  # which a scalar or symbolic one refuses
    numbers = np.ravel(value).tolist() if hasattr(value, "shape") else [value]
    values = attribute("nn", name, "tuple", value if isinstance(value, list | tuple) else numbers)
    if len(values) == rank + 2:
        return values  # type: ignore[no-any-return]
    if len(values) not in (1, rank):
        raise ValueError(
            f"`{name}` must have 1, {rank} or {rank + 2} elements, got {len(values)}: {value!r}."
        )
    inner = values * rank if len(values) == 1 else values
    return (1, 1, *inner) if channel_first else (1, *inner, 1)


def _given(name: str, value: Any) -> Any:
    if value is None:
        raise TypeError(f"`{name}` must be a list of integers, got None.")
    return value


def padding_attrs(padding: Padding, name: str = "padding") -> dict[str, Any]:
    """The attributes for a padding: "SAME", "VALID", or pairs for every dimension."""
    if isinstance(padding, bytes):  # from `op.get_attr`
        padding = padding.decode()
    if isinstance(padding, str):
        return {"padding": padding}
    if not isinstance(padding, list | tuple):
        raise TypeError(f"`{name}` must be a string or a list of pairs, got {padding!r}.")
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in padding):
        raise ValueError(f"`{name}` must have a pair for every dimension, got {padding!r}.")
    flat = [int(v) for pair in padding for v in pair]
    if len(flat) != 8:
        raise ValueError(f"`{name}` must have four pairs, got {len(padding)}: {padding!r}.")
    return {"padding": "EXPLICIT", "explicit_paddings": tuple(flat)}


def flat_batch(x: Tensor, inner: int, function: Callable[[Tensor], Tensor]) -> Tensor:
    """`function` of `x` with all but its last `inner` dimensions folded into one, and unfolded."""
    rank = x.shape.rank
    if rank is None or rank <= inner + 1:
        return function(x)
    dims = x.shape._dims
    assert dims is not None
    if None not in dims[-inner:]:
        folded = raw_ops.Reshape(x, np.array([-1, *dims[-inner:]], np.int32))
    else:
        folded = raw_ops.Reshape(x, _joined([-1], raw_ops.Shape(x)[-inner:]))
    y = function(folded)
    return raw_ops.Reshape(y, _joined(shape_of(x)[:-inner], shape_of(y)[1:]))


def _joined(*parts: Any) -> Any:
    if all(isinstance(p, np.ndarray | list) for p in parts):
        return np.concatenate([np.asarray(p, np.int32) for p in parts])
    return raw_ops.ConcatV2([convert_to_tensor(p, dtype="int32") for p in parts], np.int32(0))


@scoped("conv1d", last=True)
def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: Any,
    padding: str,
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of `[batch, width, channels]` with `[width, channels, outputs]`.

    >>> x = tf.constant([[[1.0], [2.0], [3.0]]])
    >>> tf.nn.conv1d(x, [[[1.0]], [[1.0]]], stride=1, padding="VALID").numpy().ravel()
    array([3., 5.], dtype=float32)
    """
    if data_format not in (None, "NWC", "NCW", "NHWC", "NCHW"):
        raise ValueError(f"conv1d: `data_format` must be 'NWC' or 'NCW', got {data_format!r}.")
    first = channels_first(data_format or "NWC")
    x, f = unread(input), unread(filters)
    axis = np.int32(-1 if first else -2) - np.int32(1)
    strides = _with_height(full_list(stride, 1, first, "stride"), first)
    rates = _with_height(full_list(dilations, 1, first, "dilations"), first)
    if not isinstance(padding, str):
        before = [*padding]
        if len(before) != 3:
            raise ValueError(f"conv1d: `padding` must have a pair for each axis, got {padding!r}.")
        padding = [*before[:2], [0, 0], before[2]] if first else [before[0], [0, 0], *before[1:]]  # type: ignore[assignment]
    y = conv2d(
        raw_ops.ExpandDims(x, axis),
        raw_ops.ExpandDims(f, np.int32(0)),
        strides,
        padding,
        "NCHW" if first else "NHWC",
        rates,
        name,
    )
    return raw_ops.Squeeze(y, axis=(int(axis),))


def _with_height(values: tuple[int, ...], first: bool) -> tuple[int, ...]:
    """Values for three dimensions as values for four, with a height of 1."""
    return (*values[:2], 1, values[2]) if first else (values[0], 1, *values[1:])


def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: Padding,
    data_format: str | None = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of images with `filters`, `[height, width, channels, outputs]`.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), strides=1, padding="VALID").numpy().reshape(2, 2)
    array([[ 8., 12.],
           [20., 24.]], dtype=float32)
    """
    layout = data_format or "NHWC"
    first = channels_first(layout)
    x = unread(input, dtype_hint=getattr(filters, "dtype", None))
    how = {
        "strides": full_list(strides, 2, first, "strides"),
        "dilations": full_list(dilations, 2, first, "dilations"),
        "data_format": layout,
        **padding_attrs(padding),
    }
    return flat_batch(x, 3, lambda flat: raw_ops.Conv2D(flat, filters, name=name, **how))


def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: str,
    data_format: str | None = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of `[batch, depth, height, width, channels]` in three dimensions.

    >>> x, f = tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1])
    >>> tf.nn.conv3d(x, f, [1] * 5, "VALID").numpy().ravel()
    array([8.], dtype=float32)
    """
    layout = data_format or "NDHWC"
    first = channels_first(layout)
    steps = full_list(dilations, 3, first, "dilations")
    return flat_batch(
        unread(input),
        4,
        lambda x: raw_ops.Conv3D(
            x,
            filters,
            strides=strides,
            dilations=steps,
            data_format=layout,
            padding=padding,
            name=name,
        ),
    )


@scoped("convolution", last=True)
def convolution(
    input: TensorLike,
    filters: TensorLike,
    strides: Any = None,
    padding: Padding = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution in as many dimensions, 1 to 3, as `filters` has.

    >>> tf.nn.convolution(tf.ones([1, 4, 1]), tf.ones([3, 1, 1])).numpy().ravel()
    array([3., 3.], dtype=float32)
    """
    x, f = convert_to_tensor(input), convert_to_tensor(filters)
    known = x.shape.rank if f.shape.rank is None else f.shape.rank
    if known is None:
        raise ValueError("convolution: the rank of `input` or of `filters` must be known.")
    rank = known - 2
    if not known:
        raise bad_shape("convolution", want="have 3, 4 or 5 dimensions", filters=f)
    if not 1 <= rank <= 3:
        raise ValueError(f"convolution: `filters` must have 3, 4 or 5 dimensions, got {f.shape}.")
    first = data_format is not None and data_format.startswith("NC")
    if data_format is not None and not first and not data_format.endswith("C"):
        raise ValueError(
            f"convolution: `data_format` must be 'N...C' or 'NC...', got {data_format!r}."
        )
    if isinstance(padding, bytes):
        padding = padding.decode()
    if not isinstance(padding, str):
        raise TypeError(f"convolution: `padding` must be a string, got {padding!r}.")
    strides = full_list(strides, rank, first, "strides")
    dilations = full_list(dilations, rank, first, "dilations")
    run = (conv1d, conv2d, conv3d)[rank - 1]
    layout = (("NWC", "NHWC", "NDHWC"), ("NCW", "NCHW", "NCDHW"))[first][rank - 1]
    if rank == 3:
        return flat_batch(
            x, 4, lambda flat: conv3d(flat, f, strides, padding, layout, dilations, name)
        )
    return run(x, f, strides, padding, layout, dilations, name)  # type: ignore[arg-type]


@scoped("conv2d_transpose", last=True)
def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Any,
    padding: Padding = "SAME",
    data_format: str | None = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv2d`; `filters` is `[height, width, outputs, channels]`.

    >>> y = tf.nn.conv2d_transpose(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), [1, 4, 4, 1], 2)
    >>> float(tf.reduce_sum(y))
    16.0
    """
    layout = data_format or "NHWC"
    first = channels_first(layout)
    if not isinstance(output_shape, Tensor) and _is_nested(output_shape):
        raise bad_shape("conv2d_transpose", want="be a vector", output_shape=output_shape)
    return raw_ops.Conv2DBackpropInput(
        output_shape,
        filters,
        input,
        strides=full_list(strides, 2, first, "strides"),
        dilations=full_list(dilations, 2, first, "dilations"),
        data_format=layout,
        name=name,
        **padding_attrs(padding),
    )


def _is_nested(sizes: Any) -> bool:
    if isinstance(sizes, list | tuple):  # there may be tensors among them
        return any(isinstance(n, list | tuple) for n in sizes)
    return np.ndim(sizes) > 1


@scoped("conv1d_transpose")
def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Any,
    padding: str = "SAME",
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv1d`.

    >>> tf.nn.conv1d_transpose(tf.ones([1, 2, 1]), tf.ones([2, 1, 1]), [1, 4, 1], 2).numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    layout = data_format or "NWC"
    if layout not in ("NWC", "NCW"):
        raise ValueError(f"conv1d_transpose: `data_format` must be 'NWC' or 'NCW', got {layout!r}.")
    first = channels_first(layout)
    axis = 2 if first else 1
    if output_shape is None:
        raise TypeError("conv1d_transpose: `output_shape` must be a list of integers, got None.")
    sizes = convert_to_tensor(output_shape, dtype_hint="int32")
    if sizes.dtype is dtypes.string:
        raise TypeError(f"conv1d_transpose: `output_shape` must be integers, got {output_shape!r}.")
    sizes = raw_ops.ConcatV2([sizes[:axis], np.ones(1, np.int32), sizes[axis:]], np.int32(0))
    y = conv2d_transpose(
        raw_ops.ExpandDims(input, np.int32(axis)),
        raw_ops.ExpandDims(filters, np.int32(0)),
        sizes,
        _with_height(full_list(strides, 1, first, "strides"), first),
        padding,
        "NCHW" if first else "NHWC",
        _with_height(full_list(dilations, 1, first, "dilations"), first),
        name,
    )
    return raw_ops.Squeeze(y, axis=(axis,))


@scoped("conv3d_transpose", last=True)
def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Any,
    padding: str = "SAME",
    data_format: str | None = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv3d`.

    >>> x, f = tf.ones([1, 1, 1, 1, 1]), tf.ones([2, 2, 2, 1, 1])
    >>> tf.nn.conv3d_transpose(x, f, [1, 2, 2, 2, 1], 2).shape
    TensorShape([1, 2, 2, 2, 1])
    """
    layout = data_format or "NDHWC"
    first = channels_first(layout)
    return raw_ops.Conv3DBackpropInputV2(
        output_shape,
        filters,
        input,
        strides=full_list(strides, 3, first, "strides"),
        dilations=full_list(dilations, 3, first, "dilations"),
        padding=padding,
        data_format=layout,
        name=name,
    )


def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Any,
    padding: str = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `convolution`, in as many dimensions as `output_shape` says.

    >>> tf.nn.conv_transpose(tf.ones([1, 2, 1]), tf.ones([2, 1, 1]), [1, 4, 1], 2).numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    if output_shape is None:
        raise ValueError("conv_transpose: `output_shape` must be a list of integers, got None.")
    shape = output_shape if isinstance(output_shape, Tensor) else convert_to_tensor(output_shape)
    rank = shape.shape.num_elements() if shape.shape.rank == 1 else None
    if rank is None or not 3 <= rank <= 5:
        raise ValueError(f"conv_transpose: `output_shape` must have 3 to 5 elements, got {rank}.")
    first = data_format is not None and data_format.startswith("NC")
    run = (conv1d_transpose, conv2d_transpose, conv3d_transpose)[rank - 3]
    layout = (("NWC", "NHWC", "NDHWC"), ("NCW", "NCHW", "NCDHW"))[first][rank - 3]
    return run(input, filters, output_shape, strides, padding, layout, dilations, name)


@scoped("convolution", last=True)
def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """`conv2d` with holes: the elements of `filters` stand `rate` apart.

    >>> x, f = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.atrous_conv2d(x, f, 2, "VALID").numpy().ravel()
    array([4.], dtype=float32)
    """
    x = convert_to_tensor(value)
    if x.shape.rank is not None and x.shape.rank < 4:
        raise ValueError(f"atrous_conv2d: `value` must have rank 4, got shape {x.shape}.")
    _check_atrous("atrous_conv2d", rate, padding)
    f = convert_to_tensor(filters, dtype_hint=x.dtype)
    given, wanted = x.shape[-1:], f.shape[2:3]
    if None not in (x.shape.rank, f.shape.rank) and not given.is_compatible_with(wanted):
        want = "have the channels of `value` in its third dimension"
        raise ValueError(f"atrous_conv2d: `filters` must {want}, got shape {f.shape}.")
    return convolution(x, f, padding=padding, dilations=[int(rate)] * 2, name=name)


def _check_atrous(name: str, rate: Any, padding: Any) -> None:
    if rate is None:
        raise TypeError(f"{name}: `rate` must be a positive integer, got None.")
    if not isinstance(rate, numbers.Real) or rate < 1:
        raise ValueError(f"{name}: `rate` must be a positive integer, got {rate!r}.")
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"{name}: `padding` must be 'SAME' or 'VALID', got {padding!r}.")


def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """The transpose of `atrous_conv2d`.

    >>> x, f = tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.atrous_conv2d_transpose(x, f, [1, 3, 3, 1], 2, "VALID").numpy().reshape(3, 3)
    array([[1., 0., 1.],
           [0., 0., 0.],
           [1., 0., 1.]], dtype=float32)
    """
    x, f = convert_to_tensor(value), convert_to_tensor(filters)
    if None not in (x.shape.rank, f.shape.rank) and not x.shape[3:].is_compatible_with(f.shape[3:]):
        raise ValueError(
            "atrous_conv2d_transpose: the channels of `value` and the last dimension of "
            f"`filters` must agree, got {x.shape} and {f.shape}."
        )
    _check_atrous("atrous_conv2d_transpose", rate, padding)
    if not isinstance(output_shape, Tensor) and output_shape is not None:
        dims = output_shape if isinstance(output_shape, list | tuple) else [output_shape]
        if len(dims) != 4 or not all(isinstance(d, numbers.Integral | Tensor) for d in dims):
            kind = TypeError if len(dims) == 4 else ValueError
            want = "must be a list of four integers"
            raise kind(f"atrous_conv2d_transpose: `output_shape` {want}, got {output_shape}.")
        if isinstance(dims[3], int) and not f.shape[2:3].is_compatible_with([dims[3]]):
            want = f"must end with the channels of `filters` of shape {f.shape}"
            raise ValueError(f"atrous_conv2d_transpose: `output_shape` {want}, got {output_shape}.")
    return conv2d_transpose(x, f, output_shape, 1, padding, dilations=rate, name=name)


@scoped("depthwise", last=True)
def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Any,
    padding: Padding,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of every channel with its own of `[height, width, channels, multiplier]`.

    >>> x, f = tf.ones([1, 2, 2, 2]), tf.ones([2, 2, 2, 1])
    >>> tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([4., 4.], dtype=float32)
    """
    layout = data_format or "NHWC"
    rates = full_list(dilations, 2, channels_first(layout), "dilations")
    x, f = convert_to_tensor(input), convert_to_tensor(filter)
    if x.shape.rank is not None and x.shape.rank < 3:
        raise ValueError(f"depthwise_conv2d: `input` must have 4 dimensions, got shape {x.shape}.")
    return raw_ops.DepthwiseConv2dNative(
        x,
        f,
        strides=strides,
        dilations=rates,
        data_format=layout,
        name=name,
        **padding_attrs(padding),
    )


def depthwise_conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Any,
    padding: Padding,
    data_format: str = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` for its input of the shape `input_sizes`.

    >>> dy, f = tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.nn.depthwise_conv2d_backprop_input([1, 2, 2, 1], f, dy, [1] * 4, "VALID").numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    return raw_ops.DepthwiseConv2dNativeBackpropInput(
        input_sizes,
        filter,
        out_backprop,
        strides=_given("strides", strides),
        dilations=dilations,
        data_format=data_format,
        name=name,
        **padding_attrs(padding),
    )


def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Any,
    padding: Padding,
    data_format: str = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` for its filter of the shape `filter_sizes`.

    >>> x, dy = tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1])
    >>> df = tf.nn.depthwise_conv2d_backprop_filter(x, [2, 2, 1, 1], dy, [1] * 4, "VALID")
    >>> df.numpy().ravel()
    array([1., 1., 1., 1.], dtype=float32)
    """
    return raw_ops.DepthwiseConv2dNativeBackpropFilter(
        input,
        filter_sizes,
        out_backprop,
        strides=_given("strides", strides),
        dilations=dilations,
        data_format=data_format,
        name=name,
        **padding_attrs(padding),
    )


@scoped("separable_conv2d", last=True)
def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Any,
    padding: Padding,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """A depthwise convolution, and then one of 1x1 that mixes the channels.

    >>> x, d, p = tf.ones([1, 2, 2, 2]), tf.ones([2, 2, 2, 1]), tf.ones([1, 1, 2, 1])
    >>> tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([8.], dtype=float32)
    """
    layout = data_format or "NHWC"
    f = convert_to_tensor(pointwise_filter)
    dims = f.shape._dims
    if dims is not None and (
        len(dims) != 4 or dims[0] not in (None, 1) or dims[1] not in (None, 1)
    ):
        raise ValueError(
            f"separable_conv2d: `pointwise_filter` must be [1, 1, ...], got {f.shape}."
        )
    y = depthwise_conv2d(input, depthwise_filter, strides, padding, layout, dilations)
    return raw_ops.Conv2D(
        y, f, strides=(1, 1, 1, 1), padding="VALID", data_format=layout, name=name
    )
