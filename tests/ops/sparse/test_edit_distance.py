from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf
from runnel.ops.sparse.edit_distance import distance

WORDS = st.lists(st.integers(0, 3), max_size=10)


def by_table(left, right) -> int:
    """The distance by the table of all prefixes."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        above, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (a != b))
    return row[-1]


@given(WORDS, WORDS)
@settings(max_examples=200, deadline=None)
def test_the_distance_is_that_of_the_table(left, right) -> None:
    assert distance(left, right) == by_table(left, right)


def test_long_sequences_and_not_a_number() -> None:
    left, right = [i * i % 7 for i in range(150)], [i * i % 11 for i in range(170)]
    assert distance(left, right) == by_table(left, right)
    assert distance([float("nan")], [float("nan")]) == 1


def test_rows_that_are_interrupted_go_on() -> None:
    hypothesis = tf.SparseTensor([[0, 0], [2, 0], [0, 1], [2, 1]], ["a", "c", "b", "d"], [3, 2])
    truth = tf.SparseTensor([[0, 0], [0, 1], [2, 0], [2, 1]], ["a", "b", "c", "x"], [3, 2])
    found = tf.edit_distance(hypothesis, truth, normalize=False)
    assert found.numpy().tolist() == [0, 0, 1]


def test_tensors_without_values_have_no_distance() -> None:
    nothing = tf.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0], tf.int32), [3, 2])
    assert tf.edit_distance(nothing, nothing, normalize=False).numpy().tolist() == [0, 0, 0]
