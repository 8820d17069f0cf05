"""`tf.print`."""

from __future__ import annotations

import pprint
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.settings.logging import logger
from runnel.core.values import nest
from runnel.core.values.errors import NotFoundError, UnimplementedError, bad_shape, bad_value
from runnel.core.values.types import Array, Gradients, Namespace, Spec
from runnel.ops.strings.formatting import format

_LEVELS = {"log(info)": "info", "log(warning)": "warning", "log(error)": "error"}


def _print_shape(input: Spec, **attrs: Any) -> list[Any]:
    if input.rank not in (None, 0):
        raise bad_shape("PrintV2", want="be a scalar", input=input)
    return []


@op("PrintV2", "input: string[0] ->", shape=_print_shape, diagnostic=True, effects="output")
def _print(xp: Namespace, input: Array, *, output_stream: str = "stderr", end: str = "\n") -> None:
    if np.ndim(input):
        raise bad_shape("PrintV2", want="be a scalar", input=input)
    text = bytes(np.asarray(input).item()).decode("utf-8", "replace")
    if output_stream in ("stdout", "stderr"):
        stream = getattr(sys, output_stream)
        stream.write(text + end)
        stream.flush()
    elif output_stream in _LEVELS:
        getattr(logger, _LEVELS[output_stream])("%s", text)
    elif output_stream.startswith("file://") and output_stream != "file://":
        _append(output_stream[len("file://") :], text + end)
    else:
        want = f"be 'stdout', 'stderr', 'file://<path>' or one of {sorted(_LEVELS)}"
        raise bad_value("PrintV2", want=want, output_stream=output_stream)


def _append(path: str, text: str) -> None:
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise NotFoundError(None, None, f"PrintV2: cannot write to {path!r}: {error}") from error


@op(
    "Print",
    "input: T, data: *U -> output: T",
    shape=lambda input, *data, **attrs: input.dims,
    effects="output",
)
def _print_data(
    xp: Namespace,
    input: Array,
    data: list[Array],
    *,
    message: str = "",
    first_n: int = -1,
    summarize: int = 3,
) -> Array:
    if first_n >= 0:
        text = "Print: `first_n` is counted by tf.compat.v1.Print alone."
        raise UnimplementedError(None, None, text)
    sys.stderr.write(shown_data(message, data, summarize) + "\n")
    return input


@RegisterGradient("Print")
def _print_grad(op: Any, dy: Tensor) -> Gradients:
    return [dy] + [None] * (len(op.inputs) - 1)


def shown_data(message: str, data: Sequence[Array], summarize: int) -> str:
    """A message and the first elements of arrays, as `Print` writes them."""
    return message + "".join(f"[{_first(x, summarize)}]" for x in data)


def _first(values: Array, count: int) -> str:
    """The first elements of an array, in its brackets; all if `count` is -1."""
    array = np.asarray(values)
    shown = array.size if count < 0 else count
    if not array.ndim:
        return _element(array.item())
    left = [shown]

    def rows(part: Array) -> str:
        if part.ndim == 1:
            taken = part[: max(left[0], 0)]
            left[0] -= len(taken)
            more = "..." if len(taken) < len(part) else ""
            return " ".join(_element(x) for x in taken.tolist()) + more
        found: list[str] = []
        for row in part:
            if left[0] <= 0:
                return "".join(found) + "..."
            found.append(f"[{rows(row)}]")
        return "".join(found)

    return rows(array)


def _element(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float):
        return f"{value:g}"
    return str(int(value)) if isinstance(value, (bool, int)) else str(value)


def print(*inputs: Any, **kwargs: Any) -> Any:
    """Write tensors and other values to a stream, when the function they are in runs.

    `output_stream` is `sys.stderr` (the default), `sys.stdout` or "file://<path>", to whose end
    the text is added. `summarize` elements at both ends of each axis are shown: 3 by default, all
    with -1. `sep` and `end` are those of Python's `print`.

    >>> import sys
    >>> tf.print("x:", tf.range(10), {"loss": tf.constant(0.5)}, output_stream=sys.stdout)
    x: [0 1 2 ... 7 8 9] {'loss': 0.5}
    """
    stream = _stream_name(kwargs.pop("output_stream", sys.stderr))
    summarize, sep = kwargs.pop("summarize", 3), kwargs.pop("sep", " ")
    end, name = kwargs.pop("end", "\n"), kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"tf.print has no arguments {sorted(kwargs)}.")
    tensors: list[Any] = []
    pieces = [_template(item, tensors) for item in inputs]
    if len(inputs) == 1 and len(tensors) == 1 and _is_string_scalar(tensors[0], inputs[0]):
        text = convert_to_tensor(tensors[0])
    else:
        text = _formatted(sep.join(pieces), tensors, summarize)
    return raw_ops.PrintV2(text, output_stream=stream, end=end, name=name)


_MARK = "\0tensor\0"  # stands for a tensor until the template is filled


class _Text:
    """A leaf of a structure that `pprint` lays out: text that is written as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _template(item: Any, tensors: list[Any]) -> str:
    """The text of an argument with a mark for each of its tensors, which join `tensors`."""
    if isinstance(item, str):
        return item
    return pprint.pformat(nest.map_structure(lambda leaf: _leaf(leaf, tensors), item))


def _leaf(leaf: Any, tensors: list[Any]) -> Any:
    if hasattr(leaf, "nested_row_splits"):
        tensors.append(leaf)
        return _Text(_MARK)
    if hasattr(leaf, "dense_shape") and not hasattr(leaf, "__tf_tensor__"):
        tensors.extend([leaf.indices, leaf.values, leaf.dense_shape])
        return _Text(f"'SparseTensor(indices={_MARK}, values={_MARK}, shape={_MARK})'")
    if not _is_tensor(leaf):
        return leaf
    tensors.append(leaf)
    return _Text(_MARK)


def _is_tensor(leaf: Any) -> bool:
    """Whether it is a tensor or a variable; what could become one is written as it is."""
    return isinstance(leaf, Tensor) or (hasattr(leaf, "_dtype") and hasattr(leaf, "__tf_tensor__"))


def _is_string_scalar(tensor: Any, item: Any) -> bool:
    return tensor is item and tensor.dtype.name == "string" and tensor.shape.rank == 0


def _formatted(template: str, tensors: list[Any], summarize: int) -> Tensor:
    placeholder = "{}"
    while placeholder in template.replace(_MARK, ""):
        placeholder = "{" + placeholder + "}"
    template = template.replace(_MARK, placeholder)
    return format(template, tensors, placeholder, summarize)


def _stream_name(stream: Any) -> str:
    if stream is sys.stdout or stream is sys.__stdout__:
        return "stdout"
    if stream is sys.stderr or stream is sys.__stderr__:
        return "stderr"
    for name, level in _LEVELS.items():
        if stream == getattr(logger, level):
            return name
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    raise ValueError(
        f"tf.print writes to sys.stdout, sys.stderr or 'file://<path>', got {stream!r}."
    )
