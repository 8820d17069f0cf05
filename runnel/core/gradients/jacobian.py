"""`GradientTape.jacobian` and `batch_jacobian`: one step back per element of the target.

Three ways lead back. Eagerly all rows go together through `jax.vmap`. Where the Jacobian itself is
traced or recorded, they go together inside a graph (`rows_in_graph`). And in turn, where the caller
asks for it or an op on the way cannot be vectorised.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.gradients.backprop import backprop
from runnel.core.gradients.composite import flatten_sources, pack_gradients
from runnel.core.gradients.ones_and_zeros import shape_of_source, zeros_like
from runnel.core.gradients.tape import DIFFERENTIABLE, Recorder
from runnel.core.gradients.unconnected import UnconnectedGradients, wants_zeros
from runnel.core.op.batch_trace import NotVectorised, vectorised
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.tensor.vectors import vector
from runnel.core.values.dtypes import FROM_NUMPY

Pull = Callable[[Tensor], list[Tensor | None]]


def _not_yet(pull: Pull, seeds: Tensor) -> list[Tensor | None]:
    raise RuntimeError("runnel.graph.functions.vectorized_map has not been imported")


rows_in_graph: Callable[[Pull, Tensor], list[Tensor | None]] = _not_yet
"""A function of each seed, vectorised in a graph; `runnel.graph.functions.vectorized_map` puts it
here."""

_AT_ONCE = 1 << 24  # elements of the seeds that go back together eagerly


class Jacobians:
    """The part of `tf.GradientTape` that differentiates by every element."""

    _persistent: bool

    @abstractmethod
    def _finish(self, method: str) -> Recorder: ...

    @abstractmethod
    def _end(self) -> None: ...

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of every element of `target` by every element of each source.

        Its shape is that of `target` followed by that of the source.

        Args:
            target: a tensor.
            sources: a structure of watched tensors and variables.
            unconnected_gradients: "none" or "zero": what a source without influence gets.
            parallel_iterations: how many rows are computed at once where they are not vectorized.
            experimental_use_pfor: whether rows are computed together, vectorized.

        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy().tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        """
        zeros, recorder = wants_zeros(unconnected_gradients), self._finish("jacobian")
        y, flat = _target(target), flatten_sources(sources)
        if not self._persistent:
            self._end()
        parts = rows(recorder.records, y, flat, unit_seeds(y), vectorise=experimental_use_pfor)
        found = [
            shaped(part, y, source) if part is not None else zeros_for(y, source) if zeros else None
            for part, source in zip(parts, flat, strict=True)
        ]
        return pack_gradients(sources, found)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of `target[i]` by `source[i]`, for each `i` of a batch.

        Rows must not depend on each other. The shape is that of `target` followed by that of a row
        of `source`.

        Args:
            target, source: tensors of rank 2 or more, with the same first size.
            unconnected_gradients: "none" or "zero": what a source without influence gets.
            parallel_iterations: how many rows are computed at once where they are not vectorized.
            experimental_use_pfor: whether rows are computed together, vectorized.

        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).numpy().tolist()
        [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]
        """
        wants_zeros(unconnected_gradients)
        recorder = self._finish("batch_jacobian")
        y, (x,) = _target(target), flatten_sources(source)
        dims, x_dims = y.shape._dims, shape_of_source(x)._dims
        if dims is not None and x_dims is not None:
            _check_batches(dims, x_dims)
        if not self._persistent:
            self._end()
        seeds = _row_seeds(y)
        (stacked,) = rows(recorder.records, y, [x], seeds, vectorise=experimental_use_pfor)
        shape = _joined(_shape(y), _sliced(_shape(zeros_like(x)), 1))
        if stacked is None:  # TensorFlow gives zeros here, whatever it is asked for
            return raw_ops.Fill(shape, np.zeros((), zeros_like(x)._dtype.np_dtype))
        by_seed = raw_ops.Reshape(stacked, _joined(_sliced(_shape(stacked), 0, 2), vector((-1,))))
        return raw_ops.Reshape(raw_ops.Transpose(by_seed, vector((1, 0, 2))), shape)


def _check_batches(dims: Sequence[int | None], x_dims: Sequence[int | None]) -> None:
    same = (
        len(dims) >= 2
        and len(x_dims) >= 2
        and (dims[0] == x_dims[0] or None in (dims[0], x_dims[0]))
    )
    if not same:
        raise ValueError(
            "batch_jacobian: `target` and `source` must have two dimensions or more, the first "
            "of the same size, got "
            f"shapes {tuple(dims)} and {tuple(x_dims)}."
        )


def _target(target: Any) -> Tensor:
    if not isinstance(target, Tensor):
        raise TypeError(
            f"The target of a Jacobian must be a tensor, got {type(target).__name__}: {target!r}."
        )
    return target


def _shape(tensor: Tensor) -> Any:
    """The shape as an input of an op."""
    dims: Any = tensor.shape._dims
    return raw_ops.Shape(tensor) if dims is None or None in dims else vector(dims)


def _joined(*parts: Any) -> Any:
    return raw_ops.ConcatV2(list(parts), np.int32(0))


def _sliced(shape: Any, start: int, stop: int | None = None) -> Any:
    return convert_to_tensor(shape)[start:stop]


def unit_seeds(y: Tensor) -> Tensor:
    """For each element of `y`, a gradient that is 1 there and 0 elsewhere."""
    dims: Any = y.shape._dims
    if state.graph is None:
        count = math.prod(dims)
        eye = np.eye(count, dtype=y._dtype.np_dtype)
        return EagerTensor(eye.reshape((count, *dims)), y._dtype)
    size = raw_ops.Reshape(raw_ops.Size(y), vector((1,)))
    return raw_ops.Reshape(_identity(size, y), _joined(size, _shape(y)))  # type: ignore[no-any-return]


def _row_seeds(y: Tensor) -> Tensor:
    """For each element of a row of `y`, a gradient that is 1 there in every row and 0 elsewhere."""
    dims: Any = y.shape._dims
    if state.graph is None:
        count = math.prod(dims[1:])
        eye = np.eye(count, dtype=y._dtype.np_dtype).reshape((count, 1, *dims[1:]))
        return EagerTensor(np.broadcast_to(eye, (count, *dims)), y._dtype)
    row = _sliced(_shape(y), 1)
    size = raw_ops.Prod(row, np.int32(0), keep_dims=True)
    each = raw_ops.Reshape(_identity(size, y), _joined(size, vector((1,)), row))
    return raw_ops.BroadcastTo(each, _joined(size, _shape(y)))  # type: ignore[no-any-return]


def _identity(size: Tensor, y: Tensor) -> Tensor:
    return raw_ops.Diag(raw_ops.Fill(size, np.ones((), y._dtype.np_dtype)))  # type: ignore[no-any-return]


def rows(
    records: Sequence[Any], target: Tensor, sources: list[Tensor], seeds: Tensor, *, vectorise: bool
) -> list[Tensor | None]:
    """The gradients of each source for each seed, stacked in front."""
    if target._dtype not in DIFFERENTIABLE:
        return [None] * len(sources)

    def pull(seed: Tensor) -> list[Tensor | None]:
        found = backprop(records, [target], sources, [seed])
        return [None if g is None else convert_to_tensor(g) for g in found]

    if state.graph is not None:
        return rows_in_graph(pull, seeds)
    if not vectorise or seeds.shape[0] == 0:
        return _in_turn(pull, target, seeds)
    if any(t._id in tape.watched for tape in state.tapes for t in (target, *sources)):
        return rows_in_graph(
            pull, seeds
        )  # an active tape wants to know how the Jacobian itself is computed
    try:
        return _at_once(pull, seeds)
    except (NotVectorised, xla.jax.errors.TracerArrayConversionError):
        return _in_turn(pull, target, seeds)


def _in_turn(pull: Pull, target: Tensor, seeds: Tensor) -> list[Tensor | None]:
    each = [pull(seed) for seed in raw_ops.Unpack(seeds, num=seeds.shape[0], axis=0)]
    if each:
        return [
            None if column[0] is None else raw_ops.Pack(list(column), axis=0)
            for column in zip(*each, strict=True)
        ]
    probe = pull(raw_ops.ZerosLike(target))
    return [None if g is None else _none_of(g) for g in probe]


def _none_of(row: Tensor) -> Tensor:
    """No rows like `row`."""
    return convert_to_tensor(np.zeros((0, *row.shape.as_list()), row._dtype.np_dtype))


def _at_once(pull: Pull, seeds: Any) -> list[Tensor | None]:
    values = seeds._value
    count = max(1, _AT_ONCE // values[0].size)
    chunks = [
        vectorised(pull, EagerTensor(values[i : i + count], seeds._dtype))
        for i in range(0, len(values), count)
    ]
    return [None if column[0] is None else _stacked(column) for column in zip(*chunks, strict=True)]


def _stacked(parts: Sequence[Any]) -> Tensor:
    value = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return EagerTensor(value, FROM_NUMPY[value.dtype])


def shaped(stacked: Tensor, y: Tensor, source: Tensor) -> Tensor:
    """Rows as a Jacobian: the shape of `y` followed by that of the source."""
    return raw_ops.Reshape(stacked, _joined(_shape(y), _shape(zeros_like(source))))  # type: ignore[no-any-return]


def zeros_for(y: Tensor, source: Tensor) -> Tensor:
    """The Jacobian of a target that does not depend on the source."""
    like = zeros_like(source)
    return raw_ops.Fill(_joined(_shape(y), _shape(like)), np.zeros((), like._dtype.np_dtype))  # type: ignore[no-any-return]
