"""What programs need around a graph: flags and `main`, files that lie beside the program."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import runnel as tf

_NEEDS = "needs the package absl-py (pip install absl-py), which is not installed."


def _absl(name: str, user: str) -> ModuleType:
    try:
        return importlib.import_module(f"absl.{name}")
    except ImportError as error:
        raise ImportError(f"tf.compat.v1.{user} {_NEEDS}") from error


class _Flags(ModuleType):
    """`absl.flags`, found when it is first needed."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_absl("flags", "flags"), name)

    def __dir__(self) -> list[str]:
        return dir(_absl("flags", "flags"))


flags = _Flags("runnel.compat.v1.flags", "Flags of the command line, which are those of absl.")


def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> None:
    """Run a program's `main` with the arguments that are no flags, and exit with its answer."""
    main = sys.modules["__main__"].main if main is None else main  # type: ignore[attr-defined]
    _absl("app", "app.run").run(main=main, argv=argv, flags_parser=_leaving_unknown)


def _leaving_unknown(arguments: list[str]) -> list[str]:
    """The arguments that are no flags, and the flags that nobody has defined."""
    return _absl("flags", "flags").FLAGS(arguments, known_only=True)  # type: ignore[no-any-return]


def load_resource(path: str) -> bytes:
    """The bytes of a file, by its path from the folder of the library."""
    return Path(get_root_dir_with_all_resources(), path).read_bytes()


def get_data_files_path() -> str:
    """The folder of the file that calls this function."""
    return _folder_of_caller()


def get_root_dir_with_all_resources() -> str:
    """The folder in which the library itself lies."""
    return str(Path(__file__).parents[2])


def get_path_to_datafile(path: str) -> str:
    """The path of a file that lies beside the one that calls this function."""
    return os.path.join(_folder_of_caller(), path)


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The path itself: only some file systems of Google's read ahead."""
    return path


def _folder_of_caller() -> str:
    frame = sys._getframe(2)
    return os.path.dirname(os.path.abspath(frame.f_code.co_filename))


def to_graph(
    entity: Any,
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    experimental_optional_features: Any = None,
) -> Callable[..., Any]:
    """A function like `entity` whose control flow works on tensors while a graph is built.

    What it is called with decides by itself, so `arg_values` and `arg_types` need not be known.
    """
    del arg_values, arg_types  # TensorFlow does not look at them either
    return tf.autograph.to_graph(entity, recursive, experimental_optional_features)  # type: ignore[no-any-return]


def to_code(
    entity: Any,
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    indentation: str = "  ",
    experimental_optional_features: Any = None,
) -> str:
    """The source of the function that AutoGraph makes of `entity`."""
    del arg_values, arg_types, indentation  # TensorFlow does not look at them either
    return tf.autograph.to_code(entity, recursive, experimental_optional_features)  # type: ignore[no-any-return]


def load_file_system_library(library_filename: str) -> None:
    """Load a plugin for a file system, of which there are none for Runnel."""
    raise NotImplementedError(
        f"load_file_system_library: {library_filename!r} is a plugin of TensorFlow's. "
        "tf.io.gfile reads local files."
    )
