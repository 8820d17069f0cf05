"""Cells around cells: dropout, residual connections, a device."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any

import runnel as tf
from runnel.core.values.types import DTypeLike
from runnel.v1.rnn.cell import LSTMStateTuple, RNNCell


class _Wrapper(RNNCell):
    """A cell that has another one inside."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not callable(cell) or not hasattr(cell, "state_size"):
            raise TypeError(f"{type(self).__name__}: `cell` must be an RNNCell, got {cell!r}.")
        self._cell = cell

    @property
    def wrapped_cell(self) -> Any:
        return self._cell

    state_size = property(lambda self: self._cell.state_size)  # type: ignore[assignment]
    output_size = property(lambda self: self._cell.output_size)  # type: ignore[assignment]

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        return self._run(inputs, state, scope)

    def _run(self, inputs: Any, state: Any, scope: Any) -> Any:
        raise NotImplementedError

    @property
    def weights(self) -> list[Any]:
        return self._cell.weights  # type: ignore[no-any-return]

    trainable_weights = property(lambda self: self._cell.trainable_weights)  # type: ignore[assignment]
    non_trainable_weights = property(lambda self: self._cell.non_trainable_weights)  # type: ignore[assignment]

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        with tf.name_scope(f"{type(self).__name__}ZeroState"):
            return self._cell.zero_state(batch_size, dtype)


class ResidualWrapper(_Wrapper):
    """Adds the inputs to the outputs, or does with both what `residual_fn` says."""

    def __init__(self, cell: Any, residual_fn: Any = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _run(self, inputs: Any, state: Any, scope: Any) -> Any:
        outputs, new = self._cell(inputs, state, scope=scope)
        if self._residual_fn is not None:
            return self._residual_fn(inputs, outputs), new
        tf.nest.assert_same_structure(inputs, outputs)
        return tf.nest.map_structure(lambda x, y: x + y, inputs, outputs), new


class DeviceWrapper(_Wrapper):
    """A cell whose operations stand on a device."""

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def _run(self, inputs: Any, state: Any, scope: Any) -> Any:
        with tf.device(self._device):
            return self._cell(inputs, state, scope=scope)


class DropoutWrapper(_Wrapper):
    """Dropout of inputs, outputs and states; the same at all steps if `variational_recurrent`."""

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: DTypeLike = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        self._keep = {
            "input": _probability("input_keep_prob", input_keep_prob),
            "state": _probability("state_keep_prob", state_keep_prob),
            "output": _probability("output_keep_prob", output_keep_prob),
        }
        self._seed, self._variational = seed, variational_recurrent
        self._filter = dropout_state_filter_visitor or _not_the_memory
        self._noise: dict[str, Any] = {}
        if not variational_recurrent:
            return
        if dtype is None:
            raise ValueError("DropoutWrapper: `variational_recurrent` needs a `dtype`.")
        if input_size is None and not _is_one(self._keep["input"]):
            raise ValueError("DropoutWrapper: `variational_recurrent` needs an `input_size`.")
        sizes = {"input": input_size, "state": cell.state_size, "output": cell.output_size}
        for kind, size in sizes.items():
            if kind != "input" or not _is_one(self._keep["input"]):
                self._noise[kind] = _map_sizes(functools.partial(self._draw, kind), size)

    def _draw(self, kind: str, number: int, size: int) -> Any:
        return tf.random.uniform([1, size], seed=self._seed_of(kind, number), dtype=self._dtype)

    def _seed_of(self, kind: str, number: int) -> int | None:
        """The seed for one of the tensors, which TensorFlow makes of the wrapper's seed."""
        if self._seed is None:
            return None
        digest = hashlib.md5(f"{self._seed}{kind}_{number}".encode()).hexdigest()
        return int(digest[:8], 16) & 0x7FFFFFFF

    def _dropped(self, kind: str, values: Any) -> Any:
        keep = self._keep[kind]
        if _is_one(keep):
            return values
        flat = tf.nest.flatten(values)
        chosen = [True] * len(flat) if kind != "state" else self._chosen(values)
        noise = tf.nest.flatten(self._noise[kind]) if self._variational else [None] * len(flat)
        found = [
            self._one(x, keep, n, self._seed_of(kind, i)) if wanted else x
            for i, (x, n, wanted) in enumerate(zip(flat, noise, chosen, strict=True))
        ]
        return tf.nest.pack_sequence_as(values, found)

    def _one(self, x: Any, keep: Any, noise: Any, seed: int | None) -> Any:
        if noise is None:
            return tf.nn.dropout(x, 1 - keep, seed=seed)
        kept = tf.floor(tf.cast(keep, x.dtype) + noise)
        result = x / tf.cast(keep, x.dtype) * kept
        result.set_shape(x.shape)
        return result

    def _chosen(self, state: Any) -> list[bool]:
        """For each part of a state, whether it is dropped."""
        wanted = self._filter(state)
        if isinstance(state, LSTMStateTuple):
            parts = zip(wanted, state, strict=True) if isinstance(wanted, tuple) else None
            if parts is not None:
                return [bool(w) for w, s in parts for _ in tf.nest.flatten(s)]
        if isinstance(wanted, bool):
            return [wanted] * len(tf.nest.flatten(state))
        return [f for s in state for f in self._chosen(s)]

    def _run(self, inputs: Any, state: Any, scope: Any) -> Any:
        inputs = self._dropped("input", inputs)
        output, new = self._cell(inputs, state, scope=scope)
        new = self._dropped("state", new)
        return self._dropped("output", output), new


def _probability(name: str, value: Any) -> Any:
    if isinstance(value, tf.Tensor):
        return value
    if not 0.0 <= float(value) <= 1.0:
        raise ValueError(f"DropoutWrapper: `{name}` must be between 0 and 1, got {value!r}.")
    return float(value)


def _is_one(keep: Any) -> bool:
    return not isinstance(keep, tf.Tensor) and keep == 1.0


def _not_the_memory(state: Any) -> Any:
    """Which parts of a state are dropped: all but the memory of an LSTM."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    if isinstance(state, (list, tuple)) and any(isinstance(s, (list, tuple)) for s in state):
        return [_not_the_memory(s) for s in state]
    return True


def _map_sizes(draw: Callable[[int, int], Any], size: Any) -> Any:
    flat = tf.nest.flatten(size)
    return tf.nest.pack_sequence_as(size, [draw(i, int(s)) for i, s in enumerate(flat)])
