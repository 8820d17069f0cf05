"""The tables of `docs/differences.md`, made from the lists that the library itself uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import reference

from runnel.core.settings.absent import INSTEAD

ROOT = Path(__file__).parents[2]


def filled(text: str) -> str:
    """A page with its tables: `<!-- table: absent -->` is a place for one."""
    return re.sub(r"<!-- table: (\w+) -->", lambda m: TABLES[m[1]](), text)


def absent() -> str:
    """What is not there by plan, and what to use instead."""
    same = {
        name: text.replace(f"tf.compat.v1.{name}", "tf.compat.v1.…")
        for name, text in INSTEAD.items()
    }
    rows = [
        f"| {', '.join(f'`tf.{name}`' for name, _ in group)} | {instead} |"
        for instead, group in groupby(same.items(), key=lambda item: item[1])
    ]
    return "| not there | instead |\n|---|---|\n" + "\n".join(rows)


def missing() -> str:
    """The names that TensorFlow has and Runnel has not, by namespace."""
    found: dict[str, list[str]] = {}
    for name in reference.recorded()["symbols"]:
        path, _, last = name.rpartition(".")
        if name not in reference.places() and not last.startswith("_"):
            found.setdefault(path, []).append(last)
    rows = [f"| `{path}` | {', '.join(f'`{n}`' for n in names)} |" for path, names in found.items()]
    return "| namespace | not there |\n|---|---|\n" + "\n".join(rows)


def parameters() -> str:
    """Functions and classes whose parameters are not TensorFlow's, or that do something else."""
    rows = []
    for path, symbols in reference.namespaces().items():
        for last, value in symbols.items():
            name = f"{path}.{last}"
            if callable(value) and reference.homes()[id(value)] == name:
                kind, said = reference.verdict(name, value)
                if kind == "differs":
                    rows.append(f"| [`{name}`]({reference.places()[name]}) | {said} |")
    return "| name | how it differs |\n|---|---|\n" + "\n".join(rows)


def errors() -> str:
    """The differences that `make compare` lets pass, each with its reason."""
    tree = ast.parse((ROOT / "tests" / "compare" / "deliberate.py").read_text())
    found = [n.value.value for n in ast.walk(tree) if _is_reason(n)]
    return "\n".join(f"- {text[0].upper()}{text[1:]}." for text in found if text)


def _is_reason(node: ast.AST) -> bool:
    constant = isinstance(node, ast.Return) and isinstance(node.value, ast.Constant)
    return constant and isinstance(node.value.value, str)  # type: ignore[attr-defined]


TABLES: dict[str, Callable[[], str]] = {
    "absent": absent,
    "errors": errors,
    "missing": missing,
    "parameters": parameters,
}
