"""`tf.random.Generator`: random numbers from a state that is held in a variable."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.backend import configuration
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.gradients.variable_reads import note_read
from runnel.core.settings.arguments import check_room
from runnel.core.settings.scopes import init_scope
from runnel.core.state.auto_trackable import AutoTrackable
from runnel.core.state.variable import Variable
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import as_dtype, float32, int32, int64, uint64
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike
from runnel.kernels.random import seeds
from runnel.kernels.random.seeds import COUNTER_SIZES, Algorithm, algorithm
from runnel.ops.array.shaping import index_tensor
from runnel.ops.random.numbers import is_number, is_standard
from runnel.ops.random.replicas import of_replicas
from runnel.ops.reduce.reductions import reduce_prod


class Generator(AutoTrackable):
    """A source of random numbers whose state can be read, saved, split and set.

    >>> generator = tf.random.Generator.from_seed(1)
    >>> generator.uniform([2], maxval=100, minval=0, dtype=tf.int32).numpy()
    array([64, 99], dtype=int32)
    >>> generator.state.numpy()
    array([513,   0,   0])
    """

    def __init__(
        self, copy_from: Generator | None = None, state: TensorLike | None = None, alg: Any = None
    ) -> None:
        if copy_from is not None:
            if state is not None or alg is not None:
                raise ValueError("Generator: `copy_from` excludes `state` and `alg`.")
            state, alg = copy_from.state, copy_from.algorithm
        if state is None or alg is None:
            raise ValueError(
                "Generator: give it `state` and `alg`, or use Generator.from_seed(seed)."
            )
        self._alg = _chosen(alg)
        value = _as_state(state, self._alg)
        self._of_replicas = of_replicas()
        kinds = {} if self._of_replicas is None else self._of_replicas.kinds
        self._state_var = Variable(value, dtype=int64, name="StateVar", trainable=False, **kinds)
        self._alg_input = np.int64(self._alg.value)

    @classmethod
    def from_state(cls, state: TensorLike, alg: Any) -> Generator:
        """A generator that goes on from a state."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator whose numbers follow from a seed: an integer, or a vector of them."""
        chosen = _chosen(alg)
        return cls(state=_first_state(seed, chosen), alg=chosen)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator that begins where nobody can tell."""
        if configuration.op_determinism:
            raise RuntimeError(
                "Generator.from_non_deterministic_state has no seed, which op determinism asks for."
            )
        chosen = _chosen(alg)
        return cls(state=seeds.nondeterministic_state(chosen), alg=chosen)

    @classmethod
    def from_key_counter(cls, key: TensorLike, counter: TensorLike, alg: Any) -> Generator:
        """A generator with a key, an integer, and a counter, a vector of integers."""
        chosen = _chosen(alg)
        return cls(state=_joined(key, counter, chosen), alg=chosen)

    @property
    def state(self) -> Variable:
        """The variable with the counter and, as its last element, the key."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The number of the algorithm, one of `tf.random.Algorithm`."""
        return self._alg.value

    @property
    def key(self) -> Tensor:
        """The part of the state that stays."""
        return self._state_var[-1]

    def reset(self, state: TensorLike) -> None:
        """Go on from another state."""
        self._state_var.assign(_as_state(state, self._alg))

    def reset_from_seed(self, seed: Any) -> None:
        """Begin as a generator made with `from_seed` does."""
        self._state_var.assign(_first_state(seed, self._alg))

    def reset_from_key_counter(self, key: TensorLike, counter: TensorLike) -> None:
        """Go on from another key and counter."""
        self._state_var.assign(_joined(key, counter, self._alg))

    def skip(self, delta: TensorLike) -> Tensor:
        """Leave out `delta` numbers; the state before."""
        steps = raw_ops.Cast(convert_to_tensor(delta, dtype_hint=uint64), DstT=uint64)
        if self._of_replicas is not None:
            return self._of_replicas.skipped(self._state_var, steps, self._alg)
        note_read(self._state_var)
        return raw_ops.RngReadAndSkip(self._state_var.handle, np.int32(self._alg.value), steps)  # type: ignore[no-any-return]

    def normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers of the normal distribution."""
        return self._scaled(raw_ops.StatefulStandardNormalV2, shape, mean, stddev, dtype, name)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers of the normal distribution within two standard deviations of the mean."""
        return self._scaled(raw_ops.StatefulTruncatedNormal, shape, mean, stddev, dtype, name)

    def _scaled(
        self,
        op: Any,
        shape: ShapeLike,
        mean: TensorLike,
        stddev: TensorLike,
        dtype: DTypeLike,
        name: str | None,
    ) -> Tensor:
        dtype = as_dtype(dtype)
        if is_standard(mean, stddev, dtype):
            return self._draw(op, shape, dtype=dtype, name=name)
        mean, stddev = convert_to_tensor(mean, dtype), convert_to_tensor(stddev, dtype)
        numbers = self._draw(op, shape, dtype=dtype)
        return raw_ops.AddV2(numbers * stddev, mean, name=name)  # type: ignore[no-any-return]

    def _draw(self, op: Any, shape: ShapeLike, *inputs: Any, **attrs: Any) -> Tensor:
        if self._of_replicas is not None:
            sizes = index_tensor(shape)
            before = self.skip(reduce_prod(sizes))
            key, counter = self._of_replicas.stream(before, self._alg)
            algorithm = np.int32(self._alg.value)
            stateless = self._of_replicas.stateless(op)
            return stateless(sizes, key, counter, algorithm, *inputs, **attrs)  # type: ignore[no-any-return]
        note_read(self._state_var)
        return op(self._state_var.handle, self._alg_input, index_tensor(shape), *inputs, **attrs)  # type: ignore[no-any-return]

    def uniform(
        self,
        shape: ShapeLike,
        minval: TensorLike | None = 0,
        maxval: TensorLike | None = None,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers of which all in [minval, maxval) are equally likely; [0, 1) by default."""
        dtype = as_dtype(dtype)
        if dtype.is_integer:
            if (minval is None) != (maxval is None):
                raise ValueError(
                    f"uniform: integers ({dtype.name}) need both `minval` and `maxval`, or neither."
                )
            if minval is None:
                return self.uniform_full_int(shape, dtype, name)
        elif maxval is None:
            maxval = 1
        if not dtype.is_integer and is_number(minval, 0) and is_number(maxval, 1):
            return self._draw(raw_ops.StatefulUniform, shape, dtype=dtype, name=name)
        low, high = convert_to_tensor(minval, dtype), convert_to_tensor(maxval, dtype)
        if dtype.is_integer:
            return self._draw(raw_ops.StatefulUniformInt, shape, low, high, name=name)
        numbers = self._draw(raw_ops.StatefulUniform, shape, dtype=dtype)
        return raw_ops.AddV2(numbers * (high - low), low, name=name)  # type: ignore[no-any-return]

    def uniform_full_int(
        self, shape: ShapeLike, dtype: DTypeLike = uint64, name: str | None = None
    ) -> Tensor:
        """Integers over the whole range of a dtype."""
        return self._draw(raw_ops.StatefulUniformFullInt, shape, dtype=as_dtype(dtype), name=name)

    def binomial(
        self,
        shape: ShapeLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = int32,
        name: str | None = None,
    ) -> Tensor:
        """How many of `counts` trials of probability `probs` succeed."""
        parameters = convert_to_tensor(counts), convert_to_tensor(probs)
        op = raw_ops.StatefulRandomBinomial
        return self._draw(op, shape, *parameters, dtype=as_dtype(dtype), name=name)

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for the stateless functions, as the columns of a matrix.

        >>> tf.random.Generator.from_seed(1).make_seeds(3).shape
        TensorShape([2, 3])
        """
        keys = self.uniform_full_int([count], int64)
        return raw_ops.Pack([keys, raw_ops.ZerosLike(keys)])  # type: ignore[no-any-return]

    def split(self, count: int = 1) -> list[Generator]:
        """Generators whose numbers have nothing to do with each other.

        >>> [g.state.shape for g in tf.random.Generator.from_seed(1).split(2)]
        [TensorShape([3]), TensorShape([3])]
        """
        check_room("Generator.split", (count,), 1 << 10)  # each has a variable
        keys = self.uniform_full_int([count], int64)
        before = np.zeros(COUNTER_SIZES[self._alg], np.int64)
        states = [raw_ops.ConcatV2([before, keys[i : i + 1]], np.int32(0)) for i in range(count)]
        return [Generator(state=state, alg=self._alg) for state in states]


def _chosen(alg: Any) -> Algorithm:
    return Algorithm.PHILOX if alg is None else algorithm(alg)


def _as_state(state: TensorLike, alg: Algorithm) -> Any:
    """The variable's initial value: an array where it is known, also while a graph is built."""
    if hasattr(state, "_dtype"):
        value: Any = raw_ops.Cast(state, DstT=int64)
    else:
        value = np.asarray(state).astype(np.int64)
    _check_shape(value, (COUNTER_SIZES[alg] + 1,), "state")
    return value


def _check_shape(value: Any, shape: tuple[int, ...], name: str) -> None:
    if not TensorShape(value.shape).is_compatible_with(shape):
        raise ValueError(f"Generator: `{name}` must have shape {shape}, got {value.shape}.")


def _joined(key: TensorLike, counter: TensorLike, alg: Algorithm) -> Tensor:
    key, counter = (convert_to_tensor(v, dtype_hint=int64) for v in (key, counter))
    _check_shape(counter, (COUNTER_SIZES[alg],), "counter")
    if not key.shape.is_compatible_with(()):
        _check_shape(key, (1,), "key")
    words = [raw_ops.Cast(counter, DstT=int64), raw_ops.Cast(raw_ops.Reshape(key, [1]), DstT=int64)]
    return raw_ops.ConcatV2(words, np.int32(0))  # type: ignore[no-any-return]


def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state of a generator that begins with `seed`, an integer or a vector of them.

    >>> tf.random.create_rng_state(1234, "philox").numpy()
    array([1234,    0,    0])
    """
    return convert_to_tensor(_first_state(seed, algorithm(alg)))


def _first_state(seed: Any, alg: Algorithm) -> Any:
    """An array, or a tensor where `seed` is a symbolic one."""
    if isinstance(seed, Tensor) and constant_value(seed) is None:
        return _traced_state(seed, alg)
    if isinstance(seed, Tensor | Variable):
        seed = constant_value(convert_to_tensor(seed))
    if seed is None:
        raise ValueError("create_rng_state: `seed` must be an integer, got None.")
    if not isinstance(seed, int):
        with init_scope():
            seed = raw_ops.Cast(convert_to_tensor(seed), DstT=int64).numpy().ravel().tolist()
    return seeds.generator_state(seed, alg)


def _traced_state(seed: Tensor, alg: Algorithm) -> Tensor:
    """The same of a symbolic tensor, of which only the shape is known."""
    words = raw_ops.Reshape(raw_ops.Cast(seed, DstT=int64), np.array([-1], np.int32))
    size = COUNTER_SIZES[alg] + 1
    padded = raw_ops.ConcatV2([np.zeros(size, np.int64), words[:size]], np.int32(0))
    return padded[-size:]


_global_generator: Generator | None = None


def get_global_generator() -> Generator:
    """The generator that the whole program may share, made when it is first asked for.

    >>> tf.random.get_global_generator().normal([2]).shape
    TensorShape([2])
    """
    if _global_generator is None:
        if configuration.op_determinism:
            raise RuntimeError("Op determinism asks for seeds: call set_global_generator first.")
        with init_scope():
            set_global_generator(Generator.from_non_deterministic_state())
    assert _global_generator is not None
    return _global_generator


def set_global_generator(generator: Generator) -> None:
    """Replace the generator that the whole program may share.

    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    """
    global _global_generator
    _global_generator = generator
