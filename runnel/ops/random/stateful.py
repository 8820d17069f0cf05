"""Random numbers that are different in every call: the ops that keep a state between their runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.backend.jax import lax
from runnel.core.extend import RegisterGradient, Tensor, no_gradient, op, raw_ops
from runnel.core.settings.arguments import check_room
from runnel.core.values.dtypes import FLOATS, DType, bfloat16, float32, float64, int32, int64
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.kernels.random import bits, bounded_normal, philox, rejection, sampling
from runnel.ops.array.shaping import WIDE
from runnel.ops.shapes import broadcast, same, shape_of
from .streams import bounded_int, drawn, drawn_for_each, first_state, sizes

REJECTED = FLOATS - {bfloat16}
COUNTED = REJECTED | {int32, int64}
Drawn = tuple[Array, Array]  # the numbers and the new state


_DRAWN: Any = {"initial": first_state, "state": "own", "static": ("shape",)}


def _declare(name: str, draw: Any) -> None:
    """An op that fills a shape with floats of one distribution."""

    @op(name, "shape: T -> output: dtype", T=WIDE, dtype=FLOATS, shape=drawn, **_DRAWN)
    def _draw(
        xp: Namespace, state: Array, shape: Array, *, dtype: DType, seed: int = 0, seed2: int = 0
    ) -> Drawn:
        dims = sizes(name, shape)
        numbers = draw(xp, *philox.from_state(xp, state), dims, dtype.np_dtype)
        return numbers, philox.advance(xp, state, math.prod(dims))

    no_gradient(name)


for _name, _function in (
    ("RandomUniform", bits.uniform),
    ("RandomStandardNormal", bits.normal),
    ("TruncatedNormal", bits.truncated_normal),
):
    _declare(_name, _function)


@op(
    "RandomUniformInt",
    "shape: T, minval: Tout[0], maxval: Tout[0] -> output: Tout",
    T=WIDE,
    Tout=WIDE,
    shape=drawn,
    **_DRAWN,
)
def _uniform_int(
    xp: Namespace,
    state: Array,
    shape: Array,
    minval: Array,
    maxval: Array,
    *,
    seed: int = 0,
    seed2: int = 0,
) -> Drawn:
    dims = sizes("RandomUniformInt", shape)
    stream = philox.from_state(xp, state)
    numbers = bounded_int("RandomUniformInt", xp, stream, dims, minval, maxval)
    return numbers, philox.advance(xp, state, math.prod(dims))


@op(
    "RandomGamma",
    "shape: S, alpha: T -> output: T",
    S=WIDE,
    T=REJECTED,
    shape=drawn_for_each,
    host=True,
    **_DRAWN,
)
def _gamma(
    xp: Namespace, state: Array, shape: Array, alpha: Array, *, seed: int = 0, seed2: int = 0
) -> Drawn:
    dims = (*sizes("RandomGamma", shape), *alpha.shape)
    numbers = rejection.gamma(*philox.from_state(np, state), dims, np.asarray(alpha))
    return numbers, philox.advance(np, state, math.prod(dims))


@RegisterGradient("RandomGamma", needs="alpha outputs")
def _gamma_grad(op: Any, dy: Tensor) -> Gradients:
    """Of the numbers by `alpha`, as if their places in the distribution stayed."""
    return None, gamma_gradient(op.inputs[1], op.outputs[0], dy)


def gamma_gradient(alpha: Tensor, sample: Tensor, dy: Tensor) -> Tensor:
    """The gradient of gamma numbers, whose last dimensions are those of `alpha`, by `alpha`."""
    by_alpha = dy * raw_ops.RandomGammaGrad(alpha, sample)
    if alpha.ndim is not None and sample.ndim is not None:
        axes: Any = np.arange(sample.ndim - alpha.ndim, dtype=np.int32)
    else:
        axes = raw_ops.Range(np.int32(0), raw_ops.Rank(sample) - raw_ops.Rank(alpha), np.int32(1))
    return raw_ops.Reshape(raw_ops.Sum(by_alpha, axes), shape_of(alpha))  # type: ignore[no-any-return]


@op(
    "RandomGammaGrad",
    "alpha: T, sample: T -> output: T",
    T=frozenset({float32, float64}),
    shape=broadcast,
    xla=True,
)
def _random_gamma_grad(xp: Namespace, alpha: Array, sample: Array) -> Array:
    return lax.random_gamma_grad(*xp.broadcast_arrays(alpha, sample))


def _declare_poisson(name: str, signature: str, **types: Any) -> Any:
    return op(
        name,
        signature,
        S=WIDE,
        static=("shape",),
        shape=drawn_for_each,
        host=True,
        state="own",
        initial=first_state,
        **types,
    )


@_declare_poisson("RandomPoissonV2", "shape: S, rate: R -> output: dtype", R=COUNTED, dtype=COUNTED)
def _poisson(
    xp: Namespace,
    state: Array,
    shape: Array,
    rate: Array,
    *,
    seed: int = 0,
    seed2: int = 0,
    dtype: DType = int64,
) -> Drawn:
    dims = (*sizes("RandomPoissonV2", shape), *rate.shape)
    numbers = rejection.poisson(
        *philox.from_state(np, state), dims, np.asarray(rate), dtype.np_dtype
    )
    return numbers, philox.advance(np, state, math.prod(dims))


@_declare_poisson("RandomPoisson", "shape: S, rate: dtype -> output: dtype", dtype=REJECTED)
def _poisson_of_rate(
    xp: Namespace, state: Array, shape: Array, rate: Array, *, seed: int = 0, seed2: int = 0
) -> Drawn:
    dims = (*sizes("RandomPoisson", shape), *rate.shape)
    numbers = rejection.poisson(*philox.from_state(np, state), dims, np.asarray(rate), rate.dtype)
    return numbers, philox.advance(np, state, math.prod(dims))


def chosen(logits: Spec, num_samples: Spec, *others: Spec, op_name: str, **attrs: Any) -> Dims:
    """Shape rule: a row of choices for each row of logits."""
    if logits.dims is not None and len(logits.dims) != 2:
        raise bad_shape(op_name, want="be a matrix", logits=logits)
    rows = None if logits.dims is None else logits.dims[0]
    return rows, None if num_samples.value is None else int(num_samples.value)


def check_choice(op_name: str, logits: Array, num_samples: Array) -> int:
    """The number of samples, after a check of the inputs of a choice."""
    if len(logits.shape) != 2:
        raise bad_shape(op_name, want="be a matrix", logits=logits)
    if num_samples.shape != ():
        raise bad_shape(op_name, want="be a scalar", num_samples=num_samples)
    if int(num_samples) < 0:
        raise bad_value(op_name, want="not be negative", num_samples=num_samples)
    if logits.shape[1] == 0:
        raise bad_shape(op_name, want="have at least one class", logits=logits)
    check_room(op_name, (logits.shape[0], int(num_samples)), 4)
    return int(num_samples)


@op(
    "Multinomial",
    "logits: T, num_samples: int32[0] -> output: output_dtype",
    T=FLOATS,
    output_dtype=WIDE,
    static=("num_samples",),
    shape=chosen,
    heavy=True,
    state="own",
    initial=first_state,
)
def _multinomial(
    xp: Namespace,
    state: Array,
    logits: Array,
    num_samples: Array,
    *,
    seed: int = 0,
    seed2: int = 0,
    output_dtype: DType = int64,
) -> Drawn:
    count = check_choice("Multinomial", logits, num_samples)
    stream = philox.from_state(xp, state)
    choices = sampling.categorical(xp, *stream, logits, count, output_dtype.np_dtype)
    return choices, philox.move(xp, state, sampling.categorical_steps(logits.shape[0], count))


no_gradient("Multinomial")


@op("RandomShuffle", "value: T -> output: T", shape=same, state="own", initial=first_state)
def _shuffle(xp: Namespace, state: Array, value: Array, *, seed: int = 0, seed2: int = 0) -> Drawn:
    if not value.shape:
        return value, state
    order = sampling.permutation(xp, *philox.from_state(xp, state), value.shape[0])
    steps = sampling.shuffle_steps(value.shape[0])
    return xp.take(value, order, axis=0), philox.move(xp, state, steps)


no_gradient("RandomShuffle")


def _one_for_each_row(op_name: str, dims: tuple[int, ...], **parameters: Array) -> None:
    for name, parameter in parameters.items():
        if parameter.ndim > 1:
            raise bad_shape(op_name, want="be a scalar or a vector", **{name: parameter})
        if parameter.size not in (1, dims[0]):
            want = f"have one element or {dims[0]}, as many as the output has rows"
            raise bad_shape(op_name, want=want, **{name: parameter})


@op(
    "ParameterizedTruncatedNormal",
    "shape: T, means: dtype[0-1], stdevs: dtype[0-1], minvals: dtype[0-1], maxvals: dtype[0-1] "
    "-> output: dtype",
    T=WIDE,
    dtype=REJECTED,
    shape=drawn,
    host=True,
    **_DRAWN,
)
def _parameterized_truncated_normal(
    xp: Namespace,
    state: Array,
    shape: Array,
    means: Array,
    stdevs: Array,
    minvals: Array,
    maxvals: Array,
    *,
    seed: int = 0,
    seed2: int = 0,
) -> Drawn:
    name = "ParameterizedTruncatedNormal"
    dims = sizes(name, shape)
    if not dims:
        raise bad_value(name, want="have at least one dimension", shape=dims)
    _one_for_each_row(name, dims, means=means, stdevs=stdevs, minvals=minvals, maxvals=maxvals)
    parameters = means, stdevs, minvals, maxvals
    stream = philox.from_state(np, state)
    numbers = bounded_normal.stateful_bounded_normal(*stream, dims, parameters)
    steps = bounded_normal.stateful_steps(dims, parameters)
    return numbers, philox.move(np, state, steps)


no_gradient("ParameterizedTruncatedNormal")
