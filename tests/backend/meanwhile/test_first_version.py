"""What is told of a program before it runs: whether it is on disk, and may take long."""

from __future__ import annotations

import random
from typing import Any

import pytest

from runnel.backend import jax as xla
from runnel.backend.jax import jax, jnp, lax
from runnel.backend.meanwhile import first_version


def rows(x: Any) -> Any:
    return lax.scan(lambda total, row: (total + row, row), x[0], x)


def loop(x: Any) -> Any:
    return lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * 2), (0, x))


@pytest.mark.parametrize(
    ("fn", "size", "turns", "is_long"),
    [
        (jnp.sin, 1 << 20, 1, False),
        (jnp.sin, 1 << 33, 1, True),
        (loop, 1 << 10, 1000, False),
        (loop, 1 << 10, 1 << 23, True),
        (loop, 1, None, True),
        (rows, 1 << 10, 1, False),
        (rows, 1 << 33, 1, True),
    ],
)
def test_work_is_foreseen(fn: Any, size: int, turns: int | None, is_long: bool) -> None:
    shape = (size // 4, 4) if fn is rows else (size,)
    first_version.begin_tracing()
    first_version.note_loop(turns)
    jaxpr = jax.make_jaxpr(fn)(jax.ShapeDtypeStruct(shape, "float32"))
    assert first_version.is_long(jaxpr.jaxpr) is is_long
    first_version.begin_tracing()


def test_a_program_is_at_hand_once_it_was_compiled() -> None:
    assert first_version.wanted()
    factor = random.SystemRandom().random()  # so that no other process has kept the program
    spec = jax.ShapeDtypeStruct((3,), "float32")
    lowered = xla.compile(lambda x: x * factor).trace(spec).lower()
    assert not first_version.is_at_hand(lowered)
    found = first_version.compile(lowered)(jnp.ones(3, "float32"))
    assert found.tolist() == pytest.approx([factor] * 3)
    lowered.compile()
    assert first_version.is_at_hand(lowered)
