"""`If` and `Case`: operations that hold a graph per branch and run one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runnel.core import xla
from runnel.core.backprop import zeros_like
from runnel.core.dtypes import DType, float32, variant
from runnel.core.op import Op, execute, op
from runnel.core.raw import raw_ops
from runnel.core.registry import RegisterGradient
from runnel.core.tape import differentiable, note_more_outputs
from runnel.core.tensor import Tensor
from runnel.core.tensor_list import TensorList
from runnel.core.types import Array, Dims, Namespace
from runnel.graph.func_graph import FuncGraph
from runnel.graph.lowering import FAILURES, NotStatic, States, lower
from runnel.graph.operation import Operation
from runnel.graph.program import Node, all_inputs, program_of, written_inputs
from runnel.graph.subgraphs import (
    Gradient,
    influences,
    is_asked_for,
    joint_shapes,
    match_captures,
    plan_of,
)
from runnel.graph.tensor import SymbolicTensor

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


def _branches_of(attrs: Mapping[str, Any]) -> tuple[FuncGraph, ...]:
    if "branches" in attrs:
        return tuple(attrs["branches"])
    return (attrs["else_branch"], attrs["then_branch"])


def _gradient(operation: Operation, *arriving: Any) -> list[Any]:
    """The same choice between the gradients of the branches.

    As in TensorFlow, inputs that only other outputs depend on have zeros.
    """
    inputs = operation.inputs[1:]  # as tapes know them
    operation = getattr(operation, "operation", operation)  # the one in the graph
    branches = _branches_of(operation.attrs)
    count = len(branches[0].outputs)
    places = [i for i in range(count) if arriving[i] is not None]
    extra = _saved_arriving(operation, arriving[count:])
    backward = [
        Gradient(
            graph, all_inputs(graph), [*[graph.outputs[i] for i in places], *[t for t, _ in more]]
        )
        for graph, more in zip(branches, extra, strict=True)
    ]
    saved = _save(operation, tuple(tuple(b.needed) for b in backward))
    found = sorted({place for b in backward for place in b.places})
    graphs = []
    for b, graph, more, kept in zip(backward, branches, extra, saved, strict=True):
        given = [*[arriving[i] for i in places], *[g for _, g in more]]
        graphs.append(_backward_branch(b, graph, found, given, list(inputs), kept))
    outer = match_captures(graphs)
    outputs = _emit(operation, graphs, outer)
    answers: list[Any] = [None] * len(operation.inputs)
    for place, value in zip(found, outputs, strict=True):
        answers[1 + place] = value if value.dtype is variant else raw_ops.Identity(value)
    for place in _connected(branches) if len(places) < count else ():
        if answers[1 + place] is None and is_asked_for(inputs[place]):
            answers[1 + place] = zeros_like(inputs[place])
    return answers


def _connected(branches: Sequence[FuncGraph]) -> set[int]:
    """The inputs on which any output of any branch depends."""
    found: set[int] = set()
    for graph in branches:
        influencing = influences(graph.outputs)
        found.update(i for i, t in enumerate(all_inputs(graph)) if t._id in influencing)
    return found


def _saved_arriving(operation: Operation, arriving: Sequence[Any]) -> list[list[tuple[Any, Any]]]:
    """For each branch, the values it saved to which a gradient of second order arrives, with it."""
    saved: Saved = operation.attrs.get("saved") or ((),) * len(_branches_of(operation.attrs))
    rest = iter(arriving)
    pairs = [[(tensor, next(rest)) for tensor in branch] for branch in saved]
    return [[(t, g) for t, g in branch if g is not None] for branch in pairs]


for _name in ("If", "StatelessIf", "Case", "StatelessCase"):
    RegisterGradient(_name)(_gradient)


def _save(operation: Operation, wanted: Saved) -> list[list[SymbolicTensor]]:
    """Make an operation also return `wanted`, for each branch; the new outputs."""
    before: Saved = operation.attrs.get("saved") or ((),) * len(wanted)
    count = len(_branches_of(operation.attrs)[0].outputs)
    known = {
        t._id: o
        for t, o in zip([t for b in before for t in b], operation.outputs[count:], strict=True)
    }
    joined = tuple(
        (*old, *[t for t in new if t._id not in known])
        for old, new in zip(before, wanted, strict=True)
    )
    extra = {}
    for tensor in (t for branch in joined for t in branch):
        extra[tensor._id] = (
            known[tensor._id]
            if tensor._id in known
            else SymbolicTensor(operation, 0, tensor.dtype, None)
        )
    note_more_outputs(operation, [t for t in extra.values() if differentiable(t.dtype)])
    operation.outputs = [*operation.outputs[:count], *[extra[t._id] for b in joined for t in b]]
    for index, output in enumerate(operation.outputs):
        output._value_index = index
    kinds = tuple(t.dtype for t in operation.outputs)
    operation.attrs = {**operation.attrs, "saved": joined, "Tout": kinds, "output_shapes": ()}
    return [[extra[t._id] for t in branch] for branch in wanted]


def _backward_branch(
    backward: Gradient,
    forward: FuncGraph,
    found: Sequence[int],
    arriving: Sequence[Tensor],
    inputs: Sequence[Tensor],
    saved: Sequence[SymbolicTensor],
) -> FuncGraph:
    """The gradient of one branch as a graph over the tensors around the operation."""
    from runnel.graph.inlining import inline
    from runnel.graph.subgraphs import trace

    outside = {t._id: v for t, v in zip(all_inputs(forward), inputs, strict=True)}
    outside.update((t._id, v) for t, v in zip(backward.needed, saved, strict=True))
    captured = [outside.get(t._id, t) for t in backward.captured]

    def run() -> list[Tensor]:
        graph = backward.graph
        values = inline(
            graph, all_inputs(graph), graph.outputs, [*arriving, *captured], _building()
        )
        by_place = dict(zip(backward.places, values, strict=True))
        return [by_place[p] if p in by_place else zeros_like(inputs[p]) for p in found]

    return trace(run, f"{forward.name}_grad")


def _building() -> Any:
    from runnel.core.context import state

    return state.graph


def _emit(
    operation: Operation, graphs: Sequence[FuncGraph], captured: Sequence[Tensor]
) -> list[Tensor]:
    kinds = tuple(t.dtype for t in graphs[0].outputs)
    declared: Op = getattr(raw_ops, operation.type)
    if "branches" in operation.attrs:
        attrs: dict[str, Any] = {"branches": tuple(graphs)}
    else:
        attrs = {"else_branch": graphs[0], "then_branch": graphs[1]}
    args, full = declared.flatten(
        (operation.inputs[0], list(captured)),
        {**attrs, "Tout": kinds, "output_shapes": joint_shapes(graphs), "saved": ()},
    )
    return execute(declared, args, full)  # type: ignore[no-any-return]
