"""`tf.keras.layers.MultiHeadAttention`."""

from __future__ import annotations

import math
import string
from typing import Any

import runnel as tf
from runnel.keras import constraints, initializers, regularizers
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.layers.activation_layers import Softmax
from runnel.keras.layers.core import Dropout
from runnel.keras.layers.einsum_dense import EinsumDense
from runnel.keras.saving.config_errors import reads_config

_LETTERS = string.ascii_lowercase
_INITIALIZERS = ("kernel_initializer", "bias_initializer")
_REGULARIZERS = ("kernel_regularizer", "bias_regularizer", "activity_regularizer")
_CONSTRAINTS = ("kernel_constraint", "bias_constraint")


class MultiHeadAttention(Layer):
    """Several attentions side by side, each with projections of its own.

    Args:
        num_heads: how many heads there are.
        key_dim, value_dim: the size of a head's queries and keys, and of its values.
        dropout: the part of the scores that is set to zero in training.
        use_bias: whether a bias is added.
        output_shape: the size of the output; None is that of the query.
        attention_axes: the axes that attend to each other; None takes all but the batch and the
            last.
        kernel_initializer, bias_initializer: what the weights begin with: names or initializers.
        kernel_regularizer, bias_regularizer, activity_regularizer: penalties on weights and
            outputs, added to the loss.
        kernel_constraint, bias_constraint: functions that weights go through after each update.

    >>> layer = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=3)
    >>> layer(tf.ones([2, 4, 8]), tf.ones([2, 5, 8])).shape
    TensorShape([2, 4, 8])
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        attention_axes: Any = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        self._robust = kwargs.pop("softmax_robust_masking", False)
        super().__init__(**kwargs)
        self.supports_masking = True
        self._num_heads, self._key_dim = num_heads, key_dim
        self._value_dim = value_dim if value_dim else key_dim
        self._dropout, self._use_bias = dropout, use_bias
        single = output_shape is None or isinstance(output_shape, int)
        self._output_shape = output_shape if single else tuple(output_shape)
        self._attention_axes = _as_tuple(attention_axes)
        self._kernel_initializer = initializers.get(kernel_initializer)
        self._bias_initializer = initializers.get(bias_initializer)
        self._kernel_regularizer = regularizers.get(kernel_regularizer)
        self._bias_regularizer = regularizers.get(bias_regularizer)
        self._activity_regularizer = regularizers.get(activity_regularizer)
        self._kernel_constraint = constraints.get(kernel_constraint)
        self._bias_constraint = constraints.get(bias_constraint)
        self._built_from_signature = False
        self._query_shape: Any = None
        self._key_shape: Any = None
        self._value_shape: Any = None

    def _build_from_signature(self, query: Any, value: Any, key: Any = None) -> None:
        """Make the projections for inputs of these shapes (or for these inputs)."""
        shapes = [tf.TensorShape(getattr(x, "shape", x)) for x in (query, value)]
        self._query_shape, self._value_shape = shapes
        self._key_shape = shapes[1] if key is None else tf.TensorShape(getattr(key, "shape", key))
        self._built_from_signature = True
        rank = self._query_shape.rank
        heads = self._num_heads
        with tf.init_scope():
            self._query_dense = self._projection("query", rank, 1, (heads, self._key_dim))
            self._key_dense = self._projection(
                "key", self._key_shape.rank, 1, (heads, self._key_dim)
            )
            self._value_dense = self._projection(
                "value", self._value_shape.rank, 1, (heads, self._value_dim)
            )
            if self._attention_axes is None:
                self._attention_axes = tuple(range(1, rank - 1))
            self._build_attention(rank + 1)
            outputs = _as_tuple(self._output_shape) or (self._query_shape[-1],)
            self._output_dense = self._projection("attention_output", rank + 1, 2, outputs)

    def _projection(
        self, name: str, rank: int, bound: int, outputs: tuple[Any, ...]
    ) -> EinsumDense:
        """A product that sums over the last `bound` axes and puts `outputs` in their place."""
        left = _LETTERS[:rank]
        free, summed = left[: rank - bound], left[rank - bound :]
        new = _LETTERS[rank : rank + len(outputs)]
        return EinsumDense(
            f"{left},{summed}{new}->{free}{new}",
            output_shape=(*(None for _ in free[1:]), *outputs),
            bias_axes=new if self._use_bias else None,
            name=name,
            dtype=self._dtype_policy,
            kernel_initializer=_again(self._kernel_initializer),
            bias_initializer=_again(self._bias_initializer),
            kernel_regularizer=self._kernel_regularizer,
            bias_regularizer=self._bias_regularizer,
            kernel_constraint=self._kernel_constraint,
            bias_constraint=self._bias_constraint,
        )

    def _build_attention(self, rank: int) -> None:
        """Equations for projections of a rank: heads are before the last axis."""
        axes = tuple(a % (rank - 1) if a < 0 else a for a in self._attention_axes or ())
        target = _LETTERS[:rank]
        fresh = iter(_LETTERS[rank:])
        source = "".join(next(fresh) if i in axes else target[i] for i in range(rank))
        batch = "".join(target[i] for i in range(rank - 1) if i not in axes)
        product = batch + "".join(target[i] for i in axes) + "".join(source[i] for i in axes)
        self._dot_product_equation = f"{source},{target}->{product}"
        self._combine_equation = f"{product},{source}->{target}"
        self._softmax = Softmax(
            axis=tuple(range(len(product) - len(axes), len(product))),
            robust_masking=self._robust,
            dtype=self._dtype_policy,
        )
        self._dropout_layer = Dropout(self._dropout, dtype=self._dtype_policy)

    def _masked_softmax(self, scores: Any, mask: Any = None) -> Any:
        if mask is not None:
            place = -len(self._attention_axes or ()) * 2 - 1  # before the axes of both sequences
            for _ in range(scores.shape.rank - mask.shape.rank):
                mask = tf.expand_dims(mask, place)
        return self._softmax(scores, mask)

    def _compute_attention(
        self, query: Any, key: Any, value: Any, attention_mask: Any = None, training: Any = None
    ) -> tuple[Any, Any]:
        """The attention of projected inputs, and its scores; a subclass may replace it."""
        query = query * (1.0 / math.sqrt(float(self._key_dim)))
        scores = tf.einsum(self._dot_product_equation, key, query)
        scores = self._masked_softmax(scores, attention_mask)
        dropped = self._dropout_layer(scores, training=training)
        return tf.einsum(self._combine_equation, dropped, value), scores

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        if not self._built_from_signature:
            self._build_from_signature(query, value, key)
        key = value if key is None else key
        lengths = query.nested_row_lengths() if isinstance(query, tf.RaggedTensor) else None
        query, key, value = _padded(query, key, value)
        mask = _joined_mask(query, value, key, attention_mask, use_causal_mask)
        projected = self._query_dense(query), self._key_dense(key), self._value_dense(value)
        output, scores = self._compute_attention(*projected, mask, training)
        output = self._output_dense(output)
        if lengths is not None:
            output = tf.RaggedTensor.from_tensor(output, lengths=lengths)
        return (output, scores) if return_attention_scores else output

    def compute_output_shape(  # type: ignore[override]
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> Any:
        query, value = tf.TensorShape(query_shape), tf.TensorShape(value_shape)
        key = value if key_shape is None else tf.TensorShape(key_shape)
        if query[-1] != value[-1]:
            raise ValueError(
                "The last dimension of `query_shape` and `value_shape` must be equal, got "
                f"{query} and {value}."
            )
        if value[1:-1] != key[1:-1]:
            raise ValueError(
                "All dimensions of `value` and `key`, except the last one, must be equal. "
                f"Received {value} and {key}"
            )
        if self._output_shape:
            return query[:-1].concatenate(_as_tuple(self._output_shape))
        return query

    def get_config(self) -> dict[str, Any]:
        own = {
            "num_heads": self._num_heads,
            "key_dim": self._key_dim,
            "value_dim": self._value_dim,
            "dropout": self._dropout,
            "use_bias": self._use_bias,
            "output_shape": self._output_shape,
            "attention_axes": self._attention_axes,
        }
        for names, module in (
            (_INITIALIZERS, initializers),
            (_REGULARIZERS, regularizers),
            (_CONSTRAINTS, constraints),
        ):
            own |= {name: module.serialize(getattr(self, f"_{name}")) for name in names}
        own |= {
            "query_shape": self._query_shape,
            "key_shape": self._key_shape,
            "value_shape": self._value_shape,
            "softmax_robust_masking": self._robust,
        }
        return {**super().get_config(), **own}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        config = dict(config)
        shapes = [config.pop(f"{name}_shape", None) for name in ("query", "value", "key")]
        layer = cls(**config)
        if None not in shapes:
            layer._build_from_signature(*shapes)
        return layer


def _as_tuple(value: Any) -> Any:
    if value is None:
        return None
    return tuple(value) if hasattr(value, "__iter__") else (value,)


def _again(initializer: Any) -> Any:
    """Another initializer like this one, so that projections do not begin alike."""
    return type(initializer).from_config(initializer.get_config())


def _padded(query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
    """Ragged inputs filled up with zeros, which take part; keys and values have one shape."""
    query = query.to_tensor() if isinstance(query, tf.RaggedTensor) else query
    ragged = [x for x in (key, value) if isinstance(x, tf.RaggedTensor)]
    if len(ragged) == 2:
        shape = tf.maximum(key.bounding_shape(), value.bounding_shape())
    elif ragged:
        shape = tf.shape(value if ragged[0] is key else key)
    key, value = (
        x.to_tensor(shape=shape) if isinstance(x, tf.RaggedTensor) else x for x in (key, value)
    )
    return query, key, value


def _joined_mask(query: Any, value: Any, key: Any, mask: Any, causal: bool) -> Any:
    """Where a query may attend: what was asked, the masks that tensors carry, the past alone."""
    found = [] if mask is None else [tf.cast(mask, tf.bool)]
    carriers = [(query, 2), (value, 1)] + ([] if key is value else [(key, 1)])
    for tensor, axis in carriers:
        carried = getattr(tensor, "_keras_mask", None)
        if carried is not None:
            found.append(tf.expand_dims(tf.cast(carried, tf.bool), axis))
    if causal:
        found.append(causal_mask(tf.shape(query)[1], tf.shape(value)[1]))
    joined = None
    for one in found:
        joined = one if joined is None else tf.logical_and(joined, one)
    return joined


def causal_mask(rows: Any, columns: Any) -> Any:
    """True where a column is not after the row, with a first axis of one."""
    return (tf.range(rows)[:, tf.newaxis] >= tf.range(columns)[tf.newaxis, :])[tf.newaxis]
