"""The TensorBoard callback writes the summaries that tf_keras's writes, at the same steps."""

from pathlib import Path

import numpy as np
import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

CASES, WANT = cases("keras_tensorboard"), recorded("keras_tensorboard")


@pytest.mark.parametrize("name", CASES)
def test_tags_and_steps_are_those_of_tf_keras(name: str) -> None:
    assert_answer(CASES[name], tf, WANT[name], warnings=False)  # TensorBoard's own calls warn


@pytest.mark.parametrize(
    "options",
    [{"profile_batch": 2}, {"profile_batch": (1, 3)}, {"embeddings_freq": 1}],
    ids=str,
)
def test_what_is_not_there_is_named(options: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match=next(iter(options))):
        tf.keras.callbacks.TensorBoard(tmp_path, **options)


def test_batches_are_written_without_a_progress_bar_too(tmp_path: Path) -> None:
    """As its documentation says; tf_keras forgets them unless another callback looks at batches."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    board = tf.keras.callbacks.TensorBoard(tmp_path, update_freq=1)
    model.fit(np.ones((4, 2)), np.ones((4, 1)), batch_size=2, verbose=0, callbacks=[board])
    (path,) = (tmp_path / "train").iterdir()
    assert path.read_bytes().count(b"batch_loss") == 2
