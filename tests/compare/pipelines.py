"""Dataset pipelines of random stages, as plain data.

A program is `{"source": [name, …], "stages": [[name, argument …], …]}`. Elements are int64 numbers
at first; what stages make of them may have any structure, and a stage that does not fit raises an
error on both sides.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Program = dict[str, Any]

_MOST = 60  # elements, errors and ends that are looked at


def program(rng: random.Random) -> Program:
    """A pipeline of one to five stages."""
    source = rng.choice(_SOURCES)(rng)
    names = rng.choices(list(_STAGES), k=rng.randint(1, 5))
    return {"source": source, "stages": [[name, *_STAGES[name][0](rng)] for name in names]}


def sent(made: Program) -> Program:
    """What a process reads: the program itself."""
    return made


def label(made: Program) -> str:
    """Programs of one label are shown once."""
    return json.dumps(made)


def family(made: Program) -> str:
    """The names of the source and the stages."""
    return " ".join([made["source"][0], *(f"| {name}" for name, *_ in made["stages"])])


_REASONS = {
    "assert_cardinality": "an error of assert_cardinality at the end is given again and again",
    "ragged": "batches of ragged batches may have different sizes",
    "joined": "TensorFlow forgets the shape of elements that are chosen, and cannot join them",
}


def reason(made: str, theirs: Any, ours: Any) -> str:
    """Why two answers may differ; nothing if they may not."""
    if theirs in ("dies", "hangs") or not isinstance(theirs, dict) or not isinstance(ours, dict):
        return "TensorFlow crashes or hangs" if theirs in ("dies", "hangs") else ""
    names = [name for name, *_ in json.loads(made)["stages"]]
    given, other = theirs.get("given", []), ours.get("given", [])
    failed = "FailedPreconditionError"
    if "assert_cardinality" in names and failed in given and failed in other:
        place = given.index(failed)
        if given[:place] == other[:place]:
            return _REASONS["assert_cardinality"]
    ragged = "RaggedTensorSpec" in ours.get("spec", "") and "ragged" in str(other)
    batched = [name for name in names if name.endswith("batch")]
    if ragged and len(batched) > 1 and _fails(given, other):
        return _REASONS["ragged"]
    chosen = [names.index(name) for name in ("sample", "choose") if name in names]
    if chosen and "concatenate" in names[min(chosen) :] and "error" in theirs:
        return _REASONS["joined"] if theirs["error"] == "InvalidArgumentError" else ""
    return ""


def _fails(given: list[Any], other: list[Any]) -> bool:
    """Whether the first that differs is an error, and a value on the other side."""
    pairs = ((a, b) for a, b in zip(given, other) if a != b)
    return next((a == "InvalidArgumentError" for a, _ in pairs), False)


def smaller(made: Program) -> Iterator[Program]:
    """The program without one of its stages, for each."""
    stages = made["stages"]
    for place in range(len(stages)):
        yield {**made, "stages": [*stages[:place], *stages[place + 1 :]]}


_SOURCES: list[Callable[[random.Random], list[Any]]] = [
    lambda rng: ["range", rng.randint(0, 12)],
    lambda rng: ["bad", rng.randint(4, 10), rng.randint(0, 9)],
    lambda rng: ["rows", rng.randint(0, 5), rng.randint(1, 3)],
    lambda rng: ["pair", rng.randint(1, 6)],
    lambda rng: ["lengths", rng.randint(1, 6)],
    lambda rng: ["ragged"],
    lambda rng: ["texts"],
]


def _source(tf: Any, name: str, *numbers: int) -> Any:
    D = tf.data.Dataset
    if name == "range":
        return D.range(*numbers)
    if name == "bad":
        count, place = numbers
        return D.range(count).map(lambda x: x + 0 * (1 // (x - place)))
    if name == "rows":
        rows, size = numbers
        return D.from_tensor_slices(np.arange(rows * size).reshape(rows, size))
    if name == "pair":
        return D.from_tensor_slices((np.arange(*numbers), {"b": np.arange(*numbers) * 10}))
    if name == "lengths":
        return D.range(*numbers).map(lambda x: tf.range(x))
    if name == "ragged":
        return D.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [], [4]]))
    return D.from_tensor_slices(["a", "bc", "", "a"])


def _one(low: int, high: int) -> Callable[[random.Random], list[Any]]:
    return lambda rng: [rng.randint(low, high)]


def _none(rng: random.Random) -> list[Any]:
    return []


def _sized(low: int, high: int) -> Callable[[random.Random], list[Any]]:
    return lambda rng: [rng.randint(low, high), rng.random() < 0.5]


def _twice(tf: Any, *element: Any) -> Any:
    whole = element if len(element) > 1 else element[0]
    return tf.nest.map_structure(lambda x: x + x, whole)


def _first(tf: Any, *element: Any) -> Any:
    return tf.cast(tf.size(tf.nest.flatten(element, expand_composites=True)[0]), tf.int64)


Stage = Callable[..., Any]

_STAGES: dict[str, tuple[Callable[[random.Random], list[Any]], Stage]] = {
    "map": (_none, lambda tf, d: d.map(lambda *x: _twice(tf, *x))),
    "parallel map": (_none, lambda tf, d: d.map(lambda *x: _twice(tf, *x), 2)),
    "bad map": (_one(0, 9), lambda tf, d, n: d.map(lambda x: x + 0 * (1 // (x - n)))),
    "filter": (_one(1, 3), lambda tf, d, n: d.filter(lambda x: x % n == 0)),
    "size filter": (_none, lambda tf, d: d.filter(lambda *x: _first(tf, *x) > 0)),
    "batch": (_sized(1, 4), lambda tf, d, n, drop: d.batch(n, drop)),
    "parallel batch": (_sized(1, 4), lambda tf, d, n, drop: d.batch(n, drop, 2)),
    "padded_batch": (_sized(1, 4), lambda tf, d, n, drop: d.padded_batch(n, drop_remainder=drop)),
    "ragged_batch": (_sized(1, 4), lambda tf, d, n, drop: d.ragged_batch(n, drop)),
    "sparse_batch": (_one(1, 4), lambda tf, d, n: d.sparse_batch(n, [5])),
    "rebatch": (_sized(1, 4), lambda tf, d, n, drop: d.rebatch(n, drop)),
    "unbatch": (_none, lambda tf, d: d.unbatch()),
    "repeat": (_one(-1, 3), lambda tf, d, n: d.repeat(n)),
    "take": (_one(-1, 6), lambda tf, d, n: d.take(n)),
    "skip": (_one(-1, 6), lambda tf, d, n: d.skip(n)),
    "shard": (lambda rng: [rng.randint(1, 3), rng.randint(0, 3)], lambda tf, d, *n: d.shard(*n)),
    "shuffle": (_sized(1, 5), lambda tf, d, n, anew: d.shuffle(n, 3, anew)),
    "cache": (_none, lambda tf, d: d.cache()),
    "prefetch": (_one(0, 3), lambda tf, d, n: d.prefetch(n)),
    "enumerate": (_one(0, 3), lambda tf, d, n: d.enumerate(n)),
    "window": (
        lambda rng: [rng.randint(1, 3), rng.randint(1, 4), rng.randint(1, 2), rng.random() < 0.5],
        lambda tf, d, *n: d.window(*n),
    ),
    "flat windows": (
        lambda rng: [rng.randint(1, 3), rng.randint(1, 4)],
        lambda tf, d, size, shift: d.window(size, shift).flat_map(lambda w: w.batch(size)),
    ),
    "flat_map": (_one(0, 3), lambda tf, d, n: d.flat_map(lambda *x: _again(tf, x, n))),
    "interleave": (
        lambda rng: [rng.randint(1, 3), rng.randint(1, 3)],
        lambda tf, d, *n: d.interleave(lambda *x: _again(tf, x, 2), *n),
    ),
    "parallel interleave": (
        lambda rng: [rng.randint(1, 3), rng.randint(1, 3)],
        lambda tf, d, c, b: d.interleave(lambda *x: _again(tf, x, 2), c, b, num_parallel_calls=c),
    ),
    "scan": (_none, lambda tf, d: d.scan(np.int64(0), lambda s, x: (s + x, (s, x)))),
    "take_while": (_one(0, 8), lambda tf, d, n: d.take_while(lambda x: x < n)),
    "unique": (_none, lambda tf, d: d.unique()),
    "ignore_errors": (_none, lambda tf, d: d.ignore_errors()),
    "zip": (_none, lambda tf, d: tf.data.Dataset.zip((d, tf.data.Dataset.range(5)))),
    "zip with itself": (_none, lambda tf, d: tf.data.Dataset.zip({"a": d, "b": d})),
    "concatenate": (_none, lambda tf, d: d.concatenate(d)),
    "choose": (
        _none,
        lambda tf, d: tf.data.Dataset.choose_from_datasets(
            [d, d.take(2)], tf.data.Dataset.range(2).repeat(4), stop_on_empty_dataset=False
        ),
    ),
    "sample": (
        _none,
        lambda tf, d: tf.data.Dataset.sample_from_datasets([d, d], [0.5, 0.5], seed=7),
    ),
    "group_by_window": (
        _one(1, 3),
        lambda tf, d, n: d.group_by_window(lambda x: x % 2, lambda key, w: w.batch(n), n),
    ),
    "assert_cardinality": (
        _one(0, 8),
        lambda tf, d, n: d.apply(tf.data.experimental.assert_cardinality(n)),
    ),
}


def _again(tf: Any, element: tuple[Any, ...], count: int) -> Any:
    whole = element if len(element) > 1 else element[0]
    return tf.data.Dataset.from_tensors(whole).repeat(count)


def answer(tf: Any, made: Program) -> Any:
    """The spec, the number of elements and what an iterator gives; or the class of an error."""
    try:
        dataset = _source(tf, *made["source"])
        for name, *arguments in made["stages"]:
            dataset = _STAGES[name][1](tf, dataset, *arguments)
        size = int(dataset.cardinality())
        return {"spec": str(dataset.element_spec), "size": size, "given": _given(dataset)}
    except Exception as error:
        return {"error": type(error).__name__}


def _given(dataset: Any) -> list[Any]:
    iterator, given, ends = iter(dataset), [], 0
    while len(given) < _MOST and ends < 2:
        try:
            given.append(_plain(next(iterator)))
        except StopIteration:
            given.append("end")
            ends += 1
        except Exception as error:
            given.append(type(error).__name__)
    return given


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "element_spec"):
        return {"dataset": _given(value)}
    if hasattr(value, "dense_shape"):
        return [_plain(part) for part in (value.indices, value.values, value.dense_shape)]
    if hasattr(value, "to_list"):
        return {"ragged": str(value.to_list())}
    if not hasattr(value, "numpy") and not isinstance(value, np.ndarray | np.generic):
        return type(value).__name__.lstrip("_")
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    return [array.dtype.name, str(array.tolist())]
