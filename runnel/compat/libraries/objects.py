"""`checkpoint.checkpoint`: the objects under a root, and variables of theirs."""

from __future__ import annotations

import importlib.util
from typing import Any

import runnel
from runnel.core.state.trackable import Trackable
from runnel.train.objects.object_graph import ObjectGraph


def list_objects(root_trackable: Any) -> list[Trackable]:
    """All objects that are saved with a root, and itself, slots of optimizers last."""
    graph = ObjectGraph(root_trackable)
    graph.add_slots()
    return graph.objects


def gather_initializers(root_trackable: Any) -> list[Any]:
    """The operations that give these objects their first values, in a graph."""
    found = [getattr(item, "initializer", None) for item in list_objects(root_trackable)]
    return [each for each in found if each is not None]


def add_variable(
    trackable: Any,
    name: str,
    shape: Any = None,
    dtype: Any = runnel.float32,
    initializer: Any = None,
    trainable: bool = True,
) -> Any:
    """A new variable of an object, which takes the value that a checkpoint has for it."""

    def make(name: str, shape: Any, dtype: Any, initializer: Any, trainable: bool) -> Any:
        if callable(initializer) and shape is not None:
            first = initializer(shape, dtype=dtype)
        elif initializer is None and shape is not None:
            first = runnel.zeros(shape, dtype)
        else:
            first = initializer
        return runnel.Variable(first, name=name, dtype=dtype, trainable=trainable)

    return trackable._add_variable_with_custom_getter(
        name, shape, dtype, initializer, make, trainable=trainable
    )


def assert_splits_match(nested_splits_lists: Any) -> list[Any]:
    """Operations that fail unless ragged tensors, given by their splits, have the same rows."""
    message = "Inputs must have identical ragged splits"
    first, *others = nested_splits_lists
    if any(len(splits) != len(first) for splits in others):
        raise ValueError(message)
    return [
        runnel.compat.v1.assert_equal(one, other, message=message)
        for splits in others
        for one, other in zip(first, splits, strict=True)
    ]


def get_filtered_grad_fn(grad_fn: Any) -> Any:
    """The function, whose pairs of gradients and variables lack those without a gradient."""
    return lambda *args, **kwargs: [
        pair for pair in grad_fn(*args, **kwargs) if pair[0] is not None
    ]


def memory_profiler_is_available() -> bool:
    """Whether the package memory_profiler is installed."""
    return importlib.util.find_spec("memory_profiler") is not None


def TF_ListPluggablePhysicalDevices() -> list[bytes]:
    """The devices that plugins of TensorFlow bring: there are none."""
    return []
