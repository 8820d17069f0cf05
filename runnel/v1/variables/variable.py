"""`tf.compat.v1.Variable`, and functions that change variables."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import runnel as tf
from runnel.backend import configuration
from runnel.core.op.context import state
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike
from runnel.graph.build.func_graph import outermost
from runnel.graph.functions.graph_variable import GraphVariable
from runnel.graph.functions.reference_variable import ReferenceVariable
from runnel.v1.variables.collections import GraphKeys

_MADE_IN = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES)


class _Any(type(tf.Variable)):  # type: ignore[misc]
    """Makes variables of the kind that is right where they are made: of graphs, or eager ones."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        return make_variable(*args, **options)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, tf.Variable)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return tf.Variable in subclass.__mro__


class VariableV1(tf.Variable, metaclass=_Any):
    """A variable whose graph says by collections what it is for.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.Variable([1.0, 2.0])
    ...     session.run(v.initializer)
    ...     session.run(v.assign_add([1.0, 1.0]))
    array([2., 3.], dtype=float32)
    """

    def __init__(
        self,
        initial_value: TensorLike = None,
        trainable: bool | None = None,
        collections: Sequence[str] | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: DTypeLike = None,
        expected_shape: ShapeLike = None,
        import_scope: str | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: tf.VariableSynchronization = tf.VariableSynchronization.AUTO,
        aggregation: tf.VariableAggregation = tf.VariableAggregation.NONE,
        shape: ShapeLike = None,
    ) -> None:
        raise AssertionError("tf.compat.v1.Variable makes variables of other classes.")


def make_variable(
    initial_value: TensorLike = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    validate_shape: bool = True,
    caching_device: Any = None,
    name: str | None = None,
    variable_def: Any = None,
    dtype: DTypeLike = None,
    expected_shape: ShapeLike = None,
    import_scope: str | None = None,
    constraint: Any = None,
    use_resource: bool | None = None,
    synchronization: tf.VariableSynchronization = tf.VariableSynchronization.AUTO,
    aggregation: tf.VariableAggregation = tf.VariableAggregation.NONE,
    shape: ShapeLike = None,
    experimental_enable_variable_lifting: bool = True,
) -> Any:
    """A variable: in a graph a resource, or a reference if resource variables are switched off."""
    if not isinstance(collections, (list, tuple, set, type(None))):
        raise ValueError(f"Variable: `collections` must be a list or tuple, got {collections!r}.")
    if not validate_shape and shape is None:
        shape = tf.TensorShape(None)
    if shape is None and expected_shape is not None:
        shape = expected_shape
    if use_resource is None:
        use_resource = configuration.resource_variables
    graph: Any = outermost(state.graph)
    refers = not use_resource and isinstance(graph, tf.Graph)
    with graph.variables_of(ReferenceVariable) if refers else nullcontext():
        made = tf.Variable(
            initial_value,
            trainable=trainable,
            validate_shape=validate_shape,
            caching_device=caching_device,
            name=name,
            variable_def=variable_def,
            dtype=dtype,
            import_scope=import_scope,
            constraint=constraint,
            synchronization=synchronization,
            aggregation=aggregation,
            shape=shape,
            experimental_enable_variable_lifting=experimental_enable_variable_lifting,
        )
    if collections is not None and isinstance(made, GraphVariable):
        _move(made, list(collections))
    return made


def _move(variable: GraphVariable, collections: list[str]) -> None:
    """Put a variable that was just made into other collections."""
    if variable.trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
        collections.append(GraphKeys.TRAINABLE_VARIABLES)
    for name in _MADE_IN:
        held = variable.graph.get_collection_ref(name)
        held[:] = [v for v in held if v is not variable]
    variable.graph.add_to_collections(collections, variable)


def assign(
    ref: Any,
    value: TensorLike,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """Change a variable; in a graph, what then reads it."""
    return ref.assign(value, name=name)


def assign_add(
    ref: Any, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Add to a variable; in a graph, what then reads it."""
    return ref.assign_add(value, name=name)


def assign_sub(
    ref: Any, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Subtract from a variable; in a graph, what then reads it."""
    return ref.assign_sub(value, name=name)
