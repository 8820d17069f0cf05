"""Interrupts at random moments: every variable has its old value or its new one, and all goes on.

The work is such that the state after any number of steps is known. A strike may come out of the
call as itself or not have come yet; it must not vanish, come out as something else, or cost a
value.
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import runnel as tf
from tests.robustness.outcome import Outcome
from tests.robustness.strikes import Struck, by_signal, by_thread

NAME = "interrupt"
STEPS = 12
_ROWS, _BATCH = 32, 8


class Work:
    """Something with variables that makes steps; `counter` is the variable that counts them."""

    def __init__(self, variables: Sequence[Any], counter: Any, run: Callable[[int], Any]) -> None:
        self.variables, self.counter, self.run = list(variables), counter, run
        self._first = [v.numpy() for v in self.variables]
        self.states = [self._first]
        for _ in range(STEPS + 1 if counter is not None else 0):
            self.run(1)
            self.states.append([v.numpy() for v in self.variables])
        self.reset()

    def reset(self) -> None:
        for variable, value in zip(self.variables, self._first, strict=True):
            variable.assign(value)

    def problem(self) -> str | None:
        """What is wrong with the variables after a strike."""
        try:
            count = 0 if self.counter is None else int(self.counter.numpy())
            values = [v.numpy() for v in self.variables]
        except BaseException as error:
            return f"a variable cannot be read: {error!r}"
        near = self.states[max(count - 1, 0) : count + 2]
        for place, value in enumerate(values):
            if not any(np.allclose(value, s[place], rtol=1e-4, atol=1e-6) for s in near):
                name = self.variables[place].name
                return f"{name} has neither its old nor its new value after {count} steps"
        try:
            self.run(1)
        except BaseException as error:
            return f"a further step fails: {error!r}"
        return None


def _data() -> tuple[Any, Any]:
    numbers = np.random.default_rng(0)
    x = numbers.normal(size=(_ROWS, 6)).astype(np.float32)
    return x, numbers.normal(size=(_ROWS, 2)).astype(np.float32)


def _model() -> Any:
    tf.keras.utils.set_random_seed(1)
    dense = tf.keras.layers.Dense
    model = tf.keras.Sequential([dense(8, activation="tanh", input_shape=(6,)), dense(2)])
    model.compile(tf.keras.optimizers.Adam(0.1), "mse")
    model.optimizer.build(model.trainable_variables)
    return model


def _variables(model: Any) -> list[Any]:
    return [*model.trainable_variables, *model.optimizer.variables]


def fit() -> Work:
    model, (x, y) = _model(), _data()

    def run(steps: int) -> None:
        done = int(model.optimizer.iterations.numpy())
        if steps == 1:  # the batch that comes next
            first = done * _BATCH % _ROWS
            model.train_on_batch(x[first : first + _BATCH], y[first : first + _BATCH])
        else:
            epochs = steps * _BATCH // _ROWS
            model.fit(x, y, batch_size=_BATCH, epochs=epochs, shuffle=False, verbose=0)

    return Work(_variables(model), model.optimizer.iterations, run)


def evaluate() -> Work:
    model, (x, y) = _model(), _data()
    return Work(
        _variables(model), None, lambda _: model.evaluate(x, y, batch_size=_BATCH, verbose=0)
    )


def predict() -> Work:
    model, (x, _) = _model(), _data()
    return Work(_variables(model), None, lambda _: model.predict(x, batch_size=_BATCH, verbose=0))


def _gradients(model: Any, x: Any, y: Any) -> Any:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    return tape.gradient(loss, model.trainable_variables)


def own_loop() -> Work:
    model, (x, y) = _model(), map(tf.constant, _data())

    @tf.function
    def step() -> None:
        gradients = _gradients(model, x, y)
        model.optimizer.apply_gradients(zip(gradients, model.trainable_variables))

    def run(steps: int) -> None:
        for _ in range(steps):
            step()

    return Work(_variables(model), model.optimizer.iterations, run)


def eager_steps() -> Work:
    model, (x, y) = _model(), map(tf.constant, _data())

    def run(steps: int) -> None:
        for _ in range(steps):
            gradients = _gradients(model, x, y)
            model.optimizer.apply_gradients(zip(gradients, model.trainable_variables))

    return Work(_variables(model), model.optimizer.iterations, run)


def loop_and_branch() -> Work:
    """A compiled loop that writes a variable, in a branch; and one whose shape may change."""
    count, total = tf.Variable(0), tf.Variable(np.zeros([40, 40], np.float32))
    free = tf.Variable([0.0], shape=[None])

    @tf.function(jit_compile=True)
    def step() -> None:
        for i in tf.range(5):
            if i % 2 == 0:
                total.assign_add(tf.ones([40, 40]))
            else:
                total.assign(total * 1.5)
        free.assign(free + 1.0)
        count.assign_add(1)

    def run(steps: int) -> None:
        for _ in range(steps):
            step()

    return Work([count, total, free], count, run)


def first_call() -> Work:
    """A function that is traced, compiled and run for the first time, and anew each time."""
    count, weights = tf.Variable(0), tf.Variable(np.eye(20, dtype=np.float32))

    def run(steps: int) -> None:
        @tf.function(jit_compile=True)
        def step() -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.tanh(weights @ weights))
            weights.assign_sub(0.1 * tape.gradient(loss, weights))
            count.assign_add(1)
            return loss

        step()
        if not tf.executing_eagerly() or tf.constant(1.0).numpy() != 1:
            raise AssertionError("a graph is still being built")

    return Work([count, weights], count, run)


def eager_ops() -> Work:
    x = tf.random.stateless_normal([50, 50], [1, 2])

    def run(steps: int) -> None:
        for _ in range(steps):
            for y in (tf.tile(x, [2, 2]), tf.concat([x, x], 0), tf.stack([x, x]), x[1:3] + x[2:4]):
                tf.reduce_sum(y)

    return Work([], None, run)


WORKS: dict[str, Callable[[], Work]] = {
    work.__name__: work
    for work in (
        fit,
        evaluate,
        predict,
        own_loop,
        eager_steps,
        loop_and_branch,
        first_call,
        eager_ops,
    )
}


def seconds_of(work: Work) -> float:
    """What a run of all steps takes, once it has been compiled."""
    work.run(STEPS)
    work.reset()
    start = time.perf_counter()
    work.run(STEPS)
    work.reset()
    return time.perf_counter() - start


def strike_once(work: Work, seconds: float, numbers: random.Random) -> tuple[bool, str | None]:
    """Strike once; whether something was struck, and the problem."""
    work.reset()
    error = numbers.choice([KeyboardInterrupt, Struck, TimeoutError])("struck")
    strike = numbers.choice([by_signal, by_signal, by_thread])
    try:
        struck, found = strike(lambda: work.run(STEPS), numbers.uniform(0, seconds), error)
    except type(error) as late:  # it struck before or after the work
        struck, found = True, late
    if struck and found is None and (isinstance(error, KeyboardInterrupt) or strike is by_signal):
        return True, f"{type(error).__name__} vanished"
    if found is not None and type(found) is not type(error):
        return True, f"{type(error).__name__} came out as {found!r}"
    return struck, work.problem()


def _child(name: str, tries: int, seed: int, deadline: float) -> None:
    """Strike one kind of work again and again; prints each outcome as a line."""
    numbers, work = random.Random(seed), WORKS[name]()
    seconds, end = seconds_of(work), time.monotonic() + deadline
    done = 0
    while done < tries and time.monotonic() < end:
        struck, problem = strike_once(work, seconds, numbers)
        done += struck
        if problem is not None:
            print(json.dumps(problem), flush=True)
            work = WORKS[name]()
    print(json.dumps(done), flush=True)


def _run_child(name: str, tries: int, seed: int, deadline: float) -> tuple[int, list[str]]:
    command = [sys.executable, "-m", __name__, name, str(tries), str(seed), str(deadline)]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=deadline + 120)
    except subprocess.TimeoutExpired:
        return 0, [f"{name}: hangs after an interrupt"]
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    done = sum(line for line in lines if isinstance(line, int))
    findings = [f"{name}: {line}" for line in lines if isinstance(line, str)]
    if found.returncode:
        findings.append(f"{name}: ended with {found.returncode}: {found.stderr[-300:]}")
    return done, findings


def trial(tries: int, minutes: float, seed: int) -> Outcome:
    start = time.monotonic()
    outcome = Outcome(NAME, 0, 0.0)
    deadline = 60 * minutes / len(WORKS)
    for place, name in enumerate(WORKS):
        done, findings = _run_child(name, -(-tries // len(WORKS)), seed + place, deadline)
        outcome.tries += done
        outcome.findings += findings
    outcome.seconds = time.monotonic() - start
    return outcome


if __name__ == "__main__":
    _child(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
