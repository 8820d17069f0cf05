"""Operations that give variables and tables their first values, and tell which have none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.graph.session.default import get_default_graph
from .collections import GraphKeys, get_collection, global_variables, local_variables


def variables_initializer(var_list: Sequence[Any], name: str | None = "init") -> Any:
    """An operation that gives variables their first values.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", [2], initializer=tf.compat.v1.ones_initializer())
    ...     session.run(tf.compat.v1.variables_initializer([v]))
    ...     session.run(v)
    array([1., 1.], dtype=float32)
    """
    if var_list and state.graph is not None:
        return tf.group(*[v.initializer for v in var_list], name=name)
    return tf.no_op(name=name)


initialize_variables = variables_initializer


def global_variables_initializer() -> Any:
    """An operation that gives the variables of the default graph their first values."""
    if state.graph is None:
        return tf.no_op(name="global_variables_initializer")
    return variables_initializer(global_variables())


initialize_all_variables = global_variables_initializer


def local_variables_initializer() -> Any:
    """An operation that gives the local variables of the default graph their first values."""
    if state.graph is None:
        return tf.no_op(name="local_variables_initializer")
    return variables_initializer(local_variables(), name="init_1")


initialize_local_variables = local_variables_initializer


def tables_initializer(name: str | None = "init_all_tables") -> Any:
    """An operation that fills the tables of the default graph."""
    if state.graph is None:
        return tf.no_op(name=name)
    found = get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
    return tf.group(*found, name=name) if found else tf.no_op(name=name)


initialize_all_tables = tables_initializer


def is_variable_initialized(variable: Any) -> tf.Tensor:
    """Whether a variable has a value."""
    return variable.is_initialized()  # type: ignore[no-any-return]


def report_uninitialized_variables(
    var_list: Sequence[Any] | None = None, name: str = "report_uninitialized_variables"
) -> tf.Tensor:
    """The names of the variables without a value, as a vector of strings."""
    if var_list is None:
        var_list = [*global_variables(), *local_variables()]
        var_list = var_list or get_collection("variables_to_check")
    with tf.name_scope(name):
        if not var_list:
            return tf.constant([], dtype=tf.string)
        missing = tf.logical_not(tf.stack([v.is_initialized() for v in var_list]))
        names = tf.constant([v.op.name for v in var_list])
        return tf.boolean_mask(names, missing)  # type: ignore[no-any-return]


def assert_variables_initialized(var_list: Sequence[Any] | None = None) -> tf.Tensor | None:
    """An operation that raises FailedPreconditionError if a variable has no value."""
    if var_list is None:
        var_list = [*global_variables(), *local_variables()]
    if not var_list:
        return None
    ranks = []
    for variable in var_list:
        with tf.control_dependencies([variable.value()]):
            ranks.append(raw_ops.Rank(input=variable.value()))
    return ranks[0] if len(ranks) == 1 else tf.stack(ranks)  # type: ignore[no-any-return]
