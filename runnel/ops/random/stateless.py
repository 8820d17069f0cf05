"""Random numbers that a seed decides: the stateless ops.

The newer form takes a key, a counter and an algorithm; the older one takes a seed of two integers,
from which it makes key and counter as `StatelessRandomGetKeyCounter` does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, no_gradient, op, raw_ops
from runnel.core.values.dtypes import FLOATS, DType, float32, int64, uint64
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.shape import broadcast_shapes
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.kernels.random import bits, bounded_normal, rejection, sampling
from runnel.kernels.random.seeds import Algorithm
from runnel.ops.array.shaping import WIDE
from runnel.ops.random.stateful import COUNTED, REJECTED, check_choice, chosen, gamma_gradient
from runnel.ops.random.streams import (
    ANY_SEEDS,
    SEEDS,
    Stream,
    bounded_int,
    check_parameter,
    drawn,
    full_int,
    given,
    given_any,
    seeded,
    sizes,
)
from runnel.ops.shapes import same, scalar

_GIVEN = "shape: Tshape, key: uint64[1 of 1], counter: uint64[1], alg: int32[0]"
_SEEDED = "shape: T, seed: Tseed[1 of 2]"

_MOST_ROUNDS = 1 << 16  # of a shuffle; four will do


def _key_counter_shape(seed: Spec, **attrs: Any) -> list[Dims]:
    dims = seed.dims
    if dims is not None and (len(dims) != 1 or dims[0] not in (None, 2)):
        raise bad_shape("StatelessRandomGetKeyCounter", want="have shape (2,)", seed=seed)
    return [(1,), (2,)]


def _key_counter_alg_shape(seed: Spec, **attrs: Any) -> list[Dims]:
    return [*_key_counter_shape(seed), ()]


@op(
    "StatelessRandomGetKeyCounter",
    "seed: Tseed -> key: uint64, counter: uint64",
    Tseed=SEEDS,
    shape=_key_counter_shape,
)
def _key_counter(xp: Namespace, seed: Array) -> Stream:
    return seeded("StatelessRandomGetKeyCounter", xp, seed)


@op("StatelessRandomGetAlg", "-> alg: int32", shape=scalar)
def _alg(xp: Namespace) -> Array:
    return np.int32(Algorithm.PHILOX.value)


@op(
    "StatelessRandomGetKeyCounterAlg",
    "seed: Tseed -> key: uint64, counter: uint64, alg: int32",
    Tseed=SEEDS,
    shape=_key_counter_alg_shape,
)
def _key_counter_alg(xp: Namespace, seed: Array) -> tuple[Array, Array, Array]:
    stream = seeded("StatelessRandomGetKeyCounterAlg", xp, seed)
    return *stream, np.int32(Algorithm.PHILOX.value)


def _declare(name: str, distribution: str) -> None:
    """The two ops that fill a shape with floats of one distribution."""
    newer = f"{name}V2"
    options: dict[str, Any] = {"dtype": FLOATS, "shape": drawn, "heavy": True}

    @op(newer, f"{_GIVEN} -> output: dtype", Tshape=WIDE, static=("shape", "alg"), **options)
    def _draw(
        xp: Namespace,
        shape: Array,
        key: Array,
        counter: Array,
        alg: Array,
        *,
        dtype: DType = float32,
    ) -> Array:
        made, stream = given_any(newer, key, counter, alg)
        return getattr(made, distribution)(xp, *stream, sizes(newer, shape), dtype.np_dtype)

    @op(name, f"{_SEEDED} -> output: dtype", T=WIDE, Tseed=SEEDS, static=("shape",), **options)
    def _draw_seeded(xp: Namespace, shape: Array, seed: Array, *, dtype: DType = float32) -> Array:
        draw = getattr(bits, distribution)
        return draw(xp, *seeded(name, xp, seed), sizes(name, shape), dtype.np_dtype)

    no_gradient(name)
    no_gradient(newer)


for _name, _distribution in (
    ("StatelessRandomUniform", "uniform"),
    ("StatelessRandomNormal", "normal"),
    ("StatelessTruncatedNormal", "truncated_normal"),
):
    _declare(_name, _distribution)


_BY_COUNTER: Any = {"Tshape": WIDE, "dtype": ANY_SEEDS, "shape": drawn, "static": ("shape", "alg")}


@op(
    "StatelessRandomUniformIntV2",
    f"{_GIVEN}, minval: dtype[0], maxval: dtype[0] -> output: dtype",
    **_BY_COUNTER,
)
def _uniform_int(
    xp: Namespace,
    shape: Array,
    key: Array,
    counter: Array,
    alg: Array,
    minval: Array,
    maxval: Array,
) -> Array:
    name = "StatelessRandomUniformIntV2"
    made, stream = given_any(name, key, counter, alg)
    return bounded_int(name, xp, stream, sizes(name, shape), minval, maxval, made)


_BY_SEED: Any = {"T": WIDE, "Tseed": SEEDS, "shape": drawn, "static": ("shape",)}


@op(
    "StatelessRandomUniformInt",
    f"{_SEEDED}, minval: dtype[0], maxval: dtype[0] -> output: dtype",
    dtype=WIDE,
    **_BY_SEED,
)
def _uniform_int_seeded(
    xp: Namespace, shape: Array, seed: Array, minval: Array, maxval: Array
) -> Array:
    name = "StatelessRandomUniformInt"
    return bounded_int(name, xp, seeded(name, xp, seed), sizes(name, shape), minval, maxval)


@op("StatelessRandomUniformFullIntV2", f"{_GIVEN} -> output: dtype", **_BY_COUNTER)
def _full_int(
    xp: Namespace, shape: Array, key: Array, counter: Array, alg: Array, *, dtype: DType = uint64
) -> Array:
    name = "StatelessRandomUniformFullIntV2"
    made, stream = given_any(name, key, counter, alg)
    return full_int(name, xp, stream, sizes(name, shape), dtype, made)


@op(
    "StatelessRandomUniformFullInt",
    f"{_SEEDED} -> output: dtype",
    T=WIDE,
    Tseed=ANY_SEEDS,
    dtype=ANY_SEEDS,
    static=("shape",),
    shape=drawn,
)
def _full_int_seeded(xp: Namespace, shape: Array, seed: Array, *, dtype: DType = uint64) -> Array:
    name = "StatelessRandomUniformFullInt"
    return full_int(name, xp, seeded(name, xp, seed), sizes(name, shape), dtype)


for _name in ("Int", "FullInt"):
    no_gradient(f"StatelessRandomUniform{_name}")
    no_gradient(f"StatelessRandomUniform{_name}V2")


_BY_SHAPE: Any = {"dtype": REJECTED, "host": True}


@op("StatelessRandomGammaV2", f"{_SEEDED}, alpha: dtype -> output: dtype", **_BY_SEED, **_BY_SHAPE)
def _gamma_seeded(xp: Namespace, shape: Array, seed: Array, alpha: Array) -> Array:
    name = "StatelessRandomGammaV2"
    dims = sizes(name, shape)
    check_parameter(name, dims, "alpha", alpha)
    return rejection.gamma(*seeded(name, np, seed), dims, np.asarray(alpha))


@RegisterGradient("StatelessRandomGammaV2", needs="alpha outputs")
def _gamma_seeded_grad(op: Any, dy: Tensor) -> Gradients:
    return None, None, gamma_gradient(op.inputs[2], op.outputs[0], dy)


@op(
    "StatelessRandomGammaV3",
    "shape: shape_dtype, key: uint64[1 of 1], counter: uint64[1], alg: int32[0], alpha: dtype -> "
    "output: dtype",
    shape_dtype=WIDE,
    static=("shape", "alg"),
    shape=drawn,
    **_BY_SHAPE,
)
def _gamma(
    xp: Namespace, shape: Array, key: Array, counter: Array, alg: Array, alpha: Array
) -> Array:
    name = "StatelessRandomGammaV3"
    dims = sizes(name, shape)
    check_parameter(name, dims, "alpha", alpha)
    return rejection.gamma(*given(name, key, counter, alg), dims, np.asarray(alpha))


@RegisterGradient("StatelessRandomGammaV3", needs="alpha outputs")
def _gamma_grad(op: Any, dy: Tensor) -> Gradients:
    return None, None, None, None, gamma_gradient(op.inputs[4], op.outputs[0], dy)


@op(
    "StatelessRandomPoisson",
    f"{_SEEDED}, lam: Rtype -> output: dtype",
    Rtype=COUNTED,
    dtype=COUNTED,
    host=True,
    **_BY_SEED,
)
def _poisson(xp: Namespace, shape: Array, seed: Array, lam: Array, *, dtype: DType) -> Array:
    name = "StatelessRandomPoisson"
    dims = sizes(name, shape)
    check_parameter(name, dims, "lam", lam)
    return rejection.poisson(*seeded(name, np, seed), dims, np.asarray(lam), dtype.np_dtype)


_OF_ANY_DTYPE: Any = {"S": WIDE, "Tseed": SEEDS, "static": ("shape",)}


@op(
    "StatelessRandomBinomial",
    "shape: S, seed: Tseed[1 of 2], counts: T=float64, probs: T -> output: dtype",
    T=REJECTED,
    dtype=COUNTED,
    shape=drawn,
    host=True,
    **_OF_ANY_DTYPE,
)
def _binomial(
    xp: Namespace, shape: Array, seed: Array, counts: Array, probs: Array, *, dtype: DType = int64
) -> Array:
    name = "StatelessRandomBinomial"
    dims = sizes(name, shape)
    check_parameter(name, dims, "counts and probs", counts, probs)
    return rejection.binomial(*seeded(name, np, seed), dims, counts, probs, dtype.np_dtype)


for _name in ("StatelessRandomPoisson", "StatelessRandomBinomial"):
    no_gradient(_name)


@op(
    "StatelessMultinomial",
    "logits: T, num_samples: int32[0], seed: Tseed[1 of 2] -> output: output_dtype",
    T=FLOATS,
    output_dtype=WIDE,
    Tseed=SEEDS,
    static=("num_samples",),
    shape=chosen,
    heavy=True,
)
def _multinomial(
    xp: Namespace, logits: Array, num_samples: Array, seed: Array, *, output_dtype: DType = int64
) -> Array:
    count = check_choice("StatelessMultinomial", logits, num_samples)
    stream = seeded("StatelessMultinomial", xp, seed)
    return sampling.categorical(xp, *stream, logits, count, output_dtype.np_dtype)


no_gradient("StatelessMultinomial")


def _broadcast_to_drawn(shape: Spec, *others: Spec, op_name: str, **attrs: Any) -> Dims:
    return drawn(shape, op_name=op_name)


_broadcast_to_drawn.broadcasts = True  # type: ignore[attr-defined]


@op(
    "StatelessParameterizedTruncatedNormal",
    "shape: S, seed: Tseed[1 of 2], means: dtype, stddevs: dtype, minvals: dtype, maxvals: dtype "
    "-> output: dtype",
    shape=_broadcast_to_drawn,
    **_BY_SHAPE,
    **_OF_ANY_DTYPE,
)
def _parameterized_truncated_normal(
    xp: Namespace,
    shape: Array,
    seed: Array,
    means: Array,
    stddevs: Array,
    minvals: Array,
    maxvals: Array,
) -> Array:
    name = "StatelessParameterizedTruncatedNormal"
    dims = sizes(name, shape)
    parameters = means, stddevs, minvals, maxvals
    check_parameter(name, dims, "means, stddevs, minvals and maxvals", *parameters)
    return bounded_normal.stateless_bounded_normal(*seeded(name, np, seed), dims, parameters)


@RegisterGradient(
    "StatelessParameterizedTruncatedNormal", needs="means stddevs minvals maxvals outputs"
)
def _parameterized_truncated_normal_grad(op: Any, dy: Tensor) -> Gradients:
    """By a bound, as if the places in the distribution stayed; else as if the bounds went along.

    That is what TensorFlow does.
    """
    _, _, mean, deviation, low, high = op.inputs
    z, a, b = ((t - mean) / deviation for t in (op.outputs[0], low, high))
    whole = _share(a, b, a)
    by_low = _density_ratio(a, z) * _share(z, b, a) / whole
    by_high = _density_ratio(b, z) * _share(a, z, a) / whole
    return None, None, dy, dy * z, dy * by_low, dy * by_high


def _share(a: Tensor, b: Tensor, low: Tensor) -> Tensor:
    """The probability of a normal number between `a` and `b`; above zero, by the other tail."""
    sign = raw_ops.SelectV2(low > 0, np.float64(1), np.float64(-1))
    scale = raw_ops.Cast(sign * np.sqrt(0.5), DstT=a.dtype)
    return raw_ops.Abs(raw_ops.Erfc(a * scale) - raw_ops.Erfc(b * scale)) / 2  # type: ignore[no-any-return]


def _density_ratio(bound: Tensor, z: Tensor) -> Tensor:
    """The normal density at `bound` over that at `z`."""
    return raw_ops.Exp((z * z - bound * bound) / 2)  # type: ignore[no-any-return]


@op(
    "StatelessShuffle",
    "value: T, key: uint64, counter: uint64, alg: int32 -> output: T",
    static=("alg",),
    shape=same,
)
def _shuffle(xp: Namespace, value: Array, key: Array, counter: Array, alg: Array) -> Array:
    stream = given("StatelessShuffle", key, counter, alg)
    if not value.shape:
        return value
    return xp.take(value, sampling.permutation(xp, *stream, value.shape[0]), axis=0)


def _shuffled_index_shape(index: Spec, seed: Spec, max_index: Spec, **attrs: Any) -> Dims:
    batch = None if seed.dims is None else seed.dims[:-1]
    return broadcast_shapes(broadcast_shapes(index.dims, batch), max_index.dims)


@op(
    "RandomIndexShuffle",
    "index: dtype[0-1], seed: Tseed, max_index: dtype[0-1] -> output: dtype",
    dtype=ANY_SEEDS,
    Tseed=ANY_SEEDS,
    shape=_shuffled_index_shape,
    host=True,
)
def _index_shuffle(
    xp: Namespace, index: Array, seed: Array, max_index: Array, *, rounds: int = 4
) -> Array:
    name = "RandomIndexShuffle"
    rows = index.shape or (1,)
    if seed.shape not in ((3,), (*rows, 3)):
        raise bad_shape(name, want=f"have shape (3,) or {(*rows, 3)}", seed=seed)
    if max_index.shape not in ((), rows):
        raise bad_shape(name, want=f"be a scalar or have shape {rows}", max_index=max_index)
    if np.any(index > max_index) or np.any(index < 0):
        raise bad_value(name, want="be in [0, max_index]", index=index)
    if not 4 <= rounds <= _MOST_ROUNDS:
        raise bad_value(name, want=f"be from 4 to {_MOST_ROUNDS}", rounds=rounds)
    return sampling.index_shuffle(np.asarray(index), seed, np.asarray(max_index), rounds)


no_gradient("RandomIndexShuffle")
