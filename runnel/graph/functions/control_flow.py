"""`tf.cond`, `tf.case`, `tf.switch_case` and `tf.while_loop`."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.backend import configuration
from runnel.core.op.context import state
from runnel.core.op.op import execute
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor, emit
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import dtypes, nest
from runnel.core.values.errors import InvalidArgumentError, describe_value
from runnel.core.values.type_spec import TypeSpec
from runnel.core.values.types import TensorLike
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import Graph
from runnel.graph.control import branch_gradients as branch_gradients  # registers them
from runnel.graph.control import loop_gradients as loop_gradients  # as well
from runnel.graph.control.branches import choosing_op
from runnel.graph.control.loops import emit_loop
from runnel.graph.control.subgraphs import in_structure, joint_shapes, match_captures, trace
from runnel.graph.control.varying import kept_types, packing, shapes_of
from runnel.graph.functions import graph_variable as graph_variable  # the variables of plain graphs
from runnel.ops.resources.tensor_array import TensorArray, know_branches, know_loop


def cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """The result of `true_fn()` if `pred` holds, else of `false_fn()`.

    >>> tf.cond(tf.constant(2) > 1, lambda: tf.constant(10), lambda: tf.constant(20)).numpy()
    np.int32(10)
    """
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("tf.cond: true_fn and false_fn must be callable.")
    if state.graph is None:
        holds = pred if isinstance(pred, bool) else convert_to_tensor(pred)
        return true_fn() if holds else false_fn()
    if isinstance(pred, bool):
        raise TypeError("tf.cond: `pred` must not be a Python bool in a graph; use `if`.")
    tensor = convert_to_tensor(pred)
    tensor = _predicate(tensor)
    name = name or "cond"
    then = trace(true_fn, "true", within=name, pick=tensor)
    other = trace(false_fn, "false", within=name, pick=tensor)
    return emit_branches(tensor, [other, then], name)


def _predicate(tensor: Tensor) -> Tensor:
    """The condition of a branch in a graph; eager mode takes what Python takes."""
    if tensor.dtype is not dtypes.bool or not may_be_scalar(tensor):
        raise InvalidArgumentError(
            None,
            None,
            "tf.cond: `pred` must be a scalar of dtype bool in a graph, got "
            f"{describe_value(tensor)}.",
        )
    return as_scalar(tensor)


def may_be_scalar(tensor: Tensor) -> bool:
    """Whether a condition has one element, as far as that is known."""
    return tensor.shape.num_elements() in (1, None)


def as_scalar(tensor: Tensor) -> Tensor:
    """A condition of one element in any shape, which is as good as a scalar."""
    return tensor if tensor.shape.rank == 0 else raw_ops.Reshape(tensor, np.zeros(0, np.int32))


def emit_branches(
    pick: Tensor, graphs: Sequence[FuncGraph], name: str, *, case: bool = False
) -> Any:
    """Append an operation that runs one of the graphs; its result in the branches' structure."""
    _check_branches(graphs, name)
    captured = match_captures(graphs)
    kinds = tuple(t.dtype for t in graphs[0].outputs)
    shapes = joint_shapes(graphs)
    declared = choosing_op(graphs, case=case)
    attrs: dict[str, Any] = {"Tout": kinds, "output_shapes": shapes, "saved": ()}
    if case:
        attrs["branches"] = tuple(graphs)
    else:
        attrs.update(else_branch=graphs[0], then_branch=graphs[1])
    args, full = declared.flatten((pick, list(captured)), attrs)
    first = graphs[0] if case else graphs[1]  # the order of a dict's keys is that of `true_fn`
    structure = _joint_structure(first, graphs)
    made = execute(declared, args, full, name)
    for output, *inside in zip(made, *[g.outputs for g in graphs], strict=True):
        output._from_outside |= any(t._from_outside for t in inside)
    results = in_structure(structure, _handed_on(made))
    know_branches(results, _results(graphs))
    return results


def _joint_structure(first: FuncGraph, graphs: Sequence[FuncGraph]) -> Any:
    """The result of one branch, with types that the results of all have."""
    return nest.map_structure(_joint, first.structured_outputs, *_results(graphs))


def _joint(value: Any, *others: Any) -> Any:
    """A value, or for a sparse tensor and the like the type that it and others have in common."""
    spec = getattr(value, "_type_spec", None)
    if not isinstance(spec, TypeSpec) or isinstance(value, Operators | TensorArray):
        return value
    return spec.most_specific_common_supertype([other._type_spec for other in others]) or value


def _results(graphs: Sequence[FuncGraph]) -> list[Any]:
    return [g.structured_outputs for g in graphs]


def _handed_on(results: Sequence[Any]) -> list[Any]:
    """Results in operations of their own, which bear the names that TensorFlow gives them."""
    if not results:
        return []
    name = None if configuration.control_flow_v2 or results[0].graph.building_function else "Merge"
    return leaving(results, name)


def leaving(results: Sequence[Any], name: str | None) -> list[Any]:
    """Results in operations of a name, in the scope of the operation that they are of."""
    graph, scope = results[0].graph, results[0].op.name
    with graph.name_scope(f"{scope}/"):
        return [
            t if t.dtype in (dtypes.resource, dtypes.variant) else raw_ops.Identity(t, name=name)
            for t in results
        ]


def _check_branches(graphs: Sequence[FuncGraph], name: str) -> None:
    first = graphs[-1]
    for graph in graphs:
        try:
            nest.assert_same_structure(
                first.structured_outputs, graph.structured_outputs, expand_composites=True
            )
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"{name}: the branches must return the same structure. {error}"
            ) from None
        if len(first.outputs) != len(graph.outputs):
            raise ValueError(
                f"{name}: the branches must return None in the same places, got "
                f"{first.structured_outputs} and {graph.structured_outputs}."
            )
        for a, b in zip(first.outputs, graph.outputs, strict=True):
            if a.dtype is not b.dtype:
                raise TypeError(
                    f"{name}: the branches must return the same dtypes, got {a.dtype.name} (made "
                    f"at {a.op.where}) and "
                    f"{b.dtype.name} (made at {b.op.where})."
                )


def switch_case(
    branch_index: TensorLike,
    branch_fns: Any,
    default: Callable[[], Any] | None = None,
    name: str = "switch_case",
) -> Any:
    """The result of `branch_fns[branch_index]()`; of `default`, or the last, if there is none of
    that number.
    """
    items = list(branch_fns.items()) if isinstance(branch_fns, dict) else _numbered(branch_fns)
    table = dict(items)
    if any(not isinstance(key, int) or not callable(fn) for key, fn in items):
        raise TypeError("tf.switch_case: branch_fns must be callables, numbered by integers.")
    if not table or sorted(table) != list(range(len(items))):
        raise ValueError(
            "tf.switch_case: the keys of branch_fns must be 0, 1, 2 … without gaps, got "
            f"{sorted(key for key, _ in items)}."
        )
    last = default or table[len(table) - 1]
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"tf.switch_case: branch_index must be a tensor, got {branch_index!r}.")
    index = branch_index
    if not index.dtype.is_integer or (state.graph is not None and index.dtype is not dtypes.int32):
        raise TypeError(f"tf.switch_case: branch_index must be an int32, got {index!r}.")
    if state.graph is None:
        return table.get(int(index), last)()
    fns = [table[i] for i in range(len(table))] + ([] if default is None else [default])
    with state.graph.name_scope(name):
        within = "indexed_case"
        graphs = [trace(fn, f"branch{i}", within=within, pick=index) for i, fn in enumerate(fns)]
        return emit_branches(index, graphs, within, case=True)


def _numbered(branch_fns: Sequence[Any]) -> list[tuple[int, Any]]:
    return [item if isinstance(item, tuple) else (i, item) for i, item in enumerate(branch_fns)]


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The result of the first function whose predicate holds, else of `default`."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    _check_cases(pairs, default)
    if exclusive:
        _assert_exclusive([pred for pred, _ in pairs])

    def choose(rest: list[Any]) -> Any:
        if not rest:
            return default() if default is not None else _no_case()
        if len(rest) == 1 and default is None:
            if state.graph is None:
                return cond(rest[0][0], rest[0][1], _no_case)
            raw_ops.Assert(rest[0][0], [_NO_CASE], summarize=3)
            return rest[0][1]()
        result = cond(rest[0][0], rest[0][1], lambda: choose(rest[1:]))
        return result if strict or state.graph is not None else _only(result)

    if state.graph is None:
        return choose(pairs)
    with state.graph.name_scope(name):
        return choose(pairs)


def _only(result: Any) -> Any:
    """The only element of a list or tuple that has no more; anything else as it is."""
    return result[0] if isinstance(result, list | tuple) and len(result) == 1 else result


def _check_cases(pairs: Sequence[Any], default: Any) -> None:
    if not pairs:
        raise ValueError("tf.case: pred_fn_pairs must hold at least one pair.")
    if default is not None and not callable(default):
        raise TypeError(f"tf.case: default must be callable, got {default!r}.")
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not callable(pair[1]):
            raise TypeError(
                f"tf.case: each of pred_fn_pairs must be (predicate, callable), got {pair!r}."
            )
        if not isinstance(pair[0], Operators) or pair[0]._dtype is not dtypes.bool:
            raise TypeError(f"tf.case: a predicate must be a tensor of bool, got {pair[0]!r}.")


def _no_case() -> Any:
    raise InvalidArgumentError(None, None, _NO_CASE)


_NO_CASE = "tf.case: none of the predicates holds and there is no default."
_TWO_CASES = "tf.case: more than one predicate holds, but exclusive=True."


def _assert_exclusive(predicates: Sequence[TensorLike]) -> None:
    if state.graph is not None:
        count = raw_ops.AddN([raw_ops.Cast(p, DstT=np.int32) for p in predicates])
        raw_ops.Assert(raw_ops.LessEqual(count, np.int32(1)), [_TWO_CASES, count], summarize=3)
    elif sum(bool(p) for p in predicates) > 1:
        raise InvalidArgumentError(None, None, _TWO_CASES)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: TensorLike = None,
    name: str | None = None,
) -> Any:
    """Repeat `loop_vars = body(*loop_vars)` while `cond(*loop_vars)` holds.

    Args:
        cond: a function of the loop variables that gives a truth value.
        body: a function of the loop variables that gives their next values.
        loop_vars: what they begin with.
        shape_invariants: for each, the shape that it keeps, where sizes change.
        parallel_iterations: how many iterations may overlap; without effect on results.
        back_prop, swap_memory: of TensorFlow 1; without effect.
        maximum_iterations: how often at most.

    >>> tf.while_loop(lambda i: i < 10, lambda i: [i + 3], [tf.constant(0)])[0].numpy()
    np.int32(12)
    """
    if not callable(cond) or not callable(body):
        raise TypeError("tf.while_loop: cond and body must be callable.")
    if not loop_vars:
        raise ValueError("tf.while_loop: there are no loop_vars.")
    if parallel_iterations < 1:
        raise TypeError("tf.while_loop: parallel_iterations must be a positive integer.")
    if state.graph is None:
        return _loop_now(cond, body, loop_vars, maximum_iterations)
    found = _Builder(
        cond, body, loop_vars, shape_invariants, maximum_iterations, name or "while"
    ).build()
    if back_prop:
        return found
    return nest.map_structure(raw_ops.StopGradient, found, expand_composites=True)


_NUMBERS = (numbers.Real, np.ndarray, Operators)


def _limit(maximum_iterations: Any) -> int | None:
    if maximum_iterations is None:
        return None
    if np.ndim(maximum_iterations) or not isinstance(maximum_iterations, _NUMBERS):
        got = describe_value(maximum_iterations)
        raise ValueError(f"while_loop: `maximum_iterations` must be a number, got {got}.")
    return int(maximum_iterations)  # type: ignore[arg-type]


def _as_limit(given: Any) -> Tensor:
    kind = None if isinstance(given, EagerTensor) else dtypes.int32
    limit: Tensor = convert_to_tensor(given, kind, name="maximum_iterations")
    if limit.dtype is not dtypes.int32:
        limit = raw_ops.Cast(limit, DstT=dtypes.int32)
    if limit.shape.rank not in (0, None):
        message = f"while_loop: `maximum_iterations` must be a number, got shape {limit.shape}."
        raise InvalidArgumentError(None, None, message)
    return limit


def _loop_now(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any) -> Any:
    count, limit = 0, _limit(maximum_iterations)
    single = not isinstance(loop_vars, list | tuple)
    while (limit is None or count < limit) and cond(*([loop_vars] if single else loop_vars)):
        result = body(*([loop_vars] if single else loop_vars))
        result = result if isinstance(result, list | tuple) or single else [result]
        nest.assert_same_structure(
            list([loop_vars] if single else loop_vars), list([result] if single else result)
        )
        loop_vars = result
        count += 1
    return _as_tensors(loop_vars)


def _as_tensors(loop_vars: Any) -> Any:
    """Loop variables with tensors in the place of numbers and arrays."""
    return nest.map_structure(
        lambda v: v if hasattr(type(v), "_type_spec") else convert_to_tensor(v), loop_vars
    )


class _Builder:
    """Traces condition and body, and appends the loop."""

    def __init__(
        self,
        cond: Any,
        body: Any,
        loop_vars: Any,
        shape_invariants: Any,
        maximum_iterations: Any,
        name: str,
    ) -> None:
        self.cond, self.body, self.name = cond, body, name
        several = isinstance(loop_vars, list | tuple)
        self.structure = _as_tensors(loop_vars if several else [loop_vars])
        flat = [convert_to_tensor(v) for v in nest.flatten(self.structure, expand_composites=True)]
        limit = -1 if maximum_iterations is None else maximum_iterations
        assert state.graph is not None
        with state.graph.name_scope(name) as self.scope:
            self.inputs = [
                emit(np.array(0, np.int32), "loop_counter"),
                _local(_as_limit(limit)),
                *[_local(t) for t in flat],
            ]
        self.bounded = maximum_iterations is not None
        types = kept_types(self.structure, shape_invariants)
        self.structure, self.shapes = packing(self.structure, types), shapes_of(types)
        self._check_invariants(flat)

    def _check_invariants(self, flat: Sequence[Tensor]) -> None:
        for tensor, shape in zip(flat, self.shapes, strict=True):
            if not shape.is_compatible_with(tensor.shape):
                raise ValueError(
                    f"{self.name}: a loop variable of shape {tensor.shape} does not fit its "
                    f"shape_invariant {shape}."
                )

    def pack(self, flat: Sequence[Tensor]) -> Any:
        return nest.pack_sequence_as(self.structure, list(flat), expand_composites=True)

    def test(self, count: Tensor, limit: Tensor, *flat: Tensor) -> Tensor:
        self._relax(flat)
        holds: Tensor = convert_to_tensor(self.cond(*self.pack(flat)))
        if holds.shape.rank not in (0, None):
            holds = raw_ops.Reshape(holds, np.zeros(0, np.int32))
        return raw_ops.LogicalAnd(count < limit, holds) if self.bounded else holds

    def step(self, count: Tensor, limit: Tensor, *flat: Tensor) -> list[Tensor]:
        self._relax(flat)
        result = self.body(*self.pack(flat))
        result = list(result) if isinstance(result, list | tuple) else [result]
        nest.assert_same_structure(
            list(self.pack(flat)), result, check_types=False, expand_composites=True
        )
        self.result = result
        leaves = [
            convert_to_tensor(v, dtype_hint=f.dtype)
            for v, f in zip(nest.flatten(result, expand_composites=True), flat, strict=True)
        ]
        for number, (before, after) in enumerate(zip(flat, leaves, strict=True)):
            self._check(before, after, number)
        return [count + 1, limit, *leaves]

    def _relax(self, flat: Sequence[Tensor]) -> None:
        for tensor, shape in zip(flat, self.shapes, strict=True):
            tensor._shape = shape  # type: ignore[attr-defined]

    def _check(self, before: Tensor, after: Tensor, number: int) -> None:
        if before.dtype is not after.dtype:
            raise TypeError(
                f"{self.name}: loop variable {number} enters the loop as {before.dtype.name} and "
                "has become "
                f"{after.dtype.name} after one iteration."
            )
        joint = self.shapes[number].most_specific_compatible_shape(after.shape)
        if joint == self.shapes[number]:
            return
        if not before._from_outside:
            raise ValueError(
                f"{self.name}: loop variable {number} enters the loop with shape "
                f"{self.shapes[number]} and has shape "
                f"{after.shape} after one iteration. Say with shape_invariants which dimensions "
                "may change."
            )
        self.shapes[number] = joint
        self.widened = True

    def _traced(self) -> tuple[FuncGraph, FuncGraph]:
        """The graphs of condition and body; traced again if an iteration widened a shape."""
        self.widened = False
        assert state.graph is not None
        made = state.graph.op_seeds.made
        test = trace(self.test, "cond", self.inputs, within=self.scope)
        step = trace(self.step, "body", self.inputs, within=self.scope)
        if not self.widened:
            return test, step
        state.graph.op_seeds.made = made
        return self._traced()

    def build(self) -> Any:
        test, step = self._traced()
        outputs = emit_loop(
            test, step, self.inputs, limit=1 if self.bounded else -1, name=self.scope
        )
        for output, shape in zip(outputs[2:], self.shapes, strict=True):
            output._shape = shape  # type: ignore[attr-defined]
        results = outputs[2:]
        if not (configuration.control_flow_v2 or outputs[0].graph.building_function):
            results = leaving(results, "Exit")
        packed = self.pack(results)
        know_loop(packed, self.structure, self.result)
        return packed


def _local(tensor: Tensor) -> Tensor:
    return raw_ops.Identity(tensor) if isinstance(tensor, EagerTensor) else tensor


Graph.choose = staticmethod(cond)
