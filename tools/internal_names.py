"""Write which modules of TensorFlow are public, and which internal names are public as well.

Run with TensorFlow: `python tools/internal_names.py > runnel/compat/internal_names.txt`. The first
line lists the public modules; each of the others is a module below `tensorflow.python`, with those
names that it defines and that are public, those of `tf.compat.v1` last.
"""

import importlib
import os
import pkgutil
import sys
import types
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

BASE = "tensorflow.python."
LEFT_OUT = "keras test tpu tools tensorrt examples .debug. benchmark _pywrap .client.".split()
PLAIN = (int, float, str, bytes, tuple, list, dict, type(None), types.ModuleType)


def public_objects(
    module: types.ModuleType, path: str, seen: set[int]
) -> Iterator[tuple[str, Any]]:
    """Everything under the public names, with its path from `tf` on."""
    seen.add(id(module))
    for name in dir(module):
        if name.startswith("_") and name != "__internal__":
            continue
        if name in ("compat", "keras") and path in ("", "compat.v1."):
            continue
        value = getattr(module, name, None)
        is_api = getattr(value, "__name__", "").startswith(("tensorflow._api", "tensorflow."))
        if isinstance(value, types.ModuleType):
            if is_api and ".python" not in value.__name__ and id(value) not in seen:
                yield from public_objects(value, f"{path}{name}.", seen)
        elif not isinstance(value, PLAIN) and "raw_ops" not in path:
            yield path + name, value


def public_modules(module: types.ModuleType, path: str, seen: set[int]) -> Iterator[str]:
    """The paths of the modules that hold public names, from `tf` on."""
    seen.add(id(module))
    for name in dir(module):
        value = getattr(module, name, None)
        private = name.startswith("_") and name != "__internal__"
        old = path + name in ("compat.v1", "compat.v2")
        if private or old or not isinstance(value, types.ModuleType):
            continue
        origin = value.__name__
        if "._api." in origin or origin.startswith("tf_keras.api"):
            yield path + name
            if id(value) not in seen:
                yield from public_modules(value, f"{path}{name}.", seen)


def shortest_paths() -> dict[int, str]:
    old = public_objects(tf.compat.v1, "compat.v1.", set())
    found = sorted(
        [*public_objects(tf, "", set()), *old],
        key=lambda pair: (
            pair[0].startswith("compat.v1."),
            "__internal__" in pair[0],
            "experimental" in pair[0],
            pair[0].count("."),
            pair[0],
        ),
    )
    paths: dict[int, str] = {}
    for path, value in found:
        paths.setdefault(id(value), path)
    return paths


def load_internal_modules() -> None:
    package = importlib.import_module("tensorflow.python")
    for info in pkgutil.walk_packages(package.__path__, BASE, onerror=lambda name: None):
        if not any(part in info.name for part in LEFT_OUT):
            try:
                importlib.import_module(info.name)
            except Exception:  # needs what is not installed
                continue


def main() -> None:
    print("public: " + " ".join(sorted(public_modules(tf, "", set()))))
    paths = shortest_paths()
    load_internal_modules()
    for name, module in sorted(sys.modules.items()):
        if not name.startswith(BASE) or ".keras" in name:
            continue
        own = {
            key: paths[id(value)]
            for key, value in sorted(vars(module).items())
            if id(value) in paths and getattr(value, "__module__", None) == name
        }
        if own:
            entries = [key if key == path else f"{key}={path}" for key, path in own.items()]
            print(f"{name.removeprefix(BASE)}: {' '.join(entries)}")


if __name__ == "__main__":
    main()
