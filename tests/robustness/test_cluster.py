"""A small part of the trial `cluster`."""

from tests.robustness.cluster import strike


def test_a_restarted_program_is_the_undisturbed_one_bit_for_bit() -> None:
    found, _ = strike(2, [(0, 11, 0, "SIGKILL", 0.0)])
    assert not found
