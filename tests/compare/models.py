"""Keras layers and models of random parts, as plain data; how two answers are compared.

A program is `{"style": …, "inputs": […], "nodes": […], …}`: each node is a layer (see
`layer_table.py`) and the values it takes, by number: first the inputs, then what earlier nodes
give. The style `layer` calls a layer eagerly; the others make a model, which may be trained and
saved too.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import json
import math
import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.compare.layer_table import LAYERS, MERGES, layer, obj
from tests.compare.model_answers import answer as answer

Program = dict[str, Any]

FORMATS = ("keras", "h5", "tf", "weights.h5", "checkpoint", "json")
_TOLERANCE = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 1e-3, "float64": 1e-6}


def program(rng: random.Random) -> Program:
    """A layer by itself, or a model of one to five layers."""
    style = rng.choice(["layer"] * 4 + ["functional"] * 3 + ["sequential"] * 2 + ["subclassed"])
    kinds = [_kind(rng)]
    if style == "functional" and rng.random() < 0.3:
        kinds.append(kinds[0] if rng.random() < 0.7 else _kind(rng))
    made = {
        "style": style,
        "seed": rng.randint(0, 99),
        "policy": rng.choice(["float32"] * 8 + ["mixed_float16", "float64", "mixed_bfloat16"]),
        "inputs": [_input(rng, *kind) for kind in kinds],
        "nodes": _nodes(rng, kinds, style),
        "training": rng.choice([None, False, True]),
        "random_weights": rng.random() < 0.5,
    }
    if style == "layer":
        return made
    made["outputs"] = [-1] if rng.random() < 0.85 else [-1, rng.randrange(len(made["nodes"]))]
    made["compile"] = _compile(rng) if rng.random() < 0.4 else None
    made["file"] = rng.choice(FORMATS) if rng.random() < 0.4 else None
    return made


def label(made: Program) -> str:
    """The layers."""
    return " ".join(node["layer"]["class"].removeprefix("layers.") for node in made["nodes"])


@functools.cache
def _files() -> Any:
    return tempfile.TemporaryDirectory(prefix="compare-")  # its end removes the folder


def sent(made: Program) -> Program:
    """The program with a folder for its files, in which each process has one of its own."""
    if not made.get("file"):
        return made
    name = hashlib.sha1(json.dumps(made, sort_keys=True).encode()).hexdigest()[:12]
    return {**made, "folder": str(Path(_files().name, name))}


def second(made: Program) -> Program | None:
    """To load what the other process has written."""
    return {**sent(made), "crossed": True} if made.get("file") else None


def together(first: list[Any], crossed: list[Any]) -> list[Any]:
    """The answers of a process with what it found in the other's files."""
    both = [
        isinstance(each, dict) and isinstance(later, dict) for each, later in zip(first, crossed)
    ]
    return [
        {**each, "crossed": later} if ok else each
        for each, later, ok in zip(first, crossed, both, strict=True)
    ]


def _kind(rng: random.Random) -> tuple[int, str]:
    if rng.random() < 0.25:
        return rng.choice([(2, "i"), (2, "i"), (3, "i"), (2, "s")])
    return rng.choice([(2, "f")] * 2 + [(3, "f")] * 4 + [(4, "f")] * 2 + [(5, "f")])


def _input(rng: random.Random, rank: int, kind: str) -> dict[str, Any]:
    sizes = {2: [[4], [1], [3]], 3: [[4, 3], [5, 2]], 4: [[4, 5, 3], [5, 6, 2]], 5: [[3, 4, 3, 2]]}
    dtype = {"f": "float32", "i": rng.choice(["int32", "int64"]), "s": "string"}[kind]
    unknown = [0] if rank > 2 and rng.random() < 0.15 else []
    return {"shape": rng.choice(sizes[rank]), "dtype": dtype, "unknown": unknown}


def _nodes(rng: random.Random, kinds: list[tuple[int, str]], style: str) -> list[Program]:
    values = list(kinds)
    nodes: list[Program] = []
    for _ in range(1 if style == "layer" else rng.randint(1, 5)):
        straight = style == "sequential" or rng.random() < 0.8
        source = len(values) - 1 if straight else rng.randrange(len(values))
        rank, kind = values[source]
        fits = rng.random() < 0.97
        name = _fitting(rng, rank, kind, style) if fits else rng.choice(list(LAYERS))
        merges = name in MERGES and style != "sequential"
        like = [place for place, value in enumerate(values) if value == values[source]]
        sources = [source, rng.choice(like)] if merges else [source]
        bad = 0.3 if style == "layer" else 0.02
        nodes.append({"layer": layer(rng, name, bad=bad), "from": sources})
        values.append((LAYERS[name].out or rank, "i" if name == "Hashing" else "f"))
    return nodes


def _fitting(rng: random.Random, rank: int, kind: str, style: str) -> str:
    fitting = [name for name, row in LAYERS.items() if rank in row.ranks and kind in row.kind]
    if style == "sequential":
        fitting = [name for name in fitting if name not in MERGES]
    return rng.choice(fitting)


# Without Nadam: in a compiled step, TensorFlow's divides by zero.
_OPTIMIZERS: dict[str, dict[str, list[Any]]] = {
    "SGD": {"momentum": [0.5], "nesterov": [True]},
    "Adam": {"amsgrad": [True], "beta_1": [0.5], "epsilon": [0.1]},
    "AdamW": {"weight_decay": [0.1], "amsgrad": [True]},
    "Adamax": {"beta_2": [0.5]},
    "Adagrad": {"initial_accumulator_value": [0.5]},
    "Adadelta": {"rho": [0.5]},
    "RMSprop": {"momentum": [0.5], "centered": [True], "rho": [0.5]},
    "Ftrl": {"l1_regularization_strength": [0.1], "beta": [0.1]},
    "Adafactor": {"clip_threshold": [0.5], "relative_step": [False]},
    "Lion": {"beta_1": [0.5]},
}
_ANY_OPTIMIZER = {
    "learning_rate": [
        *(0.1, 0.01),
        obj(
            "optimizers.schedules.ExponentialDecay",
            initial_learning_rate=0.1,
            decay_steps=2,
            decay_rate=0.5,
        ),
        obj(
            "optimizers.schedules.PiecewiseConstantDecay", boundaries=[1, 2], values=[0.1, 0.2, 0.3]
        ),
        obj("optimizers.schedules.CosineDecay", initial_learning_rate=0.1, decay_steps=5),
    ],
    "clipnorm": [0.1],
    "clipvalue": [0.05],
    "global_clipnorm": [0.1],
    "weight_decay": [0.1],
    "use_ema": [True],
}
LOSSES = [
    *("mse", "mae", "mape", "msle", "hinge", "squared_hinge", "categorical_hinge", "log_cosh"),
    *("kl_divergence", "poisson", "cosine_similarity", "binary_crossentropy", "huber"),
    *("categorical_crossentropy", "sparse_categorical_crossentropy"),
    obj("losses.Huber", delta=0.5),
    obj("losses.BinaryCrossentropy", from_logits=True, label_smoothing=0.1),
    obj("losses.CategoricalCrossentropy", from_logits=True, label_smoothing=0.1, axis=-1),
    obj("losses.SparseCategoricalCrossentropy", from_logits=True),
    obj("losses.MeanSquaredError", reduction="sum"),
    obj("losses.BinaryFocalCrossentropy", gamma=1.5, from_logits=True),
    obj("losses.CategoricalFocalCrossentropy", from_logits=True),
    obj("losses.CosineSimilarity", axis=1),
]
METRICS = [
    *("accuracy", "acc", "mse", "mae", "AUC", "Precision", "binary_accuracy", "cosine_similarity"),
    *("categorical_accuracy", "sparse_categorical_accuracy", "top_k_categorical_accuracy"),
    *("kl_divergence", "ce", "crossentropy", "acuracy"),
    obj("metrics.AUC", curve="PR", num_thresholds=5),
    obj("metrics.Recall", thresholds=[0.2, 0.6]),
    obj("metrics.Precision", top_k=1),
    obj("metrics.TruePositives", thresholds=0.3),
    obj("metrics.MeanRelativeError", normalizer=[1.0]),
    obj("metrics.RootMeanSquaredError", name="r"),
    obj("metrics.R2Score"),
    obj("metrics.F1Score", average="macro"),
    obj("metrics.LogCoshError"),
    obj("metrics.MeanIoU", num_classes=2),
    obj("metrics.BinaryIoU", threshold=0.4),
    obj("metrics.SensitivityAtSpecificity", specificity=0.5),
    obj("metrics.TopKCategoricalAccuracy", k=2),
]


def _compile(rng: random.Random) -> Program:
    name = rng.choice(list(_OPTIMIZERS))
    may = {**_ANY_OPTIMIZER, **_OPTIMIZERS[name]}
    chosen = {key: rng.choice(may[key]) for key in rng.sample(list(may), rng.choice([0, 1, 1, 2]))}
    optimizer = obj(f"optimizers.{name}", **chosen) if rng.random() < 0.9 else name.lower()
    return {
        "optimizer": optimizer,
        "loss": rng.choice(LOSSES),
        "metrics": rng.sample(METRICS, rng.choice([0, 0, 1, 2])),
        "weighted_metrics": rng.sample(METRICS, rng.choice([0, 0, 0, 1])),
        "steps": rng.choice([0, 1, 1, 3]),
        "sample_weight": rng.random() < 0.2,
        "run_eagerly": rng.random() < 0.15,
    }


def difference(theirs: Any, ours: Any) -> str:
    """The first place at which two answers differ by more than rounding; nothing if none does."""
    policy = theirs.get("policy", "float32") if isinstance(theirs, dict) else "float32"
    return re.sub(r"\d+", "N", _place(theirs, ours, policy, "") or "")


def told(answer: Any, way: str) -> Any:
    """The step at which answers differed; nothing if it was in the other's files."""
    step = re.split(r"[/:]", way)[1]
    step = next((name for name in answer if re.sub(r"\d+", "N", name) == step), step)
    if step not in answer:
        return None
    return {"policy": answer["policy"], step: answer[step]}


def shown(theirs: Any, ours: Any) -> tuple[Any, Any]:
    """The parts at which the answers differ."""
    place = _place(theirs, ours, theirs.get("policy", "float32"), "") or ""
    for part in place.partition(":")[0].split("/")[1:]:
        theirs, ours = [
            each[int(part) if isinstance(each, list) else part] for each in (theirs, ours)
        ]
    return theirs, ours


_ACCIDENTS = frozenset("AttributeError AssertionError IndexError KeyError StagingError".split())


def reason(label: str, theirs: Any, ours: Any) -> str:
    """Why two answers may differ; nothing if they may not."""
    if theirs in ("dies", "hangs", "slow") or ours == "slow":
        return "a process that died, or took too long"
    they, we = _failure(theirs), _failure(ours)
    if they and (they[1] == "NotFoundError" or re.search("only supports|Invalid dtype", they[2])):
        return "TensorFlow has no kernel for the dtype"
    if they and re.search("required positional|NoneType", they[2]):
        return "TensorFlow fails without having looked at the argument"
    in_a_step = they and we and they[0] == we[0] and they[0].startswith("train")
    if in_a_step and (they[1], we[1]) == ("ValueError", "InvalidArgumentError"):
        return "the size of the batch is not known while a step is traced"
    if they and they[0] == "compile" and "Unknown optimizer" in they[2]:
        return "Lion and Adafactor are found by their names"
    if they and we and they[0] == we[0] and they[1] in _ACCIDENTS:
        return "TensorFlow fails without having looked at the argument"
    if they and they[1] in _ACCIDENTS and we and we[1] in ("ValueError", "TypeError"):
        return "TensorFlow fails without having looked at the argument"
    return ""


def _failure(answer: Program) -> tuple[str, str, str] | None:
    for step, given in answer.items():
        if isinstance(given, dict) and "error" in given and step not in ("shape", "config"):
            return step, given["error"], given.get("message", "")
    return None


def _place(theirs: Any, ours: Any, policy: str, where: str) -> str | None:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if "error" in theirs or "error" in ours:
            classes = theirs.get("error", "value"), ours.get("error", "value")
            return None if classes[0] == classes[1] else f"{where}: {' / '.join(classes)}"
        if {"dtype", "shape", "values"} == theirs.keys() == ours.keys():
            return None if _same_array(theirs, ours, policy) else where
        both = [key for key in theirs if key in ours]
        places = (_place(theirs[key], ours[key], policy, f"{where}/{key}") for key in both)
        others = [str(key) for key in [*theirs, *ours] if key not in both]
        return _first(places) or (f"{where}: {' '.join(others)}" if others else None)
    if isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            return f"{where}: length"
        pairs = enumerate(zip(theirs, ours, strict=True))
        return _first(_place(*pair, policy, f"{where}/{place}") for place, pair in pairs)
    if isinstance(theirs, float) and isinstance(ours, float):
        rounding = _rounding("float32", policy)
        return None if _close(theirs, ours, rounding, max(1.0, abs(theirs))) else where
    if any(isinstance(each, dict) and "error" in each for each in (theirs, ours)):
        both = [each if isinstance(each, dict) else {} for each in (theirs, ours)]
        return _place(*both, policy, where)
    same = theirs == ours or (_says_shapes(where) and _knows(str(ours), str(theirs)))
    return None if same else where


def _says_shapes(where: str) -> bool:
    return where.startswith(("/summary", "/shape", "/compute_output_shape"))


def _knows(ours: str, theirs: str) -> bool:
    """Whether two texts differ by sizes that only we know."""
    pairs = re.findall(r"\w+", theirs), re.findall(r"\w+", ours)
    return len(pairs[0]) == len(pairs[1]) and all(
        one == other or (one == "None" and other.isdigit()) for one, other in zip(*pairs)
    )


def _first(found: Iterator[str | None]) -> str | None:
    return next((each for each in found if each is not None), None)


def _rounding(dtype: str, policy: str) -> float:
    return max(_TOLERANCE[dtype], _TOLERANCE[policy.removeprefix("mixed_")])


def _same_array(theirs: Program, ours: Program, policy: str) -> bool:
    if (theirs["dtype"], theirs["shape"]) != (ours["dtype"], ours["shape"]):
        return False
    if theirs["dtype"] not in _TOLERANCE:
        return bool(theirs["values"] == ours["values"])
    rounding = _rounding(theirs["dtype"], policy)
    scale = max([1.0, *(abs(value) for value in theirs["values"] if math.isfinite(value))])
    pairs = zip(theirs["values"], ours["values"], strict=True)
    return all(_close(one, other, rounding, scale) for one, other in pairs)


def _close(one: float, other: float, rounding: float, scale: float) -> bool:
    if not (math.isfinite(one) and math.isfinite(other)):
        return one == other or (math.isnan(one) and math.isnan(other))
    return abs(one - other) <= rounding * scale


def smaller(made: Program) -> Iterator[Program]:
    """Programs with a layer, an argument or a step less."""
    for key, least in (
        ("compile", None),
        ("file", None),
        ("training", None),
        ("policy", "float32"),
    ):
        if made.get(key, least) != least:
            yield {**made, key: least}
    if made["random_weights"]:
        yield {**made, "random_weights": False}
    if len(made.get("outputs", [-1])) > 1:
        yield {**made, "outputs": [-1]}
    if made.get("compile"):
        yield from _simpler_compile(made)
    for place in range(len(made["nodes"]) - 1, -1, -1):
        if len(made["nodes"]) > 1:
            yield _without(made, place)
    for place, node in enumerate(made["nodes"]):
        for simpler in _simpler(node["layer"]):
            nodes = copy.deepcopy(made["nodes"])
            nodes[place]["layer"] = simpler
            yield {**made, "nodes": nodes}
        if len(node["from"]) > 1 and node["from"][0] != node["from"][1]:
            nodes = copy.deepcopy(made["nodes"])
            nodes[place]["from"] = [node["from"][0]] * 2
            yield {**made, "nodes": nodes}


def _simpler_compile(made: Program) -> Iterator[Program]:
    settings = made["compile"]
    plain = {"steps": 1, "sample_weight": False, "run_eagerly": False}
    plain |= {"optimizer": "sgd", "loss": "mse"}
    for key, least in plain.items():
        if settings[key] not in (least, 0):
            yield {**made, "compile": {**settings, key: least}}
    for key in ("metrics", "weighted_metrics"):
        for place in range(len(settings[key])):
            fewer = settings[key][:place] + settings[key][place + 1 :]
            yield {**made, "compile": {**settings, key: fewer}}
    if isinstance(settings["optimizer"], dict):
        for simpler in _simpler(settings["optimizer"]):
            yield {**made, "compile": {**settings, "optimizer": simpler}}


def _simpler(value: Program) -> Iterator[Program]:
    for key, argument in value["args"].items():
        fewer = {name: item for name, item in value["args"].items() if name != key}
        yield {**value, "args": fewer}
        if isinstance(argument, dict) and "class" in argument:
            for simpler in _simpler(argument):
                yield {**value, "args": {**value["args"], key: simpler}}


def _without(made: Program, place: int) -> Program:
    """The model without a node: who took its value takes its first input."""
    number = len(made["inputs"]) + place
    instead = made["nodes"][place]["from"][0]

    def moved(source: int) -> int:
        source = instead if source == number else source
        return source - 1 if source > number else source

    nodes = copy.deepcopy(made["nodes"])
    del nodes[place]
    for node in nodes:
        node["from"] = [moved(source) for source in node["from"]]
    outputs = [-1] if "outputs" in made else []
    return {**made, "nodes": nodes, **({"outputs": outputs} if outputs else {})}
