"""`BasicRNNCell`, `GRUCell`, `BasicLSTMCell`, `LSTMCell`, and several cells as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import runnel as tf
from runnel.core.values.types import DTypeLike
from runnel.v1.layers.base import Spec
from runnel.v1.rnn.cell import LayerRNNCell, LSTMStateTuple, RNNCell
from runnel.v1.variables.initializers import Constant, Zeros
from runnel.v1.variables.partitioning import fixed_size_partitioner
from runnel.v1.variables.scopes import variable_scope

_KERNEL, _BIAS = "kernel", "bias"
Activation = Callable[[Any], Any]


def _depth(shapes: Any, name: str) -> int:
    found = shapes[-1]
    if found is None:
        raise ValueError(f"{name}: the last dimension of the inputs must be known: {shapes}.")
    return int(found)


def _activation(given: Any) -> Activation:
    if given is None:
        return tf.tanh
    if callable(given):
        return given  # type: ignore[no-any-return]
    known = {
        "tanh": tf.tanh,
        "relu": tf.nn.relu,
        "sigmoid": tf.sigmoid,
        "elu": tf.nn.elu,
        "selu": tf.nn.selu,
        "softplus": tf.math.softplus,
        "softsign": tf.math.softsign,
        "relu6": tf.nn.relu6,
        "linear": tf.identity,
    }
    if given not in known:
        raise ValueError(f"`activation` is a function or one of {sorted(known)}, got {given!r}.")
    return known[given]


class BasicRNNCell(LayerRNNCell):
    """`activation(inputs @ W + state @ U + b)`."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._activation = num_units, _activation(activation)
        self.input_spec = Spec(ndim=2)

    state_size = output_size = property(lambda self: self._num_units)  # type: ignore[assignment]

    def build(self, inputs_shape: Any) -> None:
        depth = _depth(inputs_shape, self.name)
        self._kernel = self.add_weight(_KERNEL, [depth + self._num_units, self._num_units])
        self._bias = self.add_weight(_BIAS, [self._num_units], initializer=Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        gates = tf.matmul(tf.concat([inputs, state], 1), self._kernel)
        output = self._activation(tf.nn.bias_add(gates, self._bias))
        return output, output


class GRUCell(LayerRNNCell):
    """A gated recurrent unit, as of Cho et al., 2014."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: DTypeLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._activation = num_units, _activation(activation)
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer
        self.input_spec = Spec(ndim=2)

    state_size = output_size = property(lambda self: self._num_units)  # type: ignore[assignment]

    def build(self, inputs_shape: Any) -> None:
        rows, units = _depth(inputs_shape, self.name) + self._num_units, self._num_units
        first, bias = self._kernel_initializer, self._bias_initializer
        ones = Constant(1.0) if bias is None else bias
        zeros = Zeros() if bias is None else bias
        self._gate_kernel = self.add_weight("gates/kernel", [rows, 2 * units], initializer=first)
        self._gate_bias = self.add_weight("gates/bias", [2 * units], initializer=ones)
        self._candidate_kernel = self.add_weight(
            "candidate/kernel", [rows, units], initializer=first
        )
        self._candidate_bias = self.add_weight("candidate/bias", [units], initializer=zeros)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        gates = tf.matmul(tf.concat([inputs, state], 1), self._gate_kernel)
        gates = tf.sigmoid(tf.nn.bias_add(gates, self._gate_bias))
        r, u = tf.split(gates, 2, 1)
        candidate = tf.matmul(tf.concat([inputs, r * state], 1), self._candidate_kernel)
        c = self._activation(tf.nn.bias_add(candidate, self._candidate_bias))
        new = u * state + (1 - u) * c
        return new, new


class BasicLSTMCell(LayerRNNCell):
    """A long short-term memory without peepholes, clipping and projection."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._state_is_tuple, self._activation = state_is_tuple, _activation(activation)
        self.input_spec = Spec(ndim=2)

    @property
    def state_size(self) -> Any:
        n = self._num_units
        return LSTMStateTuple(n, n) if self._state_is_tuple else 2 * n

    @property
    def output_size(self) -> Any:
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        rows = _depth(inputs_shape, self.name) + self._num_units
        self._kernel = self.add_weight(_KERNEL, [rows, 4 * self._num_units])
        self._bias = self.add_weight(_BIAS, [4 * self._num_units], initializer=Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        c, h = state if self._state_is_tuple else tf.split(state, 2, 1)
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = tf.split(gates, 4, 1)
        forget = tf.sigmoid(f + tf.constant(self._forget_bias, f.dtype))
        new_c = c * forget + tf.sigmoid(i) * self._activation(j)
        new_h = self._activation(new_c) * tf.sigmoid(o)
        new = LSTMStateTuple(new_c, new_h) if self._state_is_tuple else tf.concat([new_c, new_h], 1)
        return new_h, new


class LSTMCell(LayerRNNCell):
    """A long short-term memory, with peepholes, clipping and projection if so wanted."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._use_peepholes, self._cell_clip = num_units, use_peepholes, cell_clip
        self._initializer, self._num_proj, self._proj_clip = initializer, num_proj, proj_clip
        self._unit_shards, self._proj_shards = num_unit_shards, num_proj_shards
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple
        self._activation = _activation(activation)
        self.input_spec = Spec(ndim=2)

    @property
    def state_size(self) -> Any:
        n, out = self._num_units, self.output_size
        return LSTMStateTuple(n, out) if self._state_is_tuple else n + out

    @property
    def output_size(self) -> Any:
        return self._num_proj or self._num_units

    def build(self, inputs_shape: Any) -> None:
        n, first = self._num_units, self._initializer
        rows = _depth(inputs_shape, self.name) + self.output_size
        self._kernel = self.add_weight(
            _KERNEL, [rows, 4 * n], initializer=first, partitioner=_shards(self._unit_shards)
        )
        zeros = Zeros()
        self._bias = self.add_weight(_BIAS, [4 * n], initializer=zeros)
        self._peepholes = None
        if self._use_peepholes:
            self._peepholes = [
                self.add_weight(f"w_{gate}_diag", [n], initializer=first) for gate in "fio"
            ]
        if self._num_proj is not None:
            self._projection = self.add_weight(
                "projection/kernel",
                [n, self._num_proj],
                initializer=first,
                partitioner=_shards(self._proj_shards),
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        n = self._num_units
        if self._state_is_tuple:
            c, h = state
        else:
            c, h = state[:, :n], state[:, n:]
        gates = tf.matmul(tf.concat([inputs, h], 1), _whole(self._kernel))
        i, j, f, o = tf.split(tf.nn.bias_add(gates, self._bias), 4, 1)
        w_f, w_i, w_o = self._peepholes or (None, None, None)
        forget = tf.sigmoid(_peeped(f + self._forget_bias, w_f, c))
        new_c = forget * c + tf.sigmoid(_peeped(i, w_i, c)) * self._activation(j)
        new_c = _clipped(new_c, self._cell_clip)
        new_h = tf.sigmoid(_peeped(o, w_o, new_c)) * self._activation(new_c)
        if self._num_proj is not None:
            new_h = _clipped(tf.matmul(new_h, _whole(self._projection)), self._proj_clip)
        new = LSTMStateTuple(new_c, new_h) if self._state_is_tuple else tf.concat([new_c, new_h], 1)
        return new_h, new


def _shards(count: int | None) -> Any:
    return None if count is None else fixed_size_partitioner(count)


def _whole(weight: Any) -> Any:
    return tf.convert_to_tensor(weight)


def _peeped(gate: Any, weight: Any, c: Any) -> Any:
    return gate if weight is None else gate + weight * c


def _clipped(x: Any, limit: float | None) -> Any:
    return x if limit is None else tf.clip_by_value(x, -limit, limit)


class MultiRNNCell(RNNCell):
    """Cells one after another: the output of each is the input of the next."""

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("MultiRNNCell: at least one cell is needed.")
        if not isinstance(cells, (list, tuple)):
            raise TypeError(f"MultiRNNCell: `cells` must be a list or tuple, got {cells!r}.")
        self._cells, self._state_is_tuple = list(cells), state_is_tuple
        if not state_is_tuple and any(isinstance(c.state_size, (list, tuple)) for c in cells):
            raise ValueError("MultiRNNCell: cells with states in parts need `state_is_tuple`.")

    @property
    def state_size(self) -> Any:
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        with tf.name_scope(f"{type(self).__name__}ZeroState"):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        new, start = [], 0
        for number, cell in enumerate(self._cells):
            with variable_scope(f"cell_{number}"):
                if self._state_is_tuple:
                    part = state[number]
                else:
                    part = state[:, start : start + cell.state_size]
                    start += cell.state_size
                inputs, part = cell(inputs, part)
                new.append(part)
        return inputs, tuple(new) if self._state_is_tuple else tf.concat(new, 1)
