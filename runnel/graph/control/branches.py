"""`If` and `Case`: operations that hold a graph per branch and run one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.op.op import Op, op
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.tensor_list import TensorList
from runnel.core.values.dtypes import DType, float32, variant
from runnel.core.values.types import Array, Dims, Namespace
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.run.effects import is_stateful
from runnel.graph.run.lowering import FAILURES, NotStatic, States, lower
from runnel.graph.run.nested import written_inputs
from runnel.graph.run.program import Node, program_of
from .subgraphs import plan_of

Saved = tuple[tuple[SymbolicTensor, ...], ...]  # for each branch, values it also returns


def truth(value: Array) -> bool:
    """The truth of a scalar as `If` sees it: strings are true when they are not empty."""
    array = np.asarray(value)
    return bool(array.reshape(())[()]) if array.ndim == 0 else array.size > 0


def _shapes(
    *inputs: Any, output_shapes: Any = (), Tout: Any = (), **attrs: Any
) -> list[list[Dims]]:
    if not output_shapes:
        return [[None] * len(Tout)]
    return [[shape._dims for shape in output_shapes]]


def _run_branch(
    branches: Sequence[FuncGraph], index: int, values: list[Any], saved: Saved
) -> list[Any]:
    """The outputs of one branch and what it saves; dummies for what the others would have saved."""
    extra = saved[index] if saved else ()
    found = plan_of(branches[index], extra).run(values)
    count = len(branches[index].outputs)
    answer = found[:count]
    for i, tensors in enumerate(saved):
        answer += found[count:] if i == index else [_dummy(t) for t in tensors]
    return [answer]


def _dummy(tensor: SymbolicTensor) -> Any:
    """What stands for a value that a branch not taken would have saved."""
    if tensor.dtype is variant:
        return TensorList((), float32, None)
    return np.zeros((), tensor.dtype.np_dtype)


def _lower_branches(
    node: Node, branches: Sequence[FuncGraph], pick: Any, states: States, values: Any
) -> Any:
    """`lax.switch` over the branches, closed over their inputs and the variables' values."""
    saved: Saved = node.attrs.get("saved", ())
    first = len(node.ins) - len(values)
    variables = {i: node.ins[first + i] for i, v in enumerate(values) if v is None}
    changed = [node.ins[i] for i in written_inputs(node.operation)]
    kept = states.threaded(node.operation)

    def runner(index: int) -> Any:
        program = program_of(branches[index], saved[index] if saved else ())

        def run() -> Any:
            inner = {program.inputs[i]: states.values[slot] for i, slot in variables.items()}
            inside = states.inside({**inner, **{k: states.values[k] for k in kept}})
            env = {**program.constants, **dict(zip(program.inputs, values, strict=True))}
            lower(program.nodes, env, inside)
            back = {slot: inside.values[program.inputs[i]] for i, slot in variables.items()}
            outs = [xla.jnp.asarray(env[s]) for s in program.outputs]
            return outs, [back[s] for s in changed], [inside.values[k] for k in kept]

        return run

    runners = [runner(i) for i in range(len(branches))]
    if saved:
        runners = _pad_saved(runners, branches, saved)
    outs, new, own = xla.lax.switch(pick, runners)
    for slot, value in zip(changed, new, strict=True):
        states.write(slot, value)
    for key, value in zip(kept, own, strict=True):
        states.write(key, value)
    return [list(outs)]


def _pad_saved(runners: list[Any], branches: Sequence[FuncGraph], saved: Saved) -> list[Any]:
    """Each branch returns zeros for what the other branches save."""
    shapes = [
        xla.jax.eval_shape(run)[0][len(g.outputs) :]
        for run, g in zip(runners, branches, strict=True)
    ]

    def padded(index: int, run: Any) -> Any:
        def result() -> Any:
            outs, new, own = run()
            count = len(branches[index].outputs)
            answer = outs[:count]
            for i, specs in enumerate(shapes):
                answer += (
                    outs[count:] if i == index else [xla.jnp.zeros(s.shape, s.dtype) for s in specs]
                )
            return answer, new, own

        return result

    return [padded(i, run) for i, run in enumerate(runners)]


def _lower_if(node: Node, values: list[Any], states: States) -> Any:
    branches = [node.attrs["else_branch"], node.attrs["then_branch"]]
    pick = values[0]
    if isinstance(pick, np.ndarray | np.generic):
        pick = np.int32(truth(pick))
    else:
        if pick.ndim != 0:
            raise NotStatic(node)
        pick = (pick != xla.jnp.zeros((), pick.dtype)).astype(np.int32)
    return _lower_checked(node, branches, pick, states, values[1:])


def _lower_case(node: Node, values: list[Any], states: States) -> Any:
    branches = node.attrs["branches"]
    last = len(branches) - 1
    index = xla.jnp.asarray(values[0])
    pick = xla.jnp.where((index < 0) | (index > last), last, index)
    return _lower_checked(node, branches, pick, states, values[1:])


def _lower_checked(node: Node, branches: Any, pick: Any, states: States, values: Any) -> Any:
    """A branch that needs a value while compiling, or shapes that differ, move the node to the
    host.
    """
    try:
        return _lower_branches(node, branches, pick, states, values)
    except FAILURES as error:
        raise NotStatic.inside(node, error) from error


def _if_kernel(
    xp: Namespace,
    cond: Array,
    input: list[Any],
    *,
    then_branch: FuncGraph,
    else_branch: FuncGraph,
    Tout: tuple[DType, ...],
    output_shapes: tuple[Any, ...] = (),
    saved: Saved = (),
) -> Any:
    return _run_branch([else_branch, then_branch], int(truth(cond)), input, saved)


def _case_kernel(
    xp: Namespace,
    branch_index: Array,
    input: list[Any],
    *,
    branches: tuple[FuncGraph, ...],
    Tout: tuple[DType, ...],
    output_shapes: tuple[Any, ...] = (),
    saved: Saved = (),
) -> Any:
    index = int(branch_index)
    if not 0 <= index < len(branches):
        index = len(branches) - 1
    return _run_branch(branches, index, input, saved)


_IF = "cond: Tcond, input: *Tin -> output: *Tout"
_CASE = "branch_index: int32, input: *Tin -> output: *Tout"
op("If", _IF, stateful=True, lower=_lower_if, shape=_shapes)(_if_kernel)
op("StatelessIf", _IF, lower=_lower_if, shape=_shapes)(_if_kernel)
op("Case", _CASE, stateful=True, lower=_lower_case, shape=_shapes)(_case_kernel)
op("StatelessCase", _CASE, lower=_lower_case, shape=_shapes)(_case_kernel)


def choosing_op(graphs: Sequence[FuncGraph], *, case: bool) -> Op:
    """The op that runs one of the graphs."""
    kind = "Case" if case else "If"
    declared: Op = getattr(raw_ops, kind if any(map(is_stateful, graphs)) else f"Stateless{kind}")
    return declared
