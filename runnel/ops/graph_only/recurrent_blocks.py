"""LSTM and GRU as one op: a step (`LSTMBlockCell`, `GRUBlockCell`), or all of them (`BlockLSTM`).

Nobody calls them by a public function; graphs hold them. The gates lie side by side in `w` and `b`:
input, cell, forget, output; `BlockLSTMV2` has the forget gate before the cell.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values.dtypes import float32, half
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.kernels.recurrences import steps

_T = frozenset({half, float32})
_ONE = np.float32(1)
_CELL_FIRST, _FORGET_FIRST = "icfo", "ifco"


class _Weights(NamedTuple):
    """What all steps of an LSTM share."""

    w: Array
    peepholes: tuple[Array, Array, Array] | None  # for the gates i, f and o
    b: Array
    forget_bias: float
    cell_clip: float
    order: str


def _product(xp: Namespace, a: Array, b: Array) -> Array:
    """`a @ b`; of half floats in float32, rounded once."""
    return xp.matmul(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)


def _sigmoid(xp: Namespace, x: Array) -> Array:
    one = xp.ones((), x.dtype)
    return one / (one + xp.exp(-x))


def _gates(x: Array, order: str) -> dict[str, Array]:
    size = x.shape[-1] // 4
    return {gate: x[..., i * size : (i + 1) * size] for i, gate in enumerate(order)}


def _lstm_step(xp: Namespace, x: Array, cs: Array, h: Array, weights: _Weights) -> tuple:
    """One step: the gates i, the new cell, f, o, what enters and what leaves the cell, and h."""
    both = xp.concatenate([x, h], axis=1)
    gate = _gates(_product(xp, both, weights.w) + weights.b, weights.order)
    wci, wcf, wco = weights.peepholes or (None, None, None)
    seen = lambda g, c, w: g if w is None else g + c * w  # noqa: E731
    i = _sigmoid(xp, seen(gate["i"], cs, wci))
    bias = xp.asarray(weights.forget_bias, x.dtype)
    f = _sigmoid(xp, seen(gate["f"] + bias, cs, wcf))
    ci = xp.tanh(gate["c"])
    new = i * ci + f * cs
    if weights.cell_clip > 0:
        clip = xp.asarray(weights.cell_clip, x.dtype)
        new = xp.clip(new, -clip, clip)
    o = _sigmoid(xp, seen(gate["o"], new, wco))
    co = xp.tanh(new)
    return i, new, f, o, ci, co, o * co


def _lstm_step_back(
    xp: Namespace, cs_prev: Array, kept: tuple, cs_grad: Array, h_grad: Array, weights: _Weights
) -> tuple[Array, Array, list[Array]]:
    """The gradients of the cell before, of the gates, and of each row of the peepholes."""
    i, cs, f, o, ci, co = kept
    one = xp.ones((), i.dtype)
    do = o * (one - o) * h_grad * co
    dcs = (one - co * co) * h_grad * o + cs_grad
    if weights.peepholes:
        dcs = dcs + do * weights.peepholes[2]
    dci = (one - ci * ci) * dcs * i
    df = f * (one - f) * dcs * cs_prev
    di = i * (one - i) * dcs * ci
    by_gate = {"i": di, "c": dci, "f": df, "o": do}
    before = dcs * f
    if weights.peepholes:
        before = before + di * weights.peepholes[0] + df * weights.peepholes[1]
    gates = xp.concatenate([by_gate[gate] for gate in weights.order], axis=1)
    return before, gates, [di * cs_prev, df * cs_prev, do * cs]


def _check_step(x: Array, cs_prev: Array, h_prev: Array, w: Array, *rest: Array, **_: Any) -> None:
    if x.ndim != 2 or cs_prev.ndim != 2:
        raise bad_shape("LSTMBlockCell", want="have 2 dimensions", x=x)
    rows, size = cs_prev.shape
    if x.shape[0] != rows:
        raise bad_shape("LSTMBlockCell", want=f"have {x.shape[0]} rows", cs_prev=cs_prev)
    if h_prev.shape != cs_prev.shape:
        raise bad_shape("LSTMBlockCell", want=f"have shape {cs_prev.shape}", h_prev=h_prev)
    if w.shape != (x.shape[1] + size, 4 * size):
        want = f"have shape {(x.shape[1] + size, 4 * size)}"
        raise bad_shape("LSTMBlockCell", want=want, w=w)
    if rest[3].shape != (4 * size,):
        raise bad_shape("LSTMBlockCell", want=f"have shape {(4 * size,)}", b=rest[3])


def _like_cell(x: Spec, cs_prev: Spec, *others: Spec, **attrs: Any) -> list[Dims]:
    return [cs_prev.dims] * 7


@op(
    "LSTMBlockCell",
    "x: T[2], cs_prev: T[2], h_prev: T, w: T, wci: T[1?], wcf: T[1?], wco: T[1?], b: T -> i: "
    "T, cs: T, f: "
    "T, o: T, ci: T, co: T, h: T",
    T=_T,
    shape=_like_cell,
    check=_check_step,
)
def _lstm_block_cell(
    xp: Namespace,
    x: Array,
    cs_prev: Array,
    h_prev: Array,
    w: Array,
    wci: Array,
    wcf: Array,
    wco: Array,
    b: Array,
    *,
    forget_bias: float = 1.0,
    cell_clip: float = 3.0,
    use_peephole: bool = False,
) -> tuple:
    peepholes = (wci, wcf, wco) if use_peephole else None
    weights = _Weights(w, peepholes, b, forget_bias, cell_clip, _CELL_FIRST)
    return _lstm_step(xp, x, cs_prev, h_prev, weights)


def _cell_grad_shape(x: Spec, cs_prev: Spec, *others: Spec, **attrs: Any) -> list[Dims]:
    wci, wcf, wco = others[2:5]
    gates: Dims = None
    if cs_prev.dims is not None and cs_prev.dims[1] is not None:
        gates = (cs_prev.dims[0], 4 * cs_prev.dims[1])
    return [cs_prev.dims, gates, wci.dims, wcf.dims, wco.dims]


@op(
    "LSTMBlockCellGrad",
    "x: T[2!], cs_prev: T[2], h_prev: T[2?], w: T[2?], wci: T[1?], wcf: T[1?], wco: T[1?], b: "
    "T[1?], i: T[2?], cs: T[2?], f: T[2?], "
    "o: T[2?], ci: T[2?], co: T[2?], cs_grad: T[2?], h_grad: T[2?] -> cs_prev_grad: T, dicfo: "
    "T, wci_grad: T, "
    "wcf_grad: T, wco_grad: T",
    T=_T,
    shape=_cell_grad_shape,
)
def _lstm_block_cell_grad(
    xp: Namespace, x: Array, cs_prev: Array, *rest: Array, use_peephole: bool
) -> list[Array]:
    _, w, wci, wcf, wco, b, *kept, cs_grad, h_grad = rest
    peepholes = (wci, wcf, wco) if use_peephole else None
    weights = _Weights(w, peepholes, b, 0.0, 0.0, _CELL_FIRST)
    before, gates, rows = _lstm_step_back(xp, cs_prev, tuple(kept), cs_grad, h_grad, weights)
    return [before, gates, *_peephole_sums(xp, rows, use_peephole)]


def _peephole_sums(xp: Namespace, rows: list[Array], wanted: bool) -> list[Array]:
    sums = [xp.sum(r.astype(np.float32), axis=0).astype(r.dtype) for r in rows]
    return sums if wanted else [xp.zeros_like(s) for s in sums]


def _check_block(seq_len_max: Array, x: Array, *rest: Array, **attrs: Any) -> None:
    if x.ndim != 3:
        raise bad_shape("BlockLSTM", want="have 3 dimensions", x=x)
    _check_step(x[0], *rest, **attrs)


def _block_shape(
    seq_len_max: Spec, x: Spec, cs_prev: Spec, *others: Spec, **attrs: Any
) -> list[Dims]:
    times, rows = (x.dims or (None, None))[:2]
    size = None if cs_prev.dims is None else cs_prev.dims[1]
    return [(times, rows, size)] * 7


def _run_block(
    xp: Namespace, seq_len_max: Array, x: Array, cs: Array, h: Array, weights: _Weights
) -> list[Array]:
    """All steps; those from `seq_len_max` on are zero."""

    def step(carry: Any, row: Any) -> Any:
        found = _lstm_step(xp, row[0], carry[0], carry[1], weights)
        return (found[1], found[6]), found

    _, found = steps(xp, step, (cs, h), [x])
    used = (xp.arange(x.shape[0]) < seq_len_max)[:, None, None]
    return [xp.where(used, part, xp.zeros((), x.dtype)) for part in found]


_BLOCK = (
    "seq_len_max: int64[0?], x: T[3], cs_prev: T, h_prev: T, w: T, wci: T[1?], wcf: T[1?], "
    "wco: T[1?], b: T[1!] "
    "-> i: T, cs: T, f: T, o: T, ci: T, co: T, h: T"
)


@op("BlockLSTM", _BLOCK, T=_T, shape=_block_shape, check=_check_block)
def _block_lstm(
    xp: Namespace,
    seq_len_max: Array,
    x: Array,
    cs_prev: Array,
    h_prev: Array,
    w: Array,
    wci: Array,
    wcf: Array,
    wco: Array,
    b: Array,
    *,
    forget_bias: float = 1.0,
    cell_clip: float = 3.0,
    use_peephole: bool = False,
) -> list[Array]:
    peepholes = (wci, wcf, wco) if use_peephole else None
    weights = _Weights(w, peepholes, b, forget_bias, cell_clip, _CELL_FIRST)
    return _run_block(xp, seq_len_max, x, cs_prev, h_prev, weights)


@op("BlockLSTMV2", _BLOCK, T=_T, shape=_block_shape, check=_check_block)
def _block_lstm_v2(
    xp: Namespace,
    seq_len_max: Array,
    x: Array,
    cs_prev: Array,
    h_prev: Array,
    w: Array,
    wci: Array,
    wcf: Array,
    wco: Array,
    b: Array,
    *,
    cell_clip: float = 0.0,
    use_peephole: bool = False,
) -> list[Array]:
    peepholes = (wci, wcf, wco) if use_peephole else None
    weights = _Weights(w, peepholes, b, 0.0, cell_clip, _FORGET_FIRST)
    return _run_block(xp, seq_len_max, x, cs_prev, h_prev, weights)


def _block_grad_shape(seq_len_max: Spec, *others: Spec, **attrs: Any) -> list[Dims]:
    return [spec.dims for spec in others[:8]]


def _run_block_back(
    xp: Namespace, arguments: tuple[Array, ...], order: str, use_peephole: bool
) -> list[Array]:
    seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b = arguments[:9]
    *kept, h, cs_grad, h_grad = arguments[9:]
    peepholes = (wci, wcf, wco) if use_peephole else None
    weights = _Weights(w, peepholes, b, 0.0, 0.0, order)
    width = x.shape[2]
    before_cs = xp.concatenate([cs_prev[None], kept[1][:-1]])
    before_h = xp.concatenate([h_prev[None], h[:-1]])
    used = xp.arange(x.shape[0]) < seq_len_max
    zero = xp.zeros((), x.dtype)
    turned = w.swapaxes(0, 1)

    def step(carry: Any, row: Any) -> Any:
        before, is_used, dcs, dh, *forward = row
        gates = _lstm_step_back(xp, before, tuple(forward), dcs + carry[0], dh + carry[1], weights)
        both = _product(xp, gates[1], turned)
        new = (gates[0], both[:, width:])
        new = tuple(xp.where(is_used, a, b) for a, b in zip(new, carry, strict=True))
        rows = [both[:, :width], gates[1], *gates[2]]
        return new, tuple(xp.where(is_used, r, zero) for r in rows)

    start = (xp.zeros_like(cs_prev), xp.zeros_like(h_prev))
    rows = [before_cs, used, cs_grad, h_grad, *kept]
    (dcs, dh), found = steps(xp, step, start, rows, backward=True)
    dx, gates, *seen = found
    flat = lambda a: a.reshape(-1, a.shape[-1])  # noqa: E731
    both = flat(xp.concatenate([x, before_h], axis=2))
    dw = _product(xp, both.swapaxes(0, 1), flat(gates))
    db = xp.sum(flat(gates).astype(np.float32), axis=0).astype(x.dtype)
    sums = _peephole_sums(xp, [flat(s) for s in seen], use_peephole)
    return [dx, dcs, dh, dw, *sums, db]


def _declare_back(name: str, order: str) -> None:
    outputs = "x cs_prev h_prev w wci wcf wco b".split()
    signature = (
        _BLOCK.partition("->")[0]
        + ", i: T, cs: T, f: T, o: T, ci: T, co: T, h: T, cs_grad: T, h_grad: T -> "
        + ", ".join(f"{output}_grad: T" for output in outputs)
    )

    @op(name, signature, T=_T, shape=_block_grad_shape)
    def _(xp: Namespace, *arguments: Array, use_peephole: bool) -> list[Array]:
        return _run_block_back(xp, arguments, order, use_peephole)


_declare_back("BlockLSTMGrad", _CELL_FIRST)
_declare_back("BlockLSTMGradV2", _FORGET_FIRST)


def _block_lstm_gradient(backward: str) -> Any:
    def gradient(op: Any, *arriving: Tensor) -> Gradients:
        _, dcs, _, _, _, _, dh = arriving
        how = {"use_peephole": op.attrs["use_peephole"]}
        found = getattr(raw_ops, backward)(*op.inputs, *op.outputs, dcs, dh, **how)
        return None, *found

    return gradient


RegisterGradient("BlockLSTM")(_block_lstm_gradient("BlockLSTMGrad"))
# TensorFlow takes `BlockLSTMGrad` here, which reads the gates in the other op's order.
RegisterGradient("BlockLSTMV2")(_block_lstm_gradient("BlockLSTMGradV2"))


def _gru_shape(x: Spec, h_prev: Spec, *others: Spec) -> list[Dims]:
    return [h_prev.dims] * 4


def _check_gru(x: Array, h_prev: Array, w_ru: Array, w_c: Array, b_ru: Array, *b_c: Array) -> None:
    size = h_prev.shape[1]
    both = x.shape[1] + size
    wanted: dict[str, tuple[Array, tuple[int, ...]]] = {
        "w_ru": (w_ru, (both, 2 * size)),
        "w_c": (w_c, (both, size)),
    }
    wanted["b_ru"] = (b_ru, (2 * size,))
    wanted["h_prev"] = (h_prev, (x.shape[0], size))
    for name, (array, shape) in wanted.items():
        if array.shape != shape:
            raise bad_shape("GRUBlockCell", want=f"have shape {shape}", **{name: array})


@op(
    "GRUBlockCell",
    "x: T[2], h_prev: T[2], w_ru: T, w_c: T, b_ru: T, b_c: T[1?] -> r: T, u: T, c: T, h: T",
    T=frozenset({float32}),
    shape=_gru_shape,
    check=_check_gru,
)
def _gru_block_cell(
    xp: Namespace, x: Array, h_prev: Array, w_ru: Array, w_c: Array, b_ru: Array, b_c: Array
) -> list[Array]:
    size = h_prev.shape[1]
    gates = _sigmoid(xp, xp.matmul(xp.concatenate([x, h_prev], axis=1), w_ru) + b_ru)
    r, u = gates[:, :size], gates[:, size:]
    c = xp.tanh(xp.matmul(xp.concatenate([x, h_prev * r], axis=1), w_c) + b_c)
    return [r, u, c, u * h_prev + (_ONE - u) * c]


def _gru_grad_shape(x: Spec, h_prev: Spec, *others: Spec) -> list[Dims]:
    size = None if h_prev.dims is None else h_prev.dims[1]
    rows = None if h_prev.dims is None else h_prev.dims[0]
    return [x.dims, h_prev.dims, h_prev.dims, (rows, None if size is None else 2 * size)]


@op(
    "GRUBlockCellGrad",
    "x: T[2], h_prev: T[2!], w_ru: T[2], w_c: T, b_ru: T[1?], b_c: T[1?], r: T[2?], u: T[2?], "
    "c: T[2?], d_h: T[2?] -> "
    "d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T",
    T=frozenset({float32}),
    shape=_gru_grad_shape,
)
def _gru_block_cell_grad(
    xp: Namespace,
    x: Array,
    h_prev: Array,
    w_ru: Array,
    w_c: Array,
    b_ru: Array,
    b_c: Array,
    r: Array,
    u: Array,
    c: Array,
    d_h: Array,
) -> list[Array]:
    width = x.shape[1]
    dc = d_h * (_ONE - u) * (_ONE - c * c)
    du = d_h * (h_prev - c) * u * (_ONE - u)
    through_c = xp.matmul(dc, w_c.T)
    dhr = through_c[:, width:]
    dr = dhr * h_prev * r * (_ONE - r)
    gates = xp.concatenate([dr, du], axis=1)
    through = xp.matmul(gates, w_ru.T)
    dx = through_c[:, :width] + through[:, :width]
    dh = through[:, width:] + dhr * r + d_h * u
    return [dx, dh, dc, gates]
