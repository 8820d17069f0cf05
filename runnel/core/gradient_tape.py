"""`tf.GradientTape`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from runnel.core import nest
from runnel.core.backprop import backprop, zeros_like
from runnel.core.context import state
from runnel.core.convert import convert_to_tensor
from runnel.core.logging import warning
from runnel.core.tape import Recorder, differentiable
from runnel.core.tensor import Tensor
from runnel.core.unconnected import UnconnectedGradients


class GradientTape:
    """Records what is computed from watched tensors, so that it can be differentiated.

    Trainable variables are watched by themselves.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recorder: Recorder | None = None
        self._recording = False

    def __enter__(self) -> GradientTape:
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        if self._recording:
            raise ValueError("The tape is recording already. Leave its `with` block before entering it again.")
        if self._recorder is None or not self._persistent:
            self._recorder = Recorder()
            self._recorder.watches_variables = self._watch_accessed_variables
        state.tapes = (*state.tapes, self._recorder)
        self._recording = True

    def _stop(self) -> None:
        state.tapes = tuple(t for t in state.tapes if t is not self._recorder)
        self._recording = False

    def watch(self, tensor: Any) -> None:
        """Record what is computed from `tensor`: a tensor, a variable, or a nest of them."""
        if self._recorder is None:
            raise RuntimeError("The tape is not recording. Call `watch` inside its `with` block.")
        for item in nest.flatten(tensor, expand_composites=True):
            if not hasattr(item, "_dtype"):
                raise ValueError(f"A tape watches tensors and variables, got {type(item).__name__}: {item!r}.")
            if not differentiable(item._dtype):
                warning(f"The dtype of the watched tensor must be floating (e.g. tf.float32), got {item._dtype!r}")
            elif hasattr(item, "handle"):
                self._recorder.watch_variable(item)
            else:
                self._recorder.watch(item)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Leave out what is computed inside."""
        if not self._recording:
            raise ValueError("The tape is not recording.")
        self._stop()
        try:
            yield
        finally:
            assert self._recorder is not None
            state.tapes = (*state.tapes, self._recorder)
            self._recording = True

    def reset(self) -> None:
        """Forget all that was recorded and watched."""
        was_recording = self._recording
        if was_recording:
            self._stop()
        self._recorder = None
        if was_recording:
            self._start()

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables watched, in the order of their first use."""
        return tuple(self._recorder.variables.values()) if self._recorder is not None else ()

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> Any:
        """The derivative of the sum of `target` by each source, in the structure of `sources`.

        A source that `target` does not depend on has None, or zeros if `unconnected_gradients` says so.
        """
        recorder = self._finish()
        targets = [convert_to_tensor(t) for t in nest.flatten(target, expand_composites=True)]
        arriving = _output_gradients(output_gradients, targets)
        kept = [(t, g) for t, g in zip(targets, arriving, strict=True) if _can_be_target(t)]
        flat = nest.flatten(sources, expand_composites=True)
        ids = [_source_tensor(s) for s in flat]
        found = backprop(recorder.records, [t for t, _ in kept], ids, [g for _, g in kept])
        if not self._persistent:
            self._recorder = None
        if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO:
            found = [zeros_like(s) if g is None else g for s, g in zip(ids, found, strict=True)]
        return nest.pack_sequence_as(sources, found, expand_composites=True)

    def _finish(self) -> Recorder:
        if self._recorder is None:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians). Make it with persistent=True to use it again."
            )
        if self._recording:
            if not self._persistent:
                self._stop()
            else:
                warning(
                    "Calling GradientTape.gradient on a persistent tape inside its context is slower and takes "
                    "more memory, since the gradient itself is recorded. Do so only for higher orders."
                )
        return self._recorder


def _source_tensor(source: Any) -> Tensor:
    if hasattr(source, "handle"):
        return source.handle  # type: ignore[no-any-return]
    if not isinstance(source, Tensor):
        raise ValueError(f"A source must be a tensor or a variable, got {type(source).__name__}: {source!r}.")
    if not differentiable(source._dtype):
        warning(f"The dtype of the source tensor must be floating (e.g. tf.float32), got {source._dtype!r}")
    return source


def _can_be_target(target: Tensor) -> bool:
    if differentiable(target._dtype):
        return True
    warning(f"The dtype of the target tensor must be floating (e.g. tf.float32), got {target._dtype!r}")
    return False


def _output_gradients(given: Any, targets: list[Tensor]) -> list[Tensor | None]:
    if given is None:
        return [None] * len(targets)
    flat = nest.flatten(given, expand_composites=True)
    if len(flat) != len(targets):
        raise ValueError(f"output_gradients must have one gradient per target ({len(targets)}), got {len(flat)}.")
    return [None if g is None else convert_to_tensor(g, dtype_hint=t.dtype) for g, t in zip(flat, targets, strict=True)]
