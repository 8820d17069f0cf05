"""`GradientTape.jacobian` and `batch_jacobian`: one step back per element of the target, all at once or in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.backprop import backprop, zeros_like
from runnel.core.composite_gradient import flatten_sources, pack_gradients
from runnel.core.convert import convert_to_tensor
from runnel.core.raw import raw_ops
from runnel.core.tape import DIFFERENTIABLE
from runnel.core.tensor import Tensor

if TYPE_CHECKING:
    from runnel.core.gradient_tape import GradientTape


def jacobian(tape: GradientTape, target: Any, sources: Any, *, zeros: bool, vectorised: bool) -> Any:
    """See `GradientTape.jacobian`."""
    recorder = tape._finish("jacobian")
    y, flat = _target(target), flatten_sources(sources)
    if not tape._persistent:
        tape._end()
    dims = _known_dims(y, "target")
    seeds = np.eye(_size(dims), dtype=y._dtype.np_dtype).reshape((-1, *dims))
    rows = _rows(recorder.records, y, flat, seeds, vectorised) if y._dtype in DIFFERENTIABLE else [None] * len(flat)
    found = [_shaped(r, dims, s, zeros) for r, s in zip(rows, flat, strict=True)]
    return pack_gradients(sources, found)


def batch_jacobian(tape: GradientTape, target: Any, source: Any, *, zeros: bool, vectorised: bool) -> Any:
    """See `GradientTape.batch_jacobian`."""
    recorder = tape._finish("batch_jacobian")
    y, (x,) = _target(target), flatten_sources(source)
    dims, x_dims = _known_dims(y, "target"), _known_dims(x, "source")
    if not dims or not x_dims or dims[0] != x_dims[0]:
        raise ValueError(
            f"batch_jacobian: the first dimensions of `target` and `source` must be the same, got shapes {y.shape} "
            f"and {x.shape}."
        )
    if not tape._persistent:
        tape._end()
    batch, size = dims[0], _size(dims[1:])
    each = np.eye(size, dtype=y._dtype.np_dtype).reshape((size, 1, *dims[1:]))
    seeds = np.broadcast_to(each, (size, *dims))
    (rows,) = _rows(recorder.records, y, [x], seeds, vectorised)
    if rows is None:
        return zeros_of((*dims, *x_dims[1:]), x) if zeros else None
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


def _rows(
    records: Sequence[Any], target: Tensor, sources: list[Tensor], seeds: np.ndarray[Any, Any], vectorised: bool
) -> list[Tensor | None]:
    """The gradients of each source for each seed, stacked in front."""
    each = [backprop(records, [target], sources, [convert_to_tensor(seed)]) for seed in seeds]
    if not each:
        probe = backprop(records, [target], sources, [None])
        return [None if g is None else _empty(convert_to_tensor(g)) for g in probe]
    return [None if column[0] is None else raw_ops.Pack(list(column), axis=0) for column in zip(*each, strict=True)]


def _empty(gradient: Tensor) -> Tensor:
    return convert_to_tensor(np.zeros((0, *(gradient.shape._dims or ())), gradient._dtype.np_dtype))


def _shaped(rows: Tensor | None, dims: Sequence[int], source: Tensor, zeros: bool) -> Tensor | None:
    source_dims = _known_dims(source, "source")
    if rows is None:
        return zeros_of((*dims, *source_dims), source) if zeros else None
    return raw_ops.Reshape(rows, np.array([*dims, *source_dims], np.int32))  # type: ignore[no-any-return]


def zeros_of(dims: Sequence[int], source: Tensor) -> Tensor:
    return convert_to_tensor(np.zeros(dims, zeros_like(source)._dtype.np_dtype))
