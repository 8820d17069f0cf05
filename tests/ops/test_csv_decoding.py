"""Lines that Python's own writer of comma separated values made."""

from __future__ import annotations

import csv
import io

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


def test_an_example_from_json_is_what_the_message_holds() -> None:
    text = '{"features": {"feature": {"a": {"int64_list": {"value": [1, "2"]}}}}}'
    data = tf.io.decode_json_example(text).numpy()
    example = messages.Example.FromString(data)
    assert list(example.features.feature["a"].int64_list.value) == [1, 2]
