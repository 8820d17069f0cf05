"""Tests for every combination of parameters, and what the combinations by strategies skip."""

from __future__ import annotations

import unittest
from collections import OrderedDict
from typing import Any

import pytest

import runnel as tf
from runnel.compat.cases import strategies

combinations = tf.__internal__.test.combinations
combine, times = combinations.combine, combinations.times


def test_combinations_are_products_in_the_order_of_names() -> None:
    made = combine(b=[1, 2], a="x")
    assert made == [OrderedDict(a="x", b=1), OrderedDict(a="x", b=2)]
    assert combine() == [OrderedDict()]
    assert times(combine(a=[1, 2]), combine(b=3)) == [{"a": 1, "b": 3}, {"a": 2, "b": 3}]
    with pytest.raises(ValueError, match="'a'"):
        times(combine(a=1), combine(a=2))


def ran(cls: type) -> dict[str, Any]:
    """What came of each test of a class: None if it passed."""
    found: dict[str, Any] = {}
    for name in unittest.defaultTestLoader.getTestCaseNames(cls):
        result = unittest.TestResult()
        cls(name).run(result)
        bad = [*result.failures, *result.errors, *result.skipped]
        found[name] = bad[0][1] if bad else None
    return found


def test_a_class_has_one_test_for_each_combination() -> None:
    seen = []

    @combinations.generate(
        combine(mode=["graph", "eager"], f=combinations.NamedObject("Twice", lambda x: 2 * x))
    )
    class Case(unittest.TestCase):
        def test_f(self, f: Any) -> None:
            seen.append((f(3), tf.executing_eagerly()))

        def test_without(self) -> None:
            pass

    found = ran(Case)
    names = ["test_f_test_f_Twice_mode_eager", "test_f_test_f_Twice_mode_graph"]
    assert [name for name in found if name.startswith("test_f")] == names
    assert seen == [(6, True), (6, False)]
    assert "no parameters called ['f']" in found["test_without_test_f_Twice_mode_eager"]


def test_strategies_are_made_or_skipped() -> None:
    named = tf.__internal__.distribute.combinations

    @named.generate(
        combine(
            distribution=[
                named.default_strategy,
                named.one_device_strategy,
                named.mirrored_strategy_with_two_gpus,
                named.tpu_strategy,
                named.multi_worker_mirrored_2x1_cpu,
            ],
            mode="eager",
            tf_api_version=[1, 2],
        )
    )
    class Case(unittest.TestCase):
        def test_it(self, distribution: Any) -> None:
            assert isinstance(distribution, tf.distribute.Strategy)

    start = "test_it_test_distribution"
    found = {n.removeprefix(start): told for n, told in ran(Case).items()}
    assert found["_Default_mode_eager_tfapiversion_2"] is None
    assert found["_OneDeviceCPU_mode_eager_tfapiversion_2"] is None
    assert "behaviour of TensorFlow 1" in found["_Default_mode_eager_tfapiversion_1"]
    assert "needs 2 GPUs" in found["_Mirrored2GPUs_mode_eager_tfapiversion_2"]
    assert "needs a TPU" in found["_TPU_mode_eager_tfapiversion_2"]
    assert "several processes" in found["_MultiWorkerMirrored2x1CPU_mode_eager_tfapiversion_2"]
    assert named.in_main_process() and named.env() is strategies.env()


def test_clusters_have_addresses_and_no_processes() -> None:
    runner = tf.__internal__.distribute.multi_process_runner
    made = runner.create_cluster_spec(has_chief=True, num_workers=2, has_eval=True)
    assert {job: len(places) for job, places in made.items()} == {
        "chief": 1,
        "worker": 2,
        "evaluator": 1,
    }
    assert len({place for places in made.values() for place in places}) == 4
    with pytest.raises(NotImplementedError, match="TF_CONFIG"):
        runner.run(print, made)
    with pytest.raises(ValueError, match="get_barrier"):
        runner.get_barrier()


def test_benchmarks_have_rows() -> None:
    rows = [("a", 1), ("b", 2)]

    class Timed(metaclass=tf.__internal__.test.ParameterizedBenchmark):
        _benchmark_parameters = rows

        def benchmark_it(self, number: int) -> int:
            return number

    names = [name for name in dir(Timed) if name.startswith("benchmark")]
    assert names == ["benchmark_it__a", "benchmark_it__b"]
    assert Timed().benchmark_it__b() == 2
