"""What a tensor is: its shape, type and kind; constants and placeholders."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.settings import floatx
from runnel.keras.engine.symbolic.input_layer import Input
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor

_MOST_AXES = 254  # that a tensor can have


def backend() -> str:
    """The name of the library under Keras, which is TensorFlow's in every program.

    >>> tf.keras.backend.backend()
    'tensorflow'
    """
    return "tensorflow"


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Any:
    """A tensor of the default float type, unless another is given.

    >>> tf.keras.backend.constant([1, 2]).numpy()
    array([1., 2.], dtype=float32)
    """
    return tf.constant(value, dtype=dtype or floatx(), shape=shape, name=name or "Const")


def cast(x: Any, dtype: Any) -> Any:
    """`x` as another type.

    >>> tf.keras.backend.cast(tf.constant([1.7]), "int32").numpy()
    array([1], dtype=int32)
    """
    return tf.cast(x, dtype)


def cast_to_floatx(x: Any) -> Any:
    """A tensor, or an array of NumPy's, as the default float type.

    >>> tf.keras.backend.cast_to_floatx([1, 2])
    array([1., 2.], dtype=float32)
    """
    if isinstance(x, tf.Tensor | tf.Variable | tf.SparseTensor | KerasTensor):
        return tf.cast(x, floatx())
    return np.asarray(x, floatx())


def is_keras_tensor(x: Any) -> bool:
    """Whether a tensor is symbolic: an output of a layer or of `Input`.

    >>> tf.keras.backend.is_keras_tensor(tf.keras.Input((3,)))
    True
    """
    if not isinstance(x, KerasTensor) and not tf.is_tensor(x):
        raise ValueError(
            f"Unexpectedly found an instance of type `{type(x)}`. Expected a symbolic tensor "
            "instance."
        )
    return isinstance(x, KerasTensor)


def is_sparse(tensor: Any) -> bool:
    """Whether a tensor is a `tf.SparseTensor`, or a symbolic one of that kind.

    >>> tf.keras.backend.is_sparse(tf.keras.Input((3,), sparse=True))
    True
    """
    spec = getattr(tensor, "_type_spec", None)
    return isinstance(tensor, tf.SparseTensor) or isinstance(spec, tf.SparseTensorSpec)


def to_dense(tensor: Any) -> Any:
    """A sparse tensor with its zeros, another as it is.

    >>> tf.keras.backend.to_dense(tf.sparse.from_dense([0, 3])).numpy()
    array([0, 3], dtype=int32)
    """
    return tf.sparse.to_dense(tensor) if is_sparse(tensor) else tensor


def shape(x: Any) -> Any:
    """The sizes of the axes, as a tensor.

    >>> tf.keras.backend.shape(tf.ones([2, 3])).numpy()
    array([2, 3], dtype=int32)
    """
    return tf.shape(x)


def _attribute(x: Any, name: str) -> Any:
    """The shape or dtype of a tensor or an array; TypeError for anything else."""
    if not isinstance(x, type) and hasattr(x, name):
        return getattr(x, name)
    raise TypeError(f"A tensor is wanted, which has a {name}, got {x!r}.")


def int_shape(x: Any) -> Any:
    """The sizes of the axes as a tuple, None for those that are not known.

    >>> tf.keras.backend.int_shape(tf.keras.Input((3,)))
    (None, 3)
    """
    found = _attribute(x, "shape")
    if isinstance(found, tuple):
        return found
    return None if found.rank is None else tuple(found.as_list())


def ndim(x: Any) -> Any:
    """The number of axes.

    >>> tf.keras.backend.ndim(tf.ones([2, 3]))
    2
    """
    shape = _attribute(x, "shape")
    return len(shape) if isinstance(shape, tuple) else shape.rank


def dtype(x: Any) -> str:
    """The name of the type of the elements.

    >>> tf.keras.backend.dtype(tf.constant(1))
    'int32'
    """
    return str(tf.as_dtype(_attribute(x, "dtype")).base_dtype.name)


def count_params(x: Any) -> Any:
    """How many numbers are in a tensor whose shape is known.

    >>> tf.keras.backend.count_params(tf.ones([2, 3]))
    np.int64(6)
    """
    return np.prod(x.shape.as_list())


def name_scope(name: str) -> Any:
    """Names of what is made inside begin with `name`.

    >>> with tf.keras.backend.name_scope("outer"):
    ...     v = tf.Variable(1.0, name="v")
    >>> v.name
    'outer/v:0'
    """
    return tf.name_scope(name)


def placeholder(
    shape: Any = None,
    ndim: int | None = None,
    dtype: Any = None,
    sparse: bool = False,
    name: str | None = None,
    ragged: bool = False,
) -> Any:
    """A symbolic tensor to be given a value later, by `K.function` or a model.

    >>> x = tf.keras.backend.placeholder(shape=(None, 2))
    >>> tf.keras.backend.function([x], [x * 2])([np.ones((1, 2))])
    [array([[2., 2.]], dtype=float32)]
    """
    if sparse and ragged:
        raise ValueError("Cannot set both sparse and ragged to True when creating a placeholder.")
    if not shape and ndim:
        if ndim > _MOST_AXES:
            raise ValueError(f"K.placeholder: `ndim` is at most {_MOST_AXES}, got {ndim}.")
        shape = (None,) * ndim
    kind = tf.as_dtype(dtype or floatx())
    spec: Any = tf.TensorSpec(shape, kind, name)
    if sparse:
        spec = tf.SparseTensorSpec(shape, kind)
    elif ragged:
        open_axes = [axis for axis in range(1, len(shape)) if shape[axis] is None]
        spec = tf.RaggedTensorSpec(shape, kind, ragged_rank=max(open_axes, default=0))
    return Input(tensor=KerasTensor(spec, name=name))
