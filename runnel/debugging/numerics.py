"""Finding NaN and infinity: `tf.debugging.check_numerics`, and the same after every op."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, get_ident
from typing import Any

import numpy as np

from runnel.core.op.context import state
from runnel.core.op.observing import Observer, ignore, observe
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import FROM_NUMPY, resource, variant
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.types import TensorLike
from runnel.graph.run.alarms import mark

_PACKAGE = str(Path(__file__).parent.parent)


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`tensor` itself; InvalidArgumentError with `message` if it has a NaN or an infinity.

    >>> tf.debugging.check_numerics(tf.constant([1.0, 2.0]), "the loss").numpy()
    array([1., 2.], dtype=float32)
    """
    return raw_ops.CheckNumerics(tensor, message=message, name=name)  # type: ignore[no-any-return]


def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`x` itself; InvalidArgumentError with `message` if it has a NaN or an infinity."""
    return raw_ops.CheckNumerics(x, message=message, name=name)  # type: ignore[no-any-return]


def enable_check_numerics(
    stack_height_limit: int | None = 30, path_length_limit: int | None = 50
) -> None:
    """Check the floating outputs of every op, and name the op and the line that first go wrong.

    That is done for what this thread runs and traces from now on. A function that was traced
    meanwhile is checked in all later calls; of one that was traced before, only the results are.
    The report shows at most `stack_height_limit` lines of the user's stack, with their paths cut to
    `path_length_limit` characters; None stands for no limit.

    >>> tf.debugging.enable_check_numerics()
    >>> tf.math.log(tf.constant(0.0))
    Traceback (most recent call last):
    runnel.core.values.errors.InvalidArgumentError: ...
    >>> tf.debugging.disable_check_numerics()
    """
    if state.watcher is None:
        state.watcher = _Watcher(stack_height_limit, path_length_limit)
        with _lock:
            _threads.add(get_ident())
            observe(_checking)


def disable_check_numerics() -> None:
    """Undo `enable_check_numerics`; functions that were traced meanwhile go on being checked."""
    state.watcher = None
    with _lock:
        _threads.discard(get_ident())
        if not _threads:
            ignore(_checking)


_threads: set[int] = set()  # those in which checking is on
_lock = Lock()


class _Checking(Observer):
    """Looks at eager ops, and leaves the watcher of the thread with new operations of graphs."""

    def ran(self, op: Any, inputs: Any, outputs: Any, noted: Any) -> None:
        watcher = state.watcher
        if watcher is not None:
            watched = 1 if op.name == "TensorListStack" else op.traits.watched  # a `Pack` there
            for i, output in enumerate(outputs[:watched]):
                if output.dtype.is_floating and not _is_finite(output._value):
                    raise watcher.report(op.name, i, output._value, inputs)  # type: ignore[attr-defined]

    def made(self, operation: Any) -> None:
        if state.watcher is not None and not operation.graph.copying:
            mark(operation, state.watcher)


_checking = _Checking()


@dataclass(frozen=True)
class _Watcher:
    """Looks at the outputs of operations in graphs, and at results outside them.

    `height` and `path_length` are how much of the stack a report shows. Two that show as much are
    the same: functions keep gradients for each.
    """

    height: int | None
    path_length: int | None

    def watches(self, operation: Any, index: int) -> bool:
        watched = operation.op.traits.watched
        return operation.outputs[index].dtype.is_floating and (watched is None or index < watched)

    def fine(self, xp: Any, value: Any) -> Any:
        if not hasattr(value, "dtype") or not _is_float(value.dtype):
            return True
        return xp.all(xp.isfinite(value))

    def error(self, operation: Any, index: int, value: Any, inputs: Sequence[Any]) -> Exception:
        what = f'graph op "{operation.type}" (# of outputs: {len(operation.outputs)})'
        names = [t.name for t in operation.inputs]
        lines = [
            *_found(index, what, np.asarray(value)),
            *[f"  input {i} ({n}): {_shown(v)}" for i, (n, v) in enumerate(zip(names, inputs))],
        ]
        text = "\n".join(lines) + f" [Op:{operation.type}]"
        return InvalidArgumentError(None, operation, text)

    def given(self, name: str, values: Sequence[Any], hint: str = "") -> None:
        for i, value in enumerate(values):
            if not self.fine(np, value):
                raise self.report(name, i, np.asarray(value), hint=hint)

    def report(
        self, name: str, index: int, value: Any, inputs: Sequence[Any] = (), hint: str = ""
    ) -> Exception:
        """What to raise outside graphs for output number `index`."""
        lines = [
            *_found(index, f'eagerly-executing op "{name}"', np.asarray(value)),
            *[f"  input {i}: {_described(t)}" for i, t in enumerate(inputs)],
            "  computed at (innermost last):",
            *self._user_stack(),
            *([f"  {hint}"] if hint else []),
        ]
        return InvalidArgumentError(None, None, "\n".join(lines) + f" [Op:{name}]")

    def _user_stack(self) -> list[str]:
        frames = [f for f in traceback.extract_stack() if not f.filename.startswith(_PACKAGE)]
        return [
            f"    {self._short(f.filename)}:{f.lineno} in {f.name}: {f.line}"
            for f in frames[0 if self.height is None else -self.height :]
        ]

    def _short(self, path: str) -> str:
        limit = self.path_length
        if limit is None or len(path) <= limit:
            return path
        return "..." + path[len(path) - limit :]


def _is_finite(value: Any) -> bool:
    return bool(np.isfinite(value).all())


def _is_float(dtype: Any) -> bool:
    return dtype in FROM_NUMPY and FROM_NUMPY[dtype].is_floating


def _shown(value: Any) -> str:
    if not isinstance(value, np.ndarray | np.generic):
        return str(value)
    array = np.asarray(value)
    text = np.array2string(array, threshold=20, edgeitems=3)
    return f"{text} (shape {array.shape}, {array.dtype})"


def _found(index: int, what: str, value: Any) -> list[str]:
    counts = {"NaN": np.isnan(value), "+Inf": value == np.inf, "-Inf": value == -np.inf}
    found = ", ".join(f"{int(c.sum())} {key}" for key, c in counts.items() if c.any())
    return [
        f"Detected Infinity or NaN in output {index} of {what}",
        f"  {found} among {value.size} elements of dtype {value.dtype} and shape {value.shape}",
    ]


def _described(tensor: Any) -> str:
    return repr(tensor) if tensor.dtype in (resource, variant) else str(tensor)
