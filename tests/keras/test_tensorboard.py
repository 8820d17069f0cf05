"""The TensorBoard callback writes the summaries that tf_keras's writes, at the same steps."""

from pathlib import Path

import numpy as np
import pytest

import runnel as tf
from runnel.core.protos import messages
from tests.golden.cases import assert_answer, cases, recorded

CASES, WANT = cases("keras_tensorboard"), recorded("keras_tensorboard")


def without_graphs(result: object) -> object:
    """tf_keras leaves the graph of ops out where nothing looks at batches; we always write it."""
    if not isinstance(result, dict):
        return result
    return {folder: [e for e in events if e != "graph_def"] for folder, events in result.items()}


@pytest.mark.parametrize("name", CASES)
def test_tags_and_steps_are_those_of_tf_keras(name: str) -> None:
    want = {**WANT[name], "result": without_graphs(WANT[name]["result"])}
    # TensorBoard's own calls warn.
    assert_answer(lambda tf: without_graphs(CASES[name](tf)), tf, want, warnings=False)


class Subclassed(tf.keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.dense = tf.keras.layers.Dense(1)

    def call(self, inputs: dict[str, tf.Tensor]) -> tf.Tensor:
        return self.dense(inputs["a"]) + self.dense(inputs["b"])


def test_the_graph_of_ops_is_written_for_any_model_and_has_shapes(tmp_path: Path) -> None:
    model = Subclassed()
    model.compile("sgd", "mse")
    x = np.ones((4, 3), np.float32)
    board = tf.keras.callbacks.TensorBoard(tmp_path)
    model.fit({"a": x, "b": x}, x[:, :1], verbose=0, callbacks=[board])
    (path,) = (tmp_path / "train").iterdir()
    records = tf.data.TFRecordDataset(str(path)).as_numpy_iterator()
    found = [e.graph_def for e in map(messages.Event.FromString, records) if e.graph_def]
    (graph,) = map(messages.GraphDef.FromString, found)
    nodes = {node.op: node for node in graph.node}
    assert nodes["MatMul"].attr["_output_shapes"].list.shape[0].dim[1].size == 1


def fitted(board: object, layers: list[object]) -> None:
    model = tf.keras.Sequential(layers)
    model.compile("sgd", "mse")
    x = np.zeros((8, 1), np.int32)
    model.fit(x, np.ones((8, 1)), batch_size=2, epochs=2, verbose=0, callbacks=[board])


@pytest.mark.parametrize("batches", [2, "2,3", (6, 20)], ids=str)
def test_batches_are_profiled_in_files_for_the_profile_page(
    batches: object, tmp_path: Path
) -> None:
    board = tf.keras.callbacks.TensorBoard(tmp_path, profile_batch=batches)
    fitted(board, [tf.keras.layers.Embedding(3, 2), tf.keras.layers.Flatten()])
    (run,) = (tmp_path / "plugins" / "profile").iterdir()
    endings = {"".join(path.suffixes[-2:]) for path in run.iterdir()}
    assert {".xplane.pb", ".json.gz"} <= endings or any(e.endswith(".pb") for e in endings)


@pytest.mark.parametrize("batches", [-1, (3, 2), (1, 2, 3), None], ids=str)
def test_batches_that_cannot_be_profiled_are_refused(batches: object, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="profile_batch"):
        tf.keras.callbacks.TensorBoard(tmp_path, profile_batch=batches)


def test_embeddings_are_saved_and_named_for_the_projector(tmp_path: Path) -> None:
    words = tf.keras.layers.Embedding(3, 2, name="words")
    board = tf.keras.callbacks.TensorBoard(
        tmp_path, embeddings_freq=1, embeddings_metadata={"words": "words.tsv"}
    )
    fitted(board, [words, tf.keras.layers.Flatten()])
    config = (tmp_path / "projector_config.pbtxt").read_text()
    name = "layer_with_weights-0/embeddings/.ATTRIBUTES/VARIABLE_VALUE"
    assert config == (f'embeddings {{\n  tensor_name: "{name}"\n  metadata_path: "words.tsv"\n}}\n')
    saved = tf.train.load_checkpoint(tmp_path / "train" / "keras_embedding.ckpt-1")
    np.testing.assert_array_equal(saved.get_tensor(name), words.get_weights()[0])


def test_metadata_of_unknown_embeddings_is_refused(tmp_path: Path) -> None:
    board = tf.keras.callbacks.TensorBoard(
        tmp_path, embeddings_freq=1, embeddings_metadata={"other": "words.tsv"}
    )
    with pytest.raises(ValueError, match="other"):
        fitted(board, [tf.keras.layers.Embedding(3, 2), tf.keras.layers.Flatten()])


def test_batches_are_written_without_a_progress_bar_too(tmp_path: Path) -> None:
    """As its documentation says; tf_keras forgets them unless another callback looks at batches."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    board = tf.keras.callbacks.TensorBoard(tmp_path, update_freq=1)
    model.fit(np.ones((4, 2)), np.ones((4, 1)), batch_size=2, verbose=0, callbacks=[board])
    (path,) = (tmp_path / "train").iterdir()
    assert path.read_bytes().count(b"batch_loss") == 2
