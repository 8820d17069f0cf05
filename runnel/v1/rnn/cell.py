"""What all recurrent cells have: `RNNCell`, and the state of an LSTM."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import runnel as tf
from runnel.core.values.types import DTypeLike
from runnel.v1.layers.base import Layer
from runnel.v1.variables.scopes import get_variable_scope, variable_scope


class LSTMStateTuple(NamedTuple):
    """The state of an LSTM: the memory `c` and the output `h`."""

    c: Any
    h: Any

    @property
    def dtype(self) -> Any:
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"The parts of the state differ: {self.c.dtype} and {self.h.dtype}.")
        return self.c.dtype


def with_batch(batch_size: Any, size: Any) -> tuple[list[Any], list[Any]]:
    """The shape of a state of `size` for a batch, and what of it is known now."""
    inner = tf.TensorShape([size] if isinstance(size, int) else size).as_list()
    known = tf.get_static_value(batch_size) if isinstance(batch_size, tf.Tensor) else batch_size
    known = None if known is None else int(known)
    return [batch_size if known is None else known, *inner], [known, *inner]


def zeros_of(state_size: Any, batch_size: Any, dtype: DTypeLike) -> Any:
    """Zeros in the structure of a state."""

    def zeros(size: Any) -> Any:
        shape, known = with_batch(batch_size, size)
        made = tf.zeros(tf.stack(shape) if None in known else shape, dtype)
        made.set_shape(known)
        return made

    return tf.nest.map_structure(zeros, _leaves(state_size))


def _leaves(state_size: Any) -> Any:
    """A structure of sizes, of which shapes are leaves."""
    if isinstance(state_size, tf.TensorShape):
        return _Size(state_size)
    if isinstance(state_size, tuple) and hasattr(state_size, "_fields"):
        return type(state_size)(*[_leaves(s) for s in state_size])
    if isinstance(state_size, (list, tuple)):
        return type(state_size)(_leaves(s) for s in state_size)
    return state_size


class _Size:
    """A shape that structures do not look into."""

    def __init__(self, shape: Any) -> None:
        self._dims = shape.as_list()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._dims)


class RNNCell(Layer):
    """A function of inputs and a state that gives an output and the next state.

    Its variables are those that `call` gets by `tf.compat.v1.get_variable`.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: DTypeLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, dtype, **kwargs)
        self._outer_scope: Any = None

    @property
    def state_size(self) -> Any:
        """The size, or shape, or a structure of them, of the state."""
        raise NotImplementedError(f"{type(self).__name__} must say its `state_size`.")

    @property
    def output_size(self) -> Any:
        """The size, or shape, of the output."""
        raise NotImplementedError(f"{type(self).__name__} must say its `output_size`.")

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:  # type: ignore[override]
        if scope is not None:
            with variable_scope(scope, custom_getter=self._noted) as opened:
                return Layer.__call__(self, inputs, state, scope=opened)
        if self._outer_scope is None:
            self._outer_scope = get_variable_scope()
        with variable_scope(self._outer_scope, custom_getter=self._noted):
            return Layer.__call__(self, inputs, state)

    def _noted(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        """Get a variable, and keep it in mind as one of the cell's."""
        found = getter(*args, **kwargs)
        pieces = list(found) if not isinstance(found, tf.Variable) else [found]
        known = {id(w) for w, _ in self._weights}
        trained = bool(getattr(pieces[0], "trainable", True))
        self._weights += [(w, trained) for w in pieces if id(w) not in known]
        return found

    def build(self, _: Any) -> None:
        """Nothing: the variables are got when they are used."""

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: DTypeLike = None
    ) -> Any:
        """Zeros, for a batch as large as that of the inputs."""
        if inputs is not None:
            inputs = tf.convert_to_tensor(inputs)
            batch_size, dtype = tf.shape(inputs)[0], inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError("get_initial_state: `batch_size` and `dtype` must be known.")
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """Zeros in the structure of the state."""
        with tf.name_scope(f"{type(self).__name__}ZeroState"):
            return zeros_of(self.state_size, batch_size, dtype)


class LayerRNNCell(RNNCell):
    """A cell that makes its variables once, in `build`."""

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)
