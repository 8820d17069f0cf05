"""Gives the examples in docstrings the names that users have: `tf` and `np`."""

import os
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

import runnel as tf
import runnel.keras  # all at once: a file of it whose examples are run alone is imported twice else
from runnel.backend.jax import jax

collect_ignore = ["runnel/as_tensorflow.py"]  # which would open the door for all tests that follow

# What tests compile is kept for the next run, also by the processes that they start. JAX finds a
# program by what it is, so what is found is never old. Runnel bounds the size, `make clean` removes
# it all.
os.environ.setdefault("RUNNEL_CACHE_DIR", str(Path(__file__).parent / ".cache" / "programs"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.01)

# Every run tries the same examples, however busy the machine is; `HYPOTHESIS_PROFILE=search`
# looks for new ones.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, max_examples=1000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--row", help="run those rows of tables whose name contains this text")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = [r for found in terminalreporter.stats.values() for r in found]
    calls = [r for r in reports if getattr(r, "when", None) == "call"]
    rows = sum(n for report in calls for key, n in report.user_properties if key == "rows")
    if rows:
        terminalreporter.write_line(f"{rows} rows of tables were checked")


@pytest.fixture(autouse=True)
def names_in_docstrings(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace.update(tf=tf, np=np)
    tf.random.set_seed(None)  # as in a program that has set none
