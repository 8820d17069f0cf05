"""`tf.xla.experimental`: parts of a program that XLA compiles, by older names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.values import nest
from runnel.function.function import Function


def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> Any:
    """What a function makes of tensors, compiled: `tf.function(jit_compile=True)` of it.

    One tensor comes back in a list, and so does a tuple of tensors.

    >>> tf.xla.experimental.compile(lambda x: x * 2, [tf.constant(3)])
    [<tf.Tensor: shape=(), dtype=int32, numpy=6>]
    """
    if not callable(computation):
        raise TypeError(f"tf.xla.experimental.compile needs a function, got {computation!r}.")
    if inputs is not None and not isinstance(inputs, list | tuple):
        raise TypeError(f"tf.xla.experimental.compile: `inputs` must be a list, got {inputs!r}.")
    given = nest.map_structure(tf.convert_to_tensor, list(inputs or ()))
    result = Function(lambda *args: computation(*args), autograph=False, jit_compile=True)(*given)
    if result is None:
        if state.graph is None:
            raise TypeError("tf.xla.experimental.compile: the function returned no tensors.")
        return raw_ops.NoOp()
    if not nest.is_nested(result):
        return [result]
    is_flat = isinstance(result, list | tuple) and not any(map(nest.is_nested, result))
    return list(result) if is_flat else result


@contextmanager
def jit_scope(
    compile_ops: bool | Callable[..., bool] = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """While a graph is built: operations that XLA compiles, as it does all that it can."""
    if state.graph is None:
        raise RuntimeError(
            "tf.xla.experimental.jit_scope is for graphs: use it inside a tf.function, or call "
            "the code in tf.function(jit_compile=True)."
        )
    yield
