"""Finding NaN and infinity: `tf.debugging.check_numerics`, and the same after every op."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from runnel.core.dtypes import FROM_NUMPY
from runnel.core.errors import InvalidArgumentError
from runnel.core.interception import Run, intercept, release
from runnel.core.raw import raw_ops
from runnel.core.tensor import EagerTensor, Tensor
from runnel.core.types import TensorLike
from runnel.graph import watching

_PACKAGE = str(Path(__file__).parent.parent)

# Ops whose outputs are not looked at: what is wrong there was wrong in an input, or is meant so, as
# the bounds of `clip_by_value` are. TensorFlow looks at those of `GatherV2` and its like.
_MOVERS = frozenset(
    "Identity Reshape ExpandDims Squeeze Transpose ConcatV2 Unpack Slice StridedSlice "
    "StridedSliceGrad Fill Maximum Minimum CheckNumerics CheckNumericsV2 TensorListStack "
    "TensorListGetItem TensorListConcatV2 TensorListGather TensorListPopBack".split()
)


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`tensor` itself; InvalidArgumentError with `message` if it has a NaN or an infinity.

    >>> tf.debugging.check_numerics(tf.constant([1.0, 2.0]), "the loss").numpy()
    array([1., 2.], dtype=float32)
    """
    return raw_ops.CheckNumerics(tensor, message=message, name=name)  # type: ignore[no-any-return]


def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`x` itself; InvalidArgumentError with `message` if it has a NaN or an infinity."""
    return raw_ops.CheckNumerics(x, message=message, name=name)  # type: ignore[no-any-return]


class _Limits:
    """How much of the stack a report shows."""

    height = 30
    path_length = 50


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Check the floating outputs of every op, and name the op and the line that first go wrong.

    The report shows at most `stack_height_limit` lines of the user's stack, with their paths cut to
    `path_length_limit` characters.

    >>> tf.debugging.enable_check_numerics()
    >>> tf.math.log(tf.constant(0.0))
    Traceback (most recent call last):
    runnel.core.errors.InvalidArgumentError: ...
    >>> tf.debugging.disable_check_numerics()
    """
    _Limits.height, _Limits.path_length = stack_height_limit, path_length_limit
    intercept(_checking)
    watching.watcher = _WATCHER


def disable_check_numerics() -> None:
    """Undo `enable_check_numerics`."""
    release(_checking)
    watching.watcher = None


def _checking(run: Run) -> Run:
    def checked(op: Any, inputs: Any, attrs: Any, found: Any) -> tuple[EagerTensor, ...]:
        outputs = run(op, inputs, attrs, found)
        if op.name not in _MOVERS:
            for i, output in enumerate(outputs):
                if output.dtype.is_floating and not np.isfinite(output._value).all():
                    raise InvalidArgumentError(None, None, _report(op.name, i, outputs, inputs))
        return outputs

    return checked


class _Watcher:
    """Looks at the outputs of operations in graphs."""

    def watches(self, operation: Any) -> bool:
        return operation.type not in _MOVERS and any(o.dtype.is_floating for o in operation.outputs)

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


_WATCHER = _Watcher()


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


def _report(op_name: str, index: int, outputs: Any, inputs: Any) -> str:
    what = f'eagerly-executing op "{op_name}"'
    lines = [
        *_found(index, what, np.asarray(outputs[index]._value)),
        *[f"  input {i}: {t}" for i, t in enumerate(inputs)],
        "  computed at (innermost last):",
        *_user_stack(),
    ]
    return "\n".join(lines) + f" [Op:{op_name}]"


def _user_stack() -> list[str]:
    frames = [f for f in traceback.extract_stack() if not f.filename.startswith(_PACKAGE)]
    return [
        f"    {_short(f.filename)}:{f.lineno} in {f.name}: {f.line}"
        for f in frames[-_Limits.height :]
    ]


def _short(path: str) -> str:
    limit = _Limits.path_length
    return path if len(path) <= limit else "..." + path[-limit:]
