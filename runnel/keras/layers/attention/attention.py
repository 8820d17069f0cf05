"""`Attention` and `AdditiveAttention`: weighted means of values, by how queries match keys."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.layers.attention.multi_head_attention import causal_mask
from runnel.keras.layers.core import RandomLayer, when_training


class BaseDenseAttention(RandomLayer):
    """What attentions share: a subclass gives the scores of queries and keys."""

    def __init__(self, dropout: float = 0.0, **kwargs: Any) -> None:
        self.causal = kwargs.pop("causal", False)  # an older way of saying `use_causal_mask`
        super().__init__(**kwargs)
        self.dropout = dropout
        self.supports_masking = True

    def _calculate_scores(self, query: Any, key: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} gives no scores.")

    def _apply_scores(self, scores: Any, value: Any, mask: Any, training: Any) -> tuple[Any, Any]:
        """The weighted values and the weights, which are zero where `mask` is false."""
        if mask is not None:
            low = 65504.0 if scores.dtype == tf.float16 else 1e9
            scores = scores - low * tf.cast(tf.logical_not(mask), scores.dtype)
        weights = tf.nn.softmax(scores)
        if self.dropout > 0:
            kept = weights
            weights = when_training(
                training,
                lambda: self._random_generator.dropout(kept, self.dropout),
                lambda: tf.identity(kept),
            )
        return tf.matmul(weights, value), weights

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        _check(type(self).__name__, inputs, mask)
        query, value = inputs[:2]
        key = inputs[2] if len(inputs) > 2 else value
        query_mask, value_mask = (None, None) if mask is None else tuple(mask[:2])
        scores = self._calculate_scores(query, key)
        allowed = None
        if value_mask is not None:
            allowed = tf.cast(value_mask, tf.bool)[:, tf.newaxis, :]
        if use_causal_mask or self.causal:
            past = causal_mask(tf.shape(scores)[-2], tf.shape(scores)[-1])
            allowed = past if allowed is None else tf.logical_and(allowed, past)
        result, weights = self._apply_scores(scores, value, allowed, training)
        if query_mask is not None:
            result *= tf.cast(query_mask, result.dtype)[..., tf.newaxis]
        return (result, weights) if return_attention_scores else result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        _check(type(self).__name__, inputs, mask)
        if mask is None or mask[0] is None:
            return None
        return tf.convert_to_tensor(mask[0])

    def compute_output_shape(self, input_shape: Any) -> Any:
        query, value = (tf.TensorShape(shape) for shape in input_shape[:2])
        return query[:-1].concatenate(value[-1:])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "dropout": self.dropout}


class Attention(BaseDenseAttention):
    """Attention by products of queries and keys; inputs are `[query, value]` or with keys third.

    >>> query, value = tf.zeros([1, 1, 2]), tf.constant([[[1.0, 2.0], [3.0, 4.0]]])
    >>> tf.keras.layers.Attention()([query, value]).numpy()
    array([[[2., 3.]]], dtype=float32)
    """

    def __init__(self, use_scale: bool = False, score_mode: str = "dot", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if score_mode not in ("dot", "concat"):
            raise ValueError(
                "Invalid value for argument score_mode. Expected one of {'dot', 'concat'}. "
                f"Received: score_mode={score_mode}"
            )
        self.use_scale, self.score_mode = use_scale, score_mode

    def build(self, input_shape: Any) -> None:
        self.scale = self.concat_score_weight = None
        if self.use_scale:
            self.scale = self.add_weight("scale", shape=(), initializer="ones")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight(
                "concat_score_weight", shape=(), initializer="ones"
            )
        super().build(input_shape)

    def _calculate_scores(self, query: Any, key: Any) -> Any:
        if self.score_mode == "dot":
            scores = tf.matmul(query, key, transpose_b=True)
            return scores if self.scale is None else scores * self.scale
        sums = query[:, :, tf.newaxis, :] + key[:, tf.newaxis, :, :]
        sums = sums if self.scale is None else self.scale * sums
        return self.concat_score_weight * tf.reduce_sum(tf.tanh(sums), axis=-1)

    def get_config(self) -> dict[str, Any]:
        own = {"use_scale": self.use_scale, "score_mode": self.score_mode}
        return {**super().get_config(), **own}


class AdditiveAttention(BaseDenseAttention):
    """Attention by sums of queries and keys; inputs are `[query, value]` or with keys third.

    >>> query, value = tf.zeros([1, 1, 2]), tf.constant([[[1.0, 2.0], [1.0, 2.0]]])
    >>> tf.keras.layers.AdditiveAttention()([query, value]).numpy()
    array([[[1., 2.]]], dtype=float32)
    """

    def __init__(self, use_scale: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape: Any) -> None:
        _check(type(self).__name__, input_shape, None)
        self.scale = None
        if self.use_scale:
            size = tf.TensorShape(input_shape[1])[-1]
            self.scale = self.add_weight("scale", shape=[size], initializer="glorot_uniform")
        super().build(input_shape)

    def _calculate_scores(self, query: Any, key: Any) -> Any:
        sums = tf.tanh(query[:, :, tf.newaxis, :] + key[:, tf.newaxis, :, :])
        return tf.reduce_sum(sums if self.scale is None else self.scale * sums, axis=-1)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "use_scale": self.use_scale}


def _check(name: str, inputs: Any, mask: Any) -> None:
    for what, given in (("inputs", inputs), ("mask", mask)):
        if given is not None and not isinstance(given, list):
            raise ValueError(
                f"{name} layer must be called on a list of {what}, namely [query, value] or "
                f"[query, value, key]. Received: {given}."
            )
    if not 2 <= len(inputs) <= 3:
        raise ValueError(
            f"{name} layer accepts inputs list of length 2 or 3, namely [query, value] or "
            f"[query, value, key]. Received length: {len(inputs)}."
        )
    if mask is not None and not 2 <= len(mask) <= len(inputs):
        raise ValueError(
            f"{name} layer mask must be a list of length 2 to {len(inputs)}. Received length: "
            f"{len(mask)}."
        )
