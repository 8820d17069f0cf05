"""What the arguments of columns have to be."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.values import nest


def checked_key(key: Any) -> str:
    """The name of a feature."""
    if not isinstance(key, str):
        raise ValueError(f"`key` must be a string, got {key!r} of type {type(key)}.")
    return key


def checked_words(dtype: tf.DType, what: str) -> None:
    """Refuse values that are neither strings nor integers."""
    if dtype != tf.string and not dtype.is_integer:
        raise ValueError(f"{what}: the dtype must be string or an integer, got {dtype}.")


def checked_number(dtype: Any, key: str) -> tf.DType:
    """A dtype that can be made float."""
    dtype = tf.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"{key}: the dtype must be convertible to float, got {dtype}.")
    return dtype


def checked_shape(shape: Any, key: str) -> tuple[int, ...]:
    """The shape of one example's numbers."""
    dims = tuple(shape) if nest.is_nested(shape) else (shape,)
    for size in dims:
        if not isinstance(size, int):
            raise TypeError(f"{key}: dimensions must be integers, got the shape {dims}.")
        if size < 1:
            raise ValueError(f"{key}: dimensions must be greater than 0, got the shape {dims}.")
    return dims


def checked_normalizer(function: Any) -> Any:
    if function is not None and not callable(function):
        raise TypeError(f"`normalizer_fn` must be a function, got {function!r}.")
    return function


def checked_default(shape: tuple[int, ...], value: Any, dtype: tf.DType, key: str) -> Any:
    """The value of features that are missing, as nested tuples of the given shape."""
    if value is None:
        return None
    if isinstance(value, int) or (isinstance(value, float) and dtype.is_floating):
        return _filled(shape, value)
    if callable(getattr(value, "tolist", None)):
        value = value.tolist()
    if nest.is_nested(value):
        if not _has_shape(value, shape):
            raise ValueError(f"{key}: `default_value` {value} has not the shape {shape}.")
        leaves = nest.flatten(value)
        if all(isinstance(v, int) for v in leaves):
            return _tuples(value)
        if dtype.is_floating and any(isinstance(v, float) for v in leaves):
            return _tuples(value)
    raise TypeError(f"{key}: `default_value` {value!r} does not fit the dtype {dtype}.")


def _filled(shape: tuple[int, ...], value: Any) -> Any:
    return tuple(_filled(shape[1:], value) for _ in range(shape[0])) if shape else value


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if nest.is_nested(value) else value


def _has_shape(value: Any, shape: tuple[int, ...]) -> bool:
    if nest.is_nested(value) != bool(shape):
        return False
    if not shape:
        return True
    return len(value) == shape[0] and all(_has_shape(v, shape[1:]) for v in value)


def checked_bucket_count(count: Any, given_default: bool, key: str) -> int:
    """How many buckets there are for words outside of a vocabulary."""
    if count and given_default:
        raise ValueError(f"{key}: give `num_oov_buckets` or `default_value`, not both.")
    if count and count < 0:
        raise ValueError(f"{key}: `num_oov_buckets` must not be negative, got {count}.")
    return count or 0
