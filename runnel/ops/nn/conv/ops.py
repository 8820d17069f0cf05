"""The convolution ops and their gradients."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.tensor.vectors import shape_tensor
from runnel.core.values.dtypes import FLOATS, DType, int32, int64
from runnel.core.values.errors import UnimplementedError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.kernels.windows.correlation import correlate, correlate_filter, correlate_input
from runnel.kernels.windows.windows import (
    Window,
    channels_first,
    laid_out,
    last,
    make_window,
    pairs,
    restored,
    spatial,
    window,
)
from runnel.ops.choices import LAYOUT, LAYOUT_3D, PADDING, PADDING_OR_PAIRS, at_least
from runnel.ops.shapes import shapes_of

_FORMATS = ("NHWC", "NCHW", "NDHWC", "NCDHW", "CHANNELS_LAST", "CHANNELS_FIRST")
_KNOWN_LIMITS = ("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter")  # UnimplementedError


def _check_lists(name: str, rank: int, strides: Sequence[int], dilations: Sequence[int]) -> None:
    if len(strides) != rank:
        raise bad_value(name, want=f"have {rank} elements", strides=tuple(strides))
    if len(dilations) != rank:
        raise bad_value(name, want=f"have {rank} elements", dilations=tuple(dilations))


def not_implemented(name: str, what: str) -> Exception:
    """The error for a request that TensorFlow knows but does not serve."""
    return UnimplementedError(None, None, f"{name} does not support {what}. [Op:{name}]")


def _check_outer(name: str, data_format: str, **lists: Sequence[int]) -> None:
    """Batch and channels take no strides and no dilations."""
    for key, values in lists.items():
        channels = 1 if channels_first(data_format) else len(values) - 1
        if values[0] != 1 or values[channels] != 1:
            if name not in _KNOWN_LIMITS:
                raise bad_value(name, want="be 1 for batch and channels", **{key: tuple(values)})
            raise not_implemented(name, f"{key} other than 1 for batch or channels: {values}")


def _channels(dims: Sequence[Any], data_format: str) -> Any:
    return dims[1] if channels_first(data_format) else dims[-1]


def conv_dims(
    name: str,
    input: Dims,
    filter: Dims,
    rank: int,
    strides: Sequence[int],
    padding: str,
    data_format: str,
    dilations: Sequence[int],
    explicit: Sequence[int] = (),
) -> Dims:
    """The dimensions of a convolution's output."""
    _check_lists(name, rank, strides, dilations)
    if data_format not in _FORMATS:
        raise bad_value(name, want=f"be one of {', '.join(_FORMATS)}", data_format=data_format)
    _check_outer(name, data_format, strides=strides, dilations=dilations)
    if input is not None and len(input) != rank:
        raise bad_shape(name, want=f"have {rank} dimensions", input=Shaped(input))
    if filter is not None and len(filter) != rank:
        raise bad_shape(name, want=f"have {rank} dimensions", filter=Shaped(filter))
    x = input if input is not None else (None,) * rank
    f = filter if filter is not None else (None,) * rank
    if 0 in f[:-2]:
        raise bad_shape(name, want="have a window of some size", filter=Shaped(f))
    have, want = _channels(x, data_format), f[-2]
    if have == 0 or want == 0:
        raise bad_shape(name, want="have channels", input=Shaped(x))
    if have is not None and want is not None and (want == 0 or have % want):
        said = f"have channels that divide the {have} of `input` of shape {x}"
        raise bad_shape(name, want=said, filter=Shaped(f))
    if have and want and f[-1] is not None and f[-1] % (have // want):
        said = f"have outputs that the {have // want} groups divide"
        raise bad_shape(name, want=said, filter=Shaped(f))
    out, _ = window(
        name,
        spatial(x, data_format),
        f[:-2],
        spatial(strides, data_format),
        padding,
        spatial(dilations, data_format),
        pairs(explicit, data_format),
    )
    return laid_out(x[0], out, f[-1], data_format)


class Shaped:
    """Dimensions to be described in an error."""

    def __init__(self, dims: Sequence[int | None]) -> None:
        self.shape = tuple(dims)


@functools.lru_cache(4096)
def conv_window(
    name: str,
    input: tuple[int, ...],
    filter: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    data_format: str,
    dilations: tuple[int, ...],
    explicit: tuple[int, ...] = (),
) -> tuple[Window, Dims]:
    """Where the windows of a convolution lie, and the shape of its output, for shapes that fit."""
    args = (strides, padding, data_format, dilations, explicit)
    dims = conv_dims(name, input, filter, len(strides), *args)
    w = make_window(
        name,
        spatial(input, data_format),
        filter[:-2],
        spatial(strides, data_format),
        padding,
        spatial(dilations, data_format),
        pairs(explicit, data_format),
    )
    return w, dims


def _convolve(xp: Namespace, name: str, x: Array, f: Array, **how: Any) -> Array:
    layout = how["data_format"]
    w, dims = conv_window(name, x.shape, f.shape, **how)
    if dims is not None and 0 in dims:  # no filters, or no images
        return xp.zeros(dims, x.dtype)
    return restored(xp, correlate(xp, last(xp, x, layout), f, w), layout)


def full_sizes(sizes: np.ndarray, dy: Array, filter: Array, data_format: str) -> tuple[int, ...]:
    """The shape of the input; where it says the spatial part alone, the rest is added."""
    if sizes.ndim != 1:
        raise bad_shape("ConvBackpropInput", want="be a vector", input_sizes=sizes)
    given = tuple(sizes.tolist())
    if len(given) == dy.ndim:
        return given
    dims = laid_out(dy.shape[0], given, filter.shape[-2], data_format)
    assert dims is not None
    return dims  # type: ignore[return-value]


def backprop_window(
    name: str, sizes: tuple[int, ...], f: tuple[int, ...], dy: Array, **how: Any
) -> Window:
    """Where the windows lie, after a check of the shape of the gradient that arrives."""
    w, want = conv_window(name, sizes, f, **how)
    if dy.shape != want:
        raise bad_shape(name, want=f"have shape {want}", out_backprop=dy)
    return w


def _backprop_input(
    xp: Namespace, name: str, sizes: np.ndarray, f: Array, dy: Array, **how: Any
) -> Array:
    layout = how["data_format"]
    shape = full_sizes(sizes, dy, f, layout)
    w = backprop_window(name, shape, f.shape, dy, **how)
    channels = _channels(shape, layout)
    return restored(xp, correlate_input(xp, f, last(xp, dy, layout), w, channels), layout)


def _backprop_filter(
    xp: Namespace, name: str, x: Array, sizes: np.ndarray, dy: Array, **how: Any
) -> Array:
    layout = how["data_format"]
    if sizes.ndim != 1:
        raise bad_shape(name, want="be a vector", filter_sizes=sizes)
    shape = tuple(sizes.tolist())
    if len(shape) != x.ndim:
        raise bad_value(name, want=f"have {x.ndim} elements", filter_sizes=shape)
    w = backprop_window(name, x.shape, shape, dy, **how)
    return correlate_filter(xp, last(xp, x, layout), last(xp, dy, layout), w, shape)


def sizes_shape(rank: int, place: int) -> Any:
    """The rule of an op whose output has the shape that its input `place` holds."""

    def rule(*inputs: Spec, **attrs: Any) -> Dims:
        given = inputs[place]
        if given.value is not None and given.value.size == rank:
            return tuple(np.ravel(given.value).tolist())
        if given.value is not None and place == 0:  # the spatial part alone
            _, f, dy = (spec.dims or (None,) * rank for spec in inputs)
            sizes = np.ravel(given.value).tolist()
            return laid_out(dy[0], sizes, f[-2], attrs["data_format"])
        if given.partial is not None and len(given.partial) == rank:
            found = given.partial
        else:
            found = (None,) * rank
        rows = inputs[2].dims[0] if place == 0 and inputs[2].dims else None  # of a gradient
        return (found[0] if rows is None else rows, *found[1:])

    return rule


def attributes_2d(
    *,
    strides: tuple,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: tuple = (),
    data_format: str = "NHWC",
    dilations: tuple = (1, 1, 1, 1),
) -> None:
    """The attributes of convolutions in two dimensions."""


def _attributes_3d(
    *,
    strides: tuple,
    padding: str,
    data_format: str = "NDHWC",
    dilations: tuple = (1, 1, 1, 1, 1),
) -> None:
    """The attributes of convolutions in three dimensions."""


def with_attributes(attributes: Callable[..., None]) -> Callable[[Any], Any]:
    """Let a kernel that takes any keywords have those of `attributes`."""

    def decorate(kernel: Any) -> Any:
        kernel.__signature__ = inspect.signature(attributes)
        return kernel

    return decorate


def _placed(
    strides: tuple,
    padding: str,
    data_format: str,
    dilations: tuple,
    explicit_paddings: tuple = (),
    use_cudnn_on_gpu: bool = True,
) -> dict[str, Any]:
    """The attributes that say where the windows lie."""
    return {
        "strides": strides,
        "padding": padding,
        "data_format": data_format,
        "dilations": dilations,
        "explicit": explicit_paddings,
    }


def _declare(
    forward: str,
    by_input: str,
    by_filter: str,
    attributes: Callable[..., None],
    T: frozenset[DType],
    sizes: str,
    **options: Any,
) -> None:
    """A convolution, and the ops of its gradients; `sizes` is the dtype of an input's shape."""
    defaults = inspect.signature(attributes).parameters
    rank = len(defaults["dilations"].default)
    known: dict[str, Any] = {"padding": PADDING, "data_format": LAYOUT_3D, "strides": at_least(5)}
    if rank == 4:
        known = {"padding": PADDING_OR_PAIRS, "data_format": LAYOUT}

    def shape(input: Spec, filter: Spec, **attrs: Any) -> Dims:
        return conv_dims(forward, input.dims, filter.dims, rank, **_placed(**attrs))

    @op(forward, "input: T, filter: T -> output: T", T=T, shape=shape, heavy=True)
    @with_attributes(attributes)
    def convolve(xp: Namespace, input: Array, filter: Array, **how: Any) -> Array:
        return _convolve(xp, forward, input, filter, **_placed(**how))

    @op(
        by_input,
        f"input_sizes: {sizes}[1], filter: T, out_backprop: T -> output: T",
        T=T,
        static=("input_sizes",),
        shape=sizes_shape(rank, 0),
        heavy=True,
        **known,
        **options,
    )
    @with_attributes(attributes)
    def backprop_input(
        xp: Namespace, input_sizes: np.ndarray, filter: Array, out_backprop: Array, **how: Any
    ) -> Array:
        return _backprop_input(xp, by_input, input_sizes, filter, out_backprop, **_placed(**how))

    @op(
        by_filter,
        "input: T, filter_sizes: int32[1], out_backprop: T -> output: T",
        T=T - {int32},
        static=("filter_sizes",),
        shape=sizes_shape(rank, 1),
        heavy=True,
        **known,
    )
    @with_attributes(attributes)
    def backprop_filter(
        xp: Namespace, input: Array, filter_sizes: np.ndarray, out_backprop: Array, **how: Any
    ) -> Array:
        return _backprop_filter(xp, by_filter, input, filter_sizes, out_backprop, **_placed(**how))

    names = [name for name in defaults if name != "use_cudnn_on_gpu"]
    register_gradients(forward, by_input, by_filter, names, shapes_of)


def register_gradients(
    forward: str,
    by_input: str,
    by_filter: str,
    names: Sequence[str],
    shapes: Callable[[Tensor, Tensor], Sequence[Tensor]],
) -> None:
    """The gradients of a convolution, and those of its gradients: the three make each other's."""

    def how(op: Any) -> dict[str, Any]:
        return {name: op.attrs[name] for name in names}

    @RegisterGradient(forward, needs="input filter")
    def gradient(op: Any, dy: Tensor) -> Gradients:
        x, f = op.inputs
        dims, sizes = shapes(x, f)
        dx = getattr(raw_ops, by_input)(dims, f, dy, **how(op))
        return dx, getattr(raw_ops, by_filter)(x, sizes, dy, **how(op))

    @RegisterGradient(by_input, needs="filter out_backprop")
    def input_gradient(op: Any, ddx: Tensor) -> Gradients:
        _, f, dy = op.inputs
        df = getattr(raw_ops, by_filter)(ddx, shape_tensor(f), dy, **how(op))
        return None, df, getattr(raw_ops, forward)(ddx, f, **how(op))

    @RegisterGradient(by_filter, needs="input out_backprop")
    def filter_gradient(op: Any, ddf: Tensor) -> Gradients:
        x, _, dy = op.inputs
        dx = getattr(raw_ops, by_input)(shape_tensor(x), ddf, dy, **how(op))
        return dx, None, getattr(raw_ops, forward)(x, ddf, **how(op))


_declare(
    "Conv2D",
    "Conv2DBackpropInput",
    "Conv2DBackpropFilter",
    attributes_2d,
    T=FLOATS | {int32},
    sizes="int32",
)
_declare(
    "Conv3D",
    "Conv3DBackpropInputV2",
    "Conv3DBackpropFilterV2",
    _attributes_3d,
    T=FLOATS,
    sizes="Tshape",
    Tshape=frozenset({int32, int64}),
)
