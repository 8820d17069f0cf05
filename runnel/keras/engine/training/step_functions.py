"""Steps of training, evaluation and prediction, each one compiled call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

import runnel as tf
from runnel.keras.engine.random_generator import seeds_of_trace
from runnel.keras.engine.symbolic.symbolic_call import placeholder
from runnel.keras.engine.training.data.batches import known_of

_MOST_DIVISIONS = 16
_MOST_RESTS = 2  # shapes of batches, but for their size, that have traces of their own
_convert = tf.__internal__.autograph.tf_convert
_signature = tf.__internal__.arguments.signature


def step_function(
    step: Callable[[Any], Any],
    *,
    eagerly: bool,
    jit_compile: Any = None,
    fixed: bool = False,
    rehearsed: bool = False,
) -> Callable[..., Any]:
    """A function of a batch that runs `step` on it, traced unless it is to run eagerly.

    `fixed`: each size of a batch has a trace of its own. `rehearsed`: each trace follows a trial,
    so that layers with seeds of their own draw what they draw in tf_keras, whose loop over the
    steps of an execution has AutoGraph try its body first.
    """
    if eagerly:
        return lambda data, varies=False, shapes=None: step(data)
    return _Traced(step, jit_compile, fixed, rehearsed).run


class _Traced:
    """`step`, traced once for each kind of batch.

    The first trace is for the size of its batch, unless others are to be expected; with the
    second size there is a trace for all sizes. Other dimensions are left open where a dataset says
    that they differ, or once they have differed twice.
    """

    def __init__(
        self, step: Callable[[Any], Any], jit_compile: Any, fixed: bool, rehearsed: bool
    ) -> None:
        self._step, self._fixed, self._rehearsed = step, fixed, rehearsed
        self._options: dict[str, Any] = {"jit_compile": jit_compile} if jit_compile else {}
        self._kinds: dict[Any, dict[int | None, Any]] = {}  # traces of a kind by their size
        self._seeds: dict[Any, list[int]] = {}  # what the first trace of a kind handed out
        self._rests: dict[Any, list[Any]] = {}  # the other dimensions that were met, by structure
        self._latest: tuple[Any, Any] = (None, None)  # a signature, and the trace that it leads to
        self._divisions: dict[Any, Any] = {}  # functions by the types of the parts of a batch
        self._composite = tf.function(
            lambda data: _convert(step)(data), reduce_retracing=True, **self._options
        )

    def run(self, data: Any, varies: bool = False, shapes: list[Any] | None = None) -> Any:
        """One step; `varies` says that other batches may have another size.

        `shapes` are the other dimensions of all batches, if not those of this one.
        """
        leaves: Any = data
        structure: Any = None
        if type(data) is not tuple or not all(isinstance(t, tf.Tensor) for t in data):
            leaves = [leaf for leaf in tf.nest.flatten(data) if leaf is not None]
            if not all(isinstance(t, tf.Tensor) for t in leaves):
                return self._for_composites(data, leaves)(data)
            structure = _structure(data)
        known = (structure, _signature(leaves)) if shapes is None else None
        if known is not None and known == self._latest[0]:
            return self._latest[1](*leaves)
        rests = [t.shape[1:] if t.shape.rank else None for t in leaves]
        if shapes is not None:
            rests = [given or rest for given, rest in zip_longest(shapes, rests)]
        rests = self._opened(structure, leaves, rests)
        kind = (structure, *[(t.dtype, rest) for t, rest in zip(leaves, rests)])
        size = leaves[0].shape[0] if leaves and leaves[0].shape.rank else None
        traces = self._kinds.setdefault(kind, {})
        function = traces.get(size) or traces.get(None)
        if function is None:
            is_open = any(rest is not None and None in tuple(rest) for rest in rests)
            one_size = (self._fixed and not is_open) or not (varies or traces)
            like = next(iter(traces.values()), None) if varies and one_size else None
            with seeds_of_trace(self._seeds.setdefault(kind, []), again=like is not None):
                function = self._traced_for(data, leaves, rests, one_size)
            if like is not None:  # one trace for all sizes would have one stream of random numbers
                graphs = [each.get_concrete_function().graph for each in (function, like)]
                tf.__internal__.graphs.share_states(*graphs)
            traces[size if one_size else None] = function
        self._latest = (known if known and known[1] else None, function)
        return function(*leaves)

    def _opened(self, structure: Any, leaves: list[Any], rests: list[Any]) -> list[Any]:
        """The other dimensions than sizes, open where they differ between such batches."""
        ranks = [None if rest is None else len(rest) for rest in rests]
        met = self._rests.setdefault((structure, *[t.dtype for t in leaves], *ranks), [])
        if rests in met[:_MOST_RESTS]:
            return rests
        if len(met) < _MOST_RESTS:
            met.append(rests)
            return rests
        met[_MOST_RESTS:] = [_joined_rests([*met, rests])]
        return met[-1]

    def _for_composites(self, data: Any, leaves: list[Any]) -> Any:
        """The function for a batch with other leaves than tensors.

        Parts for replicas have a function of their own for each division, as long as these are few.
        """
        if not all(isinstance(leaf, tf.distribute.DistributedValues) for leaf in leaves):
            return self._composite
        key = (_structure(data), *[leaf._type_spec for leaf in leaves])
        if key not in self._divisions and len(self._divisions) < _MOST_DIVISIONS:
            step = self._step
            made = tf.function(lambda data: _convert(step)(data), **self._options)
            made.get_concrete_function(data)  # a trace of its own, which no warning counts
            self._divisions[key] = made
        return self._divisions.get(key, self._composite)

    def _traced_for(self, data: Any, leaves: Any, rests: list[Any], one_size: bool) -> Any:
        step = self._step
        holes = [leaf is None for leaf in tf.nest.flatten(data)]

        def flat(*tensors: Any) -> Any:
            rest = iter(tensors)
            full = [None if hole else next(rest) for hole in holes]
            return _convert(step)(tf.nest.pack_sequence_as(data_like, full))

        def after_trial(*tensors: Any) -> Any:
            with tf.__internal__.FuncGraph("trial").as_default():
                flat(*map(placeholder, specs))
            return flat(*tensors)

        data_like = tf.nest.map_structure(lambda leaf: None, data)
        specs = [_spec(t, rest, one_size) for t, rest in zip(leaves, rests)]
        body = after_trial if self._rehearsed else flat
        function = tf.function(body, input_signature=specs, **self._options)
        function.get_concrete_function()  # a trace of its own, which no warning counts
        return function


def _spec(tensor: Any, rest: Any, one_size: bool) -> Any:
    if rest is None:
        return tf.TensorSpec(tensor.shape, tensor.dtype)
    return tf.TensorSpec([tensor.shape[0] if one_size else None, *rest], tensor.dtype)


def _joined_rests(met: list[Any]) -> list[Any]:
    """Shapes of which all that were met are examples: dimensions that differ are open."""
    return [
        None if each[0] is None else tuple([n[0] if len({*n}) == 1 else None for n in zip(*each)])
        for each in zip(*met)
    ]


def _structure(data: Any) -> Any:
    """What tells two nests apart, beside their tensors."""
    if isinstance(data, dict):
        return (type(data), *[(key, _structure(data[key])) for key in sorted(data)])
    if isinstance(data, list | tuple):
        return (type(data), *map(_structure, data))
    return data is None


def on_replicas(step: Callable[[Any], Any], strategy: Any, reduction: str) -> Callable[[Any], Any]:
    """A step on a batch with a part for each replica of a strategy."""

    def run(data: Any) -> Any:
        outputs = strategy.run(step, args=(data,))
        return tf.nest.map_structure(lambda x: _reduced(x, strategy, reduction), outputs)

    return run


def _reduced(value: Any, strategy: Any, reduction: str) -> Any:
    """The values of replicas as one: the first, their sum, or all of them end to end."""
    if reduction == "concat" and tf.__internal__.distribute.has_processes(strategy):
        return strategy.gather(value, axis=0)
    if not isinstance(value, tf.distribute.DistributedValues):
        return value
    parts = strategy.experimental_local_results(value)
    if reduction == "first":
        return parts[0]
    if reduction == "concat":
        return strategy.gather(value, axis=0) if parts[0].shape.rank else tf.stack(parts)
    if reduction in ("sum", "auto"):
        return tf.reduce_sum(tf.stack(parts))
    raise ValueError(
        '`distribute_reduction_method` must be "auto", "first", "sum" or "concat", got '
        f"{reduction!r}."
    )


def over_iterator(
    run: Callable[..., Any], steps: Callable[[], int], join: bool = False
) -> Callable[[Any], Any]:
    """A function of an iterator that runs one execution: `steps()` batches of it.

    It gives the outputs of the last batch; with `join`, those of all batches in one.
    """

    def execution(iterator: Iterator[Any]) -> Any:
        known = known_of(iterator)
        first = run(next(iterator), *known)
        more = steps() - 1
        if not more:
            return first
        outputs = [first]
        for _ in range(more):
            try:
                data = next(iterator)
            except StopIteration:
                break
            kept = outputs if join else []
            outputs = [*kept, run(data, *known)]
        return outputs[0] if len(outputs) == 1 else joined(outputs)

    return execution


def joined(batches: list[Any]) -> Any:
    """Outputs of several batches as those of one."""

    def join(*parts: Any) -> Any:
        return tf.stack(parts) if parts[0].shape.rank == 0 else tf.concat(parts, axis=0)

    return tf.nest.map_structure(join, *batches)


def check_outside_functions(method: str) -> None:
    """RuntimeError if a method of `Model` that runs functions is called while one is traced."""
    if tf.inside_function():
        raise RuntimeError(
            f"`Model.{method}` runs functions of its own and cannot be called inside a "
            f"`tf.function`. Move the call of `Model.{method}` outside of all enclosing "
            "`tf.function`s, or call the model itself on tensors there: `model(x)`."
        )
