"""Which ops have a gradient: those that have one in TensorFlow."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import runnel as tf
from runnel.core.op.registry import gradients

GOLDEN = Path(__file__).parents[2] / "golden" / "gradient_registry.json"
OTHERWISE = {
    "MatrixExponential": "tf.linalg.expm is this op here, and other ops there",
    "ResizeBilinearGrad": "said to have none there, so that second derivatives lose a part",
    "IteratorGetNext": "a loop over a dataset holds an iterator here",
    "IteratorGetNextAsOptional": "a loop over a dataset holds an iterator here",
    "ArgMax": "a function that always answers None there",
    "ArgMin": "a function that always answers None there",
    "Rint": "a function that always answers None there",
    "QuantizeAndDequantizeV4Grad": "a function that cannot be called there",
    "SparseSparseMaximum": "a function that cannot be called there",
    "SparseSparseMinimum": "a function that cannot be called there",
    "XlaEinsum": "not in tf.raw_ops there, and so not in the list",
    "XlaSharding": "not in tf.raw_ops there, and so not in the list",
    **{
        f"TensorArray{name}V3": "loops of TensorFlow 1 can be run here, and not be differentiated"
        for name in ("Concat", "Gather", "Read", "Scatter", "Split", "Write")
    },
}


def test_ops_have_gradients_where_tensorflow_has_them() -> None:
    answers = json.loads(GOLDEN.read_text())
    ours = {name: None if rule is None else "function" for name, rule in gradients.items()}
    theirs = dict.fromkeys(answers["none"]) | dict.fromkeys(answers["function"], "function")
    missing = "missing"
    wrong = {
        name: (ours.get(name, missing), theirs.get(name, missing))
        for name in dir(tf.raw_ops)
        if ours.get(name, missing) != theirs.get(name, missing)
    }
    assert wrong.keys() == OTHERWISE.keys(), wrong


def _image() -> tf.Tensor:
    return tf.constant(np.linspace(0.1, 0.9, 12, dtype=np.float32).reshape(1, 2, 2, 3))


def _turned(image: tf.Tensor) -> tf.Tensor:
    return tf.raw_ops.AdjustHue(images=image, delta=0.1)


def _by_tape(image: tf.Tensor) -> tf.Tensor:
    with tf.GradientTape() as tape:
        tape.watch(image)
        turned = _turned(image)
    return tape.gradient(turned, image)


def _by_tangents(image: tf.Tensor) -> tf.Tensor:
    with tf.autodiff.ForwardAccumulator(image, tf.ones_like(image)) as accumulator:
        turned = _turned(image)
    return accumulator.jvp(turned)


def _of_function(image: tf.Tensor) -> tf.Tensor:
    with tf.GradientTape() as tape:
        tape.watch(image)
        turned = tf.function(_turned)(image)
    return tape.gradient(turned, image)


WAYS = {
    "tape": _by_tape,
    "tangents": _by_tangents,
    "function": _of_function,
    "graph": tf.function(_by_tape),
    "tf.gradients": tf.function(lambda image: tf.gradients(_turned(image), image)[0]),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_gradient_that_tensorflow_lacks_is_an_error_until_it_is_asked_for(
    way: str,
) -> None:
    advice = r'tf\.RegisterGradient\("AdjustHue"\)\(tf\.autodiff\.derived\)'
    with pytest.raises(LookupError, match=advice):
        WAYS[way](_image())
    tf.RegisterGradient("AdjustHue")(tf.autodiff.derived)
    try:
        assert np.isfinite(WAYS[way](_image())).all()
    finally:
        del gradients["AdjustHue"]


def test_the_derivative_of_what_runs_on_the_host_cannot_be_derived() -> None:
    x = tf.constant([1.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.unique(x).y
    with pytest.raises(LookupError, match=r'Give it one with tf\.RegisterGradient\("Unique"\)'):
        tape.gradient(y, x)


def test_a_gradient_is_registered_once() -> None:
    for register in (tf.RegisterGradient("AddV2"), lambda rule: tf.no_gradient("AddV2")):
        with pytest.raises(KeyError, match="AddV2"):
            register(tf.autodiff.derived)
