"""Other shapes and orders of the same elements."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.backend.symbolic import symbolic
from runnel.keras.backend.tensors import is_sparse, ndim, to_dense
from runnel.keras.engine.repeating import repeated_along
from runnel.keras.engine.settings import checked_data_format


def gather(reference: Any, indices: Any) -> Any:
    """The rows with some numbers.

    >>> tf.keras.backend.gather(tf.constant([[1, 2], [3, 4]]), [1]).numpy()
    array([[3, 4]], dtype=int32)
    """
    return tf.gather(reference, indices)


def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Tensors one after another; all sparse or all ragged ones stay so.

    >>> tf.keras.backend.concatenate([tf.constant([1]), tf.constant([2])]).numpy()
    array([1, 2], dtype=int32)
    """
    if axis < 0:
        rank = ndim(tensors[0])
        axis = axis % rank if rank else 0
    if all(is_sparse(x) for x in tensors):
        return tf.sparse.concat(axis, tensors)
    if all(isinstance(x, tf.RaggedTensor) for x in tensors):
        return tf.concat(tensors, axis)
    return tf.concat([to_dense(x) for x in tensors], axis)


def reshape(x: Any, shape: Any) -> Any:
    """The elements in another shape.

    >>> tf.keras.backend.reshape(tf.constant([1, 2]), (2, 1)).shape
    TensorShape([2, 1])
    """
    return tf.reshape(x, shape)


def permute_dimensions(x: Any, pattern: Any) -> Any:
    """The axes in another order.

    >>> tf.keras.backend.permute_dimensions(tf.ones([2, 3, 4]), (0, 2, 1)).shape
    TensorShape([2, 4, 3])
    """
    return tf.transpose(x, perm=pattern)


def repeat_elements(x: Any, rep: int, axis: int) -> Any:
    """Each slice along an axis `rep` times.

    >>> tf.keras.backend.repeat_elements(tf.constant([1, 2]), 2, axis=0).numpy()
    array([1, 1, 2, 2], dtype=int32)
    """
    rank = ndim(x)
    if rank is not None and not -rank <= axis < rank:
        raise IndexError(f"K.repeat_elements: `axis` {axis} is not one of those of {x.shape}.")
    return tf.repeat(x, rep, axis=axis)


def repeat(x: Any, n: Any) -> Any:
    """Each row `n` times along a new axis after the first.

    >>> tf.keras.backend.repeat(tf.constant([[1, 2]]), 2).numpy()
    array([[[1, 2],
            [1, 2]]], dtype=int32)
    """
    if ndim(x) != 2:
        raise AssertionError(f"K.repeat takes a tensor of 2 axes, got shape {x.shape}.")
    return tf.tile(tf.expand_dims(x, 1), [1, n, 1])


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = "int32") -> Any:
    """Numbers at equal distances; from zero if only the end is given.

    >>> tf.keras.backend.arange(1, 7, 2).numpy()
    array([1, 3, 5], dtype=int32)
    """
    if stop is None and start < 0:
        start = 0
    result = tf.range(start, limit=stop, delta=step)
    return result if dtype == "int32" else tf.cast(result, dtype)


def tile(x: Any, n: Any) -> Any:
    """The whole tensor several times along its axes.

    >>> tf.keras.backend.tile(tf.constant([1, 2]), 2).numpy()
    array([1, 2, 1, 2], dtype=int32)
    """
    return tf.tile(x, [n] if isinstance(n, int) else n)


def flatten(x: Any) -> Any:
    """All elements in one axis.

    >>> tf.keras.backend.flatten(tf.ones([2, 3])).shape
    TensorShape([6])
    """
    return tf.reshape(x, [-1])


@symbolic
def batch_flatten(x: Any) -> Any:
    """The elements of each example in one axis.

    >>> tf.keras.backend.batch_flatten(tf.ones([2, 3, 4])).shape
    TensorShape([2, 12])
    """
    return tf.reshape(x, tf.stack([-1, tf.reduce_prod(tf.shape(x)[1:])]))


def expand_dims(x: Any, axis: Any = -1) -> Any:
    """A new axis of size one.

    >>> tf.keras.backend.expand_dims(tf.ones([2])).shape
    TensorShape([2, 1])
    """
    return tf.expand_dims(x, axis)


def squeeze(x: Any, axis: int) -> Any:
    """Without an axis of size one.

    >>> tf.keras.backend.squeeze(tf.ones([2, 1]), 1).shape
    TensorShape([2])
    """
    return tf.squeeze(x, [axis])


def stack(x: Any, axis: int = 0) -> Any:
    """Tensors beside each other along a new axis.

    >>> tf.keras.backend.stack([tf.constant([1]), tf.constant([2])]).shape
    TensorShape([2, 1])
    """
    return tf.stack(x, axis=axis)


def one_hot(indices: Any, num_classes: int) -> Any:
    """For each number a vector with one 1.

    >>> tf.keras.backend.one_hot([1], 3).numpy()
    array([[0., 1., 0.]], dtype=float32)
    """
    return tf.one_hot(indices, depth=num_classes, axis=-1)


def reverse(x: Any, axes: Any) -> Any:
    """The elements along some axes in reverse order.

    >>> tf.keras.backend.reverse(tf.constant([1, 2]), 0).numpy()
    array([2, 1], dtype=int32)
    """
    return tf.reverse(x, [axes] if isinstance(axes, int) else axes)


def temporal_padding(x: Any, padding: Any = (1, 1)) -> Any:
    """Zeros before and after each sequence.

    >>> tf.keras.backend.temporal_padding(tf.ones([1, 2, 1]), (0, 1)).numpy().ravel()
    array([1., 1., 0.], dtype=float32)
    """
    return _padded(x, [padding], "channels_last")


def spatial_2d_padding(
    x: Any, padding: Any = ((1, 1), (1, 1)), data_format: str | None = None
) -> Any:
    """Zeros around images.

    >>> tf.keras.backend.spatial_2d_padding(tf.ones([1, 2, 2, 3])).shape
    TensorShape([1, 4, 4, 3])
    """
    _check_pairs(padding, 2)
    return _padded(x, padding, data_format)


def spatial_3d_padding(
    x: Any, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None
) -> Any:
    """Zeros around volumes.

    >>> tf.keras.backend.spatial_3d_padding(tf.ones([1, 2, 2, 2, 3])).shape
    TensorShape([1, 4, 4, 4, 3])
    """
    _check_pairs(padding, 3)
    return _padded(x, padding, data_format)


def _check_pairs(padding: Any, count: int) -> None:
    if len(padding) != count:
        raise AssertionError(f"`padding` must have {count} pairs of numbers, got {padding}.")


def _padded(x: Any, padding: Any, data_format: str | None) -> Any:
    for pair in padding:
        if len(pair) != 2:
            raise AssertionError(f"`padding` must consist of pairs of numbers, got {pair}.")
    space = [list(pair) for pair in padding]
    if checked_data_format(data_format) == "channels_first":
        return tf.pad(x, [[0, 0], [0, 0], *space])
    return tf.pad(x, [[0, 0], *space, [0, 0]])


_METHODS = frozenset(
    "area bicubic bilinear gaussian lanczos3 lanczos5 mitchellcubic nearest".split()
)


def resize_images(
    x: Any, height_factor: int, width_factor: int, data_format: str, interpolation: str = "nearest"
) -> Any:
    """Images larger by whole factors.

    >>> tf.keras.backend.resize_images(tf.ones([1, 2, 3, 1]), 2, 2, "channels_last").shape
    TensorShape([1, 4, 6, 1])
    """
    if interpolation not in _METHODS:
        raise ValueError(
            f"`interpolation` argument should be one of: {sorted(_METHODS)}. "
            f'Received: "{interpolation}".'
        )
    first = _is_channels_first(data_format)
    images = tf.transpose(x, [0, 2, 3, 1]) if first else x
    sizes = images.shape[1:3]
    known = sizes.is_fully_defined()
    wanted = tf.constant(sizes.as_list()) if known else tf.shape(images)[1:3]
    factors = tf.constant([height_factor, width_factor])
    made = tf.image.resize(images, wanted * factors, method=interpolation)
    return tf.transpose(made, [0, 3, 1, 2]) if first else made


def resize_volumes(
    x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: str
) -> Any:
    """Volumes larger by whole factors.

    >>> tf.keras.backend.resize_volumes(tf.ones([1, 2, 2, 2, 3]), 2, 1, 1, "channels_last").shape
    TensorShape([1, 4, 2, 2, 3])
    """
    start = 2 if _is_channels_first(data_format) else 1
    return repeated_along(x, (depth_factor, height_factor, width_factor), start)


def _is_channels_first(data_format: Any) -> bool:
    """A function that has no default layout takes the two names alone."""
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid `data_format` argument: {data_format}")
    return bool(data_format == "channels_first")
