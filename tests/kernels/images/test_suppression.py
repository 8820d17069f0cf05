"""Choosing among overlapping boxes, against the plain way: one box after another."""

import numpy as np
import pytest

from runnel.kernels.images.suppression import Limits, overlap, select


def one_by_one(scores, boxes, similarity, limits):
    chosen = []
    for place in np.argsort(-scores, kind="stable").tolist():
        apart = [similarity([boxes[k]], [boxes[place]]) <= limits.threshold for k in chosen]
        if scores[place] > limits.least and len(chosen) < limits.count and all(apart):
            chosen.append(place)
    return chosen


@pytest.mark.parametrize("count", [0, 3, 40, 1000])
@pytest.mark.parametrize("least", [-np.inf, 0.8, 2])
def test_blocks_of_candidates_leave_what_single_ones_do(count, least):
    random = np.random.default_rng(count)
    similarity = overlap(random.uniform(-0.2, 1.2, (600, 4)).astype(np.float32))
    scores = random.uniform(size=(3, 600)).round(2).astype(np.float32)
    scores[1, 2:] = np.nan  # few candidates beside many
    boxes = np.stack([random.permutation(600) for _ in scores])
    limits = Limits(count, 0.3, least)
    expected = [one_by_one(s, b, similarity, limits) for s, b in zip(scores, boxes)]
    assert [found.tolist() for found in select(scores, boxes, similarity, limits)] == expected


def test_many_rows_do_not_mix():
    random = np.random.default_rng(0)
    similarity = overlap(random.uniform(size=(20, 4)).astype(np.float32))
    scores = random.uniform(size=(150, 20)).astype(np.float32)
    boxes = np.broadcast_to(np.arange(20), scores.shape)
    limits = Limits(5, 0.5, 0.1)
    alone = [select(s[None], b[None], similarity, limits)[0] for s, b in zip(scores, boxes)]
    for found, expected in zip(select(scores, boxes, similarity, limits), alone):
        assert found.tolist() == expected.tolist()


def test_boxes_without_an_area_overlap_with_nothing():
    flat, missing, real = [0, 0, 0, 1], [0, np.nan, 1, 1], [0, 0, 1, 1]
    similarity = overlap(np.array([flat, missing, real, real], np.float32))
    assert similarity([[0], [1], [2]], [[2, 3]]).tolist() == [[0, 0], [0, 0], [1, 1]]
