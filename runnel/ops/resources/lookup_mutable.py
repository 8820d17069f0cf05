"""Lookup tables to which entries can be added, and from which they can be taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.settings.scopes import init_scope
from runnel.core.values.types import DTypeLike, TensorLike
from .lookup_initializers import next_number
from .lookup_interface import LookupInterface, checked_keys, flat_values, with_values


class _ChangingTable(LookupInterface):
    """What both kinds of changing tables have."""

    _checkpoint_name = "table"

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        name: str,
        checkpoint: bool,
        is_anonymous: bool,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        with init_scope():
            self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
        self._value_shape = self._default_value.shape
        self._given_name = name
        self._checkpoint = checkpoint
        self._is_anonymous = is_anonymous
        self._shared_name = "" if is_anonymous else f"table_{next_number()}"

    @property
    def name(self) -> str | None:
        """The name that the table was given."""
        return self._given_name

    def _serialize_to_tensors(self) -> dict[str, Any]:
        if not self._checkpoint:
            return {}
        keys, values = self.export()
        return {"-keys": keys, "-values": values}

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> Any:
        return raw_ops.LookupTableImportV2(
            self.resource_handle, restored_tensors["-keys"], restored_tensors["-values"]
        )

    def _keys(self, keys: TensorLike) -> Any:
        """Keys to look up; a tensor of another dtype is a ValueError here."""
        if hasattr(keys, "dense_shape") or hasattr(keys, "flat_values"):
            return checked_keys(keys, self._key_dtype)
        return convert_to_tensor(keys, dtype=self._key_dtype, name="keys")

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Any:
        """Add keys with their values, in place of those that the keys had."""
        found = convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
        given = convert_to_tensor(values, dtype=self._value_dtype, name="values")
        return raw_ops.LookupTableInsertV2(self.resource_handle, found, given, name=name)

    def remove(self, keys: TensorLike, name: str | None = None) -> Any:
        """Take keys out; those that are not there are ignored."""
        checked = checked_keys(keys, self._key_dtype)
        return raw_ops.LookupTableRemoveV2(self.resource_handle, checked, name=name)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and all values."""
        return self._exported(name)


class MutableHashTable(_ChangingTable):
    """A table that can be changed; all values have the shape of `default_value`.

    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(["a", "b"], [1, 2])
    >>> table.lookup(["b", "z"]).numpy()
    array([ 2, -1])
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(
            key_dtype, value_dtype, default_value, name, checkpoint, experimental_is_anonymous
        )
        self.resource_handle  # noqa: B018 - made now

    def _create_resource(self) -> Tensor:
        options: dict[str, Any] = {"key_dtype": self._key_dtype, "value_dtype": self._value_dtype}
        kind = "MutableHashTable"
        if self._value_shape.rank:
            options["value_shape"] = self._value_shape
            kind += "OfTensors"
        if self._is_anonymous:
            return getattr(raw_ops, f"Anonymous{kind}")(**options)  # type: ignore[no-any-return]
        return getattr(raw_ops, f"{kind}V2")(  # type: ignore[no-any-return]
            shared_name=self._shared_name, name=self._given_name, **options
        )

    def lookup(  # type: ignore[override]
        self, keys: TensorLike, dynamic_default_values: TensorLike = None, name: str | None = None
    ) -> Any:
        """The value of each key, or of `dynamic_default_values` the one beside a missing key."""
        checked = self._keys(keys)
        default = self._default_value
        if dynamic_default_values is not None:
            default = convert_to_tensor(dynamic_default_values, dtype=self._value_dtype)
        found = raw_ops.LookupTableFindV2(
            self.resource_handle, flat_values(checked), default, name=name
        )
        return with_values(checked, found)


class DenseHashTable(_ChangingTable):
    """A table that can be changed, of buckets, in which two keys have a meaning of their own.

    `empty_key` marks an empty bucket, `deleted_key` one whose key was taken out; neither can be a
    key. `initial_num_buckets` is a power of two. A key may be a vector.

    >>> table = tf.lookup.experimental.DenseHashTable(
    ...     tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=-1)
    >>> table.insert([1, 2], [10, 20])
    >>> table.lookup([2, 3]).numpy()
    array([20, -1])
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        empty_key: TensorLike,
        deleted_key: TensorLike,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(
            key_dtype, value_dtype, default_value, name, checkpoint, experimental_is_anonymous
        )
        with init_scope():
            self._empty_key = convert_to_tensor(empty_key, dtype=self._key_dtype)
            self._deleted_key = convert_to_tensor(deleted_key, dtype=self._key_dtype)
        self._buckets = initial_num_buckets
        self.resource_handle  # noqa: B018 - made now

    def _create_resource(self) -> Tensor:
        options: dict[str, Any] = {
            "value_dtype": self._value_dtype,
            "value_shape": self._value_shape,
        }
        if self._buckets is not None:
            options["initial_num_buckets"] = self._buckets
        marks = (self._empty_key, self._deleted_key)
        if self._is_anonymous:
            return raw_ops.AnonymousMutableDenseHashTable(*marks, **options)  # type: ignore[no-any-return]
        return raw_ops.MutableDenseHashTableV2(  # type: ignore[no-any-return]
            *marks, shared_name=self._shared_name, name=self._given_name, **options
        )

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The value of each key."""
        return self._find(self._keys(keys), self._default_value, name)

    def insert_or_assign(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> Any:
        """The same as `insert`."""
        return self.insert(keys, values, name)

    def erase(self, keys: TensorLike, name: str | None = None) -> Any:
        """The same as `remove`."""
        return self.remove(keys, name)
