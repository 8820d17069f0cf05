"""What converted code calls: Python's control flow where values are Python's, graph operations for tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.autograph.calls import converted_call as converted_call
from runnel.core import nest
from runnel.core.context import state
from runnel.core.convert import convert_to_tensor
from runnel.core.raw import raw_ops
from runnel.core.shape import TensorShape
from runnel.core.tensor import EagerTensor, Tensor
from runnel.core.variable import Variable
from runnel.graph.control_flow import cond, while_loop
from runnel.graph.subgraphs import trace

State = tuple[Any, ...]
Get = Callable[[], State]
Set = Callable[[State], None]


class Undefined:
    """The value of a variable before anything is assigned to it; using it is an error."""

    def __init__(
        self, name: str, why: str = "it is used before anything is assigned to it"
    ) -> None:
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_why", why)

    def _fail(self, *args: Any, **kwargs: Any) -> Any:
        name, why = object.__getattribute__(self, "_name"), object.__getattribute__(self, "_why")
        raise ValueError(f"{name!r} has no value here: {why}.")

    __tf_tensor__ = _fail

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__") or attribute in ("_dtype", "_type_spec", "_op"):
            raise AttributeError(attribute)
        return self._fail()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __call__ = __getitem__ = _fail
    __truediv__ = __lt__ = __gt__ = __le__ = __ge__ = __iter__ = __bool__ = __len__ = _fail

    def __repr__(self) -> str:
        return f"<undefined {object.__getattribute__(self, '_name')}>"


def is_symbolic(value: Any) -> bool:
    """Whether a value is known only when the graph runs."""
    return isinstance(value, Tensor) and not isinstance(value, EagerTensor)


def if_stmt(
    test: Any,
    then: Callable[[], None],
    other: Callable[[], None],
    get: Get,
    put: Set,
    names: Sequence[str],
) -> None:
    """`if`: both branches are traced when `test` is symbolic."""
    if isinstance(test, Variable) and state.graph is not None:
        test = test.value()
    if not is_symbolic(test):
        (then if test else other)()
        return
    start = get()
    results: list[State] = []

    def branch(body: Callable[[], None]) -> Callable[[], Any]:
        def run() -> Any:
            put(start)
            body()
            results.append(get())
            return _staged(results[-1], results[0], names, "if")

        return run

    outputs = _cond_matching(test, branch(then), branch(other), results, names)
    put(outputs)


def _staged(values: State, first: State, names: Sequence[str], what: str) -> list[Any]:
    """The values that become outputs of a branch: tensors and what can be one."""
    return list(values)


def _cond_matching(
    test: Any, then: Any, other: Any, results: list[State], names: Sequence[str]
) -> State:
    """Trace both branches once to see which variables they make tensors, then build the operation."""
    trace(lambda: _nothing(then()), "then")
    trace(lambda: _nothing(other()), "else")
    first, second = results[0], results[1]
    staged = [_must_stage(a, b, name) for a, b, name in zip(first, second, names, strict=True)]

    def chosen(run: Any, sample: State, rival: State) -> Callable[[], Any]:
        def outputs() -> list[Any]:
            values = run()
            return [
                nest.map_structure(
                    functools.partial(_as_tensor, name=n), _promoted(v, r), expand_composites=False
                )
                for v, r, s, n in zip(values, rival, staged, names, strict=True)
                if s
            ]

        return outputs

    found = iter(cond(test, chosen(then, first, second), chosen(other, second, first)))
    return tuple(
        next(found) if s else _unstaged(a, b, name)
        for s, a, b, name in zip(staged, first, second, names, strict=True)
    )


def _unstaged(a: Any, b: Any, name: str) -> Any:
    """What a variable is after an `if` that did not make it a tensor: nothing, if one branch defines it."""
    for value, branch in ((a, "main"), (b, "else")):
        if isinstance(value, Undefined) and a is not b:
            return Undefined(name, f"it must also be given one in the {branch} branch of the `if`")
    return a


def _promoted(value: Any, rival: Any) -> Any:
    """A Python number takes the dtype of the tensor that the other branch has.

    A result that only one branch returns is zeros in the other, where a flag says that it did not.
    """
    if isinstance(value, Undefined):
        return nest.map_structure(
            lambda t: _zeros(t, "The value returned from inside a loop"), rival
        )
    if isinstance(value, int | float) and isinstance(rival, Tensor):
        return convert_to_tensor(value, dtype_hint=rival.dtype)
    return value


def _nothing(_: Any) -> list[Any]:
    return []


def _must_stage(a: Any, b: Any, name: str) -> bool:
    """Whether a variable must become an output of the operation."""
    if a is b or (isinstance(a, Undefined) and isinstance(b, Undefined)):
        return False
    if name != "ag__result" and (isinstance(a, Undefined) or isinstance(b, Undefined)):
        return False
    for value, rival, branch in ((a, b, "else"), (b, a, "main")):
        if isinstance(rival, Undefined):
            continue
        if value is None and rival is not None:
            raise ValueError(
                f"{name!r} is None in one branch of the `if` and has a value in the {branch} branch."
            )
    if type(a) is type(b) and isinstance(a, int | float | str | bool | bytes) and a == b:
        return False
    return True


def _as_tensor(value: Any, name: str) -> Any:
    if value is None or hasattr(value, "_type_spec"):
        return value
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name!r} differs between the paths through code that runs as a graph, so it must be a tensor, got "
            f"{type(value).__name__}: {value!r}."
        ) from error


def while_stmt(
    test: Callable[[], Any], body: Callable[[], None], get: Get, put: Set, names: Sequence[str]
) -> None:
    """`while`: a loop of the graph when the test is symbolic."""
    if state.graph is None:
        while test():
            body()
        return
    start = get()
    first = test()
    if not is_symbolic(first):
        put(start)
        while first:
            body()
            first = test()
            if is_symbolic(first):
                while_stmt(test, body, get, put, names)
                return
        return
    _stage_loop(test, body, get, put, names)


def _stage_loop(
    test: Callable[[], Any],
    body: Callable[[], None],
    get: Get,
    put: Set,
    names: Sequence[str],
    maximum_iterations: Any = None,
) -> None:
    """Trace a loop over the variables that its body changes."""
    start = list(get())
    after = _dry_run(body, get, put, start)
    varying = [i for i, (a, b) in enumerate(zip(start, after, strict=True)) if _varies(a, b)]
    initial = [_initial(start[i], after[i], names[i]) for i in varying]

    def load(values: Sequence[Any]) -> None:
        full = list(start)
        for i, value in zip(varying, values, strict=True):
            full[i] = value
        put(tuple(full))

    def check(*values: Any) -> Any:
        load(values)
        return test()

    def step(*values: Any) -> list[Any]:
        load(values)
        body()
        now = get()
        return [_next(now[i], before, names[i]) for i, before in zip(varying, values, strict=True)]

    if not initial:
        initial, names = [convert_to_tensor(0)], ["nothing"]
        found = while_loop(
            lambda _: check(),
            lambda n: [step() or n, n][1:],
            initial,
            maximum_iterations=maximum_iterations,
        )
        put(tuple(start))
        return
    found = while_loop(
        check,
        step,
        initial,
        shape_invariants=_invariants(initial, start, after, varying),
        maximum_iterations=maximum_iterations,
    )
    load(found)


def _dry_run(body: Callable[[], None], get: Get, put: Set, start: Sequence[Any]) -> list[Any]:
    """What the variables are after one iteration; what was traced for it is thrown away."""
    seen: list[Any] = []

    def once() -> list[Any]:
        put(
            tuple(
                nest.map_structure(_loosened, v) if not isinstance(v, Undefined) else v
                for v in start
            )
        )
        body()
        seen.extend(get())
        return []

    trace(once, "dry_run")
    put(tuple(start))
    return seen


def _loosened(value: Any) -> Any:
    """A number as a tensor, as it will be inside the loop."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return convert_to_tensor(value) if is_number else value


def _varies(before: Any, after: Any) -> bool:
    if before is after:
        return False
    if isinstance(before, Undefined) and not _is_tensor_nest(after):
        return False
    same = type(before) is type(after) and isinstance(before, bool | str | bytes | type(None))
    return not (same and before == after)


def _is_tensor_nest(value: Any) -> bool:
    if isinstance(value, Undefined):
        return False
    return all(
        isinstance(v, Tensor | int | float | bool | np.ndarray)
        for v in nest.flatten(value, expand_composites=True)
    )


def _initial(before: Any, after: Any, name: str) -> Any:
    """The value with which a variable enters the loop; zeros for one that only the loop defines."""
    if isinstance(before, Undefined):
        return nest.map_structure(lambda t: _zeros(convert_to_tensor(t), name), after)
    if before is None:
        raise ValueError(
            f"{name!r} is None before the loop and becomes a tensor in it: give it a value first."
        )
    return nest.map_structure(lambda a: _entering(a, after, name), before)


def _entering(value: Any, after: Any, name: str) -> Any:
    hint = after.dtype if isinstance(after, Tensor) else None
    if isinstance(value, int | float) and hint is not None and not isinstance(value, bool):
        return convert_to_tensor(value, dtype_hint=hint)
    return _as_tensor(value, name)


def _zeros(tensor: Any, name: str) -> Tensor:
    tensor = convert_to_tensor(tensor)
    dims = tensor.shape._dims
    if dims is None or None in dims:
        raise ValueError(f"{name!r} must be defined before the loop: its shape is not known there.")
    return convert_to_tensor(np.zeros(dims, tensor.dtype.np_dtype))


def _next(value: Any, before: Any, name: str) -> Any:
    if isinstance(value, Undefined):
        raise ValueError(f"{name!r} must be given a value in every iteration of the loop.")
    return nest.map_structure(lambda v: _as_tensor(v, name), value)


def _invariants(
    initial: Sequence[Any], start: Sequence[Any], after: Sequence[Any], varying: Sequence[int]
) -> Any:
    options = _loop_options()
    if not options:
        return None
    shapes = {id(v): s for v, s in options}
    flat = []
    for value, place in zip(initial, varying, strict=True):
        given = shapes.get(id(start[place]))
        flat.append(
            nest.map_structure(lambda t: t.shape, value) if given is None else TensorShape(given)
        )
    return flat


_options: list[Any] = []


def _loop_options() -> list[Any]:
    found = list(_options)
    _options.clear()
    return found


def set_loop_options(shape_invariants: Sequence[Any] | None = None) -> None:
    """Options for the loop whose body runs next."""
    _options.extend(shape_invariants or [])


def for_stmt(
    items: Any,
    test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get: Get,
    put: Set,
    names: Sequence[str],
) -> None:
    """`for`: a loop of the graph over a symbolic tensor, Python's over anything else."""
    if is_symbolic(items):
        _for_tensor(items, test, body, get, put, names)
        return
    if isinstance(items, _TensorRange) and state.graph is not None:
        _for_range(items, test, body, get, put, names)
        return
    staged = getattr(items, "_autograph_for", None)
    if staged is not None and state.graph is not None:
        staged(test, body, get, put, names)
        return
    for item in items:
        if test is not None:
            going = test()
            if is_symbolic(going):
                if_stmt(going, lambda item=item: body(item), lambda: None, get, put, names)
                continue
            if not going:
                break
        body(item)


def _for_tensor(
    items: Tensor, test: Any, body: Any, get: Get, put: Set, names: Sequence[str]
) -> None:
    size = items.shape[0] if items.shape.rank else None
    if items.shape.rank == 0:
        raise ValueError("Cannot iterate over a scalar tensor.")
    count = (
        np.int32(size)
        if size is not None
        else raw_ops.GatherV2(raw_ops.Shape(items), np.int32(0), np.int32(0))
    )
    op = items.op  # type: ignore[attr-defined]
    if op.type == "Range":
        start, _, delta = op.inputs
        _count_loop(
            count,
            lambda i: start + raw_ops.Cast(i, DstT=items.dtype) * delta,
            test,
            body,
            get,
            put,
            names,
        )
    else:
        _count_loop(
            count, lambda i: raw_ops.GatherV2(items, i, np.int32(0)), test, body, get, put, names
        )


class _TensorRange:
    """`range` of tensors."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.values = raw_ops.Range(start, stop, step)


def _for_range(
    items: _TensorRange, test: Any, body: Any, get: Get, put: Set, names: Sequence[str]
) -> None:
    _for_tensor(items.values, test, body, get, put, names)


def _count_loop(
    count: Any,
    item: Callable[[Tensor], Any],
    test: Any,
    body: Any,
    get: Get,
    put: Set,
    names: Sequence[str],
) -> None:
    """A loop over `item(0)`, `item(1)` … with a counter among its variables."""
    counter: list[Any] = [convert_to_tensor(np.int32(0))]

    def get_all() -> State:
        return (counter[0], *get())

    def put_all(values: State) -> None:
        counter[0] = values[0]
        put(tuple(values[1:]))

    def going() -> Any:
        more = counter[0] < count
        return more if test is None else and_(lambda: more, test)

    def step() -> None:
        index = counter[0]
        body(item(index))
        counter[0] = index + 1

    _stage_loop(
        going, step, get_all, put_all, ["the loop counter", *names], maximum_iterations=count
    )


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a and b`: `b` is only computed if `a` holds."""
    left = a()
    if not is_symbolic(left):
        return left and b()
    return cond(left, lambda: _truth(b()), lambda: _truth(left))


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    left = a()
    if not is_symbolic(left):
        return left or b()
    return cond(left, lambda: _truth(left), lambda: _truth(b()))


def _truth(value: Any) -> Tensor:
    return convert_to_tensor(value)


def not_(value: Any) -> Any:
    return raw_ops.LogicalNot(value) if is_symbolic(value) else not value


def if_exp(test: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """`then() if test else other()`."""
    if not is_symbolic(test):
        return then() if test else other()
    return cond(test, then, other)


def assert_stmt(test: Any, message: Callable[[], Any]) -> None:
    """`assert`: at run time for a symbolic test."""
    if not is_symbolic(test):
        if not test:
            raise AssertionError(message())
        return
    raw_ops.Assert(test, [convert_to_tensor(str(message() or "Assertion failed."))])


def set_item(target: Any, index: Any, value: Any) -> Any:
    """`target[index] = value`, giving what `target` is afterwards."""
    if isinstance(target, Tensor):
        return target.at[index].set(value)
    target[index] = value
    return target


def append(target: Any, value: Any) -> Any:
    """`target.append(value)`, giving what `target` is afterwards."""
    grown = target.append(value)
    return target if grown is None else grown
