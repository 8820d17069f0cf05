"""`Dataset.reduce`: all elements to one value, at once or as a loop of the graph."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from runnel.core.op.context import state
from runnel.core.values import nest
from runnel.core.values.errors import InvalidArgumentError
from runnel.data.graph.ops import IteratorResource
from runnel.data.nodes.node import Node, Values, located
from runnel.data.run.functions import UserFunction
from runnel.data.run.structure import Structure, components, normalized, raw


def reduce(dataset: Any, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
    """The last state."""
    initial = normalized(initial_state)
    if state.graph is not None:
        return _in_graph(dataset, initial, reduce_func)
    before, tensors = components(initial)
    function, before = _traced(dataset, before, reduce_func)
    return before.pack(reduced(dataset._node, function, [raw(t) for t in tensors]))


def reduced(node: Node, function: UserFunction, values: Values) -> Values:
    """The last state, as flat values."""
    held = IteratorResource(node)
    for count in itertools.count():
        element = held.advance()
        if element is None:
            break
        try:
            values = function([*values, *element])
        except Exception as error:
            raise located(error, node, count) from error
    return values


def _traced(
    dataset: Any, before: Structure, reduce_func: Callable[..., Any]
) -> tuple[UserFunction, Structure]:
    """The function for states whose shapes may change on the way."""
    while True:
        function = UserFunction(reduce_func, before, dataset._node.structure, name="reduce")
        after = function.output
        try:
            nest.assert_same_structure(before.spec, after.spec)
        except (TypeError, ValueError) as error:
            message = f"Dataset.reduce: the state changed its structure: {error}"
            raise InvalidArgumentError(None, None, message) from None
        if before.dtypes != after.dtypes:
            raise TypeError(
                f"Dataset.reduce: the state must keep its dtypes {before.dtypes}, got "
                f"{after.dtypes}."
            )
        wider = nest.map_structure(
            lambda a, b: a.most_specific_compatible_type(b), before.spec, after.spec
        )
        if wider == before.spec:
            return function, before
        before = Structure(wider)


def _in_graph(dataset: Any, initial: Any, reduce_func: Callable[..., Any]) -> Any:
    held = [initial]

    def body(element: Any) -> None:
        held[0] = normalized(reduce_func(held[0], element))

    def put(values: Any) -> None:
        held[0] = values[0]

    dataset._autograph_for(None, body, lambda: (held[0],), put, ["state"])
    return held[0]
