"""Going through a sequence: a Python loop in eager mode, one loop of the graph in functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runnel as tf

Step = Callable[[Any, list[Any]], tuple[Any, Any]]


def time_major(structure: Any) -> Any:
    """Sequences with time in the first axis, batch in the second, or the other way round."""

    def swapped(x: Any) -> Any:
        x = tf.convert_to_tensor(x)
        return tf.transpose(x, [1, 0, *range(2, x.shape.rank)])

    return tf.nest.map_structure(swapped, structure)


def run_steps(
    step: Step,
    inputs: Any,
    states: Any,
    *,
    mask: Any = None,
    unroll: bool = False,
    go_backwards: bool = False,
    zero_output_for_mask: bool = False,
    return_all: bool = True,
) -> tuple[Any, Any, Any]:
    """The last output, all outputs (time first; None if not wanted) and the last states.

    `inputs` has time in its first axis. Where `mask` (time first) is False, a step leaves the
    states as they are and repeats the output before it, or gives zeros.
    """
    steps = _Steps(step, inputs, mask, go_backwards, zero_output_for_mask)
    if tf.executing_eagerly() or unroll:
        return steps.in_python(states, return_all)
    return steps.in_graph(states, return_all)


class _Steps:
    def __init__(self, step: Step, inputs: Any, mask: Any, go_backwards: bool, zeros: bool) -> None:
        self._step, self._zeros = step, zeros
        self._inputs = reverse_steps(inputs) if go_backwards else inputs
        self._mask = None if mask is None else reverse_steps(mask) if go_backwards else mask
        first = tf.nest.flatten(inputs)[0]
        self._static = first.shape[0]
        self._count = tf.shape(first)[0] if self._static is None else self._static

    def _at(self, time: Any) -> Any:
        return tf.nest.map_structure(lambda x: tf.gather(x, time), self._inputs)

    def _advance(self, values: Any, mask: Any, output: Any, states: Any) -> tuple[Any, Any]:
        """One step; where the mask is False, the old output and states."""
        new, new_states = self._step(values, states)
        if mask is None:
            return new, new_states
        before = tf.nest.map_structure(tf.zeros_like, new) if output is None else output
        kept = tf.nest.map_structure(lambda a, b: _where(mask, a, b), new, before)
        return kept, tf.nest.map_structure(lambda a, b: _where(mask, a, b), new_states, states)

    def in_python(self, states: Any, return_all: bool) -> tuple[Any, Any, Any]:
        if self._static is None:
            raise ValueError("Unrolling requires a fixed number of timesteps.")
        flat = [tf.unstack(x, axis=0) for x in tf.nest.flatten(self._inputs)]
        masks = None if self._mask is None else tf.unstack(self._mask, axis=0)
        outputs: list[Any] = []
        output: Any = None
        for time in range(self._static):
            values = tf.nest.pack_sequence_as(self._inputs, [x[time] for x in flat])
            mask = None if masks is None else masks[time]
            output, states = self._advance(values, mask, None if self._zeros else output, states)
            if return_all:
                outputs.append(output)
        if not return_all:
            return output, None, states
        return output, tf.nest.map_structure(lambda *x: tf.stack(x), *outputs), states

    def in_graph(self, states: Any, return_all: bool) -> tuple[Any, Any, Any]:
        like, after = self._step(self._at(0), states)  # a trial, for the shape of the outputs
        same = self._outputs_in(tf.nest.flatten(after), tf.nest.flatten(like))
        like = tf.nest.map_structure(tf.convert_to_tensor, like)
        flat_like = tf.nest.flatten(like)
        zeros = [tf.zeros_like(x) for x, place in zip(flat_like, same) if place is None]
        arrays = (
            [tf.TensorArray(x.dtype, size=self._count, element_shape=x.shape) for x in flat_like]
            if return_all
            else []
        )

        def body(time: Any, output: Any, states: Any, arrays: Any) -> Any:
            mask = None if self._mask is None else tf.gather(self._mask, time)
            before = None if mask is None or self._zeros else tf.nest.pack_sequence_as(like, output)
            new, states = self._advance(self._at(time), mask, before, states)
            flat = tf.nest.flatten(new)
            arrays = [a.write(time, x) for a, x in zip(arrays, flat)]
            return time + 1, [x for x, place in zip(flat, same) if place is None], states, arrays

        _, output, states, arrays = tf.while_loop(
            lambda time, *_: time < self._count,
            body,
            (tf.constant(0), zeros, states, arrays),
            maximum_iterations=self._count,
        )
        rest, flat_states = iter(output), tf.nest.flatten(states)
        output = [next(rest) if place is None else flat_states[place] for place in same]
        last = tf.nest.pack_sequence_as(like, output)
        if not return_all:
            return last, None, states
        stacked = [a.stack() for a in arrays]
        for tensor, x in zip(stacked, flat_like):
            tensor.set_shape([self._static, *x.shape])
        return last, tf.nest.pack_sequence_as(like, stacked), states

    def _outputs_in(self, states: list[Any], outputs: list[Any]) -> list[int | None]:
        """For each output the place among the states if it is one of them, as in most cells.

        Then the loop need not carry it as well. A mask treats outputs and states differently, and
        before the first step there are no outputs.
        """
        if self._mask is not None or not self._static:
            return [None for _ in outputs]
        places = {id(state): place for place, state in enumerate(states)}
        return [places.get(id(output)) for output in outputs]


def reverse_steps(structure: Any) -> Any:
    """Sequences, time first, from their ends."""
    return tf.nest.map_structure(lambda x: tf.reverse(x, [0]), structure)


def _where(mask: Any, yes: Any, no: Any) -> Any:
    while mask.shape.rank < yes.shape.rank:
        mask = tf.expand_dims(mask, -1)
    return tf.where(mask, yes, no)
