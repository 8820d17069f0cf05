"""The shapes of an operation's outputs, from its shape rule or, without one, from its kernel.

On the reading path after `graph/build/capturing.py`, before `graph/run/program.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.values import ranks
from runnel.core.values.dtypes import DType, string
from runnel.core.values.errors import OpError, ResourceExhaustedError
from runnel.core.values.tracebacks import let_through
from runnel.core.values.types import Dims, Spec
from runnel.graph.build import static

if TYPE_CHECKING:
    from runnel.core.op.op import Op
    from runnel.core.tensor.tensor import Tensor

_SLIPS = (ArithmeticError, AssertionError, AttributeError, LookupError)  # of rules, on bad shapes
_PROBES = (7, 11)  # two sizes for an unknown dimension: where the answers differ, it stays unknown


def output_dims(
    op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], found: Sequence[DType]
) -> list[Dims]:
    """The dimensions of each output."""
    known = ranks.known_dims(op, inputs, attrs)
    if not op.outputs:
        return []
    if op.shape is not None:
        places = op.static_places(attrs) if op.static else ()
        specs = [static.spec(t, wants_value=i in places or op.host) for i, t in enumerate(inputs)]
        if op.tells_ranks:
            specs = [replace(s, dims=dims) for s, dims in zip(specs, known, strict=True)]
        inferred = _inferred(op, inputs, specs, attrs)
        return [inferred] if op.single else flatten(inferred)
    plain = all(t.dtype.is_numpy_compatible and t.dtype is not string for t in inputs)
    if op.host or op.state is not None or not plain or any(t.shape.rank is None for t in inputs):
        return [None] * len(found)
    return _from_kernel(op, inputs, attrs, len(found))


def _inferred(
    op: Op, inputs: Sequence[Tensor], specs: Sequence[Spec], attrs: Mapping[str, Any]
) -> Any:
    """What the shape rule says.

    What is wrong only by values of an outer graph is said by a run: a branch that checks those
    values may never come to it.
    """
    outside = any(t._from_outside for t in inputs)
    try:
        found = op.infer(specs, attrs)
        if not outside or all(map(_is_shape, [found] if op.single else flatten(found))):
            return found
    except (ValueError, OpError):
        if not outside:
            raise
    except _SLIPS as error:
        if not outside:
            raise _wrong_shapes(op, inputs) from error
    except MemoryError as error:
        raise ResourceExhaustedError(None, None, f"{op.name}: {error}") from error
    pairs = zip(inputs, specs, strict=True)
    return op.infer([_loosened(s) if t._from_outside else s for t, s in pairs], attrs)


def _wrong_shapes(op: Op, inputs: Sequence[Tensor]) -> ValueError:
    shapes = ", ".join(str(t.shape) for t in inputs)
    return ValueError(f"{op.name} cannot take inputs of shapes {shapes}.")


def _is_shape(dims: Dims) -> bool:
    return dims is None or all(d is None or d >= 0 for d in dims)


def _loosened(spec: Spec) -> Spec:
    """What is known of an input without its value, or else without its sizes."""
    if spec.value is not None or spec.partial is not None:
        parts = None if spec.partial is None else (None,) * len(spec.partial)
        return replace(spec, value=None, partial=parts)
    return replace(spec, dims=None if spec.dims is None else (None,) * len(spec.dims))


def flatten(inferred: Sequence[Any]) -> list[Dims]:
    return [d for part in inferred for d in (part if isinstance(part, list) else [part])]


def _from_kernel(
    op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], count: int
) -> list[Dims]:
    places = op.static_places(attrs)
    fixed = {i: static._value_of(inputs[i]) for i in places}
    if any(v is None for v in fixed.values()):
        return [None] * count
    answers = []
    needs_probing = any(not t.shape.is_fully_defined() for t in inputs)
    for probe in _PROBES if needs_probing else _PROBES[:1]:
        try:
            answers.append(_probe(op, inputs, attrs, fixed, probe))
        except Exception as error:
            let_through(error)
            if not needs_probing:
                if isinstance(error, _SLIPS):
                    raise _wrong_shapes(op, inputs) from error
                raise
            return [None] * count  # the probed sizes do not fit each other
    return [_merge(dims) for dims in zip(*answers, strict=True)]


def _probe(
    op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], fixed: Mapping[int, Any], size: int
) -> list[tuple[int, ...]]:
    """The output shapes with `size` in place of every unknown dimension."""
    moving = [
        xla.jax.ShapeDtypeStruct(
            tuple(size if d is None else d for d in t.shape._dims or ()), t._dtype.np_dtype
        )
        for i, t in enumerate(inputs)
        if i not in fixed
    ]

    def run(*values: Any) -> Any:
        rest = iter(values)
        return op.run(
            xla.jnp, [fixed[i] if i in fixed else next(rest) for i in range(len(inputs))], attrs
        )

    result = xla.jax.eval_shape(run, *moving)
    flat: list[Any] = [result] if op.single else flatten(result)
    return [tuple(np.shape(r)) if not hasattr(r, "shape") else tuple(r.shape) for r in flat]


def _merge(dims: Sequence[tuple[int, ...]]) -> Dims:
    if any(len(d) != len(dims[0]) for d in dims):
        return None
    return tuple(sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*dims, strict=True))
