"""What a process can do that was forked from one which had used XLA and threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

_PROGRAM = """
import os, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import runnel as tf

x = tf.ones([300, 300])
product = tf.function(lambda a: tf.reduce_sum(a @ a), jit_compile=True)
product(x).numpy()
softmax = [tf.nn.softmax(x) for _ in range(3)]
made = iter(tf.data.Dataset.range(10 ** 6).prefetch(2))
next(made)


def refused(fn):
    try:
        fn()
    except RuntimeError as error:
        return "spawn" in str(error)


def exhausted():
    for _ in range(10 ** 6):
        next(made)


def mapped(calls):
    data = tf.data.Dataset.from_tensor_slices(np.ones((4, 300, 300), np.float32))
    data = data.map(lambda a: tf.nn.softmax(a @ a), num_parallel_calls=calls).prefetch(2)
    return len(list(data)) == 4


checks = {
    "a compiled function": lambda: refused(lambda: product(x)),
    "a new one": lambda: refused(lambda: tf.function(lambda a: a @ a + 1, jit_compile=True)(x)),
    "many in one": lambda: refused(lambda: tf.vectorized_map(lambda a: a * a, x)),
    "an iterator of the parent": lambda: refused(exhausted),
    "small work": lambda: int(tf.add(1, 2)) == 3,
    "large work": lambda: [tf.nn.softmax(x).shape for _ in range(3)][2] == (300, 300),
    "data": lambda: mapped(None),
    "data on threads": lambda: mapped(2),
}
for name, check in checks.items():
    child = os.fork()
    if child == 0:
        print(name, check(), flush=True)
        sys.exit()  # as programs do: nothing may wait for threads at the end either
    os.waitpid(child, 0)
"""


def test_a_forked_process_says_what_it_cannot_do_and_never_hangs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, timeout=100
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 8, done.stdout + done.stderr
    assert all(line.endswith(" True") for line in lines), done.stdout + done.stderr


_SEQUENCE = """
import numpy as np
import runnel as tf


class Batches(tf.keras.utils.Sequence):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        images = tf.image.resize(tf.ones([4, 80, 80, 3]), [100, 100])  # large: XLA's in the parent
        return images.numpy().mean((1, 2)), np.ones((4, 1), np.float32)


if __name__ == "__main__":
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", jit_compile=True)
    apart = dict(workers=2, use_multiprocessing=True, verbose=0)
    model.fit(Batches(), epochs=3, **apart)
    model.evaluate(Batches(), **apart)
    print(model.predict(Batches(), **apart).shape)
"""


def test_processes_make_the_batches_of_a_sequence(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_SEQUENCE)
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=100
    )
    assert done.stdout == "(12, 1)\n", done.stdout + done.stderr
