"""A function run as each replica, one at a time, until all of them meet in `merge_call`.

The first replica runs on the thread that asks. When it calls `merge_call` for the first time, the
others get threads of their own: each runs until it calls `merge_call` too, and waits. So replicas
never run at once, in eager mode as well as while a graph is built, and the order of what they do
is always the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from runnel.autograph.calls import converted_call
from runnel.core.op.context import state
from runnel.core.settings.device import device as device_scope
from runnel.core.settings.scopes import variable_creator_scope
from runnel.core.tensor.convert import constant
from runnel.distribute.contexts import Context, entered
from runnel.distribute.values import regroup, select
from runnel.summary.recording import recording

if TYPE_CHECKING:
    from runnel.distribute.strategy import Strategy

_OF_THREADS = (
    "graph left tapes accumulates live scopes device creators sessions strategies owned watcher"
).split()
_OF_GRAPHS = "_scope _control origin _device _placers _beside _container".split()


class _Request(NamedTuple):
    """What a replica asks for by `merge_call`."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class _Stopped(BaseException):
    """A replica is not wanted any more, since another one failed."""


class Replicas:
    """The replicas of one call of `Strategy.run`."""

    def __init__(
        self,
        strategy: Strategy,
        fn: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> None:
        self._strategy = strategy
        self._fn, self._args, self._kwargs = fn, tuple(args), dict(kwargs)
        self._count: int = strategy.extended._count
        self._graph = state.graph
        self.inherited = {name: getattr(state, name) for name in _OF_THREADS}
        self.summaries = dict(recording.__dict__)
        self._scopes = _scopes_of(self._graph)
        self._variables: list[Any] = []  # that the first replica made; the others get the same
        self._others: list[_Other] = []

    def run(self) -> Any:
        """What the function returns, for all replicas."""
        try:
            results = [self.call(0)]
            if self._others:
                results += [other.result() for other in self._others]
            else:
                results += [self.call(number) for number in range(1, self._count)]
        finally:
            for other in self._others:
                other.stop()
        try:
            return regroup(results)
        except (TypeError, ValueError) as error:
            message = f"Replicas returned values of different structures. {error}"
            raise type(error)(message) from error

    def call(self, number: int) -> Any:
        """The function as one replica calls it."""
        extended: Any = self._strategy.extended
        made = 0

        def creator(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
            nonlocal made
            made += 1
            if number == 0:
                self._variables.append(extended._created(next_creator, **kwargs))
            elif made > len(self._variables):
                raise RuntimeError(
                    f"Replica {number} makes a variable ({kwargs.get('name')!r}) that the first "
                    "replica did not make: all replicas must make the same variables"
                )
            return self._variables[made - 1]

        replica = extended._replica(constant(extended._first + number), number, self)
        device = extended._replica_devices[number]
        with (
            entered(Context(self._strategy, replica)),
            device_scope(device),
            variable_creator_scope(creator),
        ):
            args, kwargs = select(number, self._args), select(number, self._kwargs)
            return converted_call(self._fn)(*args, **kwargs)

    def merge(self, number: int, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """`merge_call` of a replica."""
        if state.graph is not self._graph and self._count > 1:
            raise RuntimeError(
                "merge_call was called inside a function, a branch or a loop of the graph, where "
                "replicas cannot meet. Call it outside, or decorate the function that calls "
                "Strategy.run by tf.function."
            )
        request = _Request(fn, tuple(args), dict(kwargs or {}))
        if number:
            return self._other(number).wait(request)
        if not self._others:
            self._others = [_Other(self, n) for n in range(1, self._count)]
        requests = [request, *[other.request() for other in self._others]]
        together = [regroup([r[part] for r in requests]) for part in (1, 2)]
        with entered(Context(self._strategy, None)):
            found = converted_call(fn)(self._strategy, *together[0], **together[1])
        for other in self._others:
            other.answer = select(other.number, found)
        return select(0, found)

    def _other(self, number: int) -> _Other:
        if not self._others:
            raise RuntimeError(
                f"Replica {number} calls merge_call (by an all-reduce, an optimizer or an "
                "assignment, perhaps), but the first replica did not"
            )
        return self._others[number - 1]

    @contextmanager
    def switched(self, scopes: dict[str, Any]) -> Iterator[None]:
        """While another replica runs, the graph is in that one's scopes."""
        mine = _scopes_of(self._graph)
        _set_scopes(self._graph, scopes or self._scopes)
        try:
            yield
        finally:
            scopes.clear()
            scopes.update(_scopes_of(self._graph))
            _set_scopes(self._graph, mine)


class _Other:
    """A replica on a thread of its own, which runs only while the first one waits for it."""

    def __init__(self, replicas: Replicas, number: int) -> None:
        self.number, self.answer = number, None
        self._replicas = replicas
        self._scopes: dict[str, Any] = {}
        self._go, self._back = threading.Semaphore(0), threading.Semaphore(0)
        self._request: _Request | None = None
        self._error: BaseException | None = None
        self._result: Any = None
        self._ended = self._stopped = False
        self._made = 0
        self._thread = threading.Thread(target=self._main, name=f"replica-{number}", daemon=True)
        self._thread.start()

    def request(self) -> _Request:
        """Run to the next `merge_call`."""
        self._resume()
        if self._request is None:
            raise RuntimeError(
                f"merge_call was called by some replicas, but not by replica {self.number}"
            )
        return self._request

    def result(self) -> Any:
        """Run to the end."""
        self._resume()
        if self._request is not None:
            raise RuntimeError(
                f"Replica {self.number} calls merge_call once more than the first replica does"
            )
        return self._result

    def stop(self) -> None:
        """Let the thread end, wherever it is."""
        if not self._ended:
            self._stopped = True
            self._resume()
        self._thread.join()

    def wait(self, request: _Request) -> Any:
        """On its own thread: let the first replica run until there is an answer."""
        self._request = request
        self._back.release()
        self._go.acquire()
        if self._stopped:
            raise _Stopped
        return self.answer

    def _resume(self) -> None:
        self._request = None
        if not self._ended:
            with self._replicas.switched(self._scopes):
                self._go.release()
                self._back.acquire()
        state.variables_made += self._made
        self._made = 0
        error, self._error = self._error, None
        if error is not None and not self._stopped:
            raise error

    def _main(self) -> None:
        self._go.acquire()
        for name, value in self._replicas.inherited.items():
            setattr(state, name, value)
        recording.__dict__.update(self._replicas.summaries)
        try:
            if not self._stopped:
                self._result = self._replicas.call(self.number)
        except BaseException as error:
            self._error = error
        finally:
            self._made = state.variables_made
            self._ended = True
            self._back.release()


def _scopes_of(graph: Any) -> dict[str, Any]:
    return {} if graph is None else {name: getattr(graph, name) for name in _OF_GRAPHS}


def _set_scopes(graph: Any, scopes: Mapping[str, Any]) -> None:
    for name, value in scopes.items():
        setattr(graph, name, value)
