"""tf.train.Checkpoint: matching, deferred restoration, the report, the manager."""

from __future__ import annotations

import os
import pathlib
import random
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.train.files.bundle import BundleReader, write_bundle
from runnel.train.objects.object_graph import GRAPH_KEY

pytestmark = pytest.mark.smoke

GOLDEN = pathlib.Path(__file__).parent.parent / "golden" / "checkpoints"


class Model(tf.Module):
    def __init__(self, shape: tuple[int, ...] = (2,), dtype: Any = tf.float32) -> None:
        super().__init__()
        self.v = tf.Variable(tf.ones(shape, dtype))
        self.parts = [tf.Variable(1.0), {"a": tf.Variable(2.0)}]


@pytest.fixture
def saved(tmp_path: pathlib.Path) -> str:
    model = Model()
    model.extra = tf.Variable(3.0)
    model.v.assign([5.0, 6.0])
    return tf.train.Checkpoint(model=model).save(tmp_path / "x")


def test_values_go_to_the_objects_at_the_same_place_whatever_their_names(saved: str) -> None:
    model = Model()
    model.extra = tf.Variable(0.0, name="another")
    status = tf.train.Checkpoint(model=model).restore(saved)
    status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()
    assert model.v.numpy().tolist() == [5.0, 6.0] and model.extra.numpy() == 3.0
    assert status.report().complete and "model/v" in status.report().matched


def test_objects_made_later_take_their_values_then(saved: str) -> None:
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.restore(saved)
    checkpoint.model = tf.Module()
    checkpoint.model.v = tf.Variable([0.0, 0.0])
    assert checkpoint.model.v.numpy().tolist() == [5.0, 6.0]
    checkpoint.model.parts = []
    checkpoint.model.parts.append(tf.Variable(0.0))
    checkpoint.model.parts.append({})
    checkpoint.model.parts[1]["a"] = tf.Variable(0.0)
    assert [v.numpy() for v in checkpoint.model.variables[:2]] == [1.0, 2.0]
    with pytest.raises(AssertionError, match="model/extra"):
        status.assert_consumed()
    checkpoint.model.extra = tf.Variable(0.0)
    status.assert_consumed()
    assert checkpoint.save_counter.numpy() == 1


def test_an_object_made_while_tracing_takes_its_value(saved: str) -> None:
    checkpoint = tf.train.Checkpoint(model=tf.Module())
    checkpoint.restore(saved)

    @tf.function
    def f() -> tf.Tensor:
        if not hasattr(checkpoint.model, "v"):
            checkpoint.model.v = tf.Variable([0.0, 0.0])
        return checkpoint.model.v * 1.0

    assert f().numpy().tolist() == [5.0, 6.0]


def test_the_report_lists_what_did_not_match_and_comes_with_the_error(saved: str) -> None:
    model = Model()
    model.more = tf.Variable(0.0)
    status = tf.train.Checkpoint(model=model).restore(saved)
    report = status.report()
    assert report.missing_objects == ["model/extra"] and report.missing_values == ["model/more"]
    for check in (status.assert_consumed, status.assert_existing_objects_matched):
        with pytest.raises(
            AssertionError, match=r"(?s)restored from.*model/v.*program.*model/more"
        ):
            check()
    assert status.expect_partial() is status


@pytest.mark.parametrize(
    ("model", "kind"),
    [(Model((3,)), ValueError), (Model(dtype=tf.float64), tf.errors.InvalidArgumentError)],
)
def test_another_shape_or_dtype_is_an_error_and_nothing_is_restored(
    saved: str, model: Model, kind: type[Exception]
) -> None:
    model.parts[0].assign(77.0)
    checkpoint = tf.train.Checkpoint(model=model)
    with pytest.raises(kind, match=r"model/v: the file has float32\(2,\)"):
        checkpoint.restore(saved)
    assert model.parts[0].numpy() == 77.0
    model.extra = tf.Variable(0.0)
    assert model.extra.numpy() == 0.0


def test_a_missing_file_is_not_found_with_a_hint(tmp_path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="latest_checkpoint"):
        tf.train.Checkpoint(model=Model()).restore(tmp_path / "nothing")
    status = tf.train.Checkpoint(model=Model()).restore(None)
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        status.assert_consumed()


def test_only_trackable_objects_can_be_parts() -> None:
    with pytest.raises(ValueError, match="expecting x to be a trackable"):
        tf.train.Checkpoint(x=3)
    model = Model()
    with pytest.raises(ValueError, match=r"root\.v already exists"):
        tf.train.Checkpoint(model, v=tf.Variable(1.0))


def test_a_root_is_saved_with_its_children_at_the_top(tmp_path) -> None:
    path = tf.train.Checkpoint(Model(), step=tf.Variable(4)).save(tmp_path / "x")
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "v/.ATTRIBUTES/VARIABLE_VALUE" in names and "step/.ATTRIBUTES/VARIABLE_VALUE" in names
    model, step = Model(), tf.Variable(0)
    checkpoint = tf.train.Checkpoint(model, step=step)
    checkpoint.restore(path).assert_consumed()
    assert step.numpy() == 4 and checkpoint.save_counter.numpy() == 1


def test_one_variable_in_two_places_is_written_once(tmp_path) -> None:
    module = tf.Module()
    module.a = module.b = tf.Variable(1.0)
    path = tf.train.Checkpoint(m=module).write(tmp_path / "x")
    assert len(tf.train.list_variables(path)) == 2
    other = tf.Module()
    other.a, other.b = tf.Variable(0.0), tf.Variable(0.0)
    status = tf.train.Checkpoint(m=other).read(path)
    assert (other.a.numpy(), other.b.numpy()) == (1.0, 0.0)
    with pytest.raises(AssertionError, match="m/b"):
        status.assert_existing_objects_matched()


def test_a_checkpoint_is_written_by_a_thread_while_the_program_goes_on(tmp_path) -> None:
    written: list[str] = []
    options = tf.train.CheckpointOptions(
        enable_async=True, experimental_write_callbacks=[written.append]
    )
    value = tf.Variable(np.zeros(1000))
    checkpoint = tf.train.Checkpoint(v=value)
    path = checkpoint.save(tmp_path / "x", options=options)
    value.assign(np.ones(1000))
    checkpoint.sync()
    assert written == [path] and tf.train.latest_checkpoint(tmp_path) == path
    assert tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE").sum() == 0
    (tmp_path / "file").write_text("")
    checkpoint.write(tmp_path / "file" / "x", options=options)
    with pytest.raises(tf.errors.OpError):
        checkpoint.sync()


def test_two_threads_may_save_at_once(tmp_path) -> None:
    value = tf.Variable(np.arange(10000.0))

    def work(number: int) -> None:
        for _ in range(5):
            tf.train.Checkpoint(v=value).write(tmp_path / str(number))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(2):
        tf.train.Checkpoint(v=value).read(tmp_path / str(number)).assert_consumed()


def test_a_checkpoint_of_keras_with_slots_is_restored() -> None:
    """TensorFlow wrote it: a model, an optimizer with slots for its variables, a step."""

    class Optimizer(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.slots: dict[tuple[int, str], Any] = tf.__internal__.tracking.NoDependency({})
            self.iter = tf.Variable(0, dtype=tf.int64)

        def get_slot_names(self) -> list[str]:
            return ["m", "v"]

        def get_slot(self, variable: tf.Variable, name: str) -> Any:
            return self.slots.get((id(variable), name))

        def _create_or_restore_slot_variable(
            self, slot_variable_position: Any, slot_name: str, variable: tf.Variable
        ) -> None:
            slot = tf.Variable(tf.zeros(variable.shape))
            self.slots[id(variable), slot_name] = slot
            slot_variable_position.restore(slot)

    model, optimizer, step = tf.Module(), Optimizer(), tf.Variable(0)
    model.layer = tf.Module()
    checkpoint = tf.train.Checkpoint(model=tf.Module(), optimizer=optimizer, step=step)
    status = checkpoint.read(GOLDEN / "training")
    setattr(checkpoint.model, "layer_with_weights-0", layer := tf.Module())
    layer.kernel, layer.bias = tf.Variable(tf.zeros([2, 3])), tf.Variable(tf.zeros([3]))
    values = np.load(GOLDEN / "values.npz")
    found = {
        "model/layer_with_weights-0/kernel": layer.kernel,
        "model/layer_with_weights-0/bias/.OPTIMIZER_SLOT/optimizer/m": optimizer.get_slot(
            layer.bias, "m"
        ),
        "step": step,
        "optimizer/iter": optimizer.iter,
    }
    for key, variable in found.items():
        wanted = values[f"training/{key}/.ATTRIBUTES/VARIABLE_VALUE"]
        np.testing.assert_array_equal(variable.numpy(), wanted)
    assert len(optimizer.slots) == 4
    assert "optimizer/learning_rate" in status.report().missing_objects


def test_slots_are_saved_and_can_be_left_out(tmp_path) -> None:
    class Optimizer(tf.Module):
        def __init__(self, variable: tf.Variable) -> None:
            super().__init__()
            self.kept = tf.__internal__.tracking.NoDependency((variable, tf.Variable([7.0])))

        def get_slot_names(self) -> list[str]:
            return ["momentum"]

        def get_slot(self, variable: tf.Variable, name: str) -> Any:
            return self.kept[1] if variable is self.kept[0] else None

        def _create_or_restore_slot_variable(
            self, slot_variable_position: Any, slot_name: str, variable: tf.Variable
        ) -> None:
            slot_variable_position.restore(self.kept[1])

    value = tf.Variable([1.0])
    optimizer = Optimizer(value)
    checkpoint = tf.train.Checkpoint(v=value, opt=optimizer)
    path = checkpoint.write(tmp_path / "x")
    key = "v/.OPTIMIZER_SLOT/opt/momentum/.ATTRIBUTES/VARIABLE_VALUE"
    assert tf.train.load_variable(path, key).tolist() == [7.0]
    optimizer.kept[1].assign([0.0])
    checkpoint.read(path).assert_consumed()
    assert optimizer.kept[1].numpy().tolist() == [7.0]
    options = tf.train.CheckpointOptions(experimental_skip_slot_variables=True)
    path = checkpoint.write(tmp_path / "y", options=options)
    assert key not in dict(tf.train.list_variables(path))


def test_a_checkpoint_without_objects_is_restored_by_names() -> None:
    module = tf.Module()
    module.b = tf.Variable([0.0, 0.0], name="layer/b")
    module.w = tf.Variable([[0.0, 0.0]], name="layer/w")
    status = tf.train.Checkpoint(m=module).read(GOLDEN / "names")
    status.assert_consumed()
    assert module.b.numpy().tolist() == [1.0, 2.0] and module.w.numpy().tolist() == [[3.0, 4.0]]
    module.c = tf.Variable(0.0, name="layer/c")
    with pytest.raises(AssertionError, match="m/c"):
        tf.train.Checkpoint(m=module).read(GOLDEN / "names").assert_existing_objects_matched()


def test_python_values_and_older_kinds_of_parts_are_saved(tmp_path) -> None:
    class Older(tf.__internal__.tracking.Trackable):
        def __init__(self) -> None:
            self.hidden = tf.Variable(1.0)

        def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
            return {"inner": self.hidden}

    older = Older()
    path = tf.train.Checkpoint(o=older).write(tmp_path / "x")
    older.hidden.assign(5.0)
    tf.train.Checkpoint(o=older).read(path).assert_consumed()
    assert older.hidden.numpy() == 1.0


def test_the_manager_keeps_the_last_ones_and_goes_on_where_it_was(tmp_path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    paths = [manager.save() for _ in range(4)]
    assert manager.checkpoints == paths[2:] and manager.latest_checkpoint == paths[3]
    assert len(os.listdir(tmp_path)) == 5
    again = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    assert again.checkpoints == paths[2:] and again.restore_or_initialize() == paths[3]
    assert again.save(checkpoint_number=100).endswith("ckpt-100")
    assert tf.train.latest_checkpoint(tmp_path).endswith("ckpt-100")
    moved = tmp_path.parent / f"{tmp_path.name}-moved"
    tmp_path.rename(moved)
    assert tf.train.latest_checkpoint(moved) == str(moved / "ckpt-100")


def test_the_manager_saves_at_intervals_and_keeps_some_for_good(tmp_path, monkeypatch) -> None:
    step = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(step=step)
    manager = tf.train.CheckpointManager(
        checkpoint, tmp_path / "a", max_to_keep=3, step_counter=step, checkpoint_interval=5
    )
    made = []
    for _ in range(12):
        made.append(manager.save() is not None)
        step.assign_add(1)
    assert [i for i, m in enumerate(made) if m] == [0, 5, 10]
    now = [1000.0]
    monkeypatch.setattr("runnel.train.manager.time.time", lambda: now[0])
    kept = tf.train.CheckpointManager(
        checkpoint, tmp_path / "b", max_to_keep=1, keep_checkpoint_every_n_hours=1.0
    )
    first = int(checkpoint.save_counter.numpy())
    for _ in range(8):
        kept.save()
        now[0] += 1800.0
    names = {p.stem for p in (tmp_path / "b").glob("*.index")}
    assert names == {f"ckpt-{first + n}" for n in (3, 5, 7, 8)}


def test_the_manager_checks_its_arguments_and_initialises(tmp_path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with pytest.raises(ValueError, match="positive integer"):
        tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=0)
    with pytest.raises(ValueError, match="step_counter"):
        tf.train.CheckpointManager(checkpoint, tmp_path, 1, checkpoint_interval=3)
    done: list[int] = []
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1, init_fn=lambda: done.append(1))
    assert manager.restore_or_initialize() is None and done == [1]


def test_views_show_both_graphs_of_objects(saved: str) -> None:
    model = Model()
    root = tf.train.Checkpoint(model=model)
    view = tf.train.CheckpointView(saved)
    assert view.children(0) == {"model": 1, "save_counter": 2}
    assert view.match(root)[1] is model
    matched, nodes, objects = view.diff(root)
    assert len(nodes) == 2 and not objects and len(matched) == 7
    assert tf.train.TrackableView(root).descendants()[0] is root


def test_a_root_is_its_own_child_by_that_name(tmp_path) -> None:
    model = Model()
    saved = tf.train.Checkpoint(model).save(tmp_path / "x")
    children = tf.train.CheckpointView(saved).children(0)
    assert children["root"] == 0 and list(children)[-2:] == ["root", "save_counter"]
    other = Model()
    tf.train.Checkpoint(other).restore(saved).assert_consumed()
    assert tf.train.CheckpointView(saved).match(other)[0] is other


def test_a_child_named_root_is_kept(tmp_path) -> None:
    module = tf.Module()
    module.root = tf.Variable(3.0)
    saved = tf.train.Checkpoint(module).save(tmp_path / "x")
    other = tf.Module()
    other.root = tf.Variable(0.0)
    tf.train.Checkpoint(other).restore(saved).assert_consumed()
    assert other.root.numpy() == 3.0


def test_a_damaged_object_graph_gives_an_error_of_tf(tmp_path, monkeypatch) -> None:
    """The checksums are right, but the graph itself is nonsense."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    path = tf.train.Checkpoint(model=Model()).write(tmp_path / "x")
    with BundleReader(path) as reader:
        tensors = {name: (reader.read(name), reader.dtype(name)) for name in reader.names()}
    whole = tensors[GRAPH_KEY][0].item()
    chance, refused = random.Random(5), 0
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            damaged[chance.randrange(len(whole))] = chance.randrange(256)
        content = np.empty((), object)
        content[()] = bytes(damaged[: chance.randrange(1, len(whole) + 1)])
        tensors[GRAPH_KEY] = (content, tf.string)
        write_bundle(str(tmp_path / "y"), tensors)
        try:
            tf.train.Checkpoint(model=Model()).read(tmp_path / "y").report()
        except (tf.errors.OpError, ValueError):
            refused += 1
    assert refused > 100


def test_the_state_file_may_be_damaged(tmp_path) -> None:
    assert tf.train.latest_checkpoint(tmp_path) is None
    (tmp_path / "checkpoint").write_bytes(b"\xff nonsense {")
    assert tf.train.latest_checkpoint(tmp_path) is None
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "gone-1"\n')
    assert tf.train.latest_checkpoint(tmp_path) is None
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == str(tmp_path / "gone-1")


def test_checkpoints_can_be_kept_in_memory() -> None:
    value = tf.Variable([1.0, 2.0])
    path = tf.train.Checkpoint(v=value).save("ram://checkpoints/x")
    value.assign([0.0, 0.0])
    assert tf.train.latest_checkpoint("ram://checkpoints") == path
    tf.train.Checkpoint(v=value).restore(path).assert_consumed()
    assert value.numpy().tolist() == [1.0, 2.0]


def test_random_generators_go_on_where_they_were(tmp_path) -> None:
    generator = tf.random.Generator.from_seed(3)
    path = tf.train.Checkpoint(g=generator).write(tmp_path / "x")
    assert "g/_state_var/.ATTRIBUTES/VARIABLE_VALUE" in dict(tf.train.list_variables(path))
    first = generator.normal([3]).numpy()
    tf.train.Checkpoint(g=generator).read(path).assert_consumed()
    np.testing.assert_array_equal(generator.normal([3]), first)


def test_iterators_of_datasets_go_on_where_they_were(tmp_path) -> None:
    iterator = iter(tf.data.Dataset.range(10).map(lambda x: x * x))
    next(iterator), next(iterator)
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    path = checkpoint.write(tmp_path / "x")
    assert next(iterator).numpy() == 4 and next(iterator).numpy() == 9
    checkpoint.read(path).assert_consumed()
    assert next(iterator).numpy() == 4


def test_large_variables_are_written_and_read_without_a_second_copy(tmp_path) -> None:
    value = tf.Variable(np.zeros(4 << 20))  # 32 MB
    checkpoint = tf.train.Checkpoint(v=value)
    tracemalloc.start()
    checkpoint.write(tmp_path / "x")
    written = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    checkpoint.read(tmp_path / "x").assert_consumed()
    read = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert written < 8 << 20 and read < 40 << 20


def test_a_manager_removes_nothing_outside_its_folder(tmp_path: pathlib.Path) -> None:
    bait = tmp_path / "bait.index"
    bait.write_text("x")
    folder = tmp_path / "inside"
    folder.mkdir()
    names = [str(tmp_path / "bait"), "../bait", "ckpt-1"]
    listed = "".join(f'all_model_checkpoint_paths: "{name}"\n' for name in names)
    (folder / "checkpoint").write_text(f'model_checkpoint_path: "ckpt-1"\n{listed}')
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(), str(folder), max_to_keep=1)
    manager.save()
    manager.save()
    assert bait.exists()
    assert len(manager.checkpoints) == 1
