"""`tf.compat.v1.wrap_function`: a function that builds a graph of TensorFlow 1, called eagerly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import runnel as tf
from runnel.core.op.context import building, unrecorded
from runnel.core.settings.scopes import eager_scope
from runnel.function.concrete import ConcreteFunction
from runnel.function.function_type import parameter_name
from runnel.function.tracing import after_effects
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.inlining import inline
from runnel.graph.build.naming import inference_name
from runnel.graph.build.operation import Operation
from runnel.saved_model.reading.restored import function_type_of, plain_signature


class WrappedFunction:
    """One graph with its variables; called with the tensors of its signature."""

    def __init__(self, function: Any, variables: Sequence[Any]) -> None:
        self._function = function
        self._variables = variables

    graph = property(lambda self: self._function.graph)
    inputs = property(lambda self: self._function.inputs)
    outputs = property(lambda self: self._function.outputs)
    captured_inputs = property(lambda self: self._function.captured_inputs)
    structured_outputs = property(lambda self: self._function.structured_outputs)
    structured_input_signature = property(lambda self: self._function.structured_input_signature)
    name = property(lambda self: self._function.name)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the function made."""
        return tuple(self._variables)

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return tuple(v for v in self._variables if v.trainable)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise NotImplementedError(
                f"A wrapped function takes its tensors in their order, got {sorted(kwargs)}."
            )
        return self._function(*args)

    def prune(
        self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None
    ) -> WrappedFunction:
        """The part of the graph from some tensors to others, as a function of the same variables.

        Both are nests of tensors of `graph` or of names; an operation in `fetches` is run, and
        None stands in its place.
        """
        if input_signature is not None:
            raise NotImplementedError("prune: `input_signature` is not supported.")
        fed = [self._element(feed) for feed in tf.nest.flatten(feeds, expand_composites=True)]
        for feed in fed:
            if isinstance(feed, Operation):
                raise ValueError(f"prune: all `feeds` must be tensors, got {feed!r}.")
        wanted = tf.nest.map_structure(self._element, fetches)
        flat = tf.nest.flatten(wanted, expand_composites=True)
        tensors = [element for element in flat if not isinstance(element, Operation)]
        held = self._function.captured_inputs
        places = [inside for _, inside in self.graph.captures]
        given = {feed._id for feed in fed}
        kept = [(p, h) for p, h in zip(places, held, strict=True) if p._id not in given]

        graph = FuncGraph(name or "pruned")
        with building(graph), unrecorded(), eager_scope(""):
            args = [graph.add_input(t.dtype, t.shape._dims, t.op.name) for t in fed]
            outside = [graph.capture(h) for _, h in kept]
            inputs = [*[p for p, _ in kept], *fed]
            made: list[Any] = inline(self.graph, inputs, tensors, [*outside, *args], graph)
            graph.last = after_effects(graph)
        graph.outputs, found = made, iter(made)
        results = [None if isinstance(e, Operation) else next(found) for e in flat]
        graph.structured_outputs = tf.nest.pack_sequence_as(wanted, results, expand_composites=True)
        specs = [
            tf.TensorSpec(feed.shape, feed.dtype, parameter_name(feed.op.name)) for feed in fed
        ]
        kind = function_type_of(plain_signature(specs, {}), specs, {})
        function = ConcreteFunction(graph, inference_name(graph.name), kind)
        return WrappedFunction(function, self._variables)

    def _element(self, wanted: Any) -> Any:
        if isinstance(wanted, tf.compat.v1.TensorInfo):
            wanted = wanted.name
        if not isinstance(wanted, str):
            if getattr(wanted, "graph", None) is not self.graph:
                raise ValueError(f"prune: {wanted!r} is not of the graph of this function.")
            return wanted
        return self.graph.as_graph_element(wanted)


def wrap_function(
    fn: Callable[..., Any], signature: Sequence[Any], name: str | None = None
) -> WrappedFunction:
    """A function that builds a graph, as one that can be called; its variables are made once.

    >>> def line(x):
    ...     return x * tf.compat.v1.get_variable("w", [], initializer=tf.ones_initializer())
    >>> double = tf.compat.v1.wrap_function(line, [tf.TensorSpec([2], tf.float32)])
    >>> w = double.variables[0].assign(2.0)
    >>> double(tf.constant([1.0, 2.0])).numpy()
    array([2., 4.], dtype=float32)
    """
    made: list[Any] = []

    def run(*args: Any) -> Any:
        places = iter(range(len(made)))

        def creator(make: Callable[..., Any], **options: Any) -> Any:
            place = next(places, None)
            if place is None:
                made.append(make(**options))
                return made[-1]
            return made[place]  # traced again, now that the variables are there

        with tf.variable_creator_scope(creator):
            return fn(*args)

    run.__name__ = "wrapped_function" if name is None else f"wrapped_function_{name}"
    traced = tf.function(run, input_signature=list(signature), autograph=False)
    return WrappedFunction(traced.get_concrete_function(), made)
