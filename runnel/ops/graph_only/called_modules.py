"""`XlaCallModule`: a whole program of StableHLO in one op, as models that came from JAX hold."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from runnel.backend.jax import jnp
from runnel.backend.stablehlo import exported, refuse
from runnel.core.op.op import op
from runnel.core.values.dtypes import DType
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Namespace

NamedGraph: TypeAlias = Any


def _outputs(inputs: Any, *, Sout: tuple[TensorShape, ...], **attrs: Any) -> list[Any]:
    return [None if shape.rank is None else tuple(shape) for shape in map(TensorShape, Sout)]


@op("XlaCallModule", "args: *Tin -> output: *Tout", shape=_outputs, xla=True, stateful=True)
def _call_module(
    xp: Namespace,
    args: list[Array],
    *,
    version: int,
    module: str,
    Sout: tuple[TensorShape, ...],
    Tout: tuple[DType, ...],
    dim_args_spec: tuple[str, ...] = (),
    platforms: tuple[str, ...] = (),
    function_list: tuple[NamedGraph, ...] = (),
    has_token_input_output: bool = False,
    disabled_checks: tuple[str, ...] = (),
    use_shardy_partitioner: bool = False,
) -> list[list[Array]]:
    if function_list or has_token_input_output or dim_args_spec:
        raise NotImplementedError(
            "XlaCallModule: programs that call functions of TensorFlow, hand tokens on or take "
            "sizes as arguments are not supported. Export the model again with a newer JAX."
        )
    where = [name.upper() for name in platforms]
    if where and "CPU" not in where:
        raise refuse(f"the program is for {', '.join(where)}, and this is a CPU.")
    if len(where) > 1:  # then the first argument says which of them it is
        args = [jnp.asarray(where.index("CPU"), np.int32), *args]
    shapes = tuple((tuple(arg.shape), np.dtype(arg.dtype).name) for arg in args)
    called = exported(module.encode("utf-8", "surrogateescape"), shapes)
    results = [np.dtype(dtype.np_dtype) for dtype in Tout]
    if [np.dtype(aval.dtype) for aval in called.out_avals] != results:
        raise refuse(f"`Tout` must be what the program gives, got {[d.name for d in Tout]}.")
    return [list(called.call(*args))]
