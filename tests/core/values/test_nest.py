import threading
from collections import OrderedDict, namedtuple
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runnel.core.values import nest
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec
from tests.golden import containers
from tests.golden.expressions import answer, recorded
from tests.tables import table

P = containers.P
NAMES = {
    **containers.NAMES,
    "tf": SimpleNamespace(nest=nest, TensorShape=TensorShape, TensorSpec=TensorSpec),
    "nest": nest,
    "np": np,
    "add": lambda x, y: x + y,
}

leaves = st.none() | st.integers() | st.text(max_size=3)
structures = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3).map(OrderedDict)
        | st.builds(P, inner, inner)
        | st.builds(containers.Masked, inner, inner)
    ),
    max_leaves=12,
)


@table("expression, expected", recorded("nest"))
def test_answers_are_those_of_tensorflow(expression, expected):
    assert answer(expression, NAMES) == expected


@given(structures)
def test_packing_undoes_flattening(structure):
    again = nest.pack_sequence_as(structure, nest.flatten(structure))
    assert again == structure
    assert type(again) is type(structure)
    nest.assert_same_structure(structure, again)


@given(structures)
def test_mapping_is_packing_the_mapped_leaves(structure):
    expected = nest.pack_sequence_as(structure, [(x,) for x in map(str, nest.flatten(structure))])
    assert nest.map_structure(lambda x: (str(x),), structure) == expected
    both = nest.map_structure(lambda x, y: (str(y),), structure, structure)
    assert both == expected


@given(structures)
def test_paths_lead_to_the_leaves(structure):
    pairs = nest.flatten_with_tuple_paths(structure)
    assert [leaf for _, leaf in pairs] == nest.flatten(structure)
    assert len({path for path, _ in pairs}) == len(pairs)


@given(structures)
def test_a_structure_is_its_own_shallow_structure(structure):
    assert nest.flatten_up_to(structure, structure) == nest.flatten(structure)
    assert nest.flatten_up_to(0, structure) == [structure]


@given(structures)
def test_dicts_keep_the_order_of_their_keys(structure):
    mapped = nest.map_structure(lambda x: x, {"b": structure, "a": 1})
    assert list(mapped) == ["b", "a"]
    assert nest.flatten({"b": structure, "a": 1})[0] == 1


class Attrs:
    """What the decorators of `attrs` make, in short."""

    __attrs_attrs__ = (SimpleNamespace(name="b"), SimpleNamespace(name="a"))

    def __init__(self, b, a):
        self.a, self.b = a, b


def test_attrs_classes_go_by_the_order_of_their_fields():
    value = Attrs(1, [2])
    assert nest.is_nested(value)
    assert nest.flatten_with_joined_string_paths(value) == [("b", 1), ("a/0", 2)]
    mapped = nest.map_structure(lambda x: -x, value)
    assert (type(mapped), mapped.b, mapped.a) == (Attrs, -1, [-2])


def test_a_read_only_mapping_stays_one():
    mapped = nest.map_structure(lambda x: -x, MappingProxyType({"b": 1, "a": 2}))
    assert type(mapped) is MappingProxyType
    assert mapped == {"b": -1, "a": -2}


class Pair:
    """A composite tensor of two tensors; `tag` belongs to its type."""

    def __init__(self, first, second, tag="t"):
        self.parts, self.tag = {"first": first, "second": second}, tag

    @property
    def _type_spec(self):
        return PairSpec(self.tag)


class PairSpec:
    value_type = Pair

    def __init__(self, tag):
        self.tag = tag

    @property
    def _component_specs(self):
        return {"first": TensorSpec([]), "second": TensorSpec([])}

    def _to_components(self, value):
        return value.parts

    def _from_components(self, components):
        return Pair(**components, tag=self.tag)

    def most_specific_common_supertype(self, others):
        return self if all(other.tag == self.tag for other in others) else None


def test_composites_are_leaves_unless_they_are_to_be_expanded():
    pair = Pair(1, 2)
    assert nest.flatten([pair, 3]) == [pair, 3]
    assert nest.flatten([pair, 3], expand_composites=True) == [1, 2, 3]
    assert not nest.is_nested(pair)
    assert nest.is_nested_or_composite(pair)
    paths = nest.flatten_with_joined_string_paths([pair], expand_composites=True)
    assert paths == [("0/Pair/first", 1), ("0/Pair/second", 2)]


def test_composites_are_rebuilt_by_their_spec():
    mapped = nest.map_structure(lambda x: -x, (Pair(1, Pair(2, 3)),), expand_composites=True)
    assert mapped[0].parts["first"] == -1
    assert mapped[0].parts["second"].parts == {"first": -2, "second": -3}
    packed = nest.pack_sequence_as([PairSpec("u"), 0], [1, 2, 3], expand_composites=True)
    assert (packed[0].parts, packed[0].tag, packed[1]) == ({"first": 1, "second": 2}, "u", 3)


def test_specs_expand_to_the_specs_of_tensors():
    spec = TensorSpec([])
    assert nest.flatten([PairSpec("t"), spec], expand_composites=True) == [spec, spec, spec]


def test_composites_are_the_same_if_their_types_have_something_in_common():
    nest.assert_same_structure(Pair(1, 2), PairSpec("t"), expand_composites=True)
    with pytest.raises(ValueError, match=r"differ at \[0\]: composite tensors of"):
        nest.assert_same_structure([Pair(1, 2)], [Pair(1, 2, "u")], expand_composites=True)
    with pytest.raises(TypeError, match=r"differ at the top: a leaf of type Pair and a list of 2"):
        nest.assert_same_structure(Pair(1, 2), [1, 2], expand_composites=True)
    with pytest.raises(ValueError, match=r"a leaf of type Pair and a leaf of type int"):
        nest.assert_same_structure(Pair(1, 2), 1, expand_composites=True)


def test_a_class_may_say_that_it_is_a_leaf():
    class Variable(Pair):
        _nest_leaf = True

    value = Variable(1, 2)
    assert nest.flatten(value, expand_composites=True) == [value]


def test_leaves_are_not_compared():
    array = np.array([1, 2])
    nest.assert_same_structure([array, 1], [array + 1, array])


def test_errors_say_where_the_structures_part():
    with pytest.raises(ValueError, match=r"differ at \['b'\]\['c'\]: a list of 2 and a list of 1"):
        nest.assert_same_structure({"a": 1, "b": {"c": [1, 2]}}, {"a": 1, "b": {"c": [1]}})
    with pytest.raises(TypeError, match=r"differ at \[1\]: a list of 1 and a tuple of 1"):
        nest.assert_same_structure([1, [2]], [1, (2,)])
    with pytest.raises(ValueError, match=r"differ at the top: keys \['a'\] and \['b'\]"):
        nest.assert_same_structure({"a": 1}, {"b": 1})
    with pytest.raises(ValueError, match=r"at \['x'\]: a leaf of type int and a list of 1"):
        nest.map_structure(max, P(1, 2), P([1], 2))
    with pytest.raises(TypeError, match=r"at \[0\]: a list of 1 and a leaf of type int"):
        nest.flatten_up_to([[0]], [5])
    with pytest.raises(ValueError, match=r"must have 2 elements, .* \[1, \[2\]\], got 3"):
        nest.pack_sequence_as([1, [2]], [3, 4, 5])
    with pytest.raises(TypeError, match="`flat_sequence` must be a list or tuple, got a dict"):
        nest.pack_sequence_as([1, 2], {"a": 1, "b": 2})
    with pytest.raises(ValueError, match=r"takes check_types and expand_composites, got \['foo'\]"):
        nest.map_structure(abs, [1], foo=1)


def test_a_container_that_cannot_be_made_again_is_named():
    class Fixed(list):
        def __init__(self):
            super().__init__([1, 2])

    with pytest.raises(TypeError, match=r"cannot make another Fixed: .* must take its elements"):
        nest.map_structure(abs, Fixed())


def test_classes_made_without_end_do_not_fill_the_table():
    for _ in range(nest._MOST_KINDS + 10):
        nest.flatten(type("Leaf", (), {})())
    assert len(nest._PLAIN) <= nest._MOST_KINDS
    fresh = namedtuple("Fresh", "a b")
    assert nest.flatten(fresh(1, [2])) == [1, 2]


def test_threads_may_meet_a_new_class_at_the_same_time():
    fresh = namedtuple("Fresh", "a b")
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(nest.flatten(fresh(1, 2)))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[1, 2]] * 8
