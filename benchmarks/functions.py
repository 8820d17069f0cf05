"""One idiom in a `tf.function` at a usual size: shows what a system happens to be slow at."""

import itertools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.jobs import Call, benchmark

RANDOM = np.random.default_rng(2)


def normal(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape, dtype=np.float32)


def below(limit: int, *shape: int) -> np.ndarray:
    return RANDOM.integers(0, limit, shape, dtype=np.int32)


def job(title: str, fn: Callable[..., Any], *inputs: Callable[[], Any]) -> None:
    """A job that calls `fn(tf, *inputs)` in a function; each input is made when it is prepared."""

    @benchmark(title)
    def start(tf: ModuleType) -> Call:
        tensors = [tf.constant(make()) for make in inputs]
        compiled = tf.function(lambda *args: fn(tf, *args))
        return lambda: compiled(*tensors)


def gradient(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient of the sum of `fn` by its first argument."""

    def gradient_of_sum(tf: ModuleType, x: Any, *rest: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(fn(tf, x, *rest))
        return tape.gradient(total, x)

    return gradient_of_sum


def sums_of_rows(tf: ModuleType, x: Any) -> Any:
    return tf.map_fn(lambda row: tf.reduce_sum(row * row), x)


def decaying(tf: ModuleType, x: Any) -> Any:
    return tf.scan(lambda total, row: tf.tanh(total * 0.9 + row), x)


def distinct_in_rows(tf: ModuleType, x: Any) -> Any:
    count = 0
    for row in tf.range(40):
        count += tf.size(tf.unique(x[row])[0])
    return count


def best_paths(tf: ModuleType, x: Any) -> Any:
    scores, chosen = tf.zeros([8, 5]), tf.TensorArray(tf.int32, 20)
    for step in tf.range(20):
        scores, places = tf.math.top_k(
            tf.reshape(tf.nn.log_softmax(x) + scores[..., None], [8, -1]), 5
        )
        chosen = chosen.write(step, places)
    return chosen.stack()


job("map_fn over 100 rows", sums_of_rows, lambda: normal(100, 8))
job("scan over 500 rows", decaying, lambda: normal(500, 32))
job("gradient of a scan over 200 rows", gradient(decaying), lambda: normal(200, 32))
job("unique in a loop of 40", distinct_in_rows, lambda: below(50, 40, 100))
job("beam search of 20 steps", best_paths, lambda: normal(8, 5, 1000))
job(
    "cond on a small tensor",
    lambda tf, x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: x - 1),
    lambda: normal(10),
)
job("boolean_mask of 10k", lambda tf, x: tf.boolean_mask(x, x > 0), lambda: normal(10_000))
job("where of 1M", lambda tf, x: tf.where(x > 0), lambda: normal(1000, 1000))
job("sort 100 rows of 5k", lambda tf, x: tf.sort(x), lambda: normal(100, 5000))
job("argsort 100 rows of 5k", lambda tf, x: tf.argsort(x), lambda: normal(100, 5000))
job("top_k 10 of 64 rows of 10k", lambda tf, x: tf.math.top_k(x, 10)[0], lambda: normal(64, 10_000))
job("argmax of 1000 rows", lambda tf, x: tf.argmax(x, 1), lambda: normal(1000, 1000))
job("cumsum of 1000 rows", lambda tf, x: tf.cumsum(x, 1), lambda: normal(1000, 1000))
job(
    "segment_mean of 20k rows and its gradient",
    gradient(lambda tf, x, ids: tf.square(tf.math.segment_mean(x, ids))),
    lambda: normal(20_000, 16),
    lambda: np.sort(below(500, 20_000)),
)
job(
    "unsorted_segment_sum of 20k rows",
    lambda tf, x, ids: tf.math.unsorted_segment_sum(x, ids, 500),
    lambda: normal(20_000, 16),
    lambda: below(500, 20_000),
)
job(
    "scatter_nd of 5k rows",
    lambda tf, ids, x: tf.scatter_nd(ids, x, [1000, 16]),
    lambda: below(1000, 5000, 1),
    lambda: normal(5000, 16),
)
job(
    "gather_nd of 20k rows",
    lambda tf, x, ids: tf.gather_nd(x, ids),
    lambda: normal(200, 200, 16),
    lambda: below(200, 20_000, 2),
)
job("int32 matmul 128x128", lambda tf, x: x @ x, lambda: below(9, 128, 128))
job("float64 matmul 256x256", lambda tf, x: x @ x, lambda: normal(256, 256).astype(np.float64))
job("svd of 16 64x64", lambda tf, x: tf.linalg.svd(x)[0], lambda: normal(16, 64, 64))
job("inv of 16 128x128", lambda tf, x: tf.linalg.inv(x), lambda: normal(16, 128, 128))
job(
    "fft2d of 8 256x256",
    lambda tf, x: tf.signal.fft2d(tf.cast(x, tf.complex64)),
    lambda: normal(8, 256, 256),
)
job(
    "stft of 8 seconds",
    lambda tf, x: tf.abs(tf.signal.stft(x, 400, 160)),
    lambda: normal(8, 16_000),
)
job(
    "non_max_suppression of 500 boxes",
    lambda tf, boxes, scores: tf.image.non_max_suppression(boxes, scores, 50),
    lambda: RANDOM.random((500, 4), np.float32),
    lambda: RANDOM.random(500, np.float32),
)
job(
    "combined_non_max_suppression, 2x200 boxes",
    lambda tf, boxes, scores: tf.image.combined_non_max_suppression(boxes, scores, 20, 50)[0],
    lambda: RANDOM.random((2, 200, 1, 4), np.float32),
    lambda: RANDOM.random((2, 200, 5), np.float32),
)
job(
    "images enlarged, bilinear",
    lambda tf, x: tf.image.resize(x, [224, 224]),
    lambda: normal(8, 128, 128, 3),
)
job(
    "images enlarged, bicubic",
    lambda tf, x: tf.image.resize(x, [224, 224], "bicubic"),
    lambda: normal(8, 128, 128, 3),
)
job(
    "adjust_hue",
    lambda tf, x: tf.image.adjust_hue(x, 0.1),
    lambda: RANDOM.random((32, 64, 64, 3), np.float32),
)
job("1M normal numbers", lambda tf: tf.random.normal([1000, 1000]))
job("dropout of 128x1024", lambda tf, x: tf.nn.dropout(x, 0.3), lambda: normal(128, 1024))
job("categorical of 256x1000", lambda tf, x: tf.random.categorical(x, 1), lambda: normal(256, 1000))
job("shuffle 10k rows", lambda tf, x: tf.random.shuffle(x), lambda: normal(10_000, 8))
job(
    "py_function",
    lambda tf, x: tf.py_function(lambda v: v * 2, [x], tf.float32),
    lambda: normal(100),
)


@benchmark("190 shapes under one trace")
def many_shapes(tf: ModuleType) -> Call:
    inputs = [tf.constant(normal(rows, 16)) for rows in range(10, 200)]
    spec = tf.TensorSpec([None, 16], tf.float32)
    fn = tf.function(lambda x: tf.nn.softmax(x @ tf.transpose(x)), input_signature=[spec])
    turns = itertools.cycle(inputs)
    return lambda: fn(next(turns))


@benchmark("50 variables changed")
def many_variables(tf: ModuleType) -> Call:
    variables = [tf.Variable(float(number)) for number in range(50)]

    @tf.function
    def change() -> Any:
        for variable in variables:
            variable.assign_add(1.0)
        return variables[0] + variables[1]

    return change
