"""SavedModels whose functions touch files: loading runs none of them, and may refuse them all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import runnel as tf
from runnel.core.protos import messages

FORBID = tf.saved_model.LoadOptions(forbid_outside_access=True)


def _saved(folder: Path, **attributes: Any) -> str:
    model = tf.Module()
    for name, value in attributes.items():
        setattr(model, name, value)
    tf.saved_model.save(model, str(folder))
    return str(folder)


def _function(fn: Any) -> Any:
    def call() -> Any:
        result = fn()
        return result if tf.is_tensor(result) else tf.constant(0)  # not an operation

    return tf.function(call, input_signature=[])


def test_functions_touch_files_when_they_are_called_and_not_before(tmp_path: Path) -> None:
    made = tmp_path / "made.txt"
    fn = _function(lambda: tf.io.write_file(str(made), "x"))
    loaded = tf.saved_model.load(_saved(tmp_path / "m", fn=fn))
    assert not made.exists()
    loaded.fn()
    assert made.read_text() == "x"


@pytest.mark.parametrize(
    ("op", "body"),
    [
        ("WriteFile", lambda path: tf.io.write_file(path, "x")),
        ("ReadFile", lambda path: tf.io.read_file(path)),
        ("MatchingFiles", lambda path: tf.io.matching_files(path)),
        ("PrintV2", lambda path: tf.print("x", output_stream=f"file://{path}")),
        ("SaveV2", lambda path: tf.raw_ops.SaveV2(
            prefix=path, tensor_names=["a"], shape_and_slices=[""], tensors=[tf.constant(1.0)]
        )),
        ("TextLineDataset", lambda path: tf.data.TextLineDataset(path).reduce(0, lambda n, _: n)),
        ("ReadFile", lambda path: tf.cond(
            tf.random.uniform([]) > 2.0, lambda: tf.io.read_file(path), lambda: "x"
        )),
        ("ReadFile", lambda path: tf.data.Dataset.from_tensors(path).map(tf.io.read_file).reduce(
            "", lambda _, text: text
        )),
    ],
)  # fmt: skip
def test_a_model_that_touches_files_can_be_refused(op: str, body: Any, tmp_path: Path) -> None:
    folder = _saved(tmp_path / "m", fn=_function(lambda: body(str(tmp_path / "made.txt"))))
    with pytest.raises(tf.errors.PermissionDeniedError, match=rf"{op} \(.* in the function '.*'"):
        tf.saved_model.load(folder, options=FORBID)
    tf.saved_model.load(folder)


def test_a_model_may_read_its_own_assets(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("a\nb")
    table = tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(
            str(words), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER,
        ), -1,
    )  # fmt: skip
    find = tf.function(table.lookup, input_signature=[tf.TensorSpec([], tf.string)])
    folder = _saved(tmp_path / "m", table=table, find=find)
    words.unlink()
    loaded = tf.saved_model.load(folder, options=FORBID)
    assert loaded.find(tf.constant("b")).numpy() == 1
    again = _saved(tmp_path / "again", table=loaded.table, find=loaded.find)
    assert tf.saved_model.load(again, options=FORBID).find(tf.constant("b")).numpy() == 1


class _Evil(tf.saved_model.experimental.TrackableResource):
    """A resource that makes a file when it is filled."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = str(path)

    def _create_resource(self) -> Any:
        return tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64)

    def _initialize(self) -> None:
        tf.io.write_file(self._path, "x")


def test_loading_runs_nothing_that_touches_files(tmp_path: Path) -> None:
    made = tmp_path / "made.txt"
    folder = _saved(tmp_path / "m", resource=_Evil(made))
    made.unlink(missing_ok=True)
    with pytest.raises(tf.errors.PermissionDeniedError, match="WriteFile"):
        tf.saved_model.load(folder)
    assert not made.exists()


def test_a_table_is_not_filled_from_a_file_that_is_no_asset(tmp_path: Path) -> None:
    """The initializer has a constant of the asset's own name, and takes the path from that."""
    words = tmp_path / "words.txt"
    words.write_text("secret\nb")
    initializer = tf.lookup.TextFileInitializer(str(words), tf.string, -2, tf.int64, -1)
    table = tf.lookup.StaticHashTable(initializer, -1)
    folder = _saved(tmp_path / "m", table=table)
    path = Path(folder, "saved_model.pb")
    saved = messages.SavedModel.FromString(path.read_bytes())
    for function in saved.meta_graphs[0].graph_def.library.function:
        for node in [n for n in function.node_def if n.op == "InitializeTableFromTextFileV2"]:
            constant = function.node_def.add(name=node.input[1].partition(":")[0], op="Const")
            constant.attr["dtype"].type = constant.attr["value"].tensor.dtype = 7
            constant.attr["value"].tensor.string_val.append(str(words).encode())
            constant.attr["value"].tensor.tensor_shape.SetInParent()
            node.input[1] = f"{constant.name}:output:0"
    path.write_bytes(saved.SerializeToString())
    with pytest.raises(tf.errors.PermissionDeniedError, match="InitializeTable") as caught:
        tf.saved_model.load(folder)
    assert "secret" not in str(caught.value)


def test_a_line_of_a_file_is_not_in_the_error(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("secret:x:0:0")
    for key, value in ((1, -1), (-2, -2)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="line 1 of this one") as caught:
            tf.lookup.StaticHashTable(
                tf.lookup.TextFileInitializer(str(words), tf.string, key, tf.int64, value), -1
            )
        assert "secret" not in str(caught.value)
    with pytest.raises((ValueError, tf.errors.OpError), match=r"words\.txt") as caught_again:
        tf.keras.layers.IntegerLookup(vocabulary=str(words))
    assert "secret" not in str(caught_again.value)
    with pytest.raises(tf.errors.InvalidArgumentError, match="vocab_file") as caught_last:
        tf.random.fixed_unigram_candidate_sampler([[0]], 1, 1, True, 1, vocab_file=str(words))
    assert "secret" not in str(caught_last.value)
