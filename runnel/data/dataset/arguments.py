"""The arguments of the methods of `tf.data.Dataset`: checked, and as the nodes want them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.autograph.calls import converted_call
from runnel.core.composite.ragged_spec import RaggedTensorSpec
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import dtypes, nest
from runnel.core.values.errors import invalid
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.data.dataset.spec import DatasetSpec
from runnel.data.nodes.node import Node
from runnel.data.run.components import rows_of
from runnel.data.run.functions import UserFunction
from runnel.data.run.structure import Structure, legacy_spec

AUTOTUNE = -1

TransformFunction = Callable[..., Any]


def integer(value: Any, what: str) -> Any:
    """A number as a Python integer, or the symbolic tensor that it is."""
    if type(value) is int:
        return value
    if isinstance(value, Variable):
        value = value.value()
    if isinstance(value, Tensor):
        if value.dtype is not dtypes.int64:
            where = f"Dataset.{what.removeprefix('Dataset.')}"
            raise ValueError(f"{where}: wants a number or an int64 tensor, got {value!r}.")
        if not isinstance(value, EagerTensor):
            return value
    array = np.asarray(value._value if isinstance(value, EagerTensor) else value)
    whole = array.dtype.kind in "iub" or isinstance(value, np.floating)
    if array.ndim or not whole:
        raise _no_integer(value, array, what)
    return int(array)


def _no_integer(value: Any, array: Any, what: str) -> Exception:
    """TensorFlow's class of error for what cannot be the number that it must be."""
    message = f"Dataset.{what.removeprefix('Dataset.')}: wants an integer, got {value!r}."
    if value is None:
        return ValueError(message)
    if array.ndim and array.dtype.kind in "iub":
        return invalid(message)
    return TypeError(message)


def path_of(path: Any) -> str:
    value: Any = path.numpy() if isinstance(path, EagerTensor) else path
    return os.fsdecode(value)


def texts(patterns: Any) -> Any:
    if isinstance(patterns, list | tuple):
        return [texts(pattern) for pattern in patterns]
    return os.fspath(patterns) if hasattr(patterns, "__fspath__") else patterns


def truth(value: Any) -> Any:
    """True or False as 1 or 0, or the symbolic tensor that it is."""
    if isinstance(value, Tensor) and not isinstance(value, EagerTensor):
        return value
    return int(bool(value))


def parallelism(what: str, calls: Any) -> Any:
    if calls is None:
        return None
    number = integer(calls, what)
    if isinstance(number, int) and number < 1 and number != AUTOTUNE:
        raise invalid(f"Dataset.{what}: `num_parallel_calls` must be positive, got {number}.")
    return number


def predicate_function(
    predicate: TransformFunction, structure: Structure, what: str
) -> UserFunction:
    function = UserFunction(predicate, structure, name=what)
    spec = function.output.spec
    scalar = isinstance(spec, TensorSpec) and spec.shape.is_compatible_with([])
    if not scalar or spec.dtype is not dtypes.bool:
        raise ValueError(f"Dataset.{what}: `predicate` must return a boolean scalar, got {spec}.")
    return function


def dataset_function(map_func: TransformFunction, node: Node, what: str) -> UserFunction:
    function = UserFunction(map_func, node.structure, name=what)
    if not isinstance(function.output.spec, DatasetSpec):
        raise TypeError(
            f"Dataset.{what}: `map_func` must return a dataset, got {function.output.spec}."
        )
    return function


def as_ragged(spec: TypeSpec, splits: Any) -> TypeSpec:
    """A tensor as a ragged one, up to its last dimension whose size is not known."""
    if not isinstance(spec, TensorSpec) or not spec.shape.rank or spec.shape.is_fully_defined():
        return spec
    rank = max(axis for axis, size in enumerate(spec.shape) if size is None)
    return RaggedTensorSpec(spec.shape, spec.dtype, ragged_rank=rank, row_splits_dtype=splits)


def number_function(fn: Any, structure: Structure, argument: str) -> UserFunction:
    """A function whose result is taken for an int64 scalar."""
    if not callable(fn):
        raise TypeError(f"group_by_window: `{argument}` must be callable, got {fn!r}.")

    @functools.wraps(fn, assigned=("__name__",), updated=())
    def number(*args: Any) -> Any:
        found = converted_call(fn)(*args)
        if isinstance(found, Tensor) and found.dtype is not dtypes.int64:
            raise ValueError(f"group_by_window: `{argument}` must return an int64, got {found}.")
        return convert_to_tensor(found, dtypes.int64)

    function = UserFunction(number, structure, name="group_by_window")
    spec = function.output.spec
    if not isinstance(spec, TensorSpec) or not spec.shape.is_compatible_with([]):
        raise ValueError(f"group_by_window: `{argument}` must return an int64 scalar, got {spec}.")
    return function


def check_state(what: str, before: Structure, after: Structure) -> None:
    try:
        nest.assert_same_structure(before.spec, after.spec)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Dataset.{what}: the state must keep its structure {before.spec}, got {after.spec}: "
            f"{error}"
        ) from None
    if before.dtypes != after.dtypes:
        raise TypeError(
            f"Dataset.{what}: the state must keep its dtypes {before.dtypes}, got {after.dtypes}."
        )


def check_slices(structure: Structure) -> None:
    sizes = set()
    for leaf in structure.leaves:
        shape = rows_of(leaf)
        if shape is None or shape.rank is None:
            continue
        if shape.rank == 0:
            raise ValueError("from_tensor_slices: a scalar has no rows, got a tensor of shape ().")
        if shape[0] is not None:
            sizes.add(shape[0])
    if len(sizes) > 1:
        raise ValueError(
            f"from_tensor_slices: all tensors must have as many rows, got {sorted(sizes)}."
        )


def signature(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    if output_signature is None:
        if output_types is None:
            raise TypeError("from_generator: give `output_signature` or `output_types`.")
        return legacy_spec(output_types, output_shapes)
    if output_types is not None or output_shapes is not None:
        raise TypeError(
            "from_generator: `output_signature` does not go with output_types and output_shapes."
        )
    if isinstance(output_signature, list):
        raise TypeError(
            f"from_generator: `output_signature` is a nest of tuples and dicts, got a list: "
            f"{output_signature!r}."
        )
    for spec in nest.flatten(output_signature):
        if not isinstance(spec, TypeSpec):
            raise TypeError(
                f"from_generator: `output_signature` must hold tf.TypeSpecs, got {spec!r}."
            )
    return output_signature
