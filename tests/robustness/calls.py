"""Calls of public functions, classes and methods with arguments that they cannot take.

A call is plain data: the names of what is called and of the values, see `bad_values.py`. The same
number of the same seed is the same call, and TensorFlow can be asked about it too.
"""

from __future__ import annotations

import enum
import functools
import inspect
import itertools
import json
import pathlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.robustness.bad_values import BAD, BY_PARAMETER, FITTING
from tests.samples import Handle, Held, families, rows
from tests.samples.answers import _fill
from tests.samples.bad_input import _plain
from tests.samples.good_calls import GOOD, Case
from tests.samples.good_calls_rare import RARE

MODES = ("eager", "function", "eager", "function of unknown shapes")
_NAMES = pathlib.Path(__file__).parents[1] / "golden" / "public_names.json"
_OPS = pathlib.Path(__file__).parents[1] / "golden" / "op_defs.json"

# What is not called, and why.
SKIPPED = {
    "it waits for other processes": (
        "distribute.Server train.Server data.experimental.service profiler.experimental.server "
        "profiler.experimental.client profiler.experimental.Trace distribute.cluster_resolver "
        "train.checkpoints_iterator data.experimental.make_saveable"
    ),
    "it fetches files from the net": "keras.datasets keras.applications keras.utils.get_file",
    "it ends the process, or asks the user": "test.main test.TestCase keras.utils.warmstart",
    "it changes how everything after it works": (
        "config debugging.enable debugging.disable debugging.experimental keras.backend.set "
        "keras.backend.clear_session keras.mixed_precision.set_global_policy profiler.experimental "
        "experimental.enable experimental.numpy.experimental_enable_numpy_behavior "
        "keras.utils.disable keras.utils.enable compat autograph.set_verbosity "
        "data.experimental.enable_debug_mode summary.trace summary.should_record "
        "keras.utils.set_random_seed test.TestCase raw_ops.Abort experimental.async "
        "experimental.register init_scope autograph.trace register_tensor_conversion_function "
        "experimental.unregister experimental.dispatch keras.saving.register "
        "keras.utils.register RegisterGradient no_gradient summary.experimental.set_step "
        "sysconfig keras.config keras.dtensor keras.__internal__ keras.internal"
    ),
    "it is made by the library": "errors. types. Operation",
    "it goes on for as long as the user's condition says": "while_loop",
    "it waits for what another thread does": (
        "queue. train.Coordinator raw_ops.Queue raw_ops.Barrier raw_ops.Stage raw_ops.Unstage "
        "raw_ops.MapStage raw_ops.MapUnstage raw_ops.Ordered raw_ops.Recv raw_ops.Send "
        "raw_ops.TensorArray raw_ops.Collective raw_ops.Mutex raw_ops.Reader raw_ops.TakeManySparse"
    ),
}
_SKIPPED_METHODS = ("dequeue", "enqueue", "join", "wait", "main", "run", "debug", "loop", "fit")
_SKIPPED_METHODS += ("start", "stop", "exit", "close_", "as_default", "repeat", "set_as_default")

# Methods that TensorFlow's classes do not have: one part of the library calls them in another.
_INNER = {
    "Bookkeeping": "check_session colocation_groups note refer_to users_of",
    "ConcreteFunction": "add_to_graph call_flat captures_any pack plans set_variables",
    "FunctionType": "generalized pinned placeholders structured tensors",
    "Graph": "add_op awaited_by capture keep kind_of_variables on_behalf_of op_scope receiving "
    "variable_kind",
    "GRUCell LSTMCell SimpleRNNCell": "advance project",
    "Operation": "add_output belong_to",
    "Progbar": "is_due",
    "RecurrentCell": "draw_masks masks",
    "TensorArray": "joined mark_used",
    "TensorShape": "of",
}
_INNER_METHODS = {
    f"{kind}.{name}" for kinds in _INNER for kind in kinds.split() for name in _INNER[kinds].split()
}


@dataclass
class Call:
    """A call, or the making of an object and the call of a method of it."""

    symbol: str
    mode: str
    args: list[list[str | None]]  # name of the parameter, or None, and of the value
    method: str | None = None
    method_args: list[list[str | None]] = field(default_factory=list)
    is_made: bool = False  # whether the object was, so that what came of it came of the method

    @property
    def name(self) -> str:
        """Of the function or method."""
        return self.symbol if self.method is None else f"{self.symbol}.{self.method}"

    def key(self, tf: Any) -> str:
        """The name of what was called last, for a method that and the class that has it."""
        if self.method is None or not self.is_made:
            return self.symbol
        return _full_name(resolve(tf, self.symbol), self.method, self.symbol)

    def keys(self, tf: Any) -> list[str]:
        """The same with the name of each class from which a method may come."""
        bases = resolve(tf, self.symbol).__mro__ if self.method and self.is_made else ()
        return [self.key(tf), *[f"{base.__name__}.{self.method}" for base in bases]]

    def __str__(self) -> str:
        text = f"{self.symbol}({_shown(self.args)})"
        if self.method is not None:
            text += f".{self.method}({_shown(self.method_args)})"
        return f"{text} [{self.mode}]"


def _full_name(kind: Any, method: str, symbol: str = "") -> str:
    """The name of a method and that of the class that has it."""
    owners = [base.__name__ for base in kind.__mro__ if method in vars(base)]
    return f"{owners[0] if owners else symbol}.{method}"


def _shown(args: list[list[str | None]]) -> str:
    return ", ".join(f"{key}=<{value}>" if key else f"<{value}>" for key, value in args)


def resolve(tf: Any, symbol: str) -> Any:
    return functools.reduce(getattr, symbol.split("."), tf)


@functools.cache
def symbols(tf: Any) -> list[str]:
    """All names that are called; those of `raw_ops` last."""
    skipped = tuple(" ".join(SKIPPED.values()).split())
    found = []
    for name in json.loads(_NAMES.read_text()):
        try:
            target = resolve(tf, name)
        except AttributeError:
            continue  # a part of TensorFlow that is not here, such as `distribute`
        if not name.startswith(skipped) and not _is_foreign(target):
            found.append(name)
    return sorted(found, key=lambda name: (name.startswith("raw_ops."), name))


def _is_foreign(target: Any) -> bool:
    """Whether what is called is not the library's: `tf.experimental.numpy.int16`, enumerations."""
    return isinstance(target, enum.EnumMeta) or getattr(target, "__module__", "") == "numpy"


@functools.cache
def known() -> list[Case]:
    """Good calls that other tests have."""
    found = [case for case in (*GOOD, *RARE) if not case.symbol.startswith((".", "Tensor."))]
    for family in families("calls_"):
        found += [Case(row.symbol, row.id, row.args, row.kwargs) for row in rows(family)]
    ops = json.loads(_OPS.read_text())
    for family in families("ops_"):
        for row in rows(family):
            names = [given[0] for given in ops[row.op]["inputs"]]
            kwargs = {**dict(zip(names, row.inputs)), **row.attrs}
            found.append(Case(f"raw_ops.{row.op}", row.id, (), kwargs))
    return [case for case in found if not _leads_outside(case)]


def _leads_outside(case: Case) -> bool:
    """Whether a file that is not in the folder of the trial is an argument."""
    return any(v[:1] in ("/", b"/") for v in _texts([*case.args, *case.kwargs.values()]))


def _texts(value: Any) -> Iterator[str | bytes]:
    if isinstance(value, str | bytes):
        yield value
    elif isinstance(value, list | tuple):
        yield from itertools.chain.from_iterable(map(_texts, value))
    elif isinstance(value, np.ndarray) and value.dtype.kind in "OSU":
        yield from _texts(value.ravel().tolist())


@functools.cache
def _good() -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, case in enumerate(known()):
        found.setdefault(case.symbol, []).append(number)
    return found


class Choice:
    """Makes calls of the things in a library."""

    def __init__(self, tf: Any, seed: int) -> None:
        self._tf, self._seed = tf, seed
        names = symbols(tf)
        raw = sum(name.startswith("raw_ops.") for name in names)
        self._public, self._raw = names[: len(names) - raw], names[len(names) - raw :]

    def call(self, number: int) -> Call:
        """The call of a number; every name has its turn."""
        rng = random.Random(f"{self._seed} {number}")
        names = self._raw if number % 6 == 5 else self._public
        order = random.Random(self._seed).sample(names, len(names))
        symbol = order[(number // 6 if names is self._raw else number // 2) % len(order)]
        mode = MODES[(number + rng.randrange(2) * 2) % len(MODES)]
        made = Call(symbol, mode, self._args(symbol, rng))
        target = resolve(self._tf, symbol)
        if inspect.isclass(target) and rng.random() < 0.6:
            made.method = _method(target, rng)
        if made.method is not None:
            made.args = self._args(symbol, rng, wrong=0.05)
            function = getattr(target, made.method, None)
            made.method_args = _arguments(function, rng, 0.7, bound=True)
        return made

    def _args(self, symbol: str, rng: random.Random, wrong: float = 0.4) -> list[list[str | None]]:
        good = _good().get(symbol)
        if good and rng.random() < 0.8:
            return _changed(rng.choice(good), rng, wrong)
        return _arguments(resolve(self._tf, symbol), rng, wrong, bound=False)


def _changed(number: int, rng: random.Random, wrong: float) -> list[list[str | None]]:
    """The arguments of a good call with something else for one or two of them."""
    case = known()[number]
    args: list[list[str | None]] = [[None, f"good {number} {i}"] for i in range(len(case.args))]
    args += [[key, f"good {number} {key}"] for key in case.kwargs]
    for _ in range(rng.choice([1, 1, 2]) if args and wrong > 0.1 else 0):
        rng.choice(args)[1] = _bad(rng)
    return args


def _bad(rng: random.Random) -> str:
    return f"bad {rng.choice(list(BAD))}"


def _arguments(
    function: Any, rng: random.Random, wrong: float, bound: bool
) -> list[list[str | None]]:
    """Arguments for all parameters without defaults, and for some of the others."""
    made: list[list[str | None]] = []
    for parameter in itertools.islice(_parameters(function), int(bound), None):
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            made += [[None, _bad(rng)] for _ in range(rng.randrange(2))]
            continue
        given = parameter.default is parameter.empty or rng.random() < 0.2
        if given and parameter.name not in ("self", "cls"):
            named = None if parameter.kind is parameter.POSITIONAL_ONLY else parameter.name
            fits = BY_PARAMETER.get(parameter.name.strip("_"))
            fitting = fits or rng.choice(["floats", "ints", "one", "half", "tensors", "name"])
            made.append([named, _bad(rng) if rng.random() < wrong else f"fit {fitting}"])
    return made


def _parameters(function: Any) -> Iterator[inspect.Parameter]:
    try:
        return iter(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        names = ["a", "b"]
        return iter(inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in names)


def _method(kind: Any, rng: random.Random) -> str | None:
    names = [name for name in dir(kind) if not name.startswith("_")]
    names = [name for name in names if not name.startswith(_SKIPPED_METHODS)]
    names = [name for name in names if callable(getattr(kind, name, None))]
    names = [name for name in names if _full_name(kind, name) not in _INNER_METHODS]
    names += ["__call__"] * (5 if "__call__" in dir(kind) else 0)
    names += [name for name in ("__getitem__", "__len__", "__iter__") if hasattr(kind, name)]
    return rng.choice(names) if names else None


def value(tf: Any, name: str) -> Any:
    """What a name in a call stands for."""
    kind, _, rest = name.partition(" ")
    if kind != "good":
        return (BAD if kind == "bad" else FITTING)[rest](tf)
    number, _, place = rest.partition(" ")
    case: Case = known()[int(number)]
    found = case.args[int(place)] if place.isdigit() else case.kwargs[place]
    if isinstance(found, Held):
        return tf.Variable(found.value).handle
    if isinstance(found, Handle):
        raise NotImplementedError(f"{found.symbol} is not made here")
    return _fill(tf, _plain(found))


def run(tf: Any, call: Call) -> None:
    """Make the call, and look at what came of it."""
    args, kwargs = _values(tf, call.args)
    method_args, method_kwargs = _values(tf, call.method_args)
    target = resolve(tf, call.symbol)

    def made(*args: Any) -> Any:
        result = target(*args, **kwargs)
        call.is_made = True
        if call.method is not None:
            result = getattr(result, call.method)(*method_args, **method_kwargs)
        return _looked_at(tf, result)

    if call.mode == "eager":
        made(*args)
    else:
        _in_function(tf, made, args, unknown=call.mode.endswith("shapes"))


def _values(tf: Any, args: list[list[str | None]]) -> tuple[list[Any], dict[str, Any]]:
    made = [(key, value(tf, str(name))) for key, name in args]
    return [v for key, v in made if key is None], {key: v for key, v in made if key is not None}


def _in_function(tf: Any, made: Callable[..., Any], args: list[Any], unknown: bool) -> None:
    """Make the call inside a function, which gets the tensors as its arguments."""
    places = [i for i, arg in enumerate(args) if isinstance(arg, tf.Tensor)]
    given = [args[i] for i in places]
    specs = [tf.TensorSpec(None if unknown else t.shape, t.dtype) for t in given]

    @tf.function(input_signature=specs, autograph=False)
    def traced(*tensors: Any) -> Any:
        inner = list(args)
        for place, tensor in zip(places, tensors):
            inner[place] = tensor
        result = made(*inner)
        return result if isinstance(result, tf.Tensor) else None

    traced(*given)


def _looked_at(tf: Any, result: Any) -> Any:
    """Take the first elements of a dataset or an iterator: some things are done only then."""
    if isinstance(result, tf.data.Dataset) and tf.executing_eagerly():
        for _ in result.take(2):
            pass
    elif inspect.isgenerator(result):
        next(result, None)
    return result
