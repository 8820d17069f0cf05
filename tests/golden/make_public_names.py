"""Ask TensorFlow for the names of its public functions and classes (run with its Python).

Of the names of one thing the shortest is kept. What nobody calls by itself is left out: `compat`,
`lite`, and the modules of which `dtensor` and `security` show the inside.
"""

from __future__ import annotations

import json
import os
import pathlib
import types
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

PATH = pathlib.Path(__file__).parent / "public_names.json"
LEFT_OUT = ("compat", "lite", "dtensor", "security", "tools", "mlir", "experimental.dtensor")


def callables(module: Any, path: str, seen: set[int]) -> Iterator[tuple[str, int]]:
    """The public callables of a module and those in it, with what they are."""
    seen.add(id(module))
    for name in sorted(n for n in dir(module) if not n.startswith("_")):
        value, full = getattr(module, name, None), f"{path}.{name}".lstrip(".")
        if full.startswith(LEFT_OUT):
            continue
        if not isinstance(value, types.ModuleType):
            if callable(value):
                yield full, id(value)
        elif id(value) not in seen and (
            "tensorflow" in value.__name__ or "keras" in value.__name__
        ):
            yield from callables(value, full, seen)


def main() -> None:
    import tensorflow as tf

    shortest: dict[int, str] = {}
    for name, what in callables(tf, "", set()):
        old = shortest.get(what, name)
        shortest[what] = min(name, old, key=lambda n: (n.count("."), len(n), n))
    PATH.write_text(json.dumps(sorted(shortest.values()), indent=0) + "\n")


if __name__ == "__main__":
    main()
