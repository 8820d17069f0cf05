"""Why functions are traced: `fn.explain()`, the retracing warning; options of tf.function."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import runnel as tf


def test_explain_names_the_argument_and_the_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    fn = tf.function(lambda x, n: x * n)
    fn(tf.constant([1.0]), 1.0)
    fn(tf.constant([1.0, 2.0]), 1.0)
    fn(tf.constant([1.0]), 2.0)
    report = fn.explain()
    assert capsys.readouterr().out == ""
    assert repr(report).startswith("<Report of ") and len(repr(report)) < 120
    assert report.count == len(report.traces) == 3
    (shape,), (number,) = report.traces[1].changes, report.traces[2].changes
    assert (shape.argument, number.argument) == ("x", "n")
    assert "reduce_retracing" in shape.remedy
    assert "tf.constant" in number.remedy
    assert "why: the first call" in str(report)


def test_explain_shows_cuts_and_costs(tmp_path: Path) -> None:
    @tf.function
    def fn(x: Any) -> Any:
        unused = tf.exp(x)  # noqa: F841
        kept = tf.boolean_mask(tf.sin(x), x > 0.0)
        for _ in range(6):
            kept = tf.sin(kept)
        return tf.reduce_sum(kept * 2.0)

    for _ in range(4):
        fn(tf.constant([1.0, -1.0]))
    report = fn.explain()
    (trace,) = report.traces
    (plan,) = trace.plans
    assert plan.operations < plan.operations_traced
    assert "Where" in [cut.op for cut in plan.cuts]
    assert "test_explain.py" in str(plan.cuts[0])
    assert len(plan.segments) == 2
    assert all(seconds > 0 for s in plan.segments for seconds in s.compile_seconds.values())
    assert ((2,),) in plan.segments[0].compile_seconds
    page = report._repr_html_()
    kinds = re.findall(r"segment \d: \d+ operations|>(?:Where|BooleanMask)\w*<|compiled in", page)
    assert [kind[:7] for kind in kinds if "segment" in kind] == ["segment"] * 4  # with hints
    assert "compiled in" in kinds and ">Where<" in kinds
    report.save(str(tmp_path / "f.svg"))
    assert ElementTree.parse(tmp_path / "f.svg").getroot().tag.endswith("svg")


def test_explain_includes_the_gradient() -> None:
    fn = tf.function(lambda x: tf.reduce_sum(tf.sin(x)))
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)
    tape.gradient(y, x)
    labels = [plan.label for plan in fn.explain().traces[0].plans]
    assert labels == ["forward for gradients", "backward"]


def test_the_retracing_warning_names_the_argument(caplog: pytest.LogCaptureFixture) -> None:
    @tf.function
    def fn(x: Any, rate: float) -> Any:
        return x * rate

    with caplog.at_level(logging.WARNING, "tensorflow"):
        for step in range(6):
            fn(tf.constant(1.0), step / 10)
    assert "5 out of the last 5 calls" in caplog.text
    assert "rate was Literal[0.3] and is Literal[0.4]" in caplog.text


def test_explain_goes_into_nested_arguments() -> None:
    fn = tf.function(lambda batch: batch["x"][0] * 2)
    fn({"x": [tf.constant(1)], "y": 1})
    fn({"x": [tf.constant(1.0)], "y": 1})
    (change,) = fn.explain().traces[1].changes
    assert change.argument == "batch['x'][0]"
    assert "tf.cast" in change.remedy


def test_jit_compile_compiles_at_the_first_call() -> None:
    fn = tf.function(lambda x: tf.sin(x), jit_compile=True)
    fn(tf.constant(1.0))
    (plan,) = fn.explain().traces[0].plans
    assert not plan.interpreted


def test_recursion_is_named() -> None:
    @tf.function
    def fn(n: Any) -> Any:
        if n < 1:
            return n
        return fn(n - 1)

    with pytest.raises(RecursionError, match="'fn' calls itself"):
        fn(tf.constant(3))
    assert tf.executing_eagerly()


def test_one_true_and_one_point_zero_have_a_trace_each() -> None:
    fn = tf.function(lambda n: tf.constant(1) if n else 0)
    for value in (1, True, 1.0, 1, True, 0.0, -0.0):
        fn(value)
    assert fn.experimental_get_tracing_count() == 5


def test_type_hints_are_followed() -> None:
    def fn(x: tf.Tensor, n: int) -> Any:
        return x * n

    traced = tf.function(fn, experimental_follow_type_hints=True)
    assert [int(traced(v, 2)) for v in (1, 2, 3)] == [2, 4, 6]
    assert traced.experimental_get_tracing_count() == 1


def test_class_methods() -> None:
    class Shape:
        sides = 4

        @classmethod
        @tf.function
        def count(cls, x: Any) -> Any:
            return x + cls.sides

    assert int(Shape.count(tf.constant(1))) == 5
    assert int(Shape().count(tf.constant(1))) == 5


@pytest.mark.parametrize("stage", ["hlo", "optimized_hlo", "optimized_hlo_dot"])
@pytest.mark.parametrize("given", [tf.ones([3]), tf.TensorSpec([3])])
def test_the_program_of_the_compiler_can_be_read(stage: str, given: Any) -> None:
    total = tf.Variable(1.0)

    @tf.function(jit_compile=True)
    def fn(x: Any) -> Any:
        total.assign_add(tf.reduce_sum(x))
        return tf.sin(x) * total

    text = fn.experimental_get_compiler_ir(given)(stage=stage)
    assert text.startswith("digraph" if stage.endswith("dot") else "HloModule")
    assert "sine" in text
    assert isinstance(fn.experimental_get_compiler_ir(given)(stage="hlo_serialized"), bytes)
    assert total.numpy() == 1.0  # nothing was run


def test_what_has_no_single_program_of_the_compiler_says_why() -> None:
    words = tf.function(lambda x: tf.strings.length(tf.strings.as_string(x)), jit_compile=True)
    with pytest.raises(ValueError, match="AsString"):
        words.experimental_get_compiler_ir(tf.ones([2]))()
    plain = tf.function(lambda x: x + 1.0, jit_compile=True)
    with pytest.raises(ValueError, match="whole shape"):
        plain.experimental_get_compiler_ir(tf.TensorSpec([None]))()
    with pytest.raises(ValueError, match="stage"):
        plain.experimental_get_compiler_ir(tf.ones([2]))(stage="soup")
    with pytest.raises(ValueError, match="jit_compile"):
        tf.function(lambda x: x).experimental_get_compiler_ir(tf.ones([2]))
