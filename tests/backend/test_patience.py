"""When shapes are worth a compilation. Told how long things took, not timed."""

from __future__ import annotations

from runnel.backend.patience import COMPILED, FREE, INTERPRETED, SLOW, TRIES, Patience, Trial


def of_many_shapes(seconds: float) -> Patience:
    """One that has compiled the shapes that need not earn it, each in so many seconds."""
    patience = Patience(2)
    for number in range(FREE):
        patience.compiled(("first", number), seconds)
    return patience


def test_the_first_shapes_are_compiled_when_they_return() -> None:
    patience = Patience(2)
    paid = []
    for _ in range(3):
        paid.append(patience.pays((3,)))
        patience.ran((3,), 0.001)
    assert paid == [False, False, True]
    patience.compiled((3,), 0.1)
    assert patience.shapes.get((3,)) is COMPILED


def test_later_shapes_must_have_cost_as_much_as_compiling() -> None:
    patience = of_many_shapes(0.1)
    runs = 0
    while not patience.pays((3,)):
        patience.ran((3,), 0.004)
        runs += 1
    assert runs == 25


def test_other_shapes_do_not_count() -> None:
    patience = of_many_shapes(0.1)
    for size in range(500):
        patience.ran((size,), 0.004)
        patience.ran((size,), 0.004)
    assert not any(patience.pays((size,)) for size in range(500))


def test_a_slow_run_is_not_waited_for_again() -> None:
    patience = Patience(2)
    patience.ran((3,), 2 * SLOW)
    assert patience.pays((3,))


def test_what_was_cut_is_compiled_the_next_time() -> None:
    patience = of_many_shapes(10.0)
    patience.insist((3,))
    assert patience.pays((3,))


def test_what_is_forgotten_must_be_earned_again() -> None:
    patience = of_many_shapes(0.1)
    patience.forget()
    assert patience.kept == 0 and len(patience.shapes) == 0
    for _ in range(3):
        patience.ran((3,), 0.001)
    assert not patience.pays((3,))


def test_a_trial_runs_both_ways_in_turns_and_takes_the_faster_one() -> None:
    for compiled, other, pays in ((2.0, 1.0, False), (1.0, 2.0, True)):
        trial, ways = Trial(), []
        while not trial.is_over:
            ways.append(trial.compiles)
            trial.note(compiled if trial.compiles else other)
        assert ways == [True, False] * TRIES
        assert trial.pays is pays


def test_shapes_that_are_interpreted_for_good_never_pay() -> None:
    patience = Patience(1)
    patience.ran("shapes", 1.0)
    assert patience.pays("shapes")
    patience.interpreted("shapes")
    assert not patience.pays("shapes")
    assert patience.shapes.get("shapes") is INTERPRETED


def test_nothing_is_free_once_many_shapes_have_come() -> None:
    patience = Patience(2, usual=0.5)
    for size in range(FREE + 1):
        patience.ran((size,), 0.04)
        patience.ran((size,), 0.04)
    assert not any(patience.pays((size,)) for size in range(FREE + 1))
    for _ in range(11):
        patience.ran((0,), 0.04)
    assert patience.pays((0,))


def test_a_price_must_have_been_spent() -> None:
    patience = Patience(1)
    patience.ran((3,), 0.04)
    assert patience.pays((3,))
    assert not patience.pays((3,), 0.1)
    patience.ran((3,), 0.07)
    assert patience.pays((3,), 0.1)
