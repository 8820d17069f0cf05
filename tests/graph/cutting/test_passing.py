"""Runs at shapes that may not come again: the answers are those of compiled ones."""

import numpy as np
import pytest

import runnel as tf
from runnel.core.op.context import state
from runnel.graph.cutting.passing import Varying, passing


@pytest.fixture
def compiled(monkeypatch):
    """How many words the segments of a test were compiled for, or run by what was."""
    found = []
    run = Varying.run

    def running(self, stage, env):
        words = env[self._slots[0]].shape
        run(self, lambda: (found.append(words), stage()), env)

    monkeypatch.setattr(Varying, "run", running)
    return found


TABLE = np.random.default_rng(2).normal(size=[50, 64]).astype(np.float32)


def lines(texts):
    words = tf.strings.split(texts).flat_values  # by the host: nobody knows how many
    x = tf.gather(TABLE, tf.strings.to_hash_bucket_fast(words, 50))
    for _ in range(6):
        x = tf.tanh(tf.matmul(x, TABLE[:50], transpose_b=True) @ TABLE / 64.0) + x
    return tf.reduce_mean(x, axis=0), words


def test_a_segment_behind_the_host_is_compiled_for_shapes_that_return(compiled):
    traced = tf.function(lines, jit_compile="at once")  # as Keras says of networks with loops
    texts = [tf.constant(["a few words", "of text " * n]) for n in range(1, 5)]
    for _ in range(4):
        for text in texts:
            got, want = traced(text), lines(text)
            np.testing.assert_allclose(got[0], want[0], rtol=1e-4, atol=1e-5)
            assert got[1].numpy().tolist() == want[1].numpy().tolist()
    assert compiled.count((5,)) >= 3  # from the beginning
    assert 2 <= compiled.count((9,)) < compiled.count((5,))  # when they had come twice


def test_passing_ends_with_the_run():
    with pytest.raises(ZeroDivisionError), passing():
        assert state.passing
        _ = 1 / 0
    assert not state.passing
