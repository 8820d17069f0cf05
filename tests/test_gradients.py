"""The gradient of every op in two more ways: traced in a graph, and by `jax.vjp` of its kernel.

`test_conformance.py` compares gradients with TensorFlow's and with finite differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.backend.jax import jax, jnp
from runnel.core.op import op as op_module
from runnel.core.op.raw import raw_ops
from tests.samples import Sample, families, rows, weights
from tests.samples.answers import _flat, _is_float
from tests.tables import table
from tests.test_conformance import _op_and_arguments, assert_same, golden

LOOSE = 20.0  # times the tolerance of values

# Where TensorFlow's gradient, and so ours, is not the derivative that JAX takes of the kernel.
CONVENTIONS = {
    "Cholesky": "TensorFlow spreads the gradient over both triangles",
    "SelfAdjointEigV2": "TensorFlow puts it into one triangle",
    "SoftmaxCrossEntropyWithLogits": "labels get the gradient of a cross entropy with any sum",
    "FusedBatchNorm": "the outputs for the gradient count as constants",
    "FusedBatchNormV2": "the outputs for the gradient count as constants",
    "FusedBatchNormV3": "the outputs for the gradient count as constants",
    "FusedBatchNormGrad": "mean and variance count as functions of the input",
    "FusedBatchNormGradV2": "mean and variance count as functions of the input",
    "FusedBatchNormGradV3": "mean and variance count as functions of the input",
    "ImageProjectiveTransformV2": "TensorFlow transforms the gradient by the inverse",
    "ImageProjectiveTransformV3": "TensorFlow transforms the gradient by the inverse",
    "QuantizeAndDequantizeV2": "rounding counts as the identity",
    "QuantizeAndDequantizeV3": "rounding counts as the identity",
    "QuantizeAndDequantizeV4": "rounding counts as the identity",
    "FakeQuantWithMinMaxArgs": "rounding counts as the identity",
    "FakeQuantWithMinMaxVars": "rounding counts as the identity",
    "FakeQuantWithMinMaxVarsPerChannel": "rounding counts as the identity",
    "CTCLoss": "its second output is the gradient",
    "Eig": "JAX does not differentiate eigenvectors",
    "NextAfter": "JAX does not differentiate it",
    "UnsortedSegmentProd": "JAX does not differentiate it",
    "Sign": "TensorFlow's is zero for complex numbers too",
    "NthElement": "TensorFlow divides the gradient among ties",
    "Spence": "JAX finds NaN in the branches that are not taken",
    "SparseReorder": "JAX cannot differentiate a function that must know its indices",
    "SparseSoftmax": "JAX cannot differentiate a function that must know its indices",
}


# Their gradients want to know the sizes of matrices while tracing, in TensorFlow too.
WANT_SIZES = ("Svd", "Qr", "MatrixSolveLs", "BandedTriangularSolve")


def _has_gradient(family: str, row: Sample) -> bool:
    return row.gradient and row.judged and "grad0" in golden(family, row)


def _all_rows() -> list[tuple[str, Sample]]:
    return [(f, r) for f in families("ops_") for r in rows(f) if _has_gradient(f, r)]


def _id(case: tuple[str, Sample]) -> str:
    return case[1].id


def _kernel_rows() -> list[tuple[str, Sample]]:
    """One row for each op, without kinks."""
    chosen: dict[str, Any] = {}
    for family, row in _all_rows():
        op = getattr(raw_ops, row.op)
        plain = not (op.host or op.state or op.lower) and row.op not in CONVENTIONS
        if plain and row.differences:
            chosen.setdefault(row.op, (family, row))
    return list(chosen.values())


def _arriving(outputs: list[Any]) -> list[Any]:
    return [
        tf.constant(weights(tuple(t.shape), t.dtype.as_numpy_dtype, i))
        for i, t in enumerate(outputs)
    ]


def _gradients(op: Any, inputs: list[Any], attrs: Any, arriving: list[Any]) -> list[Any]:
    watched = [t for t in inputs if _is_float(t)]
    with tf.GradientTape() as tape:
        tape.watch(watched)
        outputs = [t for t in _flat(op_module.execute(op, inputs, attrs)) if _is_float(t)]
    found = tape.gradient(outputs, watched, output_gradients=arriving)
    return [None if g is None else tf.convert_to_tensor(g) for g in found]


@table("family, row", _all_rows(), ids=_id, by=lambda family, row: f"{family}-{row.op}")
def test_gradient_in_a_graph_is_the_eager_one(family: str, row: Sample) -> None:
    op, inputs, attrs = _op_and_arguments(row)
    if op.state is not None or (op.stateful and op.host):
        assert op.stateful  # each run has its own numbers
        return
    outputs = [t for t in _flat(op_module.execute(op, inputs, attrs)) if _is_float(t)]
    arriving = _arriving(outputs)
    eager = _gradients(op, inputs, attrs, arriving)
    static = op.static_places(attrs)
    moving = [t for i, t in enumerate(inputs) if i not in static]

    @tf.function(autograph=False)
    def traced(given: Any, arriving: Any) -> Any:
        rest = iter(given)
        flat = [t if i in static else next(rest) for i, t in enumerate(inputs)]
        return [g for g in _gradients(op, flat, attrs, arriving) if g is not None]

    unknown = [tf.TensorSpec([None] * len(t.shape), t.dtype) for t in moving]
    for specs in (moving, unknown)[: 1 if row.op in WANT_SIZES else 2]:
        got = traced.get_concrete_function(specs, arriving)(moving, arriving)
        for a, b in zip(got, [g for g in eager if g is not None], strict=True):
            assert_same(a.numpy(), b.numpy(), row, "gradient in a graph", scale=4.0)


@table("family, row", _kernel_rows(), ids=_id, by=lambda family, row: family)
def test_gradient_is_that_of_the_kernel(family: str, row: Sample) -> None:
    op, inputs, attrs = _op_and_arguments(row)
    static = op.static_places(attrs)
    places = [i for i, t in enumerate(inputs) if _is_float(t) and i not in static]
    outputs = _flat(op_module.execute(op, inputs, attrs))
    counted = [i for i, t in enumerate(outputs) if _is_float(t)]
    arriving = _arriving([outputs[i] for i in counted])
    ours = _gradients(op, inputs, attrs, arriving)
    values = [t._value for t in inputs]

    def pulled(moved: list[Any], cotangents: list[Any]) -> Any:
        def kernel(*given: Any) -> list[Any]:
            replaced = dict(zip(places, given, strict=True))
            flat = [replaced.get(i, value) for i, value in enumerate(values)]
            results = _flat(op.run(jnp, flat, attrs))
            return [results[i] for i in counted]

        return jax.vjp(kernel, *moved)[1](cotangents)

    # TensorFlow's gradient of complex numbers is the conjugate of JAX's.
    cotangents = [np.conj(t.numpy()) for t in arriving]
    found = jax.jit(pulled)([values[i] for i in places], cotangents)
    for got, want in zip(ours, found, strict=True):
        if got is not None:
            assert_same(got.numpy(), np.conj(np.asarray(want)), row, "jax.vjp", scale=LOOSE)
