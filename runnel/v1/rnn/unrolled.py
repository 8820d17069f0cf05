"""Cells called step by step, each step as operations of its own: `static_rnn` and its like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import runnel as tf
from runnel.core.values.types import DTypeLike
from runnel.v1.rnn.loops import choose
from runnel.v1.variables.scopes import variable_scope


def static_rnn(
    cell: Any,
    inputs: Sequence[Any],
    initial_state: Any = None,
    dtype: DTypeLike = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> Any:
    """Call a cell with each of a list of inputs: its outputs, and the last state."""
    if not callable(cell) or not hasattr(cell, "state_size"):
        raise TypeError(f"static_rnn: the cell {cell!r} is not an instance of RNNCell.")
    if not isinstance(inputs, (list, tuple)) or not len(inputs):
        raise (ValueError if isinstance(inputs, (list, tuple)) else TypeError)(
            "static_rnn: `inputs` must be a list with at least one step."
        )
    outputs = []
    with variable_scope(scope or "rnn") as opened:
        first = tf.nest.flatten(inputs[0])[0]
        batch = first.shape[0] if first.shape.rank and first.shape[0] else tf.shape(first)[0]
        if initial_state is not None:
            state = initial_state
        elif dtype is None:
            raise ValueError("static_rnn: if there is no initial_state, you must give a dtype.")
        else:
            state = cell.zero_state(batch, dtype)
        lengths = None
        if sequence_length is not None:
            lengths = tf.cast(tf.convert_to_tensor(sequence_length), tf.int32)
        for time, given in enumerate(inputs):
            if time > 0:
                opened.reuse_variables()
            output, new = cell(given, state)
            if lengths is not None:
                done = time >= lengths
                output = tf.nest.map_structure(
                    lambda x, d=done: choose(d, tf.zeros_like(x), x), output
                )
                new = tf.nest.map_structure(lambda a, b, d=done: choose(d, a, b), state, new)
            state = new
            outputs.append(output)
        return outputs, state


def static_state_saving_rnn(
    cell: Any,
    inputs: Sequence[Any],
    state_saver: Any,
    state_name: Any,
    sequence_length: Any = None,
    scope: Any = None,
) -> Any:
    """As `static_rnn`, with a state that is taken from an object and given back to it."""
    names = tf.nest.flatten(state_name)
    if isinstance(cell.state_size, (list, tuple)) != isinstance(state_name, (list, tuple)):
        raise ValueError("static_state_saving_rnn: `state_name` must be like `cell.state_size`.")
    if len(names) != len(tf.nest.flatten(cell.state_size)):
        raise ValueError("static_state_saving_rnn: one name is needed for each part of the state.")
    first = [state_saver.state(name) for name in names]
    initial = tf.nest.pack_sequence_as(cell.state_size, first)
    outputs, state = static_rnn(cell, inputs, initial, sequence_length=sequence_length, scope=scope)
    parts = tf.nest.flatten(state)
    saved = [state_saver.save_state(n, s) for n, s in zip(names, parts, strict=True)]
    with tf.control_dependencies(saved):
        last = tf.nest.map_structure(tf.identity, outputs[-1])
        state = tf.nest.pack_sequence_as(state, [tf.identity(s) for s in parts])
    return [*outputs[:-1], last], state


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Sequence[Any],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DTypeLike = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> Any:
    """One cell from the first step on, another from the last step back, outputs side by side."""
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            first, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=forward
            )
        with variable_scope("bw") as backward:
            turned = _reversed(inputs, sequence_length)
            second, state_bw = static_rnn(
                cell_bw, turned, initial_state_bw, dtype, sequence_length, scope=backward
            )
    second = _reversed(second, sequence_length)
    outputs = [
        tf.nest.map_structure(lambda a, b: tf.concat([a, b], 1), a, b)
        for a, b in zip(first, second, strict=True)
    ]
    return outputs, state_fw, state_bw


def _reversed(steps: Sequence[Any], lengths: Any) -> list[Any]:
    """The steps from the last to the first; with lengths, each example by its own."""
    if lengths is None:
        return list(reversed(steps))
    flat = [tf.nest.flatten(step) for step in steps]
    turned = [
        tf.unstack(tf.reverse_sequence(tf.stack(parts), lengths, 0, 1), num=len(steps))
        for parts in zip(*flat, strict=True)
    ]
    return [tf.nest.pack_sequence_as(steps[0], list(p)) for p in zip(*turned, strict=True)]
