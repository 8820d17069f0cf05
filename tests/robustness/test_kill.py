"""A small part of the trial `kill`."""

from tests.robustness.__main__ import run
from tests.robustness.kill import KINDS


def test_what_was_complete_when_a_writer_was_killed_is_there() -> None:
    outcome = run("kill", len(KINDS), 2.0, 0)
    assert not outcome.findings
    assert outcome.tries == len(KINDS)
