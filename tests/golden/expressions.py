"""Expressions that mean the same in TensorFlow and here, with TensorFlow's answers.

A script `make_*.py` lists expressions and records what TensorFlow answers: the `repr` of the value,
or the class of the error. A test evaluates the recorded expressions again.
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def answer(expression: str, names: Mapping[str, Any]) -> str:
    try:
        return repr(eval(expression, dict(names)))
    except Exception as error:
        return f"raises {type(error).__name__}"


def record(name: str, expressions: str | Iterable[str], names: Mapping[str, Any]) -> None:
    """Write `<name>.json`; a string holds one expression per line."""
    lines = expressions.splitlines() if isinstance(expressions, str) else expressions
    answers = {line: answer(line, names) for line in map(str.strip, lines) if line}
    (HERE / f"{name}.json").write_text(json.dumps(answers, indent=1) + "\n")


def recorded(name: str) -> list[tuple[str, str]]:
    """The expressions of `<name>.json`, each with its answer."""
    answers = json.loads((HERE / f"{name}.json").read_text())
    return [(expression, of_this_python(text)) for expression, text in answers.items()]


def of_this_python(text: str) -> str:
    """A text that Python 3.11 made, with ordered dicts as this Python shows them."""
    if sys.version_info < (3, 12):
        return text
    return re.sub(r"OrderedDict\(\[(.*?)\]\)", _as_dict, text)


def _as_dict(found: re.Match[str]) -> str:
    pairs = re.sub(r"\(('\w+'), (.*?)\)(?=, \('|$)", r"\1: \2", found[1])
    return f"OrderedDict({{{pairs}}})"
