"""Steps of training, evaluation and prediction, each one compiled call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import runnel as tf

_convert = tf.__internal__.autograph.tf_convert


def step_function(
    step: Callable[[Any], Any], *, eagerly: bool, jit_compile: Any = None, fixed: bool = False
) -> Callable[[Any], Any]:
    """A function of a batch that runs `step` on it, traced unless it is to run eagerly.

    `fixed`: each size of a batch has a trace of its own.
    """
    if eagerly:
        return step
    return _Traced(step, bool(jit_compile), fixed).run


class _Traced:
    """`step`, traced once for each kind of batch; the size of a batch is left open."""

    def __init__(self, step: Callable[[Any], Any], jit_compile: bool, fixed: bool) -> None:
        self._step, self._fixed = step, fixed
        self._options: dict[str, Any] = {"jit_compile": True} if jit_compile else {}
        self._flat: dict[Any, Any] = {}
        self._nested = tf.function(lambda data: _convert(step)(data), **self._options)

    def run(self, data: Any) -> Any:
        alone = isinstance(data, tf.Tensor)
        if alone:
            data = (data,)
        if type(data) is not tuple or not all(isinstance(t, tf.Tensor) for t in data):
            return self._nested(data)
        first = 0 if self._fixed else 1
        key = (alone, *[(t.dtype, t.shape[first:] if t.shape.rank else None) for t in data])
        function = self._flat.get(key)
        if function is None:
            function = self._flat[key] = self._traced_for(data, alone)
        return function(*data)

    def _traced_for(self, data: tuple[Any, ...], alone: bool) -> Any:
        step = self._step

        def flat(*tensors: Any) -> Any:
            return _convert(step)(tensors[0] if alone else tensors)

        if any(t.shape.rank == 0 for t in data):
            return tf.function(flat, **self._options)
        specs = [
            tf.TensorSpec([t.shape[0] if self._fixed else None, *t.shape[1:]], t.dtype)
            for t in data
        ]
        function = tf.function(flat, input_signature=specs, **self._options)
        function.get_concrete_function()  # a trace of its own, which no warning counts
        return function


def over_iterator(run: Callable[[Any], Any], steps: Callable[[], int]) -> Callable[[Any], Any]:
    """A function of an iterator that runs one execution: `steps()` batches of it."""

    def execution(iterator: Iterator[Any]) -> Any:
        outputs = run(next(iterator))
        for _ in range(steps() - 1):
            try:
                data = next(iterator)
            except StopIteration:
                return outputs
            outputs = run(data)
        return outputs

    return execution
