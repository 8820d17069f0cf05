"""Examples written as JSON."""

from __future__ import annotations

import pytest

import runnel as tf


@pytest.mark.parametrize("text", ["[]", " [1]", "{", "", '{"features": 3}', '{"other": {}}'])
def test_what_is_no_example_is_an_error(text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"JSON of a tf\.train\.Example"):
        tf.io.decode_json_example(text)


def test_nothing_is_an_example() -> None:
    assert tf.io.decode_json_example(["{}", '{"features": {}}']).numpy().tolist() == [b"", b"\n\0"]
