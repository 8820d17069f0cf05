"""Products whose first factor is transposed: XLA gets them the other way round, or laid out."""

import numpy as np
import pytest

import runnel as tf
from runnel.core import onednn, xla
from runnel.core.xla import jax, jnp
from runnel.ops import matmul

WIDE = [  # the two factors, of which the first is to be transposed
    ((128, 256), (128, 32)),
    ((130, 128), (130, 1)),
    ((4, 128, 128), (4, 128, 16)),
    ((2, 3, 128, 128), (3, 128, 8)),
    ((128, 128), (5, 128, 8)),
    ((3, 128), (3, 1)),  # too few rows
]


def floats(shapes):
    """The same for the same shapes, whatever runs before."""
    random = np.random.default_rng(5)
    return [random.standard_normal(shape, np.float32) for shape in shapes]


def factors(shapes):
    return list(map(tf.constant, floats(shapes)))


def expected(a, b):
    return np.swapaxes(a.numpy().astype(np.float64), -1, -2) @ b.numpy().astype(np.float64)


@pytest.mark.parametrize("shapes", WIDE, ids=str)
def test_a_wide_transposed_factor(shapes):
    a, b = factors(shapes)
    multiply = tf.function(lambda a, b: tf.matmul(a, b, transpose_a=True))
    np.testing.assert_allclose(multiply(a, b), expected(a, b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shapes", WIDE, ids=str)
def test_gradients_of_a_wide_transposed_factor(shapes):
    a, b = factors(shapes)

    def slopes(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            loss = tf.reduce_sum(tf.sin(tf.matmul(a, b, transpose_a=True)))
        return tape.gradient(loss, [a, b])

    for ours, plain in zip(tf.function(slopes)(a, b), slopes(a, b), strict=True):
        np.testing.assert_allclose(ours, plain, rtol=1e-4, atol=1e-4)


def test_wide_factors_under_a_vectorised_map():
    a, b = factors([(5, 128, 128), (5, 128, 8)])
    multiply = tf.function(
        lambda a, b: tf.vectorized_map(lambda x: tf.matmul(*x, transpose_a=True), (a, b))
    )
    np.testing.assert_allclose(multiply(a, b), expected(a, b), rtol=1e-5, atol=1e-5)


def primitives_in_a_part(monkeypatch, long, a, b, *turned):
    """The names of what computes a product in one of the parts that threads share."""
    monkeypatch.setattr(onednn, "long_vectors", lambda: long)
    with xla.sharing():
        traced = jax.make_jaxpr(lambda a, b: matmul.product(jnp, a, b, *turned))(a, b)
    found = jax.jit(jax.extend.core.jaxpr_as_fun(traced))(a, b)[0]
    np.testing.assert_allclose(
        found, matmul.product(np, a, b, *turned).astype(np.float32), rtol=1e-4, atol=1e-4
    )
    return [equation.primitive.name for equation in traced.jaxpr.eqns]


SIDES = (64, 80), (80, 96)


@pytest.mark.parametrize("turned", [(False, False), (False, True), (True, False), (True, True)])
def test_in_a_part_a_transposed_first_factor_is_laid_out(monkeypatch, turned):
    a, b = floats([shape[::-1] if turn else shape for shape, turn in zip(SIDES, turned)])
    names = primitives_in_a_part(monkeypatch, False, a, b, *turned)
    assert ("optimization_barrier" in names) is turned[0]
    assert "dot_general" in names


@pytest.mark.parametrize(
    ("long", "a", "b"),
    [
        (True, (512, 256), (512, 256)),
        (False, (512, 256), (512, 8)),
        (False, (32, 256), (32, 128)),
        (False, (4096, 64), (4096, 64)),
    ],
    ids=["long vectors", "a narrow factor", "few rows", "long columns"],
)
def test_other_products_in_a_part_are_as_elsewhere(monkeypatch, long, a, b):
    a, b = floats([a, b])
    names = primitives_in_a_part(monkeypatch, long, a, b, True, False)
    elsewhere = jax.make_jaxpr(lambda a, b: matmul.product(jnp, a, b, True, False))(a, b)
    assert names == [equation.primitive.name for equation in elsewhere.jaxpr.eqns]
