"""The comparison finds a difference and makes it small."""

from __future__ import annotations

import random

import runnel as tf
from tests.compare.pipelines import Program, answer, program
from tests.compare.reducing import reduced


def test_programs_are_made_of_their_seed_and_have_answers() -> None:
    programs = [program(random.Random(seed)) for seed in range(20)]
    assert programs == [program(random.Random(seed)) for seed in range(20)]
    answers = [answer(tf, made) for made in programs]
    assert all("error" in found or found["given"] for found in answers)
    assert any("given" in found for found in answers)


def test_errors_keep_their_place_in_an_answer() -> None:
    made = {"source": ["bad", 4, 2], "stages": [["zip"]]}
    given = answer(tf, made)["given"]
    assert [type(each).__name__ for each in given] == ["list", "list", "str", "list", "str", "str"]
    assert given[2:] == ["InvalidArgumentError", [["int64", "3"]] * 2, "end", "end"]


def test_a_program_is_reduced_to_the_stages_that_differ() -> None:
    stages = [["cache"], ["take", 3], ["prefetch", 1], ["skip", 1]]

    def differs(made: Program) -> bool:
        return ["take", 3] in made["stages"] and ["skip", 1] in made["stages"]

    small = reduced({"source": ["range", 5], "stages": stages}, differs)
    assert small == {"source": ["range", 5], "stages": [["take", 3], ["skip", 1]]}
