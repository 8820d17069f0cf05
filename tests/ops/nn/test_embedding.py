"""What the tables cannot say of embeddings."""

from __future__ import annotations

import numpy as np

import runnel as tf


def test_the_gradient_of_a_lookup_in_a_variable_is_slices() -> None:
    table = tf.Variable(np.ones((5, 2), np.float32))
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.nn.embedding_lookup(table, [3, 1, 3]))
    slices = tape.gradient(total, table)
    assert isinstance(slices, tf.IndexedSlices)
    assert slices.indices.numpy().tolist() == [3, 1, 3]
