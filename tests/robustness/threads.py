"""Eight threads at once on everything that may be shared; the answers must be right.

The threads switch every few microseconds, so that what is not guarded shows soon.
"""

from __future__ import annotations

import itertools
import logging
import random
import shutil
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import runnel as tf
from runnel.core.protos import messages
from tests.robustness.outcome import Outcome

NAME = "threads"
_THREADS = 8
_SECONDS = 120.0  # after which threads that have not ended hang
_SWITCH = 20e-6


def trial(tries: int, minutes: float, seed: int) -> Outcome:
    began = time.monotonic()
    outcome = Outcome(NAME, 0, 0.0)
    chance = np.random.default_rng(seed)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    try:
        for case in itertools.islice(itertools.cycle(CASES), tries):
            if time.monotonic() - began > 60 * minutes:
                break
            finding = _run(case, chance)
            outcome.tries += 1
            if finding:
                outcome.findings.append(f"{case.__name__.strip('_')}: {finding}")
            if "hang" in finding:
                break
    finally:
        sys.setswitchinterval(interval)
    outcome.seconds = time.monotonic() - began
    outcome.notes = f"{len(CASES)} things shared by {_THREADS} threads"
    return outcome


class Hanging(Exception):
    pass


def _run(case: Callable[[np.random.Generator, str], None], chance: np.random.Generator) -> str:
    """What is wrong after a case, if anything is."""
    folder = tempfile.mkdtemp(prefix="runnel-threads-")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case(chance, folder)
    except Hanging as error:
        return f"threads hang: {error}"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {where.filename}:{where.lineno}: {error}"[:500]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return ""


def together(work: Callable[[int], Any]) -> list[Any]:
    """What each of the threads gives; the first error of one of them is raised."""
    barrier = threading.Barrier(_THREADS)
    given: list[Any] = [None] * _THREADS
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            barrier.wait(_SECONDS)
            given[number] = work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=[n], daemon=True) for n in range(_THREADS)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + _SECONDS
    for thread in threads:
        thread.join(max(deadline - time.monotonic(), 0))
    if any(thread.is_alive() for thread in threads):
        raise Hanging(f"{sum(thread.is_alive() for thread in threads)} of {_THREADS}")
    if errors:
        raise errors[0]
    return given


def _same(given: Any, wanted: Any, **how: Any) -> None:
    np.testing.assert_allclose(given, wanted, **how)


# What is shared.


def _one_function(chance: np.random.Generator, folder: str) -> None:
    """A function that is traced, interpreted and compiled while others call it."""
    weights = tf.Variable(chance.normal(size=[8, 8]).astype(np.float32))

    @tf.function
    def fn(x: tf.Tensor, times: int) -> tf.Tensor:
        for _ in range(10):
            x = tf.tanh(tf.linalg.matmul(x, weights)) + float(times)
        return x

    def work(number: int) -> None:
        own = random.Random(number)
        for _ in range(8):
            rows, times = own.randint(1, 4), own.randint(1, 3)
            x = np.full([rows, 8], number, np.float32)
            wanted = x
            for _ in range(10):
                wanted = np.tanh(wanted @ weights.numpy()) + times
            _same(fn(x, times), wanted, rtol=1e-4, atol=1e-4)

    together(work)


def _variable(chance: np.random.Generator, folder: str) -> None:
    """Sums into one variable, eagerly and in a function: none is lost."""
    total, counted = tf.Variable(np.zeros([4])), tf.Variable(0, dtype=tf.int64)

    @tf.function
    def add(x: tf.Tensor) -> None:
        total.assign_add(x)
        counted.assign_add(1)

    def work(number: int) -> None:
        for _ in range(20):
            total.assign_add([1.0, 2.0, 3.0, 4.0])
            add(tf.constant([1.0, 1.0, 1.0, 1.0], tf.float64))

    together(work)
    _same(total, 160 * np.array([2.0, 3.0, 4.0, 5.0]))
    _same(counted, 160)


def _scattering(chance: np.random.Generator, folder: str) -> None:
    table = tf.Variable(np.zeros([_THREADS, 3], np.float32))

    def work(number: int) -> None:
        for _ in range(20):
            table.scatter_nd_add([[number]], [[1.0, 2.0, 3.0]])

    together(work)
    _same(table, np.tile([20.0, 40.0, 60.0], [_THREADS, 1]))


def _model(chance: np.random.Generator) -> Any:
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Input([6]), layers.Dense(8), layers.Dense(2)])
    model.set_weights([chance.normal(size=w.shape) for w in model.weights])
    return model


def _predict(chance: np.random.Generator, folder: str) -> None:
    """One model's `predict`, and calls of it."""
    model = _model(chance)
    a, b, c, d = model.get_weights()

    def work(number: int) -> None:
        x = np.full([3 + number % 3, 6], number, np.float32)
        wanted = (x @ a + b) @ c + d
        for _ in range(2):
            _same(model.predict(x, verbose=0), wanted, rtol=1e-4)
            _same(model(x), wanted, rtol=1e-4)
            _same(model.predict_on_batch(x), wanted, rtol=1e-4)

    together(work)


def _own_models(chance: np.random.Generator, folder: str) -> None:
    """A model for each thread, made and trained there: all learn the same."""
    x = chance.normal(size=[16, 6]).astype(np.float32)
    y = x @ chance.normal(size=[6, 2]).astype(np.float32)
    start = _model(chance).get_weights()

    def work(number: int) -> list[np.ndarray]:
        model = _model(np.random.default_rng(number))
        model.set_weights(start)
        model.compile("sgd", "mse")
        model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0)
        return [*model.get_weights(), np.array(model.evaluate(x, y, verbose=0))]

    first, *others = together(work)
    for other in others:
        for one, two in zip(first, other):
            _same(two, one, rtol=1e-4, atol=1e-5)


def _tapes(chance: np.random.Generator, folder: str) -> None:
    x = tf.Variable(chance.normal(size=[5]))

    def work(number: int) -> None:
        for power in range(1, 6):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(x ** float(power)) * float(number)
            _same(tape.gradient(y, x), number * power * x.numpy() ** (power - 1), atol=1e-9)

    together(work)


def _dataset(chance: np.random.Generator, folder: str) -> None:
    """An iterator for each thread over one dataset, and one iterator for all."""
    dataset = tf.data.Dataset.range(60).map(lambda n: n * 2, num_parallel_calls=2).batch(4).cache()
    for numbers in together(lambda number: np.concatenate(list(dataset.as_numpy_iterator()))):
        _same(numbers, 2 * np.arange(60))
    shared = iter(tf.data.Dataset.range(200).prefetch(2))

    def work(number: int) -> list[int]:
        taken = []
        while (element := shared.get_next_as_optional()).has_value():
            taken.append(int(element.get_value()))
        return taken

    _same(sorted(itertools.chain(*together(work))), np.arange(200))


def _kept_files(chance: np.random.Generator, folder: str) -> None:
    """Caches and snapshots, each thread with a file of its own and then all with one."""
    dataset = tf.data.Dataset.range(40).map(lambda n: n + 1)

    def work(number: int) -> None:
        for kept in (dataset.cache(f"{folder}/c{number}"), dataset.snapshot(f"{folder}/s{number}")):
            for _ in range(2):
                _same(list(kept.as_numpy_iterator()), np.arange(1, 41))

    together(work)
    shared = dataset.cache(f"{folder}/c0"), dataset.snapshot(f"{folder}/s0")
    for kept in shared:
        together(lambda number, kept=kept: _same(list(kept.as_numpy_iterator()), np.arange(1, 41)))


def _tables(chance: np.random.Generator, folder: str) -> None:
    keys, values = tf.range(50, dtype=tf.int64), tf.range(50, dtype=tf.int64) * 3
    fixed = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)
    growing = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -2, -3)

    def work(number: int) -> None:
        own = tf.range(number * 20, number * 20 + 20, dtype=tf.int64)
        for table in (growing, dense):
            for key in tf.reshape(own, [10, 2]):
                table.insert(key, key * 7)
            _same(table.lookup(own), 7 * own.numpy())
        _same(fixed.lookup(keys), values)

    together(work)
    for table in (growing, dense):
        _same(table.size(), 20 * _THREADS)
        found = table.lookup(tf.range(20 * _THREADS, dtype=tf.int64))
        _same(found, 7 * np.arange(20 * _THREADS))


def _queues(chance: np.random.Generator, folder: str) -> None:
    """Half of the threads put in, half take out; a queue that is full or empty waits."""
    for queue in (
        tf.queue.FIFOQueue(5, [tf.int64], [[]]),
        tf.queue.RandomShuffleQueue(8, 0, [tf.int64], [[]]),
    ):

        def work(number: int, queue: Any = queue) -> list[int]:
            if number % 2:
                return [int(queue.dequeue()) for _ in range(25)]
            for item in range(25):
                queue.enqueue(number * 100 + item)
            return []

        taken = list(itertools.chain(*together(work)))
        wanted = [number * 100 + item for number in range(0, _THREADS, 2) for item in range(25)]
        _same(sorted(taken), wanted)


def _checkpoints(chance: np.random.Generator, folder: str) -> None:
    """Checkpoints of one folder, written and read at the same time."""

    def work(number: int) -> None:
        value = tf.Variable(np.full([100], number, np.float32))
        checkpoint = tf.train.Checkpoint(value=value)
        for _ in range(3):
            path = checkpoint.write(f"{folder}/own-{number}")
            checkpoint.write(f"{folder}/shared")
            read = tf.train.Checkpoint(value=tf.Variable(np.zeros([100], np.float32)))
            read.read(path)
            _same(read.value, value)

    together(work)
    read = tf.train.Checkpoint(value=tf.Variable(np.zeros([100], np.float32)))
    read.read(f"{folder}/shared").assert_consumed()
    if len(np.unique(read.value)) != 1:
        raise AssertionError(f"a checkpoint is torn: {np.unique(read.value)}")


def _manager(chance: np.random.Generator, folder: str) -> None:
    """One manager that all threads save with."""
    value = tf.Variable(3.0)
    checkpoint = tf.train.Checkpoint(value=value)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=3)
    together(lambda number: manager.save())
    value.assign(0.0)
    checkpoint.restore(manager.latest_checkpoint).assert_consumed()
    _same(value, 3.0)


def _models_saved(chance: np.random.Generator, folder: str) -> None:
    model = _model(chance)

    def work(number: int) -> None:
        path = f"{folder}/model-{number}" + (".keras", ".h5", "")[number % 3]
        model.save(path)
        loaded = tf.keras.models.load_model(path)
        for one, two in zip(loaded.get_weights(), model.get_weights()):
            _same(one, two)

    together(work)


def _summaries(chance: np.random.Generator, folder: str) -> None:
    writer = tf.summary.create_file_writer(folder)

    def work(number: int) -> None:
        with writer.as_default():
            for step in range(20):
                tf.summary.scalar(f"of/{number}", float(step), step=step)

    together(work)
    writer.close()
    (path,) = tf.io.gfile.glob(f"{folder}/*")
    events = [messages.Event.FromString(r.numpy()) for r in tf.data.TFRecordDataset(path)]
    seen = sorted((v.tag, event.step) for event in events for v in event.summary.value)
    if seen != sorted((f"of/{number}", step) for number in range(_THREADS) for step in range(20)):
        raise AssertionError(f"{len(seen)} summaries, or others than were written")


def _random_numbers(chance: np.random.Generator, folder: str) -> None:
    """A generator gives each thread other numbers, all of them from its sequence."""
    generator = tf.random.Generator.from_seed(int(chance.integers(1 << 30)))
    drawn = together(lambda number: [float(generator.uniform([])) for _ in range(20)])
    if len(set(itertools.chain(*drawn))) < 20 * _THREADS - 1:
        raise AssertionError("two threads were given the same numbers")


CASES = [
    _one_function, _variable, _scattering, _predict, _own_models, _tapes, _dataset, _kept_files,
    _tables, _queues, _checkpoints, _manager, _models_saved, _summaries, _random_numbers,
]  # fmt: skip
