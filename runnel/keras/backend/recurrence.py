"""Going through sequences with a function of one step."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.backend.symbolic import symbolic
from runnel.keras.layers.recurrent.loop import run_steps
from runnel.keras.layers.recurrent.loop import time_major as swapped


@symbolic
def rnn(
    step_function: Any,
    inputs: Any,
    initial_states: Any,
    go_backwards: bool = False,
    mask: Any = None,
    constants: Any = None,
    unroll: bool = False,
    input_length: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
    return_all_outputs: bool = True,
) -> Any:
    """The last output, all outputs and the last states of `step_function(inputs, states)`.

    Where `mask` is False, a step repeats the output before it and leaves the states alone.

    >>> def add(x, states):
    ...     return states[0] + x, [states[0] + x]
    >>> last, every, states = tf.keras.backend.rnn(add, tf.ones([1, 3, 2]), [tf.zeros([1, 2])])
    >>> last.numpy(), every.shape
    (array([[3., 3.]], dtype=float32), TensorShape([1, 3, 2]))
    """
    inputs = inputs if time_major else swapped(inputs)
    flat = tf.nest.flatten(inputs)
    for given in flat:
        tf.TensorShape(given.shape).with_rank_at_least(3)
    if unroll and not flat[0].shape[0]:
        raise ValueError("Unrolling requires a fixed number of timesteps.")
    states = tuple(initial_states)

    def step(values: Any, now: Any) -> tuple[Any, Any]:
        output, later = step_function(values, tuple(now) + tuple(constants or ()))
        flat = [_like(a, b) for a, b in zip(tf.nest.flatten(later), tf.nest.flatten(now))]
        return output, tf.nest.pack_sequence_as(states, flat)

    last, every, states_after = run_steps(
        step,
        inputs,
        states,
        mask=_time_mask(mask, input_length, flat[0], go_backwards, unroll, time_major),
        unroll=unroll,
        go_backwards=go_backwards,
        zero_output_for_mask=zero_output_for_mask,
        return_all=return_all_outputs,
    )
    if not return_all_outputs:
        every = tf.nest.map_structure(lambda x: tf.expand_dims(x, 0), last)
    return last, every if time_major else swapped(every), states_after


def _like(state: Any, before: Any) -> Any:
    """A state of the shape it had, also where a step does not know."""
    if isinstance(state, tf.Tensor):
        state.set_shape(before.shape)
    return state


def _time_mask(
    mask: Any, input_length: Any, first: Any, go_backwards: bool, unroll: bool, time_major: bool
) -> Any:
    """Which steps count, time first: by a mask, or by the lengths of the sequences."""
    if mask is not None:
        mask = tf.cast(mask, tf.bool)
        mask = tf.expand_dims(mask, -1) if mask.shape.rank == 2 else mask
        return mask if time_major else swapped(mask)
    if unroll or not isinstance(input_length, tf.Tensor):
        return None
    time = tf.expand_dims(tf.range(tf.shape(first)[0], dtype=input_length.dtype), 1)
    if not go_backwards:
        return input_length > time
    # Keras counts the steps from the end, of the longest of the sequences.
    return tf.reverse(tf.reduce_max(input_length) - 1 - input_length < time, [0])
