"""Gives the examples in docstrings the names that users have: `tf` and `np`."""

from typing import Any

import numpy as np
import pytest

import runnel as tf


@pytest.fixture(autouse=True)
def names_in_docstrings(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace.update(tf=tf, np=np)
