"""`tf.einsum`: the op Einsum on one or two tensors, and the public function on any number.

An equation is read once into a `Plan` for its shapes. Two operands become one batched matrix
product, which BLAS and XLA do best; what the product cannot say (diagonals, plain sums) is done
before and after it.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_letters
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.settings.scopes import scope_of_ops
from runnel.core.tensor.convert import unread
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import scatter
from runnel.kernels.linalg.product import product
from runnel.ops.choices import at_least
from runnel.ops.linalg.contraction import contraction_order, product_labels
from runnel.ops.linalg.matmul import conj
from runnel.ops.shapes import shape_of

Shape = tuple[int | None, ...]


@functools.lru_cache(1024)
def split(equation: str) -> tuple[tuple[str, ...], str]:
    """The labels of the inputs and of the output, blanks removed."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    if not arrow or "->" in right:
        raise ValueError(f"the equation must have one '->', got {equation!r}")
    return tuple(left.split(",")), right


@functools.lru_cache(1024)
def spell(
    inputs: tuple[str, ...], output: str, ranks: tuple[int, ...]
) -> tuple[tuple[str, ...], str]:
    """The same labels with letters of their own for the axes that an ellipsis stands for.

    Ellipses of different lengths are aligned at their ends, as in broadcasting.
    """
    used = set("".join(inputs) + output)
    spare = [letter for letter in ascii_letters if letter not in used]
    lengths = [rank - len(i.replace("...", "")) for i, rank in zip(inputs, ranks)]
    for labels, length, rank in zip(inputs, lengths, ranks):
        if length < 0 or (length and "..." not in labels):
            raise bad_shape(
                "Einsum", want=f"have the axes {labels!r}", inputs=np.empty((1,) * rank)
            )
    longest = max((n for i, n in zip(inputs, lengths) if "..." in i), default=0)
    names = "".join(spare[:longest])
    spelled = [i.replace("...", names[longest - n :]) for i, n in zip(inputs, lengths)]
    return tuple(spelled), output.replace("...", names)


def _sizes(
    inputs: Sequence[str], originals: Sequence[str], shapes: Sequence[Shape]
) -> dict[str, int | None]:
    """The size of each label. Only labels that stand for an ellipsis may be 1 in one operand."""
    named = set("".join(originals))
    sizes: dict[str, int | None] = {}
    for labels, shape in zip(inputs, shapes):
        for label, size in zip(labels, shape):
            known = sizes.get(label)
            if known is None or (known == 1 and label not in named):
                sizes[label] = size if size is not None or label not in sizes else known
            elif size not in (None, known) and (size != 1 or label in named):
                want = f"have size {known} along the axis {label!r}"
                raise bad_shape("Einsum", want=want, inputs=Spec(shape, None))  # type: ignore[arg-type]
    return sizes


def _einsum_shape(inputs: list[Spec], *, equation: str) -> Dims:
    try:
        names, output = split(equation)
    except ValueError as error:
        raise bad_shape("Einsum", want=f"fit: {error}", inputs=inputs[0]) from None
    if len(names) != len(inputs) or len(inputs) > 2:
        raise bad_shape("Einsum", want=f"be one or two as in {equation!r}", inputs=inputs[0])
    if any(spec.dims is None for spec in inputs):
        return None if "..." in output else (None,) * len(output)
    shapes = [spec.dims or () for spec in inputs]
    spelled, result = spell(names, output, tuple(len(s) for s in shapes))
    sizes = _sizes(spelled, names, shapes)
    return tuple(sizes[label] for label in result)


_einsum_shape.broadcasts = True  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Operand:
    """What is done to one input before the product."""

    labels: str  # one letter per axis
    repeated: bool  # whether a letter stands more than once
    summed: tuple[int, ...]  # axes that only this input has and the output lacks
    groups: tuple[int, ...] | None  # the shape that joins axes which stay neighbours
    order: tuple[int, ...] | None  # then the axes are put in this order,
    full: tuple[int, ...] | None  # broadcast to this shape,
    shape: tuple[int, ...]  # and reshaped to this one
    turned: bool = False  # whether its matrices are to be transposed in the product

    def prepare(self, xp: Namespace, x: Array) -> Array:
        if self.repeated:
            x = _diagonals(xp, x, self.labels)
        if self.summed:
            x = xp.sum(x, axis=self.summed, dtype=x.dtype)
        if self.groups is not None:
            x = x.reshape(self.groups)
        if self.order is not None:
            x = xp.transpose(x, self.order)
        if self.full is not None:
            x = xp.broadcast_to(x, self.full)
        return x if x.shape == self.shape else x.reshape(self.shape)


@dataclass(frozen=True)
class Plan:
    """How an equation is worked out at given shapes."""

    operands: tuple[Operand, ...]
    exchanged: bool  # whether the second input is the first factor
    product: tuple[int, ...]  # the shape of the product,
    order: tuple[int, ...] | None  # and the order of its axes that the output wants
    output: str
    unique: str  # the labels of the output, each once
    shape: tuple[int, ...]  # of the labels in `unique`


@functools.lru_cache(2048)
def _plan(equation: str, shapes: tuple[tuple[int, ...], ...]) -> Plan:
    names, output = split(equation)
    if len(names) != len(shapes) or len(shapes) > 2:
        raise ValueError(f"the equation {equation!r} does not fit {len(shapes)} inputs")
    spelled, output = spell(names, output, tuple(len(s) for s in shapes))
    sizes: dict[str, Any] = _sizes(spelled, names, shapes)
    unique = "".join(dict.fromkeys(output))
    exchanged = False
    if len(shapes) == 1:
        kept = "".join(label for label in dict.fromkeys(spelled[0]) if label in unique)
        roles = [("", kept, "")]
        wanted = kept
    else:
        a, b = (dict.fromkeys(labels) for labels in spelled)
        inner = "".join(label for label in a if label in b and label not in unique)
        batch = "".join(label for label in unique if label in a and label in b)
        rows = "".join(label for label in unique if label in a and label not in b)
        columns = "".join(label for label in unique if label in b and label not in a)
        roles = [(batch, rows, inner), (batch, inner, columns)]
        wanted = batch + rows + columns
        if wanted != unique == batch + columns + rows:  # then the product need not be transposed
            roles = [(batch, inner, rows), (batch, columns, inner)]
            wanted, exchanged = unique, True
    operands = tuple(
        _operand(labels, shape, role, sizes) for labels, shape, role in zip(spelled, shapes, roles)
    )
    order = _order(wanted, unique)
    full = tuple(sizes[label] for label in wanted)
    shape = tuple(sizes[label] for label in unique)
    return Plan(operands, exchanged, full, order, output, unique, shape)


def _operand(
    labels: str, shape: tuple[int, ...], roles: tuple[str, str, str], sizes: dict[str, Any]
) -> Operand:
    batch, first, second = roles
    wanted = batch + first + second
    own = _without_repeats(labels)
    kept = "".join(label for label in own if label in wanted)
    mine = dict(zip(labels, shape))
    dims = [mine[label] for label in wanted]
    n = len(batch)
    grown = dims[:n] + [sizes[label] for label in first + second]
    sides = math.prod(grown[n : n + len(first)]), math.prod(grown[n + len(first) :])
    full = tuple(grown) if grown != dims else None
    groups, order = _arrangement(kept, wanted if full else [*batch, first, second], mine)
    turned = bool(first and second) and full is None and order == (*range(n), n + 1, n)
    if turned:
        order, sides = None, sides[::-1]
    return Operand(
        labels,
        repeated=own != labels,
        summed=tuple(i for i, label in enumerate(own) if label not in wanted),
        groups=groups,
        order=order,
        full=full,
        shape=(*dims[:n], *sides),
        turned=turned,
    )


def _arrangement(
    labels: str, units: Sequence[str], sizes: dict[str, int]
) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    """The shape that joins the axes of each unit, and the order that puts the units in theirs.

    Neighbours are joined first, because XLA gives a transposed matrix to a product as it is, but
    makes a copy to exchange more than two axes.
    """
    units = [unit for unit in units if unit]
    if labels == "".join(units):
        return None, None
    if not all(unit in labels for unit in units):
        units = [label for unit in units for label in unit]
    present = sorted(units, key=labels.index)
    groups = tuple(math.prod(sizes[label] for label in unit) for unit in present)
    return groups, _order(present, units)


def _order(labels: Sequence[str], wanted: Sequence[str]) -> tuple[int, ...] | None:
    return None if labels == wanted else tuple(labels.index(label) for label in wanted)


def _without_repeats(labels: str) -> str:
    """The labels after `_diagonals`, which puts the axis of a diagonal last."""
    for label in [label for label, count in Counter(labels).items() if count > 1]:
        labels = labels.replace(label, "") + label
    return labels


def _diagonals(xp: Namespace, x: Array, labels: str) -> Array:
    """`x` with each repeated label reduced to its diagonal."""
    for label in [label for label, count in Counter(labels).items() if count > 1]:
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            x = xp.diagonal(x, axis1=first, axis2=second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    return x


@op("Einsum", "inputs: N*T -> output: T", N=at_least(1), shape=_einsum_shape, heavy=True)
def _einsum(xp: Namespace, inputs: list[Array], *, equation: str) -> Array:
    plan = _plan(equation, tuple([x.shape for x in inputs]))
    parts = [operand.prepare(xp, x) for operand, x in zip(plan.operands, inputs)]
    turned = [operand.turned for operand in plan.operands]
    if plan.exchanged:
        parts, turned = parts[::-1], turned[::-1]
    found = product(xp, *parts, *turned) if len(parts) == 2 else parts[0]
    found = found.reshape(plan.product)
    if plan.order is not None:
        found = xp.transpose(found, plan.order)
    return found if plan.unique == plan.output else _onto_diagonal(xp, found, plan)


def _onto_diagonal(xp: Namespace, x: Array, plan: Plan) -> Array:
    """Zeros with `x` where the indices of equal labels of the output are equal."""
    sizes = dict(zip(plan.unique, plan.shape))
    grids = dict(zip(plan.unique, np.ogrid[tuple(slice(n) for n in plan.shape)]))
    empty = xp.zeros(tuple(sizes[label] for label in plan.output), x.dtype)
    return scatter(xp, empty, tuple(grids[label] for label in plan.output), x)


@RegisterGradient("Einsum", needs="inputs")
def _einsum_grad(op: Any, dy: Tensor) -> Gradients:
    written, result = split(op.attrs["equation"])
    inputs = list(op.inputs)
    names, output, free = written, result, ""
    if "..." in op.attrs["equation"]:
        if any(x.ndim is None for x in inputs):
            raise LookupError("Einsum: the gradient of an ellipsis wants inputs of known rank.")
        names, output = spell(written, result, tuple(x.ndim or 0 for x in inputs))
        free = "".join(set("".join(names)) - set("".join(written)))
    if len(inputs) == 1:
        return [_pull(inputs[0], names[0], "", None, output, dy)]
    (x, y), (a, b) = inputs, names
    wide_x, wide_y = _widen(x, a, dy, output, free), _widen(y, b, dy, output, free)
    return [_pull(x, a, b, wide_y, output, dy), _pull(y, b, a, wide_x, output, dy)]


def _widen(x: Tensor, labels: str, dy: Tensor, output: str, free: str) -> Tensor:
    """`x` broadcast to the sizes that `dy` has along axes of an ellipsis."""
    pairs = [
        (i, output.index(label))
        for i, label in enumerate(labels)
        if label in free and label in output
    ]
    mine, its = x.shape, dy.shape
    if not pairs or all(mine[i] is not None and mine[i] == its[j] for i, j in pairs):
        return x
    have, want = shape_of(x), shape_of(dy)
    if isinstance(have, np.ndarray) and isinstance(want, np.ndarray):
        full: Any = have.copy()
        full[[i for i, _ in pairs]] = want[[j for _, j in pairs]]
    else:
        sources = dict(pairs)
        full = [want[sources[i]] if i in sources else have[i] for i in range(len(labels))]
    return raw_ops.BroadcastTo(x, full)


def _pull(x: Tensor, labels: str, other: str, y: Tensor | None, output: str, dy: Tensor) -> Tensor:
    """The gradient of the operand `x`, whose partner is `y` with the labels `other`."""
    unique = "".join(dict.fromkeys(labels))
    present = "".join(label for label in unique if label in output + other)
    if y is None:
        found = raw_ops.Einsum([dy], equation=f"{output}->{present}")
    else:
        found = raw_ops.Einsum([dy, conj(y)], equation=f"{output},{other}->{present}")
    if present != unique:
        found = _spread(found, x, labels, present, unique)
    if unique == labels:
        return found
    return raw_ops.Einsum([found], equation=f"{unique}->{labels}")


def _spread(found: Tensor, x: Tensor, labels: str, present: str, unique: str) -> Tensor:
    """`found` repeated along the axes of `x` that were summed away."""
    missing = [i for i, label in enumerate(unique) if label not in present]
    for axis in missing:
        found = raw_ops.ExpandDims(found, np.int32(axis))
    shape = shape_of(x)
    places = [labels.index(label) for label in unique]
    if isinstance(shape, np.ndarray):
        full: Any = shape[places]
    else:
        full = raw_ops.GatherV2(shape, np.array(places, np.int32), np.int32(0))
    ones = raw_ops.Fill(full, raw_ops.Cast(np.float32(1), DstT=found.dtype))
    return found * ones


def einsum(equation: str, *inputs: TensorLike, **kwargs: Any) -> Tensor:
    """Sums of products of tensors whose axes `equation` names.

    `optimize` says how more than two tensors are taken in pairs: "greedy" (the default), "optimal",
    or False for from left to right.

    >>> a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0, 1.0], [0.0, 1.0]])
    >>> tf.einsum("ij,jk->ik", a, b).numpy()
    array([[1., 3.],
           [3., 7.]], dtype=float32)
    >>> tf.einsum("...ii->...", a).numpy()
    np.float32(5.0)
    """
    name, optimize = kwargs.pop("name", None), kwargs.pop("optimize", "greedy")
    if kwargs:
        raise TypeError(
            f"einsum takes the keywords `name` and `optimize`, got {', '.join(sorted(kwargs))}."
        )
    names, output = _normal(equation, len(inputs))
    with scope_of_ops(name or "einsum"):
        tensors = [unread(x) for x in inputs]
        if len(tensors) <= 2:
            return raw_ops.Einsum(tensors, equation=f"{','.join(names)}->{output}")
        return _contract(list(names), output, tensors, optimize)


_EQUATION = re.compile(
    r"(?:[a-zA-Z]*(?:\.\.\.)?[a-zA-Z]*,)*[a-zA-Z]*(?:\.\.\.)?[a-zA-Z]*(?:->[a-zA-Z]*(?:\.\.\.)?[a-zA-Z]*)?"
)


@functools.lru_cache(1024)
def _normal(equation: str, count: int) -> tuple[tuple[str, ...], str]:
    """The labels of an equation whose output may be left out, checked."""
    if not isinstance(equation, str):
        raise TypeError(f"einsum: `equation` must be a string, got {equation!r}.")
    plain = equation.replace(" ", "")
    if not _EQUATION.fullmatch(plain):
        raise ValueError(f"einsum: the equation must be like 'ij,jk->ik', got {equation!r}.")
    left, arrow, output = plain.partition("->")
    names = tuple(left.split(","))
    if len(names) != count:
        raise ValueError(
            f"einsum: the equation {equation!r} is for {len(names)} tensors, got {count}."
        )
    counts = Counter(left.replace("...", "").replace(",", ""))
    if not arrow:
        output = "".join(sorted(label for label, n in counts.items() if n == 1))
        output = "..." + output if "..." in left else output
    for label in output.replace("...", ""):
        if output.count(label) > 1:
            raise ValueError(f"einsum: {label!r} stands twice in the output of {equation!r}.")
        if label not in counts:
            raise ValueError(f"einsum: {label!r} is in the output of {equation!r} but in no input.")
    return names, output if "..." in left else output.replace("...", "")


def _contract(names: list[str], output: str, tensors: list[Tensor], optimize: Any) -> Tensor:
    """More than two tensors, two at a time."""
    for first, second in contraction_order(names, output, tensors, optimize):
        y, x = tensors.pop(second), tensors.pop(first)
        b, a = names.pop(second), names.pop(first)
        kept = product_labels(a, b, names, output) if names else output
        tensors.append(raw_ops.Einsum([x, y], equation=f"{a},{b}->{kept}"))
        names.append(kept)
    return tensors[0]
