"""A small part of the trial `threads`: each thing is shared once."""

from tests.robustness.__main__ import run
from tests.robustness.threads import CASES


def test_what_threads_share_gives_right_answers() -> None:
    outcome = run("threads", len(CASES), 2.0, 0)
    assert not outcome.findings
    assert outcome.tries == len(CASES)
