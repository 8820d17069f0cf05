"""Answers on disk: one compressed file of arrays per table, without pickling."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import ml_dtypes
import numpy as np

FOLDER = pathlib.Path(__file__).parent.parent / "golden"


def path_of(family: str) -> pathlib.Path:
    kind, _, name = family.partition("_")
    return FOLDER / kind / f"{name}.npz"


def save(family: str, answers: dict[str, dict[str, Any]]) -> None:
    arrays: dict[str, np.ndarray] = {}
    facts: dict[str, Any] = {}
    for row, answer in answers.items():
        for key, value in answer.items():
            if isinstance(value, np.ndarray) and value.dtype != object:
                arrays[f"{row}/{key}"] = _encode(value)
                facts.setdefault(row, {}).setdefault("dtypes", {})[key] = value.dtype.name
            elif isinstance(value, np.ndarray):
                texts = [v.decode("latin1") for v in value.ravel()]
                facts.setdefault(row, {}).setdefault("strings", {})[key] = [
                    list(value.shape),
                    texts,
                ]
            else:
                facts.setdefault(row, {})[key] = value
    arrays["facts"] = np.frombuffer(json.dumps(facts, sort_keys=True).encode(), np.uint8)
    path_of(family).parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path_of(family), **arrays)


def load(family: str) -> dict[str, dict[str, Any]]:
    if not path_of(family).exists():
        return {}
    with np.load(path_of(family)) as file:
        facts = json.loads(file["facts"].tobytes().decode())
        for row in facts.values():
            for key, (shape, texts) in row.pop("strings", {}).items():
                flat = np.empty(len(texts), object)
                flat[:] = [t.encode("latin1") for t in texts]
                row[key] = flat.reshape(shape)
        for name in file.files:
            if name != "facts":
                row, _, key = name.rpartition("/")
                facts[row][key] = _decode(file[name], facts[row]["dtypes"][key])
    return facts


def _encode(value: np.ndarray) -> np.ndarray:
    return (
        value.view(np.uint8 if value.dtype.itemsize == 1 else np.uint16)
        if value.dtype.kind == "V"
        else value
    )


def _decode(value: np.ndarray, dtype: str) -> np.ndarray:
    return value.view(getattr(ml_dtypes, dtype)) if hasattr(ml_dtypes, dtype) else value
