"""Eager and graph mode, as `tensorflow.python.eager.context` has them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import runnel
from runnel.core.op.context import building


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """Operations are added to a graph, the one that is being built or a new one."""
    if not runnel.executing_eagerly():
        yield
        return
    with runnel.Graph().as_default():
        yield


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """Operations run at once, also while a graph is being built."""
    with building(None):
        yield


def num_gpus() -> int:
    return len(runnel.config.list_logical_devices("GPU"))
