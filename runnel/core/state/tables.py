"""What the handle of a lookup table points to: keys and the value of each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import numpy as np

from runnel.core.state.resource import Resource
from runnel.core.values.dtypes import DType, string
from runnel.core.values.errors import FailedPreconditionError, UnimplementedError
from runnel.core.values.types import Array
from runnel.kernels.text.dictionary_strings import repeated
from runnel.kernels.text.fingerprint import murmur64
from runnel.kernels.text.flat_text import FlatText, flat_text
from runnel.kernels.text.unmade import Unmade, made
from runnel.kernels.text.word_index import WordIndex

_KEYS_FOR_NUMPY = 256  # keys; fewer are found one by one before arrays are made
_MANY_WORDS = 4096  # the same of strings


class _Index:
    """Numbers as keys, sorted, with the value of each."""

    def __init__(self, keys: Array, values: Array) -> None:
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._values = values[order]
        self._first = int(self._keys[0])
        span = int(self._keys[-1]) - self._first + 1
        self._places: Any = None  # of each number from the first to the last, if these are not many
        if span <= 16 * len(keys) + (1 << 16):
            self._places = np.full(span + 1, -1, np.int32)  # the last is for all other numbers
            self._places[self._keys.astype(np.int64) - self._first] = np.arange(len(keys))

    def find(self, keys: Array, default: Array, shape: tuple[int, ...]) -> Array:
        """The values of keys, in this shape; `default` for those that are not there."""
        places, known = self._places_of(keys)
        found = self._values[places].reshape(shape)
        if not known.all():
            rank = self._values.ndim - 1
            known = known.reshape(shape[: len(shape) - rank] + (1,) * rank)
            found = np.where(known, found, default)
        return found

    def _places_of(self, keys: Array) -> tuple[Array, Array]:
        if self._places is None:
            places = np.searchsorted(self._keys, keys)
            places = np.minimum(places, len(self._keys) - 1)
            return places, self._keys[places] == keys
        inside = (keys >= self._keys[0]) & (keys <= self._keys[-1])
        numbers = np.where(inside, keys.astype(np.int64) - self._first, len(self._places) - 1)
        places = self._places[numbers]
        return places, places >= 0


class Table(Resource):
    """Values by key. A key is a Python number or string; a value is one, too, or an array."""

    changes = True  # whether entries may be added when the table has been filled

    def __init__(
        self, key_dtype: DType, value_dtype: DType, value_shape: tuple[int, ...] = ()
    ) -> None:
        super().__init__()
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype
        self.value_shape = value_shape
        self.key_shape: tuple[int, ...] = ()
        self.entries: dict[Any, Any] = {}
        self._index: _Index | None = None  # of the entries as they are
        self._words: tuple[WordIndex, Array] | None = None  # the same of strings, and the values

    def __len__(self) -> int:
        return len(self.entries)

    def __bool__(self) -> bool:
        return True  # an empty one is something, too

    def shape_of_keys(self, keys: Array) -> tuple[int, ...]:
        """The shape of what stands for one key each."""
        return keys.shape  # type: ignore[no-any-return]

    def keys_of(self, keys: Array) -> list[Any]:
        return keys.ravel().tolist()  # type: ignore[no-any-return]

    def values_of(self, values: Array) -> list[Any]:
        """The value for each key."""
        if not self.value_shape:
            return values.ravel().tolist()  # type: ignore[no-any-return]
        return list(values.reshape(-1, *self.value_shape))

    def find(self, keys: Array, default: Array) -> Array:
        """The value of each key, or `default`: one for all, or one for each."""
        known = repeated(keys)
        if known is not None and default.shape == self.value_shape:
            return self.find(known.distinct, default)[known.places]
        shape = self.shape_of_keys(keys) + self.value_shape
        with self.lock:
            if self._is_indexed(keys):
                return self._index_now().find(keys.ravel(), default, shape)
            if self._has_words_for(keys, default):
                found = self.find_words(flat_text(keys), default)
                if found is not None:
                    return found.reshape(shape)
            others: Any = self.values_of(default)
            if default.shape == self.value_shape:
                others = repeat(others[0])
            found = map(self.entries.get, self.keys_of(keys), others)
            if self.value_shape or self.value_dtype.np_dtype.kind not in "biuf":
                return self.packed(list(found)).reshape(shape)
            return np.fromiter(found, self.value_dtype.np_dtype, math.prod(shape)).reshape(shape)

    def _is_indexed(self, keys: Array) -> bool:
        """Whether numbers are looked for, so many that arrays of all entries are worth making."""
        many = keys.size >= _KEYS_FOR_NUMPY and keys.size * 4 >= len(self.entries) > 0
        return many and self.key_dtype.is_integer and not self.key_shape

    def _index_now(self) -> _Index:
        if self._index is None:
            self._index = _Index(*Table.export(self))
        return self._index

    def _has_words_for(self, keys: Array, default: Array) -> bool:
        """Whether so many strings are looked for that an index of all entries is worth making."""
        many = keys.size >= _MANY_WORDS and keys.size * 4 >= len(self.entries) > 0
        plain = not self.value_shape and not default.shape and not self.key_shape
        return many and plain and self.key_dtype is string

    def find_words(self, keys: FlatText | Unmade, default: Array) -> Array | None:
        """The values of pieces of a text; None if these cannot be told apart in it."""
        if self._words is None:
            self._words = WordIndex(list(self.entries)), Table.export(self)[1]
        words, values = self._words
        if not words.is_complete or (isinstance(keys, FlatText) and keys.has_zeros):
            return None
        return np.append(values, default)[words.places(keys)]

    def packed(self, values: list[Any]) -> Array:
        """Values one after another, as an array."""
        kind = self.value_dtype.np_dtype
        result = np.empty((len(values), *self.value_shape), kind)
        if values:
            result[:] = np.array(values, kind) if self.value_shape else values
        return result

    def insert(self, keys: Array, values: Array) -> None:
        with self.lock:
            self._index = self._words = None
            self.entries.update(zip(self.keys_of(keys), self.values_of(values), strict=True))

    def remove(self, keys: Array) -> None:
        with self.lock:
            self._index = self._words = None
            for key in self.keys_of(keys):
                self.entries.pop(key, None)

    def fill(self, keys: Array, values: Array) -> None:
        """Have these entries and no others."""
        with self.lock:
            self.entries = {}
            self.insert(keys, values)

    def export(self) -> tuple[Array, Array]:
        with self.lock:
            keys = np.empty(len(self.entries), self.key_dtype.np_dtype)
            if self.entries:
                keys[:] = list(self.entries)
            return keys, self.packed(list(self.entries.values()))


class StaticTable(Table):
    """A table that is filled once, and read from then on."""

    changes = False

    def __init__(self, key_dtype: DType, value_dtype: DType) -> None:
        super().__init__(key_dtype, value_dtype)
        self.is_filled = False

    def find(self, keys: Array, default: Array) -> Array:
        if not self.is_filled:
            message = "The lookup table has not been initialized: it was read before it was filled."
            raise FailedPreconditionError(None, None, message)
        if default.size != 1:
            default = default.ravel()[:1]
        if type(keys) is Unmade:
            with self.lock:
                found = self.find_words(keys, default)
            if found is not None:
                return found
            keys = made(keys)
        return super().find(keys, default.reshape(()))

    def fill(self, keys: Array, values: Array) -> None:
        """The first time the entries are taken; a key twice must have the same value twice.

        Later there must be as many as before, since a program that runs again fills again.
        """
        with self.lock:
            if self.is_filled:
                if keys.size != len(self):
                    message = "The lookup table has been initialized with other entries."
                    raise FailedPreconditionError(None, None, message)
                return
            for key, value in zip(self.keys_of(keys), self.values_of(values), strict=True):
                if self.entries.setdefault(key, value) != value:
                    self.entries, held = {}, self.entries[key]
                    raise FailedPreconditionError(
                        None, None, f"The table has {held!r} and {value!r} for the key {key!r}."
                    )
            self.is_filled = True

    def insert(self, keys: Array, values: Array) -> None:
        raise UnimplementedError(None, None, "A static lookup table cannot be changed.")

    def remove(self, keys: Array) -> None:
        raise UnimplementedError(None, None, "A static lookup table cannot be changed.")


class DenseTable(Table):
    """A table of buckets, in which one key marks what is empty and another what was removed."""

    def __init__(
        self,
        value_dtype: DType,
        value_shape: tuple[int, ...],
        empty_key: Array,
        deleted_key: Array,
        key_dtype: DType,
        buckets: int,
        load: float,
    ) -> None:
        super().__init__(key_dtype, value_dtype, value_shape)
        self.key_shape = empty_key.shape
        self.buckets = buckets
        self._load = load
        self._marks = {"empty_key": empty_key, "deleted_key": deleted_key}
        self._reserved = {self.keys_of(key)[0]: name for name, key in self._marks.items()}

    def shape_of_keys(self, keys: Array) -> tuple[int, ...]:
        return keys.shape[: keys.ndim - len(self.key_shape)]  # type: ignore[no-any-return]

    def keys_of(self, keys: Array) -> list[Any]:
        if not self.key_shape:
            return keys.ravel().tolist()  # type: ignore[no-any-return]
        return [tuple(np.ravel(key).tolist()) for key in keys.reshape(-1, *self.key_shape)]

    def reserved(self, keys: Array) -> str | None:
        """The name of the mark that is among the keys, if there is one."""
        if self.key_dtype.is_integer and not self.key_shape:
            marks = self._reserved.items()
            return next((name for key, name in marks if np.any(keys == key)), None)
        found: Iterator[str | None] = map(self._reserved.get, self.keys_of(keys))
        return next((name for name in found if name is not None), None)

    def insert(self, keys: Array, values: Array) -> None:
        super().insert(keys, values)
        while len(self.entries) > self._load * self.buckets:
            self.buckets *= 2

    def fill(self, keys: Array, values: Array) -> None:
        """Take what `export` gave, without the buckets that hold a mark."""
        kept = [name not in self._reserved for name in self.keys_of(keys)]
        flat = keys.reshape(-1, *self.key_shape)[kept]
        with self.lock:
            self.entries = {}
            self.buckets = len(kept)
            self.insert(flat, values.reshape(-1, *self.value_shape)[kept])

    def export(self) -> tuple[Array, Array]:
        """All buckets, the empty ones among them."""
        with self.lock:
            keys = np.empty((self.buckets, *(self.key_shape or (1,))), self.key_dtype.np_dtype)
            keys[:] = self._marks["empty_key"]
            nothing = b"" if self.value_dtype.name == "string" else 0
            shape = (self.buckets, *(self.value_shape or (1,)))
            values = np.full(shape, nothing, self.value_dtype.np_dtype)
            for key, place in self._places().items():
                keys[place], values[place] = key, self.entries[key]
            return keys, values

    def _places(self) -> dict[Any, int]:
        """The bucket of each key: where TensorFlow looks for it, which takes them as they are."""
        taken: set[int] = set()
        places = {}
        for key in self.entries:
            place, step = _hashed(key) & (self.buckets - 1), 0
            while place in taken:
                step += 1
                place = (place + step) & (self.buckets - 1)
            taken.add(place)
            places[key] = place
        return places


def _hashed(key: Any) -> int:
    """The number whose lowest bits name the bucket of a key."""
    if not isinstance(key, tuple):
        return murmur64(key) if isinstance(key, bytes) else int(key)
    found = 0
    for part in key:
        rest = (found << 10) + (found >> 4)
        found = (found ^ (_hashed(part) + 0x9E3779B97F4A7800 + rest)) & 0xFFFFFFFFFFFFFFFF
    return found
