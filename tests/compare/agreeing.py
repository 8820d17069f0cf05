"""In which way two answers differ."""

from __future__ import annotations

from typing import Any

import numpy as np

_CLOSE = {"float16": 4e-3, "bfloat16": 3e-2, "float64": 1e-6, "complex128": 1e-6}
_USUALLY = 2e-4


def difference(theirs: Any, ours: Any) -> str:
    """What differs in a few words; nothing if the answers agree."""
    if not isinstance(theirs, dict) or not isinstance(ours, dict):
        return "" if theirs == ours else f"{theirs!s:.20} / {ours!s:.20}"
    outcomes = _outcome(theirs), _outcome(ours)
    if outcomes[0] != outcomes[1]:
        return " / ".join(outcomes)
    for key in ("kind", "rest", *(theirs.keys() & {"spec", "size"})):
        if theirs.get(key) != ours.get(key):
            return key
    return _static(theirs.get("static", []), ours.get("static", [])) or _values(
        theirs.get("given", []), ours.get("given", [])
    )


def _outcome(answer: dict[str, Any]) -> str:
    if "input" in answer:
        return "input " + str(answer["input"])
    return str(answer.get("error", "value"))


def _static(theirs: list[str], ours: list[str]) -> str:
    """Whether less is known of a shape; to know more of it is no difference."""
    return "" if len(theirs) == len(ours) and all(map(_knows, ours, theirs)) else "static"


def _knows(ours: str, theirs: str) -> bool:
    if theirs == "<unknown>" or ours == theirs:
        return True
    sizes = [shape.strip("()").rstrip(",").split(", ") for shape in (theirs, ours)]
    same_rank = ours != "<unknown>" and len(sizes[0]) == len(sizes[1])
    return same_rank and all(one in ("None", other) for one, other in zip(*sizes))


def _values(theirs: list[Any], ours: list[Any]) -> str:
    if len(theirs) != len(ours):
        return "number of values"
    for one, other in zip(theirs, ours):
        if not isinstance(one, list) or not isinstance(other, list):
            if one != other:
                return "value"
        elif one[0] != other[0]:
            return f"dtype {one[0]} / {other[0]}"
        elif one[1:2] != other[1:2]:
            return "shape"
        elif not _close(one, other):
            return f"numbers of {one[0]}"
    return ""


def _close(theirs: list[Any], ours: list[Any]) -> bool:
    if theirs == ours or len(theirs) < 3:
        return True
    if theirs[0].split()[-1] in ("string", "object") or theirs[0].split()[-1].startswith("str"):
        return False
    one, other = np.asarray(theirs[2], np.float64), np.asarray(ours[2], np.float64)
    if theirs[0].strip("u").startswith(("int", "bool")):
        return bool(np.array_equal(one, other))
    close = _CLOSE.get(theirs[0], _USUALLY)
    finite = np.abs(one[np.isfinite(one)])
    most = max(1.0, float(finite.max())) if finite.size else 1.0
    return bool(np.allclose(other, one, rtol=close, atol=close * most, equal_nan=True))
