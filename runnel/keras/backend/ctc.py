"""Connectionist temporal classification: labels of sequences that are not aligned."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.backend.symbolic import symbolic
from runnel.keras.engine.settings import epsilon


@symbolic
def ctc_label_dense_to_sparse(labels: Any, label_lengths: Any) -> Any:
    """The first labels of each row as a sparse tensor.

    >>> K = tf.keras.backend
    >>> K.ctc_label_dense_to_sparse([[1, 2], [3, 0]], [2, 1]).values.numpy()
    array([1, 2, 3], dtype=int32)
    """
    labels = tf.convert_to_tensor(labels)
    shape = tf.shape(labels)
    counts = tf.sequence_mask(label_lengths, shape[1])
    return tf.SparseTensor(
        tf.where(counts), tf.boolean_mask(labels, counts), tf.cast(shape, tf.int64)
    )


@symbolic
def ctc_batch_cost(y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> Any:
    """The loss of each sequence: `[batch, 1]`, of probabilities `[batch, time, classes]`.

    >>> tf.keras.backend.ctc_batch_cost(
    ...     tf.constant([[0]]), tf.fill([1, 2, 2], 0.5), tf.constant([[2]]), tf.constant([[1]])
    ... ).numpy().round(3)
    array([[0.288]], dtype=float32)
    """
    label_length = tf.cast(tf.squeeze(label_length, axis=-1), tf.int32)
    input_length = tf.cast(tf.squeeze(input_length, axis=-1), tf.int32)
    labels = tf.cast(ctc_label_dense_to_sparse(y_true, label_length), tf.int32)
    loss, _ = tf.raw_ops.CTCLoss(
        inputs=_log_probabilities(y_pred),
        labels_indices=labels.indices,
        labels_values=labels.values,
        sequence_length=input_length,
    )
    return tf.expand_dims(loss, 1)


def _log_probabilities(y_pred: Any) -> Any:
    """Time first, as the ops want it."""
    return tf.math.log(tf.transpose(y_pred, [1, 0, 2]) + epsilon())


@symbolic
def ctc_decode(
    y_pred: Any, input_length: Any, greedy: bool = True, beam_width: int = 100, top_paths: int = 1
) -> Any:
    """The most likely labels of each sequence, padded with -1, and how likely they are.

    >>> best, score = tf.keras.backend.ctc_decode(
    ...     tf.constant([[[0.9, 0.1], [0.2, 0.8]]]), tf.constant([2])
    ... )
    >>> best[0].numpy()
    array([[ 0, -1]])
    """
    shape = tf.shape(y_pred)
    inputs, lengths = _log_probabilities(y_pred), tf.cast(input_length, tf.int32)
    if greedy:
        found, log_prob = tf.nn.ctc_greedy_decoder(inputs=inputs, sequence_length=lengths)
        parts = [(path.indices, path.values) for path in found]
    else:
        found = tf.raw_ops.CTCBeamSearchDecoder(
            inputs=inputs,
            sequence_length=lengths,
            beam_width=beam_width,
            top_paths=top_paths,
            merge_repeated=True,
        )
        parts = list(zip(found.decoded_indices, found.decoded_values))
        log_prob = found.log_probability
    wide = tf.cast(shape[:2], tf.int64)
    dense = [
        tf.sparse.to_dense(tf.SparseTensor(places, values, wide), default_value=-1)
        for places, values in parts
    ]
    return dense, log_prob
