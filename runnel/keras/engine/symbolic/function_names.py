"""The names by which files know TensorFlow's functions."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import runnel as tf
from runnel.keras.saving.serialization import reading_safely

_NAMESPACES = (
    *("math", "nn", "linalg", "image", "signal", "strings", "random", "sparse", "", "debugging"),
    *("bitwise", "keras.backend", "ragged", "io", "audio", "quantization", "sets"),
)


def _getitem(tensor: Any, slice_spec: Any) -> Any:
    if isinstance(tensor, list):  # a constant, as files have it
        tensor = tf.convert_to_tensor(tensor)
    return tensor[_slices(slice_spec)]


def _ragged_getitem(rt_input: Any, key: Any) -> Any:
    return rt_input[_slices(key)]


_ELLIPSIS = {"class_name": "__ellipsis__"}


def _slices(spec: Any) -> Any:
    """Slices and dots that were saved as dicts, as what they were."""
    if isinstance(spec, dict):
        return Ellipsis if spec == _ELLIPSIS else slice(*map(spec.get, ("start", "stop", "step")))
    if isinstance(spec, list | tuple):
        return tuple(_slices(part) for part in spec)
    return spec


def plain_slices(spec: Any) -> Any:
    """Slices and dots as dicts, which can be saved."""
    if isinstance(spec, slice):
        return {"start": spec.start, "stop": spec.stop, "step": spec.step}
    if isinstance(spec, list | tuple):
        return [plain_slices(part) for part in spec]
    return dict(_ELLIPSIS) if spec is Ellipsis else spec


def _matmul(x: Any, y: Any) -> Any:
    return x @ y


def _add(x: Any, y: Any, name: str | None = None) -> Any:
    texts = any(getattr(value, "dtype", None) == tf.string for value in (x, y))
    return tf.add(x, y) if texts else tf.raw_ops.AddV2(x=x, y=y, name="AddV2")


OPERATORS: dict[str, Any] = {
    "add": _add,
    "getitem": _getitem,
    "ragged_getitem": _ragged_getitem,
    "matmul": _matmul,
    "eq": lambda x, y: tf.equal(x, y),
    "ne": lambda x, y: tf.not_equal(x, y),
}
"""The functions that have names in `tf.__operators__` only."""


OLDER = {
    "batch_to_space_nd": "batch_to_space",
    "boolean_mask": "boolean_mask",
    "floor_div": "math.floordiv",
    "gather": "gather",
    "gather_nd": "gather_nd",
    "math.in_top_k": "math.in_top_k",
    "nn.conv1d": "nn.conv1d",
    "nn.conv2d": "nn.conv2d",
    "nn.crelu": "nn.crelu",
    "nn.depthwise_conv2d": "nn.depthwise_conv2d",
    "nn.embedding_lookup": "nn.embedding_lookup",
    "nn.separable_conv2d": "nn.separable_conv2d",
    "nn.sigmoid_cross_entropy_with_logits": "nn.sigmoid_cross_entropy_with_logits",
    "nn.softmax_cross_entropy_with_logits_v2": "nn.softmax_cross_entropy_with_logits",
    "nn.sparse_softmax_cross_entropy_with_logits": "nn.sparse_softmax_cross_entropy_with_logits",
    "nn.weighted_moments": "nn.weighted_moments",
    "norm": "norm",
    "pad": "pad",
    "shape": "shape",
    "size": "size",
    "squeeze": "squeeze",
    "transpose": "transpose",
}
"""Functions that TensorFlow knows, and saves, by their names in `tf.compat.v1`."""

_OLDER_ARGUMENTS = {
    "filter": "filters",
    "dim": "axis",
    "squeeze_dims": "axis",
    "keep_dims": "keepdims",
    "rate": "dilations",
}
_WITHOUT_EFFECT = frozenset("optimize use_cudnn_on_gpu partition_strategy".split())
_PREFERRED = (
    *("einsum", "eye", "tensordot", "nn.softmax", "nn.log_softmax", "nn.softsign"),
    *("dtypes.complex", "dtypes.saturate_cast"),
)


@functools.cache
def _older(name: str) -> Any:
    """A function that takes the arguments that its forerunner in `tf.compat.v1` took."""
    function = find_function(OLDER[name])
    known = inspect.signature(function).parameters

    def call(*args: Any, **kwargs: Any) -> Any:
        given: dict[str, Any] = {}
        for key, value in kwargs.items():
            if value is not None and key not in _WITHOUT_EFFECT:
                given[key if key in known else _OLDER_ARGUMENTS.get(key, key)] = value
        return function(*args, **given)

    return call


def find_function(symbol: str) -> Any:
    """The function of a name such as `math.multiply` or `__operators__.add`."""
    if symbol.startswith("__operators__."):
        return OPERATORS[symbol.removeprefix("__operators__.")]
    if symbol.startswith("compat.v1."):
        return _older(symbol.removeprefix("compat.v1."))
    found: Any = tf
    for part in symbol.split("."):
        found = getattr(found, part)
    return found


def named_function(symbol: Any) -> Any:
    """The function that a config names: in a file that is read safely, one that computes tensors.

    Any other would be called while the file is loaded, with arguments out of the file.
    """
    try:
        found = find_function(symbol)
        judged = find_function(OLDER.get(symbol.removeprefix("compat.v1."), symbol))
    except (AttributeError, KeyError) as error:
        raise ValueError(f"A layer names the function {symbol!r}, which there is not.") from error
    own = any(judged is operator for operator in OPERATORS.values())
    if reading_safely() and not own and not tf.__internal__.dispatch.computes_tensors(judged):
        raise _refusal(symbol)
    return found


def named_class(symbol: str, method: Any) -> Any:
    """The class that a config names, if this method of it makes tensors of tensors."""
    try:
        found = find_function(symbol)
        judged = getattr(found, method)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"A layer names {symbol}.{method}, which there is not.") from error
    if reading_safely() and not tf.__internal__.dispatch.computes_tensors(judged):
        raise _refusal(f"{symbol}.{method}")
    return found


def _refusal(symbol: str) -> ValueError:
    return ValueError(
        f"A layer of the file calls tf.{symbol}, which may do more than to compute tensors from "
        "tensors. That is refused; if you trust the source of the file, pass `safe_mode=False` to "
        "the loading function."
    )


@functools.cache
def _symbols() -> dict[int, str]:
    """The names of public functions, by their identity."""
    found: dict[int, str] = {}
    for namespace in _NAMESPACES:
        home = find_function(namespace) if namespace else tf
        for name, value in vars(home).items():
            if callable(value) and not name.startswith("_"):
                found.setdefault(id(value), f"{namespace}.{name}".lstrip("."))
    found.update((id(find_function(name)), name) for name in _PREFERRED)
    found[id(tf.divide)] = "math.truediv"  # which it calls there
    for name, newer in OLDER.items():
        found[id(find_function(newer))] = found[id(_older(name))] = f"compat.v1.{name}"
    found.update((id(fn), f"__operators__.{name}") for name, fn in OPERATORS.items())
    return found


def symbol_of(function: Any) -> str | None:
    """The public name of a function."""
    return _symbols().get(id(function))
