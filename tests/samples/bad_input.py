"""Bad calls of the public functions, derived mechanically from one good call each.

`cases()` replaces one argument at a time of each call in `good_calls.py` and `good_calls_rare.py` by something that does not
fit. `tests/golden/make_bad_input.py` records TensorFlow's outcome of each, `tests/test_bad_input.py`
compares.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.samples import made, symbol
from tests.samples.answers import SEED, _fill, resolve
from tests.samples.bad_input_deviations import DEVIATIONS
from tests.samples.good_calls import GOOD, Axis, Case, Size, Type
from tests.samples.good_calls_rare import RARE


def _tensors(a: np.ndarray) -> Iterator[tuple[str, Any]]:
    """Replacements of a tensor."""
    text = np.empty(a.shape, object)
    text[...] = b"a"
    yield "string", text
    yield "bool", np.ones(a.shape, bool)
    yield "other kind", np.ones(a.shape, "int32" if a.dtype.kind in "fcS" else "float32")
    yield "complex", np.ones(a.shape, "complex128")
    wide = {"float32": "float64", "int32": "int64", "uint8": "int16", "complex64": "complex128"}
    if a.dtype.name in wide:
        yield "wider", a.astype(wide[a.dtype.name])
    yield "rank+1", a[None]
    if a.ndim:
        yield "scalar", a.ravel()[0]
        yield "rank-1", a[0]
        yield "last+1", np.resize(a, (*a.shape[:-1], a.shape[-1] + 1))
        yield "empty", a[:0]
        yield "no columns", a[..., :0]
    if a.dtype.kind == "i":
        yield "too large", a + 1000
        yield "negative", -1 - a
    yield "None", None
    yield "ragged", [[1.0, 2.0], [3.0]]
    yield "dict", {"a": 1}
    yield "text", "a"
    yield "object", object
    yield "mixed", [1, "a"]


def _replacements(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, np.ndarray | np.generic):
        yield from _tensors(np.asarray(value))
    elif isinstance(value, Axis):
        wrong: list[Any] = [99, -99, 1.5, "a", None, [0, 0], [99], [[0]], 2**40]
        yield from ((repr(w), w) for w in wrong)
    elif isinstance(value, Size) and isinstance(value.value, list):
        n = value.value
        wrong = [[-1, *n[1:]], [-3, *n[1:]], [*n, 2], n[1:], [*n[:-1], 0], [*n[:-1], 99]]
        wrong += [[]] if len(n) > 1 else []
        wrong += [[2**50, *n[1:]], [*map(float, n)], [1.5], ["a"], "a", None, [None], [n]]
        yield from ((repr(w), w) for w in wrong)
    elif isinstance(value, Size):
        wrong = [-1, -99, 0, 99, 2**50, 1.5, "a", None, [1], [[1]], True]
        yield from ((repr(w), w) for w in wrong)
    elif isinstance(value, Type):
        yield from (("nonsense", "nonsense"), ("object", object), ("99", 99), ("1.5", 1.5))
        yield from (
            (n, symbol(n)) for n in ("string", "bool", "int8", "complex64", "resource", "bfloat16")
        )
    elif isinstance(value, list | tuple) and value:
        for i, part in enumerate(value):
            for name, wrong in _replacements(part):
                yield f"{i} {name}", type(value)([*value[:i], wrong, *value[i + 1 :]])
        if isinstance(value, list) and isinstance(value[0], np.ndarray | np.generic):
            yield from (("nothing", []), ("None", None), ("one", value[0]), ("less", value[:1]))
            yield from (("text", "a"), ("int", 3), ("list of None", [None, None]))
    elif isinstance(value, str):
        yield from (("nonsense", "nonsense"), ("None", None), ("int", 1), ("empty", ""))
    elif isinstance(value, float):
        yield from (("text", "a"), ("None", None), ("-1.0", -1.0), ("vector", [1.0, 2.0]))


def cases() -> Iterator[Case]:
    """Every good call with one argument replaced, and the good call itself."""
    count: dict[str, int] = {}
    for call in (*GOOD, *RARE):
        count[call.symbol] = number = count.get(call.symbol, 0) + 1
        yield Case(call.symbol, f"{number} good", call.args, call.kwargs)
        for i, value in enumerate(call.args):
            for name, wrong in _replacements(value):
                if (
                    i == 0
                    and _is_method(call.symbol)
                    and not isinstance(wrong, np.ndarray | np.generic)
                ):
                    continue
                args = (*call.args[:i], wrong, *call.args[i + 1 :])
                yield Case(call.symbol, f"{number} {i} {name}", args, call.kwargs)
        for key, value in call.kwargs.items():
            for name, wrong in _replacements(value):
                kwargs = {**call.kwargs, key: wrong}
                yield Case(call.symbol, f"{number} {key} {name}", call.args, kwargs)


PROPER = frozenset(
    {"InvalidArgumentError", "UnimplementedError", "ResourceExhaustedError", "OutOfRangeError"}
    | {"TypeError", "ValueError", "NotImplementedError"}
)
_ACCIDENTS = frozenset(
    {"AttributeError", "AssertionError", "UnboundLocalError", "KeyError", "IndexError"}
    | {"UFuncTypeError", "InternalError", "RecursionError"}
)
_HUGE = (str(2**40), str(2**50))


def accepted(symbol: str, id: str, theirs: str, ours: str) -> str | None:
    """Why an outcome may differ from TensorFlow's, or None if it may not."""
    fails = ours in PROPER
    if theirs == "crash":
        return "TensorFlow crashes"
    if theirs in _ACCIDENTS and fails:
        return "TensorFlow fails without having looked at the argument"
    if theirs == "DTypePromotionError" and fails:
        return "a class that TensorFlow does not export"
    if theirs == "NotFoundError" and (fails or "Error" not in ours):
        return "TensorFlow has no kernel for the dtype"
    if any(huge in id for huge in _HUGE) and fails:
        return "TensorFlow takes the low 32 bits of the number, or notices it elsewhere"
    for why, functions in DEVIATIONS.items():
        if id in functions.get(symbol, ()):
            return why
    return None


def _is_method(symbol: str) -> bool:
    return symbol.startswith(("Tensor.", "."))


def run(tf: Any, case: Case) -> tuple[str, BaseException | None]:
    """What comes of it: dtypes and shapes, the name of a class, or that of an error, with the
    error.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tf.random.set_seed(SEED)  # some functions draw indices, which may be bad or not
            args = _fill(tf, _plain(case.args))
            kwargs = _fill(tf, _plain(case.kwargs))
            if case.symbol.startswith("."):
                result = getattr(args[0], case.symbol[1:])(*args[1:], **kwargs)
            else:
                result = resolve(tf, case.symbol)(*args, **kwargs)
            return _describe(tf, result), None
    except Exception as error:
        return type(error).__name__, error


def _plain(value: Any) -> Any:
    """The arguments as `_fill` takes them."""
    if isinstance(value, np.ndarray | np.generic):
        return made("constant", value)
    if isinstance(value, Axis | Size):
        return value.value
    if isinstance(value, Type):
        return symbol(value.name)
    if isinstance(value, list | tuple):
        return type(value)(_plain(v) for v in value)
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return value


def _describe(tf: Any, result: Any) -> str:
    """Dtypes and shapes of tensors, the class of anything else."""
    if isinstance(result, list | tuple):
        return "[" + " ".join(_describe(tf, r) for r in result) + "]"
    if isinstance(result, tf.Tensor):
        return f"{result.dtype.name}{[*result.shape]}".replace(" ", "")
    if hasattr(result, "assign"):
        return f"a variable of {_describe(tf, result.read_value())}"
    if hasattr(result, "__next__"):
        return "an iterator"
    return "a context" if hasattr(result, "__exit__") else f"a {type(result).__name__}"
