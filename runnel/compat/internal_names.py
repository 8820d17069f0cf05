"""Which public object an internal name of TensorFlow stands for.

`internal_names.txt` is a table of facts about TensorFlow 2.21, which `tools/internal_names.py`
writes. Its first line lists the public modules. Each of the others is a module below
`tensorflow.python` with the names that it defines and that are public as well, as
`name=public.path` or, where both are the same, `name`. `TOOLS` are names that have no public path,
and where Runnel has the same thing.
"""

from __future__ import annotations

import functools
from importlib import resources

# module below `tensorflow.python` -> name -> path of an object, from `runnel` on
TOOLS: dict[str, dict[str, str]] = {
    "eager.def_function": {"function": "function"},
    "framework.ops": {
        "Tensor": "Tensor",
        "convert_to_tensor": "convert_to_tensor",
        "device": "device",
        "name_scope": "name_scope",
    },
    "platform.test": {"TestCase": "test.TestCase", "main": "test.main"},
    "util.compat": {
        name: f"compat.{name}" for name in "as_bytes as_str as_str_any as_text path_to_str".split()
    },
    "util.tf_inspect": {
        name: f"inspect:{name}"
        for name in """Parameter getcallargs getdoc getfile getframeinfo getfullargspec getmembers
        getmodule getmro getsource getsourcefile isbuiltin isclass isframe isfunction isgenerator
        isgeneratorfunction ismethod ismodule isroutine signature stack""".split()
    },
}


@functools.cache
def _lines() -> list[str]:
    text = resources.files(__package__).joinpath("internal_names.txt").read_text("utf-8")
    return text.splitlines()


@functools.cache
def public_modules() -> frozenset[str]:
    """The paths of TensorFlow's public modules, from `tf` on."""
    return frozenset(_lines()[0].split()[1:])


@functools.cache
def table() -> dict[str, dict[str, str]]:
    """Modules with their names and what these are, as paths from `runnel` on."""
    found: dict[str, dict[str, str]] = {}
    for line in _lines()[1:]:
        module, _, names = line.partition(": ")
        pairs = (entry.partition("=")[::2] for entry in names.split())
        found[module] = {name: path or name for name, path in pairs}
    for module, tools in TOOLS.items():
        found.setdefault(module, {}).update(tools)
    return found


@functools.cache
def packages() -> frozenset[str]:
    """The modules that hold others."""
    return frozenset(
        module[:place] for module in table() for place, letter in enumerate(module) if letter == "."
    )
