"""`GradientTape.jacobian` and `batch_jacobian`: one step back per element of the target, all at once or in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core import xla
from runnel.core.backprop import backprop, zeros_like
from runnel.core.batch_trace import NotVectorised, vectorised
from runnel.core.composite_gradient import flatten_sources, pack_gradients
from runnel.core.context import state
from runnel.core.convert import convert_to_tensor
from runnel.core.dtypes import FROM_NUMPY
from runnel.core.raw import raw_ops
from runnel.core.tape import DIFFERENTIABLE
from runnel.core.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    from runnel.core.gradient_tape import GradientTape


def jacobian(tape: GradientTape, target: Any, sources: Any, *, zeros: bool, vectorise: bool) -> Any:
    """See `GradientTape.jacobian`."""
    recorder = tape._finish("jacobian")
    y, flat = _target(target), flatten_sources(sources)
    if not tape._persistent:
        tape._end()
    dims = _known_dims(y, "target")
    seeds = np.eye(_size(dims), dtype=y._dtype.np_dtype).reshape((_size(dims), *dims))
    rows = _rows(recorder.records, y, flat, seeds, vectorise=vectorise) if y._dtype in DIFFERENTIABLE else [None] * len(flat)
    found = [_shaped(r, dims, s, zeros) for r, s in zip(rows, flat, strict=True)]
    return pack_gradients(sources, found)


def batch_jacobian(tape: GradientTape, target: Any, source: Any, *, vectorise: bool) -> Any:
    """See `GradientTape.batch_jacobian`."""
    recorder = tape._finish("batch_jacobian")
    y, (x,) = _target(target), flatten_sources(source)
    dims, x_dims = _known_dims(y, "target"), _known_dims(x, "source")
    if min(len(dims), len(x_dims)) < 2 or dims[0] != x_dims[0]:
        raise ValueError(
            "batch_jacobian: `target` and `source` must have two dimensions or more, the first of the same size, got "
            f"shapes {dims} and {x_dims}."
        )
    if not tape._persistent:
        tape._end()
    batch, size = dims[0], _size(dims[1:])
    each = np.eye(size, dtype=y._dtype.np_dtype).reshape((size, 1, *dims[1:]))
    seeds = np.broadcast_to(each, (size, *dims))
    (rows,) = _rows(recorder.records, y, [x], seeds, vectorise=vectorise)
    if rows is None:
        return zeros_of((*dims, *x_dims[1:]), x)  # TensorFlow gives zeros here whatever it is asked for
    stacked = raw_ops.Reshape(rows, np.array([size, batch, _size(x_dims[1:])], np.int32))
    by_row = raw_ops.Transpose(stacked, np.array([1, 0, 2], np.int32))
    return raw_ops.Reshape(by_row, np.array([*dims, *x_dims[1:]], np.int32))


def _target(target: Any) -> Tensor:
    if not isinstance(target, Tensor):
        raise TypeError(f"The target of a Jacobian must be a tensor, got {type(target).__name__}: {target!r}.")
    return target


def _known_dims(tensor: Tensor, role: str) -> tuple[int, ...]:
    dims = tensor._value.static_shape._dims if tensor._dtype.name == "resource" else tensor.shape._dims  # type: ignore[attr-defined]
    if dims is None or None in dims:
        raise ValueError(f"The shape of the {role} of a Jacobian must be known, got {tensor.shape}.")
    return dims  # type: ignore[no-any-return]


def _size(dims: Sequence[int]) -> int:
    return int(np.prod(dims, dtype=int))


_AT_ONCE = 1 << 24  # elements of the seeds that go back together


def _rows(
    records: Sequence[Any], target: Tensor, sources: list[Tensor], seeds: np.ndarray[Any, Any], *, vectorise: bool
) -> list[Tensor | None]:
    """The gradients of each source for each seed, stacked in front."""
    if len(seeds) == 0:
        probe = backprop(records, [target], sources, [None])
        return [None if g is None else _empty(convert_to_tensor(g)) for g in probe]
    if vectorise and state.graph is None and not _recorded(target, sources):
        try:
            return _rows_at_once(records, target, sources, seeds)
        except (NotVectorised, xla.jax.errors.TracerArrayConversionError):
            pass  # row by row, then
    each = [backprop(records, [target], sources, [convert_to_tensor(seed)]) for seed in seeds]
    return [None if column[0] is None else raw_ops.Pack(list(column), axis=0) for column in zip(*each, strict=True)]


def _recorded(target: Tensor, sources: list[Tensor]) -> bool:
    """Whether an active tape wants to know how the Jacobian itself is computed."""
    return any(t._id in tape.watched for tape in state.tapes for t in (target, *sources))


def _rows_at_once(
    records: Sequence[Any], target: Tensor, sources: list[Tensor], seeds: np.ndarray[Any, Any]
) -> list[Tensor | None]:
    def pull(seed: Tensor) -> list[Tensor | None]:
        found = backprop(records, [target], sources, [seed])
        return [None if g is None else convert_to_tensor(g) for g in found]

    count = max(1, _AT_ONCE // max(1, seeds[0].size))
    chunks = [
        vectorised(pull, EagerTensor(seeds[i : i + count], target._dtype)) for i in range(0, len(seeds), count)
    ]
    columns = zip(*chunks, strict=True)
    return [
        None if parts[0] is None else _constant(parts[0] if len(parts) == 1 else np.concatenate(parts))
        for parts in columns
    ]


def _constant(value: np.ndarray[Any, Any]) -> Tensor:
    return EagerTensor(value, FROM_NUMPY[value.dtype])


def _empty(gradient: Tensor) -> Tensor:
    return convert_to_tensor(np.zeros((0, *(gradient.shape._dims or ())), gradient._dtype.np_dtype))


def _shaped(rows: Tensor | None, dims: Sequence[int], source: Tensor, zeros: bool) -> Tensor | None:
    source_dims = _known_dims(source, "source")
    if rows is None:
        return zeros_of((*dims, *source_dims), source) if zeros else None
    return raw_ops.Reshape(rows, np.array([*dims, *source_dims], np.int32))  # type: ignore[no-any-return]


def zeros_of(dims: Sequence[int], source: Tensor) -> Tensor:
    return convert_to_tensor(np.zeros(dims, zeros_like(source)._dtype.np_dtype))
