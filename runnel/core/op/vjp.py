"""The gradient of an op that nobody wrote one for: JAX differentiates its kernel.

The answer is an op itself (`ReluVjp` for `Relu`), so that it can be recorded, traced, compiled and
differentiated again.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from runnel.backend import jax as xla
from runnel.core.gradients.tape import differentiable
from runnel.core.op.eager import flat_results
from runnel.core.op.registry import wants_gradient
from runnel.core.values.types import Array, Namespace

if TYPE_CHECKING:
    from runnel.core.op.op import Op


def gradient(entry: Any, *arriving: Any) -> list[Any]:
    """The gradients of the inputs of `entry`, an op without a gradient function."""
    op = entry.op
    if op is None or op.host or op.state is not None:
        raise LookupError(
            f"No gradient is known for the op {entry.type!r}. Give it one with "
            "tf.RegisterGradient, say "
            "with tf.no_gradient that it has none, or keep it out of the path with "
            "tf.stop_gradient."
        )
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
    from runnel.core.op.op import Op  # the op of an op: declared when first needed

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
        from runnel.core.op.op import execute

        flat, attrs = self.op.flatten((inputs, arriving), {"attributes": attributes})
        attrs["Tout"] = tuple(inputs[i]._dtype for i in self.places)
        return execute(self.op, flat, attrs)
