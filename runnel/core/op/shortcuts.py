"""Calls of ops on lists of eager tensors, where nothing is to be done but to call the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.op import eager
from runnel.core.op.context import state
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values.tracebacks import let_through
from runnel.core.values.types import Array

if TYPE_CHECKING:
    from runnel.core.op.op import Op

_LISTS = frozenset({list, tuple})


def run_listed(
    op: Op, listed: Any, rest: Sequence[Any], attrs: Mapping[str, Any]
) -> EagerTensor | None:
    """The output of an op of a list of tensors and `rest`, not laid out flat on their way.

    None where more has to be done than to call the kernel: a graph is being built, somebody
    watches, an argument is no tensor yet, or there is an error to explain.
    """
    parts = _unwatched(listed)
    if parts is None:
        return None
    values, kinds = [parts], [listed[0]._dtype]
    for arg in rest:
        if type(arg) is not EagerTensor:
            return None
        values.append(arg._value)
        kinds.append(arg._dtype)
    found = op.typed.get(tuple(kinds))
    if found is None:
        return None
    try:
        return EagerTensor(state.run(op.kernel, np, *values, **attrs), found[0])
    except Exception as error:
        let_through(error)
        return None


def run_moving(op: Op, listed: Any, number: Any) -> EagerTensor | None:
    """`run_listed` of an op that only moves what is listed, as a Python number says."""
    parts = _unwatched(listed) if type(number) is int else None
    if parts is None:
        return None
    try:
        return EagerTensor(op.kernel(np, parts, number), listed[0]._dtype)
    except Exception as error:
        let_through(error)
        return None


def _unwatched(listed: Any) -> list[Array] | None:
    """The values of listed eager tensors of one dtype, if nobody wants to see what is done."""
    here = state
    if (
        here.graph is not None
        or here.tapes
        or eager.watched
        or type(listed) not in _LISTS
        or not listed
    ):
        return None
    dtype = getattr(listed[0], "_dtype", None)
    parts = []
    for part in listed:
        if type(part) is not EagerTensor or part._dtype is not dtype:
            return None
        parts.append(part._value)
    return parts
