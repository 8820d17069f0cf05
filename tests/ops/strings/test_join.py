"""Strings joined."""

from __future__ import annotations

import pytest

import runnel as tf


@pytest.mark.parametrize("segment_ids", [[0, 1], [[0, 1]]])
def test_the_number_of_segments_is_not_negative(segment_ids: object) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="not be negative"):
        tf.strings.unsorted_segment_join(["a", "b"], segment_ids, -1)
