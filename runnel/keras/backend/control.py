"""Choosing, folding, mapping; functions and gradients of symbolic tensors."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.backend.symbolic import symbolic
from runnel.keras.backend.tensors import ndim
from runnel.keras.engine import graph_mode
from runnel.keras.engine.layer.call_context import call_context
from runnel.keras.engine.learning_phase import learning_phase
from runnel.keras.engine.models.model import Model


def _value(expression: Any) -> Any:
    return expression() if callable(expression) else expression


@symbolic
def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """One of two tensors, or of what two functions give; a condition of more axes, row by row.

    >>> tf.keras.backend.switch(tf.constant([True, False]), tf.ones([2]), tf.zeros([2])).numpy()
    array([1., 0.], dtype=float32)
    """
    if condition.dtype != tf.bool:
        condition = tf.cast(condition, tf.bool)
    if not ndim(condition):
        return tf.cond(condition, lambda: _value(then_expression), lambda: _value(else_expression))
    then, other = _value(then_expression), _value(else_expression)
    missing = ndim(then) - ndim(condition)
    if missing < 0:
        raise ValueError(
            "Rank of `condition` should be less than or equal to rank of `then_expression` and "
            f"`else_expression`. ndim(condition)={ndim(condition)}, "
            f"ndim(then_expression)={ndim(then)}"
        )
    if ndim(condition) > 1:
        condition = tf.reshape(condition, tf.concat([tf.shape(condition), [1] * missing], axis=0))
    return tf.where(condition, then, other)


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """`x` while training, else `alt`; either may be a function.

    >>> tf.keras.backend.in_train_phase(1.0, 2.0, training=True)
    1.0
    """
    if training is None:
        training = call_context.training
    if training is None:
        training = learning_phase()
    if tf.is_tensor(training):
        return switch(training, x, alt)
    return _value(x) if training else _value(alt)


def in_test_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """`x` while not training, else `alt`; either may be a function.

    >>> tf.keras.backend.in_test_phase(1.0, 2.0, training=True)
    2.0
    """
    return in_train_phase(alt, x, training=training)


def map_fn(fn: Any, elems: Any, name: str | None = None, dtype: Any = None) -> Any:
    """What a function makes of each row.

    >>> tf.keras.backend.map_fn(lambda x: x * 2, tf.constant([1, 2])).numpy()
    array([2, 4], dtype=int32)
    """
    return tf.map_fn(fn, elems, fn_output_signature=dtype, name=name)


def foldl(fn: Any, elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """A function of what came before and of the next row, from the first to the last.

    >>> tf.keras.backend.foldl(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])).numpy()
    np.int32(123)
    """
    return tf.foldl(fn, elems, initializer=initializer, name=name)


def foldr(fn: Any, elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """A function of what came before and of the next row, from the last to the first.

    >>> tf.keras.backend.foldr(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])).numpy()
    np.int32(321)
    """
    return tf.foldr(fn, elems, initializer=initializer, name=name)


def function(
    inputs: Any, outputs: Any, updates: Any = None, name: str | None = None, **kwargs: Any
) -> Any:
    """A function of arrays that gives the values of symbolic tensors.

    >>> x = tf.keras.Input((2,))
    >>> double = tf.keras.backend.function([x], [x * 2])
    >>> double([np.ones((1, 2), np.float32)])
    [array([[2., 2.]], dtype=float32)]
    """
    if graph_mode.in_graph():
        return graph_mode.SessionFunction(inputs, outputs, updates, name, **kwargs)
    if kwargs:
        raise ValueError(
            "Session keyword arguments are not supported during eager execution. You passed: "
            f"{kwargs}"
        )
    if updates:
        raise ValueError(
            f"`updates` argument is not supported during eager execution. You passed: {updates}"
        )
    model = Model(inputs=inputs, outputs=outputs, name=name)
    alone = isinstance(outputs, list) and len(outputs) == 1

    def run(model_inputs: Any) -> Any:
        found = model(model_inputs)
        return tf.nest.map_structure(_plain, [found] if alone else found)

    return run


def _plain(value: Any) -> Any:
    """A tensor as an array, or as a number if it has no axes."""
    array: Any = np.asarray(value) if isinstance(value, tf.Tensor) else value
    is_number = isinstance(array, np.ndarray | np.generic) and np.ndim(array) == 0
    return array.item() if is_number else array


def gradients(loss: Any, variables: Any) -> Any:
    """The gradients of a tensor of a graph by others.

    >>> @tf.function
    ... def slope(x):
    ...     return tf.keras.backend.gradients(x * x, [x])
    >>> slope(tf.constant(3.0))[0].numpy()
    np.float32(6.0)
    """
    return tf.gradients(loss, variables)


def stop_gradient(variables: Any) -> Any:
    """The same values, as constants to every gradient; of a list, an iterator over them.

    >>> tf.keras.backend.stop_gradient(tf.constant(3.0)).numpy()
    np.float32(3.0)
    """
    if isinstance(variables, list | tuple):
        return map(tf.stop_gradient, variables)
    return tf.stop_gradient(variables)


def print_tensor(x: Any, message: str = "", summarize: int = 3) -> Any:
    """The same tensor, printed when it is computed.

    >>> y = tf.keras.backend.print_tensor(tf.constant([1, 2]), message="y is")
    y is [1 2]
    """
    tf.print(message, x, output_stream=sys.stdout, summarize=summarize)
    return x if tf.executing_eagerly() else tf.identity(x)
