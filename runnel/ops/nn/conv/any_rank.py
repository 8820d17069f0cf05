"""The op `Conv`: a convolution in two or three dimensions, with any number of batch dimensions."""

from __future__ import annotations

import math
from typing import Any

from runnel.core.op.op import op
from runnel.core.values.dtypes import FLOATS, int32
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.kernels.windows.correlation import correlate
from runnel.kernels.windows.windows import last, restored
from runnel.ops.nn.conv.ops import conv_dims, conv_window


def _how(
    rank: int, strides: tuple, padding: str, data_format: str, dilations: tuple, explicit: tuple
) -> dict[str, Any]:
    if rank not in (4, 5):
        raise bad_value("Conv", want="have 2 or 3 spatial dimensions", input_rank=rank)
    return {
        "strides": strides,
        "padding": padding,
        "data_format": data_format,
        "dilations": dilations or (1,) * rank,
        "explicit": explicit,
    }


def _rule(
    input: Spec,
    filter: Spec,
    *,
    strides: tuple,
    padding: str,
    explicit_paddings: tuple = (),
    data_format: str = "CHANNELS_LAST",
    dilations: tuple = (),
    batch_dims: int = 1,
    groups: int = 1,
) -> Dims:
    if input.dims is None:
        return None
    outer, inner = input.dims[:batch_dims], input.dims[batch_dims:]
    how = _how(len(inner) + 1, strides, padding, data_format, dilations, explicit_paddings)
    found = conv_dims("Conv", (1, *inner), filter.dims, len(inner) + 1, **how)
    return None if found is None else (*outer, *found[1:])


@op("Conv", "input: T, filter: T -> output: T", T=FLOATS | {int32}, shape=_rule, heavy=True)
def _conv(
    xp: Namespace,
    input: Array,
    filter: Array,
    *,
    strides: tuple,
    padding: str,
    explicit_paddings: tuple = (),
    data_format: str = "CHANNELS_LAST",
    dilations: tuple = (),
    batch_dims: int = 1,
    groups: int = 1,
) -> Array:
    outer, inner = input.shape[:batch_dims], input.shape[batch_dims:]
    x = input.reshape(math.prod(outer), *inner)
    how = _how(x.ndim, strides, padding, data_format, dilations, explicit_paddings)
    w, _ = conv_window("Conv", x.shape, filter.shape, **how)
    y = restored(xp, correlate(xp, last(xp, x, data_format), filter, w), data_format)
    return y.reshape(*outer, *y.shape[1:])
