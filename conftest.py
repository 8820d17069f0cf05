"""Gives the examples in docstrings the names that users have: `tf` and `np`."""

import os
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault("RUNNEL_CACHE_DIR", "off")  # processes that tests start compile

import hypothesis
import numpy as np
import pytest

import runnel as tf
import runnel.keras  # all at once: a file of it whose examples are run alone is imported twice else
from runnel.core.xla import jax

# What many tests compile is compiled once in each process, and leaves no files behind.
_programs = TemporaryDirectory(prefix="runnel-programs-")
jax.config.update("jax_compilation_cache_dir", _programs.name)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.03)


def pytest_unconfigure() -> None:
    jax.config.update("jax_compilation_cache_dir", None)
    _programs.cleanup()


# Every run tries the same examples, however busy the machine is; `HYPOTHESIS_PROFILE=search`
# looks for new ones.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, max_examples=1000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(autouse=True)
def names_in_docstrings(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace.update(tf=tf, np=np)
    tf.random.set_seed(None)  # as in a program that has set none
