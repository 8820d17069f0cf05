"""Small ops on shapes and rows that passes over graphs put there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.op.op import op
from runnel.core.settings.arguments import check_room
from runnel.core.values.dtypes import INDICES, DType
from runnel.core.values.errors import InvalidArgumentError, bad_shape, bad_value
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.kernels.arrays import scatter
from runnel.ops.shapes import same, scalar


def _check_formats(name: str, src_format: str, dst_format: str) -> None:
    """Both name the same dimensions, four or five."""
    for key, value in (("src_format", src_format), ("dst_format", dst_format)):
        if len(value) not in (4, 5):
            raise bad_value(name, want="name 4 or 5 dimensions", **{key: value})
    if sorted(src_format) != sorted(dst_format):
        raise bad_value(name, want=f"be an order of {src_format}", dst_format=dst_format)


def _check_dims(x: Array, *, src_format: str = "NHWC", dst_format: str = "NCHW") -> None:
    _check_formats("DataFormatDimMap", src_format, dst_format)


@op("DataFormatDimMap", "x: T -> y: T", T=INDICES, shape=same, check=_check_dims)
def _data_format_dim_map(
    xp: Namespace, x: Array, *, src_format: str = "NHWC", dst_format: str = "NCHW"
) -> Array:
    """Where the dimensions `x` of one layout are in the other."""
    places = np.array([dst_format.index(c) for c in src_format], x.dtype)
    count = np.asarray(len(places), x.dtype)
    return xp.take(xp.asarray(places), xp.where(x < 0, x + count, x), axis=0)


def _check_vector(x: Array, *, src_format: str = "NHWC", dst_format: str = "NCHW") -> None:
    name = "DataFormatVecPermute"
    _check_formats(name, src_format, dst_format)
    if x.ndim not in (1, 2):
        raise bad_shape(name, want="be a vector or a matrix", x=x)
    sizes = (len(src_format), len(src_format) - 2)
    if x.shape[0] not in sizes or (x.ndim == 2 and x.shape[1] != 2):
        raise bad_shape(name, want=f"have {sizes[0]} or {sizes[1]} rows (of two numbers)", x=x)


@op("DataFormatVecPermute", "x: T -> y: T", T=INDICES, shape=same, check=_check_vector)
def _data_format_vec_permute(
    xp: Namespace, x: Array, *, src_format: str = "NHWC", dst_format: str = "NCHW"
) -> Array:
    """The numbers of `x`, one for each dimension or for those of space, in the other order."""
    source, target = src_format, dst_format
    if x.shape[0] == len(src_format) - 2:
        source, target = (f.replace("N", "").replace("C", "") for f in (source, target))
    return xp.take(x, np.array([source.index(c) for c in target]), axis=0)


def _check_rows(name: str) -> Any:
    def check(x: Array, i: Array, v: Array) -> None:
        if v.ndim != x.ndim:
            raise bad_shape(name, want=f"have {x.ndim} dimensions", v=v)
        if i.ndim != 1:
            raise bad_shape(name, want="be a vector", i=i)
        if v.shape[1:] != x.shape[1:] or len(v) != len(i):
            raise bad_shape(name, want=f"have shape {(len(i), *x.shape[1:])}", v=v)

    return check


def _declare_row_op(name: str, how: str) -> None:
    @op(name, "x: T, i: int32, v: T -> y: T", shape=same, check=_check_rows(name))
    def _(xp: Namespace, x: Array, i: Array, v: Array) -> Array:
        rows = i % np.int32(x.shape[0] or 1)
        return scatter(xp, x, rows, -v if how == "sub" else v, "set" if how == "set" else "add")


_declare_row_op("InplaceUpdate", "set")
_declare_row_op("InplaceAdd", "add")
_declare_row_op("InplaceSub", "sub")


@op("ToBool", "input: T -> output: bool", shape=scalar)
def _to_bool(xp: Namespace, input: Array) -> Array:
    """Whether a number is not zero, a string not empty; of a tensor, whether it has elements."""
    if input.ndim:
        return np.asarray(math.prod(input.shape) > 0)
    if input.dtype == object:
        return np.asarray(len(input.item()) > 0)
    return input != np.zeros((), input.dtype)


def _declared_shape(*inputs: Spec, dtype: DType, shape: TensorShape) -> Dims:
    return None if shape.rank is None else tuple(d or 0 for d in shape.as_list())


@op("FakeParam", "-> output: dtype", shape=_declared_shape)
def _fake_param(xp: Namespace, *, dtype: DType, shape: TensorShape) -> Array:
    """A value that nobody reads, of which unknown sizes are 0."""
    dims = tuple(d or 0 for d in _declared_shape(dtype=dtype, shape=shape) or ())
    check_room("FakeParam", dims, dtype.size or 8)
    return xp.zeros(dims, dtype.np_dtype)


def _declare_copy(name: str) -> None:
    @op(name, "input: T -> output: T", shape=same, identity=True)
    def _(
        xp: Namespace, input: Array, *, tensor_name: str = "", debug_ops_spec: tuple[str, ...] = ()
    ) -> Array:
        if debug_ops_spec:
            message = f"{name}: `debug_ops_spec` must be empty, got {debug_ops_spec}: only a "
            raise InvalidArgumentError(None, None, message + f"session debugs. [Op:{name}]")
        return input


_declare_copy("Copy")
_declare_copy("CopyHost")


@op("ControlTrigger", "->", shape=lambda: [], host=True)
def _control_trigger(xp: Namespace) -> None:
    return None


@op("DeviceIndex", "-> index: int32", shape=scalar, stateful=True)
def _device_index(xp: Namespace, *, device_names: tuple[str, ...]) -> Array:
    """The place of this kind of device in the list; behind its end if it is not there."""
    places = {name: place for place, name in enumerate(device_names)}
    return np.int32(places.get("CPU", len(device_names)))
