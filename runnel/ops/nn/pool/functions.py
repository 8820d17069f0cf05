"""The public pooling functions of `tf.nn`, in terms of the pooling ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.tensor.convert import unread
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import float32, int32, int64
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.kernels.windows.windows import channels_first
from runnel.ops.array.joining import unstack
from runnel.ops.nn.conv.functions import full_list, padding_attrs


def _lists(ksize: Any, strides: Any, rank: int, first: bool) -> dict[str, Any]:
    return {
        "ksize": full_list(ksize, rank, first, "ksize"),
        "strides": full_list(strides, rank, first, "strides"),
    }


def _rank(x: Tensor, data_format: str | None, what: str) -> int:
    """The number of spatial dimensions, from the rank of the input or from the format."""
    if x.shape.rank is not None:
        rank = x.shape.rank - 2
    elif data_format is not None:
        rank = len(data_format) - 2
    else:
        raise ValueError(f"{what}: `input` of unknown rank needs a `data_format`.")
    if not 1 <= rank <= 3:
        raise ValueError(f"{what}: `input` must have 3, 4 or 5 dimensions, got {rank + 2}.")
    return rank


def max_pool(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest element of each window, in 1, 2 or 3 spatial dimensions.

    >>> x = tf.reshape(tf.range(4.0), [1, 4, 1])
    >>> tf.nn.max_pool(x, ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([1., 3.], dtype=float32)
    """
    x = unread(input, dtype_hint=float32)
    rank = _rank(x, data_format, "max_pool")
    first = data_format is not None and data_format.startswith("NC")
    layout = (("NWC", "NHWC", "NDHWC"), ("NCW", "NCHW", "NCDHW"))[first][rank - 1]
    run = (max_pool1d, max_pool2d, max_pool3d)[rank - 1]
    return run(x, ksize, strides, padding, layout, name)


@scoped("MaxPool1d", last=True)
def max_pool1d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of `[batch, width, channels]`.

    >>> tf.nn.max_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID").numpy().ravel()
    array([3., 3.], dtype=float32)
    """
    return _pool1d(max_pool2d, input, ksize, strides, padding, data_format, name)


def _pool1d(
    run: Callable[..., Tensor],
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str,
    name: str | None,
) -> Tensor:
    first = channels_first(data_format or "NWC")
    axis = 2 if first else 1
    if isinstance(padding, list | tuple):
        padding = [*padding[:axis], [0, 0], *padding[axis:]]
    lists = _lists(ksize, strides, 1, first)
    tall = ((*v[:axis], 1, *v[axis:]) for v in lists.values())
    x = raw_ops.ExpandDims(unread(input), np.int32(axis))
    y = run(x, *tall, padding, "NCHW" if first else "NHWC", name)
    return raw_ops.Squeeze(y, axis=(axis,))


def max_pool2d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of `[batch, height, width, channels]`.

    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.max_pool2d(x, 2, 2, "VALID").numpy().reshape(2, 2)
    array([[ 5.,  7.],
           [13., 15.]], dtype=float32)
    """
    layout = data_format or "NHWC"
    lists = _lists(ksize, strides, 2, channels_first(layout))
    x = unread(input, dtype_hint="float32")
    return raw_ops.MaxPool(
        x, data_format=layout, name=name or "MaxPool2d", **lists, **padding_attrs(padding)
    )


def max_pool3d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of `[batch, depth, height, width, channels]`.

    >>> tf.nn.max_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 2, "VALID").shape
    TensorShape([1, 1, 1, 1, 1])
    """
    layout = data_format or "NDHWC"
    lists = _lists(ksize, strides, 3, channels_first(layout))
    return raw_ops.MaxPool3D(
        input, padding=_plain(padding, "max_pool3d"), data_format=layout, name=name, **lists
    )


def _plain(padding: Any, what: str) -> str:
    if isinstance(padding, list | tuple):
        raise ValueError(f"{what}: `padding` must be 'SAME' or 'VALID', got {padding!r}.")
    if not isinstance(padding, str | bytes):
        raise TypeError(f"{what}: `padding` must be 'SAME' or 'VALID', got {padding!r}.")
    return str(padding_attrs(padding)["padding"])


def max_pool_with_argmax(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: DTypeLike = int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The largest element of each window and where it is in the flattened image.

    >>> x = tf.constant([[[[1.0], [5.0]], [[2.0], [3.0]]]])
    >>> [t.numpy().ravel().tolist() for t in tf.nn.max_pool_with_argmax(x, 2, 2, "VALID")]
    [[5.0], [1]]
    """
    if data_format != "NHWC":
        raise ValueError(
            f"max_pool_with_argmax: `data_format` must be 'NHWC', got {data_format!r}."
        )
    return raw_ops.MaxPoolWithArgmax(
        input,
        padding=_plain(padding, "max_pool_with_argmax"),
        Targmax=output_dtype,
        include_batch_in_index=include_batch_in_index,
        name=name,
        **_lists(ksize, strides, 2, False),
    )


def avg_pool(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The average of each window, without padding, in 1, 2 or 3 spatial dimensions.

    >>> x = tf.reshape(tf.range(3.0), [1, 3, 1])
    >>> tf.nn.avg_pool(x, ksize=2, strides=2, padding="SAME").numpy().ravel()
    array([0.5, 2. ], dtype=float32)
    """
    x = unread(input)
    rank = _rank(x, data_format, "avg_pool")
    first = data_format is not None and data_format.startswith("NC")
    layout = (("NWC", "NHWC", "NDHWC"), ("NCW", "NCHW", "NCDHW"))[first][rank - 1]
    run = (avg_pool1d, avg_pool2d, avg_pool3d)[rank - 1]
    return run(x, ksize, strides, padding, layout, name or "AvgPool")


@scoped("AvgPool1D", last=True)
def avg_pool1d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The average of each window of `[batch, width, channels]`.

    >>> tf.nn.avg_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID").numpy().ravel()
    array([2. , 2.5], dtype=float32)
    """
    return _pool1d(avg_pool2d, input, ksize, strides, padding, data_format, name)


def avg_pool2d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The average of each window of `[batch, height, width, channels]`.

    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.avg_pool2d(x, 2, 2, "VALID").numpy().reshape(2, 2)
    array([[ 2.5,  4.5],
           [10.5, 12.5]], dtype=float32)
    """
    layout = data_format or "NHWC"
    lists = _lists(ksize, strides, 2, channels_first(layout))
    return raw_ops.AvgPool(
        input,
        padding=_plain(padding, "avg_pool2d"),
        data_format=layout,
        name=name or "AvgPool2D",
        **lists,
    )


def avg_pool3d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The average of each window of `[batch, depth, height, width, channels]`.

    >>> tf.nn.avg_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().ravel()
    array([1.], dtype=float32)
    """
    layout = data_format or "NDHWC"
    lists = _lists(ksize, strides, 3, channels_first(layout))
    return raw_ops.AvgPool3D(
        input, padding=_plain(padding, "avg_pool3d"), data_format=layout, name=name, **lists
    )


@scoped("pool")
def pool(
    input: TensorLike,
    window_shape: Sequence[int],
    pooling_type: str,
    strides: Sequence[int] | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """`max_pool` or `avg_pool`, by name, with windows that may have holes.

    >>> x = tf.reshape(tf.range(4.0), [1, 4, 1])
    >>> tf.nn.pool(x, [2], "MAX", dilations=[2]).numpy().ravel()
    array([2., 3.], dtype=float32)
    """
    if not isinstance(window_shape, Sequence | np.ndarray):
        raise TypeError(f"pool: `window_shape` must be a list, got {window_shape!r}.")
    rank = len(window_shape)
    if not 1 <= rank <= 3:
        raise ValueError(f"pool: `window_shape` must have 1 to 3 elements, got {window_shape!r}.")
    steps = [1] * rank if strides is None else list(strides)
    rates = [1] * rank if dilations is None else list(dilations)
    for key, values in (("strides", steps), ("dilations", rates)):
        if len(values) != rank or any(v < 1 for v in values):
            raise ValueError(f"pool: `{key}` must be {rank} positive numbers, got {values!r}.")
    if any(s > 1 for s in steps) and any(r > 1 for r in rates):
        raise ValueError(f"pool: strides > 1 with dilations > 1: {strides!r} and {dilations!r}.")
    if padding == "SAME" and any(r > 1 for r in rates):
        raise ValueError(f"pool: 'SAME' padding with dilations > 1 is not supported: {rates!r}.")
    kinds = {"MAX": max_pool, "AVG": avg_pool}
    if pooling_type not in kinds:
        raise ValueError(f"pool: `pooling_type` must be 'MAX' or 'AVG', got {pooling_type!r}.")
    x = convert_to_tensor(input)
    if x.shape.rank is not None and x.shape.rank != rank + 2:
        raise ValueError(f"pool: `input` must have {rank + 2} dimensions, got {x.shape}.")
    if any(step > size for step, size in zip(steps, window_shape)):
        want = f"not exceed `window_shape` {window_shape!r}"
        raise ValueError(f"pool: `strides` must {want}, got {steps!r}.")
    if x.shape.rank is None:
        x = raw_ops.EnsureShape(x, shape=TensorShape([None] * (rank + 2)))
    first = data_format is not None and data_format.startswith("NC")

    def run(y: Tensor, _: Any, how: str) -> Tensor:
        return kinds[pooling_type](y, window_shape, steps, how, data_format, name)

    spatial = range(2, rank + 2) if first else range(1, rank + 1)
    return with_space_to_batch(x, rates, padding, run, window_shape, list(spatial), data_format)


def with_space_to_batch(
    input: TensorLike,
    dilation_rate: TensorLike,
    padding: str,
    op: Callable[..., Tensor],
    filter_shape: TensorLike | None = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Tensor:
    """`op` with holes in its windows, by dealing the input out over the batch and back.

    `op(input, number of spatial dimensions, padding)` is called with dense input.

    >>> x = tf.reshape(tf.range(4.0), [1, 4, 1])
    >>> pair = lambda x, *_: x[:, :-1] + x[:, 1:]
    >>> tf.nn.with_space_to_batch(x, [2], "VALID", pair).numpy().ravel()
    array([2., 4.], dtype=float32)
    """
    x = convert_to_tensor(input)
    given = convert_to_tensor(dilation_rate, dtype="int32")
    known = constant_value(given)
    rates: list[Any] = list(map(int, np.ravel(known))) if known is not None else unstack(given)
    count = len(rates)
    if spatial_dims is None:
        start = 2 if data_format is not None and channels_first(data_format) else 1
        spatial_dims = list(range(start, start + count))
    if known is not None and (known < 1).any():
        raise ValueError(f"with_space_to_batch: `dilation_rate` must be positive, got {rates!r}.")
    if known is not None and (known == 1).all():
        return op(x, count, padding)
    if padding not in ("SAME", "VALID"):
        raise ValueError(
            f"with_space_to_batch: `padding` must be 'SAME' or 'VALID', got {padding!r}."
        )
    base: list[tuple[Any, Any]] = [(0, 0)] * count
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError("with_space_to_batch: SAME padding needs `filter_shape`.")
        reaches = [int(n) - 1 for n in np.ravel(filter_shape)[:count]]
        extra = [reach * rate for reach, rate in zip(reaches, rates, strict=True)]
        base = [(more // 2, more - more // 2) for more in extra]
    return _dealt(x, rates, base, op, list(spatial_dims))


def _dealt(
    x: Tensor,
    rates: list[Any],
    base: list[tuple[Any, Any]],
    op: Callable[..., Tensor],
    dims: list[int],
) -> Tensor:
    """Space to batch over the dimensions up to the last spatial one, `op`, and back."""
    reach = dims[-1]
    block: list[Any] = [1] * reach
    pads: list[Any] = [[0, 0]] * reach
    crops: list[Any] = [[0, 0]] * reach
    for place, rate, (before, after) in zip(dims, rates, base, strict=True):
        size = x.shape[place] if x.ndim is not None else None
        if size is None:
            size = raw_ops.Shape(x)[place]
        over = -(size + before + after) % rate
        block[place - 1] = rate
        pads[place - 1] = [before, after + over]
        crops[place - 1] = [0, over]
    blocks, padding, cropping = (convert_to_tensor(v, int32) for v in (block, pads, crops))
    y = op(raw_ops.SpaceToBatchND(x, blocks, padding), len(dims), "VALID")
    return raw_ops.BatchToSpaceND(y, blocks, cropping)
