"""Loading compiled libraries of ops and file systems, which only TensorFlow itself can do."""

from __future__ import annotations

import os
from typing import Any

from runnel.core.errors import NotFoundError


def load_library(library_location: str) -> None:
    """Not supported: libraries hold code compiled against TensorFlow."""
    if not os.path.exists(library_location):
        raise FileNotFoundError(f"tf.load_library: there is no file {library_location!r}.")
    raise NotImplementedError(f"tf.load_library cannot load {library_location!r}, compiled code.")


def load_op_library(library_filename: str) -> Any:
    """Not supported: libraries hold code compiled against TensorFlow."""
    if not os.path.exists(library_filename):
        raise NotFoundError(None, None, f"tf.load_op_library: there is no {library_filename!r}.")
    raise NotImplementedError(f"tf.load_op_library cannot load {library_filename!r}.")


def register_filesystem_plugin(plugin_location: str) -> None:
    """Not supported: plug-ins hold code compiled against TensorFlow."""
    if not os.path.exists(plugin_location):
        raise FileNotFoundError(f"There is no file system plug-in {plugin_location!r}.")
    raise NotImplementedError("tf.experimental.register_filesystem_plugin loads compiled code.")
