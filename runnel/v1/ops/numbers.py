"""Random numbers, and what else has another order of parameters or is of TensorFlow 1 alone."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import runnel as tf
from runnel.core.composite.sparse_tensor import SparseTensorValue
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.graph.session.default import get_default_graph
from runnel.ops.control.printing import shown_data
from runnel.v1.variables.scopes import get_variable, variable_scope

_QUANTIZED = (tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32)
QUANTIZED_DTYPES = frozenset(d for q in _QUANTIZED for d in (q, tf.as_dtype(f"{q.name}_ref")))


def multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: DTypeLike = None,
) -> tf.Tensor:
    """Classes drawn at random, by their unnormalised logarithms of probability."""
    return tf.random.categorical(
        logits, num_samples, tf.int64 if output_dtype is None else output_dtype, seed, name
    )


def stateless_multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    output_dtype: DTypeLike = tf.int64,
    name: str | None = None,
) -> tf.Tensor:
    """Classes drawn at random, which the seed decides."""
    return tf.random.stateless_categorical(logits, num_samples, seed, output_dtype, name)


def random_poisson(
    lam: TensorLike,
    shape: TensorLike,
    dtype: DTypeLike = tf.float32,
    seed: int | None = None,
    name: str | None = None,
) -> tf.Tensor:
    """Numbers drawn from Poisson distributions."""
    return tf.random.poisson(shape, lam, dtype, seed, name)


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> list[tf.Tensor]:
    """The matrices of second derivatives of sums of `ys` by each of `xs`."""
    return tf.hessians(
        ys,
        xs,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        name=name,
    )


def tuple(tensors: Sequence[Any], name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """Tensors that are there only when all of them are."""
    given = [None if t is None else convert_to_tensor_or_indexed_slices(t) for t in tensors]
    return tf.tuple(given, control_inputs, name)


def Print(
    input_: TensorLike,
    data: Sequence[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> tf.Tensor:
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

    with tf.control_dependencies([tf.numpy_function(show, list(data), [])]):
        return tf.identity(input_, name=name)


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: DTypeLike = None, name: str | None = None
) -> Any:
    """A value as a tensor, unless it is slices already."""
    if isinstance(value, tf.IndexedSlices):
        _same_dtype(value, dtype)
        return value
    return tf.convert_to_tensor(value, dtype, name=name)


def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: DTypeLike = None, name: str | None = None
) -> Any:
    """A value as a tensor, or as a sparse one if it is one."""
    if isinstance(value, SparseTensorValue):
        value = tf.SparseTensor(*value)
    if isinstance(value, tf.SparseTensor):
        _same_dtype(value, dtype)
        return value
    return tf.convert_to_tensor(value, dtype, name=name)


def _same_dtype(value: Any, dtype: DTypeLike) -> None:
    if dtype is not None and tf.as_dtype(dtype) != value.dtype:
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
            if output.dtype in (tf.float16, tf.float32, tf.float64):
                with tf.control_dependencies(checks[-1:]):
                    checks.append(tf.debugging.check_numerics(output, f"{op.name}:{n}"))
    return tf.group(*checks)


def create_partitioned_variables(
    shape: Sequence[int],
    slicing: Sequence[int],
    initializer: Any,
    dtype: DTypeLike = tf.float32,
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


def my_fact() -> tf.Tensor:
    """The factorial that `tf.user_ops` has as an example of an op of one's own."""
    return tf.constant(b"0! == 1")
