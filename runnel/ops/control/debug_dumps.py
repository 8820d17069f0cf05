"""Ops that tell TensorBoard's debugger of tensors, which `tf.debugging` puts into graphs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op
from runnel.core.files.debug_events import event_files
from runnel.core.protos import messages
from runnel.core.settings.placement import CPU
from runnel.core.values.array_protos import array_proto
from runnel.core.values.dtypes import FROM_NUMPY, REAL, DType, bool, float32, float64
from runnel.core.values.errors import InternalError, InvalidArgumentError, UnimplementedError
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.ops.shapes import same

CURT_HEALTH, CONCISE_HEALTH, FULL_HEALTH, SHAPE, THREE_SLOTS = 2, 3, 4, 5, 8
_SIZES = {CURT_HEALTH: 2, CONCISE_HEALTH: 5, FULL_HEALTH: 11, SHAPE: 10, THREE_SLOTS: 3}
_MOST_DIMS = 6  # that a summary of a shape shows: the last ones
_LARGEST_ID = {float32: 2**24, float64: 2**53}  # which a float of the dtype holds exactly


def _summary_shape(
    input: Spec, *, output_dtype: DType, tensor_debug_mode: int, tensor_id: int
) -> Dims:
    if tensor_debug_mode not in _SIZES:
        message = (
            f"DebugNumericSummaryV2: Unimplemented tensor debug mode: {tensor_debug_mode}; it must "
            f"be one of {sorted(_SIZES)}. [Op:DebugNumericSummaryV2]"
        )
        raise UnimplementedError(None, None, message)
    if tensor_id > _LARGEST_ID[output_dtype]:
        message = (
            "DebugNumericSummaryV2: `tensor_id` must be less than or equal to "
            f"{_LARGEST_ID[output_dtype]} for {output_dtype.name}, got {tensor_id}. "
            "[Op:DebugNumericSummaryV2]"
        )
        raise InvalidArgumentError(None, None, message)
    return (_SIZES[tensor_debug_mode],)


def _check(input: Array, **attrs: Any) -> None:
    _summary_shape(input, **attrs)


@op(
    "DebugNumericSummaryV2",
    "input: T -> output: output_dtype",
    T=REAL | {bool},
    output_dtype=frozenset(_LARGEST_ID),
    shape=_summary_shape,
    check=_check,
)
def numeric_summary(
    xp: Namespace,
    input: Array,
    *,
    output_dtype: DType = float32,
    tensor_debug_mode: int = -1,
    tensor_id: int = -1,
) -> Array:
    """What a mode of the debugger wants to know of a tensor."""
    parts = _SUMMARIES[tensor_debug_mode](xp, input)
    known = parts if tensor_debug_mode == THREE_SLOTS else [tensor_id, *parts]
    return xp.stack([xp.asarray(part, output_dtype.np_dtype) for part in known])


def _count(xp: Namespace, which: Any) -> Any:
    return xp.sum(which, dtype=np.int64)


def _curt(xp: Namespace, x: Array) -> list[Any]:
    return [xp.logical_not(xp.all(xp.isfinite(x)))]


def _not_finite(xp: Namespace, x: Array) -> list[Any]:
    """How many elements are minus infinity, infinity and NaN."""
    return [_count(xp, x == -np.inf), _count(xp, x == np.inf), _count(xp, xp.isnan(x))]


def _concise(xp: Namespace, x: Array) -> list[Any]:
    return [math.prod(x.shape), *_not_finite(xp, x)]


def _full(xp: Namespace, x: Array) -> list[Any]:
    finite = xp.isfinite(x)
    signs = [_count(xp, finite & (x < 0)), _count(xp, x == 0), _count(xp, finite & (x > 0))]
    device = -1  # not known
    return [device, *_kind(x), *_not_finite(xp, x), *signs]


def _shape(xp: Namespace, x: Array) -> list[Any]:
    dims = x.shape[-_MOST_DIMS:]
    return [*_kind(x), *dims, *[0] * (_MOST_DIMS - len(dims))]


def _three_slots(xp: Namespace, x: Array) -> list[Any]:
    pairs = zip(_not_finite(xp, x), (-np.inf, np.inf, np.nan), strict=True)
    return [xp.where(count > 0, value, 0.0) for count, value in pairs]


def _kind(x: Array) -> list[int]:
    """The number of the dtype, the rank, and how many elements there are."""
    return [FROM_NUMPY[x.dtype].as_datatype_enum, len(x.shape), math.prod(x.shape)]


_SUMMARIES = {
    CURT_HEALTH: _curt,
    CONCISE_HEALTH: _concise,
    FULL_HEALTH: _full,
    SHAPE: _shape,
    THREE_SLOTS: _three_slots,
}


@op("DebugIdentityV2", "input: T -> output: T", shape=same, effects="writes files")
def _debug_identity(
    xp: Namespace,
    input: Array,
    *,
    tfdbg_context_id: str = "",
    op_name: str = "",
    output_slot: int = -1,
    tensor_debug_mode: int = -1,
    debug_urls: tuple[str, ...] = (),
    circular_buffer_size: int = 1000,
    tfdbg_run_id: str = "",
) -> Array:
    folders = [_folder(url) for url in debug_urls]
    if folders:
        trace = messages.GraphExecutionTrace(
            tfdbg_context_id=tfdbg_context_id,
            op_name=op_name,
            output_slot=output_slot,
            tensor_debug_mode=tensor_debug_mode,
            tensor_proto=value_proto(input),
            device_name=CPU,
        )
    for folder in folders:
        files = event_files(folder, tfdbg_run_id, circular_buffer_size)
        if files.run_id == tfdbg_run_id:  # else the files of the run are closed
            files.write("graph_execution_traces", graph_execution_trace=trace)
    return input


def value_proto(value: Array) -> Any:
    """An array as a message."""
    array = np.asarray(value)
    return array_proto(array, FROM_NUMPY[array.dtype], array.shape)


def _folder(url: str) -> str:
    if not url.startswith("file://"):
        message = (
            "DebugIdentityV2: `debug_urls` must begin with 'file://': Unsupported debug URL schema "
            f"in: {url} [Op:DebugIdentityV2]"
        )
        raise InternalError(None, None, message)
    return url.removeprefix("file://")


@RegisterGradient("DebugIdentityV2", needs="")
def _debug_identity_grad(op: Any, dy: Tensor) -> Gradients:
    return dy
