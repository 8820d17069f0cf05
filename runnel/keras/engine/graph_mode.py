"""Keras in programs that build a graph, as those of TensorFlow 1 do.

Layers make variables of the graph, whose values a session keeps. Models train and predict by
functions that run at once, on those values (`at_once`). A symbolic tensor of a model becomes one of
the graph when a session or a function of graphs asks for it (`realised`).
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar

import runnel as tf
from runnel.keras.engine.naming import when_cleared

_Function = TypeVar("_Function", bound=Callable[..., Any])
_VARIABLES = ("__keras_variables",)
_PHASE = ("__keras_learning_phase",)


class _Current:
    """The session that Keras uses where a program has no default one."""

    session: Any = None
    realising = 0  # how many symbolic tensors are being made those of a graph


def is_realising() -> bool:
    """Whether layers are called for what they give alone, and not for training."""
    return _Current.realising > 0


def in_graph() -> bool:
    """Whether the program builds a plain graph."""
    return tf.__internal__.graphs.outside_graph() is not None


def at_once(function: _Function) -> _Function:
    """Let a function run its ops at once, also where a graph is being built."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        if not tf.__internal__.graphs.builds_graph():
            return function(*args, **kwargs)
        with tf.__internal__.graphs.at_once():
            return function(*args, **kwargs)

    return run  # type: ignore[return-value]


def session_of(graph: Any) -> Any:
    """The session for a graph: the default one of the program, or Keras's own."""
    default = tf.compat.v1.get_default_session()
    if default is not None and default.graph is graph:
        return default
    if _Current.session is None or _Current.session.graph is not graph:
        _Current.session = tf.compat.v1.Session(graph=graph)
    return _Current.session


def get_session(op_input_list: Any = ()) -> Any:
    """The session of the models, in which all their variables have values.

    >>> with tf.Graph().as_default():
    ...     x = tf.keras.Input([1])
    ...     y = tf.keras.layers.Dense(1, kernel_initializer="ones")(x)
    ...     tf.compat.v1.keras.backend.get_session().run(y, {x: [[2.0]]})
    array([[2.]], dtype=float32)
    """
    graph = tf.__internal__.graphs.outside_graph()
    if graph is None:
        graph = tf.compat.v1.get_default_graph()
    session = session_of(graph)
    with graph.as_default():
        waiting = [v for v in graph.get_collection(_VARIABLES) if v not in _known(session)]
        if waiting:
            set_ = session.run([v.is_initialized() for v in waiting])
            session.run([v.initializer for v, done in zip(waiting, set_) if not done])
            _known(session).update(waiting)
    return session


def _known(session: Any) -> Any:
    """The variables that are known to have a value in a session."""
    if not hasattr(session, "_keras_initialized"):
        session._keras_initialized = _Identities()
    return session._keras_initialized


class _Identities:
    """A set of objects, each equal to itself alone."""

    def __init__(self) -> None:
        self._held: dict[int, Any] = {}

    def __contains__(self, item: Any) -> bool:
        return id(item) in self._held

    def update(self, items: Any) -> None:
        self._held.update((id(item), item) for item in items)


def set_session(session: Any) -> None:
    """Let models use a session of the program's."""
    _Current.session = session


def make_weight(**options: Any) -> Any:
    """A weight of a layer in the graph that is being built."""
    graph = tf.__internal__.graphs.outside_graph()
    with tf.__internal__.graphs.at_home():
        made = tf.__internal__.graphs.SessionVariable(session=session_of, **options)
    graph.add_to_collection(_VARIABLES, made)
    return made


def new_variable(initial_value: Any, **options: Any) -> Any:
    """A variable, of the graph if one is being built; its first value is made where it is."""
    if in_graph():
        return make_weight(initial_value=initial_value, **options)
    return tf.Variable(initial_value() if callable(initial_value) else initial_value, **options)


def learning_phase_of_graph() -> Any:
    """The tensor that says whether layers of the graph train; it is False unless it is fed."""
    graph = tf.__internal__.graphs.outside_graph()
    held = graph.get_collection_ref(_PHASE)
    if not held:
        with graph.as_default(), tf.control_dependencies(None), graph.name_scope(None):
            made = tf.compat.v1.placeholder_with_default(False, (), name="keras_learning_phase")
        held.append(made)
    return held[0]


def realised(tensor: Any) -> Any:
    """The tensor of the graph for a symbolic tensor of a model."""
    graph = tf.__internal__.graphs.outside_graph()
    if graph is None:
        raise TypeError(f"{tensor!r} has no value outside of a graph: call its model instead.")
    made = graph.get_collection_ref(("__keras_tensors",))
    if not made:
        made.append({})
    known = made[0]
    _Current.realising += 1
    try:
        with graph.as_default(), tf.control_dependencies(None):
            _run_until(tensor, known)
    finally:
        _Current.realising -= 1
    return known[id(tensor)][1]


def _run_until(tensor: Any, known: dict[int, Any]) -> None:
    """Call the layers that a tensor comes from, each after those it takes its inputs from."""
    open_ = [tensor.node]
    while id(tensor) not in known:
        node = open_[-1]
        waiting = [t.node for t in node.keras_inputs if id(t) not in known]
        if waiting and not node.is_input:
            open_ += waiting
            continue
        open_.pop()
        if any(id(t) not in known for t in tf.nest.flatten(node.outputs)):
            _run_node(node, known)


def _run_node(node: Any, known: dict[int, Any]) -> None:
    """Call a layer on tensors of the graph; what it made is known by the symbolic tensors."""
    if node.is_input:
        values = [_placeholder(t) for t in tf.nest.flatten(node.outputs)]
    else:

        def value(argument: Any) -> Any:
            return known[id(argument)][1] if id(argument) in known else argument

        args, kwargs = tf.nest.map_structure(value, (node.call_args, node.call_kwargs))
        values = tf.nest.flatten(node.layer(*args, **kwargs))
    for symbolic, made in zip(tf.nest.flatten(node.outputs), values, strict=True):
        known[id(symbolic)] = symbolic, made


def _placeholder(tensor: Any) -> Any:
    older: Any = tf.compat.v1
    spec = tensor.type_spec
    if isinstance(spec, tf.SparseTensorSpec):
        return older.sparse_placeholder(spec.dtype, spec.shape, name=tensor.name)
    if isinstance(spec, tf.RaggedTensorSpec):
        return older.ragged.placeholder(spec.dtype, spec.ragged_rank, name=tensor.name)
    return older.placeholder(spec.dtype, spec.shape, name=tensor.name)


def place_in_graph() -> int | None:
    """How many operations the plain graph that is being built has; None elsewhere."""
    if not tf.__internal__.graphs.builds_graph():
        return None
    return len(tf.__internal__.graphs.outside_graph().get_operations())


def after_changes_since(place: int | None) -> Any:
    """What is made inside waits for the operations since then that only change something."""
    if place is None:
        return nullcontext()
    newer = tf.__internal__.graphs.outside_graph().get_operations()[place:]
    return tf.control_dependencies([op for op in newer if not op.outputs])


class _Run(threading.local):
    """What symbolic tensors have been in the last run of models, for losses that look at them."""

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}
        self.used = False


_run = _Run()


def note_run(slots: dict[int, int], values: list[Any]) -> None:
    """Keep what a functional model has just computed, by the ids of its symbolic tensors."""
    _run.values.update((key, (None, values[place])) for key, place in slots.items())


@contextmanager
def with_values_of_run() -> Iterator[None]:
    """Functions called on symbolic tensors inside get what these were in the last run."""
    outer, _run.used = _run.used, in_graph()
    try:
        yield
    finally:
        _run.used = outer
        if not outer:
            _run.values = {}


def uses_run() -> bool:
    return _run.used


def value_in_run(tensor: Any) -> Any:
    """What a symbolic tensor was in the last run, or is by what it is made of."""
    if id(tensor) not in _run.values:
        _run_until(tensor, _run.values)
    return _run.values[id(tensor)][1]


class SessionFunction:
    """A function of arrays that runs a part of the graph: `tf.keras.backend.function`."""

    def __init__(
        self,
        inputs: Any,
        outputs: Any,
        updates: Any = None,
        name: str | None = None,
        **session_kwargs: Any,
    ) -> None:
        if session_kwargs:
            raise NotImplementedError(f"K.function: {sorted(session_kwargs)} are not supported.")
        self.inputs = tf.nest.flatten(inputs)
        self._outputs = outputs
        self._updates = [_update(each) for each in updates or ()]
        self.name = name

    def __call__(self, inputs: Any) -> Any:
        values = tf.nest.flatten(inputs)
        if len(values) != len(self.inputs):
            raise ValueError(f"{len(self.inputs)} inputs are wanted, got {len(values)}.")
        feeds = {x: value for x, value in zip(self.inputs, values) if value is not None}
        session = get_session()
        with session.graph.as_default():
            found, _ = session.run([self._outputs, self._updates], feeds)
        return found


def _update(update: Any) -> Any:
    """An operation that changes a variable, or one for a pair of a variable and its new value."""
    if isinstance(update, tuple):
        variable, value = update
        return variable.assign(value).op
    return update


def _forget() -> None:
    _Current.session = None


when_cleared(_forget)
