"""What programs ask for and only TensorFlow itself can do, or what has nothing to do here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from runnel.core.values.errors import NotFoundError


class AggregationMethod:
    """How several gradients of one tensor are added; the sum is the same in every case."""

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


@contextmanager
def async_scope() -> Iterator[None]:
    """A context in which ops may run later than they are called; here they run at once."""
    yield


def async_clear_error() -> None:
    """Nothing: an op's error is raised by the call that made it."""


@contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """A context for a choice of executor, of which there is one."""
    yield


def enable_strict_mode() -> None:
    """Nothing: there are no deprecated functions to refuse."""


def load_library(library_location: str) -> None:
    """Not supported: libraries hold code compiled against TensorFlow."""
    if not os.path.exists(os.fspath(library_location)):
        raise FileNotFoundError(f"tf.load_library: there is no file {library_location!r}.")
    raise NotImplementedError(f"tf.load_library cannot load {library_location!r}, compiled code.")


def load_op_library(library_filename: str) -> Any:
    """Not supported: libraries hold code compiled against TensorFlow."""
    if not os.path.exists(os.fspath(library_filename)):
        raise NotFoundError(None, None, f"tf.load_op_library: there is no {library_filename!r}.")
    raise NotImplementedError(f"tf.load_op_library cannot load {library_filename!r}.")


def register_filesystem_plugin(plugin_location: str) -> None:
    """Not supported: plug-ins hold code compiled against TensorFlow."""
    if not os.path.exists(plugin_location):
        raise FileNotFoundError(f"There is no file system plug-in {plugin_location!r}.")
    raise NotImplementedError("tf.experimental.register_filesystem_plugin loads compiled code.")


class ConversionParams(NamedTuple):
    """Options of a conversion to TensorRT."""

    max_workspace_size_bytes: int = 1 << 30
    precision_mode: str = "FP32"
    minimum_segment_size: int = 3
    maximum_cached_engines: int = 1
    use_calibration: bool = True
    allow_build_at_runtime: bool = True


class Converter:
    """Not supported."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._refuse()

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError("tf.experimental.tensorrt.Converter is not supported.")

    build = convert = save = summary = _refuse
