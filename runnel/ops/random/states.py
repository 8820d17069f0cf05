"""The ops on the state of a `tf.random.Generator`, a variable: they draw numbers and move it on."""

from __future__ import annotations

import math
import secrets
from typing import Any

import numpy as np

from runnel.core.op.op import op
from runnel.core.values.dtypes import DType, float32, int64, uint64
from runnel.core.values.errors import UnimplementedError, bad_shape, invalid
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.kernels.random import bits, philox, rejection, threefry
from runnel.kernels.random.seeds import COUNTER_SIZES, Algorithm
from runnel.ops.array.shaping import WIDE
from runnel.ops.random.stateful import COUNTED, REJECTED
from runnel.ops.random.streams import (
    ANY_SEEDS,
    STATE_SIZE,
    Stream,
    bounded_int,
    check_parameter,
    drawn,
    drawn_from_state,
    full_int,
    maker,
    sizes,
)

_FROM_STATE = "resource: resource, algorithm: int64, shape: shape_dtype"
THREEFRY_STATE_SIZE = COUNTER_SIZES[Algorithm.THREEFRY] + 1
Drawn = tuple[Array, Array]  # the numbers and the new state


def _source(op_name: str, xp: Namespace, state: Array, algorithm: Array) -> tuple[Any, Stream]:
    """What makes the numbers, `random_bits` or `threefry`, and the stream where the state is."""
    made = maker(op_name, algorithm)
    size = STATE_SIZE if made is bits else THREEFRY_STATE_SIZE
    if state.dtype != np.int64 or len(state.shape) != 1 or state.shape[0] < size:
        message = f"{op_name}: the state must be an int64 vector of at least {size} elements"
        raise invalid(f"{message}, got {state.dtype}{state.shape}. [Op:{op_name}]")
    return made, (philox if made is bits else threefry).from_state(xp, state)


def _philox_stream(op_name: str, state: Array, algorithm: Array) -> Stream:
    made, stream = _source(op_name, np, state, algorithm)
    if made is threefry:
        message = f'{op_name}: ThreeFry is not supported here; use "philox". [Op:{op_name}]'
        raise UnimplementedError(None, None, message)
    return stream


def _advanced(xp: Namespace, made: Any, state: Array, outputs: Any) -> Array:
    """The state after `outputs` numbers."""
    return (philox if made is bits else threefry).advance(xp, state, outputs)


_FROM_GENERATOR: Any = {
    "shape": drawn_from_state,
    "state": "exchange",
    "static": ("algorithm", "shape"),
}


def _declare(name: str, distribution: str) -> None:
    """An op that fills a shape with floats of one distribution."""

    @op(name, f"{_FROM_STATE} -> output: dtype", shape_dtype=WIDE, **_FROM_GENERATOR)
    def _draw(
        xp: Namespace, state: Array, algorithm: Array, shape: Array, *, dtype: DType = float32
    ) -> Drawn:
        dims = sizes(name, shape)
        made, stream = _source(name, xp, state, algorithm)
        numbers = getattr(made, distribution)(xp, *stream, dims, dtype.np_dtype)
        return numbers, _advanced(xp, made, state, math.prod(dims))


for _name, _distribution in (
    ("StatefulUniform", "uniform"),
    ("StatefulStandardNormalV2", "normal"),
    ("StatefulTruncatedNormal", "truncated_normal"),
):
    _declare(_name, _distribution)


@op(
    "StatefulUniformFullInt", f"{_FROM_STATE} -> output: dtype", shape_dtype=WIDE, **_FROM_GENERATOR
)
def _full_int(
    xp: Namespace, state: Array, algorithm: Array, shape: Array, *, dtype: DType = uint64
) -> Drawn:
    name = "StatefulUniformFullInt"
    dims = sizes(name, shape)
    made, stream = _source(name, xp, state, algorithm)
    numbers = full_int(name, xp, stream, dims, dtype, made)
    return numbers, _advanced(xp, made, state, math.prod(dims))


@op(
    "StatefulUniformInt",
    f"{_FROM_STATE}, minval: dtype, maxval: dtype -> output: dtype",
    shape_dtype=WIDE,
    dtype=ANY_SEEDS,
    **_FROM_GENERATOR,
)
def _uniform_int(
    xp: Namespace, state: Array, algorithm: Array, shape: Array, minval: Array, maxval: Array
) -> Drawn:
    name = "StatefulUniformInt"
    dims = sizes(name, shape)
    made, stream = _source(name, xp, state, algorithm)
    numbers = bounded_int(name, xp, stream, dims, minval, maxval, made)
    return numbers, _advanced(xp, made, state, math.prod(dims))


@op(
    "StatefulRandomBinomial",
    "resource: resource, algorithm: int64, shape: S, counts: T=float64, probs: T -> output: dtype",
    S=WIDE,
    T=REJECTED,
    dtype=COUNTED,
    host=True,
    **_FROM_GENERATOR,
)
def _binomial(
    xp: Namespace,
    state: Array,
    algorithm: Array,
    shape: Array,
    counts: Array,
    probs: Array,
    *,
    dtype: DType = int64,
) -> Drawn:
    name = "StatefulRandomBinomial"
    dims, stream = sizes(name, shape), _philox_stream(name, state, algorithm)
    check_parameter(name, dims, "counts and probs", counts, probs)
    numbers = rejection.binomial(*stream, dims, counts, probs, dtype.np_dtype)
    batches = math.prod(np.broadcast_shapes(counts.shape, probs.shape))
    outputs = rejection.binomial_outputs(dims, batches)
    return numbers, philox.advance(np, state, outputs)


def _state_shape(*inputs: Spec, **attrs: Any) -> Dims:
    return (STATE_SIZE,)


@op(
    "RngReadAndSkip",
    "resource: resource, alg: int32, delta: uint64 -> value: int64",
    static=("alg",),
    shape=_state_shape,
    state="exchange",
)
def _read_and_skip(xp: Namespace, state: Array, alg: Array, delta: Array) -> Drawn:
    made, _ = _source("RngReadAndSkip", xp, state, alg)
    missing = max(0, STATE_SIZE - state.shape[0])  # the answer always has the size of Philox's
    value = xp.concatenate([state[:STATE_SIZE], xp.zeros(missing, np.int64)])
    return value, _moved("RngReadAndSkip", xp, made, state, delta)


@op(
    "RngSkip",
    "resource: resource, algorithm: int64, delta: int64 ->",
    static=("algorithm",),
    state="update",
)
def _skip(xp: Namespace, state: Array, algorithm: Array, delta: Array) -> Array:
    made, _ = _source("RngSkip", xp, state, algorithm)
    return _moved("RngSkip", xp, made, state, delta)


def _moved(op_name: str, xp: Namespace, made: Any, state: Array, delta: Array) -> Array:
    if delta.shape != ():
        raise bad_shape(op_name, want="be a scalar", delta=delta)
    return _advanced(xp, made, state, delta)


@op(
    "NonDeterministicInts",
    "shape: shape_dtype -> output: dtype",
    static=("shape",),
    shape=drawn,
    shape_dtype=WIDE,
    effects="entropy",
)
def _ints(xp: Namespace, shape: Array, *, dtype: DType = int64) -> Array:
    """Integers from the operating system, which nobody can repeat."""
    dims = sizes("NonDeterministicInts", shape)
    if dtype not in ANY_SEEDS:
        message = (
            f"NonDeterministicInts: `dtype` must be an integer of 32 or 64 bits, got {dtype.name}."
        )
        raise invalid(f"{message} [Op:NonDeterministicInts]")
    kind = np.dtype(dtype.np_dtype)
    return np.frombuffer(secrets.token_bytes(math.prod(dims) * kind.itemsize), kind).reshape(dims)
