"""Boxes in levels: lines pass between them."""

from types import SimpleNamespace

import pytest

from runnel.keras.utils.picture.box_layout import arranged


def box(key, depth, *parents):
    return SimpleNamespace(key=key, depth=depth, parents=parents)


def layout(boxes, sideways=False):
    sizes = {each.key: (40.0, 20.0) for each in boxes}
    return arranged(boxes, sizes, sideways, 8.0, (30.0, 34.0))


@pytest.mark.parametrize("sideways", [False, True])
def test_a_long_line_passes_beside_the_boxes_of_the_levels_between(sideways):
    boxes = [box("a", 0), box("b", 1, "a"), box("c", 2, "b"), box("d", 3, "c", "a")]
    found = layout(boxes, sideways)
    (long,) = [path for path in found.paths if len(path) > 2]
    for left, top, right, bottom in (found.places["b"], found.places["c"]):
        assert not any(left <= x <= right and top <= y <= bottom for x, y in long)


def test_boxes_stand_below_those_that_they_come_from():
    boxes = [box("a", 0), box("b", 0), box("c", 1, "b"), box("d", 1, "a")]
    places = layout(boxes).places
    assert (places["a"][0] < places["b"][0]) == (places["d"][0] < places["c"][0])


def test_everything_is_inside():
    boxes = [box("a", 0), *[box(f"b{i}", 1, "a") for i in range(3)]]
    found = layout(boxes)
    assert found.size == (3 * 40 + 2 * 30 + 16, 8 + 2 * (20 + 34))
    assert all(x >= 8 and right <= found.size[0] - 8 for x, _, right, _ in found.places.values())
