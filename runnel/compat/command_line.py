"""`python -m runnel`: run a program, a module or a text that imports tensorflow, unedited."""

from __future__ import annotations

import argparse
import importlib.metadata
import platform
import runpy
import sys
from pathlib import Path

import runnel
from runnel.compat.door import open_door

_TOLD = "jax jaxlib numpy scipy ml_dtypes protobuf h5py Pillow simplejpeg google-re2".split()


def main(arguments: list[str] | None = None) -> None:
    options = _parse(sys.argv[1:] if arguments is None else arguments)
    open_door(keras=options.keras)
    if options.text is not None:
        return _run_text(options.text, options.arguments)
    if options.module is not None:
        sys.argv = [options.module, *options.arguments]
        sys.path[0] = ""
        runpy.run_module(options.module, run_name="__main__", alter_sys=True)
        return None
    script, *rest = options.arguments
    sys.argv = [script, *rest]
    sys.path[0] = str(Path(script).resolve().parent)
    runpy.run_path(script, run_name="__main__")
    return None


def _run_text(text: str, arguments: list[str]) -> None:
    sys.argv = ["-c", *arguments]
    sys.path[0] = ""
    namespace = sys.modules["__main__"].__dict__
    namespace.update(__name__="__main__", __file__=None)
    exec(compile(text, "<string>", "exec"), namespace)


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m runnel",
        description="Run a program that imports tensorflow, or tf_keras, on Runnel.",
        usage="%(prog)s [--keras] (script.py | -m module | -c text) [arguments …]",
    )
    parser.add_argument("--keras", action="store_true", help="be found as `keras` too")
    parser.add_argument("--version", action="store_true", help="print what a report of a bug needs")
    parser.add_argument("-m", dest="module", metavar="MODULE", help="a module to run")
    parser.add_argument("-c", dest="text", metavar="TEXT", help="a program, as text")
    own, rest = _split(arguments)
    options = parser.parse_args(own)
    options.arguments = rest
    if options.version:
        print(versions())
        sys.exit()
    if options.text is None and options.module is None and not rest:
        parser.error("a script, -m or -c is needed")
    return options


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our options end where the program begins, as those of `python` do."""
    for place, argument in enumerate(arguments):
        if argument in ("-m", "-c"):
            return arguments[: place + 2], arguments[place + 2 :]
        if not argument.startswith("-"):
            return arguments[:place], arguments[place:]
    return arguments, []


def versions() -> str:
    """Runnel and what it stands on, as a report of a bug should tell."""
    told = [f"Runnel {runnel.version.RUNNEL} (TensorFlow {runnel.__version__})"]
    told.append(f"Python {platform.python_version()} on {platform.platform()}")
    for name in _TOLD:
        try:
            told.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            told.append(f"{name} is not installed")
    return "\n".join(told)
