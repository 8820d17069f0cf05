"""Corners of the core, compared with TensorFlow's answers."""

from typing import Optional, Tuple  # noqa: UP035 (as programs write it)

import numpy as np
import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

ANSWERS = {subject: recorded(subject) for subject in ("corners", "containers")}


@pytest.mark.parametrize("subject, name", [(s, name) for s in ANSWERS for name in ANSWERS[s]])
def test_corners_are_tensorflows(subject: str, name: str) -> None:
    assert_answer(cases(subject)[name], tf, ANSWERS[subject][name], warnings=False)


def test_every_corner_is_recorded() -> None:
    assert [list(cases(subject)) for subject in ANSWERS] == [list(a) for a in ANSWERS.values()]


class Node(tf.experimental.ExtensionType):
    """A field may name its own class, and one that comes later."""

    value: tf.Tensor
    children: Tuple["Node", ...] = ()  # noqa: UP006
    extra: Optional["Late"] = None


class Late(tf.experimental.ExtensionType):
    number: int


def test_a_field_may_be_of_its_own_class_or_of_a_later_one() -> None:
    tree = Node(1.0, (Node(2.0, extra=Late(3)), Node(4.0)))
    doubled = tf.function(lambda n: Node(2.0 * n.value, n.children, n.extra))(tree)
    assert [float(n.value) for n in (doubled, *doubled.children)] == [2.0, 2.0, 4.0]
    assert doubled.children[0].extra.number == 3
    assert Node.Spec.from_value(tree).children[0].extra == Late.Spec(3)
    with pytest.raises(TypeError, match=r"children\[0\]: expected 'Node', got 'int'"):
        Node(1.0, (1,))


def test_a_field_of_an_unknown_class_is_found_out_when_it_has_a_value() -> None:
    class Lost(tf.experimental.ExtensionType):
        others: "tuple[Nowhere, ...]"  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(TypeError, match=r"'tuple\[Nowhere, \.\.\.\]' names something unknown"):
        Lost(())


def test_a_mask_in_a_list_need_not_have_the_size_of_its_dimension() -> None:
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    for index, want in (
        ([True], [[1, 2, 3]]),
        ([False, True, False], [[4, 5, 6]]),
        ((slice(None), [True, True]), [[1, 2], [4, 5]]),
    ):
        assert x[index].numpy().tolist() == want
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
        x[[True, False, True]]
    with pytest.raises(ValueError, match="A mask must have the shape"):
        x[np.array([True, False, True])]
