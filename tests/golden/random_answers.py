"""TensorFlow's random numbers: `random.json` says what was asked for, `random.npz` what came.

Of a long answer only every `stride`-th number is kept. NumPy cannot store bfloat16, so that such an
answer is float32.
"""

import functools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent


def record(cases: Iterable[tuple[dict[str, Any], np.ndarray]], facts: dict[str, Any]) -> None:
    """Writes both files; `facts` are answers that are not arrays."""
    questions, answers = zip(*cases)
    kept = [thinned(case, answer) for case, answer in zip(questions, answers)]
    np.savez_compressed(HERE / "random.npz", **{str(i): array for i, array in enumerate(kept)})
    text = json.dumps({"cases": questions, "facts": facts}, indent=None, separators=(",", ":"))
    (HERE / "random.json").write_text(text.replace("},{", "},\n{") + "\n")


def thinned(case: dict[str, Any], answer: np.ndarray) -> np.ndarray:
    """What is kept of an answer."""
    array = np.ravel(answer)[:: case.get("stride", 1)] if case.get("stride", 1) > 1 else answer
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def recorded(kind: str) -> list[tuple[dict[str, Any], np.ndarray]]:
    """What was asked for of this kind, with the answers."""
    text, arrays = _read()
    return [(case, arrays[i]) for i, case in enumerate(text["cases"]) if case["kind"] == kind]


def fact(name: str) -> Any:
    return _read()[0]["facts"][name]


@functools.cache
def _read() -> tuple[dict[str, Any], list[np.ndarray]]:
    text = json.loads((HERE / "random.json").read_text())
    with np.load(HERE / "random.npz") as file:
        return text, [file[str(i)] for i in range(len(text["cases"]))]
