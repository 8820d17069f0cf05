"""Steps of optimizers as ops on variables, as the training graphs of TensorFlow hold them.

Each rule gives the new values of a variable and of its slots. `ResourceApply...` applies it to
whole variables, `ResourceSparseApply...` to the rows that `indices` name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from runnel.core.op.op import op
from runnel.core.values.dtypes import COMPLEX, FLOATS, INDICES
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Namespace
from runnel.kernels.row_updates import update_rows
from runnel.ops.array.gathering import check_range
from runnel.ops.guards import first_size, indices_within

New = tuple[Array, ...]  # the new values of the variable and of its slots
Rule = Callable[..., New]
Inputs = SimpleNamespace  # what an op is given, by name

_GRADIENTS = ("grad", "delta")  # the inputs that have the variable's shape; the rest are scalars


def _names(inputs: str) -> tuple[str, ...]:
    return tuple(part.split(":")[0] for part in inputs.split(", "))


def _check(op_name: str, names: tuple[str, ...], held: int) -> Callable[..., None]:
    """A check of the shapes of slots, gradient and numbers, and of the range of indices."""
    sparse = "indices" in names

    def check(*inputs: Any, **attrs: Any) -> None:
        shape = inputs[0].read().shape
        for name, slot in zip(names[1:held], inputs[1:held], strict=True):
            if slot.read().shape != shape:
                want = f"have the shape {shape} of the variable"
                raise bad_shape(op_name, want=want, **{name: slot.read()})
        for name, value in zip(names[held:], inputs[held:], strict=True):
            if name == "indices":
                _check_indices(op_name, value, shape)
            elif name in _GRADIENTS:
                rows = inputs[names.index("indices")].shape[:1] if sparse else shape[:1]
                if value.shape != (*rows, *shape[1:]):
                    want = f"have the shape {(*rows, *shape[1:])} of what it changes"
                    raise bad_shape(op_name, want=want, **{name: value})
            elif value.ndim:
                raise bad_shape(op_name, want="be a scalar", **{name: value})

    return check


def _check_indices(op_name: str, indices: Array, shape: tuple[int, ...]) -> None:
    if indices.ndim != 1:
        raise bad_shape(op_name, want="be a vector", indices=indices)
    check_range(op_name, indices, shape[0])


def _declare(optimizer: str, inputs: str, held: int, *, sparse: bool = False) -> Any:
    """Declare the dense op of a rule, whose first `held` inputs are variables, and the sparse one.

    The sparse one has indices after the gradient, which is always called `grad` there.
    """

    def declare(rule: Rule) -> Rule:
        names = _names(inputs)

        def kernel(xp: Namespace, *values: Array, **attrs: Any) -> Any:
            new = rule(xp, Inputs(**dict(zip(names, values, strict=True))), **attrs)
            return new if held > 1 else new[0]

        _declare_op(f"ResourceApply{optimizer}", inputs, held, rule, kernel)
        if sparse:
            listed = inputs.replace("delta: T", "grad: T")
            listed = listed.replace("grad: T", "grad: T, indices: Tindices")
            by_rows = _by_rows(rule, names, _names(listed).index("indices"), held)
            _declare_op(f"ResourceSparseApply{optimizer}", listed, held, rule, by_rows)
        return rule

    return declare


def _declare_op(name: str, inputs: str, held: int, rule: Rule, kernel: Any) -> None:
    names = _names(inputs)
    options: dict[str, Any] = {"T": FLOATS | COMPLEX if name in _COMPLEX else FLOATS}
    if "indices" in names:
        options["Tindices"] = INDICES
        options["guard"] = indices_within(first_size, names.index("indices"))
    kernel.__signature__ = inspect.signature(rule)  # whose keywords are the op's attributes
    check = _check(name, names, held)
    op(name, f"{inputs} ->", state="update", check=check, **options)(kernel)


_COMPLEX = frozenset(
    f"ResourceApply{name}" for name in ("GradientDescent", "Momentum", "Adagrad", "Adadelta")
)


def _by_rows(rule: Rule, names: tuple[str, ...], place: int, held: int) -> Any:
    """The kernel that applies a rule to rows; `place` is that of the indices among its inputs."""

    def kernel(xp: Namespace, *values: Array, **attrs: Any) -> Any:
        before, gradient, after = values[held : place - 1], values[place - 1], values[place + 1 :]

        def step(rows: list[Array], part: Array) -> tuple[Array, ...]:
            given = (*rows, *before, part, *after)
            return rule(xp, Inputs(**dict(zip(names, given, strict=True))), **attrs)

        found = update_rows(xp, list(values[:held]), values[place], gradient, step)
        return tuple(found) if held > 1 else found[0]

    return kernel


@_declare("GradientDescent", "var: resource, alpha: T, delta: T", 1)
def _gradient_descent(xp: Namespace, x: Inputs, *, use_locking: bool = False) -> New:
    return (x.var - x.alpha * x.delta,)


def _shrunk(xp: Namespace, var: Array, rate: Array, l1: Array, l2: Array) -> Array:
    """`var` after a step towards zero: by `rate * l1`, and in proportion to `l2`."""
    towards = xp.sign(var) * xp.maximum(xp.abs(var) - rate * l1, xp.zeros((), var.dtype))
    return towards / (1 + rate * l2)


@_declare(
    "ProximalGradientDescent", "var: resource, alpha: T, l1: T, l2: T, delta: T", 1, sparse=True
)
def _proximal_descent(xp: Namespace, x: Inputs, *, use_locking: bool = False) -> New:
    return (_shrunk(xp, x.var - x.alpha * x.delta, x.alpha, x.l1, x.l2),)


@_declare("Adagrad", "var: resource, accum: resource, lr: T, grad: T", 2, sparse=True)
def _adagrad(
    xp: Namespace, x: Inputs, *, use_locking: bool = False, update_slots: bool = True
) -> New:
    accum = x.accum + x.grad * x.grad if update_slots else x.accum
    return x.var - x.lr * x.grad / xp.sqrt(accum), accum


@_declare("AdagradV2", "var: resource, accum: resource, lr: T, epsilon: T, grad: T", 2, sparse=True)
def _adagrad_v2(
    xp: Namespace, x: Inputs, *, use_locking: bool = False, update_slots: bool = True
) -> New:
    accum = x.accum + x.grad * x.grad if update_slots else x.accum
    return x.var - x.lr * x.grad / (xp.sqrt(accum) + x.epsilon), accum


@_declare(
    "ProximalAdagrad",
    "var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T",
    2,
    sparse=True,
)
def _proximal_adagrad(xp: Namespace, x: Inputs, *, use_locking: bool = False) -> New:
    accum = x.accum + x.grad * x.grad
    rate = x.lr / xp.sqrt(accum)
    return _shrunk(xp, x.var - rate * x.grad, rate, x.l1, x.l2), accum


@_declare(
    "AdagradDA",
    "var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, "
    "grad: T, lr: T, l1: T, l2: T, global_step: int64",
    3,
    sparse=True,
)
def _adagrad_da(xp: Namespace, x: Inputs, *, use_locking: bool = False) -> New:
    total = x.gradient_accumulator + x.grad
    squares = x.gradient_squared_accumulator + x.grad * x.grad
    steps = x.global_step.astype(x.grad.dtype)
    zero = xp.zeros((), x.grad.dtype)
    beyond = xp.sign(total) * xp.maximum(xp.abs(total) - x.l1 * steps, zero)
    return -x.lr * beyond / (x.l2 * steps * x.lr + xp.sqrt(squares)), total, squares


@_declare(
    "Adadelta",
    "var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad: T",
    3,
    sparse=True,
)
def _adadelta(xp: Namespace, x: Inputs, *, use_locking: bool = False) -> New:
    accum = x.accum * x.rho + x.grad * x.grad * (1 - x.rho)
    update = xp.sqrt(x.accum_update + x.epsilon) / xp.sqrt(accum + x.epsilon) * x.grad
    return x.var - x.lr * update, accum, x.accum_update * x.rho + update * update * (1 - x.rho)


@_declare("Momentum", "var: resource, accum: resource, lr: T, grad: T, momentum: T", 2, sparse=True)
def _momentum(
    xp: Namespace, x: Inputs, *, use_locking: bool = False, use_nesterov: bool = False
) -> New:
    accum = x.accum * x.momentum + x.grad
    step = x.grad + accum * x.momentum if use_nesterov else accum
    return x.var - x.lr * step, accum


@_declare(
    "KerasMomentum", "var: resource, accum: resource, lr: T, grad: T, momentum: T", 2, sparse=True
)
def _keras_momentum(
    xp: Namespace, x: Inputs, *, use_locking: bool = False, use_nesterov: bool = False
) -> New:
    accum = x.accum * x.momentum - x.lr * x.grad
    return x.var + (accum * x.momentum - x.lr * x.grad if use_nesterov else accum), accum


@_declare(
    "Adam",
    "var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T, "
    "beta2: T, epsilon: T, grad: T",
    3,
)
def _adam(
    xp: Namespace, x: Inputs, *, use_locking: bool = False, use_nesterov: bool = False
) -> New:
    rate, m, v = _moments(xp, x)
    step = x.grad * (1 - x.beta1) + x.beta1 * m if use_nesterov else m
    return x.var - rate * step / (xp.sqrt(v) + x.epsilon), m, v


@_declare(
    "AdamWithAmsgrad",
    "var: resource, m: resource, v: resource, vhat: resource, beta1_power: T, beta2_power: T, "
    "lr: T, beta1: T, beta2: T, epsilon: T, grad: T",
    4,
)
def _adam_with_amsgrad(xp: Namespace, x: Inputs, *, use_locking: bool = False) -> New:
    rate, m, v = _moments(xp, x)
    vhat = xp.maximum(x.vhat, v)
    return x.var - rate * m / (xp.sqrt(vhat) + x.epsilon), m, v, vhat


def _moments(xp: Namespace, x: Inputs) -> tuple[Array, Array, Array]:
    """The rate without the bias of the first steps, and the means of gradient and square."""
    rate = x.lr * xp.sqrt(1 - x.beta2_power) / (1 - x.beta1_power)
    m = x.m + (x.grad - x.m) * (1 - x.beta1)
    return rate, m, x.v + (x.grad * x.grad - x.v) * (1 - x.beta2)


@_declare(
    "AdaMax",
    "var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T, beta2: T, "
    "epsilon: T, grad: T",
    3,
)
def _ada_max(xp: Namespace, x: Inputs, *, use_locking: bool = False) -> New:
    m = x.m + (x.grad - x.m) * (1 - x.beta1)
    v = xp.maximum(x.beta2 * x.v, xp.abs(x.grad))
    return x.var - x.lr / (1 - x.beta1_power) * (m / (v + x.epsilon)), m, v


@_declare(
    "RMSProp",
    "var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T",
    3,
    sparse=True,
)
def _rms_prop(xp: Namespace, x: Inputs, *, use_locking: bool = False) -> New:
    ms = x.ms + (x.grad * x.grad - x.ms) * (1 - x.rho)
    mom = x.mom * x.momentum + x.lr * x.grad / xp.sqrt(ms + x.epsilon)
    return x.var - mom, ms, mom


@_declare(
    "CenteredRMSProp",
    "var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, "
    "epsilon: T, grad: T",
    4,
    sparse=True,
)
def _centered_rms_prop(xp: Namespace, x: Inputs, *, use_locking: bool = False) -> New:
    ms = x.ms + (x.grad * x.grad - x.ms) * (1 - x.rho)
    mg = x.mg + (x.grad - x.mg) * (1 - x.rho)
    mom = x.mom * x.momentum + x.lr * x.grad / xp.sqrt(ms - mg * mg + x.epsilon)
    return x.var - mom, mg, ms, mom


@_declare(
    "AddSign", "var: resource, m: resource, lr: T, alpha: T, sign_decay: T, beta: T, grad: T", 2
)
def _add_sign(xp: Namespace, x: Inputs, *, use_locking: bool = False) -> New:
    m = x.m * x.beta + x.grad * (1 - x.beta)
    agreement = xp.sign(x.grad) * xp.sign(m)
    return x.var - x.lr * (x.alpha + x.sign_decay * agreement) * x.grad, m


@_declare(
    "PowerSign", "var: resource, m: resource, lr: T, logbase: T, sign_decay: T, beta: T, grad: T", 2
)
def _power_sign(xp: Namespace, x: Inputs, *, use_locking: bool = False) -> New:
    m = x.m * x.beta + x.grad * (1 - x.beta)
    agreement = xp.sign(x.grad) * xp.sign(m)
    return x.var - x.lr * xp.exp(x.logbase * x.sign_decay * agreement) * x.grad, m


_FTRL = (
    "var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, lr_power: T"
)


@_declare("FtrlV2", _FTRL.replace("l2: T", "l2: T, l2_shrinkage: T"), 3, sparse=True)
def _ftrl_v2(
    xp: Namespace, x: Inputs, *, use_locking: bool = False, multiply_linear_by_lr: bool = False
) -> New:
    return _follow(xp, x, x.grad + 2 * x.l2_shrinkage * x.var, multiply_linear_by_lr)


@_declare("Ftrl", _FTRL, 3, sparse=True)
def _ftrl(
    xp: Namespace, x: Inputs, *, use_locking: bool = False, multiply_linear_by_lr: bool = False
) -> New:
    return _follow(xp, x, x.grad, multiply_linear_by_lr)


def _follow(xp: Namespace, x: Inputs, shrunk: Array, by_rate: bool) -> New:
    """Follow the regularized leader; `linear` holds its sums times the rate where asked for."""
    scale = x.lr if by_rate else xp.ones((), x.lr.dtype)
    accum = x.accum + x.grad * x.grad
    power = xp.power(accum, -x.lr_power)
    change = (power - xp.power(x.accum, -x.lr_power)) * scale / x.lr
    linear = x.linear + scale * shrunk - change * x.var
    bound = x.l1 * scale
    curve = power * scale / x.lr + 2 * x.l2 * scale
    return (xp.clip(linear, -bound, bound) - linear) / curve, accum, linear
