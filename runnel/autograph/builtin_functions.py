"""Python's built-in functions, which also take symbolic tensors in converted code."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.autograph.branches import read
from runnel.autograph.comprehensions import comprehension
from runnel.autograph.features import print_
from runnel.autograph.items import (
    Items,
    enumerate_,
    is_dataset,
    is_symbolic,
    items_of,
    map_,
    range_,
    reversed_,
    zip_,
)
from runnel.autograph.lists import StagedList
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.values import dtypes, nest
from runnel.graph.functions.vectorized_map import vectorized_map
from runnel.ops.reduce.ordering import argsort
from runnel.ops.resources.tensor_array import TensorArray


def abs_(value: Any) -> Any:
    if not is_dataset(value):
        return abs(value)
    return value.map(lambda *parts: nest.map_structure(abs, parts if parts[1:] else parts[0]))


def len_(value: Any) -> Any:
    if isinstance(value, StagedList):
        return value.length()
    if isinstance(value, Items):
        return value.count
    value = read(value)
    if is_dataset(value) and state.graph is not None:
        return _dataset_length(value)
    if isinstance(value, TensorArray):
        return value.size()
    if isinstance(value, RaggedTensor) and state.graph is not None:
        return value.nrows(np.int32)
    if not is_symbolic(value):
        return len(value)
    if value.shape.rank == 0:
        raise ValueError("len requires a non-scalar tensor, got one of shape ().")
    size = value.shape[0] if value.shape.rank else None
    return size if size is not None else raw_ops.GatherV2(raw_ops.Shape(value), 0, 0)


def _dataset_length(dataset: Any) -> Any:
    """How many elements a dataset has; InvalidArgumentError at run time if that is not known."""
    count = dataset.cardinality()
    known = raw_ops.GreaterEqual(count, np.int64(0))
    why = "len requires a dataset with a definitive cardinality, got (-1 infinite, -2 unknown):"
    raw_ops.Assert(known, [why, count], summarize=3)
    return count


def _number(kind: type, dtype: str) -> Callable[..., Any]:
    def convert(value: Any = 0, *rest: Any, **named: Any) -> Any:
        value = read(value)
        if not is_symbolic(value):
            return kind(value, *rest, **named)
        if rest not in ((), (10,)) or named not in ({}, {"base": 10}):
            raise NotImplementedError(f"{kind.__name__} of a tensor knows no other base than 10.")
        if value.dtype.name == "string":
            return raw_ops.StringToNumber(value, out_type=dtype)
        return raw_ops.Cast(value, DstT=dtype)

    return convert


def _extreme(plain: Callable[..., Any], reduce: str, pair: str) -> Callable[..., Any]:
    def choose(*args: Any, **named: Any) -> Any:
        values = [read(a) for a in args]
        if len(values) == 1 and isinstance(values[0], StagedList):
            values = [convert_to_tensor(values[0])]
        if len(values) == 1 and is_symbolic(values[0]) and not named:
            if values[0].shape.rank not in (1, None):  # rows have no order
                return plain(values[0])
            return getattr(raw_ops, reduce)(values[0], np.int32(0))
        if len(values) == 1 and isinstance(values[0], list | tuple):
            values = list(values[0])
        if any(is_symbolic(v) for v in values) and not named:
            return functools.reduce(getattr(raw_ops, pair), values)
        return plain(*args, **named)

    return choose


def sum_(iterable: Any, /, start: Any = 0) -> Any:
    value = read(iterable)
    if isinstance(value, StagedList):
        value = convert_to_tensor(value)
    if not is_symbolic(value):
        return sum(iterable, start)
    total = raw_ops.Sum(value, np.int32(0))
    return total if isinstance(start, int) and start == 0 else start + total


def _truth(plain: Callable[[Any], bool], reduce: str, pair: str) -> Callable[[Any], Any]:
    def judge(iterable: Any) -> Any:
        value = read(iterable)
        if isinstance(value, StagedList):
            value = convert_to_tensor(value)
        if is_symbolic(value):
            if value.shape.rank not in (1, None):
                return plain(value)
            return getattr(raw_ops, reduce)(value, np.int32(0))
        if is_dataset(value) and state.graph is not None:
            if getattr(value.element_spec, "dtype", None) is not dtypes.bool:
                name = plain.__name__
                raise ValueError(f"{name} needs a dataset of bools, got {value.element_spec}.")
            return value.reduce(np.bool_(plain([])), getattr(raw_ops, pair))
        values = list(value)
        if any(is_symbolic(v) for v in values):
            return functools.reduce(getattr(raw_ops, pair), values)
        return plain(values)

    return judge


def sorted_(iterable: Any, /, *, key: Any = None, reverse: bool = False) -> Any:
    if isinstance(iterable, StagedList):
        iterable = convert_to_tensor(iterable)
    if not is_symbolic(iterable):
        return sorted(iterable, key=key, reverse=reverse)
    keys = iterable if key is None else vectorized_map(_tensor_of(key), iterable)
    if keys.shape.rank not in (1, None):
        what = "a tensor of rank 1" if key is None else "a key that gives scalars"
        raise ValueError(f"sorted needs {what}, got shape {keys.shape}.")
    order = argsort(keys, direction="DESCENDING" if reverse else "ASCENDING", stable=True)
    return raw_ops.GatherV2(iterable, order, np.int32(0))


def _tensor_of(key: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda item: convert_to_tensor(key(item))


def filter_(function: Any, iterable: Any) -> Any:
    if is_dataset(iterable):
        return iterable.filter(function)
    if items_of(iterable) is not None:
        return comprehension("list", iterable, function or (lambda item: item), lambda item: item)
    return filter(function, iterable)


OVERLOADS: dict[Any, Callable[..., Any]] = {
    builtins.abs: abs_,
    builtins.len: len_,
    builtins.range: range_,
    builtins.enumerate: enumerate_,
    builtins.zip: zip_,
    builtins.reversed: reversed_,
    builtins.map: map_,
    builtins.filter: filter_,
    builtins.int: _number(int, "int32"),
    builtins.float: _number(float, "float32"),
    builtins.max: _extreme(max, "Max", "Maximum"),
    builtins.min: _extreme(min, "Min", "Minimum"),
    builtins.sum: sum_,
    builtins.any: _truth(any, "Any", "LogicalOr"),
    builtins.all: _truth(all, "All", "LogicalAnd"),
    builtins.sorted: sorted_,
    builtins.print: print_,
}
