"""`if`, conditional expressions, `and`, `or`, `not` and comparisons: Python's, or the graph's."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.autograph.frames import frame_of, has_none
from runnel.autograph.items import is_symbolic
from runnel.autograph.lists import grown, refill, stage_list
from runnel.autograph.undefined import RESULT, Undefined, here, unchecked
from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.control.subgraphs import set_outputs, trace, without_operations
from runnel.graph.functions.control_flow import as_scalar, cond, emit_branches, may_be_scalar
from runnel.graph.run.effects import has_effects
from runnel.ops.resources.tensor_array import TensorArray

State = tuple[Any, ...]
Get = Callable[[], State]
Put = Callable[[State], None]
_BRANCHES = ("main", "else")


def read(value: Any) -> Any:
    """A variable's value while tracing; anything else as it is."""
    return value.value() if isinstance(value, Variable) and state.graph is not None else value


def checked_test(test: Tensor, statement: str) -> Tensor:
    """The condition of a statement, which must be a boolean of one element, as a scalar."""
    if test.dtype.name == "bool" and may_be_scalar(test):
        return as_scalar(test)
    hint = " Use tf.cast, or compare it." if test.dtype.name != "bool" else ""
    raise ValueError(
        f"condition of {statement} expected to be `tf.bool` scalar, got {test}.{hint} To check for "
        f"None, use `is not None` {here()}."
    )


def if_stmt(
    test: Any,
    then: Callable[[], None],
    other: Callable[[], None],
    get: Get,
    put: Put,
    names: Sequence[str],
) -> None:
    """`if`: both branches are traced when `test` is symbolic."""
    test = read(test)
    if not is_symbolic(test):
        (then if test else other)()
        return
    test = checked_test(test, "if statement")
    start = get()
    graphs: list[FuncGraph] = []
    ends: list[State] = []
    copies = [tuple([fresh(value) for value in start]) for _ in _BRANCHES]
    for body, label, copied in zip((then, other), ("then", "else"), copies, strict=True):
        put(copied)
        graphs.append(trace(lambda body=body: body() or [], f"if_{label}", within="cond"))
        with context.building(graphs[-1]):
            ends.append(without_operations(get(), test))
            check_writes(ends[-1])
    merged = list(_merged(test, graphs, start, ends, names))
    for i, before in enumerate(start):
        if all(copied[i] is end[i] for copied, end in zip(copies, ends, strict=True)):
            merged[i] = merged[i] if merged[i] is before else refill(before, merged[i])
    put(tuple(merged))


def fresh(value: Any) -> Any:
    """Containers anew, so that a branch or a loop does not change those of the code before it."""
    return nest.map_structure(lambda leaf: leaf, value) if nest.is_nested(value) else value


def check_writes(values: State) -> None:
    """Complain about a `tf.TensorArray` that was written to, and the result dropped."""
    for value in nest.flatten(list(values)):
        if isinstance(value, TensorArray):
            value._used()


def _merged(
    test: Tensor,
    graphs: Sequence[FuncGraph],
    start: State,
    ends: Sequence[State],
    names: Sequence[str],
) -> State:
    """The variables after the `if`: outputs of an operation where the branches differ."""
    merged: list[Any] = []
    staged: list[int] = []
    rebuild: dict[int, Callable[[Any], Any]] = {}
    columns: list[list[Any]] = [[], []]
    for i, (name, before) in enumerate(zip(names, start, strict=True)):
        found = _joined(name, before, [end[i] for end in ends], graphs)
        if isinstance(found, Undefined) and found._why and not name.isidentifier():
            found.fail()  # nobody would be asked when an attribute or element is read
        if isinstance(found, _Staged):
            staged.append(i)
            rebuild[i] = found.rebuild
            for column, value in zip(columns, found.values, strict=True):
                column.append(value)
            found = None
        merged.append(found)
    if staged or any(has_effects(graph) for graph in graphs):
        for graph, column in zip(graphs, columns, strict=True):
            with context.building(graph):
                set_outputs(graph, column)
        results = emit_branches(test, graphs[::-1], "cond")
        for i, result in zip(staged, results, strict=True):
            merged[i] = rebuild[i](result)
    return tuple(merged)


class _Staged:
    """A variable that becomes an output of the operation, with its value in each branch."""

    def __init__(self, values: list[Any], rebuild: Callable[[Any], Any]) -> None:
        self.values = values
        self.rebuild = rebuild  # the variable from what the operation returns


def _joined(name: str, before: Any, ends: list[Any], graphs: Sequence[FuncGraph]) -> Any:
    """What a variable is after the `if`: a Python value, `_Staged`, or Undefined."""
    a, b = ends
    if same(a, b):
        return before if same(a, before) else a
    before, ends = unchecked(before), [unchecked(end) for end in ends]
    if any(grown(before, end) for end in ends) and not _equally_long(ends):
        ends = _grown_lists(before, ends, graphs)
    missing = [i for i, end in enumerate(ends) if isinstance(end, Undefined)]
    if missing and name != RESULT:
        if len(missing) == 2:
            return a
        why = f"must also be initialized in the {_BRANCHES[missing[0]]} branch {here()}."
        return Undefined(name, why)
    if missing:
        known = ends[1 - missing[0]]
        if known is None:
            return None
        ends[missing[0]] = _Filler(known)  # never read: a flag says that nothing was returned
    for branch, end in zip(_BRANCHES, ends, strict=True):
        if end is None:
            return Undefined(name, _none_in(name, branch))
    frame = frame_of(ends[0])
    try:
        if frame is not None:
            ends = [frame.moving(end) for end in ends]
        values = _converted(name, ends, graphs)
        return _Staged(values, (lambda result: result) if frame is None else frame.whole)
    except (TypeError, ValueError) as error:
        return Undefined(name, f"{error}", ValueError if has_none(ends) else type(error))


def _equally_long(ends: list[Any]) -> bool:
    return all(isinstance(end, list) for end in ends) and len(ends[0]) == len(ends[1])


def _grown_lists(before: list[Any], ends: list[Any], graphs: Sequence[FuncGraph]) -> list[Any]:
    """A list to which a branch appended, in both branches as one whose length may differ."""
    longest = next((e for e in ends if not isinstance(e, list)), None) or max(ends, key=len)
    base = stage_list(before, longest)
    found = []
    for end, graph in zip(ends, graphs, strict=True):
        with context.building(graph):
            made = base
            for value in end[len(before) :] if isinstance(end, list) else ():
                made = made.appended(value)
            found.append(made if isinstance(end, list) else end)
    return found


def _none_in(name: str, branch: str) -> str:
    if name == RESULT:
        other = "else" if branch == "main" else "main"
        missing = f"the {branch} branch must also have a return statement, as the {other} has"
        return f"is None: {missing} {here()}."
    return f"is None at the end of the {branch} branch {here()}."


class _Filler:
    def __init__(self, like: Any) -> None:
        self.like = like


def same(a: Any, b: Any) -> bool:
    """Whether two values are alike while tracing: identical leaves, or equal constants."""
    if a is b:
        return True
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return isinstance(a, Undefined) and isinstance(b, Undefined) and a._why == b._why
    if nest.is_nested(a) and nest.is_nested(b):
        try:
            nest.assert_same_structure(a, b)
        except (TypeError, ValueError):
            return False
        pairs = zip(nest.flatten(a), nest.flatten(b), strict=True)
        return all(same(x, y) for x, y in pairs)
    plain = isinstance(a, int | float | str | bytes) and type(a) is type(b)
    return plain and a == b


def _converted(name: str, ends: list[Any], graphs: Sequence[FuncGraph]) -> list[Any]:
    """The values in both branches as tensors of one structure, dtype by dtype."""
    found = []
    for end, rival, graph in zip(ends, ends[::-1], graphs, strict=True):
        with context.building(graph):
            if isinstance(end, _Filler):
                found.append(nest.map_structure(filler, end.like))
            else:
                rival = rival.like if isinstance(rival, _Filler) else rival
                found.append(as_tensors(end, rival))
    first, second = found
    try:
        nest.assert_same_structure(first, second, expand_composites=True)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "does not have the same nested structure in the main and else branches "
            f"{here()}. {error}"
        ) from None
    for x, y in zip(*[nest.flatten(f, expand_composites=True) for f in found], strict=True):
        if x.dtype is not y.dtype:
            raise TypeError(
                f"has dtype {x.dtype.name} in the main branch, but dtype {y.dtype.name} in the "
                f"else branch {here()}."
            )
    return found


def as_tensors(value: Any, like: Any = None) -> Any:
    """A nest with tensors for its leaves; a number takes the dtype of the tensor in `like`."""
    if nest.is_nested(value):
        try:
            nest.assert_same_structure(value, like)
        except (TypeError, ValueError):
            return nest.map_structure(as_tensor, value)
        return nest.map_structure(as_tensor, value, like)
    return as_tensor(value, like)


def as_tensor(value: Any, like: Any = None) -> Any:
    if hasattr(value, "_type_spec") and not isinstance(value, Tensor | Variable):
        return _held(value)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    hint = like.dtype if number and isinstance(like, Tensor) else None
    try:
        return convert_to_tensor(value, dtype_hint=hint)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "depends on a tensor's value, so it must be a tensor itself, got "
            f"{type(value).__name__}: {value!r} {here()}."
        ) from error


def _held(value: Any) -> Any:
    """A composite value; a dataset, which may hold tensors of this branch, as one it has made."""
    if not hasattr(value, "_variant_tensor"):
        return value
    spec = value._type_spec
    return spec.from_tensors(iter(spec.to_tensors(value)))


def filler(like: Any) -> Any:
    """Zeros in the place of a tensor that is not computed on this path."""
    if isinstance(like, SparseTensor) and like.shape.rank is not None:
        sizes = np.array([d or 0 for d in like.shape], np.int64)
        return SparseTensor(filler(like.indices), filler(like.values), sizes)
    if hasattr(like, "_type_spec") and not isinstance(like, Tensor | Variable):
        spec = like._type_spec
        return spec._from_components(nest.map_structure(filler, spec._to_components(like)))
    tensor = convert_to_tensor(like)
    dims = tuple(0 if d is None else d for d in tensor.shape._dims or ())
    if tensor.dtype.name == "string":
        return convert_to_tensor(np.full(dims, b"", object))
    if tensor.dtype.name == "variant":
        any_shape = np.int32(-1)
        return raw_ops.EmptyTensorList(any_shape, any_shape, element_dtype="float32")
    return convert_to_tensor(np.zeros(dims, tensor.dtype.np_dtype))


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a and b`: `b` is only computed if `a` holds."""
    left = read(a())
    if not is_symbolic(left):
        return left and b()
    return cond(left, b, lambda: left)


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a or b`: `b` is only computed if `a` does not hold."""
    left = read(a())
    if not is_symbolic(left):
        return left or b()
    return cond(left, lambda: left, b)


def not_(value: Any) -> Any:
    value = read(value)
    return raw_ops.LogicalNot(value) if is_symbolic(value) else not value


def if_exp(test: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """`then() if test else other()`."""
    test = read(test)
    if not is_symbolic(test):
        return then() if test else other()
    return cond(checked_test(test, "conditional expression"), then, other)


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
}


def compare(left: Any, *rest: tuple[str, Callable[[], Any]]) -> Any:
    """`left < b < c …`: every operand is computed once at most, from left to right."""
    (name, operand), *others = rest
    right = operand()
    result = _COMPARISONS[name](left, right)
    return and_(lambda: result, lambda: compare(right, *others)) if others else result


def assert_stmt(test: Any, message: Callable[[], Any]) -> None:
    """`assert`: at run time for a symbolic test."""
    test = read(test)
    if is_symbolic(test):
        text = message()
        if text is None:
            text = "Assertion failed."
        parts = text if isinstance(text, list | tuple) else [text]
        raw_ops.Assert(test, [convert_to_tensor(part) for part in parts])
    elif not test:
        text = message()
        raise AssertionError() if text is None else AssertionError(text)
