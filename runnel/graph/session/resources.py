"""What a session keeps between runs, by the operations that make it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from runnel.core.op import eager
from runnel.core.state.owned_state import OwnedStates
from runnel.graph.build.operation import Operation

Evaluate = Callable[[Sequence[Any]], list[Any]]


class Resources:
    """The variables, tables, queues and iterators of a session, and its places in random streams.

    Operations that name the same thing (`container`, `shared_name`) share it; one that names
    none is known by its own name.
    """

    def __init__(self) -> None:
        self.owned = OwnedStates()
        self._held: dict[tuple[str, str], Any] = {}
        self._lock = threading.RLock()

    def of(self, operation: Operation, evaluate: Evaluate) -> Any:
        """What an operation makes, which is made when first asked for."""
        key = _key(operation)
        with self._lock:
            if key not in self._held:
                values = evaluate(operation.inputs) if operation.inputs else []
                made = eager.compute(
                    operation.op, values, {**operation.attrs, "shared_name": ""}, None
                )
                if getattr(made, "name", None) is not None:
                    made.name = key[1]
                self._held[key] = made
            return self._held[key]

    def clear(self, containers: Sequence[str] | None = None) -> None:
        """Forget what was made, in some containers or in all."""
        with self._lock:
            self._held = {
                key: made
                for key, made in self._held.items()
                if containers is not None and key[0] not in containers
            }


def _key(operation: Operation) -> tuple[str, str]:
    attrs = operation.attrs
    return attrs.get("container", ""), attrs["shared_name"] or operation.name
