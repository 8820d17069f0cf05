"""The layers, metrics and optimizers of a model by their paths, as weight files order them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.naming import snake_case
from runnel.keras.losses.base import Loss
from runnel.keras.optimizers import Optimizer, legacy

_SKIPPED = frozenset(
    """_callable_losses _inbound_nodes _outbound_nodes _tracked _losses _metrics _trainable_weights
    _non_trainable_weights _dependencies _checkpoint_dependencies _deferred_dependencies
    _unconditional_checkpoint_dependencies _self_unconditional_dependency_names _self_tracking
    _stack _start inbound_nodes outbound_nodes input_shape output_shape input output inputs outputs
    submodules weights non_trainable_weights trainable_weights variables non_trainable_variables
    trainable_variables updates state_updates losses input_mask output_mask metrics_names history
    _network""".split()
)


def states(root: Any) -> Iterator[tuple[str, Any]]:
    """Paths and the objects there, the root first at the empty path, each object once."""
    yield from _states(root, "", set())


def _states(thing: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    if id(thing) in seen:
        return
    seen.add(id(thing))
    yield path, thing
    for name, child in _attributes(thing):
        place = f"{path}/{name}" if path else name
        if has_state(child):
            yield from _states(child, place, seen)
        elif isinstance(child, list | dict | tuple | set):
            yield from _container(child, place, seen)


def _attributes(thing: Any) -> Iterator[tuple[str, Any]]:
    for name in sorted(dir(thing), reverse=True):
        if name.startswith("__") or name in _SKIPPED:
            continue
        try:
            yield name, getattr(thing, name)
        except Exception:  # a property may raise whatever it likes
            continue


def _container(container: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Members by the names of their classes, since their own may be numbered differently."""
    members: Iterable[Any] = container.values() if isinstance(container, dict) else container
    counts: dict[str, int] = {}
    for member in list(members):
        if not has_state(member) or id(member) in seen:
            continue
        name = snake_case(type(member).__name__)
        counts[name] = counts.get(name, -1) + 1
        numbered = f"{name}_{counts[name]}" if counts[name] else name
        yield from _states(member, f"{path}/{numbered}", seen)


def has_state(thing: Any) -> bool:
    """Whether an object is a layer, a metric, a loss or an optimizer."""
    return isinstance(thing, Layer | Optimizer | legacy.Optimizer | Loss)
