"""Programs that differed once answer as TensorFlow does."""

from __future__ import annotations

from typing import Any

import runnel as tf
from tests.compare import kept
from tests.tables import table


@table("entry", kept.entries(), ids=lambda entry: f"{entry['label']}: {entry['way']}")
def test_what_differed_once_is_as_in_tensorflow(entry: dict[str, Any]) -> None:
    assert kept.difference(tf, entry) == "", entry["program"]
