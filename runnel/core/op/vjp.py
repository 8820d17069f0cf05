"""Gradients that nobody wrote: JAX differentiates the kernel of an op.

The answer is an op itself (`ReluVjp` for `Relu`), so that it can be recorded, traced, compiled and
differentiated again.
"""

from __future__ import annotations

import functools
from typing import Any

from runnel.backend import jax as xla
from runnel.core.gradients.tape import differentiable
from runnel.core.op.eager import flat_results
from runnel.core.op.op import Op, execute
from runnel.core.op.raw import raw_ops
from runnel.core.op.registry import wants_gradient
from runnel.core.values.types import Array, Namespace


def unregistered(entry: Any, *arriving: Any) -> list[Any]:
    """The gradients of an op that nobody has registered any for: ops of our own are derived."""
    if getattr(raw_ops, entry.type, None) is entry.op:
        raise unknown_gradient(entry.type, entry.op)
    return derived(entry, *arriving)


def unknown_gradient(name: str, op: Op | None) -> LookupError:
    """The error of an op through which a gradient should come, and that has none."""
    one = f'tf.RegisterGradient("{name}")'
    ways = (
        f"{one}(tf.autodiff.derived) gives it the derivative of its kernel"
        if _derivable(op)
        else f"Give it one with {one}"
    )
    return LookupError(
        f"No gradient is known for the op {name!r}, here as in TensorFlow. {ways}; "
        "tf.no_gradient says that it has none, and tf.stop_gradient keeps it out of the path."
    )


def _derivable(op: Op | None) -> bool:
    return op is not None and not op.host and op.state is None


def derived(op: Any, *grads: Any) -> list[Any]:
    """A gradient function for an op that has none: the derivative of what it computes.

    `tf.RegisterGradient("AdjustHue")(tf.autodiff.derived)` is all that it takes. Ops that run on
    the host, and those with a state, have no such derivative.
    """
    entry, arriving, op = op, grads, op.op
    if not _derivable(op):
        raise unknown_gradient(entry.type, entry.op)
    static = op.static_places(entry.attrs)
    places = tuple(
        i
        for i, t in enumerate(entry.inputs)
        if differentiable(t._dtype) and i not in static and wants_gradient(entry, i)
    )
    used = tuple(i for i, g in enumerate(arriving) if g is not None)
    backward = _vjp_op(op, static, places, used)
    found = backward(
        list(entry.inputs), [arriving[i] for i in used], attributes=_Attributes(entry.attrs)
    )
    answers: list[Any] = [None] * len(entry.inputs)
    for place, value in zip(places, found, strict=True):
        answers[place] = value
    return answers


class _Attributes(dict[str, Any]):
    """The attributes of the forward op, hashable, as one attribute of the backward op."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))

    def __lt__(self, other: Any) -> bool:
        return repr(self) < repr(other)


@functools.cache
def _vjp_op(op: Op, static: tuple[int, ...], places: tuple[int, ...], used: tuple[int, ...]) -> Op:
    def kernel(
        _: Namespace, inputs: list[Array], arriving: list[Array], *, attributes: _Attributes
    ) -> Any:
        def forward(*chosen: Array) -> Any:
            values = list(inputs)
            for place, value in zip(places, chosen, strict=True):
                values[place] = value
            result = op.run(xla.jnp, values, attributes)
            flat = [result] if op.single else flat_results(result)
            return [flat[i] for i in used]

        chosen = [inputs[i] for i in places]
        _, pull = xla.jax.vjp(forward, *chosen)
        return [list(pull(list(arriving)))]

    declared = Op(
        f"{op.name}Vjp", "inputs: *Tin, arriving: *Tdy -> gradients: *Tout", kernel, xla=True
    )
    declared.kinds = {"attributes": "object"}
    declared.static_places = lambda attrs: static  # type: ignore[method-assign]
    return _WithOutputs(declared, places)  # type: ignore[return-value]


class _WithOutputs:
    """Calls a backward op with its output dtypes, which are those of the inputs it is for."""

    def __init__(self, op: Op, places: tuple[int, ...]) -> None:
        self.op = op
        self.places = places

    def __call__(self, inputs: list[Any], arriving: list[Any], *, attributes: _Attributes) -> Any:
        flat, attrs = self.op.flatten((inputs, arriving), {"attributes": attributes})
        attrs["Tout"] = tuple(inputs[i]._dtype for i in self.places)
        return execute(self.op, flat, attrs)
