"""Steps of optimizers on variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples import Sample, floats, sample, variable

# By optimizer: how many slots it has, the numbers before its gradient, those after it.
RULES: dict[str, tuple[int, list[float], list[Any]]] = {
    "GradientDescent": (0, [0.1], []),
    "ProximalGradientDescent": (0, [0.1, 0.2, 0.3], []),
    "Adagrad": (1, [0.1], []),
    "AdagradV2": (1, [0.1, 0.01], []),
    "ProximalAdagrad": (1, [0.1, 0.2, 0.3], []),
    "AdagradDA": (2, [], [0.1, 0.2, 0.3, np.int64(3)]),
    "Adadelta": (2, [0.1, 0.9, 0.01], []),
    "Momentum": (1, [0.1], [0.9]),
    "KerasMomentum": (1, [0.1], [0.9]),
    "Adam": (2, [0.81, 0.998, 0.1, 0.9, 0.999, 0.01], []),
    "AdamWithAmsgrad": (3, [0.81, 0.998, 0.1, 0.9, 0.999, 0.01], []),
    "AdaMax": (2, [0.81, 0.1, 0.9, 0.999, 0.01], []),
    "RMSProp": (2, [0.1, 0.9, 0.5, 0.01], []),
    "CenteredRMSProp": (3, [0.1, 0.9, 0.5, 0.01], []),
    "AddSign": (1, [0.1, 1.0, 0.7, 0.9], []),
    "PowerSign": (1, [0.1, 1.0, 0.7, 0.9], []),
    "Ftrl": (2, [], [0.1, 0.2, 0.3, -0.5]),
    "FtrlV2": (2, [], [0.1, 0.2, 0.3, 0.05, -0.5]),
}
NO_SPARSE = {"GradientDescent", "Adam", "AdamWithAmsgrad", "AdaMax", "AddSign", "PowerSign"}
SHAPE = (3, 2)


def _held(slots: int, dtype: Any) -> list[Any]:
    """The variable and its slots; these are sums of squares or larger than a mean's square."""
    first = floats(*SHAPE, dtype=dtype)
    rest = [np.abs(floats(*SHAPE, dtype=dtype, seed=i)) + i for i in range(1, slots + 1)]
    return [variable(first), *[variable(value.astype(dtype)) for value in rest]]


def _numbers(values: list[Any], dtype: Any) -> list[Any]:
    return [v if isinstance(v, np.integer) else np.dtype(dtype).type(v) for v in values]


def step(name: str, dtype: Any = np.float32, gradient: Any = None, **attrs: Any) -> Sample:
    slots, before, after = RULES[name]
    if gradient is None:
        gradient = floats(*SHAPE, dtype=dtype, seed=9)
    numbers = (_numbers(before, dtype), _numbers(after, dtype))
    held = _held(slots, dtype)
    return sample(f"ResourceApply{name}", *held, *numbers[0], gradient, *numbers[1], **attrs)


def sparse_step(name: str, rows: list[int], dtype: Any = np.float32, **attrs: Any) -> Sample:
    slots, before, after = RULES[name]
    indices = np.array(rows, np.int32)
    gradient = floats(len(rows), SHAPE[1], dtype=dtype, seed=9)
    numbers = (_numbers(before, dtype), _numbers(after, dtype))
    return sample(
        f"ResourceSparseApply{name}",
        *_held(slots, dtype),
        *numbers[0],
        gradient,
        indices,
        *numbers[1],
        **attrs,
    )


AGAIN = ("Adam", "AdagradDA", "Ftrl")  # with a row or two more than the others
ROWS = [
    *[step(name) for name in RULES],
    *[step(name, np.float64) for name in AGAIN],
    *[step(name, gradient=floats(2, 2)) for name in AGAIN],
    *[sparse_step(name, [2, 0]) for name in RULES if name not in NO_SPARSE],
    *[sparse_step(name, [2, 0, 2, 2], np.float64) for name in ("Adagrad", "RMSProp", "FtrlV2")],
    *[sparse_step(name, [1, 3]) for name in ("Adagrad", "ProximalGradientDescent", "Ftrl")],
    *[step(n, use_nesterov=True) for n in ("Momentum", "KerasMomentum")],
    *[step(n, multiply_linear_by_lr=True) for n in ("Ftrl", "FtrlV2")],
    *[step(n, update_slots=False) for n in ("Adagrad", "AdagradV2")],
    step("Adam", use_nesterov=True),
    step("GradientDescent", np.float16),
    step("GradientDescent", np.complex64, gradient=np.full(SHAPE, 1 + 2j, np.complex64)),
    sample(
        "ResourceApplyGradientDescent", variable(floats(2)), floats(1), floats(2)
    ),  # a rate that is no scalar
    sample(
        "ResourceApplyMomentum",
        variable(floats(2)),
        variable(floats(3)),
        np.float32(0.1),
        floats(2),
        np.float32(0.9),
    ),
    sparse_step("Adagrad", []),
]
