"""Forward-mode differentiation: `tf.autodiff.ForwardAccumulator`.

There is no second table of derivatives. The gradient function of an op is linear in the gradient
that arrives; transposing it, by going back through it with the tangent, gives the op's own linear
map.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any

from runnel.core.gradients.backprop import backprop, fit, gradients_of_inputs
from runnel.core.gradients.ones_and_zeros import zeros_like
from runnel.core.gradients.tape import DIFFERENTIABLE, Recorder, Tape
from runnel.core.gradients.unconnected import UnconnectedGradients, wants_zeros
from runnel.core.op.context import asking_for, recording, set_tapes, state
from runnel.core.settings.logging import warning_first
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.shape import TensorShape


class Accumulator(Tape):
    """Pushes tangents forward, op by op. `watched` has them by id of the tensor."""

    __slots__ = ("graph", "watched")
    is_forward = True
    watched: dict[int, Tensor]

    def __init__(self) -> None:
        self.graph = state.graph
        self.watched = {}

    def push(self, entry: Any) -> None:
        """Give the outputs of an op their tangents."""
        tangents = [self.watched.get(t._id) for t in entry.inputs]
        if all(t is None for t in tangents) or all(o._id in self.watched for o in entry.outputs):
            return
        around = state.tapes[
            : state.tapes.index(self)
        ]  # they differentiate what is computed here too
        with recording(*around):
            for output, tangent in _pushed(entry, tangents):
                self.watched[output._id] = tangent


def _pushed(entry: Any, tangents: Sequence[Tensor | None]) -> list[tuple[Tensor, Tensor]]:
    """The outputs of an op that have a tangent, each with it."""
    outputs = [o for o in entry.outputs if o._dtype in DIFFERENTIABLE]
    dummies = [zeros_like(o) for o in outputs]
    recorder = Recorder(watches_variables=False)
    for dummy in dummies:
        recorder.watch(dummy)
    with recording(*state.tapes, recorder), asking_for(None):
        rest = iter(dummies)
        found = gradients_of_inputs(
            entry, [next(rest) if o._dtype in DIFFERENTIABLE else None for o in entry.outputs]
        )
        fitted = [
            (convert_to_tensor(fit(g, x, entry)), x, t)
            for g, x, t in zip(found, entry.inputs, tangents, strict=True)
            if g is not None
        ]

    def pulled(pairs: list[tuple[Tensor, Tensor]]) -> list[Any]:
        return backprop(recorder.records, [g for g, _ in pairs], dummies, [t for _, t in pairs])

    moved = pulled([(g, t) for g, _, t in fitted if t is not None])
    if any(p is None for p in moved):  # nothing moves what depends on other inputs alone
        still = pulled([(g, zeros_like(x)) for g, x, t in fitted if t is None])
        moved = [s if m is None else m for m, s in zip(moved, still, strict=True)]
    return [(o, convert_to_tensor(p)) for o, p in zip(outputs, moved, strict=True) if p is not None]


class ForwardAccumulator:
    """Computes, along with what runs inside it, its derivative in the direction of `tangents`.

    >>> x = tf.constant([2.0, 3.0])
    >>> with tf.autodiff.ForwardAccumulator(primals=x, tangents=tf.constant([1.0, 0.0])) as acc:
    ...     y = x * x
    >>> acc.jvp(y).numpy()
    array([4., 0.], dtype=float32)

    Around a tape it gives a Hessian times a vector:

    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 1.0])) as acc:
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = tf.reduce_sum(x * x * x)
    ...     gradient = tape.gradient(y, x)
    >>> acc.jvp(gradient).numpy()
    array([12., 18.], dtype=float32)
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._accumulator = Accumulator()
        self._recording = False
        nest.assert_same_structure(primals, tangents)
        flat = zip(nest.flatten(primals), nest.flatten(tangents), strict=True)
        for number, (primal, tangent) in enumerate(flat):
            self._watch(number, primal, tangent)

    def _watch(self, number: int, primal: Any, tangent: Any) -> None:
        if not isinstance(primal, Operators):
            raise TypeError(
                f"ForwardAccumulator: primal {number} must be a tensor or a variable, got "
                f"{primal!r}."
            )
        if not primal._dtype.is_floating:
            warning_first(
                5,
                "The dtype of the watched primal must be floating (e.g. tf.float32), got "
                f"{primal._dtype!r}",
            )
        tangent = convert_to_tensor(tangent, dtype=primal._dtype)
        shape: TensorShape = primal.shape  # type: ignore[attr-defined]
        if not tangent.shape.is_compatible_with(shape):
            raise ValueError(
                f"ForwardAccumulator: tangent {number} must have the shape of its primal, {shape}, "
                f"got {tangent.shape}."
            )
        if _key(primal) in self._accumulator.watched:
            raise ValueError(
                f"ForwardAccumulator: primal {number} is given twice. Add up its tangents."
            )
        self._accumulator.watched[_key(primal)] = tangent

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError(
                "The accumulator is active already. Leave its `with` block before entering it "
                "again."
            )
        self._accumulator.graph = state.graph
        set_tapes((*state.tapes, self._accumulator))
        self._recording = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._recording:
            set_tapes(tuple(t for t in state.tapes if t is not self._accumulator))
            self._recording = False

    def jvp(
        self, primals: Any, unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE
    ) -> Any:
        """The tangents of tensors computed inside, in the structure of `primals`, or None."""
        zeros = wants_zeros(unconnected_gradients)

        def tangent(primal: Any) -> Tensor | None:
            found = self._accumulator.watched.get(_key(primal))
            return (
                zeros_like(getattr(primal, "handle", primal)) if found is None and zeros else found
            )

        return nest.map_structure(tangent, primals)


def _key(primal: Any) -> int:
    return getattr(primal, "handle", primal)._id  # type: ignore[no-any-return]
