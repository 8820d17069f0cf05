import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runnel.core.values import shape
from runnel.core.values.shape import TensorShape, as_shape, broadcast_shapes
from tests.golden.expressions import answer, recorded
from tests.tables import table

pytestmark = pytest.mark.smoke

NAMES = {"tf": SimpleNamespace(**vars(shape)), "np": np, "S": TensorShape}

sizes = st.integers(0, 4)
dims = st.lists(st.none() | sizes, max_size=4).map(tuple)
shapes = st.builds(TensorShape, st.none() | dims)


@st.composite
def refined(draw, some_dims):
    """A shape without unknown sizes that fits `some_dims`."""
    return tuple(draw(sizes) if dim is None else dim for dim in some_dims)


@table("expression, expected", recorded("shape"))
def test_answers_are_those_of_tensorflow(expression, expected):
    assert answer(expression, NAMES) == expected


@given(shapes)
def test_a_shape_survives_pickling_and_copying(x):
    assert pickle.loads(pickle.dumps(x)) == copy.deepcopy(x) == TensorShape(x) == as_shape(x) == x
    assert hash(TensorShape(x)) == hash(x)


@given(shapes, shapes)
def test_a_common_supertype_includes_both(x, y):
    common = x.most_specific_common_supertype([y])
    assert x.is_subtype_of(common)
    assert y.is_subtype_of(common)
    assert common == x.most_specific_compatible_shape(y)


@given(shapes, shapes)
def test_merging_keeps_what_either_knows(x, y):
    if not x.is_compatible_with(y):
        with pytest.raises(ValueError, match="not compatible"):
            x.merge_with(y)
        return
    merged = x.merge_with(y)
    assert merged == y.merge_with(x)
    assert merged.is_subtype_of(x)
    assert merged.is_subtype_of(y)


@given(dims, dims, st.data())
def test_broadcasting_is_right_for_every_way_to_fill_in_unknown_sizes(a, b, data):
    full_a, full_b = data.draw(refined(a)), data.draw(refined(b))
    try:
        expected = np.broadcast_shapes(full_a, full_b)
    except ValueError:
        return
    assert TensorShape(expected).is_subtype_of(TensorShape(broadcast_shapes(a, b)))


@given(st.lists(sizes, max_size=4).map(tuple), st.lists(sizes, max_size=4).map(tuple))
def test_broadcasting_known_shapes_is_numpys(a, b):
    try:
        expected = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(ValueError, match="do not broadcast"):
            broadcast_shapes(a, b)
    else:
        assert broadcast_shapes(a, b) == expected


def test_unknown_rank_broadcasts_to_unknown_rank():
    assert broadcast_shapes(None, (2, 3)) is broadcast_shapes((2,), None) is None


def test_of_takes_the_tuple_as_it_is():
    dims = (2, None)
    assert TensorShape.of(dims)._dims is dims
    assert TensorShape.of(dims) == TensorShape([2, None])


def test_sizes_are_plain_integers():
    assert [type(size) for size in TensorShape([np.int64(2), True])] == [int, int]


def test_steps_in_a_shape_of_unknown_rank():
    assert TensorShape(None)[::2] == TensorShape(None)
    assert TensorShape(None)[1:6:2] == TensorShape([None] * 3)


def test_errors_show_the_shapes():
    with pytest.raises(ValueError, match=r"Shapes \(2, None\) and \(3, 4\) are not compatible"):
        TensorShape([2, None]).merge_with([3, 4])
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are incompatible"):
        TensorShape([2]).assert_is_compatible_with([3])
    with pytest.raises(ValueError, match=r"Shape \(2,\) must have rank 3"):
        TensorShape([2]).with_rank(3)
    with pytest.raises(ValueError, match="as_list: a shape of unknown rank"):
        TensorShape(None).as_list()
    with pytest.raises(ValueError, match=r"\(2, 3\) and \(4,\) do not broadcast.* got 3 and 4"):
        broadcast_shapes((2, 3), (4,))
    with pytest.raises(TypeError, match=r"must be an integer or None, got 2\.5 \(float\)"):
        TensorShape([2.5])
    with pytest.raises(ValueError, match=r"must be 0 or more.* got -1"):
        TensorShape([-1])


@given(shapes)
def test_a_shape_survives_its_message(x):
    assert TensorShape(x.as_proto()) == TensorShape.experimental_from_proto(x.as_proto()) == x
