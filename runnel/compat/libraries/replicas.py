"""`tf.__internal__.distribute`: merge calls, and variables in parts."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import runnel
from runnel.core.state.trackable import Trackable


def strategy_supports_no_merge_call() -> bool:
    """Whether variables are updated without meeting other replicas: under no strategy's scope."""
    return not runnel.distribute.has_strategy()


def maybe_merge_call(fn: Callable[..., Any], strategy: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function with the strategy first, across all replicas where there is a strategy."""
    if strategy_supports_no_merge_call():
        return fn(strategy, *args, **kwargs)
    replica = runnel.distribute.get_replica_context()
    if replica is None or replica.strategy is not strategy:
        raise RuntimeError(
            f"maybe_merge_call: {strategy} is not the strategy whose replica calls {fn!r}"
        )
    return replica.merge_call(fn, args=args, kwargs=kwargs)


@contextlib.contextmanager
def variable_sync_on_read_context() -> Iterator[None]:
    """While variables that are reduced when they are read may be read by replicas."""
    if runnel.distribute.get_strategy().num_replicas_in_sync > 1:
        raise NotImplementedError(
            "variable_sync_on_read_context: replicas do not read the sum of all of them; "
            "merge_call does."
        )
    yield


def cache_variable_reads() -> contextlib.AbstractContextManager[None]:
    """While variables on other processes are read once: there are none."""
    return contextlib.nullcontext()


class ShardedVariable(Trackable):
    """A variable that is several: each holds some of the rows."""

    is_sharded_variable = True

    def __init__(self, variables: Sequence[Any], name: str = "ShardedVariable") -> None:
        variables = list(variables)
        if not variables or not all(isinstance(v, runnel.Variable) for v in variables):
            raise TypeError(f"ShardedVariable: `variables` must be variables, got {variables!r}")
        if len({v.dtype for v in variables}) > 1:
            raise ValueError("ShardedVariable: the variables must have one dtype")
        if len({tuple(v.shape[1:]) for v in variables}) > 1:
            raise ValueError("ShardedVariable: the variables may differ in their rows only")
        self._variables = variables
        self._name = name
        self._rows = [int(v.shape[0]) for v in variables]
        for number, variable in enumerate(variables):
            self._track_trackable(variable, name=str(number))

    @property
    def variables(self) -> list[Any]:
        """The variables that hold the rows."""
        return self._variables

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> Any:
        return self._variables[0].dtype

    @property
    def shape(self) -> Any:
        return runnel.TensorShape([sum(self._rows), *self._variables[0].shape[1:]])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variables)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        whole = runnel.concat([v.read_value() for v in self._variables], axis=0)
        return runnel.convert_to_tensor(whole, dtype, name=name)

    def numpy(self) -> Any:
        return runnel.convert_to_tensor(self).numpy()

    def __getitem__(self, slice_spec: Any) -> Any:
        return runnel.convert_to_tensor(self)[slice_spec]

    def __repr__(self) -> str:
        return (
            f"ShardedVariable(name={self._name!r}, shape={self.shape}, dtype={self.dtype!r}, "
            f"variables={self._variables!r})"
        )

    def _parts(self, value: Any) -> list[Any]:
        return list(runnel.split(runnel.convert_to_tensor(value, self.dtype), self._rows, axis=0))

    def assign(
        self, value: Any, use_locking: Any = None, name: str | None = None, read_value: bool = True
    ) -> ShardedVariable:
        for variable, part in zip(self._variables, self._parts(value), strict=True):
            variable.assign(part, name=name)
        return self

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> ShardedVariable:  # fmt: skip
        for variable, part in zip(self._variables, self._parts(delta), strict=True):
            variable.assign_add(part, name=name)
        return self

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> ShardedVariable:  # fmt: skip
        for variable, part in zip(self._variables, self._parts(delta), strict=True):
            variable.assign_sub(part, name=name)
        return self

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """The rows at these places."""
        return runnel.gather(runnel.convert_to_tensor(self), indices, name=name)

    def _scattered(self, method: str, sparse_delta: Any, name: str | None) -> ShardedVariable:
        """Give each variable the changes of its rows."""
        indices = runnel.cast(sparse_delta.indices, runnel.int64)
        start = 0
        for variable, rows in zip(self._variables, self._rows, strict=True):
            here = runnel.where((indices >= start) & (indices < start + rows))[:, 0]
            part = runnel.IndexedSlices(
                runnel.gather(sparse_delta.values, here), runnel.gather(indices, here) - start
            )
            getattr(variable, method)(part, name=name)
            start += rows
        return self


def _scatter(method: str) -> Callable[..., ShardedVariable]:
    def scatter(
        self: ShardedVariable, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> ShardedVariable:
        return self._scattered(method, sparse_delta, name)

    scatter.__name__ = method
    return scatter


for _method in ("add", "sub", "mul", "div", "max", "min", "update"):
    setattr(ShardedVariable, f"scatter_{_method}", _scatter(f"scatter_{_method}"))
ShardedVariable.batch_scatter_update = _scatter("batch_scatter_update")  # type: ignore[attr-defined]
