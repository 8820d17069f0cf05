"""`tokenizer_from_json`, of what is no tokenizer; its answers are among those of preparing data."""

import json

import pytest

import runnel as tf


@pytest.mark.parametrize(
    ("saved", "named"),
    [
        ([], "no `config`"),
        ({}, "no `config`"),
        ({"config": 3}, "no `config`"),
        ({"config": {}}, "`word_counts`, a table"),
        ({"config": {"word_counts": "[1]"}}, "`word_counts`, a table"),
    ],
)
def test_a_config_of_no_tokenizer_is_refused(saved: object, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        tf.keras.preprocessing.text.tokenizer_from_json(json.dumps(saved))
