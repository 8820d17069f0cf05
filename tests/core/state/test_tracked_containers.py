"""Lists, dicts and tuples in attributes of modules."""

from __future__ import annotations

import collections
import copy
import json
import pickle

import pytest

import runnel as tf
from runnel.core.state.tracked_containers import DictWrapper, ListWrapper

Pair = collections.namedtuple("Pair", "a b")


def names(item: tf.__internal__.tracking.Trackable) -> list[str]:
    return list(item._trackable_children())


def test_a_list_in_an_attribute_behaves_as_a_list_and_is_tracked() -> None:
    module = tf.Module()
    module.parts = [1, tf.Variable(1.0), [tf.Variable(2.0)], {"a": tf.Variable(3.0)}]
    assert isinstance(module.parts, list)
    assert len(module.variables) == 3
    assert names(module.parts) == ["1", "2", "3"]
    module.parts += [tf.Variable(4.0)]
    assert names(module.parts) == ["1", "2", "3", "4"]
    assert repr(ListWrapper([1, 2])) == "ListWrapper([1, 2])"
    assert json.dumps(ListWrapper([1, [2]])) == "[1, [2]]"


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.append(9),
        lambda x: x.extend([7, 8]),
        lambda x: x.insert(1, 5),
        lambda x: x.pop(),
        lambda x: x.remove(2),
        lambda x: x.reverse(),
        lambda x: x.sort(),
        lambda x: x.clear(),
        lambda x: x.__setitem__(slice(0, 2), [6]),
        lambda x: x.__delitem__(0),
        lambda x: x.__iadd__([4]),
        lambda x: x.__imul__(2),
    ],
)
def test_a_list_and_its_wrapper_stay_equal_whichever_is_changed(change) -> None:
    plain, wanted = [3, 1, 2], [3, 1, 2]
    module = tf.Module()
    module.x = plain
    change(module.x)
    change(wanted)
    assert module.x == wanted and plain == wanted
    plain.append(100)
    assert list(module.x) == [*wanted, 100] and len(module.x) == len(wanted) + 1


def test_a_dict_and_its_wrapper_stay_equal_whichever_is_changed() -> None:
    plain = {"a": 1}
    module = tf.Module()
    module.d = plain
    module.d["b"] = tf.Variable(1.0)
    module.d.update(c=[1])
    assert names(module.d) == ["b", "c"]
    assert module.d.setdefault("a", 5) == 1 and module.d.setdefault("e", 6) == 6
    assert list(plain) == ["a", "b", "c", "e"]
    plain["z"] = tf.Variable(2.0)
    assert "z" in module.d and len(module.variables) == 2
    assert module.d.pop("z") is not None and "z" not in plain
    del module.d["a"]
    assert "a" not in plain and {**module.d}.keys() == plain.keys()
    assert str(DictWrapper({"x": 1})) == "{'x': 1}"


def test_a_dict_with_other_keys_than_strings_cannot_be_saved() -> None:
    module = tf.Module()
    module.d = {1: tf.Variable(1.0)}
    with pytest.raises(ValueError, match="key 1"):
        module.d._trackable_children()
    module.e = {1: 2}
    assert names(module.e) == []


def test_tuples_are_wrapped_only_if_something_in_them_is_tracked() -> None:
    module = tf.Module()
    module.plain, module.kept = (1, 2), (1, tf.Variable(2.0))
    module.pair = Pair(tf.Variable(1.0), [tf.Variable(2.0)])
    assert type(module.plain) is tuple and isinstance(module.kept, tuple)
    assert module.pair.a is module.pair[0] and isinstance(module.pair, Pair)
    assert names(module.pair) == ["a", "b", "0", "1"]
    assert len(module.variables) == 3


def test_what_is_assigned_over_is_no_longer_tracked() -> None:
    module = tf.Module()
    module.v = tf.Variable(1.0)
    module.w = tf.Variable(1.0)
    module.v = None
    del module.w
    assert names(module) == []


def test_no_dependency_keeps_a_value_out_of_checkpoints() -> None:
    tracking = tf.__internal__.tracking
    module = tf.Module()
    module.hidden = tracking.NoDependency([tf.Variable(1.0)])
    assert type(module.hidden) is list and names(module) == []

    class Quiet(tf.Module):
        @tracking.no_automatic_dependency_tracking
        def __init__(self) -> None:
            super().__init__()
            self.v = tf.Variable(1.0)

    quiet = Quiet()
    quiet.w = tf.Variable(2.0)
    assert names(quiet) == ["w"]


def test_copies_are_tracked_on_their_own() -> None:
    module = tf.Module()
    module.v, module.parts, module.d = (
        tf.Variable(1.0),
        [tf.Variable(2.0)],
        {"a": (tf.Variable(3.0),)},
    )
    other = copy.deepcopy(module)
    assert names(other) == names(module)
    assert other._trackable_children()["v"] is other.v is not module.v
    assert other._trackable_children()["parts"] is other.parts
    other.parts[0].assign(20.0)
    assert module.parts[0].numpy() == 2.0
    again = pickle.loads(pickle.dumps(module.parts))
    assert isinstance(again, ListWrapper) and again[0].numpy() == 2.0


def test_functions_get_wrapped_containers_as_plain_ones() -> None:
    module = tf.Module()
    module.x, module.d = [tf.constant(1.0)], {"a": (tf.constant(2.0), tf.Variable(1.0))}
    kinds = []

    @tf.function
    def f(x, d):
        kinds.append((type(x), type(d), type(d["a"])))
        return x[0] + d["a"][0]

    assert f(module.x, module.d).numpy() == 3.0
    assert f([tf.constant(5.0)], {"a": (tf.constant(2.0), module.d["a"][1])}).numpy() == 7.0
    assert kinds == [(list, dict, tuple)]


def test_wrapped_and_plain_structures_are_the_same_to_nest() -> None:
    module = tf.Module()
    module.x, module.d = [1, {"a": 2}], {"b": (tf.Variable(1.0), 3)}
    module.pair = Pair(tf.Variable(1.0), 2)
    tf.nest.assert_same_structure(module.x, [0, {"a": 0}])
    tf.nest.assert_same_structure({"b": (0, 0)}, module.d)
    tf.nest.assert_same_structure(module.pair, Pair(0, 0))
    assert tf.nest.map_structure(lambda a, b: a + b, module.x, [10, {"a": 20}]) == [11, {"a": 22}]
