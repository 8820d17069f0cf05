"""Initializers that share a seed, and schedules."""

from __future__ import annotations

from typing import Any


def initializers_by_the_seed_of_all(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(3)
    return [tf.keras.initializers.get(name)((2, 3)) for name in ("glorot_uniform", "he_normal")]


def schedules(tf: Any) -> Any:
    s = tf.keras.optimizers.schedules
    kinds = [
        s.ExponentialDecay(0.1, 10, 0.5),
        s.ExponentialDecay(0.1, 10, 0.5, staircase=True),
        s.InverseTimeDecay(0.1, 10, 0.5),
        s.PolynomialDecay(0.1, 10, 0.01, power=2.0),
        s.PolynomialDecay(0.1, 10, 0.01, cycle=True),
        s.PiecewiseConstantDecay([3, 12], [0.1, 0.01, 0.001]),
        s.CosineDecay(0.1, 10, alpha=0.1),
        s.CosineDecay(0.0, 10, warmup_target=0.1, warmup_steps=5),
        s.CosineDecayRestarts(0.1, 5, m_mul=0.5, alpha=0.1),
        s.CosineDecayRestarts(0.1, 5, t_mul=1.0),
    ]
    return [[[kind(step) for step in (0, 3, 7, 12, 40)], kind.get_config()] for kind in kinds]
