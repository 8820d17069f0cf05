"""Random numbers, and what else has another order of parameters or is of TensorFlow 1 alone."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorValue
from runnel.core.gradients.graph_gradients import hessians as new_hessians
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import control_dependencies
from runnel.core.tensor.convert import constant, convert_to_tensor
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import as_dtype, float16, float32, float64, int64
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.debugging.numerics import check_numerics
from runnel.graph.session.default import get_default_graph
from runnel.ops.array.identity import identity
from runnel.ops.control.grouping import group
from runnel.ops.control.grouping import tuple as new_tuple
from runnel.ops.control.printing import shown_data
from runnel.ops.control.python_functions import numpy_function
from runnel.ops.random.numbers import categorical, poisson
from runnel.ops.random.seeded_numbers import stateless_categorical
from runnel.v1.variables.scopes import get_variable, variable_scope


def multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: DTypeLike = None,
) -> Tensor:
    """Classes drawn at random, by their unnormalised logarithms of probability."""
    return categorical(
        logits, num_samples, int64 if output_dtype is None else output_dtype, seed, name
    )


def stateless_multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    output_dtype: DTypeLike = int64,
    name: str | None = None,
) -> Tensor:
    """Classes drawn at random, which the seed decides."""
    return stateless_categorical(logits, num_samples, seed, output_dtype, name)


def random_poisson(
    lam: TensorLike,
    shape: TensorLike,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers drawn from Poisson distributions."""
    return poisson(shape, lam, dtype, seed, name)


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> list[Tensor]:
    """The matrices of second derivatives of sums of `ys` by each of `xs`."""
    return new_hessians(
        ys,
        xs,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        name=name,
    )


def tuple(tensors: Sequence[Any], name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """Tensors that are there only when all of them are."""
    given = [None if t is None else convert_to_tensor_or_indexed_slices(t) for t in tensors]
    return new_tuple(given, control_inputs, name)


def Print(
    input_: TensorLike,
    data: Sequence[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`input_`, which prints `data` to the standard error when it is computed."""
    count = 3 if summarize is None else summarize
    if first_n is None or first_n < 0:
        return raw_ops.Print(
            input=input_, data=list(data), message=message or "", summarize=count, name=name
        )
    left = [first_n]

    def show(*arrays: Any) -> None:
        if left[0] > 0:
            left[0] -= 1
            sys.stderr.write(shown_data(message or "", arrays, count) + "\n")

    with control_dependencies([numpy_function(show, list(data), [])]):
        return identity(input_, name=name)


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: DTypeLike = None, name: str | None = None
) -> Any:
    """A value as a tensor, unless it is slices already."""
    if isinstance(value, IndexedSlices):
        _same_dtype(value, dtype)
        return value
    return convert_to_tensor(value, dtype, name=name)


def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: DTypeLike = None, name: str | None = None
) -> Any:
    """A value as a tensor, or as a sparse one if it is one."""
    if isinstance(value, SparseTensorValue):
        value = SparseTensor(*value)
    if isinstance(value, SparseTensor):
        _same_dtype(value, dtype)
        return value
    return convert_to_tensor(value, dtype, name=name)


def _same_dtype(value: Any, dtype: DTypeLike) -> None:
    if dtype is not None and as_dtype(dtype) != value.dtype:
        raise RuntimeError(f"A value of dtype {dtype} is wanted, got {value.dtype.name}.")


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """Operations inside stand on the device of another."""
    return get_default_graph().colocate_with(op, ignore_existing)


def container(container_name: str) -> Any:
    """What operations inside keep belongs to a container of sessions."""
    return get_default_graph().container(container_name)


def add_check_numerics_ops() -> Any:
    """An operation that raises unless all numbers of the graph are finite."""
    graph = get_default_graph()
    checks: list[Any] = []
    for op in graph.get_operations():
        for n, output in enumerate(op.outputs):
            if output.dtype in (float16, float32, float64):
                with control_dependencies(checks[-1:]):
                    checks.append(check_numerics(output, f"{op.name}:{n}"))
    return group(*checks)


def create_partitioned_variables(
    shape: Sequence[int],
    slicing: Sequence[int],
    initializer: Any,
    dtype: DTypeLike = float32,
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: bool | None = None,
) -> list[Any]:
    """Variables that are the pieces of one, cut along one dimension."""
    if len(shape) != len(slicing):
        raise ValueError(f"`shape` {shape} and `slicing` {slicing} must be equally long.")
    if any(n <= 0 for n in shape) or any(n < 1 for n in slicing):
        raise ValueError(f"`shape` {shape} and `slicing` {slicing} must be positive.")

    def cut(**_: Any) -> Sequence[int]:
        return slicing

    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        made = get_variable(
            "part_" if name is None else name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=trainable,
            collections=collections,
            partitioner=cut,
        )
        return list(made)


def my_fact() -> Tensor:
    """The factorial that `tf.user_ops` has as an example of an op of one's own."""
    return constant(b"0! == 1")
