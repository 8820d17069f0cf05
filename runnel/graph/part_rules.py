"""What primitives of JAX give if some of their arguments are parts of a batch (`parts.py`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from runnel.core.types import Array
from runnel.core.xla import jax, jnp, lax
from runnel.graph.parts import SUM, WHOLE, Batch, Found, Part, Rows, all_known, rule
from runnel.ops.primitives import reduce_axes


def _the_kind(parts: Sequence[Part]) -> Any:
    """The one kind that parts have besides `WHOLE`; None if there are several."""
    kinds = {part.kind for part in parts} - {WHOLE}
    return kinds.pop() if len(kinds) == 1 else None


def _bound(equation: Any, kind: Any, values: Sequence[Array], **changed: Any) -> Found:
    """The results of the primitive itself, with some parameters changed."""
    found = equation.primitive.bind(*values, **{**equation.params, **changed})
    several = equation.primitive.multiple_results
    return [Part(kind, value) for value in (found if several else [found])]


_EACH = """abs and atan2 bitcast_convert_type cbrt ceil clamp convert_element_type copy cos cosh eq
erf erf_inv erfc exp exp2 expm1 floor ge gt integer_pow is_finite le log log1p logistic lt max min
mul ne neg nextafter not or pow rem round rsqrt select_n shift_left
shift_right_arithmetic shift_right_logical sign sin sinh sqrt square stop_gradient tan tanh xor
add sub div""".split()
_LINEAR = frozenset("add sub neg convert_element_type copy".split())
_SCALING = ("mul", [SUM, WHOLE]), ("mul", [WHOLE, SUM]), ("div", [SUM, WHOLE])


@rule(*_EACH)
def _each(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    """A function of each element."""
    kind, name = _the_kind(parts), equation.primitive.name
    if kind is SUM:
        if (name, [part.kind for part in parts]) in _SCALING:
            return _bound(equation, SUM, [part.value for part in parts])
        if name == "select_n" and parts[0].kind is WHOLE:
            cases = batch.all_as(parts[1:], SUM)
            return None if cases is None else _bound(equation, SUM, [parts[0].value, *cases])
        if name not in _LINEAR or not _is_real(equation):
            return None
    values = None if kind is None else batch.all_as(parts, kind)
    return None if values is None else _bound(equation, kind, values)


@rule("optimization_barrier")
def _barrier(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    found = equation.primitive.bind(*[part.value for part in parts], **equation.params)
    return [Part(part.kind, value) for part, value in zip(parts, found, strict=True)]


def _is_real(equation: Any) -> bool:
    """Whether a primitive takes and gives floats or complex numbers, as a sum may have them."""
    return all(
        jnp.issubdtype(v.aval.dtype, jnp.inexact) for v in (*equation.invars, *equation.outvars)
    )


@rule("broadcast_in_dim")
def _broadcast(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    (kind, x), places = parts[0], equation.params["broadcast_dimensions"]
    shape = equation.params["shape"]
    if isinstance(kind, Rows):
        axis = places[kind.axis]
        if shape[axis] != batch.count * x.shape[kind.axis]:
            return None
        kind = Rows(axis, kind.before)
    return _bound(equation, kind, [x], shape=batch.shape(shape, kind))


@rule("reshape")
def _reshape(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    (kind, x), shape = parts[0], equation.params["new_sizes"]
    if equation.params["dimensions"] is not None:
        return None
    if isinstance(kind, Rows):
        kind = _found_again(equation.invars[0].aval.shape, kind, shape, batch.rows)
    return None if kind is None else [Part(kind, x.reshape(batch.shape(shape, kind)))]


def _found_again(old: Sequence[int], kind: Rows, new: Sequence[int], rows: int) -> Rows | None:
    """Where the rows lie in another shape, if they lie inside one axis."""
    outer = math.prod(old[: kind.axis]) * kind.before  # places before the rows, in memory
    for axis, size in enumerate(new):
        before, rest = divmod(outer, math.prod(new[:axis]) or 1)
        if not rest and before and size % (before * rows) == 0 and size:
            return Rows(axis, before)
    return None


@rule("squeeze")
def _squeeze(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    (kind, x), gone = parts[0], equation.params["dimensions"]
    return _bound(equation, _without(kind, gone), [x])


def _without(kind: Any, gone: Sequence[int]) -> Any:
    """The kind after some other axes have gone."""
    if not isinstance(kind, Rows):
        return kind
    return Rows(kind.axis - sum(axis < kind.axis for axis in gone), kind.before)


@rule("transpose")
def _transpose(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    kind, x = parts[0]
    if isinstance(kind, Rows):
        kind = Rows(equation.params["permutation"].index(kind.axis), kind.before)
    return _bound(equation, kind, [x])


@rule("rev")
def _rev(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    kind, x = parts[0]
    within = isinstance(kind, Rows) and kind.axis in equation.params["dimensions"]
    return None if within else _bound(equation, kind, [x])


@rule("slice")
def _slice(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    (kind, x), p = parts[0], equation.params
    limits = p["limit_indices"]
    if isinstance(kind, Rows):
        whole = equation.invars[0].aval.shape[kind.axis]
        strides = p["strides"] or [1] * x.ndim
        taken = p["start_indices"][kind.axis], limits[kind.axis], strides[kind.axis]
        if taken != (0, whole, 1):
            return None
        limits = batch.shape(limits, kind)
    return _bound(equation, kind, [x], limit_indices=limits)


@rule("dynamic_slice")
def _dynamic_slice(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    (kind, x), *starts = parts
    sizes = equation.params["slice_sizes"]
    if any(start.kind is not WHOLE for start in starts):
        return None
    if isinstance(kind, Rows) and sizes[kind.axis] != equation.invars[0].aval.shape[kind.axis]:
        return None
    values = [x, *[start.value for start in starts]]
    return _bound(equation, kind, values, slice_sizes=batch.shape(sizes, kind))


@rule("dynamic_update_slice")
def _dynamic_update_slice(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    whole, new = (equation.invars[i].aval.shape for i in (0, 1))
    kind = _the_kind(parts[:2])
    if kind is None or any(start.kind is not WHOLE for start in parts[2:]):
        return None
    if isinstance(kind, Rows) and whole[kind.axis] != new[kind.axis]:
        return None
    values = batch.all_as(parts[:2], kind)
    if values is None:
        return None
    return _bound(equation, kind, [*values, *[start.value for start in parts[2:]]])


@rule("concatenate")
def _concatenate(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    kind = _the_kind(parts)
    if kind is None or (isinstance(kind, Rows) and kind.axis == equation.params["dimension"]):
        return None
    values = batch.all_as(parts, kind)
    return None if values is None else _bound(equation, kind, values)


@rule("stack")
def _stack(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    kind, axis = _the_kind(parts), equation.params["axis"]
    values = None if kind is None else batch.all_as(parts, kind)
    if isinstance(kind, Rows):
        kind = Rows(kind.axis + (axis <= kind.axis), kind.before)
    return None if values is None else _bound(equation, kind, values)


@rule("split")
def _split(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    kind, x = parts[0]
    along = isinstance(kind, Rows) and kind.axis == equation.params["axis"]
    return None if along else _bound(equation, kind, [x])


@rule("pad")
def _pad(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    (kind, x), (filling, zero) = parts
    if not isinstance(kind, Rows) or filling is not WHOLE:
        return None
    padded = any(equation.params["padding_config"][kind.axis])
    return None if padded else _bound(equation, kind, [x, zero])


@rule("reduce_sum")
def _reduce_sum(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    (kind, x), axes = parts[0], equation.params["axes"]
    if isinstance(kind, Rows) and kind.axis in axes:
        return [Part(SUM, reduce_axes(jnp, "sum", x, axes))] if _is_real(equation) else None
    return _bound(equation, _without(kind, axes), [x])


@rule("reduce_max", "reduce_min", "reduce_prod", "reduce_and", "reduce_or", "argmax", "argmin")
def _reduce(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    (kind, x), axes = parts[0], equation.params["axes"]
    if kind is SUM or kind.axis in axes:
        return None
    return _bound(equation, _without(kind, axes), [x])


@rule("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")
def _cumulate(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    kind, x = parts[0]
    along = kind is SUM or kind.axis == equation.params["axis"]
    return None if along else _bound(equation, kind, [x])


@rule("dot_general")
def _dot_general(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    return _product(batch, equation, parts, *equation.params["dimension_numbers"])


@rule("large_product")
def _large_product(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    rank = parts[0].value.ndim
    sides = (
        (rank - 2 if equation.params["transpose_a"] else rank - 1,),
        (rank - 1 if equation.params["transpose_b"] else rank - 2,),
    )
    leading = tuple(range(rank - 2))
    return _product(batch, equation, parts, sides, (leading, leading))


def _product(batch: Batch, equation: Any, parts: list[Part], summed: Any, leading: Any) -> Found:
    """A product; `summed` and `leading` are pairs of lists of axes that belong together."""
    side = 0 if isinstance(parts[0].kind, Rows) else 1
    kind, other = parts[side].kind, parts[1 - side]
    if kind is SUM or other.kind is SUM:
        both = {kind, other.kind} == {SUM, WHOLE}
        return _bound(equation, SUM, [p.value for p in parts]) if both else None
    axis = kind.axis
    for axes in (summed, leading):
        if axis in axes[side]:
            place = list(axes[side]).index(axis)
            same = batch.as_kind(other, Rows(axes[1 - side][place], kind.before))
            if same is None:
                return None
            values = [p.value for p in (same if p is other else p for p in parts)]
            found = SUM if axes is summed else Rows(place, kind.before)
            return _bound(equation, found, values)
    if other.kind is not WHOLE:
        return None
    free = [
        [a for a in range(p.value.ndim) if a not in (*summed[i], *leading[i])]
        for i, p in enumerate(parts)
    ]
    place = len(leading[0]) + side * len(free[0]) + free[side].index(axis)
    return _bound(equation, Rows(place, kind.before), [p.value for p in parts])


@rule("large_convolution")
def _convolution(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    (kind, x), (of_filter, f) = parts
    fine = kind == Rows(0, 1) and of_filter is WHOLE
    return _bound(equation, kind, [x, f]) if fine else None


@rule("conv_general_dilated")
def _general_convolution(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    """A convolution of each row, or, as a filter's gradient is, one that adds up over the batch."""
    (kind, x), f = parts
    numbers, p = equation.params["dimension_numbers"], equation.params
    if p["batch_group_count"] != 1:
        return None
    if kind == Rows(numbers.lhs_spec[0], 1) and f.kind is WHOLE:
        return _bound(equation, Rows(numbers.out_spec[0], 1), [x, f.value])
    if kind != Rows(numbers.lhs_spec[1], 1) or p["feature_group_count"] != 1:
        return None
    same = batch.as_kind(f, Rows(numbers.rhs_spec[1], 1))
    return None if same is None else _bound(equation, SUM, [x, same.value])


@rule("reduce_window_max", "reduce_window_min", "reduce_window_sum")
def _reduce_window(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    (kind, x), p = parts[0], equation.params
    if kind is SUM:
        return None
    alone = p["window_dimensions"][kind.axis] == 1 == p["window_strides"][kind.axis]
    if not alone or any(p["padding"][kind.axis]):
        return None
    return _bound(equation, kind, [x])


@rule("large_filter_gradient")
def _filter_gradient(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    values = batch.all_as(parts, Rows(0, 1))
    return None if values is None else _bound(equation, SUM, values)


@rule("tile")
def _tile(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    kind, x = parts[0]
    repeated = isinstance(kind, Rows) and equation.params["reps"][kind.axis] != 1
    return None if repeated else _bound(equation, kind, [x])


@rule("gather")
def _gather(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    """Elements of a table at indices, where either of them is whole."""
    table, indices = parts
    numbers, sizes = equation.params["dimension_numbers"], equation.params["slice_sizes"]
    if numbers.operand_batching_dims or indices.kind is SUM:
        return None
    rank = equation.outvars[0].aval.ndim
    if isinstance(indices.kind, Rows):
        places = [axis for axis in range(rank) if axis not in numbers.offset_dims]
        if table.kind is not WHOLE or indices.kind.axis == len(places):
            return None
        kind = Rows(places[indices.kind.axis], indices.kind.before)
        return _bound(equation, kind, [table.value, indices.value])
    kind = _window_kind(table, numbers.collapsed_slice_dims, numbers.offset_dims)
    if kind is None or (isinstance(table.kind, Rows) and _is_cut(equation, table.kind, sizes)):
        return None
    sizes = batch.shape(sizes, table.kind)
    return _bound(equation, kind, [table.value, indices.value], slice_sizes=sizes)


def _window_kind(table: Part, gone: Sequence[int], places: Sequence[int]) -> Any:
    """The kind of windows of a table, which lie at `places` without the axes that are `gone`."""
    if not isinstance(table.kind, Rows):
        return table.kind
    if table.kind.axis in gone:
        return None
    kept = [axis for axis in range(table.value.ndim) if axis not in gone]
    return Rows(places[kept.index(table.kind.axis)], table.kind.before)


def _is_cut(equation: Any, kind: Rows, sizes: Sequence[int]) -> bool:
    """Whether windows of these sizes have not all rows of the first argument."""
    return bool(sizes[kind.axis] != equation.invars[0].aval.shape[kind.axis])


@rule("scatter", "scatter-add")
def _scatter(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    """Windows written or added to a table at indices, where all are the same or all differ."""
    table, indices, updates = parts
    numbers = equation.params["dimension_numbers"]
    if numbers.operand_batching_dims or indices.kind is SUM:
        return None
    if isinstance(indices.kind, Rows):
        return _scatter_rows(batch, equation, parts)
    if SUM in (table.kind, updates.kind):
        values = batch.all_as([table, updates], SUM)
        return None if values is None else _bound(equation, SUM, _between(values, indices))
    gone, places = numbers.inserted_window_dims, numbers.update_window_dims
    kind = _window_kind(table, gone, places)
    new = None if kind is None else batch.as_kind(updates, kind)
    if new is None or not isinstance(table.kind, Rows):
        return None
    if (
        equation.invars[2].aval.shape[new.kind.axis]
        != equation.invars[0].aval.shape[table.kind.axis]
    ):
        return None
    return _bound(equation, table.kind, _between([table.value, new.value], indices))


def _between(values: Sequence[Array], indices: Part) -> list[Array]:
    return [values[0], indices.value, values[1]]


def _scatter_rows(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    """Rows added to a table at indices that differ, as in the gradient of `gather`."""
    table, (kind, indices), updates = parts
    numbers = equation.params["dimension_numbers"]
    inexact = jnp.issubdtype(table.value.dtype, jnp.inexact)
    if equation.primitive.name != "scatter-add" or not inexact or kind.axis == indices.ndim - 1:
        return None
    rank = updates.value.ndim
    places = [axis for axis in range(rank) if axis not in numbers.update_window_dims]
    new = batch.as_kind(updates, Rows(places[kind.axis], kind.before))
    start = batch.as_kind(table, SUM)
    if new is None or start is None:
        return None
    return _bound(equation, SUM, [start.value, indices, new.value])


@rule("jit", "pjit", "closed_call")
def _inlined(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    return all_known(batch.run(equation.params["jaxpr"], parts))


@rule("custom_jvp_call", "custom_vjp_call")
def _customized(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    return all_known(batch.run(equation.params["call_jaxpr"], parts))


@rule("while")
def _while(batch: Batch, equation: Any, parts: list[Part]) -> Found:
    """A loop that each part runs; which rows it carries is found by trying the body."""
    p = equation.params
    ends = p["cond_nconsts"], p["cond_nconsts"] + p["body_nconsts"]
    tested, given, start = parts[: ends[0]], parts[ends[0] : ends[1]], parts[ends[1] :]
    kinds = _settled(batch, p["body_jaxpr"], given, start)
    if kinds is None:
        return None

    def goes_on(values: Sequence[Array]) -> Array:
        (answer,) = batch.run(p["cond_jaxpr"], [*tested, *map(Part, kinds, values)])
        if answer is None or answer.kind is not WHOLE:
            raise _Undecided
        return answer.value

    def body(values: Sequence[Array]) -> list[Array]:
        found = batch.run(p["body_jaxpr"], [*given, *map(Part, kinds, values)])
        return _turned(batch, found, kinds)

    try:
        values = lax.while_loop(goes_on, body, _turned(batch, start, kinds))
    except _Undecided:
        return None
    return list(map(Part, kinds, values))


class _Undecided(Exception):
    """Parts might end a loop at different times."""


def _turned(batch: Batch, parts: Sequence[Part | None], kinds: Sequence[Any]) -> list[Array]:
    """The values of parts as the kinds that a loop carries, which are known to be possible."""
    found = [part and batch.as_kind(part, kind) for part, kind in zip(parts, kinds, strict=True)]
    return [part.value for part in found if part is not None]


_TRIES = 8


def _settled(
    batch: Batch, body: Any, given: Sequence[Part], start: Sequence[Part]
) -> list[Any] | None:
    """The kinds of what a loop carries; None if they do not become the same again."""
    kinds = [part.kind for part in start]
    for _ in range(_TRIES):
        after = _after_iteration(batch, body, given, kinds, _turned(batch, start, kinds))
        new = [_either(a, b) for a, b in zip(kinds, after, strict=True)]
        if new == kinds or None in new:
            return None if None in new else kinds
        kinds = new
    return None


def _after_iteration(
    batch: Batch, body: Any, given: Sequence[Part], kinds: Sequence[Any], values: Sequence[Array]
) -> list[Any]:
    """The kinds that an iteration gives."""
    found: list[Any] = []

    def once(values: Sequence[Array]) -> list[Array]:
        result = batch.run(body, [*given, *map(Part, kinds, values)])
        found.extend(part and part.kind for part in result)
        return [part.value for part in result if part is not None]

    jax.eval_shape(once, values)
    return found


def _either(before: Any, after: Any) -> Any:
    """The kind of what enters an iteration as `before` and leaves it as `after`."""
    if before == after or after is WHOLE:
        return before
    return after if before is WHOLE else None
