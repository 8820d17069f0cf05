"""Decorators of tests, comparisons of graphs, and clusters that are not there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from runnel.core.protos import messages


def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Any:
    """A decorator for tests that are skipped where `pred()` is true."""

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
            return self.skipTest(skip_message) if pred() else test(self, *args, **kwargs)

        return wrapper

    return decorate


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """The class itself, as in TensorFlow, where programs still name it."""
    return cls if cls is not None else lambda decorated: decorated


def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Fail unless two graphs have the same operations, in any order.

    >>> tf.test.assert_equal_graph_def(tf.Graph().as_graph_def(), tf.Graph().as_graph_def())
    """
    for name, graph in (("expected", expected), ("actual", actual)):
        if not isinstance(graph, messages.GraphDef):
            raise TypeError(f"`{name}` must be a GraphDef, got {type(graph).__name__}.")
    wanted, got = ({node.name: node for node in g.node} for g in (expected, actual))
    for name in wanted.keys() ^ got.keys():
        raise AssertionError(f"The operation {name!r} is in one of the graphs only.")
    for name, node in wanted.items():
        if node != got[name]:
            raise AssertionError(f"The operation {name!r} is\n{node}in one graph, and\n{got[name]}")


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> NoReturn:
    """Not supported: there are no servers that run parts of a program."""
    raise NotImplementedError(
        "tf.test.create_local_cluster: there are no servers to which a program sends its parts. "
        "Workers are processes that run the same program, as MultiWorkerMirroredStrategy has them: "
        "`python -m runnel.distribute --workers 2 program.py` starts two on this machine."
    )
