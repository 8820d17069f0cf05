"""Replicas that run as one program: equal to one device; stepped where they must be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import children


def answer(name: str, seconds: float = children.DEADLINE) -> Any:
    program = f"from tests.distribute.fused_programs import main; main({name!r})"
    done = children.run(program, env={"RUNNEL_ONEDNN": "off"}, check=True, timeout=seconds)
    return json.loads(done.stdout.splitlines()[-1])


NAMES = ["equal_to_one_device", "remainders", "accumulated", "compiled_once"]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_differs(name: str) -> None:
    assert answer(name) == []


@pytest.mark.slow
def test_no_network_differs_with_any_optimizer_on_any_number_of_replicas() -> None:
    assert answer("equal_in_every_case", 1800.0) == []


def test_what_cannot_be_one_program_is_stepped() -> None:
    found = answer("reasons")
    sizes = "the parts of replicas differ in size, or may do so"
    one, other = found.pop("random")[1]
    assert one != other
    differing = found.pop("differing")
    assert "may write another value on each replica" in differing[0]
    assert differing[1] == ["InvalidArgumentError"]
    assert found == {
        "equal": [None, [[1.0, 1.0], [1.0, 1.0]]],
        "uneven": [sizes, [[1.0, 1.0], [1.0]]],
        "constant": [None, [2.0, 2.0]],
        "outside": ["a replica writes a variable that was not made in the scope", [None]],
        "branch": [None, [12.0, 12.0]],
        "loop": [None, [48.0, 48.0]],
        "host": ["a replica does what XLA cannot compile", [[3.0, 3.0], [3.0, 3.0]]],
        "unique": ["a replica does what XLA cannot compile", [1, 1]],
    }
