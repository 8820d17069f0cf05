"""A small part of the trial `soak`: too short to say how much is kept, but of every kind."""

import pytest

from tests.robustness.__main__ import run


@pytest.mark.slow
def test_nothing_grows_beyond_its_bound() -> None:
    outcome = run("soak", 400, 0.1, 0)
    assert not outcome.findings
