"""Variables: making them, reading and changing their values."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.backend.tensors import to_dense
from runnel.keras.engine import graph_mode
from runnel.keras.engine.settings import floatx


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Any:
    """A variable of the default float type, unless another is given.

    A matrix of SciPy's that is sparse becomes a `tf.SparseTensor`.

    >>> tf.keras.backend.variable([1, 2]).numpy()
    array([1., 2.], dtype=float32)
    """
    if hasattr(value, "tocoo"):
        given = value.tocoo()
        places = np.stack([given.row, given.col], axis=1).astype(np.int64)
        return tf.SparseTensor(places, given.data, given.shape)
    kind = tf.as_dtype(dtype or floatx())
    make = graph_mode.make_weight if graph_mode.in_graph() else tf.Variable
    return make(initial_value=value, dtype=kind, name=name, constraint=constraint)


def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A variable of zeros.

    >>> tf.keras.backend.zeros((1, 2)).numpy()
    array([[0., 0.]], dtype=float32)
    """
    return _filled(tf.zeros, shape, dtype, name)


def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A variable of ones.

    >>> tf.keras.backend.ones((1, 2)).numpy()
    array([[1., 1.]], dtype=float32)
    """
    return _filled(tf.ones, shape, dtype, name)


def _filled(make: Any, shape: Any, dtype: Any, name: str | None) -> Any:
    with tf.init_scope():
        kind = tf.as_dtype(dtype or floatx())
        value = make(shape, kind)
        if not all(value.shape.as_list()):  # Keras makes no empty variables
            return value
        return variable(value, kind, name)


def eye(size: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A variable with ones on the diagonal.

    >>> tf.keras.backend.eye(2).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    kind = tf.as_dtype(dtype or floatx())
    return variable(tf.eye(size, dtype=kind), kind, name)


def zeros_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros in the shape of another tensor.

    >>> tf.keras.backend.zeros_like(tf.constant([1, 2])).numpy()
    array([0, 0], dtype=int32)
    """
    return tf.zeros_like(x, dtype=dtype, name=name)


def ones_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones in the shape of another tensor.

    >>> tf.keras.backend.ones_like(tf.constant([1, 2])).numpy()
    array([1, 1], dtype=int32)
    """
    return tf.ones_like(x, dtype=dtype, name=name)


def random_uniform_variable(
    shape: Any,
    low: float,
    high: float,
    dtype: Any = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """A variable of numbers between two bounds, each as likely as another.

    >>> tf.keras.backend.random_uniform_variable((2, 3), 0.0, 1.0).shape
    TensorShape([2, 3])
    """
    kind = tf.as_dtype(dtype or floatx())
    value = tf.random.uniform(shape, low, high, kind, seed=_seed(seed))
    return variable(value, kind, name)


def random_normal_variable(
    shape: Any,
    mean: float,
    scale: float,
    dtype: Any = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """A variable of normally distributed numbers.

    >>> tf.keras.backend.random_normal_variable((2, 3), 0.0, 1.0).shape
    TensorShape([2, 3])
    """
    kind = tf.as_dtype(dtype or floatx())
    value = tf.random.normal(shape, mean, scale, kind, seed=_seed(seed))
    return variable(value, kind, name)


def _seed(seed: int | None) -> int:
    return int(np.random.randint(10**9)) if seed is None else seed


def get_value(x: Any) -> Any:
    """The value of a variable or tensor as an array; anything else as it is.

    >>> tf.keras.backend.get_value(tf.Variable([1.0]))
    array([1.], dtype=float32)
    """
    if not tf.is_tensor(x):
        return x
    if not hasattr(x, "shape"):
        raise TypeError(f"K.get_value: a tensor or a variable is wanted, got {x!r}.")
    if graph_mode.in_graph() and not _is_lent(x):
        return graph_mode.get_session().run(x)
    with tf.init_scope():
        return _array(x)


@graph_mode.at_once
def _array(x: Any) -> Any:
    return x.numpy()


def _is_lent(x: Any) -> bool:
    """Whether a value is one that ops that run at once can use."""
    return isinstance(x, tf.__internal__.graphs.SessionVariable) or not hasattr(x, "graph")


@graph_mode.at_once
def batch_get_value(tensors: Any) -> list[Any]:
    """The values of several variables.

    >>> tf.keras.backend.batch_get_value([tf.Variable(1.0)])
    [np.float32(1.0)]
    """
    if not tf.executing_eagerly():
        raise RuntimeError("Cannot get value inside Tensorflow graph function.")
    return [x.numpy() for x in tensors]


def eval(x: Any) -> Any:
    """The value of a variable or a tensor, a sparse one with its zeros.

    >>> tf.keras.backend.eval(tf.Variable([1.0]) * 2)
    array([2.], dtype=float32)
    """
    return get_value(to_dense(x))


@graph_mode.at_once
def set_value(x: Any, value: Any) -> None:
    """Give a variable a new value.

    >>> v = tf.Variable(1.0)
    >>> tf.keras.backend.set_value(v, 3)
    >>> v.numpy()
    np.float32(3.0)
    """
    _variable(x).assign(np.asarray(value, tf.as_dtype(x.dtype).as_numpy_dtype))


def batch_set_value(tuples: Any) -> None:
    """Give several variables new values.

    >>> v, w = tf.Variable(1.0), tf.Variable([2.0])
    >>> tf.keras.backend.batch_set_value([(v, 3), (w, [4])])
    >>> v.numpy(), w.numpy()
    (np.float32(3.0), array([4.], dtype=float32))
    """
    for x, value in tuples:
        set_value(x, value)


def update(x: Any, new_x: Any) -> Any:
    """Assign to a variable.

    >>> tf.keras.backend.update(tf.Variable(1.0), 3.0).numpy()
    np.float32(3.0)
    """
    return x.assign(new_x)


def _variable(x: Any) -> Any:
    if not hasattr(x, "assign_add"):
        raise TypeError(f"A variable is wanted, got {x!r}.")
    return x


def update_add(x: Any, increment: Any) -> Any:
    """Add to a variable.

    >>> tf.keras.backend.update_add(tf.Variable(1.0), 3.0).numpy()
    np.float32(4.0)
    """
    return _variable(x).assign_add(increment)


def update_sub(x: Any, decrement: Any) -> Any:
    """Subtract from a variable.

    >>> tf.keras.backend.update_sub(tf.Variable(1.0), 3.0).numpy()
    np.float32(-2.0)
    """
    return _variable(x).assign_sub(decrement)


def moving_average_update(x: Any, value: Any, momentum: Any) -> Any:
    """Move a variable towards a value: `x * momentum + value * (1 - momentum)`.

    >>> tf.keras.backend.moving_average_update(tf.Variable(1.0), 3.0, 0.5).numpy()
    np.float32(2.0)
    """
    rest = 1 - tf.cast(momentum, _variable(x).dtype)
    return x.assign_sub((x - tf.cast(value, x.dtype)) * rest)


def manual_variable_initialization(value: bool) -> None:
    """Say whether variables wait for the program to give them their first values.

    Variables have theirs from the start, as in TensorFlow 2, where this has no effect either.

    >>> tf.keras.backend.manual_variable_initialization(False)
    """
