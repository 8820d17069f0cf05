"""Lines that Python's own writer of comma separated values made."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf
from runnel.core.protos import messages

FIELDS = st.text('ab,"\n é', min_size=1, max_size=5)


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=4))
def test_what_python_writes_is_read_again(rows: list[tuple[str, str]]) -> None:
    lines = []
    for row in rows:
        text = io.StringIO()
        csv.writer(text, lineterminator="", quoting=csv.QUOTE_ALL).writerow(row)
        lines.append(text.getvalue())
    columns = tf.io.decode_csv(lines, [[""], [""]])
    found = zip(*[column.numpy().tolist() for column in columns], strict=True)
    assert list(found) == [(a.encode(), b.encode()) for a, b in rows]


PIECES = st.sampled_from(["", "1", "-2.5", "x", "NA", "é", '"q"', '"a,""b"', "long" * 9, "1e3"])


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(PIECES, PIECES), min_size=1, max_size=12))
def test_many_lines_are_read_as_each_of_them_is(rows: list[tuple[str, str]]) -> None:
    def read(lines: list[str]) -> list[list[bytes]]:
        columns = tf.io.decode_csv(lines, [["d"], ["e"]], na_value="NA")
        return [column.numpy().tolist() for column in columns]

    lines = [",".join(row) for row in rows]
    singly = [read([line]) for line in lines]
    assert read(lines) == [[one[i][0] for one in singly] for i in range(2)]


def test_the_line_that_does_not_fit_is_named() -> None:
    lines = ["1,2"] * 9000 + ["1"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 fields in line 9000"):
        tf.io.decode_csv(lines, [[0], [0]])


def test_an_example_from_json_is_what_the_message_holds() -> None:
    text = '{"features": {"feature": {"a": {"int64_list": {"value": [1, "2"]}}}}}'
    data = tf.io.decode_json_example(text).numpy()
    example = messages.Example.FromString(data)
    assert list(example.features.feature["a"].int64_list.value) == [1, 2]
