"""`tf.GradientTape`.

On the reading path after `core/gradients/backprop.py`, before `core/state/resource.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from runnel.core.gradients import explain as explain_gradient
from runnel.core.op.context import set_tapes, state
from runnel.core.settings.logging import warning_first
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import EagerTensor, Tensor, next_id
from runnel.core.values import nest
from runnel.core.values.tracebacks import trim
from .backprop import backprop
from .composite import flatten_sources, flatten_targets, flatten_tensors, pack_gradients
from .explain import Explanation
from .integer_targets import beside_integers
from .jacobian import Jacobians
from .ones_and_zeros import unconnected
from .overloads import for_checkers
from .tape import DIFFERENTIABLE, Recorder
from .unconnected import UnconnectedGradients, wants_zeros

NONE = UnconnectedGradients.NONE

recurring: Any = None
"""The gradients of a tape that recurs, or None; `graph/functions` puts it here."""


class GradientTape(Jacobians):
    """Records what is computed from watched tensors, so that it can be differentiated.

    Trainable variables are watched by themselves, unless `watch_accessed_variables` is False; with
    `persistent`, more than one gradient can be asked for.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)
    """

    _recording = False

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recorder: Recorder | None = None
        self._watched: tuple[Any, ...] = ()

    def __enter__(self) -> GradientTape:
        self._start()
        return self

    def __exit__(self, *raised: object) -> None:
        if self._recording:
            self._stop()

    __del__ = __exit__  # after an interrupt that struck while the block was left

    def _start(self) -> None:
        if self._recording:
            raise ValueError(
                "The tape is recording already. Leave its `with` block before entering it again."
            )
        if self._recorder is None:
            self._recorder = Recorder(watches_variables=self._watch_accessed_variables)
        self._recorder.last = None
        self._recording = True
        state.tapes = (*state.tapes, self._recorder)

    def _stop(self) -> None:
        recorder, tapes = self._recorder, state.tapes
        assert recorder is not None
        set_tapes(
            tapes[:-1]
            if tapes and tapes[-1] is recorder
            else tuple(t for t in tapes if t is not recorder)
        )
        recorder.last = next_id()
        self._recording = False

    def watch(self, tensor: Any) -> None:
        """Record what is computed from `tensor`: a tensor, a variable, or a nest of them."""
        recorder = self._recorder
        if recorder is None:
            raise ValueError("The tape has not been started. Call `watch` inside its `with` block.")
        for item in flatten_tensors(tensor):
            if not isinstance(item, Operators):
                raise ValueError(
                    f"A tape watches tensors and variables, got {type(item).__name__}: {item!r}."
                )
            if item._dtype not in DIFFERENTIABLE:
                warning_first(
                    5,
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got "
                    f"{item._dtype!r}",
                )
            if isinstance(item, Tensor):
                recorder.watch(item)
            else:
                recorder.watch_variable(item)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Leave out what is computed inside."""
        if not self._recording:
            raise ValueError(
                "The tape is not recording. Call `stop_recording` inside its `with` block."
            )
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forget all that was recorded and watched.

        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        ...     tape.reset()
        ...     tape.watch(x)
        ...     z = y * x
        >>> tape.gradient(z, x).numpy()
        np.float32(9.0)
        """
        if not self._recording:
            raise ValueError("The tape is not recording. Call `reset` inside its `with` block.")
        self._stop()
        self._recorder = None
        self._start()

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables watched, in the order in which they were made."""
        if self._recorder is not None:
            self._watched = tuple(
                variable for _, variable in sorted(self._recorder.variables.items())
            )
        return self._watched

    @for_checkers
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = NONE,
    ) -> Any:
        """The derivative of the sum of `target` by each source, in the structure of `sources`.

        A source that `target` does not depend on has None, or zeros if `unconnected_gradients` is
        "zero"; `explain` tells why. `output_gradients` are weights of the elements of `target`.
        RuntimeError if a tape that is not persistent was used before.
        """
        try:
            recorder = self._finish("gradient")
            if type(target) is EagerTensor:
                targets: list[Tensor] = [target]
            else:
                targets = flatten_targets(target)
            arriving = _output_gradients(output_gradients, targets)
            flat = flatten_sources(sources)
            zeros = unconnected_gradients is not NONE and wants_zeros(unconnected_gradients)
            if not self._persistent:
                self._end()
            found = self._backprop(recorder, targets, flat, arriving)
            if zeros:
                found = [
                    unconnected(s) if g is None else g for s, g in zip(flat, found, strict=True)
                ]
            return pack_gradients(sources, found)
        except Exception as error:
            trim(error)
            raise

    def _backprop(
        self,
        recorder: Recorder,
        targets: list[Tensor],
        sources: list[Tensor],
        arriving: Sequence[Tensor | None],
    ) -> list[Any]:
        watched = [s for s in sources if s._id in recorder.watched]
        if any(target._dtype not in DIFFERENTIABLE for target in targets):
            targets, arriving = beside_integers(recorder, targets, arriving)
        elif state.graph is None:
            found: list[Any] | None
            found = recurring(recorder.records, targets, sources, arriving, watched)
            if found is not None:
                return found
        return backprop(recorder.records, targets, sources, arriving, watched)

    def _finish(self, method: str) -> Recorder:
        """The recorder, which a tape that is not persistent stops for good."""
        if self._recorder is None:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians). Make it with persistent=True to use it again."
            )
        if self._recording:
            if not self._persistent:
                self._stop()
            else:
                warning_first(
                    1,
                    f"GradientTape.{method} on a persistent tape inside its context is slower "
                    "and takes more memory, "
                    "since the gradient itself is recorded. Do so only for higher orders.",
                )
        return self._recorder

    def _end(self) -> None:
        """Let go of all that was recorded."""
        self.watched_variables()
        self._recorder = None

    def explain(self, target: Any, source: Any) -> Explanation:
        """Why the gradient of `target` by `source` is None, or that it is not.

        Ask before `gradient`, or make the tape persistent.

        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> print(tape.explain(y, x))
        No gradient: the source is not watched. It is a tensor; call tape.watch(source) before it
        is used.
        """
        return explain_gradient.explain(self._recorder, target, source)


def _output_gradients(given: Any, targets: list[Tensor]) -> Sequence[Tensor | None]:
    if given is None:
        return [None] * len(targets)
    whole = [convert_to_tensor(g) if type(g) is IndexedSlices else g for g in nest.flatten(given)]
    flat = nest.flatten(whole, expand_composites=True)
    if len(flat) != len(targets):
        raise ValueError(
            f"output_gradients must have one gradient, a tensor, per target ({len(targets)}), "
            f"got {len(flat)}."
        )
    return [convert_to_tensor(g, dtype_hint=t.dtype) for g, t in zip(flat, targets, strict=True)]
