"""Models saved here: loaded again, and by TensorFlow."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.golden import saved_model_answers as answers
from tests.golden.saved_model_programs import PROGRAMS, SLOPES, slopes_of_parts
from tests.saved_model.reading.test_load import assert_same


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_saved_model_gives_what_tensorflow_gives(name: str, tmp_path) -> None:
    model, calls, signatures = PROGRAMS[name](tf)
    tf.saved_model.save(model, tmp_path / "a", signatures=signatures)
    tf.saved_model.save(tf.saved_model.load(tmp_path / "a"), tmp_path / "b")
    recorded = answers.unpack(name, tmp_path / "tensorflow")
    for folder in ("a", "b"):
        loaded = tf.saved_model.load(tmp_path / folder)
        for call, entry in zip(calls, recorded, strict=True):
            assert_same(answers.called(tf, loaded, call), answers.decode(entry["result"]))


def test_tensorflow_loaded_all_of_them() -> None:
    checked = json.loads((answers.FOLDER / "loaded_by_tensorflow.json").read_text())
    assert set(PROGRAMS) <= set(checked["models"])
    assert set(checked["models"].values()) == {"ok"} and checked["tensorflow"].startswith("2.")


class Counter(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.v = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def __call__(self, x: Any) -> Any:
        return x * self.v


def test_gradients_pass_through_a_model_that_was_saved_and_loaded(tmp_path) -> None:
    model, _, _ = PROGRAMS["custom_gradient"](tf)
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    x = tf.constant([0.1, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.run(x)
    np.testing.assert_allclose(tape.gradient(y, x), [0.2, 3.0], rtol=1e-6)


def test_gradients_in_branches_and_loops_are_saved(tmp_path) -> None:
    model, _, _ = PROGRAMS["gradients_in_parts"](tf)
    tf.saved_model.save(model, tmp_path)
    assert slopes_of_parts(tf, tf.saved_model.load(tmp_path)) == SLOPES


def test_branches_that_are_the_same_have_names_of_their_own() -> None:
    @tf.function
    def run(x: Any) -> Any:
        for _ in range(2):
            x = tf.cond(x > 0.0, lambda x=x: tf.exp(x), lambda x=x: x)
        return x

    proto = run.get_concrete_function(tf.TensorSpec([])).graph.as_graph_def()
    chosen = [node.attr["else_branch"].func.name for node in proto.node if "If" in node.op]
    assert len(chosen) == 2 == len(set(chosen))


def test_a_custom_gradient_that_was_not_saved_is_missed_when_it_is_asked_for(tmp_path) -> None:
    model, calls, _ = PROGRAMS["custom_gradient"](tf)
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(model, tmp_path, options=options)
    loaded = tf.saved_model.load(tmp_path)
    x = tf.constant([0.1, 3.0])
    assert loaded.run(x).shape == (2,)
    with tf.GradientTape() as tape, pytest.raises(LookupError, match="gradient of its own"):
        tape.watch(x)
        y = loaded.run(x)
        tape.gradient(y, x)
    assert calls


def test_a_variable_that_is_not_tracked_cannot_be_saved(tmp_path) -> None:
    model, hidden = tf.Module(), tf.Variable(1.0, name="hidden")
    model.f = tf.function(lambda: hidden * 2.0, input_signature=[])
    with pytest.raises(AssertionError, match=r"(?s)'untracked' resource.*hidden"):
        tf.saved_model.save(model, tmp_path)
    assert not tf.saved_model.contains_saved_model(tmp_path)


def test_what_cannot_be_saved_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="Trackable"):
        tf.saved_model.save(3, tmp_path)
    model = tf.Module()
    model.f = tf.function(lambda x: x)
    model.f(tf.constant(1.0))
    model.f(tf.constant([1.0]))
    with pytest.raises(ValueError, match="2 traces"):
        tf.saved_model.save(model, tmp_path, signatures=model.f)
    with pytest.raises(ValueError, match="Expected a TensorFlow function"):
        tf.saved_model.save(model, tmp_path, signatures=lambda x: x)
    bad = tf.function(lambda x: {"a": x, "b": [x]}, input_signature=[tf.TensorSpec([])])
    with pytest.raises(ValueError, match="not a tensor"):
        tf.saved_model.save(model, tmp_path, signatures=bad)

    @tf.function
    def inside() -> None:
        tf.saved_model.save(model, tmp_path)

    with pytest.raises(AssertionError, match="inside a traced"):
        inside()


def test_a_function_without_a_result_is_no_signature(tmp_path) -> None:
    model = tf.Module()
    model.v = tf.Variable(1.0)

    @tf.function(input_signature=[tf.TensorSpec([])])
    def put(x: Any) -> None:
        model.v.assign(x)

    model.put = put
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert not loaded.signatures and loaded.put(tf.constant(3.0)) is None and loaded.v == 3.0
    with pytest.raises(ValueError, match="must return tensors"):
        tf.saved_model.save(model, tmp_path, signatures=put)


def test_the_default_signature_is_the_one_function_with_an_input_signature(tmp_path) -> None:
    model = Counter()
    tf.saved_model.save(model, tmp_path / "one")
    assert list(tf.saved_model.load(tmp_path / "one").signatures) == ["serving_default"]
    model.other = tf.function(lambda: model.v * 1.0, input_signature=[])
    tf.saved_model.save(model, tmp_path / "two")
    assert list(tf.saved_model.load(tmp_path / "two").signatures) == []


def test_containers_concrete_functions_and_shared_objects_come_back(tmp_path) -> None:
    model = Counter()
    model.parts = [Counter(), {"x": tf.Variable([1, 2])}, (tf.Variable(True),)]
    model.again = model.parts[0]
    model.concrete = model.__call__.get_concrete_function()
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.again is loaded.parts[0] and isinstance(loaded.parts[2], tuple)
    assert loaded.parts[1]["x"].numpy().tolist() == [1, 2] and loaded.parts[2][0].numpy()
    loaded.v.assign(5.0)
    x = tf.constant([1.0, 2.0])
    assert loaded.concrete(x).numpy().tolist() == [5.0, 10.0] == loaded(x).numpy().tolist()
    assert loaded.parts[0](x).numpy().tolist() == [2.0, 4.0]


def test_assets_are_copied_and_found_again(tmp_path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    for name in ("one", "two"):
        (tmp_path / name / "words.txt").write_text(name)
    model = tf.Module()
    model.first = tf.saved_model.Asset(str(tmp_path / "one" / "words.txt"))
    model.second = tf.saved_model.Asset(tmp_path / "two" / "words.txt")
    model.path = tf.function(lambda: tf.identity(model.second.asset_path), input_signature=[])
    tf.saved_model.save(model, tmp_path / "model")
    os.rename(tmp_path / "model", tmp_path / "moved")
    loaded = tf.saved_model.load(tmp_path / "moved")
    found = pathlib.Path(loaded.path().numpy().decode())
    assert found.read_text() == "two" and found.is_relative_to(tmp_path / "moved")
    assert pathlib.Path(loaded.first.asset_path.numpy().decode()).read_text() == "one"


def test_a_failed_save_leaves_the_old_model(tmp_path) -> None:
    model = Counter()
    tf.saved_model.save(model, tmp_path)
    model.v.assign(100.0)
    hidden = tf.Variable(1.0)
    model.f = tf.function(lambda: hidden * 2.0, input_signature=[])
    with pytest.raises(AssertionError):
        tf.saved_model.save(model, tmp_path)
    assert tf.saved_model.load(tmp_path)(tf.constant([1.0])).numpy().tolist() == [2.0]


def test_a_checkpoint_is_restored_from_a_saved_model(tmp_path) -> None:
    model = Counter()
    model.v.assign(7.0)
    tf.saved_model.save(model, tmp_path)
    other = Counter()
    tf.train.Checkpoint(other).restore(tmp_path).expect_partial()
    assert other.v.numpy() == 7.0


def test_options_are_kept(tmp_path) -> None:
    model = Counter()
    options = tf.saved_model.SaveOptions(
        extra_tags=["gpu"], function_aliases={"scale": model.__call__}
    )
    tf.saved_model.save(model, tmp_path, options=options)
    loaded = tf.saved_model.load(
        tmp_path,
        tags=["serve", "gpu"],
        options=tf.saved_model.LoadOptions(experimental_load_function_aliases=True),
    )
    assert list(loaded.function_aliases) == ["scale"]


def test_arguments_that_a_file_cannot_hold_leave_out_their_trace(tmp_path) -> None:
    class Thing:
        pass

    model = tf.Module()
    model.f = tf.function(lambda x, thing=None: x * 2.0)
    model.f(tf.constant(1.0), Thing())
    model.f(tf.constant(1.0))
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.f(tf.constant(3.0)).numpy() == 6.0 and len(loaded.f.concrete_functions) == 1


def test_models_are_saved_to_other_file_systems() -> None:
    model = Counter()
    tf.saved_model.save(model, "ram://models/counter")
    assert tf.saved_model.load("ram://models/counter")(tf.constant([1.0])).numpy() == [2.0]


def test_a_fingerprint_tells_models_apart(tmp_path) -> None:
    model = Counter()
    for name in ("a", "b"):
        tf.saved_model.save(model, tmp_path / name)
        model.v.assign(3.0)
    read = tf.saved_model.experimental.read_fingerprint
    first, second = read(tmp_path / "a"), read(tmp_path / "b")
    assert first.checkpoint_hash != second.checkpoint_hash and first != second
    assert first.signature_def_hash == second.signature_def_hash
    with pytest.raises(FileNotFoundError):
        read(tmp_path)
    (tmp_path / "a" / "fingerprint.pb").write_bytes(b"\xff\xff")
    with pytest.raises(RuntimeError, match="damaged"):
        read(tmp_path / "a")


def test_tables_are_saved_with_their_values(tmp_path) -> None:
    model = tf.Module()
    model.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    model.table.insert(tf.constant(["a"]), tf.constant([5], tf.int64))
    find = tf.function(model.table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    model.find = find
    tf.saved_model.save(model, tmp_path / "a")
    model.table.insert(tf.constant(["a"]), tf.constant([6], tf.int64))
    loaded = tf.saved_model.load(tmp_path / "a")
    keys = tf.constant(["a", "b"])
    assert loaded.find(keys).numpy().tolist() == [5, -1]
    assert model.find(keys).numpy().tolist() == [6, -1]
    tf.saved_model.save(loaded, tmp_path / "b")
    assert tf.saved_model.load(tmp_path / "b").find(keys).numpy().tolist() == [5, -1]


def test_a_loaded_model_can_be_saved_over_itself(tmp_path) -> None:
    (tmp_path / "words.txt").write_text("x\ny\n")
    model = Counter()
    model.asset = tf.saved_model.Asset(tmp_path / "words.txt")
    tf.saved_model.save(model, tmp_path / "model")
    for value in (3.0, 4.0):
        loaded = tf.saved_model.load(tmp_path / "model")
        loaded.v.assign(value)
        tf.saved_model.save(loaded, tmp_path / "model")
    assert (tmp_path / "model" / "assets" / "words.txt").read_text() == "x\ny\n"
    assert tf.saved_model.load(tmp_path / "model")(tf.constant([1.0])).numpy() == [4.0]


def test_the_lines_that_made_the_operations_are_saved_if_asked_for(tmp_path) -> None:
    model = tf.Module()
    model.f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(model, tmp_path / "plain")
    assert len(tf.saved_model.load(tmp_path / "plain").graph_debug_info.files) == 0
    options = tf.saved_model.SaveOptions(save_debug_info=True)
    tf.saved_model.save(model, tmp_path / "told", options=options)
    info = tf.saved_model.load(tmp_path / "told").graph_debug_info
    name = next(n for n in info.name_to_trace_id if n.startswith("mul@"))
    frame = info.frames_by_id[info.traces_by_id[info.name_to_trace_id[name]].frame_id[0]]
    assert info.files[frame.file_index] == __file__
    with open(__file__) as file:
        assert "x * 2.0" in file.readlines()[frame.line - 1]
    (tmp_path / "told" / "debug" / "saved_model_debug_info.pb").write_bytes(b"\xff\xff")
    with pytest.raises(tf.errors.DataLossError, match="debug_info"):
        tf.saved_model.load(tmp_path / "told")


def test_checks_and_prints_can_be_left_out(tmp_path, capsys) -> None:
    model = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        tf.debugging.assert_positive(x)
        tf.print("printed", x)
        return tf.debugging.check_numerics(x, "bad") + 1.0

    model.f = f
    tf.saved_model.save(model, tmp_path / "all")
    options = tf.saved_model.SaveOptions(experimental_debug_stripper=True)
    tf.saved_model.save(model, tmp_path / "bare", options=options)
    bad = tf.constant([-1.0, float("inf")])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.saved_model.load(tmp_path / "all").f(bad)
    capsys.readouterr()
    assert tf.saved_model.load(tmp_path / "bare").f(bad).numpy().tolist() == [0.0, float("inf")]
    assert capsys.readouterr() == ("", "")


def test_a_model_is_always_a_folder() -> None:
    with pytest.raises(ValueError, match="experimental_image_format"):
        tf.saved_model.SaveOptions(experimental_image_format=True)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("out", "out"),
        ("a.b", "a_b"),
        ("a/b", "a_b"),
        ("a b", "a_b"),
        ("a:0", "a_0"),
        ("Abc", "abc"),
        ("é", "é"),
        ("_a", "tensor__a"),
        ("1a", "tensor_1a"),
        ("", "unknown"),
    ],
)
def test_outputs_of_signatures_have_names_like_tensorflows(
    key: str, name: str, tmp_path: pathlib.Path
) -> None:
    module = tf.Module()
    module.fn = tf.function(
        lambda x: {key: x * 2.0}, input_signature=[tf.TensorSpec([None], name="x")]
    )
    tf.saved_model.save(module, str(tmp_path), signatures=module.fn)
    loaded = tf.saved_model.load(str(tmp_path)).signatures["serving_default"]
    assert loaded.structured_outputs[key].name == name
    assert loaded(x=tf.constant([1.0]))[key].numpy().tolist() == [2.0]


@pytest.mark.parametrize(
    ("name", "parameter", "shown"),
    [
        ("x", "x", "x"),
        ("a.b", "a_b", "a.b"),
        ("a/b/c.d", "a_b_c_d", "a/b/c.d"),
        ("a-b", "a_b", "a-b"),
        ("1a", "arg_1a", "1a"),
        ("Abc", "Abc", "abc"),
    ],
)
def test_inputs_of_signatures_may_have_any_name_of_an_operation(
    name: str, parameter: str, shown: str, tmp_path: pathlib.Path
) -> None:
    module = tf.Module()
    module.fn = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None], name=name)])
    tf.saved_model.save(module, str(tmp_path), signatures=module.fn)
    loaded = tf.saved_model.load(str(tmp_path)).signatures["serving_default"]
    want = {parameter: tf.TensorSpec([None], name=shown)}
    assert loaded.structured_input_signature == ((), want)
    for given in parameter, name:
        assert loaded(**{given: tf.constant([1.0])})["output_0"].numpy().tolist() == [2.0]
