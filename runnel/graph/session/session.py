"""`tf.compat.v1.Session` and `InteractiveSession`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from types import TracebackType
from typing import Any

from runnel.backend.cache import BoundedCache
from runnel.core.op.context import state
from runnel.core.settings.device import list_logical_devices
from runnel.core.values.errors import InvalidArgumentError
from runnel.graph.build.graph import Graph
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.session.default import default_session, get_default_graph
from runnel.graph.session.feeding import feedable, flat_feeds, tensors_of
from runnel.graph.session.fetching import Fetches
from runnel.graph.session.options import callable_of, described_run
from runnel.graph.session.partial import PartialStep
from runnel.graph.session.resources import Resources
from runnel.graph.session.step import Step

_ELEMENTS = (SymbolicTensor, Operation)
_MOST_STEPS = 1024
_NUMBERS = itertools.count()
_HERE = "/job:localhost/replica:0/task:0"
_MEMORY_LIMIT = 256 << 20  # bytes, which TensorFlow says of a CPU and nobody keeps to


class DeviceAttributes:
    """What a session says of a device."""

    def __init__(
        self, name: str, device_type: str, memory_limit_bytes: int, incarnation: int
    ) -> None:
        self.name, self.device_type = name, device_type
        self.memory_limit_bytes, self.incarnation = memory_limit_bytes, incarnation

    def __repr__(self) -> str:
        return (
            f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, "
            f"{self.incarnation})"
        )


class BaseSession:
    """What runs parts of a graph, and keeps what its operations keep between runs."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        if target and not isinstance(target, (str, bytes)):
            raise TypeError(f"Session: `target` must be a string, got {target!r}.")
        if target not in ("", b"", "local"):
            raise NotImplementedError(f"Session: graphs run in this process, not on {target!r}.")
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"Session: `graph` must be a tf.Graph, got {graph!r}.")
        if config is not None and not hasattr(config, "allow_soft_placement"):
            raise TypeError(f"Session: `config` must be a tf.ConfigProto, got {config!r}.")
        self._graph = get_default_graph() if graph is None else graph
        self.config = self._config = config  # the latter is what libraries ask for
        self._closed = False
        self.resources = Resources()
        self._steps: BoundedCache[tuple[Step, Fetches | None]] = BoundedCache(_MOST_STEPS)
        self._partial: dict[str, PartialStep] = {}

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a `GraphDef` message."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> bytes:
        return b""

    def as_default(self) -> AbstractContextManager[Any]:
        """`tensor.eval()` and `operation.run()` inside use this session."""
        return default_session(self)

    def close(self) -> None:
        """Let go of variables, queues and tables; nothing can be run from then on."""
        self._closed = True
        self._steps.clear()
        self._partial.clear()
        self.resources.clear()

    def list_devices(self) -> list[DeviceAttributes]:
        """The devices that operations of the session run on."""
        return [
            DeviceAttributes(f"{_HERE}{device.name}", device.device_type, _MEMORY_LIMIT, number)
            for number, device in enumerate(list_logical_devices(), 1)
        ]

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """The values of tensors, in the nest in which they are asked for; None for operations.

        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     x = tf.compat.v1.placeholder(tf.float32, [2])
        ...     session.run({"twice": x * 2.0}, {x: [1.0, 2.0]})
        {'twice': array([2., 4.], dtype=float32)}
        """
        if options is not None or run_metadata is not None:
            run = partial(self.run, fetches, feed_dict)
            return described_run(self, run, options, run_metadata)
        wanted = fetches if type(fetches) is list or type(fetches) is tuple else (fetches,)
        for element in wanted:
            if type(element) not in _ELEMENTS:
                return self._run_nest(fetches, feed_dict or {})
        key = (type(fetches), *map(id, wanted), None, *map(id, feed_dict or ()))
        known = self._steps.get(key)
        if known is None:
            return self._run_nest(fetches, feed_dict or {}, key)
        found = known[0](list(feed_dict.values()) if feed_dict else ())
        return found[0] if wanted is not fetches else type(fetches)(found)

    def _run_nest(self, fetches: Any, feed_dict: Mapping[Any, Any], key: Any = None) -> Any:
        """Run any nest of fetches; under `key`, the step is found at once the next time."""
        wanted = self._fetches(fetches)
        feeds = flat_feeds(self._graph, feed_dict)
        step = self._step(wanted.elements, list(feeds))
        if key is not None and list(map(id, feeds)) == list(map(id, feed_dict)):
            self._steps[key] = step, None
        return wanted.rebuilt(step(list(feeds.values())))

    def _fetches(self, fetches: Any) -> Fetches:
        self._check_open()
        if not self._graph._operations:
            raise RuntimeError(
                "run: the graph of this session has no operations, so there is nothing to fetch."
            )
        return Fetches(self._graph, fetches)

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("This is a closed Session: make another one, which begins anew.")

    def _step(self, elements: Sequence[Any], fed: Sequence[SymbolicTensor]) -> Step:
        key = ("flat", *map(id, elements), None, *map(id, fed))
        known = self._steps.get(key)
        if known is None:
            known = self._steps[key] = Step(self, elements, fed), None
        return known[0]

    def values_of(self, tensors: Sequence[Any]) -> list[Any]:
        """The values of tensors that nothing is fed for."""
        return self._step(list(tensors), [])([])

    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function that takes the values of `feed_list` and returns those of `fetches`."""
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(
                f"make_callable: `feed_list` must be a list or tuple, got {feed_list!r}."
            )
        wanted = self._fetches(fetches)
        fed = [feedable(self._graph, tensor) for tensor in feed_list or ()]
        step = self._step(wanted.elements, fed)

        def call(*values: Any, **kinds: Any) -> Any:
            self._check_open()
            if len(values) != len(fed):
                raise InvalidArgumentError(
                    None,
                    None,
                    f"The callable takes {len(fed)} values, got {len(values)}: it must feed "
                    f"{[t.name for t in fed]}.",
                )
            if kinds and not accept_options:
                raise TypeError(f"The callable takes no keywords, got {sorted(kinds)}.")
            return wanted.rebuilt(step(values))

        return call

    def _make_callable_from_options(self, callable_options: Any) -> Callable[..., list[Any]]:
        """The same as a `CallableOptions` message describes it; libraries make theirs so."""
        return callable_of(self, callable_options)

    def partial_run_setup(self, fetches: Any, feeds: Sequence[Any] | None = None) -> str:
        """Begin a step that is run in parts: all its fetches and feeds; a handle for it."""
        tensors = [t for key in feeds or () for t in tensors_of(key)]
        fed = [feedable(self._graph, tensor) for tensor in tensors]
        handle = f"partial_{next(_NUMBERS)}"
        self._partial[handle] = PartialStep(self, self._fetches(fetches).elements, fed)
        return handle

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Any:
        """One part of a step that `partial_run_setup` began; nothing in it runs twice."""
        if handle not in self._partial:
            message = f"partial_run: {handle!r} is no handle of partial_run_setup."
            raise InvalidArgumentError(None, None, message)
        wanted = self._fetches(fetches)
        feeds = flat_feeds(self._graph, feed_dict or {})
        return wanted.rebuilt(self._partial[handle].run(wanted.elements, feeds))


class Session(BaseSession):
    """Runs operations of a graph, with variables, queues and tables of its own.

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     total = tf.constant(1.0) + 2.0
    >>> with tf.compat.v1.Session(graph=graph) as session:
    ...     float(session.run(total))
    3.0
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._entered: ExitStack | None = None

    def __enter__(self) -> Session:
        if self._entered is not None:
            raise RuntimeError("A Session is entered once; enter `session.as_default()` instead.")
        stack = ExitStack()
        stack.enter_context(self._graph.as_default())
        stack.enter_context(self.as_default())
        self._entered = stack
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._entered is not None
        stack, self._entered = self._entered, None
        try:
            stack.__exit__(kind, error, traceback)
        finally:
            self.close()

    @staticmethod
    def reset(target: str, containers: Sequence[str] | None = None, config: Any = None) -> None:
        """Clear containers on a server; graphs run in this process, which has none."""
        raise NotImplementedError(
            f"Session.reset: there are no servers such as {target!r} ({containers}, {config}). "
            "Close the session instead."
        )


class InteractiveSession(BaseSession):
    """A session that is the default one from its making until it is closed."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._outer = state.sessions, state.graph
        state.sessions = (*state.sessions, self)
        if graph is not None:
            state.graph = graph

    def close(self) -> None:
        super().close()
        if state.sessions and state.sessions[-1] is self:
            state.sessions, state.graph = self._outer
