"""Initializers, regularizers, constraints, activations and schedules."""

from __future__ import annotations

from typing import Any

import numpy as np

X = np.linspace(-3, 3, 12, dtype=np.float32).reshape(3, 4)


def initializers(tf: Any) -> Any:
    kinds = """GlorotUniform GlorotNormal HeUniform HeNormal LecunUniform LecunNormal RandomNormal
    RandomUniform TruncatedNormal""".split()
    i = tf.keras.initializers
    found = {name: getattr(i, name)(seed=7)((4, 3)) for name in kinds}
    found["scaled"] = i.VarianceScaling(2.0, "fan_out", "untruncated_normal", seed=7)((3, 2, 4))
    found["orthogonal"] = abs(i.Orthogonal(seed=7)((4, 3)))
    found["identity"] = i.Identity(2.0)((3, 2))
    found["constant"] = i.Constant(1.5)((3, 2))
    return found


def initializers_by_the_seed_of_all(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(3)
    return [tf.keras.initializers.get(name)((2, 3)) for name in ("glorot_uniform", "he_normal")]


def regularizers(tf: Any) -> Any:
    r = tf.keras.regularizers
    x = tf.constant(X)
    kinds = [r.L1(0.1), r.L2(0.2), r.L1L2(0.1, 0.2), r.OrthogonalRegularizer(0.1, "columns")]
    return [[kind(x), kind.get_config()] for kind in kinds] + [r.get("l1_l2")(x)]


def constraints(tf: Any) -> Any:
    c = tf.keras.constraints
    x = tf.constant(X)
    square = tf.reshape(tf.range(25.0), [5, 5, 1, 1])
    return [
        c.MaxNorm(2.0)(x),
        c.MaxNorm(2.0, axis=1)(x),
        c.NonNeg()(x),
        c.UnitNorm()(x),
        c.MinMaxNorm(0.5, 1.0, 0.5)(x),
        c.RadialConstraint()(square),
        c.RadialConstraint()(square[:4, :4]),
    ]


def activations(tf: Any) -> Any:
    a = tf.keras.activations
    x = tf.constant(X)
    names = """elu exponential gelu hard_sigmoid linear mish relu selu sigmoid softmax softplus
    softsign swish tanh""".split()
    found = {name: a.get(name)(x) for name in names}
    found["relu_all"] = a.relu(x, alpha=0.1, max_value=2.0, threshold=0.5)
    found["relu_6"] = a.relu(x, max_value=6)
    found["elu_2"] = a.elu(x, alpha=2.0)
    found["gelu_fast"] = a.gelu(x, approximate=True)
    return found


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
