"""A small part of the trial `hostile`: some files of each format, among them the exploits."""

from tests.robustness.__main__ import run


def test_hostile_files_load_or_are_refused() -> None:
    outcome = run("hostile", 400, 2.0, 0)
    assert not outcome.findings
    assert outcome.tries >= 390
