"""Ops on variables: the kernel gets a variable's value for its handle (see `state=` of `op`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.gradients.ones_and_zeros import held
from runnel.core.op.context import state
from runnel.core.state.resource import VariableResource
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.values.dtypes import INDICES, NUMERIC, DType, int32
from runnel.core.values.errors import OutOfRangeError, bad_dtype, bad_shape
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.kernels import arrays
from runnel.ops.array.gathering import (
    batch_count,
    check_range,
    check_rows,
    flat_index,
    gather_batched,
    join,
)
from runnel.ops.array.scattering import WIDE_INDICES, check_updates, scatter_rows
from runnel.ops.guards import FIRST_AXIS, ROWS, indices_along
from runnel.ops.shapes import scalar

_FLAT = np.array([-1], np.int32)


def _held_dims(handle: Spec) -> Dims:
    return None if handle.handle is None else handle.handle.static_shape._dims


def _held_shape(resource: Spec, *others: Spec, **attrs: Any) -> Dims:
    return _held_dims(resource)


def _check_read(resource: VariableResource, *, dtype: DType) -> None:
    if dtype is not resource.dtype:
        raise bad_dtype("ReadVariableOp", want=f"be {resource.dtype.name}", dtype=dtype)


@op(
    "ReadVariableOp",
    "resource: resource -> value: dtype",
    state="read",
    shape=_held_shape,
    check=_check_read,
)
def _read(xp: Namespace, resource: Array, *, dtype: DType) -> Array:
    return resource


@RegisterGradient("ReadVariableOp", needs="", slices=True)
def _read_grad(op: Any, dy: Tensor) -> Gradients:
    return dy


def _check_delta(op_name: str) -> Any:
    """A check that a number to add has the dtype and the shape of the value there is."""

    def check(resource: VariableResource, value: Array) -> None:
        if value.dtype != resource.dtype.np_dtype:
            raise bad_dtype(op_name, want=f"be of dtype {resource.dtype.name}", value=value)
        shape = resource.read().shape
        if value.shape != shape:
            raise bad_shape(op_name, want=f"have the shape {shape} of the variable", value=value)

    return check


def _check_value(op_name: str) -> Any:
    """A check that the value has the dtype and the shape of the variable."""

    def check(resource: VariableResource, value: Array, **attrs: Any) -> None:
        if value.dtype != resource.dtype.np_dtype:
            raise bad_dtype(op_name, want=f"be of dtype {resource.dtype.name}", value=value)
        dims = resource.static_shape._dims
        if dims is None or value.shape == dims:
            return
        if not resource.static_shape.is_compatible_with(value.shape):
            raise bad_shape(op_name, want=f"have the shape {dims} of the variable", value=value)

    return check


_WRITES = "resource: resource, value: dtype ->"


@op("AssignVariableOp", _WRITES, state="replace", check=_check_value("AssignVariableOp"))
def _assign(xp: Namespace, resource: Array, value: Array, *, validate_shape: bool = False) -> Array:
    return value


_UPDATE: Any = {"dtype": NUMERIC, "state": "update"}


@op("AssignAddVariableOp", _WRITES, check=_check_delta("AssignAddVariableOp"), **_UPDATE)
def _assign_add(xp: Namespace, resource: Array, value: Array) -> Array:
    return xp.add(resource, value)


@op("AssignSubVariableOp", _WRITES, check=_check_delta("AssignSubVariableOp"), **_UPDATE)
def _assign_sub(xp: Namespace, resource: Array, value: Array) -> Array:
    return xp.subtract(resource, value)


def _gathered_rows(resource: Spec, indices: Spec, *, batch_dims: int = 0, **attrs: Any) -> Dims:
    dims = _held_dims(resource)
    if dims is None or indices.dims is None:
        return None
    batch = batch_count("ResourceGather", batch_dims, len(indices.dims))
    return (*dims[:batch], *indices.dims[batch:], *dims[batch + 1 :])


def _row_axis(resource: Array, indices: Array, *, batch_dims: int = 0, **attrs: Any) -> int:
    return batch_count("ResourceGather", batch_dims, len(indices.shape))


def _check_gather(
    resource: VariableResource, indices: Array, *, batch_dims: int = 0, **attrs: Any
) -> None:
    batch = batch_count("ResourceGather", batch_dims, len(indices.shape))
    check_range("ResourceGather", indices, resource.read().shape[batch])


@op(
    "ResourceGather",
    "resource: resource, indices: Tindices -> output: dtype",
    Tindices=WIDE_INDICES,
    state="read",
    shape=_gathered_rows,
    check=_check_gather,
    guard=indices_along(_row_axis),
)
def _resource_gather(
    xp: Namespace,
    resource: Array,
    indices: Array,
    *,
    dtype: DType,
    batch_dims: int = 0,
    validate_indices: bool = True,
) -> Array:
    batch = batch_count("ResourceGather", batch_dims, len(indices.shape))
    return gather_batched(xp, resource, indices, batch, batch)


def _dense_shape(handle: Any, dtype: DType = int32) -> Any:
    """The shape of a variable: a constant in a graph, where it is known."""
    dims = None if state.graph is None else held(handle).static_shape._dims
    if dims is None or None in dims:
        return raw_ops.VariableShape(handle, out_type=dtype)
    return convert_to_tensor(np.array(dims, dtype.np_dtype))


@RegisterGradient("ResourceGather", needs="resource indices")
def _resource_gather_grad(op: Any, dy: Tensor) -> Gradients:
    handle, indices = op.inputs
    shape = _dense_shape(handle)
    rows = raw_ops.Reshape(dy, join(_FLAT, shape[1:]))
    return IndexedSlices(rows, raw_ops.Reshape(indices, _FLAT), shape), None  # type: ignore[return-value]


def _check_gather_nd(resource: VariableResource, indices: Array, **attrs: Any) -> None:
    check_rows("ResourceGatherNd", indices, resource.read().shape)


@op(
    "ResourceGatherNd",
    "resource: resource, indices: Tindices -> output: dtype",
    Tindices=WIDE_INDICES,
    state="read",
    check=_check_gather_nd,
    guard=ROWS,
)
def _resource_gather_nd(xp: Namespace, resource: Array, indices: Array, *, dtype: DType) -> Array:
    depth = indices.shape[-1]
    place, _ = flat_index(xp, indices, resource.shape[:depth])
    rows = resource.reshape((-1, *resource.shape[depth:]))
    return xp.take(rows, place, axis=0).reshape((*indices.shape[:-1], *resource.shape[depth:]))


@RegisterGradient("ResourceGatherNd", needs="resource indices")
def _resource_gather_nd_grad(op: Any, dy: Tensor) -> Gradients:
    handle, indices = op.inputs
    shape = _dense_shape(handle, indices.dtype)
    if indices.ndim == 2 and indices.shape[-1] == 1:
        return IndexedSlices(dy, raw_ops.Squeeze(indices, axis=[-1]), shape), None  # type: ignore[return-value]
    return raw_ops.ScatterNd(indices, dy, shape), None


def _check_scatter(op_name: str) -> Any:
    def check(resource: VariableResource, indices: Array, updates: Array) -> None:
        shape = resource.read().shape
        wanted = (*indices.shape, *shape[1:])
        if updates.shape not in ((), wanted):
            raise bad_shape(op_name, want=f"be a scalar or have shape {wanted}", updates=updates)
        check_range(op_name, indices, shape[0])

    return check


def _declare_scatter(name: str, how: str, dtypes: Any = None) -> None:
    """The op that combines rows of a variable with updates."""
    options = {} if dtypes is None else {"dtype": dtypes}

    @op(
        name,
        "resource: resource, indices: Tindices, updates: dtype ->",
        Tindices=WIDE_INDICES,
        state="update",
        check=_check_scatter(name),
        guard=FIRST_AXIS,
        **options,
    )
    def _scatter(xp: Namespace, resource: Array, indices: Array, updates: Array) -> Array:
        rows = xp.broadcast_to(updates, (*indices.shape, *resource.shape[1:]))
        return arrays.scatter(xp, resource, indices, rows, how)


_declare_scatter("ResourceScatterUpdate", "set")
for _name, _how in (
    ("ResourceScatterAdd", "add"),
    ("ResourceScatterSub", "subtract"),
    ("ResourceScatterMul", "multiply"),
    ("ResourceScatterDiv", "divide"),
    ("ResourceScatterMin", "min"),
    ("ResourceScatterMax", "max"),
):
    _declare_scatter(_name, _how, NUMERIC)


def _check_scatter_nd(op_name: str) -> Any:
    def check(
        ref: VariableResource,
        indices: Array,
        updates: Array,
        *,
        bad_indices_policy: str = "",
        **attrs: Any,
    ) -> None:
        shape = ref.read().shape
        check_updates(op_name, shape, indices.shape, updates.shape)
        check_rows(op_name, indices, shape, bad_indices_policy)

    return check


def _declare_scatter_nd(name: str, how: str) -> None:
    """The op that combines slices of a variable, named by rows of coordinates, with updates."""

    @op(
        name,
        "ref: resource, indices: Tindices, updates: T ->",
        Tindices=WIDE_INDICES,
        state="update",
        check=_check_scatter_nd(name),
        guard=ROWS,
    )
    def _scatter(
        xp: Namespace,
        ref: Array,
        indices: Array,
        updates: Array,
        *,
        use_locking: bool = True,
        bad_indices_policy: str = "",
    ) -> Array:
        return scatter_rows(xp, ref, indices, updates, how, bad_indices_policy)


for _name, _how in (
    ("ResourceScatterNdUpdate", "set"),
    ("ResourceScatterNdAdd", "add"),
    ("ResourceScatterNdSub", "subtract"),
    ("ResourceScatterNdMin", "min"),
    ("ResourceScatterNdMax", "max"),
):
    _declare_scatter_nd(_name, _how)


def _rank_shape(input: Spec, **attrs: Any) -> Dims:
    dims = _held_dims(input)
    return (None,) if dims is None else (len(dims),)


@op(
    "VariableShape",
    "input: resource -> output: out_type",
    out_type=INDICES,
    state="read",
    shape=_rank_shape,
)
def _variable_shape(xp: Namespace, input: Array, *, out_type: DType = int32) -> Array:
    return np.array(input.shape, out_type.np_dtype)


no_gradient("VariableShape")


@op("ResourceCountUpTo", "resource: resource -> output: T", T=INDICES, shape=scalar)
def _count_up_to(xp: Namespace, resource: VariableResource, *, limit: int, T: DType) -> Array:
    with resource.lock:
        value = resource.read()
        if value >= limit:
            raise OutOfRangeError(
                None, None, f"Reached the limit of {limit} [Op:ResourceCountUpTo]"
            )
        resource.assign(np.add(value, np.ones((), value.dtype)))
    return value


@op("VarIsInitializedOp", "resource: resource -> is_initialized: bool", shape=scalar)
def _is_initialized(xp: Namespace, resource: VariableResource) -> Array:
    return np.array(resource.value is not None)


no_gradient("VarIsInitializedOp")

_named: dict[tuple[str, str], VariableResource] = {}
_ANONYMOUS = (
    "",
    "cd2c89b7-88b7-44c8-ad83-06c2a9158347",
)  # TensorFlow's word for "a name of its own"


@op("VarHandleOp", "-> resource: resource", shape=scalar)
def _var_handle(
    xp: Namespace,
    *,
    dtype: DType,
    shape: TensorShape,
    container: str = "",
    shared_name: str = "",
    debug_name: str = "",
    allowed_devices: tuple[str, ...] = (),
) -> Any:
    if shared_name in _ANONYMOUS:
        return VariableResource(dtype, shape, debug_name or "Variable")
    key = (container, shared_name)
    if key not in _named:
        _named[key] = VariableResource(dtype, shape, shared_name)
    return _named[key]


@op("DisableCopyOnRead", "resource: resource ->")
def _disable_copy_on_read(xp: Namespace, resource: Any) -> None:
    """Nothing: a value that was read is never changed here, and copied only if it must be."""


@op("DestroyResourceOp", "resource: resource ->")
def _destroy(xp: Namespace, resource: Any, *, ignore_lookup_error: bool = True) -> None:
    with resource.lock:
        resource.value = None
    for key in [k for k, named in _named.items() if named is resource]:
        del _named[key]
