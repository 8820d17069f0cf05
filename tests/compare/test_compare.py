"""The comparison finds a difference and makes it small."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import runnel as tf
from tests.compare import calls, models, pipelines
from tests.compare.agreeing import difference
from tests.compare.calls import Program, sent
from tests.compare.deliberate import reason
from tests.compare.reducing import reduced
from tests.compare.writing import Input

Pipeline = pipelines.Program


def test_pipelines_are_made_of_their_seed_and_have_answers() -> None:
    programs = [pipelines.program(random.Random(seed)) for seed in range(20)]
    assert programs == [pipelines.program(random.Random(seed)) for seed in range(20)]
    answers = [pipelines.answer(tf, made) for made in programs]
    assert all("error" in found or found["given"] for found in answers)
    assert any("given" in found for found in answers)


def test_calls_are_made_of_their_seed_and_most_have_values() -> None:
    texts = [sent(calls.program(random.Random(seed))) for seed in range(40)]
    assert texts == [sent(calls.program(random.Random(seed))) for seed in range(40)]
    answers = [calls.answer(tf, text) for text in texts]
    assert not any("input" in found for found in answers)
    assert sum("given" in found for found in answers) > 10
    assert {"eager", "function", "unknown", "gradient"} == {text["mode"] for text in texts}


def test_a_call_is_answered_in_every_mode() -> None:
    made = Program("matmul", (Input(np.eye(2, dtype=np.float32)), [[1.0], [2.0]]), {}, "eager")
    text = sent(made)
    assert text["call"] == "tf.matmul(a0, [[1.0], [2.0]])"
    given = [["float32", [2, 1], [1.0, 2.0]]]
    assert calls.answer(tf, text) == {"kind": "Tensor", "given": given}
    traced = calls.answer(tf, {**text, "mode": "unknown"})
    assert traced == {"kind": "Tensor", "static": ["(None, 1)"], "rest": [], "given": given}
    slope = calls.answer(tf, {**text, "mode": "gradient"})
    assert slope == {"given": [["float32", [2, 2], [1.0, 2.0, 1.0, 2.0]]]}
    assert calls.answer(tf, {**text, "call": "tf.matmul(a0, {})"})["error"] == "ValueError"


def test_answers_differ_in_values_shapes_and_errors() -> None:
    def value(dtype: str, *numbers: float) -> dict[str, Any]:
        return {"kind": "Tensor", "given": [[dtype, [len(numbers)], [*numbers]]]}

    nan = float("nan")
    for theirs, ours, way in (
        (value("float32", 1, nan), value("float32", 1.00001, nan), ""),
        (value("float32", 1, nan), value("float32", 1.01, nan), "numbers of float32"),
        (value("int32", 1000000), value("int32", 1000001), "numbers of int32"),
        (value("float32", 1), value("float64", 1), "dtype float32 / float64"),
        (value("float32", 1), value("float32", 1, 2), "shape"),
        (value("float32", 1), {"error": "TypeError"}, "value / TypeError"),
        ({"error": "ValueError"}, {"error": "TypeError"}, "ValueError / TypeError"),
        ({"static": ["(2, 3)"]}, {"static": ["(2, None)"]}, "static"),
        ({"static": ["(2, None)"]}, {"static": ["(2, 3)"]}, ""),
        ({"static": ["<unknown>"]}, {"static": ["()"]}, ""),
    ):
        assert difference(theirs, ours) == way, (theirs, ours)


def test_only_what_is_in_the_list_may_differ() -> None:
    missing = {"error": "InvalidArgumentError", "message": "No OpKernel was registered to"}
    assert reason("math.ndtri", missing, {"given": []}).startswith("TensorFlow has no kernel")
    assert not reason("math.ndtri", missing, {"error": "IndexError"})
    assert not reason("math.ndtri", {"error": "ValueError"}, {"error": "TypeError"})


def test_errors_keep_their_place_in_an_answer() -> None:
    made = {"source": ["bad", 4, 2], "stages": [["zip"]]}
    given = pipelines.answer(tf, made)["given"]
    assert [type(each).__name__ for each in given] == ["list", "list", "str", "list", "str", "str"]
    assert given[2:] == ["InvalidArgumentError", [["int64", "3"]] * 2, "end", "end"]


def test_a_program_is_reduced_to_what_differs() -> None:
    stages = [["cache"], ["take", 3], ["prefetch", 1], ["skip", 1]]

    def differs(made: Pipeline) -> bool:
        return ["take", 3] in made["stages"] and ["skip", 1] in made["stages"]

    whole = {"source": ["range", 5], "stages": stages}
    small = reduced(whole, pipelines.smaller, differs)
    assert small == {"source": ["range", 5], "stages": [["take", 3], ["skip", 1]]}
    call = Program("add", (Input(np.ones([3, 4])), 1), {"name": "a"}, "function")
    assert sent(reduced(call, _calls_of_two, lambda made: len(made.args) == 2)) == {
        "call": "tf.add(a0, 1)",
        "inputs": ["tf.constant([[1.0]], 'float64')"],
        "mode": "eager",
    }


def _calls_of_two(made: Program) -> Iterator[Program]:
    return (one for one in calls.smaller(made) if len(one.args) == 2)


def test_models_are_made_of_their_seed_and_have_answers(tmp_path: Path) -> None:
    programs = [models.program(random.Random(seed)) for seed in range(300)]
    assert programs[:20] == [models.program(random.Random(seed)) for seed in range(20)]
    single = [made for made in programs if made["style"] == "layer"][:15]
    answers = [models.answer(tf, made) for made in single]
    assert any("gradient" in found for found in answers)
    assert all(models.difference(found, found) == "" for found in answers)
    saved = next(made for made in programs if made.get("file") == "h5")
    asked = {**saved, "folder": str(tmp_path)}
    assert "make" in models.answer(tf, asked) and "load" in models.answer(
        tf, {**asked, "crossed": True}
    )


def test_a_difference_of_models_says_its_place() -> None:
    array = {"dtype": "float32", "shape": [2], "values": [1.0, 2.0]}
    near = {**array, "values": [1.0, 2.0001]}
    assert models.difference({"forward": array}, {"forward": near}) == ""
    far = {**array, "values": [1.0, 2.5]}
    assert models.difference({"forward": [array, array]}, {"forward": [array, far]}) == "/forward/N"
    left = {"make": {"error": "KeyError"}}
    assert models.reason("Dense", left, {"make": {"error": "ValueError"}})
    assert not models.reason("Dense", {"forward": array}, {"forward": far})


def test_smaller_models_lose_a_layer_or_an_argument() -> None:
    made = next(
        each
        for each in map(models.program, map(random.Random, range(200)))
        if len(each["nodes"]) > 2 and each["style"] == "functional" and each["compile"]
    )
    smaller = list(models.smaller(made))
    assert any(len(each["nodes"]) == len(made["nodes"]) - 1 for each in smaller)
    assert any(each["compile"] is None for each in smaller)
    assert made not in smaller
