"""`tf.compat.v1.test`: gradients in sessions, folders, names replaced for a while."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any
from unittest import mock as mock

import numpy as np

import runnel as tf
from runnel.graph.session.default import get_default_session
from runnel.v1.behavior.placeholders import placeholder_with_default
from runnel.v1.ops.arrays import gradients


@functools.cache
def get_temp_dir() -> str:
    """A folder for the files of the tests of this process."""
    return tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))


def test_src_dir_path(relative_path: str) -> str:
    """The path of a file beside the program."""
    start = os.path.dirname(os.path.abspath(sys.argv[0]))
    return os.path.join(start, relative_path)


def assert_equal_graph_def(
    actual: Any, expected: Any, checkpoint_v2: bool = False, hash_table_shared_name: bool = False
) -> None:
    """Fail unless two graphs have the same operations, in any order.

    The last two say which names that differ with every run do not count.
    """
    for asked, name in ((checkpoint_v2, "checkpoint_v2"), (hash_table_shared_name, "")):
        if asked:
            raise NotImplementedError(
                f"assert_equal_graph_def: `{name or 'hash_table_shared_name'}` is not supported."
            )
    tf.test.assert_equal_graph_def(expected, actual)


def compute_gradient(
    x: Any,
    x_shape: Sequence[int] | Sequence[Sequence[int]],
    y: Any,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> Any:
    """The Jacobian of `y` by `x`: by its gradient, and by differences. Needs a default session."""
    session = get_default_session()
    if session is None:
        raise ValueError(
            "compute_gradient needs a session: call it in `with session.as_default()`."
        )
    for target in init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]:
        if target is not None:
            session.run(target)
    feeds = dict(extra_feed_dict or {})
    if not isinstance(x, (list, tuple)):
        return _jacobians(session, x, x_shape, y, y_shape, x_init_value, delta, feeds)
    first = x_init_value or [None] * len(x)
    places = zip(x, x_shape, first, strict=True)
    return [_jacobians(session, a, s, y, y_shape, v, delta, feeds) for a, s, v in places]


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> float:
    """The largest difference between the gradient of `y` by `x` and what differences say."""
    found = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    pairs = found if isinstance(found, list) else [found]
    return max((float(np.max(np.abs(a - b), initial=0)) for a, b in pairs), default=0.0)


def _jacobians(
    session: Any,
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    value: Any,
    delta: float,
    feeds: dict[Any, Any],
) -> tuple[Any, Any]:
    dtype = tf.as_dtype(x.dtype).as_numpy_dtype
    if value is None:
        value = np.random.random_sample(x_shape)
    value = np.asarray(value, dtype)
    return (
        _by_gradient(session, x, value, y, y_shape, feeds),
        _by_differences(session, x, value, y, delta, feeds),
    )


def _by_gradient(
    session: Any, x: Any, value: Any, y: Any, y_shape: Any, feeds: dict[Any, Any]
) -> Any:
    seed = np.zeros(y_shape, tf.as_dtype(y.dtype).as_numpy_dtype)
    incoming = _fed(session, seed)
    (gradient,) = gradients(y, x, incoming)
    columns = []
    for n in range(seed.size):
        seed.flat[n] = 1
        found = session.run(gradient, {**feeds, x: value, incoming: seed})
        columns.append(_dense(found, value.shape).ravel())
        seed.flat[n] = 0
    return np.stack(columns, 1) if columns else np.zeros((value.size, 0), value.dtype)


def _dense(found: Any, shape: Any) -> Any:
    if not hasattr(found, "indices"):
        return found
    full = np.zeros(shape, found.values.dtype)
    np.add.at(full, found.indices, found.values)
    return full


def _fed(session: Any, value: Any) -> Any:
    with session.graph.as_default():
        return placeholder_with_default(value, value.shape)


def _by_differences(
    session: Any, x: Any, value: Any, y: Any, delta: float, feeds: dict[Any, Any]
) -> Any:
    rows = []
    for n in range(value.size):
        ends = []
        for sign in (1, -1):
            moved = value.copy()
            moved.flat[n] += sign * delta
            ends.append(np.ravel(session.run(y, {**feeds, x: moved})))
        rows.append((ends[0] - ends[1]) / (2 * delta))
    return np.stack(rows).astype(value.dtype)


class StubOutForTesting:
    """Replaces attributes of modules and objects, and puts the old ones back.

    >>> import math
    >>> with tf.compat.v1.test.StubOutForTesting() as stubs:
    ...     stubs.Set(math, "pi", 3)
    ...     math.pi
    3
    >>> math.pi
    3.141592653589793
    """

    def __init__(self) -> None:
        self._set: list[tuple[Any, str, Any]] = []
        self._smart: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *error: object) -> None:
        self.CleanUp()

    def __del__(self) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Put all old attributes back."""
        self.UnsetAll()
        self.SmartUnsetAll()

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replace an attribute until `UnsetAll`."""
        self._set.append((parent, child_name, _held(parent, child_name)))
        setattr(parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Put back what `Set` replaced."""
        _put_back(self._set)

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Any) -> None:
        """Replace an attribute where it is defined: in an object, or in a class above it."""
        owner = obj
        if not (isinstance(obj, type(sys)) or attr_name in vars(obj)):
            classes = type(obj).__mro__ if not isinstance(obj, type) else obj.__mro__
            owner = next((c for c in classes if attr_name in vars(c)), None)
            if owner is None:
                raise AttributeError(f"{obj!r} has no attribute {attr_name!r}.")
        self._smart.append((owner, attr_name, _held(owner, attr_name)))
        setattr(owner, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Put back what `SmartSet` replaced."""
        _put_back(self._smart)


def _held(parent: Any, name: str) -> Any:
    """An attribute as it is stored, for a static method must stay one."""
    stored = vars(parent).get(name) if hasattr(parent, "__dict__") else None
    return getattr(parent, name) if stored is None else stored


def _put_back(replaced: list[tuple[Any, str, Any]]) -> None:
    while replaced:
        parent, name, old = replaced.pop()
        setattr(parent, name, old)
