"""Operations of XLA as ops, which models that came from JAX hold.

How precise a product has to be (`precision_config`), and where parts of a tensor lie (`sharding`),
is for other devices: a processor computes in full, and has all of a tensor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.backend.jax import lax
from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values.dtypes import (
    FLOATS,
    INDICES,
    NUMERIC,
    REAL,
    DType,
    bfloat16,
    complex64,
    float32,
)
from runnel.core.values.dtypes import bool as boolean
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Gradients, Namespace
from runnel.ops.shapes import same


def _numbers(message: str) -> dict[int, list[int]]:
    """The whole numbers in a serialized message, by their field; one may be packed or not."""
    data, place = message.encode("utf-8", "surrogateescape"), 0
    found: dict[int, list[int]] = {}

    def number() -> int:
        nonlocal place
        value = shift = 0
        while True:
            if place >= len(data):
                raise ValueError("the dimension numbers are cut off")
            byte = data[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(data):
        tag = number()
        values = found.setdefault(tag >> 3, [])
        if tag & 7 == 0:
            values.append(number())
        elif tag & 7 == 2:
            end = number() + place
            while place < end:
                values.append(number())
        else:
            raise ValueError("dimension numbers are whole numbers")
    return found


@op("XlaSharding", "input: T -> output: T", shape=same, identity=True)
def _sharding(
    xp: Namespace, input: Array, *, sharding: str = "", unspecified_dims: tuple = ()
) -> Array:
    return input


@RegisterGradient("XlaSharding", needs="")
def _sharding_grad(op: Any, dy: Tensor) -> Gradients:
    how = {key: op.attrs[key] for key in ("sharding", "unspecified_dims")}
    return raw_ops.XlaSharding(dy, **how)  # type: ignore[no-any-return]


@op("XlaOptimizationBarrier", "input: *T -> output: *T", identity=True)
def _optimization_barrier(xp: Namespace, input: list[Array]) -> list[list[Array]]:
    return [input]


def _dot(lhs: Array, rhs: Array, dimension_numbers: str, dtype: Any) -> Array:
    fields = _numbers(dimension_numbers)
    contracting, batch = (
        tuple(tuple(fields.get(field, ())) for field in pair) for pair in ((1, 2), (3, 4))
    )
    return lax.dot_general(lhs, rhs, (contracting, batch), preferred_element_type=dtype)


@op("XlaDot", "lhs: T, rhs: T -> output: T", T=NUMERIC, xla=True)
def _xla_dot(
    xp: Namespace, lhs: Array, rhs: Array, *, dimension_numbers: str, precision_config: str
) -> Array:
    return _dot(lhs, rhs, dimension_numbers, lhs.dtype)


@op(
    "XlaDotV2",
    "lhs: LhsT, rhs: RhsT -> output: preferred_element_type",
    LhsT=NUMERIC,
    RhsT=NUMERIC,
    preferred_element_type=NUMERIC,
    xla=True,
)
def _xla_dot_v2(
    xp: Namespace,
    lhs: Array,
    rhs: Array,
    *,
    dimension_numbers: str,
    precision_config: str,
    preferred_element_type: DType,
) -> Array:
    return _dot(lhs, rhs, dimension_numbers, preferred_element_type.np_dtype)


@op("XlaEinsum", "a: T, b: T -> product: T", T=frozenset({complex64, bfloat16, float32}))
def _xla_einsum(xp: Namespace, a: Array, b: Array, *, equation: str) -> Array:
    return raw_ops.Einsum.kernel(xp, [a, b], equation=equation)  # type: ignore[no-any-return]


@RegisterGradient("XlaEinsum")
def _xla_einsum_grad(op: Any, dy: Tensor) -> Gradients:
    equation = op.attrs["equation"]
    left, _, out = equation.partition("->")
    first, second = left.split(",")
    da = raw_ops.XlaEinsum(dy, op.inputs[1], equation=f"{out},{second}->{first}")
    db = raw_ops.XlaEinsum(dy, op.inputs[0], equation=f"{out},{first}->{second}")
    return da, db


@op(
    "XlaGather",
    "operand: T, start_indices: Tindices, slice_sizes: Tindices -> output: T",
    T=NUMERIC | {boolean},
    Tindices=INDICES,
    static=("slice_sizes",),
    xla=True,
)
def _xla_gather(
    xp: Namespace,
    operand: Array,
    start_indices: Array,
    slice_sizes: np.ndarray,
    *,
    dimension_numbers: str,
    indices_are_sorted: bool,
) -> Array:
    fields = {key: tuple(values) for key, values in _numbers(dimension_numbers).items()}
    vector = fields.get(4, (0,))[0]
    index = start_indices if vector < start_indices.ndim else start_indices[..., None]
    numbers = lax.GatherDimensionNumbers(
        offset_dims=fields.get(1, ()),
        collapsed_slice_dims=fields.get(2, ()),
        start_index_map=fields.get(3, ()),
        operand_batching_dims=fields.get(5, ()),
        start_indices_batching_dims=fields.get(6, ()),
    )
    return lax.gather(
        operand,
        xp.moveaxis(index, vector, -1),
        numbers,
        tuple(np.asarray(slice_sizes).tolist()),
        indices_are_sorted=indices_are_sorted,
        mode="clip",
    )


@op(
    "XlaPad",
    "input: T, padding_value: T, padding_low: Tindices, padding_high: Tindices, "
    "padding_interior: Tindices -> output: T",
    Tindices=INDICES,
    static=("padding_low", "padding_high", "padding_interior"),
    xla=True,
)
def _xla_pad(
    xp: Namespace,
    input: Array,
    padding_value: Array,
    padding_low: np.ndarray,
    padding_high: np.ndarray,
    padding_interior: np.ndarray,
) -> Array:
    sizes = zip(*(np.asarray(p).tolist() for p in (padding_low, padding_high, padding_interior)))
    return lax.pad(input, padding_value, list(sizes))


def _start(op_name: str, xp: Namespace, indices: Array, input: Array) -> list[Array]:
    """Where a slice begins: at 0 at least, while JAX would count from the end."""
    if indices.shape != (input.ndim,):
        want = f"have shape ({input.ndim},), a number for each dimension"
        raise bad_shape(op_name, want=want, start_indices=indices)
    least = xp.maximum(indices, xp.zeros((), indices.dtype))
    return [least[axis] for axis in range(input.ndim)]


@op(
    "XlaDynamicSlice",
    "input: T, start_indices: Tindices, size_indices: Tindices -> output: T",
    Tindices=INDICES,
    static=("size_indices",),
    xla=True,
)
def _xla_dynamic_slice(
    xp: Namespace, input: Array, start_indices: Array, size_indices: np.ndarray
) -> Array:
    start = _start("XlaDynamicSlice", xp, start_indices, input)
    return lax.dynamic_slice(input, start, np.asarray(size_indices).tolist())


@op(
    "XlaDynamicUpdateSlice",
    "input: T, update: T, indices: Tindices -> output: T",
    Tindices=INDICES,
    shape=same,
    xla=True,
)
def _xla_dynamic_update_slice(xp: Namespace, input: Array, update: Array, indices: Array) -> Array:
    start = _start("XlaDynamicUpdateSlice", xp, indices, input)
    return lax.dynamic_update_slice(input, update, start)


@op("XlaSort", "input: T -> output: T", shape=same, xla=True)
def _xla_sort(xp: Namespace, input: Array) -> Array:
    return lax.sort(input)


@op(
    "XlaKeyValueSort",
    "keys: K, values: V -> sorted_keys: K, sorted_values: V",
    K=REAL,
    shape=lambda keys, values: [keys.dims, values.dims],
    xla=True,
)
def _xla_key_value_sort(xp: Namespace, keys: Array, values: Array) -> tuple[Array, Array]:
    return lax.sort((keys, values), num_keys=1)  # type: ignore[no-any-return]


@op("XlaReducePrecision", "operand: T -> output: T", T=FLOATS, shape=same, xla=True)
def _xla_reduce_precision(
    xp: Namespace, operand: Array, *, exponent_bits: int, mantissa_bits: int
) -> Array:
    return lax.reduce_precision(operand, exponent_bits, mantissa_bits)
