"""What the random ops share: sizes from shape tensors, and streams from seeds, keys and states.

A stream is a key and a counter (see `runnel.kernels.random.philox` and `threefry`). A stateless op
is given them, or makes them of a seed of two integers. A stateful op keeps a state, int64[3]
(int64[2] for ThreeFry), as that of a `tf.random.Generator`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.settings.arguments import check_room
from runnel.core.values.dtypes import INTS, DType, int32, int64, uint32, uint64
from runnel.core.values.errors import InvalidArgumentError, bad_shape, bad_value
from runnel.core.values.shape import broadcast_shapes
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.kernels.random import bits, philox, seeds, threefry
from runnel.ops.array.shaping import entries

Stream = tuple[Array, Array]  # key and counter

SEEDS = frozenset({int32, int64})
ANY_SEEDS = frozenset({int32, int64, uint32, uint64})
STATE_SIZE = 3
_SEED_SIZE = 2


def sizes(op_name: str, shape: Array) -> tuple[int, ...]:
    """A shape tensor as a tuple, after a check of it."""
    if shape.ndim != 1:
        raise bad_shape(op_name, want="be a vector", shape=shape)
    dims: tuple[int, ...] = tuple(shape.tolist())
    if dims and min(dims) < 0:
        raise bad_value(op_name, want="hold no negative sizes", shape=dims)
    check_room(op_name, dims, 2)
    return dims


def drawn(shape: Spec, *others: Spec, op_name: str, **attrs: Any) -> Dims:
    """Shape rule: the value of the input `shape`."""
    if shape.dims is not None and len(shape.dims) != 1:
        raise bad_shape(op_name, want="be a vector", shape=shape)
    wanted = entries(shape)
    if wanted is not None and any(d is not None and d < 0 for d in wanted):
        raise bad_value(op_name, want="hold no negative sizes", shape=shape.value)
    return wanted


def drawn_from_state(
    resource: Spec, algorithm: Spec, shape: Spec, *others: Spec, op_name: str, **attrs: Any
) -> Dims:
    """Shape rule: the value of `shape`, which follows a resource and an algorithm."""
    return drawn(shape, op_name=op_name)


def drawn_for_each(shape: Spec, parameter: Spec, *, op_name: str, **attrs: Any) -> Dims:
    """Shape rule: the value of `shape`, followed by the parameter's shape."""
    outer = drawn(shape, op_name=op_name)
    return None if outer is None or parameter.dims is None else (*outer, *parameter.dims)


def check_parameter(op_name: str, dims: tuple[int, ...], name: str, *parameters: Array) -> None:
    """An error unless the shape of the output ends with that of the parameters, broadcast."""
    batch = parameters[0].shape
    for parameter in parameters[1:]:
        found = broadcast_shapes(batch, parameter.shape)
        batch = found if found is not None else batch
    if 0 in dims:
        return  # nothing is drawn, as in TensorFlow
    if len(batch) > len(dims) or any(b not in (1, d) for b, d in zip(batch[::-1], dims[::-1])):
        raise bad_value(op_name, want=f"end with {batch}, the shape of `{name}`", shape=dims)


def seeded(op_name: str, xp: Namespace, seed: Array) -> Stream:
    """The stream of a stateless op's seed."""
    if seed.shape != (_SEED_SIZE,):
        raise bad_shape(op_name, want="have shape (2,)", seed=seed)
    return philox.scramble(xp, seed)


def given(op_name: str, key: Array, counter: Array, alg: Array) -> Stream:
    """The stream of a key and a counter of Philox, after a check of them."""
    if maker(op_name, alg) is threefry:
        message = f"{op_name}: ThreeFry is not supported here; use the algorithm 1, Philox."
        raise InvalidArgumentError(None, None, f"{message} [Op:{op_name}]")
    return _checked(op_name, key, counter, seeds.COUNTER_SIZES[seeds.Algorithm.PHILOX])


def given_any(op_name: str, key: Array, counter: Array, alg: Array) -> tuple[Any, Stream]:
    """What makes the numbers, `random_bits` or `threefry`, and the stream, after a check of it."""
    made = maker(op_name, alg)
    algorithm = seeds.Algorithm.THREEFRY if made is threefry else seeds.Algorithm.PHILOX
    return made, _checked(op_name, key, counter, seeds.COUNTER_SIZES[algorithm])


def _checked(op_name: str, key: Array, counter: Array, size: int) -> Stream:
    if key.shape != (1,):
        raise bad_shape(op_name, want="have shape (1,)", key=key)
    if len(counter.shape) != 1 or counter.shape[0] < size:
        raise bad_shape(op_name, want=f"be a vector of {size} elements or more", counter=counter)
    return key, counter


def maker(op_name: str, alg: Array) -> Any:
    """The module that makes the numbers of an algorithm."""
    if np.shape(alg) != ():
        raise bad_shape(op_name, want="be a scalar", alg=alg)
    if int(alg) == seeds.Algorithm.THREEFRY.value:
        return threefry
    if int(alg) not in (seeds.Algorithm.PHILOX.value, seeds.Algorithm.AUTO_SELECT.value):
        message = f'{op_name}: the algorithm {int(alg)} is not supported on a CPU; use "philox".'
        raise InvalidArgumentError(None, None, f"{message} [Op:{op_name}]")
    return bits


def first_state(*, seed: int, seed2: int, **attrs: Any) -> Array:
    """The state in which a stateful op begins."""
    key, counter = seeds.start(seed, seed2)
    words = [counter & (1 << 64) - 1, counter >> 64, key]
    return np.array(words, np.uint64).view(np.int64)


def bounded_int(
    op_name: str,
    xp: Namespace,
    stream: Stream,
    dims: tuple[int, ...],
    minval: Array,
    maxval: Array,
    made: Any = bits,
) -> Array:
    """Integers in [minval, maxval), after a check of the bounds where they are known."""
    for name, bound in (("minval", minval), ("maxval", maxval)):
        if bound.shape != ():
            raise bad_shape(op_name, want="be a scalar", **{name: bound})
    if xp is np and 0 not in dims and minval >= maxval:
        raise bad_value(op_name, want=f"be less than maxval = {maxval}", minval=minval)
    return made.uniform_int(xp, *stream, dims, minval, maxval, minval.dtype)


def full_int(
    op_name: str,
    xp: Namespace,
    stream: Stream,
    dims: tuple[int, ...],
    dtype: DType,
    made: Any = bits,
) -> Array:
    """Integers over the whole range of a dtype of 32 or 64 bits."""
    if dtype not in INTS or dtype.size < int32.size:
        message = f"{op_name}: `dtype` must be an integer of 32 or 64 bits, got {dtype.name}."
        raise InvalidArgumentError(None, None, f"{message} [Op:{op_name}]")
    return made.full_int(xp, *stream, dims, dtype.np_dtype)
