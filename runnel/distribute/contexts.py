"""Which strategy a thread works under, and whether as one replica or across all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from runnel.core.op.context import state

if TYPE_CHECKING:
    from runnel.distribute.strategy import ReplicaContext, Strategy


class Context(NamedTuple):
    """A strategy, seen by one replica; across replicas if there is none.

    `updating`: variables are written as they are, without asking the other replicas. `making`: the
    strategy is making a variable, of which scopes inside scopes need not take care again. `fused`:
    the replica for which a function is traced that all replicas run at once.
    """

    strategy: Strategy
    replica: ReplicaContext | None
    updating: bool = False
    making: bool = False
    fused: Any = None

    @property
    def view(self) -> Any:
        """What sets traces of functions apart: the strategy, and which of its replicas asks."""
        if self.strategy._is_default:
            return None
        return self.strategy, None if self.replica is None else (self.replica.number,)


class NotFused(Exception):
    """A function cannot be traced once for all replicas, for a reason."""


class _Process:
    """What holds where no context was entered."""

    default: Any = None  # the context of the default strategy, which `strategy.py` makes
    chosen: Strategy | None = None


process = _Process()


def current() -> Context:
    """The innermost context."""
    if state.strategies:
        found: Context = state.strategies[-1]
        return found
    if process.chosen is not None:
        return Context(process.chosen, None)
    default: Context = process.default
    return default


@contextmanager
def entered(context: Context) -> Iterator[None]:
    outer = state.strategies
    state.strategies = (*outer, context)
    try:
        yield
    finally:
        state.strategies = outer


def get_strategy() -> Strategy:
    """The strategy in whose scope this is called; the default one elsewhere.

    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return current().strategy


def has_strategy() -> bool:
    """Whether the strategy is another than the default one.

    >>> tf.distribute.has_strategy()
    False
    """
    return get_strategy() is not process.default.strategy


def get_replica_context() -> ReplicaContext | None:
    """What a replica knows of itself; None across replicas, as in a strategy's scope.

    >>> tf.distribute.get_replica_context().num_replicas_in_sync
    1
    """
    return current().replica


def in_cross_replica_context() -> bool:
    """Whether this is called across replicas, and not by one of them.

    >>> tf.distribute.in_cross_replica_context()
    False
    """
    return current().replica is None


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Choose the strategy for all that follows, without a scope; None for the default one."""
    if state.strategies:
        raise RuntimeError("experimental_set_strategy: not inside the scope of a strategy")
    if strategy is not None and not hasattr(strategy, "num_replicas_in_sync"):
        raise TypeError(f"experimental_set_strategy: a strategy is wanted, got {strategy!r}")
    process.chosen = None if strategy is process.default.strategy else strategy


def replica_of(strategy: Strategy) -> ReplicaContext | None:
    """The replica of a strategy that this thread is; None across replicas.

    RuntimeError under another strategy.
    """
    context = current()
    if context.strategy is strategy:
        return context.replica
    if context.strategy is not process.default.strategy:
        raise mixed(strategy)
    return None


def mixed(strategy: Strategy, what: str = "a value") -> RuntimeError:
    """The error where a strategy is used under another one."""
    return RuntimeError(
        f"Strategies cannot be mixed: {what} of {strategy} is used under {current().strategy}"
    )


def many_replicas() -> ReplicaContext | None:
    """The replica that this thread is, if there are several and it may ask the others."""
    if not state.strategies:
        return None
    context = state.strategies[-1]
    several = context.replica is not None and context.strategy.num_replicas_in_sync > 1
    return context.replica if several else None


def once(fn: Callable[..., Any], *args: Any) -> Any:
    """`fn(*args)`, run once for all replicas, whose arguments are the same.

    Variables are written inside as they are.
    """
    replica: Any = many_replicas()
    return fn(*args) if replica is None else replica._once(fn, args)


def require_cross_replica(method: str, strategy: Strategy | None = None) -> None:
    """RuntimeError in a replica, and under another strategy than the one that is given."""
    context = current()
    if strategy is not None and has_strategy() and context.strategy is not strategy:
        raise mixed(strategy, method)
    if not in_cross_replica_context() and has_strategy():
        raise RuntimeError(
            f"{method} is called across replicas, not by one of them: "
            f"use tf.distribute.get_replica_context().merge_call()"
        )
