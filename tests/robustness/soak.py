"""Long runs do not grow: what each kind of work keeps in memory after it has warmed up.

Each kind has a process of its own. A fifth of the tries is for warming up; the growth is the slope
of a line through what the process holds afterwards. Models and functions are made and dropped a
hundredth as often.
"""

from __future__ import annotations

import gc
import logging
import resource
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import runnel as tf
from tests.robustness.children import Child, Tell
from tests.robustness.outcome import Outcome

NAME = "soak"
_SAMPLES = 20
_FEWEST = 3  # samples that are taken however little time there is
_NOISE = 8.0  # megabytes by which a process may grow for reasons of the allocator
Step = Callable[[int], object]


@dataclass(frozen=True)
class Work:
    """Something to be done again and again; `begin()` gives what is one step of it.

    `bound` is how many megabytes ten thousand steps may add, `rarely` how many tries one step is.
    """

    name: str
    begin: Callable[[], Step]
    bound: float = 2.0
    rarely: int = 1


def trial(tries: int, minutes: float, seed: int) -> Outcome:
    del seed  # nothing is left to chance
    began = time.monotonic()
    outcome = Outcome(NAME, 0, 0.0)
    notes = []
    for number, work in enumerate(WORKS):
        left = 60 * minutes - (time.monotonic() - began)
        share = left / (len(WORKS) - number)
        samples, ended = _measure(work, max(tries // work.rarely, _SAMPLES), share)
        if ended or len(samples) < _FEWEST:
            outcome.findings.append(f"{work.name}: {ended or 'it ended early'}")
            continue
        outcome.tries += samples[-1][0]
        growth, total = _growth(samples)
        notes.append(f"{work.name} {growth:+.2f}")
        told = len(samples) > _SAMPLES / 2  # fewer are those of a process that warms up
        if told and growth > work.bound and total > _NOISE:
            outcome.findings.append(
                f"{work.name}: {growth:.1f} MB per 10,000 steps, of which {work.bound} are allowed"
            )
    outcome.seconds = time.monotonic() - began
    outcome.notes = "MB per 10,000: " + ", ".join(notes)
    return outcome


def _measure(work: Work, steps: int, seconds: float) -> tuple[list[Any], str]:
    """Steps with the megabytes after them, and how the process ended, if not well."""
    child = Child(lambda tell: _run(work, steps, seconds, tell))
    samples = child.listen(2 * seconds + 60)
    return samples, child.end(5.0)


def _growth(samples: list[Any]) -> tuple[float, float]:
    """Megabytes per 10,000 steps, and in all, after a fifth of the steps."""
    warm = [sample for sample in samples if sample[0] >= samples[-1][0] / 5]
    done, megabytes = np.transpose(warm)
    slope = np.polyfit(done, megabytes, 1)[0]
    return 10_000 * slope, megabytes[-1] - megabytes[0]


def _run(work: Work, steps: int, seconds: float, tell: Tell) -> None:
    warnings.simplefilter("ignore")
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
    deadline = time.monotonic() + seconds
    step = work.begin()
    every = max(steps // _SAMPLES, 1)
    for number in range(steps):
        step(number)
        if number % every == every - 1:
            gc.collect()
            tell([number + 1, _resident()])
            if time.monotonic() > deadline and number > _FEWEST * every:
                return


def _resident() -> float:
    """The megabytes of memory that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


# What is done.


def _eager() -> Step:
    x = tf.constant(np.ones([8, 8], np.float32))
    return lambda number: tf.reduce_sum(tf.nn.relu(tf.linalg.matmul(x, x) + float(number)))


def _tape() -> Step:
    x = tf.Variable(np.ones([8, 8], np.float32))

    def step(number: int) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(tf.linalg.matmul(x, x)))
        x.assign_sub(1e-3 * tape.gradient(loss, x))

    return step


def _train_step() -> Step:
    model, optimizer = _model(), tf.keras.optimizers.Adam(1e-4)
    x, y = np.ones([16, 8], np.float32), np.ones([16, 1], np.float32)

    @tf.function
    def step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    return lambda number: step(x, y)


def _model() -> Any:
    layers = tf.keras.layers
    parts = [layers.Input([8]), layers.Dense(16, activation="relu"), layers.Dense(1)]
    return tf.keras.Sequential(parts)


def _train_on_batch() -> Step:
    model = _model()
    model.compile("adam", "mse")
    x, y = np.ones([16, 8], np.float32), np.ones([16, 1], np.float32)
    return lambda number: model.train_on_batch(x, y)


def _function() -> Step:
    weights = tf.Variable(np.ones([32, 32], np.float32))

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        for _ in range(10):
            x = tf.tanh(tf.linalg.matmul(x, weights))
        return x

    x = np.ones([4, 32], np.float32)
    return lambda number: step(x)


def _python_arguments() -> Step:
    """A number that is new each time is traced each time: what a trace keeps is let go."""

    @tf.function
    def step(x: tf.Tensor, scale: int) -> tf.Tensor:
        return x * float(scale) + 1.0

    x = tf.constant([1.0, 2.0])
    return lambda number: step(x, number)


def _shapes() -> Step:
    @tf.function(reduce_retracing=True)
    def step(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.tanh(x) * x)

    return lambda number: step(np.ones([1 + number % 997, 1 + number // 997 % 13], np.float32))


def _elements() -> Step:
    numbers = tf.data.Dataset.range(1000).repeat().shuffle(100)
    batches = numbers.map(lambda n: tf.cast(n, tf.float32) * 2.0).batch(8).prefetch(2)
    iterator = iter(batches)
    return lambda number: next(iterator)


def _iterators() -> Step:
    numbers = tf.data.Dataset.range(6).map(lambda n: n * 2).batch(2)
    return lambda number: list(numbers)


def _models() -> Step:
    x, y = np.ones([16, 8], np.float32), np.ones([16, 1], np.float32)

    def step(number: int) -> None:
        model = _model()
        model.compile("sgd", "mse")
        model.fit(x, y, verbose=0, batch_size=4)
        model.predict(x, verbose=0)
        tf.keras.backend.clear_session()

    return step


def _functions() -> Step:
    weights = tf.Variable(np.ones([8, 8], np.float32))

    def step(number: int) -> None:
        @tf.function
        def made(x: tf.Tensor) -> tf.Tensor:
            for _ in range(10):
                x = tf.tanh(tf.linalg.matmul(x, weights) + float(number))
            return x

        for _ in range(3):  # the last one is compiled
            made(weights)

    return step


WORKS = [
    Work("eager ops", _eager),
    Work("tape", _tape),
    Work("train step", _train_step),
    Work("train_on_batch", _train_on_batch),
    Work("function", _function),
    Work("Python arguments", _python_arguments),
    Work("shapes", _shapes),
    Work("dataset elements", _elements),
    Work("iterators", _iterators, rarely=10),
    Work("models", _models, bound=400.0, rarely=100),
    Work("functions", _functions, bound=400.0, rarely=100),
]
