"""First versions of programs: when there are some, that they compute the same, and who follows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.backend import configuration
from runnel.backend.meanwhile import background, first_version
from runnel.graph.compiling import versions
from runnel.graph.compiling.versions import Versions
from runnel.graph.run import plan as planning
from runnel.graph.run import small


@pytest.fixture(autouse=True)
def hurrying(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small graphs get first versions too, whatever is on disk."""
    monkeypatch.setattr(versions, "_LARGE", 1)
    monkeypatch.setattr(small, "_FEW", -1)
    monkeypatch.setattr(planning, "_QUICK", 0.0)
    monkeypatch.setattr(first_version, "is_at_hand", lambda lowered: False)
    yield
    background.wait()


class Step:
    """A step that changes a variable, draws numbers, repeats something and looks at an index."""

    def __init__(self) -> None:
        self.v = tf.Variable([1.0, 2.0, 3.0])
        self.random = tf.random.Generator.from_seed(7)
        self.fn = tf.function(self._step)

    def _step(self, x: Any, place: Any) -> Any:
        self.v.assign_add(tf.gather(x, place) * tf.ones(3))
        doubled = tf.while_loop(
            lambda y: y[0] < 5.0, lambda y: (y * 2.0,), (self.v[:1],), maximum_iterations=3
        )
        return tf.sin(self.v) + self.random.uniform([3]), doubled

    def __call__(self, size: int = 4, place: int = 1) -> list[np.ndarray]:
        x = tf.range(size, dtype=tf.float32)
        return [each.numpy() for each in tf.nest.flatten(self.fn(x, tf.constant(place)))]

    @property
    def runs(self) -> list[Any]:
        """What is called for the programs of the step."""
        (concrete,) = self.fn._list_all_concrete_functions()
        stages = concrete.plan.stages()
        return [program.run for stage in stages for program in stage._programs.values()]


def test_first_versions_compute_the_same_until_the_programs_take_their_places() -> None:
    step, other = Step(), Step()
    x, place = np.arange(4, dtype=np.float32), np.int32(1)
    wanted = [[e.numpy() for e in tf.nest.flatten(other._step(x, place))] for _ in range(8)]
    seen = []
    for want in wanted:
        held = step.v.value()
        before = held.numpy()
        for got, each in zip(step(), want, strict=True):
            np.testing.assert_allclose(got, each, rtol=1e-5)
        np.testing.assert_array_equal(held.numpy(), before)
        seen.append(any(isinstance(run, Versions) for run in step.runs))
        if len(seen) == 6:
            background.wait()
    assert seen[2:5] == [True] * 3 and not any(seen[6:])
    assert "a first version; compiled well meanwhile in" in str(step.fn.explain())


def test_each_shape_has_its_own_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "add", lambda jobs: [job() for job in jobs])
    fn = tf.function(
        lambda x: tf.reduce_sum(tf.sin(x) * x), input_signature=[tf.TensorSpec([None])]
    )
    plan = fn.get_concrete_function().plan
    for size, times in ((3, 5), (4, 4), (3, 1)):
        for _ in range(times):
            np.testing.assert_allclose(fn(tf.ones(size)), size * np.sin(1), rtol=1e-5)
    (segment,) = plan.stages()
    assert segment.well_seconds.get(((3,),)) is not None  # has come again
    assert segment.well_seconds.get(((4,),)) is None
    (program,) = segment._programs.values()
    assert isinstance(program.run, Versions) and list(program.run.first) == [((4,),)]
    assert "which runs still" in str(fn.explain())


def test_an_error_of_a_first_version_is_the_interpreters() -> None:
    v = tf.Variable([1.0, 2.0])
    fn = tf.function(lambda x, place: v.assign_add(tf.gather(x, place) * tf.ones(2)))
    x = tf.range(4.0)
    for _ in range(4):
        fn(x, tf.constant(1))
    (segment,) = fn.get_concrete_function(x, tf.constant(1)).plan.stages()
    assert segment.well_seconds.get(((4,), (), ())) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
        fn(x, tf.constant(9))
    np.testing.assert_array_equal(v, [5.0, 6.0])


@pytest.mark.parametrize("why", ["op_determinism", "by_shape", "jit", "off", "jit_compile", "size"])
def test_programs_are_waited_for_where_it_matters(
    why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "off":
        monkeypatch.setenv("RUNNEL_FIRST_VERSION", "off")
    elif why == "size":
        monkeypatch.setattr(versions, "_LARGE", 100)
    elif why != "jit_compile":
        monkeypatch.setattr(configuration, why, True)
    fn = tf.function(lambda x: tf.sin(x) * x, jit_compile=why == "jit_compile")
    for _ in range(4):
        fn(tf.ones(5))
    (segment,) = fn.get_concrete_function(tf.TensorSpec([5])).plan.stages()
    assert segment.compile_seconds and not list(segment.well_seconds.items())


def test_many_shapes_are_compiled_well_only_if_they_come_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[Any] = []
    monkeypatch.setattr(background, "add", done.append)
    unfinished = versions.Unfinished()
    for many, runs in ((False, versions._SOON), (True, versions._LATE)):
        unfinished.add(many, [print], many=many)
        for _ in range(runs - 2):
            unfinished.came(many)
        assert len(done) == many and unfinished.jobs
        unfinished.came(many)
        unfinished.came(many)
        assert len(done) == many + 1 and not unfinished.jobs
