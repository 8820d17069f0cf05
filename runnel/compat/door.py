"""Lets programs find Runnel under TensorFlow's names: `import tensorflow`, `import tf_keras`.

`open_door` puts a finder in front of Python's own. A public path is the module of Runnel itself,
so that nothing exists twice: `tensorflow.keras.layers is runnel.keras.layers`. An internal path
(`tensorflow.python…`, `keras.src…`, `…_pb2`) is a facade, a module that looks its names up in what
is public. What is not there is told by name, with what to use instead.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import sys
import types
from collections.abc import Iterable, Sequence
from email.message import Message
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

import runnel
from runnel.compat.facades import Facade, facade, is_public
from runnel.core.settings.absent import explanation

TENSORFLOW = {"tensorflow": "runnel", "tensorflow_core": "runnel", "tf_keras": "runnel.keras"}
KERAS = {"keras": "runnel.keras"}
_DISTRIBUTIONS = {"tensorflow": ("tensorflow", "tensorflow-cpu"), "tf_keras": ("tf-keras",)}


class Door(MetaPathFinder, Loader):
    """Finds modules under names of others: `names` says which of ours each stands for."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: Any = None
    ) -> ModuleSpec | None:
        top, _, rest = fullname.partition(".")
        if top not in self.names:
            return None
        module = self._found(top, rest)
        spec = ModuleSpec(fullname, self, is_package=hasattr(module, "__path__"))
        spec.loader_state = (module, module.__spec__)
        return spec

    def _found(self, top: str, rest: str) -> types.ModuleType:
        base = self.names[top]
        rest = rest.removeprefix("compat.v2.")  # which is the library itself
        if not rest:
            return importlib.import_module(base)
        within = base.removeprefix("runnel").removeprefix(".")
        internal = facade(f"{within}.{rest}".removeprefix("."), f"{top}.{rest}")
        if internal is not None:
            return internal
        found = _public(f"{base}.{rest}") if is_public(f"{within}.{rest}".strip(".")) else None
        if found is None:
            raise Absent(_missing(top, base, rest))
        return found

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        module: types.ModuleType = spec.loader_state[0]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """It has been run already; that it was found under another name leaves no trace on it."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state[1]

    def find_distributions(
        self, context: importlib.metadata.DistributionFinder.Context | None = None
    ) -> Iterable[importlib.metadata.Distribution]:
        """What packages read of TensorFlow's installation: its version."""
        names = [name for top in self.names for name in _DISTRIBUTIONS.get(top, ())]
        wanted = getattr(context, "name", None)
        return [Installed(n) for n in names if wanted is None or _plain(wanted) == n]


class Installed(importlib.metadata.Distribution):
    """The metadata of a distribution that the door stands for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        message = Message()
        message["Metadata-Version"] = "2.1"
        message["Name"] = self._name
        message["Version"] = runnel.__version__
        message["Summary"] = "Runnel under TensorFlow's name"
        return message.as_string()

    def locate_file(self, path: Any) -> Any:
        raise FileNotFoundError(f"{self._name} is Runnel under another name and has no {path}")


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


class Absent(ModuleNotFoundError):
    """What Runnel has not. It has no `name`, or `from tensorflow import lite` would not show it."""


class Last(MetaPathFinder):
    """Asked for modules of ours that nobody found: says why they are not there."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: Any = None
    ) -> ModuleSpec | None:
        top, _, rest = fullname.partition(".")
        if top == "runnel":
            raise Absent(_missing(top, top, rest))
        return None


def _public(path: str) -> types.ModuleType | None:
    """A module of ours, or a namespace of ours that is no file."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if not isinstance(error, Absent) and not path.startswith(error.name or "?"):
            raise
    parent, _, name = path.rpartition(".")
    value = getattr(sys.modules.get(parent), name, None)
    if isinstance(value, types.ModuleType):
        return value
    return None if value is None or callable(value) else Facade(path, value)


def _missing(top: str, base: str, rest: str) -> str:
    parent, _, name = rest.rpartition(".")
    owner = sys.modules.get(f"{base}.{parent}".rstrip("."))
    if callable(getattr(owner, name, None)):
        return f"{top}.{rest} is no module: from {f'{top}.{parent}'.rstrip('.')} import {name}"
    if rest.startswith("python."):
        return f"Runnel has no {top}.{rest}, which is internal to TensorFlow"
    public = f"{base}.{rest}".removeprefix("runnel.")
    return f"No module named '{top}.{rest}'. {explanation(public, dir(owner))}"


_door = Door()


_last = Last()


def open_door(keras: bool = False) -> None:
    """Let this process find Runnel as `tensorflow` and `tf_keras`, and as `keras` if asked for."""
    _open(TENSORFLOW | KERAS if keras else TENSORFLOW)


def _open(names: dict[str, str]) -> None:
    for name in names.keys() - _door.names.keys():
        if name in sys.modules:
            where = getattr(sys.modules[name], "__file__", None) or "elsewhere"
            raise ImportError(
                f"{name} has been imported already, from {where}: open the door before that"
            )
    _door.names.update(names)
    if _door not in sys.meta_path:
        sys.meta_path.insert(0, _door)
        sys.meta_path.append(_last)


def stand_in(name: str, file: str) -> None:
    """What an installed module `name` does to be Runnel: it opens the door and steps aside."""
    folder = os.path.dirname(file)
    if any(os.path.exists(os.path.join(folder, part)) for part in ("python", "src")):
        raise ImportError(
            f"Runnel was installed as {name} beside the real one, in {folder}: "
            f"uninstall both, then install the one you want"
        )
    del sys.modules[name]
    # The real tf_keras may be installed beside this, and is to be found then.
    _open({known: ours for known, ours in TENSORFLOW.items() if known.startswith(name)})
    sys.modules[name] = importlib.import_module(TENSORFLOW[name])
