"""How ops are declared and called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.op.op import op
from runnel.core.op.raw import raw_ops

pytestmark = pytest.mark.smoke


def test_an_op_cannot_be_declared_twice() -> None:
    with pytest.raises(ValueError, match="AddV2 is declared twice"):
        op("AddV2", "x: T, y: T -> z: T")(lambda xp, x, y: x)


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ({"hevy": True}, "no option and no attribute `hevy`, did you mean `heavy`"),
        ({"Tidx": {tf.int32}}, "attribute `Tidx`: its attributes are \\['T', 'alpha'\\]"),
        ({"state": "updat"}, "state must be one of .*'update'.* got 'updat'"),
    ],
)
def test_a_misspelt_option_is_found_where_the_op_is_declared(
    option: dict[str, Any], hint: str
) -> None:
    def kernel(xp: Any, x: Any, *, alpha: float = 0.2) -> Any:
        return x

    with pytest.raises((TypeError, ValueError), match=hint):
        op("Misspelt", "x: T -> y: T", T={tf.float32}, **option)(kernel)
    assert not hasattr(tf.raw_ops, "Misspelt")


def test_traits_follow_from_others() -> None:
    moving, stateless = raw_ops.Transpose.traits, raw_ops.PyFuncStateless
    assert raw_ops.Add.traits.recompute == 1 and raw_ops.RealDiv.traits.recompute == 0
    assert moving.watched == 0 and raw_ops.Pack.traits.watched == 1
    assert stateless.host and not stateless.stateful and raw_ops.PrintV2.stateful


def test_none_stands_for_the_default_of_an_attribute() -> None:
    a, b = [[1.0, 2.0]], [[3.0], [4.0]]
    product = tf.raw_ops.MatMul(a=a, b=b, transpose_a=None, transpose_b=None)
    assert product.numpy().tolist() == [[11.0]]
    assert tf.raw_ops.ArgMax(input=[1.0, 2.0], dimension=0, output_type=None).dtype is tf.int64


def test_none_is_no_dtype_where_one_is_needed() -> None:
    with pytest.raises(TypeError, match="`DstT` must be a dtype, got None"):
        tf.raw_ops.Cast(x=[1.0], DstT=None)


def test_several_outputs_have_their_names() -> None:
    found = tf.raw_ops.TopKV2(input=[1.0, 3.0, 2.0], k=2)
    assert type(found).__name__ == "TopKV2"
    assert found.values.numpy().tolist() == [3.0, 2.0]
    assert found.indices.numpy().tolist() == [1, 2]


def test_a_list_output_is_a_list() -> None:
    assert isinstance(tf.raw_ops.Split(axis=0, value=[1, 2], num_split=2), list)


def test_outputs_have_their_names_while_tracing() -> None:
    @tf.function
    def first(x: tf.Tensor) -> tf.Tensor:
        return tf.raw_ops.Unique(x=x).y

    assert first(tf.constant([2, 2, 1])).numpy().tolist() == [2, 1]


def test_a_large_product_of_matrices_is_the_same_at_every_call() -> None:
    a = np.random.default_rng(0).standard_normal((800, 800), dtype=np.float32)
    first, second = tf.matmul(a, a), tf.matmul(a, a)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first, a @ a, rtol=1e-3, atol=1e-3)
