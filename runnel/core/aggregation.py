"""`tf.AggregationMethod`."""

from __future__ import annotations


class AggregationMethod:
    """How several gradients of one tensor are added; the sum is the same in every case."""

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2
