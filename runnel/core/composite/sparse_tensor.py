"""`tf.SparseTensor`: the elements of a tensor that are not zero, and where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.operators import QUOTIENTS
from runnel.core.tensor.static import known_elements
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec, register
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike


class SparseTensorValue(NamedTuple):
    """The arrays of a sparse tensor."""

    indices: Any
    values: Any
    dense_shape: Any


class SparseTensor:
    """`dense[indices[i]] = values[i]` for all `i`, of a tensor of shape `dense_shape`.

    Args:
        indices: the places, `[count, rank]`.
        values: what stands there.
        dense_shape: the shape of the whole.

    >>> sparse = tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 3])
    >>> tf.sparse.to_dense(sparse).numpy()
    array([[0., 1., 0.],
           [0., 0., 2.]], dtype=float32)
    """

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: TensorLike) -> None:
        self._indices = convert_to_tensor(indices, dtype=dtypes.int64, name="indices")
        self._values = convert_to_tensor(values, name="values")
        self._dense_shape = convert_to_tensor(dense_shape, dtype=dtypes.int64, name="dense_shape")
        places = self._indices.shape.with_rank(2)
        count = self._values.shape.with_rank(1)
        rank = self._dense_shape.shape.with_rank(1)
        places.assert_is_compatible_with(count.concatenate(rank))
        self._static_shape = known_shape(self._dense_shape)

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A sparse tensor of another one, or of a tuple of indices, values and dense shape."""
        if not isinstance(sparse_tensor_value, SparseTensor | SparseTensorValue):
            raise TypeError(
                "SparseTensor.from_value: `sparse_tensor_value` must be a SparseTensor or a "
                f"SparseTensorValue, got {sparse_tensor_value!r}."
            )
        value = sparse_tensor_value
        return SparseTensor(value.indices, value.values, value.dense_shape)

    @property
    def indices(self) -> Tensor:
        """An int64 matrix with a row for each value: where it is."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The vector of values that may differ from zero."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the whole, as an int64 vector."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole."""
        return self._static_shape

    def get_shape(self) -> TensorShape:
        return self._static_shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Say more of the shape than is known; ValueError if that cannot be."""
        given = TensorShape(shape)
        if not self._static_shape.is_compatible_with(given):
            raise ValueError(f"Shapes {self._static_shape} and {given} are not compatible")
        self._static_shape = self._static_shape.merge_with(given)

    @property
    def op(self) -> Any:
        return self._values.op

    @property
    def graph(self) -> Any:
        return self._indices.graph

    def consumers(self) -> list[Any]:
        """The operations that use one of the three tensors."""
        if not hasattr(self._values, "consumers"):
            return []
        parts = (self._indices, self._values, self._dense_shape)
        return [user for part in parts for user in part.consumers()]  # type: ignore[attr-defined]

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """The arrays of a sparse tensor of a graph, computed in `session`."""
        assert self.graph is not None  # which says, eagerly, that there is none
        if session is None:
            raise ValueError("SparseTensor.eval: `session` must be given; there is no default.")
        parts = [self._indices, self._values, self._dense_shape]
        return SparseTensorValue(*session.run(parts, feed_dict))

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """The same places with other values.

        >>> tf.sparse.eye(2).with_values([5, 6]).values.numpy()
        array([5, 6], dtype=int32)
        """
        return rebuilt(self, values=convert_to_tensor(new_values))

    def __mul__(self, y: TensorLike) -> Any:
        dense = convert_to_tensor(y, dtype=self.dtype)
        parts = (self._indices, self._values, self._dense_shape)
        return rebuilt(self, values=raw_ops.SparseDenseCwiseMul(*parts, dense))

    def __rmul__(self, x: Any) -> Any:
        return self * x if isinstance(x, Tensor) else NotImplemented

    def __truediv__(self, y: TensorLike) -> Any:
        dense = convert_to_tensor(y, dtype=self.dtype)
        wide = QUOTIENTS.get(self.dtype)
        if wide is None:
            raise TypeError(f"Numbers of dtype {self.dtype.name} cannot be divided.")
        values = self._values
        if wide is not self.dtype:
            values, dense = raw_ops.Cast(values, DstT=wide), raw_ops.Cast(dense, DstT=wide)
        quotient = raw_ops.SparseDenseCwiseDiv(self._indices, values, self._dense_shape, dense)
        return rebuilt(self, values=quotient)

    __div__ = __truediv__

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)


def known_shape(dense_shape: Tensor) -> TensorShape:
    """What can be said of a shape before it is computed."""
    sizes = known_elements(dense_shape)
    return TensorShape(None if sizes is None else [None if d == -1 else d for d in sizes])


def rebuilt(
    like: SparseTensor, *, indices: Tensor | None = None, values: Tensor | None = None
) -> SparseTensor:
    """A sparse tensor of the same shape with other indices or values."""
    new = SparseTensor(
        like._indices if indices is None else indices,
        like._values if values is None else values,
        like._dense_shape,
    )
    new._static_shape = like._static_shape
    return new


def on_values(function: Callable[..., Any], sparse: SparseTensor, *args: Any) -> Any:
    """`function` of the values alone: what is not given stays zero."""
    return sparse.with_values(function(sparse.values, *args))


@register("tf.SparseTensorSpec")
class SparseTensorSpec(TypeSpec):
    """The type of a `SparseTensor`.

    >>> tf.SparseTensorSpec([None, 3], tf.int32)
    SparseTensorSpec(TensorShape([None, 3]), tf.int32)
    """

    def __init__(self, shape: ShapeLike = None, dtype: DTypeLike = dtypes.float32) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def value_type(self) -> type:
        return SparseTensor

    @classmethod
    def from_value(cls, value: Any) -> Self:
        """The spec of a sparse tensor."""
        if isinstance(value, SparseTensor):
            return cls(value.shape, value.dtype)
        if isinstance(value, SparseTensorValue):
            array = np.asarray(value.values)
            shape = np.asarray(value.dense_shape).tolist()
            return cls(shape, array.dtype)
        raise TypeError(f"SparseTensorSpec.from_value: Expected a SparseTensor, got {value!r}.")

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    def _varying(self, shape: TensorShape) -> SparseTensorSpec:
        """The invariant is the shape of `dense_shape`, which says the rank and no more."""
        rank = shape.with_rank(1)[0]
        return SparseTensorSpec(None if rank is None else [None] * rank, self._dtype)

    @property
    def _component_specs(self) -> Any:
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _to_components(self, value: Any) -> Any:
        if isinstance(value, SparseTensorValue):
            value = SparseTensor.from_value(value)
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: Any) -> Any:
        if all(isinstance(part, np.ndarray) for part in components):
            return SparseTensorValue(*components)
        if all(isinstance(part, TensorSpec) for part in components):
            return self
        if not all(isinstance(part, Tensor) for part in components):
            return _loose(self, components)
        result = SparseTensor(*components)
        result._static_shape = result._static_shape.merge_with(self._shape)
        return result

    def _batch(self, batch_size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> SparseTensorSpec:
        if self._shape.rank == 0:
            raise ValueError(f"SparseTensorSpec: {self} has no batch dimension to take off")
        return SparseTensorSpec(self._shape[1:], self._dtype)


def _loose(spec: SparseTensorSpec, components: Any) -> SparseTensor:
    """A sparse tensor whose components are something else, such as the places of a `tf.nest`."""
    result = object.__new__(SparseTensor)
    result._indices, result._values, result._dense_shape = components
    result._static_shape = spec._shape
    return result
