"""Where in a graph the operations of gradients are named.

A tape names them in `gradient_tape/`, followed by the scope in which the operation was made that
they are the gradient of; `tf.gradients`, and the gradient of a function, in a scope for each
operation, `gradients/mul_grad/`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from runnel.core.tensor.operators import Operators


@dataclass(frozen=True)
class Naming:
    """How the operations of gradients are named, and which there are.

    `scope` is where in a graph the gradient of an operation is named; None leaves the scope as it
    is. `zeros` names the gradients of outputs that nothing came back to. `whole` says that an op's
    gradients are all computed, asked for or not.
    """

    scope: Callable[[Any, Any], str | None]
    zeros: str
    whole: bool = False


def _in_tape(graph: Any, operation: Any) -> str | None:
    """The scope that a tape names the gradient of an operation in.

    >>> @tf.function
    ... def slope(x):
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = x * tf.exp(x)
    ...     return tape.gradient(y, x)
    >>> graph = slope.get_concrete_function(tf.TensorSpec([2])).graph
    >>> [op.name for op in graph.get_operations() if "gradient" in op.name]
    ['gradient_tape/mul/Mul', 'gradient_tape/mul/Mul_1', 'gradient_tape/mul']
    """
    if operation.backward is not None:  # a function of the user's, who chooses the scope
        return None
    around = _scope_of(operation)
    return f"gradient_tape/{around}" if around else "gradient_tape"


def _in_graph(graph: Any, operation: Any) -> str | None:
    """The scope of its own that the gradient of an operation has inside that of `tf.gradients`."""
    return graph.unique_name(f"{operation.name}_grad")  # type: ignore[no-any-return]


def _scope_of(operation: Any) -> str:
    """The scope in which an operation was made, which may be one that has its own name."""
    name: str = operation.name
    around, _, leaf = name.rpartition("/")
    base, _, number = leaf.rpartition("_")
    base = base if number.isdigit() else leaf
    op = operation.op
    own = base == op.traits.scope or f"__r{base}__" in vars(Operators) or op.lower is not None
    return name if own or name in _entered(operation) else around


def _entered(operation: Any) -> frozenset[str] | set[str]:
    graph = getattr(operation, "graph", None)
    return frozenset() if graph is None else graph.entered


TAPE = Naming(_in_tape, "zeros")
FUNCTION = Naming(_in_graph, "zeros_like")
GRAPH = Naming(_in_graph, "zeros_like", whole=True)
