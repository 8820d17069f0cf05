"""Strings as numbers of buckets, by their hashes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.text.arrays import for_all_flat
from runnel.kernels.text.fingerprint import fingerprint64, keyed_hash64, murmur64
from runnel.kernels.text.flat_text import FlatText
from runnel.kernels.text.many_hashes import fingerprints64, keyed_hashes64, murmurs64

# So many strings take Python as long as NumPy, by one hash and by that with a key.
_STRINGS_FOR_NUMPY, _KEYED_FOR_NUMPY = 32, 8


def _check_number(op_name: str, num_buckets: int) -> None:
    if num_buckets < 1:
        raise bad_value(op_name, want="be at least 1", num_buckets=num_buckets)


def _shape(input: Spec, *, op_name: str, num_buckets: int, **attrs: Any) -> Dims:
    _check_number(op_name, num_buckets)
    return input.dims


def _buckets(
    op_name: str,
    x: Array,
    num_buckets: int,
    one: Callable[[bytes], int],
    many: Callable[[FlatText], Array],
    least: int = _STRINGS_FOR_NUMPY,
) -> Array:
    """The bucket of each string: `one` is the hash of a string, `many` those of several."""
    _check_number(op_name, num_buckets)
    if x.size < least:
        found = [one(value) % num_buckets for value in x.ravel().tolist()]
        return np.array(found, np.int64).reshape(x.shape)
    return for_all_flat(lambda text: (many(text) % np.uint64(num_buckets)).astype(np.int64), x)


@op("StringToHashBucket", "string_tensor: string -> output: int64", shape=_shape)
def _hash_bucket(xp: Namespace, string_tensor: Array, *, num_buckets: int) -> Array:
    return _buckets("StringToHashBucket", string_tensor, num_buckets, murmur64, murmurs64)


no_gradient("StringToHashBucket")


def to_hash_bucket(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """The number of the bucket of each string, by TensorFlow's old hash.

    >>> tf.strings.to_hash_bucket(["Hello", "TensorFlow", "2.x"], 3).numpy()
    array([2, 0, 1])
    """
    return raw_ops.StringToHashBucket(  # type: ignore[no-any-return]
        input, num_buckets=num_buckets, name=name
    )


@op("StringToHashBucketFast", "input: string -> output: int64", shape=_shape, elementwise=True)
def _hash_bucket_fast(xp: Namespace, input: Array, *, num_buckets: int) -> Array:
    name = "StringToHashBucketFast"
    return _buckets(name, input, num_buckets, fingerprint64, fingerprints64)


no_gradient("StringToHashBucketFast")


def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """The number of the bucket of each string, by FarmHash: the same everywhere and always.

    >>> tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).numpy()
    array([0, 2, 2])
    """
    return raw_ops.StringToHashBucketFast(  # type: ignore[no-any-return]
        input, num_buckets=num_buckets, name=name
    )


@op("StringToHashBucketStrong", "input: string -> output: int64", shape=_shape, elementwise=True)
def _hash_bucket_strong(xp: Namespace, input: Array, *, num_buckets: int, key: tuple) -> Array:
    name = "StringToHashBucketStrong"
    if len(key) != 2:
        raise bad_value(name, want="have two numbers", key=key)
    one = functools.partial(keyed_hash64, key=key)
    many = functools.partial(keyed_hashes64, key=key)
    return _buckets(name, input, num_buckets, one, many, _KEYED_FOR_NUMPY)


no_gradient("StringToHashBucketStrong")


def to_hash_bucket_strong(
    input: TensorLike, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Tensor:
    """The number of the bucket of each string, by a hash that cannot be foreseen without the key.

    >>> tf.strings.to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2]).numpy()
    array([2, 0])
    """
    arguments: dict[str, Any] = {"num_buckets": num_buckets, "key": key, "name": name}
    return raw_ops.StringToHashBucketStrong(input, **arguments)  # type: ignore[no-any-return]
