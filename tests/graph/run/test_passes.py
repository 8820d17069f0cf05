"""The passes over a program: what they take away, what they leave, and their switches."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.backend import configuration
from runnel.graph.run.plan import Plan


@pytest.fixture(autouse=True)
def options() -> Iterator[None]:
    before = dict(configuration.optimizer_options)
    yield
    configuration.optimizer_options.clear()
    configuration.optimizer_options.update(before)
    configuration.jit = False


def plan_of(fn: Any, *specs: Any) -> Plan:
    return tf.function(fn, autograph=False).get_concrete_function(*specs).plan


def ops_of(fn: Any, *specs: Any) -> list[str]:
    return [node.op.name for node in plan_of(fn, *specs or [tf.TensorSpec([None])]).program.nodes]


def test_what_depends_on_constants_is_computed_once() -> None:
    plan = plan_of(lambda x: x * (tf.constant(2.0) * 3.0 + 1.0), tf.TensorSpec([]))
    assert [node.op.name for node in plan.program.nodes] == ["Mul"]
    assert plan.program.passes["folded"] == 2
    assert plan.run([np.float32(2)])[0] == 14.0


def test_a_file_is_read_whenever_the_program_runs(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("one")
    plan = plan_of(lambda: tf.io.read_file(str(path)))
    assert plan.run([])[0] == b"one"
    path.write_text("two")
    assert plan.run([])[0] == b"two"


def test_large_results_are_not_kept_as_constants() -> None:
    assert "Fill" in ops_of(lambda x: tf.reduce_sum(tf.fill([100, 100], 2.0)) * x)


def test_what_fails_is_left_to_fail_when_it_runs() -> None:
    plan = plan_of(lambda x: x + tf.constant(1) // tf.constant(0), tf.TensorSpec([], tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"FloorDiv.*zero"):
        plan.run([np.int32(1)])


def test_equal_operations_are_shared() -> None:
    assert ops_of(lambda x: tf.sin(x) * 2.0 + tf.sin(x) * 2.0) == ["Sin", "Mul", "AddV2"]


def test_operations_with_other_attributes_are_not_shared() -> None:
    found = ops_of(lambda x: tf.math.cumsum(x) - tf.math.cumsum(x, reverse=True))
    assert found.count("Cumsum") == 2


def test_reads_of_variables_and_random_numbers_are_not_shared() -> None:
    v = tf.Variable(1.0)

    def fn(x: Any) -> Any:
        before = v.read_value()
        v.assign_add(1.0)
        return before, v.read_value(), tf.random.uniform([2]) - tf.random.uniform([2])

    found = ops_of(fn)
    assert found.count("ReadVariableOp") == 2 and found.count("RandomUniform") == 2


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x * 1.0,
        lambda x: 1.0 * x,
        lambda x: x / 1.0,
        lambda x: x - 0.0,
        lambda x: x + -0.0,
        lambda x: tf.negative(tf.negative(x)),
        lambda x: tf.identity(tf.stop_gradient(x)),
        lambda x: tf.cast(x, tf.float32),
        lambda x: tf.raw_ops.Cast(x=x, DstT=tf.float32),
    ],
)
def test_what_changes_nothing_goes(fn: Any) -> None:
    assert ops_of(fn) == []


@pytest.mark.parametrize("fn", [lambda x: x + 0.0, lambda x: x - -0.0, lambda x: x * 0.0])
def test_what_may_change_a_bit_stays(fn: Any) -> None:
    assert len(ops_of(fn)) == 1


def test_a_neutral_operand_that_widens_the_result_stays() -> None:
    assert ops_of(lambda x: x * tf.ones([3, 1])) == ["Mul"]
    assert ops_of(lambda x: x * tf.ones([3]), tf.TensorSpec([2, 3])) == []


def test_transposing_there_and_back_goes() -> None:
    spec = tf.TensorSpec([None, 2, 3])
    assert ops_of(lambda x: tf.transpose(tf.transpose(x, [1, 2, 0]), [2, 0, 1]), spec) == []
    assert len(ops_of(lambda x: tf.transpose(tf.transpose(x, [1, 2, 0]), [1, 2, 0]), spec)) == 2


@pytest.mark.parametrize("axis", range(-3, 3))
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_a_transposed_stack_is_a_stack_of_transposed(axis: int, order: tuple[int, ...]) -> None:
    def fn(x: Any, y: Any) -> Any:
        return tf.transpose(tf.stack([x, y], axis), order)

    ops = ops_of(fn, *[tf.TensorSpec([2, None])] * 2)
    first, second = (a for a in range(3) if a != axis % 3)
    turns = order.index(first) > order.index(second)
    assert ops == (["Transpose", "Transpose", "Pack"] if turns else ["Pack", "Transpose"])
    values = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    np.testing.assert_array_equal(tf.function(fn)(*values), np.stack(values, axis).transpose(order))


def test_a_stack_that_others_read_is_left_as_it_is() -> None:
    def fn(x: Any, y: Any) -> Any:
        stack = tf.stack([x, y])
        return tf.transpose(stack, [2, 0, 1]), stack + 1.0

    assert ops_of(fn, *[tf.TensorSpec([2, 3])] * 2) == ["Pack", "Transpose", "AddV2"]


@pytest.mark.parametrize("order", [[0, 0, 1], [1, 0], []], ids=str)
def test_a_stack_that_cannot_be_transposed_so_says_it_when_it_runs(order: list[int]) -> None:
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def fn(x: Any, y: Any) -> Any:
        return tf.transpose(tf.stack([x, y]), tf.constant(order, tf.int32))

    with pytest.raises(tf.errors.InvalidArgumentError, match="Transpose"):
        fn(tf.ones([2, 3]), tf.ones([2, 3]))


def test_of_two_reshapes_one_is_left() -> None:
    found = ops_of(lambda x: tf.reshape(tf.reshape(x, [2, -1]), [-1]))
    assert found == ["Reshape"]


@pytest.mark.parametrize(
    ("option", "fn"),
    [
        ("constant_folding", lambda x: x * (tf.constant(2.0) * 3.0)),
        ("common_subgraph_elimination", lambda x: tf.sin(x) + tf.sin(x)),
        ("arithmetic_optimization", lambda x: x * 1.0),
        ("dependency_optimization", lambda x: tf.identity(x)),
    ],
)
def test_a_pass_can_be_switched_off(option: str, fn: Any) -> None:
    fewer = len(ops_of(fn))
    kept = 1 + (option == "dependency_optimization")  # there the identity of the result stays too
    tf.config.optimizer.set_experimental_options({option: False})
    assert len(ops_of(fn)) == fewer + kept
    tf.config.optimizer.set_experimental_options({option: True, "disable_meta_optimizer": True})
    assert len(ops_of(fn)) == fewer + 2


def test_small_graphs_can_be_left_alone() -> None:
    tf.config.optimizer.set_experimental_options({"min_graph_nodes": 4})
    assert ops_of(lambda x: x * 1.0) == ["Mul", "Identity"]
    assert len(ops_of(lambda x: tf.sin(tf.cos(x)) * 1.0)) == 2


def test_pruning_can_be_switched_off() -> None:
    def fn(x: Any) -> Any:
        tf.sin(x)
        return tf.cos(x)

    assert ops_of(fn) == ["Cos"]
    tf.config.optimizer.set_experimental_options({"disable_model_pruning": True})
    assert ops_of(fn) == ["Sin", "Cos"]


def test_debugging_can_be_stripped() -> None:
    def fn(x: Any) -> Any:
        tf.debugging.Assert(tf.reduce_all(x > 0.0), [x])
        tf.print(x)
        return tf.debugging.check_numerics(x, "bad") * 2.0

    assert {"Assert", "PrintV2", "CheckNumerics"} <= set(ops_of(fn))
    tf.config.optimizer.set_experimental_options({"debug_stripper": True})
    assert ops_of(fn) == ["Mul"]


def test_loops_are_gone_over_too() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        for _ in tf.range(3):
            x = x * 1.0 + tf.sin(x) + tf.sin(x)
        return x

    fn(tf.constant(1.0))
    (plan,) = fn.explain().traces[0].plans
    assert plan.passes["shared"] >= 1 and plan.passes["simplified"] >= 1
    assert plan.operations < plan.operations_needed < plan.operations_traced


def test_the_gradient_of_a_pool_after_a_relu_reads_what_the_relu_got() -> None:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, "SAME") ** 2)
        return tape.gradient(y, x)

    x = np.random.default_rng(0).integers(-3, 3, (2, 5, 6, 3)).astype(np.float32)  # many are equal
    x[0, :2, :2] = np.nan
    plan = plan_of(slope, tf.TensorSpec(x.shape))
    (pool,) = [node for node in plan.program.nodes if node.op.name == "MaxPoolGrad"]
    assert pool.ins[0] in plan.program.inputs
    want = slope(tf.constant(x)).numpy()
    np.testing.assert_array_equal(plan.run([x])[0], want)
    np.testing.assert_array_equal(tf.function(slope, jit_compile=True)(x), want)


def test_a_pool_of_which_others_read_the_gradient_is_left_as_it_is() -> None:
    def both(x: Any, dy: Any) -> Any:
        relu = tf.nn.relu(x)
        how = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
        pool = tf.raw_ops.MaxPool(input=relu, **how)
        spread = tf.raw_ops.MaxPoolGrad(orig_input=relu, orig_output=pool, grad=dy, **how)
        return spread, tf.raw_ops.ReluGrad(gradients=spread, features=relu)

    x, dy = -np.ones((1, 4, 4, 1), np.float32), np.ones((1, 2, 2, 1), np.float32)
    x[0, 1, 1] = -0.5
    plan = plan_of(both, tf.TensorSpec(x.shape), tf.TensorSpec(dy.shape))
    for found, want in zip(plan.run([x, dy]), both(tf.constant(x), tf.constant(dy)), strict=True):
        np.testing.assert_array_equal(found, want)


def test_just_in_time_compilation_compiles_the_first_run() -> None:
    def fn(x: Any) -> Any:
        for _ in range(20):
            x = tf.sin(x)
        return x

    later, at_once = tf.function(fn), tf.function(fn)
    later(tf.constant(1.0))
    tf.config.optimizer.set_jit(True)
    at_once(tf.constant(1.0))
    assert later.explain().traces[0].plans[0].interpreted
    assert not at_once.explain().traces[0].plans[0].interpreted


def test_the_walk_is_linear() -> None:
    """Counted, not timed: each node is asked about once by each rule."""
    calls = []

    def fn(x: Any) -> Any:
        for _ in range(300):
            x = tf.sin(x) * 1.0
        return x

    graph = tf.function(fn, autograph=False).get_concrete_function(tf.TensorSpec([]))
    from runnel.graph.run import passes

    ask = passes._is_pure

    def counted(node: Any) -> bool:
        calls.append(node)
        return ask(node)

    passes._is_pure = counted
    try:
        program = graph.plan.program
    finally:
        passes._is_pure = ask
    assert len(program.nodes) == 300
    assert len(calls) <= 3 * 600


def test_equal_results_of_folding_are_one_constant() -> None:
    def sines(x: Any) -> Any:
        return tf.add_n([tf.sin(x) * (tf.constant(i + 2.0) - float(i)) for i in range(9)])

    assert ops_of(sines) == ["Sin", "Mul", "AddN"]


def test_constants_are_no_inputs_of_a_segment() -> None:
    plan = plan_of(lambda x: tf.add_n([x * float(i) for i in range(400)]), tf.TensorSpec([]))
    assert len(plan.stages()) == 1


def test_options_of_the_optimizer_are_a_mapping() -> None:
    for wrong in (None, [1]):
        with pytest.raises(TypeError):
            tf.config.optimizer.set_experimental_options(wrong)
