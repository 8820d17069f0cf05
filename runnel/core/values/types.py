"""The types that signatures share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from runnel.core.values.dtypes import DType
from runnel.core.values.shape import TensorShape

if TYPE_CHECKING:
    from runnel.core.tensor.tensor import Tensor

Array: TypeAlias = Any  # np.ndarray, np.generic, jax.Array or a JAX tracer
Namespace: TypeAlias = Any  # the module numpy or jax.numpy
TensorLike: TypeAlias = Any  # whatever tf.convert_to_tensor takes
DTypeLike: TypeAlias = Any  # whatever tf.as_dtype takes
ShapeLike: TypeAlias = Any  # whatever tf.TensorShape takes, or an integer tensor
Dims: TypeAlias = tuple[int | None, ...] | None  # None: the rank is not known
Gradients: TypeAlias = "Tensor | None | Sequence[Tensor | None]"


@dataclass(frozen=True, slots=True)
class Spec:
    """What a shape rule knows of an input: dimensions, dtype, and its value where that is known.

    `value` is an array; `partial` is the same for an integer vector of which only some elements are
    known, with None for the rest (such as the `shape` of a reshape to `[tf.shape(x)[0], 4]`).
    `handle` is what a resource points to (a `VariableResource`), where that is known.
    """

    dims: Dims
    dtype: DType
    value: np.ndarray[Any, Any] | None = None
    partial: tuple[int | None, ...] | None = None
    handle: Any = None

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self.dims)

    @property
    def rank(self) -> int | None:
        return None if self.dims is None else len(self.dims)
