"""Records TensorFlow's random numbers in `random.json` and `random.npz`. Run by `make golden`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf
from random_answers import record

# The numbers of some ops depend on how TensorFlow cuts the work between threads.
tf.config.threading.set_intra_op_parallelism_threads(1)

Case = tuple[dict[str, Any], np.ndarray]
raw = tf.raw_ops

FLOATS = "float16", "bfloat16", "float32", "float64"
SIZES = 1, 3, 4, 5, 255, 256, 257, 1000, 100001
STREAM = {"key": 5, "counter": [1, 2]}
EDGE = {"key": 2**64 - 7, "counter": [2**64 - 3, 2**64 - 1]}  # the counter runs over at once
STATELESS_SEED = [3, -4]
SEEDS = {"seed": 11, "seed2": 22}


def arrays(stream: dict[str, Any]) -> dict[str, np.ndarray]:
    return {
        "key": np.array([stream["key"]], np.uint64),
        "counter": np.array(stream["counter"], np.uint64),
        "alg": 1,
    }


def streams_and_shapes() -> Iterator[dict[str, Any]]:
    for size in SIZES:
        yield {**STREAM, "shape": [size], "stride": 97 if size > 1000 else 1}
    for shape in ([9], [], [0], [2, 3, 5], [70, 1]):
        yield {**EDGE, "shape": shape}


def simple() -> Iterator[Case]:
    """Ops that take a key and a counter."""
    floats = {
        "uniform": raw.StatelessRandomUniformV2,
        "normal": raw.StatelessRandomNormalV2,
        "truncated_normal": raw.StatelessTruncatedNormalV2,
    }
    for case in streams_and_shapes():
        where = {"shape": tf.constant(case["shape"], tf.int32), **arrays(case)}
        for dtype in FLOATS:
            for kind, op in floats.items():
                yield {"kind": kind, "dtype": dtype, **case}, op(dtype=dtype, **where).numpy()
        for dtype in ("int32", "int64", "uint32", "uint64"):
            answer = raw.StatelessRandomUniformFullIntV2(dtype=dtype, **where)
            yield {"kind": "full_int", "dtype": dtype, **case}, answer.numpy()
        yield from bounded(case, where)


def bounded(case: dict[str, Any], where: dict[str, Any]) -> Iterator[Case]:
    for dtype in (tf.int32, tf.int64):
        for bounds in ([-5, 7], [dtype.min, dtype.max]):
            low, high = (tf.constant(bound, dtype) for bound in bounds)
            answer = raw.StatelessRandomUniformIntV2(minval=low, maxval=high, **where)
            question = {"kind": "uniform_int", "dtype": dtype.name, "bounds": bounds, **case}
            yield question, answer.numpy()


def stateless() -> Iterator[Case]:
    """Ops that take a seed of two integers."""
    for dtype in ("int32", "int64"):
        for seed in ([3, -4], [0, 0], [-(2**31), 2**31 - 1]):
            key, counter = raw.StatelessRandomGetKeyCounter(seed=tf.constant(seed, dtype))
            answer = np.concatenate((key, counter))
            yield {"kind": "scramble", "seed": seed, "dtype": dtype}, answer
    alpha = [[0.003, 0.1, 0.5], [0.999, 1.0, 1.5], [7.0, 30.0, 1000.0]]
    rate = [0.0, 0.1, 3.0, 9.99, 10.0, 12.5, 50.0, 1000.0, 20000.0, -1.0, np.inf]
    counts = [[0.0, 1.0, 5.0, 20.0, 100.0, 1000.0, 50000.0]]
    probs = [[p] for p in (0.0, 0.001, 0.02, 0.3, 0.5, 0.501, 0.9, 0.9995, 1.0, 2.0, -1.0)]
    for dtype in ("float16", "float32", "float64"):
        answer = raw.StatelessRandomGammaV2(
            shape=[40, 3, 3], seed=STATELESS_SEED, alpha=tf.constant(alpha, dtype)
        )
        yield {"kind": "gamma", "dtype": dtype, "alpha": alpha}, answer.numpy()
        for result in ("float16", "float32", "float64", "int32", "int64"):
            answer = raw.StatelessRandomPoisson(
                shape=[40, 11], seed=STATELESS_SEED, lam=tf.constant(rate, dtype), dtype=result
            )
            question = {"kind": "poisson", "dtype": dtype, "result": result, "rate": rate}
            yield question, answer.numpy()
            answer = raw.StatelessRandomBinomial(
                shape=[9, 11, 7],
                seed=STATELESS_SEED,
                counts=tf.constant(counts, dtype),
                probs=tf.constant(probs, dtype),
                dtype=result,
            )
            question = {"kind": "binomial", "dtype": dtype, "result": result}
            yield {**question, "counts": counts, "probs": probs}, answer.numpy()


BOUNDS = [  # mean, deviation, bounds: these take each of the three ways to draw
    [0.0, 1.0, -2.0, 2.0],
    [0.0, 1.0, -1.0, 1.0],
    [0.0, 1.0, 2.0, 5.0],
    [0.0, 1.0, 3.0, np.inf],
    [0.0, 1.0, -np.inf, -4.0],
    [1.0, 2.0, -np.inf, 1.5],
    [5.0, 0.5, 1.0, 2.0],
    [0.0, 1.0, 4.0, 4.1],
]


def bounded_normal() -> Iterator[Case]:
    columns = np.transpose(BOUNDS).tolist()
    broadcast = [[0.0, 1.0], [1.0], [[-1.0], [0.0], [0.5]], 2.0]
    for dtype in ("float16", "float32", "float64"):
        for shape, parameters in [
            *(([101], bounds) for bounds in BOUNDS),
            ([9, 8], columns),
            ([5, 3, 2], broadcast),
        ]:
            mean, deviation, low, high = (tf.constant(p, dtype) for p in parameters)
            answer = raw.StatelessParameterizedTruncatedNormal(
                shape=shape,
                seed=STATELESS_SEED,
                means=mean,
                stddevs=deviation,
                minvals=low,
                maxvals=high,
            )
            question = {"kind": "stateless_bounded_normal", "dtype": dtype, "shape": shape}
            yield {**question, "parameters": parameters}, answer.numpy()
    for shape, parameters in [
        ([250], BOUNDS[0]),
        ([7], BOUNDS[2]),
        ([8, 3, 4], columns),
        ([3, 4], [0.0, 1.0, [-1.0], 3.0]),
        ([2, 3], [[0.0], [1.0], -1.0, 3.0]),
    ]:
        mean, deviation, low, high = (tf.constant(p) for p in parameters)
        answer = calls(
            raw.ParameterizedTruncatedNormal,
            shape=shape,
            means=mean,
            stdevs=deviation,
            minvals=low,
            maxvals=high,
        )
        yield {"kind": "bounded_normal", "shape": shape, "parameters": parameters}, answer


def calls(op: Any, **arguments: Any) -> np.ndarray:
    """Three calls in a row of a stateful op that starts afresh."""
    tf.random.set_seed(0)
    return np.stack([op(**arguments, **SEEDS).numpy() for _ in range(3)])


def stateful() -> Iterator[Case]:
    for shape in ([7], [2, 3], []):
        where = tf.constant(shape, tf.int32)
        for dtype in FLOATS:
            case = {"dtype": dtype, "shape": shape}
            for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
                answer = calls(getattr(raw, op), shape=where, dtype=dtype)
                yield {"kind": "stateful", "op": op, **case}, answer
        for dtype in ("int32", "int64"):
            low, high = tf.constant(-5, dtype), tf.constant(7, dtype)
            answer = calls(raw.RandomUniformInt, shape=where, minval=low, maxval=high)
            case = {"op": "RandomUniformInt", "dtype": dtype, "shape": shape}
            yield {"kind": "stateful", **case}, answer
        answer = calls(raw.RandomGamma, shape=where, alpha=tf.constant([0.5, 1.0, 3.0]))
        case = {"op": "RandomGamma", "dtype": "float32", "shape": [*shape, 3]}
        yield {"kind": "stateful", **case, "parameter": [0.5, 1.0, 3.0]}, answer
        answer = calls(
            raw.RandomPoissonV2, shape=where, rate=tf.constant([0.5, 30.0]), dtype=tf.int32
        )
        case = {"op": "RandomPoissonV2", "dtype": "int32", "shape": [*shape, 2]}
        yield {"kind": "stateful", **case, "parameter": [0.5, 30.0]}, answer


def choices() -> Iterator[Case]:
    draw = np.random.RandomState(0)
    for rows, classes, samples in ((1, 5, 7), (3, 4, 1), (4, 100, 50), (2, 1, 3), (3, 3, 0)):
        logits = np.round(draw.randn(rows, classes) * 2, 2)
        yield from categorical(logits, samples)
    odd = [[0, 1, -np.inf], [np.nan, 0, 0], [-np.inf] * 3, [np.inf, 0, 1], [-1e4, 0, 60000]]
    yield from categorical(np.array(odd), 6)
    for size in (0, 1, 2, 3, 5, 8, 100, 1001):
        case = {"size": size}
        yield {"kind": "permutation", **case}, calls(raw.RandomShuffle, value=np.arange(size))
        rows = np.repeat(np.arange(size)[:, None], 2, axis=1)
        yield {"kind": "permutation", **case}, calls(raw.RandomShuffle, value=rows)[..., 0]
        answer = tf.random.experimental.stateless_shuffle(np.arange(size), STATELESS_SEED)
        yield {"kind": "stateless_permutation", **case}, answer.numpy()


def categorical(logits: np.ndarray, samples: int) -> Iterator[Case]:
    for dtype in FLOATS:
        tensor = tf.cast(logits, dtype)
        case = {"dtype": dtype, "samples": samples, "logits": logits.tolist()}
        answer = calls(raw.Multinomial, logits=tensor, num_samples=samples)
        yield {"kind": "categorical", **case}, answer
        answer = raw.StatelessMultinomial(logits=tensor, num_samples=samples, seed=STATELESS_SEED)
        yield {"kind": "stateless_categorical", **case}, answer.numpy()


def index_shuffles() -> Iterator[Case]:
    seed = [5, -3, 77]
    for last in (0, 1, 2, 9, 255, 1000, 65535, 65536, 65537, 100000, 2**31 - 1, 2**33):
        index = sorted({0, min(1, last), last // 2, max(0, last - 1), last})
        for rounds in (4, 8):
            answer = raw.RandomIndexShuffle(
                index=np.array(index, np.int64),
                seed=np.array(seed, np.int64),
                max_index=np.array(last, np.int64),
                rounds=rounds,
            )
            case = {"index": index, "seed": seed, "last": last, "rounds": rounds}
            yield {"kind": "index_shuffle", **case}, answer.numpy()


def threefry() -> Iterator[Case]:
    for shape in ([], [1], [7], [8], [3, 5], [3, 4], [5, 3, 1], [2, 0]):
        for dtype in (tf.int32, tf.int64, tf.uint32, tf.uint64, tf.float32, tf.float64):
            bounds = (0, 1) if dtype.is_floating else (None, None)
            answer = tf.function(tf.random.stateless_uniform, jit_compile=True)(
                shape, STATELESS_SEED, *bounds, dtype=dtype, alg="threefry"
            )
            yield {"kind": "threefry", "dtype": dtype.name, "shape": shape}, answer.numpy()


def generator() -> Iterator[Case]:
    """What a generator gives, call by call, each followed by its state."""
    made = tf.random.Generator.from_seed(1234)
    counts = [10.0, 20.0, 300.0, 4.0]
    yield {"kind": "generator", "call": "state"}, made.state.numpy()
    for shape in ([2, 3], [], [5]):
        yield {"kind": "generator", "call": "normal", "shape": shape}, made.normal(shape).numpy()
        yield {"kind": "generator", "call": "state"}, made.state.numpy()
        answer = made.uniform(shape, -3, 10, dtype=tf.int32).numpy()
        yield {"kind": "generator", "call": "uniform_int", "shape": shape}, answer
        yield {"kind": "generator", "call": "state"}, made.state.numpy()
        answer = made.binomial([*shape, 4], counts, [0.5]).numpy()
        yield {"kind": "generator", "call": "binomial", "shape": [*shape, 4]}, answer
        yield {"kind": "generator", "call": "state"}, made.state.numpy()
    yield {"kind": "generator", "call": "make_seeds", "shape": [5]}, made.make_seeds(5).numpy()
    yield {"kind": "generator", "call": "state"}, made.state.numpy()
    answer = np.stack([part.state.numpy() for part in made.split(3)])
    yield {"kind": "generator", "call": "split", "shape": [3]}, answer
    yield {"kind": "generator", "call": "state"}, made.state.numpy()


def seeds() -> dict[str, Any]:
    """How `tf.random.set_seed` and the seed of an op make the attributes of the op."""
    pairs = []
    for global_seed in (None, 0, 1, -5, 2**31 - 1, 2**40):
        for op_seed in (None, 0, 7, -1, 2**31 - 1, 2**31, 2**40):
            with tf.Graph().as_default() as graph:
                graph.seed = global_seed
                given = [tf.compat.v1.get_seed(op_seed) for _ in range(2)]
            pairs.append([global_seed, op_seed, given])
    sequences = []
    for global_seed in (0, 1, 42, -5, 2**40):
        tf.random.set_seed(global_seed)
        sequences.append([global_seed, [tf.compat.v1.get_seed(None)[1] for _ in range(4)]])
    states = []
    for seed in (0, 5, -1, 2**64 - 1, 2**70 + 3, [1], [1, 2], [1, 2, 3, 4], [2**64 - 1]):
        for alg in ("philox", "threefry", "auto_select"):
            states.append([seed, alg, tf.random.create_rng_state(seed, alg).numpy().tolist()])
    return {"pairs": pairs, "sequences": sequences, "states": states}


record(
    [
        *simple(),
        *stateless(),
        *bounded_normal(),
        *stateful(),
        *choices(),
        *index_shuffles(),
        *threefry(),
        *generator(),
    ],
    seeds(),
)
