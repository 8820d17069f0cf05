"""The variable that counts steps of training."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.graph.functions.reference_variable import ReferenceVariable
from runnel.graph.session.default import get_default_graph
from runnel.v1.variables.collections import GraphKeys
from runnel.v1.variables.initializers import Zeros
from runnel.v1.variables.scopes import get_variable, variable_scope

_BEFORE = "global_step_read_op_cache"


def get_global_step(graph: Any = None) -> Any:
    """The variable that counts the steps of a graph; None if there is none."""
    found = (graph or get_default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        raise TypeError("There is more than one variable in the collection GLOBAL_STEP.")
    if not found:
        return None
    assert_global_step(found[0])
    return found[0]


def create_global_step(graph: Any = None) -> Any:
    """Make the variable that counts steps; ValueError if there is one."""
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    target = graph or get_default_graph()
    with target.as_default(), tf.name_scope(""), variable_scope("", reuse=False):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            [],
            tf.int64,
            Zeros(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Any = None) -> Any:
    """The variable that counts steps, which is made if there is none.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    >>> step.name, step.dtype
    ('global_step:0', tf.int64)
    """
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def global_step_before(variable: Any) -> Any:
    """What gives the step as it was before a run, although a reference gives what it is after."""
    if not isinstance(variable, ReferenceVariable):
        return variable
    kept = variable.graph.get_collection_ref(_BEFORE)
    if not kept:
        with tf.init_scope(), variable.graph.name_scope(f"{variable.op.name}/"):
            kept.append(tf.add(variable.snapshot, 0, name="add"))
    return kept[0]


def assert_global_step(global_step_tensor: Any) -> None:
    """Raise TypeError for what cannot count steps."""
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(f"A global step is an integer, got {global_step_tensor.dtype.name}.")
    if global_step_tensor.shape.rank not in (0, None):
        raise TypeError(f"A global step is a scalar, got the shape {global_step_tensor.shape}.")


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The number of steps so far in a session."""
    return int(sess.run(global_step_tensor))
