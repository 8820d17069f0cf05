"""What NumPy and jax.numpy say differently, said once.

Kernels are written against `xp` and never ask which of the two it is; the functions here do.
NumPy's side copies and then writes in place, JAX's uses its functional updates.
"""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.backend.jax import jax, jnp, lax
from runnel.backend.stored import stored
from runnel.core.values.types import Array, Namespace

_UFUNCS = {
    "add": np.add,
    "multiply": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "subtract": np.subtract,
}


_ELEMENTS_FOR_SCIPY = 1 << 12  # elements; for less it is not worth loading SciPy's matrices
_BROAD, _NARROW = 16, 128  # columns


def scatter(xp: Namespace, x: Array, index: Any, updates: Array, how: str = "set") -> Array:
    """`x` with `x[index]` set to, or combined with, `updates`; repeated indices combine in turn.

    `how` is "set", "add", "subtract", "multiply", "divide", "min" or "max".
    """
    if xp is np:
        result = np.array(x)
        if how == "set":
            result[index] = updates
        elif how == "divide":
            (np.floor_divide if result.dtype.kind in "iu" else np.divide).at(result, index, updates)
        elif _names_broad_rows(index, updates):
            _combine_rows(_UFUNCS[how], result, index, updates)
        else:
            _UFUNCS[how].at(result, index, updates)
        return result
    x = xp.asarray(x)  # one that is known while compiling is NumPy's
    if how == "add" and getattr(index, "shape", None) == (1,) and index.dtype.kind in "iu":
        return _add_row(xp, x, index[0], updates)
    if how == "subtract":
        return x.at[index].add(-updates)
    return getattr(x.at[index], how)(updates).astype(x.dtype)


def _names_broad_rows(index: Any, updates: Array) -> bool:
    rows = type(index) is np.ndarray and index.ndim == 1 and index.dtype.kind in "iu"
    return rows and updates.size > _ELEMENTS_FOR_SCIPY and updates.size >= 4 * index.size


def _combine_rows(combine: np.ufunc, result: Array, index: Array, updates: Array) -> None:
    """`combine.at(result, index, updates)`: rows named once together, then those named twice.

    `at` goes element by element: for 5,000 rows of 32 it takes 1.2 ms, this 0.2 ms.
    """
    first = np.empty(len(result), np.int64)
    rest = np.arange(len(index))
    for _ in range(_TURNS):
        first[index[rest[::-1]]] = rest[::-1]
        now = first[index[rest]] == rest
        turn = rest[now]
        rows = index[turn]
        result[rows] = combine(result[rows], updates[turn])
        rest = rest[~now]
        if not len(rest):
            return
    combine.at(result, index[rest], updates[rest])


_TURNS = 8


def segments(xp: Namespace, data: Array, ids: Array, count: int, how: str, start: Any) -> Array:
    """The rows of `data` with each id below `count` combined, beginning with `start`.

    A negative id drops its row. Ascending ids, as those of ragged tensors are, go faster.
    """
    rest = data.shape[ids.ndim :]
    if xp is np and ids.size > 64:
        if ids.ndim == 1 and ids[0] >= 0 and np.all(ids[1:] >= ids[:-1]):
            return _ascending(data, ids, count, how, start)
        if data.size >= _BROAD * ids.size:
            ids = ids.ravel()
            order = np.argsort(ids, kind="stable")[np.count_nonzero(ids < 0) :]
            return _ascending(data.reshape(-1, *rest)[order], ids[order], count, how, start)
    place = xp.where(ids < 0, np.asarray(count, ids.dtype), ids)
    spare = xp.full((count + 1, *rest), start, data.dtype)  # the last row takes what is dropped
    return scatter(xp, spare, place, data, how)[:count]


def _ascending(data: Array, ids: Array, count: int, how: str, start: Any) -> Array:
    """`segments` for a vector of ids in order: each is a run of rows."""
    result = np.full((count, *data.shape[1:]), start, data.dtype)
    if len(ids):
        first = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
        result[ids[first]] = _UFUNCS[how](result[ids[first]], _runs(data, first, how))
    return result


def _runs(data: Array, first: Array, how: str) -> Array:
    """The rows from each of `first` up to the next combined.

    NumPy goes column by column, which takes long if there are many. SciPy adds 20,000 rows of 256
    in 1 ms, not 15 ms; what is not added is then combined run by run, or, of many short runs, the
    first rows with the second ones and so on: 10,000 runs in 20,000 rows of 50 in 1 ms, not 14.
    """
    columns, real = data.size // len(data), data.dtype.kind in "fiu" and data.dtype.itemsize > 2
    if how == "add" and real and columns > 1 and data.size > _ELEMENTS_FOR_SCIPY:
        return _sums(data, first)
    sizes = np.diff(first, append=len(data))
    if columns >= _BROAD and sizes.max() * _BROAD < len(first):
        return _round_by_round(data, first, sizes, _UFUNCS[how])
    if columns <= _NARROW:
        return _UFUNCS[how].reduceat(data, first, 0, data.dtype)
    result = np.empty((len(first), *data.shape[1:]), data.dtype)
    ends = [*first[1:].tolist(), len(data)]
    for row, begin, end in zip(result, first.tolist(), ends, strict=True):
        _UFUNCS[how].reduce(data[begin:end], 0, data.dtype, row)
    return result


def _round_by_round(data: Array, first: Array, sizes: Array, combine: np.ufunc) -> Array:
    """The runs of rows from each of `first`, longest ones in front, a row of each at a time."""
    order = np.argsort(-sizes, kind="stable")
    first, sizes = first[order], sizes[order]
    done = data[first]
    for place in range(1, int(sizes[0])):
        count = np.count_nonzero(sizes > place)
        combine(done[:count], data[first[:count] + place], out=done[:count])
    result = np.empty_like(done)
    result[order] = done
    return result


def _sums(data: Array, first: Array) -> Array:
    """The rows from each of `first` up to the next added: the product with a matrix of ones."""
    shape, ends = (len(first), len(data)), np.append(first, len(data))
    entries = np.ones(len(data), data.dtype), np.arange(len(data)), ends
    matrix = importlib.import_module("scipy.sparse").csr_array(entries, shape=shape)
    return (matrix @ data.reshape(len(data), -1)).reshape(-1, *data.shape[1:])


def _add_row(xp: Namespace, x: Array, index: Array, row: Array) -> Array:
    """`x` with `row` added at `index`, which XLA does in place inside a loop."""
    place = xp.where(index < 0, index + len(x), index)
    inside = (place >= 0) & (place < len(x))
    row = xp.where(inside, row, xp.zeros((), x.dtype)).astype(x.dtype)
    return lax.dynamic_update_slice_in_dim(
        x, lax.dynamic_slice_in_dim(x, place, 1) + row, place, axis=0
    )


def once(xp: Namespace, x: Array, beside: Array | None = None) -> Array:
    """`x`, of floats, which a compiled program computes once, however many read it.

    What `beside` is good for, an array of its shape that is there already, `stored` says.
    """
    return x if xp is np else stored(x, beside)


# Elements of a large tensor and of a long axis, and parts of that which are combined at once.
MANY, _LONG, _PARTS = 1 << 16, 32, 8


def reduce_axes(
    xp: Namespace, how: str, x: Array, axis: tuple[int, ...], keepdims: bool = False, **options: Any
) -> Array:
    """`x` reduced by axes as its method `how` does it: "sum", "max" or "min", with its options.

    XLA reduces several axes together slowly, one element after the other, and one axis as vectors,
    if it is not long. So a compiled program goes axis by axis and first combines the parts of a
    long one: the sum over all dimensions of [32,28,28,64] but the last takes 0.2 ms, not 1.7 ms.
    That one axis may come from a reshape matters too: XLA looks through it, at several axes.
    """
    places, inner = {a % x.ndim for a in axis}, x.ndim - 1
    if xp is np or x.size < MANY or not xp.issubdtype(x.dtype, xp.floating):
        return getattr(x, how)(axis=axis, keepdims=keepdims, **options)
    if places <= {inner}:
        x = _folded(xp, how, x) if places and how != "sum" else x
        return getattr(x, how)(axis=axis, keepdims=keepdims, **options)
    shape = [1 if a in places else n for a, n in enumerate(x.shape)]
    for a in sorted(places - {inner}, reverse=True):
        if x.shape[a] >= _LONG and x.size >= MANY:
            parts = xp.split(x, largest_divisor(x.shape[a], _PARTS), a)
            x = once(xp, functools.reduce(getattr(xp, _COMBINE[how]), parts))
        x = once(xp, getattr(x, how)(axis=a))
    x = getattr(x, how)(axis=-1) if inner in places else x
    return x.reshape(shape) if keepdims else x


def _folded(xp: Namespace, how: str, x: Array) -> Array:
    """The largest (or smallest) of eight parts of each row, which may overlap.

    XLA finds the largest of a row one element after the other, and that of two rows as vectors: of
    1000 rows of 1000 in 0.4 ms, not 0.9 ms.
    """
    length = x.shape[-1]
    if length < _LONG:
        return x
    width = -(-length // _PARTS)
    starts = [min(i * width, length - width) for i in range(_PARTS)]
    parts = [x[..., start : start + width] for start in starts]
    return functools.reduce(getattr(xp, _COMBINE[how]), parts)


_COMBINE = {"sum": "add", "max": "maximum", "min": "minimum"}


def largest_divisor(n: int, limit: int) -> int:
    """The largest divisor of `n` up to `limit`, or 1."""
    return max((d for d in range(2, min(n, limit) + 1) if n % d == 0), default=1)


def special(xp: Namespace, name: str) -> Any:
    """A special function such as `erf`, by the name it has in `scipy.special`."""
    package = "scipy.special" if xp is np else "jax.scipy.special"
    return getattr(importlib.import_module(package), name)


def zeros(xp: Namespace, shape: tuple[int, ...], dtype: Any) -> Array:
    """Zeros of a NumPy dtype; for strings, which are objects, empty ones."""
    if dtype == np.dtype(object):
        return np.full(shape, b"", object)
    return xp.zeros(shape, dtype)


def pad(xp: Namespace, x: Array, paddings: Any, value: Any = None) -> Array:
    """`x` in the middle of a larger array of `value`s (zeros); `paddings` has a pair for each
    dimension.
    """
    pairs = [(int(before), int(after)) for before, after in paddings]
    if xp is np:
        shape = tuple(n + before + after for n, (before, after) in zip(x.shape, pairs, strict=True))
        result = zeros(np, shape, x.dtype) if value is None else np.full(shape, value, x.dtype)
        inner = tuple(slice(b, b + n) for n, (b, _) in zip(x.shape, pairs, strict=True))
        result[inner] = x
        return result
    fill = xp.zeros((), x.dtype) if value is None else xp.asarray(value, x.dtype)
    return lax.pad(x, fill, [(before, after, 0) for before, after in pairs])


def bitcast_flat(xp: Namespace, x: Array, dtype: Any) -> Array:
    """The bytes of `x`, in memory's order, as a vector of another dtype."""
    if xp is np:
        return np.ascontiguousarray(x).reshape(-1).view(dtype)
    if x.dtype.kind == "c":
        x = jnp.stack([x.real, x.imag], axis=-1)
    return _from_bytes(lax.bitcast_convert_type(x, np.uint8).reshape(-1), np.dtype(dtype))


def _from_bytes(flat: Array, dtype: Any) -> Array:
    if dtype.kind == "c":
        parts = _from_bytes(flat, np.dtype(f"f{dtype.itemsize // 2}")).reshape(-1, 2)
        return lax.complex(parts[:, 0], parts[:, 1])
    grouped = flat.reshape(-1, dtype.itemsize) if dtype.itemsize > 1 else flat
    return lax.bitcast_convert_type(grouped, dtype)


def truncated_quotient(xp: Namespace, x: Array, y: Array) -> Array:
    """`x / y` of integers, cut towards zero as in C."""
    if xp is not np:
        return lax.div(*xp.broadcast_arrays(x, y))
    quotient = np.floor_divide(x, y)
    inexact = (quotient * y != x) & (np.less(x, 0) != np.less(y, 0))
    return np.where(inexact, quotient + np.ones((), quotient.dtype), quotient)


def in_float32(kernel: Callable[..., Array]) -> Callable[..., Array]:
    """Let a kernel compute in float32 what has half precision, and round once at the end."""

    @functools.wraps(kernel)
    def widened(xp: Namespace, *args: Array, **attrs: Any) -> Array:
        halves = [x.dtype for x in args if x.dtype.itemsize == 2 and x.dtype.kind not in "iu"]
        if not halves:
            return kernel(xp, *args, **attrs)
        dtype = halves[0]
        wide = [x.astype(np.float32) if x.dtype == dtype else x for x in args]
        return kernel(xp, *wide, **attrs).astype(dtype)

    return widened


def joined_parts(xp: Namespace, real: Array, imag: Array) -> Array:
    """Complex numbers of their parts; `real + 1j * imag` would make NaN of an infinite one."""
    if xp is not np:
        return lax.complex(*xp.broadcast_arrays(real, imag))
    shape = np.broadcast_shapes(real.shape, imag.shape)
    result = np.empty(shape, np.result_type(real.dtype, np.complex64))
    result.real, result.imag = real, imag
    return result


def integer_power(xp: Namespace, x: Array, y: Array) -> Array:
    """`x ** y` of integers, `y` not negative; what overflows wraps around."""
    if xp is np:
        return np.power(x, y)

    def step(state: Any) -> Any:  # jnp.power looks at the lowest six bits of `y` alone
        base, rest, total = state
        return base * base, rest >> 1, jnp.where(rest & 1, total * base, total)

    x, y = jnp.broadcast_arrays(x, y)
    return lax.while_loop(lambda s: (s[1] > 0).any(), step, (x, y, jnp.ones_like(x)))[2]


def broadcast_to(xp: Namespace, x: Array, dims: tuple[int, ...]) -> Array:
    """`x` repeated until it has the shape `dims`; without a copy where it is large."""
    # np.broadcast_to takes three microseconds
    if xp is np and math.prod(dims) <= 1 << 14 and x.ndim <= len(dims):
        result = np.empty(dims, x.dtype)
        result[...] = x
        return result
    return xp.broadcast_to(x, dims)


def float_to_int(xp: Namespace, x: Array, target: np.dtype[Any]) -> Array:
    """Floats cut to integers as an x86 processor does it, whatever this one does.

    Numbers are converted to 32 bits (64 where the target needs them); one that is too large, or no
    number, becomes the lowest integer. A narrower or unsigned target takes the low bits of that.
    """
    if x.dtype.itemsize == 2:
        x = x.astype(np.float32)
    wide = np.dtype(np.int32 if target.itemsize < 4 or target == np.int32 else np.int64)
    if target == np.uint64:
        upper = (x >= 2.0**63) & (x < 2.0**64)
        cut = _cut(xp, xp.where(upper, x - np.asarray(2.0**63, x.dtype), x), wide)
        return xp.where(upper, cut ^ np.int64(-(2**63)), cut).astype(target)
    return _cut(xp, x, wide).astype(target, copy=False)


def _cut(xp: Namespace, x: Array, wide: np.dtype[Any]) -> Array:
    if xp is np and _cuts_like_x86():
        return x.astype(wide)
    limit = np.asarray(2.0 ** (8 * wide.itemsize - 1), x.dtype)
    fits = (x >= -limit) & (x < limit)
    lowest = np.asarray(np.iinfo(wide).min, wide)
    return xp.where(fits, xp.where(fits, x, xp.zeros((), x.dtype)).astype(wide), lowest)


@functools.cache
def _cuts_like_x86() -> bool:
    """Whether NumPy's own cast answers the lowest integer for what does not fit."""
    samples = np.tile([np.nan, np.inf, -np.inf, 1e30], 16)
    with np.errstate(all="ignore"):
        return all(
            bool((samples.astype(source).astype(wide) == np.iinfo(wide).min).all())
            for source in (np.float32, np.float64)
            for wide in (np.int32, np.int64)
        )


def reciprocal_root(xp: Namespace, x: Array) -> Array:
    """`1 / sqrt(x)`, in one pass or in place."""
    if xp is np:
        root = np.sqrt(x)
        return np.reciprocal(root, out=root if root.ndim else None)
    if x.dtype.char not in "fd":
        return xp.reciprocal(xp.sqrt(x))
    # XLA has a function for this that takes seven times as long: the one is hidden from it.
    return xp.where(x == x, xp.ones((), x.dtype), x) / xp.sqrt(x)


def select(xp: Namespace, condition: Array, x: Array, y: Array) -> Array:
    """`x` where the condition holds, else `y`."""
    if xp is np and condition.ndim == 0 and x.shape == y.shape:
        return x if condition else y
    if xp is np and condition.size > MANY and x.dtype.kind in "biuf" and _flickers(condition):
        return _select_bits(condition, x, y)
    return xp.where(condition, x, y)


def _flickers(condition: Array) -> bool:
    """Whether the processor will guess wrongly what holds for the next element."""
    sample = condition.flat[:2048]
    return bool(np.count_nonzero(sample[1:] != sample[:-1]) > 100)


def _select_bits(condition: Array, x: Array, y: Array) -> Array:
    """`y`, and once the difference to `x` where that is wanted, of their bits as integers.

    Nothing is guessed: a million numbers chosen at random take 1 ms, not 5 ms.
    """
    bits = f"i{x.dtype.itemsize}"
    arrays = [np.asarray(x).view(bits), np.asarray(y).view(bits), condition.view("i1"), None]
    flags: Any = ["external_loop", "buffered"]
    with np.nditer(arrays, flags, op_dtypes=[bits] * 4, buffersize=1 << 15) as blocks:
        for one, other, wanted, result in blocks:
            np.subtract(one, other, out=result)
            result *= wanted
            result += other
        return blocks.operands[3].view(x.dtype)


def without_nan(xp: Namespace, x: Array, value: Array) -> Array:
    """`x` with `value` in place of what is no number."""
    none = xp.isnan(x)
    if xp is np and not none.any():
        return x
    return xp.where(none, value, x)


def search_rows(xp: Namespace, rows: Array, values: Array, side: str) -> Array:
    """`searchsorted` of each row of `values` in the row of sorted numbers beside it."""
    if xp is not np:
        return jax.vmap(lambda row, wanted: jnp.searchsorted(row, wanted, side=side))(rows, values)
    if len(rows) > _ROWS_FOR_NUMPY and not (
        values.dtype.kind not in "biu" and np.isnan(values).any()
    ):
        return _halve(rows, values, side)
    pairs = zip(rows, values, strict=True)
    found = [row.searchsorted(wanted, side=side) for row, wanted in pairs]
    return np.array(found, np.int64).reshape(values.shape)


_ROWS_FOR_NUMPY = 32


def _halve(rows: Array, values: Array, side: str) -> Array:
    """`search_rows` of many rows: all intervals are halved at once.

    In 8,000 rows of 6 it takes 1 ms, row by row 5 ms.
    """
    before = np.less if side == "left" else np.less_equal
    length = rows.shape[1]
    first = np.arange(len(rows)).reshape(-1, 1) * length
    low, high = np.zeros(values.shape, np.int64), np.full(values.shape, length, np.int64)
    flat = rows.reshape(-1)
    for _ in range(length.bit_length()):
        middle = (low + high) >> 1
        inside = low < high
        goes_on = inside & before(flat[first + np.minimum(middle, length - 1)], values)
        low = np.where(goes_on, middle + 1, low)
        high = np.where(goes_on | ~inside, high, middle)
    return low


def element(x: Any, index: Any, axis: int = 0) -> Any:
    """The element of `x` at a traced `index`, which is not negative, along an axis."""
    return lax.dynamic_index_in_dim(x, _unsigned(index), axis, keepdims=False)


def with_element(x: Any, index: Any, value: Any) -> Any:
    """`x` with another element at `index`, which is not negative."""
    return lax.dynamic_update_index_in_dim(x, value, _unsigned(index), 0)


def _unsigned(index: Any) -> Any:
    """An index that JAX does not count from the end, which would be a kernel in every iteration."""
    return index if isinstance(index, int) else index.astype(f"uint{8 * index.dtype.itemsize}")
