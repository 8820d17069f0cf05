"""Optimizers: five steps as in tf_keras, in functions, from configs, and on from files."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.golden import optimizer_files
from tests.golden.cases import assert_answer, cases, recorded
from tests.golden.optimizer_rows import FIRST, ROWS, gradients, made, steps, variables, weights_of

FORGOTTEN = ("legacy_nadam_decay", "decay")  # tf_keras's too: it is taken from `schedule_decay`
AFTER = optimizer_files.FOLDER / "after.npz"
DAMAGED = ("a_config_without_config", "a_name_to_deserialize")  # ValueError, as of all configs
CASES, RECORDED = cases("keras_optimizers"), recorded("keras_optimizers")


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_tf_keras_answer(name: str) -> None:
    if name in DAMAGED:
        with pytest.raises(ValueError, match="config"):
            CASES[name](tf)
        return
    assert_answer(CASES[name], tf, RECORDED[name], warnings=False)


def test_every_optimizer_has_a_row() -> None:
    homes = {"": tf.keras.optimizers, "legacy.": tf.keras.optimizers.legacy}
    kinds = {
        before + name
        for before, home in homes.items()
        for name, kind in vars(home).items()
        if isinstance(kind, type) and name != "Optimizer"
    }
    assert kinds == set(FIRST)
    assert set(ROWS) <= set(RECORDED)


def state(optimizer: Any, held: list[Any]) -> list[np.ndarray]:
    return [v.numpy() for v in [*held, *weights_of(optimizer)]]


def assert_equal(got: list[np.ndarray], want: list[np.ndarray]) -> None:
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(a, b)


def new(name: str) -> tuple[Any, list[Any]]:
    path, arguments = ROWS[name]
    return made(tf, path, **arguments), variables(tf)


def after(name: str, last: int = 5) -> tuple[Any, list[Any]]:
    optimizer, held = new(name)
    steps(tf, optimizer, held, 0, last)
    return optimizer, held


@pytest.mark.parametrize("name", FIRST.values())
def test_steps_in_a_function_are_those_taken_eagerly(name: str) -> None:
    optimizer, held = new(name)

    @tf.function
    def step(kernel: Any, values: Any, indices: Any) -> None:
        table = tf.IndexedSlices(values, indices, tf.constant([5, 2]))
        optimizer.apply_gradients([(kernel, held[0]), (table, held[2])])

    eager, same = new(name)
    for number in (0, 2, 3, 4):
        kernel, _, table = gradients(tf, number)
        step(kernel, table.values, table.indices)
        eager.apply_gradients([(kernel, same[0]), (table, same[2])])
    assert step.experimental_get_tracing_count() == 2  # the first made the variables
    for got, want in zip(state(optimizer, held), state(eager, same), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ROWS)
def test_another_of_the_same_config_takes_the_same_steps(name: str) -> None:
    optimizer, held = after(name, 2)
    again = type(optimizer).from_config(optimizer.get_config())
    for key, value in optimizer.get_config().items():
        assert again.get_config()[key] == value or (name, key) == FORGOTTEN, key
    if name not in ("adam_epsilon", "legacy_nadam_decay"):  # what tf_keras leaves out, or forgets
        same = variables(tf)
        steps(tf, again, same, 0, 2)
        for got, want in zip(state(again, same), state(optimizer, held), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("name", FIRST.values())
def test_steps_go_on_from_a_checkpoint_to_the_last_bit(name: str, built: bool, tmp_path) -> None:
    optimizer, held = after(name, 3)
    path = tf.train.Checkpoint(optimizer=optimizer, held=held).write(tmp_path / "state")
    again, same = after(name, 1) if built else new(name)
    status = tf.train.Checkpoint(optimizer=again, held=same).read(path)
    steps(tf, optimizer, held, 3, 5)
    steps(tf, again, same, 3, 5)
    status.assert_consumed()
    by_name = {v.name: v.numpy() for v in weights_of(again)}
    assert_equal([v.numpy() for v in same], [v.numpy() for v in held])
    assert_equal([by_name[v.name] for v in weights_of(optimizer)], state(optimizer, []))


def test_steps_go_on_from_a_checkpoint_of_tensorflow() -> None:
    found, want = optimizer_files.read(tf, optimizer_files.FOLDER), np.load(AFTER)
    assert set(found) == set(want)
    for name in found:
        np.testing.assert_allclose(found[name], want[name], rtol=1e-5, atol=1e-6, err_msg=name)


def test_tensorflow_has_gone_on_from_a_checkpoint_of_ours() -> None:
    text = (optimizer_files.FOLDER / "read_by_tensorflow.json").read_text()
    apart = json.loads(text)["apart"]
    assert set(apart) == {*FIRST.values(), *optimizer_files.SCALED}
    # tf_keras does not go on from a checkpoint of its own Nadam either: what it counts is lost.
    assert {name for name, how_far in apart.items() if how_far > 1e-6} <= {"nadam"}


def model(optimizer: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    net = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    net.compile(optimizer, "mse", run_eagerly=True)
    return net


DATA = np.random.default_rng(5).normal(size=(2, 8, 3)).astype(np.float32)


def train(net: Any, times: int) -> None:
    for _ in range(times):
        net.train_on_batch(DATA[0], DATA[1, :, :2])


@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5")
@pytest.mark.parametrize("format", [".keras", ".h5"])
@pytest.mark.parametrize("name", FIRST.values())
def test_training_goes_on_from_a_file_to_the_last_bit(name: str, format: str, tmp_path) -> None:
    assert_goes_on(name, str(tmp_path / "model") + format)


@pytest.mark.parametrize("name", ["adam", "nadam", "legacy_adam", "legacy_nadam"])
def test_training_goes_on_from_a_folder_to_the_last_bit(name: str, tmp_path) -> None:
    assert_goes_on(name, str(tmp_path / "model"))


def assert_goes_on(name: str, path: str) -> None:
    net = model(new(name)[0])
    train(net, 3)
    net.save(path)
    again = tf.keras.models.load_model(path)
    again.compile(again.optimizer, "mse", run_eagerly=True)
    train(net, 2)
    train(again, 2)
    assert type(again.optimizer) is type(net.optimizer)
    assert_equal(state(again.optimizer, again.weights), state(net.optimizer, net.weights))


@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5")
def test_training_goes_on_with_a_scaled_loss(tmp_path) -> None:
    for path in ("Adam", "legacy.Adam"):
        inner = made(tf, path, learning_rate=0.1)
        net = model(tf.keras.mixed_precision.LossScaleOptimizer(inner, initial_scale=4.0))
        train(net, 3)
        for format in (".keras", ".h5"):
            net.save(str(tmp_path / path) + format)
            again = tf.keras.models.load_model(str(tmp_path / path) + format).optimizer
            assert isinstance(again, tf.keras.mixed_precision.LossScaleOptimizer)
            assert type(again.inner_optimizer) is type(inner)
            assert_equal(state(again, []), state(net.optimizer, []))


@pytest.mark.parametrize("path", ["Adam", "legacy.Adam"])
def test_a_checkpoint_keeps_the_scale_of_the_loss(path: str, tmp_path) -> None:
    def scaled() -> Any:
        return tf.keras.mixed_precision.LossScaleOptimizer(
            made(tf, path), initial_scale=4.0, dynamic_growth_steps=2
        )

    optimizer, held = scaled(), tf.Variable([1.0, 2.0])
    for _ in range(3):
        optimizer.minimize(lambda: held * held, [held])
    saved = tf.train.Checkpoint(optimizer=optimizer, held=held).write(tmp_path / "scaled")
    names = [name for name, _ in tf.train.list_variables(saved)]
    assert "optimizer/loss_scale/good_steps/.ATTRIBUTES/VARIABLE_VALUE" in names
    again, same = scaled(), tf.Variable([0.0, 0.0])
    status = tf.train.Checkpoint(optimizer=again, held=same).read(saved)
    again.minimize(lambda: same * same, [same])
    optimizer.minimize(lambda: held * held, [held])
    status.assert_consumed()
    assert float(again.loss_scale) == float(optimizer.loss_scale) == 16.0
    assert_equal(sorted(state(again, []), key=str), sorted(state(optimizer, []), key=str))


def test_a_checkpoint_of_another_kind_of_optimizer_says_which_to_use(tmp_path) -> None:
    optimizer, held = after("legacy_adam", 1)
    path = tf.train.Checkpoint(optimizer=optimizer, held=held).write(tmp_path / "state")
    with pytest.raises(ValueError, match=r"optimizers\.legacy\.Adam"):
        tf.train.Checkpoint(optimizer=tf.keras.optimizers.Adam(), held=variables(tf)).read(path)


def test_the_rate_of_a_schedule_is_restored(tmp_path) -> None:
    def scheduled() -> Any:
        return tf.keras.optimizers.SGD(tf.keras.optimizers.schedules.InverseTimeDecay(0.5, 1, 0.5))

    optimizer, held = scheduled(), variables(tf)
    steps(tf, optimizer, held, 0, 3)
    path = tf.train.Checkpoint(optimizer=optimizer).write(tmp_path / "state")
    again = scheduled()
    tf.train.Checkpoint(optimizer=again).read(path).assert_existing_objects_matched()
    assert float(again.learning_rate) == float(optimizer.learning_rate) == 0.25


@pytest.mark.parametrize("name", ["adam", "adagrad", "nadam"])
def test_jit_compile_makes_one_program_of_a_step(name: str) -> None:
    calls = []

    class Counted(type(new(name)[0])):  # type: ignore[misc]
        def update_step(self, gradient: Any, variable: Any) -> None:
            calls.append(variable)
            super().update_step(gradient, variable)

    optimizer, held = Counted.from_config(new(name)[0].get_config()), variables(tf)
    assert optimizer.jit_compile is bool(tf.config.list_physical_devices("GPU"))
    optimizer.jit_compile = True
    eager, same = new(name)
    for number in (0, 2, 3):
        optimizer.apply_gradients(zip(gradients(tf, number)[:2], held[:2]))
        eager.apply_gradients(zip(gradients(tf, number)[:2], same[:2]))
    assert len(calls) == 2
    for got, want in zip(state(optimizer, held), state(eager, same), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("path", ["Adam", "legacy.Adam", "legacy.SGD", "legacy.RMSprop"])
def test_a_function_with_sparse_gradients_is_one_program_that_need_not_look(path: str) -> None:
    optimizer, held = made(tf, path), variables(tf)

    @tf.function
    def step(ids: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(held[2], ids) ** 2)
        found = tape.gradient(loss, held[2])
        assert isinstance(found, tf.IndexedSlices)
        optimizer.apply_gradients([(found, held[2])])

    for _ in range(3):
        step(tf.constant([1, 1, 4]))
    text = step.explain()
    assert "1 segment" in str(text) or "one segment" in str(text), text
    graph = step.get_concrete_function(tf.constant([1, 1, 4])).graph
    guarded = [o for o in graph.get_operations() if o.op.guard is not None and o.type == "GatherV2"]
    assert not any(o.inputs[0].op.type == "UnsortedSegmentSum" for o in guarded), guarded


def test_rows_of_adagrad_that_have_no_gradient_are_not_touched() -> None:
    table = tf.Variable(np.full((4, 1), np.nan, np.float32))
    table.scatter_nd_update([[2]], [[1.0]])
    rows = tf.IndexedSlices(tf.constant([[1.0], [1.0]]), tf.constant([2, 2]), tf.constant([4, 1]))
    for path in ("Adagrad", "legacy.Adagrad", "legacy.SGD", "legacy.Adamax", "legacy.Ftrl"):
        made(tf, path).apply_gradients([(rows, table)])
        assert np.isnan(table.numpy()).ravel().tolist() == [True, True, False, True], path


def test_lr_of_todays_optimizers_only_warns(caplog) -> None:
    with caplog.at_level("WARNING", logger="absl"):
        assert float(tf.keras.optimizers.Adam(lr=0.5).learning_rate) == np.float32(0.001)
    assert "learning_rate" in caplog.text


def test_lr_of_legacy_optimizers_is_the_rate() -> None:
    with pytest.warns(UserWarning, match="learning_rate"):
        optimizer = tf.keras.optimizers.legacy.Adam(lr=0.5)
    assert float(optimizer.learning_rate) == float(optimizer.lr) == 0.5
    assert {"lr", "beta_1", "learning_rate"} <= set(dir(optimizer))


def test_arguments_of_all_optimizers_can_be_given_by_place() -> None:
    optimizer = tf.keras.optimizers.SGD(0.1, 0.5, True, 0.25, None, 2.0)
    config = optimizer.get_config()
    assert (config["nesterov"], config["weight_decay"], config["clipvalue"]) == (True, 0.25, 2.0)


def test_names_that_tf_keras_does_not_know_are_known() -> None:
    for name in ("lion", "adafactor"):
        assert type(tf.keras.optimizers.get(name)).__name__.lower() == name
    with pytest.raises(ValueError, match="Did you mean 'adagrad'"):
        tf.keras.optimizers.get("adagra")


def test_a_scale_that_was_forgotten_is_warned_of(caplog) -> None:
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD())
    with caplog.at_level("WARNING", logger="tensorflow"):
        optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])
    assert "get_scaled_loss() and LossScaleOptimizer.get_unscaled" in caplog.text


def test_an_optimizer_is_scaled_once() -> None:
    inner = tf.keras.optimizers.SGD()
    tf.keras.mixed_precision.LossScaleOptimizer(inner)
    with pytest.raises(ValueError, match="already wrapped"):
        tf.keras.mixed_precision.LossScaleOptimizer(inner)


def test_a_table_may_grow_between_steps() -> None:
    table = tf.Variable(np.ones((2, 1), np.float32), shape=[None, 1])
    optimizer = tf.keras.optimizers.legacy.SGD(1.0)

    @tf.function
    def step(ids: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids))
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])

    step(tf.constant([0, 0]))
    table.assign(np.ones((4, 1), np.float32))
    step(tf.constant([3, 1]))
    assert table.numpy().ravel().tolist() == [1.0, 0.0, 1.0, 0.0]


def test_steps_of_a_table_whose_length_is_not_known() -> None:
    table = tf.Variable(np.ones((3, 1), np.float32), shape=[None, 1])
    optimizer = tf.keras.optimizers.Adagrad(1.0, initial_accumulator_value=0.0, epsilon=0.0)
    optimizer.build([table])

    @tf.function
    def step(ids: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids))
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])

    step(tf.constant([0, 0, 2]))
    assert table.numpy().ravel().tolist() == [0.0, 1.0, 0.0]


def test_steps_can_be_counted_in_a_variable_of_the_program(tmp_path) -> None:
    optimizer, count = tf.keras.optimizers.SGD(), tf.Variable(7, dtype=tf.int64)
    optimizer.iterations = count
    optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])
    assert int(count) == 8 and optimizer.variables[0] is count
    tf.train.Checkpoint(optimizer=optimizer).write(tmp_path / "state")
    with pytest.raises(RuntimeError, match="after the Optimizer weights have been created"):
        optimizer.iterations = tf.Variable(0, dtype=tf.int64)


def test_a_model_may_be_compiled_with_several_optimizers() -> None:
    class Two(tf.keras.Sequential):
        def train_step(self, data: Any) -> Any:
            with tf.GradientTape(persistent=True) as tape:
                loss = tf.reduce_mean(tf.square(self(data[0]) - data[1]))
            for optimizer, layer in zip(self.optimizer, self.layers, strict=True):
                optimizer.minimize(loss, layer.trainable_variables, tape=tape)
            return {"loss": loss}

    net = Two([tf.keras.layers.Dense(4, input_shape=(3,)), tf.keras.layers.Dense(2)])
    net.compile(["sgd", tf.keras.optimizers.legacy.Adam()], run_eagerly=True)
    net.fit(DATA[0], DATA[1, :, :2], verbose=0)
    assert [type(o).__name__ for o in net.optimizer] == ["SGD", "Adam"]
    assert [int(o.iterations) for o in net.optimizer] == [1, 1]
