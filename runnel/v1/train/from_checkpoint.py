"""`init_from_checkpoint`: variables that begin with the values of a checkpoint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.graph.functions.graph_variable import GraphVariable
from runnel.v1.variables.partitioning import PartitionedVariable
from runnel.v1.variables.scopes import default_store

_PIECE = re.compile(r"/part_\d+$")


def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Let variables begin with values of a checkpoint, when their initializers are run.

    The map is from names in the checkpoint to variables or their names, or from scopes, which end
    with `/`, to scopes: then all variables of a scope begin with what is called like them.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model")
    >>> path = tf.train.Checkpoint(old=tf.Variable([1.0, 2.0])).write(path)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("new", [2])
    ...     name = "old/.ATTRIBUTES/VARIABLE_VALUE"
    ...     tf.compat.v1.train.init_from_checkpoint(path, {name: v})
    ...     session.run(v.initializer)
    ...     session.run(v)
    array([1., 2.], dtype=float32)
    """
    reader = tf.train.load_checkpoint(ckpt_dir_or_file)
    shapes = reader.get_variable_to_shape_map()
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    for theirs, ours in pairs:
        for name, variables in _targets(theirs, ours, shapes):
            if name not in shapes:
                raise ValueError(
                    f"init_from_checkpoint: {ckpt_dir_or_file} has no tensor {name!r}. It has "
                    f"{sorted(shapes)[:20]}."
                )
            _begin_with(str(reader.prefix), name, shapes[name], variables)


def _targets(theirs: str, ours: Any, shapes: Any) -> Iterator[tuple[str, list[Any]]]:
    """Names in the checkpoint, with the variable of each, or its pieces."""
    if isinstance(ours, (tf.Variable, PartitionedVariable)):
        yield theirs, list(ours) if isinstance(ours, PartitionedVariable) else [ours]
    elif isinstance(ours, list) and all(isinstance(v, tf.Variable) for v in ours):
        yield theirs, ours
    elif not isinstance(ours, str):
        raise ValueError(f"init_from_checkpoint: a variable or a name is wanted, got {ours!r}.")
    elif not ours.endswith("/"):
        yield theirs, _named(ours)
    else:
        if not theirs.endswith("/"):
            raise ValueError(
                f"init_from_checkpoint: a scope ends with '/', and so must {theirs!r} for {ours!r}."
            )
        names = dict.fromkeys(_PIECE.sub("", n) for n in default_store().vars)
        inside = [n for n in names if ours == "/" or n.startswith(ours)]
        if not inside:
            raise ValueError(f"init_from_checkpoint: there are no variables in the scope {ours!r}.")
        for name in inside:
            rest = name if ours == "/" else name[len(ours) :]
            yield rest if theirs == "/" else theirs + rest, _named(name)


def _named(name: str) -> list[Any]:
    """The variable of that name, or its pieces."""
    known = default_store().vars
    if name in known:
        return [known[name]]
    pieces = [v for n, v in known.items() if _PIECE.sub("", n) == name]
    if not pieces:
        raise ValueError(f"init_from_checkpoint: there is no variable {name!r}.")
    return pieces


def _begin_with(prefix: str, name: str, shape: Any, variables: list[Any]) -> None:
    for variable, spec in zip(variables, _slices(name, list(shape), variables)):
        if state.graph is None and not isinstance(variable, GraphVariable):
            variable.assign(_restored(prefix, name, spec, variable))
            continue
        with tf.init_scope(), tf.control_dependencies(None):
            first = _restored(prefix, name, spec, variable)
            variable._first = first
            variable._initializer = raw_ops.AssignVariableOp(variable.handle, first)


def _restored(prefix: str, name: str, spec: str, variable: Any) -> Any:
    found = raw_ops.RestoreV2(
        prefix=tf.convert_to_tensor(prefix),
        tensor_names=tf.convert_to_tensor([name]),
        shape_and_slices=tf.convert_to_tensor([spec]),
        dtypes=[variable.dtype.base_dtype],
    )
    tensor = found[0]
    tensor.set_shape(variable.shape)
    return tensor


def _slices(name: str, shape: list[int], variables: list[Any]) -> Iterator[str]:
    """Which part of a tensor each piece is, as checkpoints say it."""
    sizes = [v.shape.as_list() for v in variables]
    if len(variables) == 1:
        if sizes[0] != shape:
            raise ValueError(
                f"init_from_checkpoint: the variable {variables[0].name} has shape {sizes[0]}, "
                f"and {name} in the checkpoint {shape}."
            )
        yield ""
        return
    axis = next((a for a, n in enumerate(shape) if sizes[0][a] != n), 0)
    if sum(size[axis] for size in sizes) != shape[axis]:
        raise ValueError(
            f"init_from_checkpoint: the pieces of {variables[0].name} have the shapes {sizes}, and "
            f"{name} in the checkpoint {shape}."
        )
    start = 0
    whole = " ".join(map(str, shape))
    for size in sizes:
        part = [f"{start},{n}" if a == axis else "-" for a, n in enumerate(size)]
        start += size[axis]
        yield f"{whole} {':'.join(part)}"
