"""Lookup tables that are filled once."""

from __future__ import annotations

from typing import Any

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.settings.scopes import init_scope
from runnel.core.values.dtypes import DType, as_dtype, int64, string
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.shapes import shape_of
from .lookup_interface import LookupInterface, checked_keys, flat_values, with_values


def _check_initializer(initializer: Any) -> None:
    if not hasattr(initializer, "key_dtype") or not hasattr(initializer, "value_dtype"):
        raise TypeError(
            "`initializer` must be one of tables, such as tf.lookup.KeyValueTensorInitializer, got "
            f"{initializer!r}."
        )


class StaticHashTable(LookupInterface):
    """A table that an initializer fills, and that stays as it is.

    >>> init = tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([1, 2]))
    >>> table = tf.lookup.StaticHashTable(init, default_value=0)
    >>> table[tf.constant([["a"], ["c"]])].numpy()
    array([[1],
           [0]], dtype=int32)
    """

    def __init__(
        self,
        initializer: Any,
        default_value: TensorLike,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        _check_initializer(initializer)
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._name = name
        self._is_anonymous = experimental_is_anonymous
        self._shared_name = "" if experimental_is_anonymous else initializer._shared_name
        with init_scope():
            self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
            self._default_value.shape.assert_is_compatible_with(())
        self._initializer = self._track_trackable(initializer, "_initializer")
        with init_scope():
            filled = self._filled = self._initialize()
            if self._home is not None:
                self._home.add_to_collection("table_initializer", filled)

    def _create_resource(self) -> Tensor:
        dtypes: dict[str, Any] = {"key_dtype": self._key_dtype, "value_dtype": self._value_dtype}
        if self._is_anonymous:
            return raw_ops.AnonymousHashTable(**dtypes)  # type: ignore[no-any-return]
        return raw_ops.HashTableV2(  # type: ignore[no-any-return]
            shared_name=self._shared_name, name="hash_table", **dtypes
        )

    def _initialize(self) -> Any:
        return self._initializer.initialize(self)

    @property
    def default_value(self) -> Tensor:
        """What is found for a key that is not in the table."""
        return self._default_value

    @property
    def name(self) -> str | None:
        """The name that the table was given."""
        return self._name

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The value of each key; `keys` may be sparse or ragged, too."""
        checked = checked_keys(keys, self._key_dtype)
        return self._find(checked, self._default_value, name)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and all values."""
        return self._exported(name)


class StaticVocabularyTable(LookupInterface):
    """Numbers for words: those of an initializer, and beyond them `num_oov_buckets` for others.

    A word that is not in the vocabulary gets one of the further numbers, by its fingerprint.

    >>> init = tf.lookup.KeyValueTensorInitializer(
    ...     tf.constant(["a", "b"]), tf.constant([0, 1], tf.int64))
    >>> table = tf.lookup.StaticVocabularyTable(init, num_oov_buckets=5)
    >>> table.lookup(tf.constant(["b", "other"])).numpy()
    array([1, 3])
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: DTypeLike = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        if initializer is not None:
            _check_initializer(initializer)
        key_dtype = None if initializer is None else initializer.key_dtype
        wanted = as_dtype(lookup_key_dtype) if lookup_key_dtype else key_dtype or string
        _check_vocabulary(initializer, wanted)
        super().__init__(key_dtype or string, int64)
        self._lookup_dtype = wanted
        self._num_oov_buckets = num_oov_buckets
        self._given_name = name
        self._table: StaticHashTable | None = None
        if initializer is not None:
            self._table = StaticHashTable(
                initializer, -1, name, experimental_is_anonymous=experimental_is_anonymous
            )

    @property
    def name(self) -> str | None:
        """The name that the table was given."""
        return self._given_name

    @property
    def resource_handle(self) -> Any:
        """The tensor that stands for the table of the vocabulary; None without one."""
        return None if self._table is None else self._table.resource_handle

    def _create_resource(self) -> Tensor:
        assert self._table is not None
        return self._table._create_resource()

    def _initialize(self) -> Any:
        return None if self._table is None else self._table._initialize()

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> Any:
        own = super()._trackable_children(save_type, **kwargs)
        shared = {} if self._table is None else self._table._trackable_children(save_type, **kwargs)
        return {**shared, **own}

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype if self._table is not None else self._lookup_dtype

    @scoped("vocabulary_table_Size")
    def size(self, name: str | None = None) -> Tensor:
        """How many numbers there are, those for words outside the vocabulary among them."""
        if self._table is None:
            return convert_to_tensor(self._num_oov_buckets, dtype=int64)
        return self._table.size() + self._num_oov_buckets  # type: ignore[no-any-return]

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The number of each key; `keys` may be sparse or ragged, too."""
        checked = checked_keys(keys, self._lookup_dtype)
        values = flat_values(checked)
        if self._lookup_dtype.is_integer:
            values = raw_ops.Cast(values, DstT=int64)
        if self._table is None:
            return with_values(checked, self._buckets(values))
        flat = raw_ops.Reshape(values, [-1])
        known = self._table._find(flat, self._table.default_value, name)
        missing = raw_ops.Where(known == self._table.default_value)  # hashing the others is a waste
        others = self._buckets(raw_ops.GatherNd(flat, missing)) + self._table.size()
        found = raw_ops.TensorScatterUpdate(known, missing, others)
        return with_values(checked, raw_ops.Reshape(found, shape_of(values)))

    def _buckets(self, values: Tensor) -> Tensor:
        """The numbers, from 0 on, of keys that are not in the vocabulary."""
        text = raw_ops.AsString(values) if self._lookup_dtype.is_integer else values
        return raw_ops.StringToHashBucketFast(text, num_buckets=self._num_oov_buckets)  # type: ignore[no-any-return]


def _check_vocabulary(initializer: Any, wanted: DType) -> None:
    """See that the table is from strings or int64 to int64."""
    if initializer is not None:
        if initializer.value_dtype != int64:
            got = initializer.value_dtype
            raise TypeError(f"Invalid `value_dtype`, expected {int64} but got {got}.")
        if initializer.key_dtype not in (int64, string):
            raise TypeError(
                f"Invalid `key_dtype`, expected one of {(int64, string)}, but got "
                f"{initializer.key_dtype}."
            )
        if initializer.key_dtype.is_integer != wanted.is_integer:
            raise TypeError(
                f"Invalid `key_dtype`, expected one of {(initializer.key_dtype,)} but got {wanted}."
            )
    if not wanted.is_integer and wanted != string:
        raise TypeError(
            f"Invalid `lookup_key_dtype`, expected an integer dtype or string, but got {wanted}."
        )
