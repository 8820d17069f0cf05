"""A loop of the graph: its body is traced once, with a placeholder for each changed variable.

Only if that shows that a variable enters with another type than it leaves (a Python number that
becomes a float tensor, a list that grows, a shape that `set_loop_options` declares to vary) is it
traced again.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import convert_to_tensor, emit
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest
from runnel.core.values.shape import TensorShape
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.control.loops import emit_loop
from runnel.graph.control.subgraphs import inside
from runnel.graph.control.varying import kept_types, packing, shapes_of
from runnel.ops.resources.tensor_array import TensorArray, know_loop
from .branches import (
    Get,
    Put,
    State,
    as_tensor,
    as_tensors,
    check_writes,
    checked_test,
    filler,
    fresh,
    read,
    same,
)
from .frames import Frame, frame_of, has_none, is_tensor_nest
from .items import Items
from .lists import grown, refill, stage_list
from .undefined import RESULT, Exposed, Undefined, Unsure, here, spoken, unchecked

_ROUNDS = 5  # more traces of one body than it has leaves; each settles the type of one at least


class _Local(threading.local):
    """The loops whose bodies are being traced, the innermost last."""

    def __init__(self) -> None:
        self.loops: list[GraphLoop] = []


_local = _Local()


def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Say, at the start of a loop's body, which shapes may change and how often it may run at most.

    `parallel_iterations` and `swap_memory` are hints that make no difference here.

    >>> @tf.function
    ... def doubled(x, n):
    ...     for _ in tf.range(n):
    ...         tf.autograph.experimental.set_loop_options(
    ...             shape_invariants=[(x, tf.TensorShape([None]))]
    ...         )
    ...         x = tf.concat([x, x], 0)
    ...     return x
    >>> doubled(tf.constant([1, 2]), tf.constant(2)).shape
    TensorShape([8])
    """
    if not _local.loops:
        return
    if maximum_iterations is not None:
        _local.loops[-1].most = maximum_iterations
    if shape_invariants is not None:
        _local.loops[-1].let_vary(shape_invariants)


def before_loop(compute: Callable[[], Any]) -> Any:
    """What `compute` gives in the graph around the loop whose body is being traced."""
    if not _local.loops:
        return compute()
    with context.building(_local.loops[-1].outer):
        return compute()


class _Var:
    """A variable of a loop: how it enters, and its place holder in the body's graph."""

    def __init__(self, name: str, start: Any, frame: Frame | None = None) -> None:
        self.name = name
        self.frame = frame
        self.start: Any = start if frame is None else frame.moving(start)
        start = self.start
        self.weak = [isinstance(v, int | float) for v in nest.flatten(start)]
        self.entering = as_tensors(start)
        self.leaving = self.entering  # at the end of an iteration, once that is traced
        self.in_place = False  # whether it still is the same container then
        self.leaves = nest.flatten(self.entering, expand_composites=True)
        types = kept_types(self.entering)
        self.shapes = shapes_of(types)
        self.form = packing(self.entering, types)  # what its value is packed as

    def placeholders(self, graph: FuncGraph) -> Any:
        pairs = zip(self.leaves, self.shapes, strict=True)
        self.inside = [graph.add_input(t.dtype, s._dims, "loop_var") for t, s in pairs]
        for tensor, placeholder in zip(self.leaves, self.inside, strict=True):
            placeholder._from_outside = tensor._from_outside
        self.held = self.packed(self.inside)
        return self.held

    def packed(self, leaves: list[Any]) -> Any:
        """The variable's value, made of tensors."""
        value = nest.pack_sequence_as(self.form, leaves, expand_composites=True)
        return value if self.frame is None else self.frame.whole(value)

    def fail(self, error: type[Exception], text: str) -> Exception:
        return error(f"{spoken(self.name)} {text} {here()}")


class _Again(Exception):
    """The body must be traced again, since a variable enters with another type than was thought."""


class GraphLoop:
    """Traces the body and the test of a loop over the variables that the body changes."""

    def __init__(
        self,
        test: Callable[[], Any] | None,
        body: Callable[[Any], Any],
        get: Get,
        put: Put,
        names: Sequence[str],
        items: Items | None = None,
        *,
        begins: bool = True,
        relaxes: bool = False,
    ) -> None:
        self.begins, self.relaxes = begins, relaxes
        self.test, self.body, self.get, self.put, self.names = test, body, get, put, names
        self.items = items
        self.limit: Any = None if items is None else items.count
        self.most: Any = None  # what the user allows, if the loop is not shorter anyway
        self.outer = state.graph
        start = get()
        self.start = [unchecked(value) for value in start]
        self.before = tuple(self.start)
        self.counts = {i: v.counts for i, v in enumerate(start) if isinstance(v, Unsure)}
        self.vars: dict[int, _Var] = {}
        self.renewed: set[int] = set()  # variables of another type than before the loop
        self.widened = False  # whether an iteration gave a variable a wider shape
        for i, value in enumerate(self.start):
            frame = frame_of(value)
            if frame is not None or is_tensor_nest(value):
                self.vars[i] = _Var(names[i], value, frame)

    def build(self) -> None:
        for _ in range(_ROUNDS + len(nest.flatten(self.start))):
            graph = FuncGraph("while_body", outer=state.graph, within="while")
            self.vars = dict(sorted(self.vars.items()))
            try:
                self._trace_body(graph)
            except _Again:
                continue
            break
        else:
            raise TypeError(f"The types of the loop's variables do not settle {here()}.")
        self._emit(graph)

    def _values(self, packed: dict[int, Any]) -> State:
        return tuple(packed.get(i, fresh(value)) for i, value in enumerate(self.start))

    def _trace_body(self, graph: FuncGraph) -> None:
        self.most = None
        _local.loops.append(self)
        try:
            with context.building(graph):
                count = graph.add_input(_INT32, (), "loop_counter")
                limit = graph.add_input(_INT32, (), "maximum_iterations")
                packed = {i: var.placeholders(graph) for i, var in self.vars.items()}
                self.put(self._values(packed))
                self.body(count)
                after = self.get()
                check_writes(after)
                leaves = self._leaving(graph, after)
                graph.outputs = [inside(graph, count + 1), limit, *leaves]
        finally:
            _local.loops.pop()
            self.put(tuple(self.start))

    def let_vary(self, invariants: Any) -> None:
        """Let variables have such shapes: what is traced so far, with others, is thrown away."""
        again = False
        for value, given in invariants:
            for var in self.vars.values():
                if var.held is value or same(var.held, value):
                    types = kept_types(var.entering, given)
                    form = packing(var.entering, types)
                    again = self._relax(var, shapes_of(types), form) or again
                elif any(value is tensor for tensor in var.inside):
                    pairs = zip(var.inside, var.shapes, strict=True)
                    wanted = [TensorShape(given) if t is value else old for t, old in pairs]
                    again = self._relax(var, wanted, var.form) or again
        if again:
            raise _Again

    def _relax(self, var: _Var, wanted: list[TensorShape], form: Any) -> bool:
        for tensor, shape in zip(var.leaves, wanted, strict=True):
            if not shape.is_compatible_with(tensor.shape):
                raise var.fail(
                    ValueError,
                    f"has shape {tensor.shape} before the loop, which does not conform with the "
                    f"shape invariant {shape}.",
                )
        if [s._dims for s in wanted] == [s._dims for s in var.shapes]:
            return False
        var.shapes, var.form = wanted, form
        return True

    def _leaving(self, graph: FuncGraph, after: State) -> list[Any]:
        """The tensors at the end of an iteration, also of variables that only the loop defines."""
        leaves: list[Any] = []
        changed: dict[int, Exception] = {}
        for i, var in sorted(self.vars.items()):
            try:
                leaves += self._next(i, var, after[i])
            except (TypeError, ValueError) as error:
                if not self._is_new(graph, i, after):
                    raise
                changed[i] = error
        if changed:
            self._renew(changed)
        if self.widened:
            self.widened = False
            raise _Again
        for i, value in enumerate(after):
            if i in self.vars or same(value, self.start[i]):
                continue
            leaves += self._defined_inside(graph, i, value)
        return [inside(graph, leaf) for leaf in leaves]

    def _is_new(self, graph: FuncGraph, i: int, after: State) -> bool:
        """Whether every iteration gives a variable a value before anything reads it."""
        name = self.vars[i].name
        if name.startswith("ag__") or not name.isidentifier():
            return False
        ids = {t._id for t in self.vars[i].inside}
        others = [value for place, value in enumerate(after) if place != i]
        kept = nest.flatten([v for v in others if is_tensor_nest(v)], expand_composites=True)
        read = [t for operation in graph.get_operations() for t in operation.inputs]
        return not any(getattr(t, "_id", None) in ids for t in (*read, *kept))

    def _renew(self, changed: dict[int, Exception]) -> None:
        """Let variables be of other types than before the loop; after it they are undefined."""
        for i, error in changed.items():
            name = self.vars.pop(i).name
            self.renewed.add(i)
            why = str(error).removeprefix(f"{spoken(name)} ")
            self.start[i] = Undefined(name, why, type(error))
        raise _Again

    def _next(self, i: int, var: _Var, value: Any) -> list[Any]:
        """A variable's tensors after an iteration, which must be of the types it entered with."""
        if isinstance(value, Undefined):
            why = value._why or f"must be given a value in every iteration {here()}."
            raise value._error(f"{spoken(var.name)} {why}")
        in_place = value is var.held
        if var.frame is not None:
            if in_place:
                self._begin_container(i, value)
            value = self._framed(var, var.frame, value)
        if grown(var.start, value):
            with context.building(self.outer):
                self.vars[i] = _Var(var.name, stage_list(var.start, value))
            self.start[i] = self.vars[i].start
            raise _Again
        if in_place and _has_more_keys(value, var.start):
            self._add_keys(i, var, value)
        if value is None:
            raise var.fail(ValueError, "is None at the end of an iteration.")
        try:
            ready = as_tensors(value, var.entering)
        except TypeError as error:
            raise TypeError(f"{spoken(var.name)} {error}") from error
        try:
            nest.assert_same_structure(var.entering, ready, expand_composites=True)
        except (TypeError, ValueError) as error:
            text = f"does not have the same nested structure after one iteration. {error}"
            raise var.fail(TypeError, text) from None
        var.leaving, var.in_place = ready, in_place
        leaves: list[Any] = nest.flatten(ready, expand_composites=True)
        for place, leaf in enumerate(leaves):
            self._check(i, var, place, leaf)
        return leaves

    def _framed(self, var: _Var, frame: Frame, value: Any) -> list[Any]:
        """The part that the graph carries of a container that was changed in place."""
        if value is not var.held:
            text = "changes in a loop of the graph, so all in it must be tensors"
            raise var.fail(ValueError if has_none(var.held) else _error_for(value), text)
        try:
            return frame.moving(value)
        except (TypeError, ValueError) as error:
            raise var.fail(TypeError, f"{error}") from None

    def _check(self, i: int, var: _Var, place: int, leaf: Tensor) -> None:
        entering, shape = var.leaves[place], var.shapes[place]
        if leaf.dtype is not entering.dtype:
            if len(var.weak) == len(var.leaves) and var.weak[place] and _widens(entering, leaf):
                self._retype(i, var, place, leaf)
            raise var.fail(
                TypeError,
                f"has dtype {entering.dtype.name} before the loop, but dtype {leaf.dtype.name} "
                "after one iteration",
            )
        joint = shape.most_specific_compatible_shape(leaf.shape)
        if joint._dims != shape._dims:
            if self._may_widen(var, entering):
                var.shapes[place] = joint
                self.widened = True
                return
            raise var.fail(
                ValueError,
                f"has shape {shape} before the loop, but shape {leaf.shape} after one iteration. "
                "Use tf.autograph.experimental.set_loop_options to set shape invariants.",
            )

    def _may_widen(self, var: _Var, entering: Tensor) -> bool:
        """Whether a variable may get another shape; what a function returns is zeros until then."""
        return self.relaxes or var.name == RESULT or entering._from_outside

    def _retype(self, i: int, var: _Var, place: int, leaf: Tensor) -> None:
        """Let a Python number enter with the dtype that the loop gives it."""
        values = nest.flatten(var.start)
        with context.building(self.outer):
            values[place] = convert_to_tensor(values[place], dtype=leaf.dtype)
            start = nest.pack_sequence_as(var.start, values)
            whole = start if var.frame is None else var.frame.whole(start)
            self.vars[i] = _Var(var.name, whole, var.frame)
        raise _Again

    def _add_keys(self, i: int, var: _Var, value: dict[Any, Any]) -> NoReturn:
        """A dict to which the loop adds keys enters with zeros there, which nothing reads."""
        added = {k: as_tensors(v) for k, v in value.items() if k not in var.start}
        with context.building(self.outer):
            zeros = {k: nest.map_structure(filler, v) for k, v in added.items()}
            self.start[i] = {**var.start, **zeros}
            self.vars[i] = made = _Var(var.name, self.start[i])
        wanted = nest.flatten({**made.entering, **added}, expand_composites=True)
        made.shapes = [t.shape for t in wanted]
        raise _Again

    def _defined_inside(self, graph: FuncGraph, i: int, value: Any) -> list[Any]:
        """A variable that only the loop gives a value: it enters as zeros, which nothing reads."""
        name, before = self.names[i], self.start[i]
        if i in self.renewed:
            return []
        if not isinstance(before, Undefined):
            self._begin_container(i, value)
        if not isinstance(before, Undefined | Variable) and has_none(before):
            self._check_none(i, value)
        if isinstance(value, Undefined) or not is_tensor_nest(value):
            if not isinstance(before, Undefined):
                self._give_up(i, value)
            self.start[i] = _kept_inside(name, value)
            return []
        if isinstance(before, Variable):
            self._read_before(i, before)
        ready = as_tensors(value)
        with context.building(self.outer):
            self.vars[i] = var = _Var(name, nest.map_structure(filler, ready))
        if _is_checked(name):
            self.counts[i] = ()
        leaves: list[Any] = nest.flatten(ready, expand_composites=True)
        var.shapes = [leaf.shape for leaf in leaves]
        if before is None:
            raise _Again
        var.entering = var.leaving = ready  # the zeros would say too much of its type
        var.placeholders(graph)
        return leaves

    def _begin_container(self, i: int, value: Any) -> None:
        """A list or dict enters with zeros where it holds None and an iteration puts a tensor."""
        with context.building(self.outer):
            begun = _with_zeros(self.start[i], value)
            if begun is None:
                return
            self.start[i] = begun
            if is_tensor_nest(begun) or frame_of(begun) is not None:
                self.vars[i] = _Var(self.names[i], begun, frame_of(begun))
        raise _Again

    def _check_none(self, i: int, value: Any) -> None:
        """None may become tensors: the body is traced again with zeros of them, as TensorFlow does.

        Nothing else may hold None, nor anything that becomes something else.
        """
        before = self.start[i]
        ready = before is None and is_tensor_nest(value) and not _has_array(value)
        if ready and self.begins:
            return
        what = "None" if before is None else f"{before!r}, which holds None,"
        why = f"is not allowed to be {what} before the loop {here()}."
        if not self.names[i].isidentifier():
            raise ValueError(f"{spoken(self.names[i])} {why}")
        self.start[i] = Undefined(self.names[i], why, ValueError)
        if not ready:
            self.renewed.add(i)
        raise _Again

    def _read_before(self, i: int, before: Variable) -> NoReturn:
        """Let a `tf.Variable` in whose place the loop puts a tensor enter as its value."""
        with context.building(self.outer):
            self.start[i] = before.value()
            self.vars[i] = _Var(self.names[i], self.start[i])
        raise _Again

    def _give_up(self, i: int, value: Any) -> NoReturn:
        """Let a variable that no graph can hold be undefined until an iteration assigns it."""
        why = (
            "changes in a loop of the graph, so it must be a tensor, got "
            f"{type(value).__name__}: {value!r} {here()}."
        )
        error = _error_for(value)
        if not self.names[i].isidentifier() or isinstance(value, Undefined):
            raise error(f"{spoken(self.names[i])} {why}")
        self.start[i] = Undefined(self.names[i], why, error)
        self.renewed.add(i)
        raise _Again

    def _emit(self, body: FuncGraph) -> None:
        order = list(self.vars.items())
        limits = [raw_ops.Cast(n, DstT=np.int32) for n in (self.limit, self.most) if n is not None]
        self.limit = functools.reduce(raw_ops.Minimum, limits) if limits else None
        flat = [leaf for _, var in order for leaf in var.leaves]
        assert state.graph is not None
        with state.graph.name_scope("while") as scope:
            count = emit(np.array(0, np.int32), "loop_counter")
            most = emit(np.array(-1, np.int32), "maximum_iterations") if not limits else self.limit
            inputs = [count, most, *map(_local_copy, flat)]
        shapes = [TensorShape([]), TensorShape([]), *[s for _, var in order for s in var.shapes]]
        test = FuncGraph("while_cond", outer=state.graph, within=scope)
        try:
            with context.building(test):
                count = test.add_input(_INT32, (), "loop_counter")
                most = test.add_input(_INT32, (), "maximum_iterations")
                packed = {i: var.placeholders(test) for i, var in order}
                self.put(self._values(packed))
                test.outputs = [inside(test, self._going(count, most))]
        finally:
            self.put(tuple(self.start))
        place = -1 if self.limit is None else 1
        outputs = emit_loop(test, body, inputs, limit=place, name=scope)
        for output, shape in zip(outputs, shapes, strict=True):
            output._shape = shape  # type: ignore[attr-defined]
        rest = iter(outputs[2:])
        found = {}
        for i, var in order:
            leaves = [next(rest) for _ in var.leaves]
            found[i] = nest.pack_sequence_as(var.entering, leaves, expand_composites=True)
            know_loop(found[i], var.entering, var.leaving)
            if var.frame is not None:
                found[i] = var.frame.whole(found[i])
            if var.in_place:
                found[i] = refill(self.before[i], found[i])
        if not self._surely_runs():
            for i in self.counts.keys() & found.keys():
                found[i] = Unsure(self.names[i], found[i], (*self.counts[i], outputs[0]))
        self.put(tuple(found.get(i, value) for i, value in enumerate(self.start)))

    def _surely_runs(self) -> bool:
        """Whether there is an iteration, or nobody looks, as in a loop inside another."""
        count = None if self.items is None or self.most is not None else self.items.known_count()
        return bool(count) or bool(_local.loops)

    def _going(self, count: Tensor, most: Tensor) -> Tensor:
        holds = None if self.test is None else convert_to_tensor(read(self.test()))
        if holds is not None:
            holds = checked_test(holds, "while loop")
        if self.limit is None:
            assert holds is not None
            return holds
        more = count < most
        return more if holds is None else raw_ops.LogicalAnd(more, holds)


def _error_for(value: Any) -> type[Exception]:
    """What TensorFlow raises about a value that no loop can carry."""
    return ValueError if has_none(value) else TypeError


def _has_array(value: Any) -> bool:
    return any(isinstance(leaf, TensorArray) for leaf in nest.flatten(value))


def _has_more_keys(value: Any, before: Any) -> bool:
    return type(value) is dict and type(before) is dict and value.keys() > before.keys()


def _kept_inside(name: str, value: Any) -> Undefined:
    """What a variable is after the loop that gave it a value which no graph can carry."""
    if isinstance(value, Undefined):
        return value
    kind = type(value).__name__
    return Undefined(name, f"is defined in a loop of the graph, and is no tensor: {kind} {here()}.")


def _is_checked(name: str) -> bool:
    """Whether converted code asks `ld` for a variable that may have no value."""
    return not isinstance(name, Exposed) and name != RESULT and name.isidentifier()


def _with_zeros(before: Any, after: Any) -> Any:
    """A list or dict with zeros where it holds None and an iteration puts tensors; else None."""
    if not isinstance(before, list | dict):
        return None
    try:
        nest.assert_same_structure(before, after)
    except (TypeError, ValueError):
        return None
    pairs = list(zip(nest.flatten(before), nest.flatten(after), strict=True))
    set_ = [old is None and is_tensor_nest(new) for old, new in pairs]
    leaves = [filler(as_tensor(p[1])) if z else p[0] for p, z in zip(pairs, set_, strict=True)]
    return nest.pack_sequence_as(before, leaves) if any(set_) else None


_INT32 = convert_to_tensor(np.int32(0)).dtype


def _local_copy(tensor: Tensor) -> Tensor:
    return raw_ops.Identity(tensor) if isinstance(tensor, EagerTensor) else tensor


def _widens(before: Tensor, after: Tensor) -> bool:
    return not (before.dtype.is_floating and after.dtype.is_integer) and after.dtype.name not in (
        "bool",
        "string",
    )
