"""Running ops on a whole batch of values at once, through `jax.vmap`, as if on one value.

A `BatchTrace` stands where the graph under construction stands: ops called meanwhile come to its
`add_op`. It keeps none of them but runs their kernels there and then, on JAX's tracers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.op import eager
from runnel.core.op.context import building, unrecorded
from runnel.core.tensor.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    from runnel.core.op.op import Op


class NotVectorised(Exception):
    """An op cannot run on a batch: it works on the host, has a state, or needs a varying value."""


class BatchTrace:
    """Stands for a graph; see above."""

    building_function = False
    outer_graph = None
    seed = None
    traces: Mapping[Any, Any] = MappingProxyType({})
    _scope = ""

    def kind_of_variables(self) -> None:
        """A variable that is made meanwhile is like any other."""

    def on_behalf_of(self, operation: Any, scope: Any = None) -> nullcontext[None]:
        """Nobody asks for the line of what is run at once."""
        return nullcontext()

    def keep(self, callbacks: Sequence[Any]) -> None:
        """What runs at once need not be kept."""

    def receiving(self) -> nullcontext[None]:
        """Copies of other operations are run at once, too."""
        return nullcontext()

    def name_scope(self, name: str | None) -> nullcontext[str | None]:
        """Nor are there names."""
        return nullcontext(name)

    def op_scope(self, op: Op, name: str | None) -> nullcontext[str | None]:
        """Nor for the name of one op."""
        return nullcontext(name)

    def add_op(
        self, op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], name: str | None = None
    ) -> tuple[EagerTensor, ...]:
        """Run an op: with NumPy where nothing varies, else with JAX."""
        values = [t._value for t in inputs]  # type: ignore[attr-defined]
        found = op.output_dtypes(inputs, attrs)
        varies = [not isinstance(v, np.ndarray | np.generic) for v in values]
        if not any(varies) and not op.stateful:
            result = eager.compute(op, values, attrs)
        elif (
            op.host
            or op.stateful
            or op.lower is not None
            or any(varies[i] for i in op.static_places(attrs))
        ):
            raise NotVectorised(op.name)
        else:
            result = op.run(xla.jnp, values, attrs)
        flat = [result] if op.single else eager.flat_results(result)
        return tuple([EagerTensor(r, d) for r, d in zip(flat, found, strict=True)])


def vectorised(
    function: Callable[[Tensor], list[Tensor | None]], batch: Tensor
) -> list[np.ndarray[Any, Any] | None]:
    """`function` of each element along the first dimension of `batch`, its results stacked."""
    missing: list[bool] = []

    def one(element: Any) -> list[Any]:
        with building(BatchTrace()), unrecorded():  # type: ignore[arg-type]
            found = function(EagerTensor(element, batch._dtype))
        missing[:] = [t is None for t in found]
        return [xla.jnp.asarray(t._value) for t in found if t is not None]  # type: ignore[attr-defined]

    rest = iter(xla.vmapped(one)(batch._value))  # type: ignore[attr-defined]
    return [None if absent else np.asarray(next(rest)) for absent in missing]
