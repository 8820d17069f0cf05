"""Other values in the place of one that a call can take."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.compare.writing import Input, numbers
from tests.samples import Made, Symbol, Tensor
from tests.samples.good_calls import Axis, Size, Type

DTYPES = (
    "float32 float64 int32 int64 float16 bfloat16 uint8 int8 int16 uint16 uint32 uint64 bool "
    "complex64 complex128 string"
).split()
_USUAL = "float32 float64 int32 int64 float16 bfloat16".split()
_NUMBERS = [0, 1, -1, 2, 3, -2, 5, 100, 2**31, 0.5, -0.0, 1e30, True, None, "a", 1j]
_NUMBERS += [float("nan"), float("inf")]


def changed(value: Any, rng: random.Random) -> Any:
    """Something else in place of an argument."""
    if isinstance(value, Input):
        return _other_input(value, rng)
    if isinstance(value, np.ndarray | np.generic):
        return _other_array(np.asarray(value), rng)
    if isinstance(value, Axis):
        return rng.choice([0, -1, 1, -2, 2, 5, -5, [0], [-1], [0, 1], [], None, _scalar(rng)])
    if isinstance(value, Symbol | Type):
        return Symbol(rng.choice(DTYPES)) if value.name in DTYPES else value
    if isinstance(value, Size):
        return changed(value.value, rng)
    if isinstance(value, bool):
        return rng.choice([not value, not value, None, int(value)])
    if isinstance(value, int | float):
        return rng.choice([-value, value + 1, _scalar(rng), type(value)(0), rng.choice(_NUMBERS)])
    if isinstance(value, str | bytes):
        empty = type(value)()
        return rng.choice([value.lower(), value.upper(), empty, value + value, None, 1])
    if isinstance(value, list | tuple) and value:
        return _other_list(value, rng)
    return value if isinstance(value, Made | Tensor) else rng.choice([value, 0, 1, [1], "a"])


def _scalar(rng: random.Random) -> Input:
    return Input(np.array(rng.choice([0, 1, -1, 2, 3]), rng.choice(_USUAL[:4])))


def _other_list(value: Any, rng: random.Random) -> Any:
    place = rng.randrange(len(value))
    kind = type(value)
    some = [kind([*value[:place], changed(value[place], rng), *value[place + 1 :]])] * 4
    some += [value[:place] + value[place + 1 :], kind([*value, value[place]]), value[::-1]]
    some += [tuple(value), list(value), kind([]), value[0]]
    if all(type(item) is int and abs(item) < 2**31 for item in value):
        some += [np.array(value), Input(np.array(value, rng.choice(_USUAL[2:4]))), [value]]
    return rng.choice(some)


def _other_input(given: Input, rng: random.Random) -> Any:
    if not isinstance(given.value, np.ndarray | np.generic):
        return given
    array = np.asarray(given.value)
    if rng.random() < 0.15:
        return _other_holder(array, rng)
    return Input(_other_array(array, rng))


def _other_holder(array: np.ndarray, rng: random.Random) -> Any:
    """The same numbers as a list, an array, a variable, a ragged or a sparse tensor."""
    some: list[Any] = [array, numbers(array) if array.size else array]
    if array.dtype.kind not in "OSU" and array.ndim:
        dense = Tensor(numbers(array) if array.size else array, array.dtype.name)
        some += [Input(Made("sparse.from_dense", (dense,), {}))]
        some += [Made("Variable", (dense,), {})]
    if array.ndim > 1 and array.size:
        rows = numbers(array)
        ragged = [rows[0][:1], *rows[1:]]
        some += [Input(Made("ragged.constant", (ragged,), {"dtype": array_dtype(array)}))]
    return rng.choice(some)


def array_dtype(array: np.ndarray) -> str:
    """TensorFlow's name of an array's dtype."""
    return "string" if array.dtype.kind in "OSU" else array.dtype.name


def _other_array(array: np.ndarray, rng: random.Random) -> np.ndarray:
    return rng.choice([_other_shape, _other_dtype, _other_values])(array, rng)


def _other_dtype(array: np.ndarray, rng: random.Random) -> np.ndarray:
    return recast(array, rng.choice([*DTYPES, *_USUAL]))


def recast(array: np.ndarray, dtype: str) -> np.ndarray:
    """The numbers in another dtype; those of texts are their places."""
    if dtype == "string":
        made = np.empty(array.size, object)
        made[:] = [(b"a", b"bc", b"")[i % 3] for i in range(array.size)]
        return made.reshape(array.shape)
    if array.dtype.kind in "OSU":
        array = np.arange(array.size).reshape(array.shape)
    if dtype == "bfloat16":
        import ml_dtypes

        return array.real.astype(np.float32).astype(ml_dtypes.bfloat16)
    kind = np.dtype(dtype).kind
    if kind != "c" and array.dtype.kind == "c":
        array = array.real
    if kind in "iu":
        array = np.nan_to_num(array.astype(np.float64), posinf=9, neginf=-9).clip(-100, 100)
        array = np.abs(array) if kind == "u" else array
    return array.astype(dtype)


def _other_shape(array: np.ndarray, rng: random.Random) -> np.ndarray:
    some = [array[None], array.reshape(-1), np.zeros([0], array.dtype), array[..., None]]
    if array.size:
        some += [array.reshape(-1)[0].reshape(()) if array.dtype != object else array]
        some += [array.reshape(-1)[:1]]
    if array.ndim and array.size:
        some += [array[:0], array[..., :0], array[0:1], array[..., :1], array[0]]
        some += [np.resize(array, (*array.shape[:-1], array.shape[-1] + 1)), array.T]
        some += [np.resize(array, (array.shape[0] + 1, *array.shape[1:]))]
    made = np.asarray(rng.choice(some))
    return made.astype(object) if array.dtype == object else made


def _other_values(array: np.ndarray, rng: random.Random) -> np.ndarray:
    if not array.size or array.dtype.kind in "bOSU":
        return array
    made = array.copy()
    odd: list[Any] = [0, 1, 100, made.reshape(-1)[-1]]
    if array.dtype.kind not in "iu":
        odd += [np.nan, np.inf, -np.inf, -0.0, 1e-30, 1e4, -1]
    elif array.dtype.kind == "i":
        odd += [-1, -7, 5]
    if rng.random() < 0.3:
        return np.full_like(made, rng.choice(odd))
    made.reshape(-1)[rng.randrange(made.size)] = rng.choice(odd)
    return made


Change = Callable[[Any], Any]


def everywhere(value: Any, change: Change) -> Any:
    """The value with a change of every array in it, in inputs too."""
    if isinstance(value, Input):
        return Input(everywhere(value.value, change))
    if isinstance(value, np.ndarray | np.generic | Symbol | Type):
        return change(value)
    if isinstance(value, list | tuple):
        return type(value)(everywhere(item, change) for item in value)
    if isinstance(value, dict):
        return {key: everywhere(item, change) for key, item in value.items()}
    return value


def arrays(value: Any) -> Iterator[np.ndarray]:
    """The arrays in a value."""
    found: list[np.ndarray] = []
    everywhere(value, lambda item: found.append(item) or item)
    return (np.asarray(item) for item in found if isinstance(item, np.ndarray | np.generic))


def other_dtype_everywhere(value: Any, rng: random.Random) -> Any:
    """Another dtype in the place of one, in all arrays and in arguments that name it."""
    names = sorted({array_dtype(array) for array in arrays(value)})
    if not names:
        return value
    old, new = rng.choice(names), rng.choice([*DTYPES, *_USUAL])

    def change(item: Any) -> Any:
        if isinstance(item, Symbol | Type):
            return Symbol(new) if item.name == old else item
        return recast(np.asarray(item), new) if array_dtype(np.asarray(item)) == old else item

    return everywhere(value, change)


def other_size_everywhere(value: Any, rng: random.Random) -> Any:
    """Nothing, or one, in the place of a size that several arrays have."""
    sizes = sorted({size for array in arrays(value) for size in array.shape})
    if not sizes:
        return value
    old, new = rng.choice(sizes), rng.choice([0, 1])

    def change(item: Any) -> Any:
        if isinstance(item, Symbol | Type):
            return item
        array = np.asarray(item)
        return np.asarray(array[tuple(slice(new if n == old else n) for n in array.shape)])

    return everywhere(value, change)
