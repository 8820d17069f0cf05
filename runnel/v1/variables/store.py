"""The variables of a graph by name: made once, and found again by those who reuse them."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.graph.session.default import get_default_graph
from runnel.v1.variables.collections import GraphKeys
from runnel.v1.variables.initializers import default_initializer
from runnel.v1.variables.partitioning import PartitionedVariable, PartitionInfo, slices_of
from runnel.v1.variables.variable import make_variable


@dataclass
class Request:
    """What is asked of a store: a variable of that name, and what it is to be if it is made."""

    name: str
    shape: Any = None
    dtype: Any = tf.float32
    initializer: Any = None
    regularizer: Any = None
    reuse: Any = None
    trainable: bool | None = None
    collections: Sequence[str] | None = None
    caching_device: Any = None
    partitioner: Any = None
    validate_shape: bool = True
    use_resource: bool | None = None
    custom_getter: Any = None
    constraint: Any = None
    synchronization: Any = tf.VariableSynchronization.AUTO
    aggregation: Any = tf.VariableAggregation.NONE

    def options(self) -> dict[str, Any]:
        """All of it but the name, for custom getters."""
        return {k: v for k, v in vars(self).items() if k not in ("name", "custom_getter")}


class VariableStore:
    """Variables by name.

    While ops run at once, nothing is kept unless `keeps` says so: every call makes a variable.
    """

    def __init__(self, keeps: bool = False) -> None:
        self.vars: dict[str, Any] = {}
        self._pieces: dict[str, PartitionedVariable] = {}
        self.keeps = keeps

    def get_variable(self, request: Request) -> Any:
        """The variable that is asked for, by way of a custom getter if there is one."""
        if request.custom_getter is None:
            return self._true_getter(request.name, **request.options())
        if not callable(request.custom_getter):
            raise ValueError(
                f"get_variable: `custom_getter` is no function, got {request.custom_getter!r}."
            )
        options = request.options()
        return request.custom_getter(self._true_getter, name=request.name, **options)

    def _true_getter(self, name: str, shape: Any = None, **options: Any) -> Any:
        request = Request(name, shape, **options)
        request.dtype = tf.as_dtype(request.dtype or tf.float32)
        if name in self._pieces or (request.partitioner is not None and name not in self.vars):
            return self._partitioned(request)
        return self._single(request)

    def _single(self, request: Request, info: PartitionInfo | None = None) -> Any:
        kept = state.graph is not None or self.keeps
        if request.name in self.vars and kept:
            return self._found(request)
        if request.reuse is True and kept:
            raise ValueError(
                f"Variable {request.name} does not exist, or was not created with "
                "tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in its scope?"
            )
        made = _made(request, info)
        if kept:
            self.vars[request.name] = made
        if request.regularizer is not None:
            _regularize(made, request)
        return made

    def _found(self, request: Request) -> Any:
        found = self.vars[request.name]
        if not request.reuse:
            raise ValueError(
                f"Variable {request.name} already exists, disallowed. Did you mean to set "
                "reuse=True or reuse=tf.AUTO_REUSE in its scope?"
            )
        if request.shape is not None and not tf.TensorShape(request.shape).is_compatible_with(
            found.shape
        ):
            raise ValueError(
                f"Trying to share variable {request.name}, but specified shape "
                f"{tf.TensorShape(request.shape)} and found shape {found.shape}."
            )
        if not request.dtype.is_compatible_with(found.dtype):
            raise ValueError(
                f"Trying to share variable {request.name}, but specified dtype "
                f"{request.dtype.name} and found dtype {found.dtype.name}."
            )
        return found

    def _partitioned(self, request: Request) -> Any:
        """A variable in pieces, each of which is a variable of its own."""
        if request.name in self._pieces:
            if not request.reuse:
                raise ValueError(f"Partitioned variable {request.name} already exists, disallowed.")
            return self._pieces[request.name]
        shape = tf.TensorShape(request.shape)
        if not shape.is_fully_defined():
            raise ValueError(f"The shape of a partitioned variable ({request.name}) must be known.")
        dims = [int(n) for n in shape.as_list()]  # type: ignore[arg-type]
        if not callable(request.partitioner):
            raise ValueError(
                f"The partitioner of {request.name} is no function, got {request.partitioner!r}."
            )
        parts = list(request.partitioner(shape=shape, dtype=request.dtype))
        if len(parts) != len(dims) or not all(1 <= n <= max(d, 1) for n, d in zip(parts, dims)):
            raise ValueError(
                f"The partitioner of {request.name} gave {parts} for the shape {dims}."
            )
        pieces = []
        for number, (offset, size) in enumerate(slices_of(dims, parts)):
            part = replace(
                request, name=f"{request.name}/part_{number}", shape=size, partitioner=None
            )
            pieces.append(self._single(part, PartitionInfo(dims, offset)))
        whole = PartitionedVariable(request.name, dims, request.dtype, pieces, parts)
        self._pieces[request.name] = whole
        return whole


def _made(request: Request, info: PartitionInfo | None) -> Any:
    """A new variable."""
    initializer, static = request.initializer, None
    if initializer is None:
        initializer = default_initializer(request.dtype)
    shape = tf.TensorShape(request.shape)
    value: Any
    if not callable(initializer) or isinstance(initializer, tf.Tensor):
        if request.shape is not None:
            raise ValueError(
                f"get_variable: {request.name} has the shape of the value that is its initializer; "
                f"leave out `shape`, {shape}."
            )
        value, dtype = initializer, None  # the value has its dtype, whatever the scope says
    else:
        dtype = request.dtype
        if isinstance(initializer, type):
            initializer = initializer()
        if shape.is_fully_defined():
            value = partial(initializer, shape.as_list(), **_accepted(initializer, dtype, info))
            static = shape
        elif not _needs(initializer):
            value = initializer
        else:
            raise ValueError(
                f"Shape of a new variable ({request.name}) must be fully defined, but was {shape}."
            )
    with tf.init_scope(), tf.name_scope(""):
        return make_variable(
            value,
            trainable=request.trainable,
            collections=request.collections,
            caching_device=request.caching_device,
            validate_shape=request.validate_shape,
            name=request.name,
            dtype=dtype,
            constraint=request.constraint,
            use_resource=request.use_resource,
            synchronization=request.synchronization,
            aggregation=request.aggregation,
            shape=static,
        )


def _parameters(initializer: Any) -> dict[str, Any]:
    try:
        return dict(inspect.signature(initializer).parameters)
    except (TypeError, ValueError):
        return {"dtype": None}


def _accepted(initializer: Any, dtype: Any, info: PartitionInfo | None) -> dict[str, Any]:
    """The keywords that an initializer takes."""
    known = _parameters(initializer)
    found = {"dtype": dtype} if "dtype" in known or len(known) > 1 else {}
    if info is not None and "partition_info" in known:
        found["partition_info"] = info
    return found


def _needs(initializer: Any) -> bool:
    """Whether an initializer has to be given a shape."""
    return any(p is not None and p.default is p.empty for p in _parameters(initializer).values())


def _regularize(variable: Any, request: Request) -> None:
    """Put the loss that a regularizer makes of a variable into the collection of such losses."""
    with tf.name_scope(f"{request.name}/Regularizer/"), tf.control_dependencies(None):
        loss = request.regularizer(variable)
    if loss is not None:
        get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
