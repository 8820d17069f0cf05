"""The command `runnel-saved-model`."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf
from runnel.saved_model.command_line import main
from runnel.saved_model.expressions import evaluate
from tests.children import run
from tests.golden import saved_model_answers as answers


@pytest.fixture
def model(tmp_path) -> str:
    answers.unpack("signatures", tmp_path / "model")
    return str(tmp_path / "model")


def test_show_prints_tags_signatures_and_functions(model: str, capsys) -> None:
    assert main(["show", "--dir", model]) == 0
    assert "'serve'" in capsys.readouterr().out
    assert main(["show", "--dir", model, "--tag_set", "serve"]) == 0
    assert 'SignatureDef key: "rows"' in capsys.readouterr().out
    assert main(["show", "--dir", model, "--tag_set", "serve", "--signature_def", "rows"]) == 0
    text = capsys.readouterr().out
    assert "inputs['ids'] tensor_info:" in text and "dtype: DT_INT32" in text
    assert "shape: (-1)" in text and "tensorflow/serving/predict" in text
    assert main(["show", "--dir", model, "--all"]) == 0
    text = capsys.readouterr().out
    assert "Function Name: 'norm'" in text and "ids: TensorSpec(shape=(None,)" in text
    assert main(["show", "--dir", model, "--tag_set", "serve", "--list_ops"]) == 0
    assert "ResourceGather" in capsys.readouterr().out


def test_run_prints_and_writes_results(model: str, tmp_path, capsys) -> None:
    np.save(tmp_path / "ids.npy", np.array([0, 6], np.int32))
    out = str(tmp_path / "out")
    command = ["run", "--dir", model, "--signature_def", "rows", "--outdir", out]
    inputs = [f"--inputs=ids={tmp_path}/ids.npy", "--input_exprs=weights=np.ones((2,)) * 2"]
    assert main([*command, *inputs]) == 0
    assert "Result for output key rows:" in capsys.readouterr().out
    assert np.load(tmp_path / "out" / "rows.npy").shape == (2, 3)
    assert main([*command, *inputs]) == 1
    assert "--overwrite" in capsys.readouterr().err
    assert main([*command, *inputs, "--overwrite"]) == 0


def test_mistakes_are_explained(model: str, capsys) -> None:
    for arguments, text in [
        (["show", "--dir", "/no/such"], "does not exist"),
        (["show", "--dir", model, "--tag_set", "x"], "no graph with the tags"),
        (["run", "--dir", model, "--signature_def", "zzz"], "there are: norm, rows"),
        (["run", "--dir", model, "--signature_def", "norm"], "takes the inputs ['which']"),
        (["run", "--dir", model, "--signature_def", "norm", "--inputs=which"], "name=value"),
    ]:
        assert main(arguments) == 1
        assert text in capsys.readouterr().err


def test_files_of_arrays_that_are_damaged_are_refused(model: str, tmp_path, capsys) -> None:
    np.savez(tmp_path / "good.npz", ids=np.array([0, 6], np.int32))
    good = (tmp_path / "good.npz").read_bytes()
    header = good.index(b"{'descr'")
    (tmp_path / "cut.npz").write_bytes(good[:-30])
    (tmp_path / "flipped.npz").write_bytes(good[:header] + b"((" + good[header + 2 :])
    for file, text in [
        ("cut.npz", "cut.npz cannot be read: damaged"),
        ("flipped.npz[ids]", "flipped.npz cannot be read: damaged"),
        ("good.npz[other]", "no array 'other' in it"),
    ]:
        inputs = [f"--inputs=ids={tmp_path}/{file}", "--input_exprs=weights=np.ones((2,))"]
        assert main(["run", "--dir", model, "--signature_def", "rows", *inputs]) == 1
        assert text in capsys.readouterr().err


def test_expressions_are_arrays_and_never_code() -> None:
    assert evaluate("[[1, -2.5], [3, 4]]") == [[1, -2.5], [3, 4]]
    assert evaluate("np.arange(6).reshape(2, 3).astype(np.float32)").dtype == np.float32
    for text in ("__import__('os')", "np.load('x')", "open('x')", "(1).__class__", "np.", "x"):
        with pytest.raises(ValueError, match="expression"):
            evaluate(text)


def test_scan_looks_for_ops_in_functions_that_the_graph_calls(tmp_path, capsys) -> None:
    model = tf.Module()
    model.read = tf.function(tf.io.read_file, input_signature=[tf.TensorSpec([], tf.string)])
    model.add = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([])])
    folder = str(tmp_path)
    tf.saved_model.save(model, folder, signatures=model.read)
    assert main(["scan", "--dir", folder]) == 0
    assert "contains the following denylisted ops: {'ReadFile'}" in capsys.readouterr().out
    assert main(["scan", "--dir", folder, "--tag_set", "serve", "--op_denylist", "AddV2, Sub"]) == 0
    text = capsys.readouterr().out  # nothing calls the function that adds
    assert "does not contain the default denylisted ops: {'AddV2', 'Sub'}" in text
    assert main(["show", "--dir", folder, "--all"]) == 0
    text = capsys.readouterr().out
    assert text.index("Function Name: 'add'") < text.index("Function Name: 'read'")


def test_run_takes_examples(tmp_path, capsys) -> None:
    features = {"age": tf.io.FixedLenFeature([1], tf.int64), "who": tf.io.VarLenFeature(tf.string)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def ages(examples):
        parsed = tf.io.parse_example(examples, features)
        return parsed["age"], parsed["who"].values

    tf.saved_model.save(tf.Module(), str(tmp_path), signatures=ages)
    run = ["run", "--dir", str(tmp_path), "--input_examples"]
    assert main([*run, 'examples=[{"age":[22],"who":["a"]},{"age":[7],"who":["b","c"]}]']) == 0
    text = capsys.readouterr().out
    assert "[[22]\n [ 7]]" in text and "[b'a' b'b' b'c']" in text
    assert main([*run, 'examples={"age":[22]}']) == 1
    assert "must be a list of dictionaries" in capsys.readouterr().err
    assert main([*run, 'examples=[{"age":22}]']) == 1
    assert "at least one value" in capsys.readouterr().err


def test_without_a_command_the_help_is_shown(capsys) -> None:
    assert main([]) == 0
    assert "show" in capsys.readouterr().out


def test_the_module_runs_as_a_command(model: str) -> None:
    program = "import runpy, sys; sys.argv = ['x', 'show', '--dir', sys.argv[1]]; "
    done = run(
        program + "runpy.run_module('runnel.saved_model.command_line', None, '__main__')", model
    )
    assert "tag-sets" in done.stdout, done.stderr
