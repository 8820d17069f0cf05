"""Iterators that a graph keeps: by an operation, or by a string that names one."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

import numpy as np

from runnel.core.op.op import Op, op
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Namespace
from runnel.data.graph.ops import IteratorResource
from runnel.data.nodes.node import DatasetValue

_NUMBERS = itertools.count()
_BY_HANDLE: weakref.WeakValueDictionary[str, IteratorResource] = weakref.WeakValueDictionary()


@op("IteratorV2", "-> handle: resource", shape=lambda **attrs: (), effects="datasets")
def _iterator(
    xp: Namespace,
    *,
    shared_name: str,
    container: str,
    output_types: tuple[DType, ...],
    output_shapes: tuple[TensorShape, ...],
) -> IteratorResource:
    return IteratorResource()


_OPENED: Any = {"effects": "datasets", "shape": lambda *inputs, **attrs: ()}


@op("IteratorToStringHandle", "resource_handle: resource -> string_handle: string", **_OPENED)
def _to_string(xp: Namespace, resource_handle: IteratorResource) -> Array:
    name = getattr(resource_handle, "title", None)
    if name is None:
        name = resource_handle.title = f"iterator_{next(_NUMBERS)}"  # type: ignore[attr-defined]
        _BY_HANDLE[name] = resource_handle
    made = np.empty((), object)
    made[()] = name.encode()
    return made


@op("IteratorFromStringHandleV2", "string_handle: string -> resource_handle: resource", **_OPENED)
def _from_string(
    xp: Namespace,
    string_handle: Array,
    *,
    output_types: tuple[DType, ...] = (),
    output_shapes: tuple[TensorShape, ...] = (),
) -> IteratorResource:
    found = _BY_HANDLE.get(bytes(np.asarray(string_handle).item()).decode("utf-8", "replace"))
    if found is None:
        text = f"IteratorFromStringHandleV2: no iterator has the handle {string_handle!r}."
        raise InvalidArgumentError(None, None, text)
    return found


def _once(xp: Namespace, dataset: Any, *, shared_name: str = "", container: str = "") -> Any:
    if not isinstance(dataset, DatasetValue):
        raise InvalidArgumentError(None, None, "The variant holds no dataset.")
    return IteratorResource(dataset.node)


iterator_once = Op(
    "IteratorOnce",
    "dataset: variant -> handle: resource",
    _once,
    shape=lambda *inputs, **attrs: (),
    effects="datasets",
)
