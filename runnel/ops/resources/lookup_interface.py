"""What all lookup tables have in common."""

from __future__ import annotations

from typing import Any

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.state.capturable_resource import TrackableResource
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.types import DTypeLike, TensorLike


def flat_values(keys: Any) -> Any:
    """The tensor of keys in a tensor, a sparse or a ragged one."""
    if isinstance(keys, SparseTensor):
        return keys.values
    return keys.flat_values if isinstance(keys, RaggedTensor) else keys


def with_values(keys: Any, values: Tensor) -> Any:
    """`values` in the places of the keys that they were found for."""
    if isinstance(keys, SparseTensor):
        return SparseTensor(keys.indices, values, keys.dense_shape)
    return keys.with_flat_values(values) if isinstance(keys, RaggedTensor) else values


def checked_keys(keys: TensorLike, dtype: DType) -> Any:
    """Keys as a tensor (or a sparse or ragged one) of a dtype; TypeError for any other."""
    if not isinstance(keys, SparseTensor | RaggedTensor):
        keys = keys if isinstance(keys, Tensor) else convert_to_tensor(keys, dtype_hint=dtype)
    if keys.dtype != dtype:
        raise TypeError(f"Dtype of argument `keys` must be {dtype}, received: {keys.dtype}")
    return keys


class LookupInterface(TrackableResource):
    """A table from keys to values."""

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        super().__init__()
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    def _create_resource(self) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no _create_resource.")

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> str | None:
        """The name that the table was given."""
        return None

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are."""
        return raw_ops.LookupTableSizeV2(self.resource_handle, name=name)  # type: ignore[no-any-return]

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The value of each key."""
        raise NotImplementedError(f"{type(self).__name__} has no lookup.")

    def __getitem__(self, keys: TensorLike) -> Any:
        """The value of each key."""
        return self.lookup(keys)

    def _find(self, keys: Any, default: Any, name: str | None) -> Any:
        found = raw_ops.LookupTableFindV2(
            self.resource_handle, flat_values(keys), default, name=name
        )
        return with_values(keys, found)

    def _exported(self, name: str | None) -> tuple[Tensor, Tensor]:
        keys, values = raw_ops.LookupTableExportV2(
            self.resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype, name=name
        )
        return keys, values
