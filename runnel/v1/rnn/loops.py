"""Cells called step by step in a loop of the graph: `dynamic_rnn` and its like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import DTypeLike
from runnel.v1.rnn.cell import with_batch
from runnel.v1.variables.scopes import variable_scope


def _swapped(x: Any) -> Any:
    """Time and batch exchanged."""
    x = tf.convert_to_tensor(x)
    if x.shape.rank is not None and x.shape.rank < 2:
        return x
    if x.shape.rank is None:
        return tf.transpose(x, tf.concat([[1, 0], tf.range(2, tf.rank(x))], 0))
    return tf.transpose(x, [1, 0, *range(2, x.shape.rank)])


def _batch_size(flat: Sequence[Any], axis: int) -> Any:
    for x in flat:
        if x.shape.rank is not None and x.shape[axis] is not None:
            return x.shape[axis]
    return tf.shape(flat[0])[axis]


def _check_cell(what: str, cell: Any) -> None:
    if not (callable(cell) and hasattr(cell, "state_size") and hasattr(cell, "output_size")):
        raise TypeError(f"{what}: the cell {cell!r} is not an instance of RNNCell.")


def choose(done: Any, old: Any, new: Any) -> Any:
    """`old` in those examples of a batch that are done."""
    if new.shape.rank == 0:
        return new
    found = raw_ops.Select(condition=done, x=old, y=new)
    found.set_shape(new.shape)
    return found


def _lengths(what: str, sequence_length: Any, batch: Any) -> Any:
    if sequence_length is None:
        return None
    lengths = tf.cast(tf.convert_to_tensor(sequence_length, name="sequence_length"), tf.int32)
    if lengths.shape.rank not in (None, 1):
        raise ValueError(f"{what}: `sequence_length` must be a vector, got {lengths.shape}.")
    known = lengths.shape[0] if lengths.shape.rank else None
    if isinstance(batch, int) and known not in (None, batch):
        raise ValueError(f"{what}: `sequence_length` has {known} elements, the batch {batch}.")
    return tf.identity(lengths, name="sequence_length")


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: DTypeLike = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> Any:
    """Call a cell with each step of sequences: all its outputs, and the last state.

    Beyond the length of a sequence the outputs are zero, and its state stays.
    """
    _check_cell("dynamic_rnn", cell)
    with variable_scope(scope or "rnn"):
        flat = [tf.convert_to_tensor(x) for x in tf.nest.flatten(inputs)]
        if any(x.shape.rank is not None and x.shape.rank < 2 for x in flat):
            raise ValueError("dynamic_rnn: inputs have the dimensions [batch, time, ...].")
        if not time_major:
            flat = [_swapped(x) for x in flat]
        batch = _batch_size(flat, 1)
        lengths = _lengths("dynamic_rnn", sequence_length, batch)
        if initial_state is not None:
            state = initial_state
        elif dtype is None:
            raise ValueError("dynamic_rnn: if there is no initial_state, you must give a dtype.")
        else:
            state = _first_state(cell, batch, dtype)
        inputs = tf.nest.pack_sequence_as(inputs, flat)
        outputs, final = _loop(cell, inputs, flat, state, lengths, batch)
        if not time_major:
            outputs = tf.nest.map_structure(_swapped, outputs)
        return outputs, final


def _first_state(cell: Any, batch: Any, dtype: DTypeLike) -> Any:
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch, dtype=dtype)
    return cell.zero_state(batch, dtype)


def _loop(cell: Any, inputs: Any, flat: list[Any], state: Any, lengths: Any, batch: Any) -> Any:
    steps = flat[0].shape[0] if flat[0].shape[0] is not None else tf.shape(flat[0])[0]
    if isinstance(steps, int) and steps == 0:
        raise ValueError("dynamic_rnn: sequences of no steps.")
    sizes = tf.nest.flatten(cell.output_size)
    kept = [with_batch(batch, size) for size in sizes]
    dtypes = [tf.nest.flatten(state)[0].dtype] * len(sizes)
    arrays = tuple(
        tf.TensorArray(d, size=steps, element_shape=known, name=f"dynamic_rnn/output_{n}")
        for n, (d, (_, known)) in enumerate(zip(dtypes, kept, strict=True))
    )
    sources = tuple(
        tf.TensorArray(x.dtype, size=steps, element_shape=x.shape[1:]).unstack(x) for x in flat
    )
    state = tf.nest.map_structure(tf.convert_to_tensor, state)

    def body(time: Any, outputs: Any, now: Any) -> Any:
        given = tf.nest.pack_sequence_as(inputs, [source.read(time) for source in sources])
        for x, whole in zip(tf.nest.flatten(given), flat, strict=True):
            x.set_shape(whole.shape[1:])
        made, new = cell(given, now)
        tf.nest.assert_same_structure(cell.output_size, made)
        tf.nest.assert_same_structure(now, new)
        flat_made = tf.nest.flatten(made)
        if lengths is not None:
            done = time >= lengths
            new = tf.nest.map_structure(lambda a, b: choose(done, a, b), now, new)
            flat_made = [choose(done, tf.zeros_like(x), x) for x in flat_made]
        outputs = tuple(a.write(time, x) for a, x in zip(outputs, flat_made, strict=True))
        return time + 1, outputs, new

    _, outputs, final = tf.while_loop(
        lambda time, *_: time < steps, body, (tf.constant(0), arrays, state)
    )
    stacked = [array.stack() for array in outputs]
    known_steps = steps if isinstance(steps, int) else None
    for x, (_, known) in zip(stacked, kept, strict=True):
        x.set_shape([known_steps, *known])
    return tf.nest.pack_sequence_as(cell.output_size, stacked), final


def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DTypeLike = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> Any:
    """One cell from the first step on, another from the last step back."""
    _check_cell("bidirectional_dynamic_rnn", cell_fw)
    _check_cell("bidirectional_dynamic_rnn", cell_bw)
    time, batch = (0, 1) if time_major else (1, 0)

    def reverse(x: Any) -> Any:
        if sequence_length is not None:
            return tf.reverse_sequence(x, sequence_length, time, batch)
        return tf.reverse(x, [time])

    with variable_scope(scope or "bidirectional_rnn"):
        options = {"sequence_length": sequence_length, "dtype": dtype, "time_major": time_major}
        with variable_scope("fw") as forward:
            first = dynamic_rnn(
                cell_fw, inputs, initial_state=initial_state_fw, scope=forward, **options
            )
        with variable_scope("bw") as backward:
            turned = tf.nest.map_structure(reverse, inputs)
            second = dynamic_rnn(
                cell_bw, turned, initial_state=initial_state_bw, scope=backward, **options
            )
        outputs = first[0], tf.nest.map_structure(reverse, second[0])
        return outputs, (first[1], second[1])


def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> Any:
    """A loop in which a function of the user's decides on inputs, states and when to end.

    `loop_fn(time, output, state, loop_state)` returns which examples are done, the next inputs, the
    next state, what to emit, and the next loop state; first it is called without outputs.
    """
    _check_cell("raw_rnn", cell)
    if not callable(loop_fn):
        raise TypeError(f"raw_rnn: `loop_fn` must be a function, got {loop_fn!r}.")
    with variable_scope(scope or "rnn"):
        time = tf.constant(0)
        done, given, state, emits, loop_state = loop_fn(time, None, None, None)
        flat = [tf.convert_to_tensor(x) for x in tf.nest.flatten(given)]
        has_loop_state = loop_state is not None
        loop_state = loop_state if has_loop_state else tf.constant(0)
        batch = _batch_size(flat, 0)
        state = tf.nest.map_structure(tf.convert_to_tensor, state)
        structure = emits if emits is not None else cell.output_size
        specs = _emitted(emits, structure, batch, flat[0].dtype)
        arrays = tuple(
            tf.TensorArray(d, size=0, dynamic_size=True, element_shape=known)
            for d, _, known in specs
        )
        zeros = [
            tf.zeros(tf.stack(shape) if None in known else shape, d) for d, shape, known in specs
        ]

        def body(time: Any, done: Any, given: Any, arrays: Any, state: Any, inner: Any) -> Any:
            made, new = cell(given, state)
            answer = loop_fn(time + 1, made, new, inner if has_loop_state else None)
            next_done, given, new, emit, next_inner = answer
            tf.nest.assert_same_structure(state, new)
            emit = made if emits is None else emit
            kept = [
                choose(done, zero, tf.convert_to_tensor(x))
                for zero, x in zip(zeros, tf.nest.flatten(emit), strict=True)
            ]
            new = tf.nest.map_structure(lambda a, b: choose(done, a, b), state, new)
            arrays = tuple(a.write(time, x) for a, x in zip(arrays, kept, strict=True))
            inner = inner if next_inner is None else next_inner
            return time + 1, tf.logical_or(next_done, done), given, arrays, new, inner

        start = (time, done, tf.nest.pack_sequence_as(given, flat), arrays, state, loop_state)
        end = tf.while_loop(lambda time, done, *_: tf.logical_not(tf.reduce_all(done)), body, start)
        _, _, _, arrays, state, loop_state = end
        found = tf.nest.pack_sequence_as(structure, list(arrays))
        return found, state, loop_state if has_loop_state else None


def _emitted(emits: Any, structure: Any, batch: Any, dtype: Any) -> list[Any]:
    """Dtype, shape and known shape of what each step emits."""
    if emits is None:
        return [(dtype, *with_batch(batch, size)) for size in tf.nest.flatten(structure)]
    found = [tf.convert_to_tensor(x) for x in tf.nest.flatten(emits)]
    return [(x.dtype, *with_batch(batch, x.shape.as_list())) for x in found]
