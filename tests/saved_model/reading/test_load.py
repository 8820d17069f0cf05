"""Models that TensorFlow saved, loaded here."""

from __future__ import annotations

import pathlib
import random
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.protos import messages
from runnel.core.values import type_spec
from tests.golden import saved_model_answers as answers
from tests.golden.saved_model_programs import SLOPES, Call, slopes_of_parts

NAMES = sorted(path.stem for path in answers.FOLDER.glob("*.zip"))


def load(name: str, folder: pathlib.Path) -> tuple[Any, list[Any]]:
    recorded = answers.unpack(name, folder)
    return tf.saved_model.load(folder), recorded


def assert_same(got: list[Any], wanted: list[Any]) -> None:
    assert len(got) == len(wanted)
    for value, answer in zip(got, wanted, strict=True):
        if answer.dtype == object:
            assert np.array_equal(value, answer)
        else:
            np.testing.assert_allclose(value, answer, rtol=1e-4, atol=1e-5)
            assert np.asarray(value).dtype == answer.dtype


@pytest.mark.parametrize("name", NAMES)
def test_a_model_of_tensorflow_gives_the_same_results(name: str, tmp_path) -> None:
    model, recorded = load(name, tmp_path)
    for entry in recorded:
        args, kwargs = answers.decode(entry["args"]), answers.decode(entry["kwargs"])
        call = Call(entry["function"], args, kwargs, entry["signature"])
        assert_same(answers.called(tf, model, call), answers.decode(entry["result"]))


def test_a_loaded_model_can_be_trained_on(tmp_path) -> None:
    model, _ = load("dense", tmp_path)
    x = tf.constant(np.ones((4, 3), np.float32))
    losses = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - 1.0) ** 2)
        losses.append(float(loss))
        variables = [v for layer in model.layers for v in (layer.w, layer.b)]
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.05 * gradient)
    assert losses[-1] < losses[0] and [v.trainable for v in variables] == [True] * 4


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("keras_")])
def test_a_loaded_keras_model_has_the_gradients_of_tensorflow(name: str, tmp_path) -> None:
    model, recorded = load(name, tmp_path)
    x = tf.constant(answers.decode(recorded[0]["args"])[0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(model(x, training=False)))
    found = tape.gradient(loss, list(model.trainable_variables))
    wanted = answers.decode(recorded[0]["gradients"])
    assert_same([tf.convert_to_tensor(gradient).numpy() for gradient in found], wanted)


@pytest.mark.parametrize("traced", [False, True])
def test_a_saved_custom_gradient_is_used(traced: bool, tmp_path) -> None:
    model, _ = load("custom_gradient", tmp_path)
    run = tf.function(model.run) if traced else model.run
    x = tf.constant([0.1, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(x)
    of_x, of_v = tape.gradient(y, [x, model.v])
    np.testing.assert_allclose(of_x, [0.2, 3.0], rtol=1e-6)
    np.testing.assert_allclose(of_v, [0.02, 4.5], rtol=1e-6)


def test_gradients_in_branches_and_loops_are_loaded(tmp_path) -> None:
    model, _ = load("gradients_in_parts", tmp_path)
    assert slopes_of_parts(tf, model) == SLOPES


def test_arguments_are_converted_and_matched_with_the_saved_traces(tmp_path) -> None:
    model, _ = load("polymorphic", tmp_path)
    assert model.scaled([1.0, 2.0]).numpy().tolist() == [6.0, 12.0]
    assert model.scaled(np.array([1, 2, 3], np.int32), factor=5).dtype == tf.int32
    with pytest.raises(ValueError, match=r"(?s)Could not find matching.*4 option"):
        model.scaled(tf.constant([1.0, 2.0, 3.0]))
    with pytest.raises(TypeError, match="missing"):
        model.scaled()
    concrete = model.scaled.get_concrete_function(tf.TensorSpec([None, None], tf.float64))
    assert concrete.structured_outputs.shape.as_list() == [None, None]


def test_signatures_take_and_give_tensors_by_name(tmp_path) -> None:
    model, _ = load("signatures", tmp_path)
    assert sorted(model.signatures) == ["norm", "rows"]
    rows = model.signatures["rows"]
    assert rows.structured_outputs["total"].shape.rank == 0
    assert sorted(rows.structured_input_signature[1]) == ["ids", "weights"]
    found = rows(ids=tf.constant([1]), weights=tf.constant([2.0]))
    assert found["rows"].shape == (1, 3)
    with pytest.raises(TypeError, match="ids"):
        rows(weights=tf.constant([2.0]))


def test_a_loaded_function_is_part_of_other_functions(tmp_path) -> None:
    model, _ = load("control_flow", tmp_path)

    @tf.function
    def twice(x: Any) -> Any:
        return model.power(model.power(x, 1), tf.constant(1))

    x = tf.constant(np.eye(2, dtype=np.float32))
    np.testing.assert_allclose(twice(x), model.power(x, 2), rtol=1e-6)


def test_variables_are_those_of_the_model(tmp_path) -> None:
    model, _ = load("convolution", tmp_path)
    assert model.filters.shape == (3, 3, 2, 4) and not model.mean.trainable
    assert model.tensorflow_version.startswith("2.")
    model.filters.assign(tf.zeros_like(model.filters))
    before = model(tf.ones([1, 8, 8, 2])).numpy()
    model.head.assign(tf.zeros_like(model.head))
    np.testing.assert_allclose(model(tf.ones([1, 8, 8, 2])), np.full((1, 3), 1 / 3), rtol=1e-6)
    assert not np.allclose(before, 1 / 3)


def test_a_missing_model_and_unknown_tags_are_errors(tmp_path) -> None:
    with pytest.raises(OSError, match="does not exist"):
        tf.saved_model.load(tmp_path)
    answers.unpack("dense", tmp_path)
    with pytest.raises(ValueError, match="no graph with the tags"):
        tf.saved_model.load(tmp_path, tags=["train"])
    assert tf.saved_model.load(tmp_path, tags="serve") is not None
    assert tf.saved_model.contains_saved_model(tmp_path)
    assert not tf.saved_model.contains_saved_model(tmp_path / "variables")


def change(folder: pathlib.Path, edit: Any) -> None:
    path = folder / "saved_model.pb"
    proto = messages.SavedModel.FromString(path.read_bytes())
    edit(proto.meta_graphs[0])
    path.write_bytes(proto.SerializeToString())


def node_of(meta: Any, function: str, op: str) -> Any:
    for each in meta.graph_def.library.function:
        if function in each.signature.name:
            for node in each.node_def:
                if node.op == op:
                    return node
    raise AssertionError("no such node")


def test_an_unknown_op_is_named_with_its_function(tmp_path) -> None:
    answers.unpack("dense", tmp_path)

    def edit(meta: Any) -> None:
        node_of(meta, "__call__", "Relu").op = "Zzz"

    change(tmp_path, edit)
    model = tf.saved_model.load(tmp_path)
    with pytest.raises(tf.errors.NotFoundError, match=r"__inference___call__.*'Relu'.*'Zzz'"):
        model(tf.ones([1, 3]))


def test_python_code_in_a_file_is_refused(tmp_path) -> None:
    answers.unpack("dense", tmp_path)

    def edit(meta: Any) -> None:
        node = node_of(meta, "__call__", "Relu")
        node.op = "EagerPyFunc"
        node.attr["token"].s = b"os.system"

    change(tmp_path, edit)
    with pytest.raises(tf.errors.UnimplementedError, match="EagerPyFunc"):
        tf.saved_model.load(tmp_path)(tf.ones([1, 3]))


def test_an_asset_outside_of_the_folder_is_refused(tmp_path) -> None:
    answers.unpack("dense", tmp_path)

    def edit(meta: Any) -> None:
        meta.asset_file_def.add(filename="../../etc/passwd")
        meta.object_graph_def.nodes[1].Clear()
        meta.object_graph_def.nodes[1].asset.asset_file_def_index = 0

    change(tmp_path, edit)
    with pytest.raises(tf.errors.InvalidArgumentError, match="outside"):
        tf.saved_model.load(tmp_path)


def test_missing_values_are_named(tmp_path) -> None:
    answers.unpack("dense", tmp_path)
    (tmp_path / "variables" / "variables.index").unlink()
    with pytest.raises(FileNotFoundError, match="no values"):
        tf.saved_model.load(tmp_path)
    partial = tf.saved_model.LoadOptions(allow_partial_checkpoint=True)
    model = tf.saved_model.load(tmp_path, options=partial)
    with pytest.raises(tf.errors.FailedPreconditionError):
        model.layers[0].w.numpy()
    skipped = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
    assert tf.saved_model.load(tmp_path, options=skipped).layers[0].w.shape == (3, 4)


def run(folder: pathlib.Path) -> None:
    model = tf.saved_model.load(folder)
    for key in getattr(model, "signatures", {}):
        kwargs = model.signatures[key].structured_input_signature[1]
        given = {
            k: tf.fill(
                [2 if d is None else d for d in s.shape],
                tf.constant("a" if s.dtype == tf.string else 0, s.dtype),
            )
            for k, s in kwargs.items()
        }
        model.signatures[key](**given)


@pytest.mark.parametrize("name", ["control_flow", "tables", "session", "ragged"])
def test_damaged_models_give_errors_of_tf_and_nothing_else(name: str, tmp_path) -> None:
    """Bytes that are changed, cut out, cut off or repeated."""
    answers.unpack(name, tmp_path)
    path = tmp_path / "saved_model.pb"
    whole = path.read_bytes()
    chance, refused = random.Random(7), 0
    for trial in range(300):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 5)):
            damaged[chance.randrange(len(whole))] = chance.randrange(256)
        start = chance.randrange(len(whole))
        if trial % 5 == 0:
            del damaged[start:]
        elif trial % 5 == 1:
            damaged[start:start] = damaged[start : start + chance.randrange(30)]
        path.write_bytes(damaged)
        try:
            run(tmp_path)
        except (tf.errors.OpError, NotImplementedError):
            refused += 1
    assert refused > 150


def test_a_signature_of_tensorflow_1_takes_the_parts_of_sparse_and_ragged_tensors(tmp_path) -> None:
    model, _ = load("session_sparse", tmp_path)
    serve = model.signatures["serving_default"]
    specs = serve.structured_input_signature[1]
    assert specs["places_indices"] == tf.TensorSpec([None, 2], tf.int64, "places_indices")
    assert sorted(specs) == [
        *("places_dense_shape", "places_indices", "places_values"),
        *("rows_component_0", "rows_component_1"),
    ]
    assert isinstance(serve.structured_outputs["same"], tf.SparseTensor)
    assert isinstance(serve.structured_outputs["doubled"], tf.RaggedTensor)
    with pytest.raises(TypeError):
        serve(places=tf.sparse.from_dense([[1.0, 0.0, 0.0]]), rows=tf.ragged.constant([[1]]))


def test_a_value_whose_class_is_not_known_has_its_fields(tmp_path, monkeypatch) -> None:
    known = dict(type_spec._BY_NAME)
    known.pop("programs.Masked.Spec", None)
    monkeypatch.setattr(type_spec, "_BY_NAME", known)
    model, _ = load("composites", tmp_path)
    found = model.hidden(tf.constant([1.0, -1.0]))
    assert type(found).__name__ == "AnonymousExtensionType"
    assert found.values.numpy().tolist() == [2.0, 0.0]
    assert found.mask.numpy().tolist() == [True, False]
    assert model.shown(found).numpy().tolist() == [2.0, 0.0]


def test_a_model_of_tensorflow_1_has_signatures_and_variables(tmp_path) -> None:
    model, recorded = load("session", tmp_path)
    assert sorted(v.name for v in model.variables) == ["b:0", "w:0"]
    assert {v.name: v.trainable for v in model.variables} == {"b:0": False, "w:0": True}
    fed = answers.decode(recorded[0]["kwargs"])
    part = model.prune("x:0", "y:0")
    with tf.GradientTape() as tape:
        y = part(tf.constant(fed["x"]))
    weights = next(v for v in model.variables if v.name == "w:0")
    assert tape.gradient(y, weights).shape == (2, 3)
    np.testing.assert_allclose(y, answers.decode(recorded[0]["result"])[1], rtol=1e-5)
    with pytest.raises(tf.errors.NotFoundError, match="no node 'zzz'"):
        model.prune("x:0", "zzz:0")(tf.constant(fed["x"]))
