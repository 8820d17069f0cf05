"""Layers of several inputs."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer


class Merge(Layer):
    """What merging element by element shares: inputs that broadcast, masks that meet."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def _merge_function(self, inputs: Any) -> Any:
        raise NotImplementedError("Subclasses of Merge implement `_merge_function`.")

    def build(self, input_shape: Any) -> None:
        if not isinstance(input_shape, list | tuple) or isinstance(input_shape, tf.TensorShape):
            raise ValueError(
                "A merge layer should be called on a list of inputs. Received: "
                f"input_shape={input_shape} (not a list of shapes)"
            )
        if len(input_shape) < 1:
            raise ValueError("A merge layer should be called on a list of at least 1 input.")
        merged_shape(input_shape)
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, list | tuple):
            raise ValueError(
                f"A merge layer should be called on a list of inputs. Received: {inputs}"
            )
        return self._merge_function(_same_rank(list(inputs)))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return tf.TensorShape(merged_shape(input_shape))

    def get_config(self) -> dict[str, Any]:
        return super().get_config()  # that of a class with a config of its own: names are filled in

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if not _has_masks(inputs, mask):
            return None
        masks = [m for m in mask if m is not None]
        return tf.reduce_all(tf.stack(masks), axis=0)


def _has_masks(inputs: Any, mask: Any) -> bool:
    """Whether there is a mask for an input; ValueError if there is not a place for each."""
    if mask is None:
        return False
    for name, value in (("mask", mask), ("inputs", inputs)):
        if not isinstance(value, list | tuple):
            raise ValueError(f"`{name}` must be a list with one for each input, got {value!r}.")
    if len(mask) != len(inputs):
        raise ValueError(f"There are {len(inputs)} inputs, but {len(mask)} masks.")
    return any(m is not None for m in mask)


def merged_shape(shapes: Any) -> list[Any]:
    """The shape that some broadcast to, the batch apart."""
    dims = [tf.TensorShape(s).as_list() for s in shapes]
    batches = {d[0] for d in dims if d and d[0] is not None}
    if len(batches) > 1:
        raise ValueError(
            f"Cannot merge tensors with different batch sizes. Received shapes {shapes}"
        )
    rank = max(len(d) for d in dims)
    out: list[Any] = []
    for place in range(1, rank):
        sizes = [d[place - rank] for d in dims if len(d) > rank - place]
        known = {s for s in sizes if s not in (1, None)}
        if len(known) > 1:
            raise ValueError(
                f"Inputs have incompatible shapes. Received shapes {[tuple(d[1:]) for d in dims]}"
            )
        out.append(known.pop() if known else (None if None in sizes else 1))
    return [batches.pop() if batches and all(d[0] is not None for d in dims) else None, *out]


def _same_rank(inputs: list[Any]) -> list[Any]:
    ranks = [x.shape.rank for x in inputs]
    if None in ranks or len(set(ranks)) == 1:
        return inputs
    largest = max(ranks)
    made = []
    for x in inputs:
        for _ in range(largest - x.shape.rank):
            x = tf.expand_dims(x, axis=1)
        made.append(x)
    return made


class Add(Merge):
    """The sum of the inputs.

    >>> tf.keras.layers.Add()([tf.constant([1.0]), tf.constant([2.0])]).numpy()
    array([3.], dtype=float32)
    """

    def _merge_function(self, inputs: Any) -> Any:
        total = inputs[0]
        for x in inputs[1:]:
            total = total + x
        return total


class Subtract(Merge):
    """The first of two inputs less the second.

    >>> tf.keras.layers.Subtract()([tf.constant([1.0]), tf.constant([2.0])]).numpy()
    array([-1.], dtype=float32)
    """

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ValueError(
                "A `Subtract` layer should be called on exactly 2 inputs. "
                f"Received: input_shape={input_shape}"
            )

    def _merge_function(self, inputs: Any) -> Any:
        return inputs[0] - inputs[1]


class Multiply(Merge):
    """The product of the inputs.

    >>> tf.keras.layers.Multiply()([tf.constant([3.0]), tf.constant([2.0])]).numpy()
    array([6.], dtype=float32)
    """

    def _merge_function(self, inputs: Any) -> Any:
        product = inputs[0]
        for x in inputs[1:]:
            product = product * x
        return product


class Average(Merge):
    """The mean of the inputs.

    >>> tf.keras.layers.Average()([tf.constant([1.0]), tf.constant([2.0])]).numpy()
    array([1.5], dtype=float32)
    """

    def _merge_function(self, inputs: Any) -> Any:
        total = inputs[0]
        for x in inputs[1:]:
            total = total + x
        return total / len(inputs)


class Maximum(Merge):
    """The larger of the inputs, element by element.

    >>> tf.keras.layers.Maximum()([tf.constant([1.0]), tf.constant([2.0])]).numpy()
    array([2.], dtype=float32)
    """

    def _merge_function(self, inputs: Any) -> Any:
        largest = inputs[0]
        for x in inputs[1:]:
            largest = tf.maximum(largest, x)
        return largest


class Minimum(Merge):
    """The smaller of the inputs, element by element.

    >>> tf.keras.layers.Minimum()([tf.constant([1.0]), tf.constant([2.0])]).numpy()
    array([1.], dtype=float32)
    """

    def _merge_function(self, inputs: Any) -> Any:
        smallest = inputs[0]
        for x in inputs[1:]:
            smallest = tf.minimum(smallest, x)
        return smallest


class Concatenate(Merge):
    """The inputs side by side.

    Args:
        axis: the axis along which the inputs follow each other.

    >>> tf.keras.layers.Concatenate()([tf.ones([1, 2]), tf.zeros([1, 1])]).numpy()
    array([[1., 1., 0.]], dtype=float32)
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape: Any) -> None:
        if len(input_shape) < 1 or not isinstance(input_shape[0], tf.TensorShape | tuple | list):
            raise ValueError(
                "A `Concatenate` layer should be called on a list of at least 1 input. "
                f"Received: input_shape={input_shape}"
            )
        shapes = [tf.TensorShape(s).as_list() for s in input_shape]
        if any(not -len(dims) <= self.axis < len(dims) for dims in shapes):
            raise IndexError(
                f"Concatenate: `axis` must be an axis of all inputs, got {self.axis} for inputs of "
                f"shapes {[tuple(dims) for dims in shapes]}."
            )
        if not all(_alike(shapes[0], other, self.axis) for other in shapes[1:]):
            raise ValueError(
                "A `Concatenate` layer requires inputs with matching shapes except for the "
                f"concatenation axis. Received: input_shape={[tuple(shape) for shape in shapes]}"
            )
        Layer.build(self, input_shape)

    def call(self, inputs: Any) -> Any:
        return tf.concat(list(inputs), axis=self.axis)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shapes: list[Any] = [tf.TensorShape(s).as_list() for s in input_shape]
        out = list(shapes[0])
        for other in shapes[1:]:
            for place, size in enumerate(other):
                if place == self.axis % len(out):
                    both = None in (out[place], size)
                    out[place] = None if both else out[place] + size
                else:
                    out[place] = size if out[place] is None else out[place]
        return tf.TensorShape(out)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if not _has_masks(inputs, mask):
            return None
        masks = [
            tf.ones_like(x, dtype=tf.bool)
            if m is None
            else tf.expand_dims(m, -1)
            if m.shape.rank < x.shape.rank
            else m
            for x, m in zip(inputs, mask)
        ]
        return tf.reduce_all(tf.concat(masks, axis=self.axis), axis=-1)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}


def _alike(one: list[Any], other: list[Any], axis: int) -> bool:
    """Whether two shapes can be the same but for one axis."""
    return len(one) == len(other) and all(
        place == axis % len(one) or a is None or b is None or a == b
        for place, (a, b) in enumerate(zip(one, other))
    )


class Dot(Merge):
    """Products of two inputs, summed along an axis of each.

    >>> x = tf.constant([[1.0, 2.0]])
    >>> tf.keras.layers.Dot(axes=1)([x, x]).numpy()
    array([[5.]], dtype=float32)
    """

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, int | list | tuple):
            raise TypeError(
                f"Invalid type for argument `axes`: it should be a list or an int. Received: {axes}"
            )
        if not isinstance(axes, int) and (
            len(axes) != 2 or not all(isinstance(a, int) for a in axes)
        ):
            raise ValueError(
                f"Invalid format for argument `axes`: it should be two integers. Received: {axes}"
            )
        self.axes, self.normalize = axes, normalize

    def build(self, input_shape: Any) -> None:
        first, second = self._two_shapes(input_shape)
        a, b = self._axes(len(first), len(second))
        if first[a] != second[b] and None not in (first[a], second[b]):
            raise ValueError(
                f"Incompatible input shapes: axis values {first[a]} (at axis {a}) != {second[b]} "
                f"(at axis {b}). Full input shapes: {tuple(first)}, {tuple(second)}"
            )
        Layer.build(self, input_shape)

    def _two_shapes(self, input_shape: Any) -> list[list[int | None]]:
        """The sizes of both inputs."""
        if len(input_shape) != 2 or any(isinstance(size, int) for size in input_shape):
            raise ValueError(
                f"A `Dot` layer should be called on a list of 2 inputs. Received: {input_shape}"
            )
        return [tf.TensorShape(shape).as_list() for shape in input_shape]

    def _axes(self, first: int, second: int) -> tuple[int, int]:
        a, b = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        if not (-first <= a < first and -second <= b < second):
            raise IndexError(
                f"Dot: `axes` must be within ranks {first} and {second}, got {self.axes}."
            )
        if a % first == 0 or b % second == 0:
            raise ValueError(
                f"Dot: `axes` must not be that of the batch, got {self.axes}. Give inputs that are "
                "not batched a dimension in front with `tf.expand_dims(x, 0)`."
            )
        return a % first, b % second

    def _merge_function(self, inputs: Any) -> Any:
        raise NotImplementedError("Dot has a `call` of its own.")

    def call(self, inputs: Any) -> Any:
        x, y = inputs
        a, b = self._axes(x.shape.rank, y.shape.rank)
        if self.normalize:
            x, y = tf.math.l2_normalize(x, axis=a), tf.math.l2_normalize(y, axis=b)
        if x.shape.rank == 2 and y.shape.rank == 2:
            return tf.reduce_sum(x * y, axis=1, keepdims=True)
        names = "abcdefgh"
        left = ["z", *names[: x.shape.rank - 1]]
        right = ["z", *names[x.shape.rank - 1 : x.shape.rank + y.shape.rank - 2]]
        right[b] = left[a]
        out = [n for n in left if n != left[a]] + [n for n in right[1:] if n != left[a]]
        result = tf.einsum(f"{''.join(left)},{''.join(right)}->{''.join(out)}", x, y)
        return tf.expand_dims(result, -1) if len(out) == 1 else result

    def compute_output_shape(self, input_shape: Any) -> Any:
        first, second = self._two_shapes(input_shape)
        a, b = self._axes(len(first), len(second))
        out = [n for i, n in enumerate(first) if i != a] + [
            n for i, n in enumerate(second) if i not in (0, b)
        ]
        return tf.TensorShape([*out, 1] if len(out) == 1 else out)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axes": self.axes, "normalize": self.normalize}


def add(inputs: Any, **kwargs: Any) -> tf.Tensor:
    """`Add` as a function.

    Args:
        inputs: a list of tensors.

    >>> tf.keras.layers.add([tf.constant([1.0]), tf.constant([2.0])]).numpy()
    array([3.], dtype=float32)
    """
    return Add(**kwargs)(inputs)


def subtract(inputs: Any, **kwargs: Any) -> tf.Tensor:
    """`Subtract` as a function.

    >>> tf.keras.layers.subtract([tf.constant([1.0]), tf.constant([2.0])]).numpy()
    array([-1.], dtype=float32)
    """
    return Subtract(**kwargs)(inputs)


def multiply(inputs: Any, **kwargs: Any) -> tf.Tensor:
    """`Multiply` as a function.

    >>> tf.keras.layers.multiply([tf.constant([3.0]), tf.constant([2.0])]).numpy()
    array([6.], dtype=float32)
    """
    return Multiply(**kwargs)(inputs)


def average(inputs: Any, **kwargs: Any) -> tf.Tensor:
    """`Average` as a function.

    >>> tf.keras.layers.average([tf.constant([1.0]), tf.constant([2.0])]).numpy()
    array([1.5], dtype=float32)
    """
    return Average(**kwargs)(inputs)


def maximum(inputs: Any, **kwargs: Any) -> tf.Tensor:
    """`Maximum` as a function.

    >>> tf.keras.layers.maximum([tf.constant([1.0]), tf.constant([2.0])]).numpy()
    array([2.], dtype=float32)
    """
    return Maximum(**kwargs)(inputs)


def minimum(inputs: Any, **kwargs: Any) -> tf.Tensor:
    """`Minimum` as a function.

    >>> tf.keras.layers.minimum([tf.constant([1.0]), tf.constant([2.0])]).numpy()
    array([1.], dtype=float32)
    """
    return Minimum(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> tf.Tensor:
    """`Concatenate` as a function.

    Args:
        inputs: a list of tensors.
        axis: the axis along which they follow each other.

    >>> tf.keras.layers.concatenate([tf.ones([1, 2]), tf.zeros([1, 1])]).numpy()
    array([[1., 1., 0.]], dtype=float32)
    """
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs: Any, axes: Any, normalize: bool = False, **kwargs: Any) -> tf.Tensor:
    """`Dot` as a function.

    >>> x = tf.constant([[1.0, 2.0]])
    >>> tf.keras.layers.dot([x, x], axes=1).numpy()
    array([[5.]], dtype=float32)
    """
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)
