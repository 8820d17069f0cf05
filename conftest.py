"""Gives the examples in docstrings the names that users have: `tf` and `np`."""

import os
from typing import Any

os.environ.setdefault("RUNNEL_CACHE_DIR", "off")  # tests compile, and leave no files behind

import numpy as np
import pytest

import runnel as tf
import runnel.keras  # all at once: a file of it whose examples are run alone is imported twice else


@pytest.fixture(autouse=True)
def names_in_docstrings(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace.update(tf=tf, np=np)
    tf.random.set_seed(None)  # as in a program that has set none
