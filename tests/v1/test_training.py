"""Queues, hooks, supervisors and checkpoints do in TensorFlow 1's programs what they do there."""

import json
from pathlib import Path
from typing import Any

import pytest

import runnel as tf
from tests.golden.v1_training import PROGRAMS

v1 = tf.compat.v1
WANTED = json.loads((Path(__file__).parents[1] / "golden/v1_training.json").read_text())


def close(value):
    """A nest in which numbers are compared as nearly equal."""
    if isinstance(value, list):
        return [close(v) for v in value]
    return pytest.approx(value, rel=1e-5) if isinstance(value, float) else value


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_what_it_does_in_tensorflow(name, tmp_path):
    with tf.Graph().as_default():
        found = PROGRAMS[name](tf.compat.v1, str(tmp_path))
    assert found == close(WANTED[name])


def test_a_saver_writes_whole_paths_unless_they_are_to_be_relative(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.get_variable("v", initializer=1.0)
        session.run(variable.initializer)
        for relative, name in ((False, "whole"), (True, "short")):
            saver = v1.train.Saver(save_relative_paths=relative)
            path = saver.save(session, str(tmp_path / "m"), 1, latest_filename=name)
            written = (tmp_path / name).read_text()
            assert f'model_checkpoint_path: "{"m-1" if relative else path}"\n' in written
            assert v1.train.latest_checkpoint(str(tmp_path), name) == path


def test_the_state_of_checkpoints_has_their_times(tmp_path: Path) -> None:
    folder = str(tmp_path)
    paths = [f"{folder}/m-1", f"{folder}/m-2"]
    v1.train.update_checkpoint_state(folder, paths[1], paths, None, [1.5, 2.5], 1.0)
    found = v1.train.get_checkpoint_state(folder)
    assert list(found.all_model_checkpoint_paths) == paths
    assert list(found.all_model_checkpoint_timestamps) == [1.5, 2.5]
    assert found.last_preserved_timestamp == 1.0
    with pytest.raises(ValueError, match="a timestamp for each path"):
        v1.train.update_checkpoint_state(folder, paths[1], paths, None, [1.5])


def test_arguments_that_nobody_knows_are_refused() -> None:
    class Kept(v1.layers.Layer):
        def build(self, input_shape: Any) -> None:
            self.add_weight("w", [1], nonsense=1)

    with tf.Graph().as_default(), pytest.raises(TypeError, match="'nonsense'"):
        Kept().apply(tf.ones([1]))
    both = v1.data.experimental.map_and_batch_with_legacy_function
    with pytest.raises(ValueError, match="not both"):
        both(tf.identity, 2, num_parallel_batches=1, num_parallel_calls=1)
