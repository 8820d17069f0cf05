"""The operations by which a graph saves and restores its variables, for `SaverDef`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.protos import messages
from runnel.graph.functions.graph_variable import GraphVariable
from runnel.v1.behavior.placeholders import placeholder_with_default


def can_make(variables: Mapping[str, Any]) -> bool:
    """Whether all are variables of graphs, whole and not in pieces."""
    return bool(variables) and all(isinstance(v, GraphVariable) for v in variables.values())


def make_saver_ops(
    graph: Any,
    scope: str,
    variables: Mapping[str, GraphVariable],
    filename: str | None,
    version: int,
) -> Any:
    """Add the operations to a graph; the message that names them."""
    names, held = list(variables), list(variables.values())
    with graph.as_default(), tf.control_dependencies(None), graph.name_scope(scope):
        default = placeholder_with_default(filename or "model", shape=(), name="filename")
        path = placeholder_with_default(default, shape=(), name="Const")
        saved = _save(path, names, [v.snapshot for v in held], version)
        with tf.control_dependencies([saved]):
            done = tf.identity(path, name="control_dependency")
        steps = []
        values = raw_ops.RestoreV2(
            prefix=path,
            tensor_names=tf.convert_to_tensor(names),
            shape_and_slices=tf.convert_to_tensor([""] * len(names)),
            dtypes=[v.dtype.base_dtype for v in held],
        )
        for variable, value in zip(held, values):
            value.set_shape(variable.shape)
            steps.append(raw_ops.AssignVariableOp(variable.handle, tf.identity(value)))
        restored = tf.group(*steps, name="restore_all")
    return messages.SaverDef(
        filename_tensor_name=path.name,
        save_tensor_name=done.name,
        restore_op_name=restored.name,
        version=version,
    )


def _save(path: Any, names: list[str], values: list[Any], version: int) -> Any:
    texts = tf.convert_to_tensor([""] * len(names))
    if version == messages.SaverDef.V2:
        return raw_ops.SaveV2(path, tf.convert_to_tensor(names), texts, values)
    return raw_ops.SaveSlices(path, tf.convert_to_tensor(names), texts, values)
