"""The gradients of ops: `tf.RegisterGradient` and `tf.no_gradient`.

On the reading path after `ops/nn/bias.py`, before `core/gradients/tape.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops

GradientFunction = Callable[..., Any]
Function = TypeVar("Function", bound=GradientFunction)

gradients: dict[str, GradientFunction | None] = {}
"""By op: its gradient function, or None when it has none by nature."""


class RegisterGradient:
    """Decorator for the gradient function of an op.

    The function gets the op (`op.inputs`, `op.outputs`, `op.get_attr`) and the gradient of each
    output, and returns one gradient, or None, for each input. `needs` names the inputs whose values
    it reads, and "outputs" if it reads those; a tape lets go of the rest. Without it everything is
    kept. With `zeros=False` it gets None for an output that no gradient came back to, not zeros.
    With `slices=True` it gets `tf.IndexedSlices` as they are, not made dense.
    """

    def __init__(
        self, op_type: str, needs: str | None = None, *, zeros: bool = True, slices: bool = False
    ) -> None:
        if not isinstance(op_type, str):
            raise TypeError(f"op_type must be a string, got {op_type!r}.")
        self._op_type = op_type
        self._needs = needs
        self._zeros = zeros
        self._slices = slices

    def __call__(self, f: Function) -> Function:
        _register(self._op_type, f)
        if not self._zeros:
            getattr(raw_ops, self._op_type).takes_zeros = False
        if self._slices:
            getattr(raw_ops, self._op_type).takes_slices = True
        if self._needs is not None:
            op = getattr(raw_ops, self._op_type)
            wanted = self._needs.split()
            op.needs = (
                frozenset(i for i, arg in enumerate(op.inputs) if arg.name in wanted),
                "outputs" in wanted,
            )
        return f


def no_gradient(op_type: str) -> None:
    """Say that an op has no gradient: nothing flows back through it."""
    if not isinstance(op_type, str):
        raise TypeError(f"op_type must be a string, got {op_type!r}.")
    _register(op_type, None)


def _register(op_type: str, function: GradientFunction | None) -> None:
    if op_type in gradients:
        raise KeyError(f"The gradient of {op_type!r} is registered already.")
    gradients[op_type] = function


def wants_gradient(op: Any, place: int) -> bool:
    """Whether the gradient of an input is asked for: a costly one that is not may be None."""
    live = state.live
    return live is None or op.inputs[place]._id in live
