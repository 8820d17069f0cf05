"""What each mechanism for speed is worth: its cases with it and without it, in turns.

    python -m benchmarks.mechanisms                        all of them
    python -m benchmarks.mechanisms unmade direct          some
    python -m benchmarks.mechanisms onednn --first

A mechanism stays in the library if its cases take a tenth less time with it, in the geometric mean,
and none of them a twentieth more. A figure is how many times as long a case takes without it. With
`--first`, it is the time until a new process has made a call three times, where an earlier process
has left its programs on the disk.
"""

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks import gradients, networks, run, strings, worker
from benchmarks.jobs import JOBS, Call, Prepare

OFF: dict[str, Callable[[], None]] = {}  # by mechanism: what switches it off in this process
CASES: dict[str, dict[str, Prepare]] = {}  # by mechanism: its cases by title


def mechanism(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def register(off: Callable[[], None]) -> Callable[[], None]:
        OFF[name] = off
        return off

    return register


def case(title: str, *mechanisms: str) -> Callable[[Prepare], Prepare]:
    def register(prepare: Prepare) -> Prepare:
        for name in mechanisms:
            CASES.setdefault(name, {})[title] = prepare
        return prepare

    return register


def normal(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape, dtype=np.float32)


# oneDNN, for convolutions in three dimensions.


@mechanism("onednn")
def no_onednn() -> None:
    from runnel.backend import onednn

    onednn.available = lambda: False


@case("convolution in three dimensions", "onednn")
def volumes(tf: ModuleType) -> Call:
    x, f = tf.Variable(normal(4, 16, 32, 32, 16)), tf.Variable(normal(3, 3, 3, 16, 16) / 20)
    return networks.trained(tf, lambda: tf.nn.conv3d(x, f, [1] * 5, "SAME"), [x, f])


@case("convolution of volumes, strides 2", "onednn")
def strided_volumes(tf: ModuleType) -> Call:
    x, f = tf.Variable(normal(8, 16, 16, 16, 32)), tf.Variable(normal(3, 3, 3, 32, 64) / 30)
    return networks.trained(tf, lambda: tf.nn.conv3d(x, f, [1, 2, 2, 2, 1], "SAME"), [x, f])


@case("3-D network of two layers", "onednn")
def solid_network(tf: ModuleType) -> Call:
    x = tf.constant(normal(4, 16, 32, 32, 1))
    kernels = [tf.Variable(normal(3, 3, 3, 1, 8) / 5), tf.Variable(normal(3, 3, 3, 8, 16) / 15)]

    def model(x: Any) -> Any:
        for kernel in kernels:
            x = tf.nn.relu(tf.nn.conv3d(x, kernel, [1] * 5, "SAME"))
            x = tf.nn.max_pool3d(x, 2, 2, "SAME")
        return x

    return networks.trained(tf, model, kernels, x)


# Tapes.


@mechanism("recurring")
def no_recurring() -> None:
    from runnel.core.gradients import gradient_tape

    gradient_tape.recurring = lambda *_: None


case("gradient of a three-layer network", "recurring")(gradients.network)
case("gradient of sum(v*v + v)", "recurring")(gradients.gradient_small)


@case("gradient of a convolutional network, eager", "recurring")
def eager_convolutions(tf: ModuleType) -> Call:
    x, f = tf.constant(normal(4, 8, 8, 3)), tf.Variable(normal(3, 3, 3, 8))
    w = tf.Variable(normal(8, 4))

    def call() -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(x, f, 1, "SAME")), [1, 2])
            loss = tf.reduce_sum(tf.nn.softmax(tf.matmul(y, w)) ** 2)
        return tape.gradient(loss, [f, w])

    return call


# Programs: how they are called, and which way they run.


@mechanism("direct")
def no_direct() -> None:
    from runnel.graph.run import plan

    plan.Direct.of = lambda *_: None


@mechanism("straight")
def no_straight() -> None:
    from runnel.graph.cutting import straight

    straight._OFTEN = -1


@case("loop that grows a list of numbers", "straight")
def growing(tf: ModuleType) -> Call:
    x = tf.constant(normal(100))

    @tf.function
    def fn(x: Any) -> Any:
        y = x[:1]
        for i in tf.range(100):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(y, tf.TensorShape([None]))]
            )
            y = tf.concat([y, x[i : i + 1]], 0)
        return y

    return lambda: fn(x)


@case("loop that joins strings", "straight")
def joining(tf: ModuleType) -> Call:
    words = tf.constant(["word"] * 100)

    @tf.function
    def fn(words: Any) -> Any:
        joined = tf.constant("")
        for i in tf.range(100):
            joined = tf.strings.join([joined, words[i]])
        return joined

    return lambda: fn(words)


@mechanism("trial")
def no_trial() -> None:
    from runnel.graph.run import plan

    plan._QUICK = 0.0


def _chain(tf: ModuleType, size: int) -> Call:
    x = tf.constant(normal(size))

    @tf.function
    def fn(x: Any) -> Any:
        for _ in range(10):
            x = tf.sin(x) * 0.5 + x
        return x

    return lambda: fn(x)


case("30 operations on 10 floats", "direct")(lambda tf: _chain(tf, 10))
case("30 operations on 10,000 floats", "direct")(lambda tf: _chain(tf, 10_000))


@case("dense layers of 64, batch 32", "direct")
def dense_layers(tf: ModuleType) -> Call:
    x, w = tf.constant(normal(32, 64)), tf.constant(normal(64, 64) / 8)

    @tf.function
    def fn(x: Any) -> Any:
        for _ in range(5):
            x = tf.nn.relu(tf.matmul(x, w) + 1.0)
        return x

    return lambda: fn(x)


def _masked(tf: ModuleType, size: int, times: int) -> Call:
    """A function that is cut at each `boolean_mask`."""
    x = tf.constant(normal(size))

    @tf.function
    def fn(x: Any) -> Any:
        for n in range(times):
            x = tf.sin(x) * 2.0 + tf.cos(x)
            x = tf.boolean_mask(x, x > -2.0 - n) + tf.reduce_mean(x)
        return x

    return lambda: fn(x)


case("cut 4 times, 30 floats", "trial")(lambda tf: _masked(tf, 30, 4))
case("cut 4 times, 3,000 floats", "trial")(lambda tf: _masked(tf, 3_000, 4))
case("cut 4 times, 30,000 floats", "trial")(lambda tf: _masked(tf, 30_000, 4))
case("cut once, 1,000 floats", "trial")(lambda tf: _masked(tf, 1_000, 1))


@case("words by number, then vectors", "trial")
def words_then_vectors(tf: ModuleType) -> Call:
    x, w = tf.constant([b"a b c", b"c d", b"a"] * 10), tf.constant(normal(16, 8))

    @tf.function
    def fn(x: Any) -> Any:
        numbers = tf.strings.to_hash_bucket_fast(tf.strings.split(x).values, 16)
        rows = tf.gather(w, numbers)
        return tf.nn.softmax(tf.tanh(rows * 2.0 + 1.0) @ tf.transpose(w))

    return lambda: fn(x)


# Loops.


@mechanism("counting")
def no_counting() -> None:
    from runnel.graph.control import compiled, counting

    class NoCounters(counting.Counters):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            self.steps, self.starts, self.slots, self.down = {}, {}, {}, None

    compiled.Counters = NoCounters


@mechanism("sums-of-products")
def no_sums_of_products() -> None:
    from runnel.graph.control import compiled

    compiled.sums_of_products = lambda *_: []


@mechanism("sums-of-rows")
def no_sums_of_rows() -> None:
    from runnel.graph.control import compiled

    compiled.sums_of_rows = lambda *_: []


@mechanism("emptied-lists")
def no_emptied_lists() -> None:
    from runnel.graph.control import compiled

    compiled.emptied_lists = lambda *_: []


IN_LOOPS = ("counting", "sums-of-products", "sums-of-rows", "emptied-lists")


case("LSTM written as a loop", *IN_LOOPS)(networks.lstm)


def _recurrent(tf: ModuleType, layer: str, **how: Any) -> Call:
    model = tf.keras.Sequential([getattr(tf.keras.layers, layer)(64, **how)])
    x = tf.constant(normal(32, 40, 32))
    model(x)
    return networks.trained(tf, model, model.trainable_variables, x)


case("Keras's LSTM", *IN_LOOPS)(lambda tf: _recurrent(tf, "LSTM"))
case("Keras's GRU with sequences", *IN_LOOPS)(
    lambda tf: _recurrent(tf, "GRU", return_sequences=True)
)


@case("loop that writes a TensorArray, and its gradient", *IN_LOOPS)
def writing_loop(tf: ModuleType) -> Call:
    x, w = tf.Variable(normal(60, 32, 32)), tf.Variable(normal(32, 32) / 6)

    def model() -> Any:
        rows = tf.TensorArray(tf.float32, 60)
        h = tf.zeros([32, 32])
        for t in tf.range(60):
            h = tf.tanh(tf.matmul(h, w, transpose_b=True) + x[t])
            rows = rows.write(t, h)
        return rows.stack()

    return networks.trained(tf, model, [x, w])


@case("loop over 1,000 rows, and its gradient", *IN_LOOPS)
def many_rows(tf: ModuleType) -> Call:
    x, w = tf.Variable(normal(1000, 16, 16)), tf.Variable(normal(16, 16) / 5)

    def model() -> Any:
        h = tf.zeros([16, 16])
        for t in tf.range(1000):
            h = tf.tanh(tf.matmul(h, w) + x[t])
        return h

    return networks.trained(tf, model, [x, w])


@case("loop of 1,000 small steps", *IN_LOOPS)
def small_steps(tf: ModuleType) -> Call:
    x = tf.constant(normal(8))

    @tf.function(jit_compile=True)
    def fn(x: Any) -> Any:
        for _ in tf.range(1000):
            x = x * 0.99 + 0.1
        return x

    return lambda: fn(x)


# Strings.


@mechanism("unmade")
def no_unmade() -> None:
    from runnel.graph.run import program

    program.leave_unmade = lambda _: None


def _vectorized(tf: ModuleType, count: int, **how: Any) -> Call:
    lines = strings.sentences(tf, count)
    layer = tf.keras.layers.TextVectorization(max_tokens=4000, **how)
    layer.adapt(lines)
    fn = tf.function(layer)
    return lambda: fn(lines)


case("TextVectorization of 10,000 lines", "unmade", "regex", "regex-classes")(
    lambda tf: _vectorized(tf, 10_000, output_sequence_length=8)
)
case("TextVectorization of 32 lines", "unmade", "regex", "regex-classes")(
    lambda tf: _vectorized(tf, 32, output_sequence_length=8)
)
case("TextVectorization of 256 lines", "unmade")(
    lambda tf: _vectorized(tf, 256, output_sequence_length=8)
)
case("TextVectorization of 1,024 lines", "unmade")(
    lambda tf: _vectorized(tf, 1_024, output_sequence_length=8)
)
case("TextVectorization, counts of words", "unmade")(
    lambda tf: _vectorized(tf, 10_000, output_mode="count")
)


@case("words of 10,000 lines in a table", "unmade")
def looked_up(tf: ModuleType) -> Call:
    lines = strings.sentences(tf, 10_000)
    known = tf.unique(tf.strings.split(lines).values)[0][::2]
    init = tf.lookup.KeyValueTensorInitializer(known, tf.range(len(known), dtype=tf.int64))
    table = tf.lookup.StaticHashTable(init, -1)
    fn = tf.function(lambda x: table.lookup(tf.strings.split(x).values))
    return lambda: fn(lines)


@mechanism("regex")
def no_regex() -> None:
    from runnel.kernels.text.regex import matching, replacing

    matching.quick = replacing.quick = lambda _: None


@mechanism("regex-classes")
def no_classes() -> None:
    _without("single")


@mechanism("regex-ends")
def no_ends() -> None:
    _without("ends")


@mechanism("regex-outlines")
def no_outlines() -> None:
    _without("outline")


@mechanism("regex-branches")
def no_branches() -> None:
    from runnel.kernels.text.regex import matching

    matching.branches = lambda pattern: (pattern,)


@mechanism("regex-inner")
def no_inner() -> None:
    from runnel.kernels.text.regex import matching

    matching._inner = lambda _: None


def _without(form: str) -> None:
    """Patterns that are not known to have a form."""
    from dataclasses import replace

    from runnel.kernels.text.regex import matching, replacing

    quick = replacing.quick

    def plain(pattern: str) -> Any:
        found = quick(pattern)
        return None if found is None else replace(found, **{form: None})

    matching.quick = replacing.quick = plain


def _replaced(title: str, pattern: str, rewrite: str, *forms: str) -> None:
    @case(f"10,000 lines: {title}", "regex", *forms)
    def prepare(tf: ModuleType) -> Call:
        lines = strings.sentences(tf, 10_000)
        return lambda: tf.strings.regex_replace(lines, pattern, rewrite)


_replaced("other than letters", "[^a-z ]", "", "regex-classes")
_replaced("vowels", "[aeiou]", "#", "regex-classes")
_replaced("spaces", r"\s+", "_", "regex-classes")
_replaced("spaces around vowels", "([aeiou])", r" \1 ", "regex-classes")
_replaced("tags", "<[^>]+>", "")
_replaced("pairs of words", r"(\w+) (\w+)", r"\2 \1")
_replaced("a word or another", r"\b(ab|cd|ef)\b", "x")
_replaced("ends", r"^\s+|\s+$", "", "regex-ends")


def _matched(title: str, pattern: str, *forms: str) -> None:
    @case(f"10,000 lines: {title}", "regex", *forms)
    def prepare(tf: ModuleType) -> Call:
        lines = strings.sentences(tf, 10_000)
        return lambda: tf.strings.regex_full_match(lines, pattern)


_matched("all letters and spaces", "[a-z ]+", "regex-outlines")
_matched("begin with some letters", "[a-m].*", "regex-outlines")
_matched("one of three beginnings", "a.*|b.*|.*z", "regex-outlines", "regex-branches")
_matched("a choice inside", "(foo|bar|[a-d]+) .*", "regex-branches")
_matched("hold two letters", ".*qu.*", "regex-inner")


# How it is measured.


class Side(run.Worker):
    """A process in which a mechanism is on or off."""

    def __init__(self, name: str, side: str) -> None:
        super().__init__(side, sys.executable, "benchmarks.mechanisms", "--child", name, side)


def child(name: str, side: str) -> None:
    """Switch the mechanism off, if so wanted, and time cases."""
    if side == "without":
        OFF[name]()
    JOBS.clear()
    JOBS.update({title: {"runnel": prepare} for title, prepare in CASES[name].items()})
    worker.serve("runnel")


def in_turns(name: str, match: str, rounds: int) -> None:
    """Print how many times as long each case takes without a mechanism."""
    sides = [Side(name, "with"), Side(name, "without")]
    ratios = []
    print(f"\n{name}")
    for title in CASES[name]:
        if match in title:
            figures = run.measure(sides, title, rounds)
            ratios.append(figures["without"]["median"] / figures["with"]["median"])
            least = figures["without"]["min"] / figures["with"]["min"]
            times = " ".join(
                run.human(figures[s]["median"], is_size=False).rjust(10) for s in figures
            )
            print(f"  {title:50} {times}  {ratios[-1]:6.2f} (least {least:.2f})", flush=True)
    for side in sides:
        side.close()
    if ratios:
        print(f"  {'geometric mean':50} {'':21}  {math.prod(ratios) ** (1 / len(ratios)):6.2f}")


def until_third_call(name: str, side: str, title: str) -> float:
    """Seconds that a new process needs for three calls of a case."""
    start = time.perf_counter()
    process = run.start(sys.executable, "benchmarks.mechanisms", "--third", name, side, title)
    process.communicate()
    return time.perf_counter() - start


def third(name: str, side: str, title: str) -> None:
    if side == "without":
        OFF[name]()
    call = CASES[name][title](worker.load("runnel"))
    for _ in range(3):
        worker.force(call())


def first(name: str, match: str, rounds: int) -> None:
    """Print how long new processes take until the third call, programs on the disk."""
    print(f"\n{name}: until the third call in a new process")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RUNNEL_CACHE_DIR"] = folder
        for title in CASES[name]:
            if match in title:
                times: dict[str, list[float]] = {"with": [], "without": []}
                for side in run.in_turns(list(times), 1 + rounds):
                    times[side].append(until_third_call(name, side, title))
                shown = " ".join(f"{min(times[side][1:]):8.2f} s" for side in times)
                print(f"  {title:50} {shown}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help=", ".join(OFF))
    parser.add_argument("--match", default="", help="only cases with this in their title")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--third", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(*options.child)
    if options.third:
        return third(*options.third)
    for name in options.names or OFF:
        (first if options.first else in_turns)(name, options.match, options.rounds)


if __name__ == "__main__":
    main()
