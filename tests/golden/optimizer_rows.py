"""Every optimizer of Keras with some arguments, and what five steps are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

# By name: the class below `tf.keras.optimizers`, and its arguments. A name that is a class with a
# small letter is the row that is also run in functions, saved and restored.
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "sgd": ("SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    "sgd_plain": ("SGD", {}),
    "sgd_nesterov": ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}),
    "sgd_decay": ("SGD", {"weight_decay": 0.1, "clipvalue": 0.2}),
    "adam": ("Adam", {"learning_rate": 0.1}),
    "adam_amsgrad": ("Adam", {"learning_rate": 0.1, "amsgrad": True, "weight_decay": 0.01}),
    "adam_epsilon": ("Adam", {"epsilon": 0.1, "adaptive_epsilon": True, "clipnorm": 0.5}),
    "adam_ema": (
        "Adam",
        {"use_ema": True, "ema_momentum": 0.5, "ema_overwrite_frequency": 2, "learning_rate": 0.1},
    ),
    "adamw": ("AdamW", {"learning_rate": 0.1, "weight_decay": 0.1}),
    "adamw_amsgrad": ("AdamW", {"learning_rate": 0.1, "amsgrad": True, "global_clipnorm": 0.5}),
    "nadam": ("Nadam", {"learning_rate": 0.1}),
    "nadam_clipped": ("Nadam", {"beta_1": 0.7, "beta_2": 0.9, "clipnorm": 0.1, "use_ema": True}),
    "ftrl": ("Ftrl", {"learning_rate": 0.1}),
    "ftrl_regularized": (
        "Ftrl",
        {
            "learning_rate": 0.1,
            "l1_regularization_strength": 0.1,
            "l2_regularization_strength": 0.2,
            "l2_shrinkage_regularization_strength": 0.3,
            "beta": 0.4,
            "learning_rate_power": -0.7,
        },
    ),
    "lion": ("Lion", {"learning_rate": 0.1}),
    "lion_decay": ("Lion", {"beta_1": 0.5, "beta_2": 0.6, "weight_decay": 0.1}),
    "adafactor": ("Adafactor", {"learning_rate": 0.5}),
    "adafactor_step": (
        "Adafactor",
        {"learning_rate": 0.9, "relative_step": False, "clip_threshold": 0.5, "beta_2_decay": -0.5},
    ),
    "adagrad": ("Adagrad", {"learning_rate": 0.1}),
    "adagrad_start": ("Adagrad", {"initial_accumulator_value": 1.0, "weight_decay": 0.2}),
    "adadelta": ("Adadelta", {"learning_rate": 1.0}),
    "adadelta_rho": ("Adadelta", {"learning_rate": 1.0, "rho": 0.5, "use_ema": True}),
    "adamax": ("Adamax", {"learning_rate": 0.1}),
    "adamax_clipped": ("Adamax", {"learning_rate": 0.1, "beta_1": 0.5, "global_clipnorm": 0.3}),
    "rmsprop": ("RMSprop", {"learning_rate": 0.1}),
    "rmsprop_centered": ("RMSprop", {"learning_rate": 0.1, "momentum": 0.5, "centered": True}),
    "rmsprop_ema": ("RMSprop", {"learning_rate": 0.1, "use_ema": True, "centered": True}),
    "legacy_sgd": ("legacy.SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    "legacy_sgd_plain": ("legacy.SGD", {"decay": 0.1, "clipvalue": 0.2}),
    "legacy_sgd_nesterov": ("legacy.SGD", {"momentum": 0.9, "nesterov": True, "clipnorm": 0.2}),
    "legacy_adam": ("legacy.Adam", {"learning_rate": 0.1}),
    "legacy_adam_amsgrad": ("legacy.Adam", {"decay": 0.5, "amsgrad": True, "epsilon": 0.1}),
    "legacy_nadam": ("legacy.Nadam", {"learning_rate": 0.1}),
    "legacy_nadam_decay": ("legacy.Nadam", {"beta_1": 0.7, "schedule_decay": 0.5}),
    "legacy_ftrl": ("legacy.Ftrl", {"learning_rate": 0.1}),
    "legacy_ftrl_regularized": (
        "legacy.Ftrl",
        {
            "learning_rate": 0.1,
            "l1_regularization_strength": 0.1,
            "l2_regularization_strength": 0.2,
            "l2_shrinkage_regularization_strength": 0.3,
            "beta": 0.4,
        },
    ),
    "legacy_adagrad": ("legacy.Adagrad", {"learning_rate": 0.1}),
    "legacy_adagrad_start": ("legacy.Adagrad", {"initial_accumulator_value": 1.0, "epsilon": 0.1}),
    "legacy_adadelta": ("legacy.Adadelta", {"learning_rate": 1.0}),
    "legacy_adadelta_rho": ("legacy.Adadelta", {"learning_rate": 1.0, "rho": 0.5, "decay": 0.1}),
    "legacy_adamax": ("legacy.Adamax", {"learning_rate": 0.1}),
    "legacy_adamax_clipped": ("legacy.Adamax", {"beta_1": 0.5, "global_clipnorm": 0.3}),
    "legacy_rmsprop": ("legacy.RMSprop", {"learning_rate": 0.1}),
    "legacy_rmsprop_momentum": ("legacy.RMSprop", {"learning_rate": 0.1, "momentum": 0.5}),
    "legacy_rmsprop_mean": ("legacy.RMSprop", {"learning_rate": 0.1, "centered": True}),
    "legacy_rmsprop_centered": (
        "legacy.RMSprop",
        {"learning_rate": 0.1, "momentum": 0.5, "centered": True},
    ),
}
FIRST = {path: name for name, (path, _) in reversed(ROWS.items())}  # a row for each class


def made(tf: Any, path: str, **arguments: Any) -> Any:
    """An optimizer from the place of its class."""
    kind = tf.keras.optimizers
    for part in path.split("."):
        kind = getattr(kind, part)
    return kind(**arguments)


def variables(tf: Any) -> list[Any]:
    """A matrix, a vector, and a table of which some rows have gradients."""
    rng = np.random.default_rng(3)
    shapes = {"layer/kernel": (3, 2), "layer/bias": (2,), "table": (5, 2)}
    return [tf.Variable(_numbers(rng, *shape), name=name) for name, shape in shapes.items()]


def gradients(tf: Any, step: int) -> list[Any]:
    """Those of one step; the vector has none in the second, and rows of the table come twice."""
    rng = np.random.default_rng(10 + step)
    kernel, bias, rows = _numbers(rng, 3, 2), _numbers(rng, 2), _numbers(rng, 4, 2)
    indices = np.array([1, 3, 1, 0]) if step % 2 else np.array([4, 4, 4, 2])
    table = tf.IndexedSlices(tf.constant(rows), tf.constant(indices), tf.constant([5, 2]))
    return [tf.constant(kernel), None if step == 1 else tf.constant(bias), table]


def _numbers(rng: Any, *shape: int) -> np.ndarray:
    return rng.normal(size=shape).astype(np.float32)


def weights_of(optimizer: Any) -> list[Any]:
    """The variables of an optimizer of today or of the legacy ones."""
    return list(optimizer.variables())


def steps(tf: Any, optimizer: Any, held: list[Any], first: int = 0, last: int = 5) -> None:
    """Take some of the five steps."""
    for step in range(first, last):
        optimizer.apply_gradients(zip(gradients(tf, step), held))
