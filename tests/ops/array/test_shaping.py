"""Array functions and their gradients in functions whose shapes are not known while tracing."""

import numpy as np
import pytest

import runnel as tf

X = np.arange(24, dtype=np.float32).reshape(4, 6) / 7
I = np.array([[2, 0], [1, 1], [0, 2], [3, 3]], np.int32)  # noqa: E741

FUNCTIONS = {
    "reshape": lambda x: tf.reshape(x, [-1, 3]),
    "reshape by shape": lambda x: tf.reshape(x, [tf.shape(x)[1], tf.shape(x)[0]]),
    "expand_dims": lambda x: tf.expand_dims(x, -1),
    "squeeze": lambda x: tf.squeeze(tf.expand_dims(x, 0), 0),
    "transpose": lambda x: tf.transpose(x),
    "broadcast_to": lambda x: tf.broadcast_to(x, [3, 4, 6]),
    "broadcast add": lambda x: x[:1] + x[:, :1],
    "concat": lambda x: tf.concat([x, x * 2.0], 0),
    "concat last": lambda x: tf.concat([x, x[:, :2]], -1),
    "stack": lambda x: tf.stack([x, x * x], 1),
    "split": lambda x: tf.split(x, 2, axis=1)[1] * 3.0,
    "split by sizes": lambda x: tf.split(x, [1, 5], axis=1)[1],
    "tile": lambda x: tf.tile(x, [2, 3]),
    "repeat": lambda x: tf.repeat(x, 2, axis=0),
    "repeat by counts": lambda x: tf.repeat(x, [1, 0, 2, 3], axis=0),
    "pad": lambda x: tf.pad(x, [[1, 2], [0, 1]]),
    "pad mirrored": lambda x: tf.pad(x, [[1, 2], [0, 1]], mode="REFLECT"),
    "slice": lambda x: tf.slice(x, [1, 0], [2, -1]),
    "strided slice": lambda x: x[::-2, 1:4],
    "gather": lambda x: tf.gather(x, [0, 0, 2]),
    "gather along": lambda x: tf.gather(x, [0, 0, 2], axis=1),
    "gather batched": lambda x: tf.gather(x, I, batch_dims=1),
    "gather_nd": lambda x: tf.gather_nd(x, I),
    "scatter_nd": lambda x: tf.scatter_nd([[0], [2], [0], [5]], x, [6, 6]),
    "tensor_scatter_nd_update": lambda x: tf.tensor_scatter_nd_update(x, [[1]], x[:1] * 5.0),
    "where": lambda x: tf.where(x > 1.0, x, -x),
    "boolean_mask": lambda x: tf.boolean_mask(x, [True, False, True, True]),
    "mask by value": lambda x: tf.boolean_mask(x, x > 1.0),
    "reverse": lambda x: tf.reverse(x, [0]),
    "roll": lambda x: tf.roll(x, 2, axis=1),
    "sort": lambda x: tf.sort(-x, axis=0),
    "dynamic_partition": lambda x: tf.dynamic_partition(x, [0, 1, 1, 0], 2)[1],
    "dynamic_stitch": lambda x: tf.dynamic_stitch([[0, 2], [1, 3]], [x[:2], x[2:]]),
    "one_hot": lambda x: tf.one_hot(tf.shape(x)[0] - 1, 4) * x[:, 0],
    "meshgrid": lambda x: tf.meshgrid(x[0], x[:, 0])[0],
    "linspace": lambda x: tf.linspace(x[0], x[1], 3),
    "zeros_like": lambda x: tf.zeros_like(x) + tf.ones_like(x) * x,
    "unstack": lambda x: tf.unstack(x, num=4)[2],
    "space_to_batch": lambda x: tf.space_to_batch(x[None], [2], [[0, 0]]),
    "ensure_shape": lambda x: tf.ensure_shape(x, [4, 6]),
}


def both(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return y, tape.gradient(y, x)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_unknown_shapes_give_the_same_values_and_gradients(name):
    function = FUNCTIONS[name]
    want = both(function, tf.constant(X))
    traced = tf.function(lambda x: both(function, x), input_signature=[tf.TensorSpec([None, None])])
    got = traced(tf.constant(X))
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(tf.convert_to_tensor(a), tf.convert_to_tensor(b), rtol=1e-6)


def test_static_shapes_are_inferred_as_far_as_they_can_be():
    @tf.function(input_signature=[tf.TensorSpec([None, 6])])
    def shapes(x):
        found = {
            "reshape": tf.reshape(x, [-1, 3]),
            "partly": tf.reshape(x, [tf.shape(x)[0], 2, 3]),
            "concat": tf.concat([x, x], 1),
            "stack": tf.stack([x, x], 1),
            "tile": tf.tile(x, [1, 2]),
            "slice": x[:, 1:4],
            "row": x[0],
            "gather": tf.gather(x, [1, 2], axis=1),
            "where": tf.where(x > 0),
            "one_hot": tf.one_hot([1, 2], 5),
            "pad": tf.pad(x, [[0, 0], [1, 1]]),
            "transpose": tf.transpose(x),
        }
        for key, value in found.items():
            seen[key] = value.shape.as_list()
        return x

    seen = {}
    shapes(tf.constant(X))
    assert seen == {
        "reshape": [None, 3],
        "partly": [None, 2, 3],
        "concat": [None, 12],
        "stack": [None, 2, 6],
        "tile": [None, 12],
        "slice": [None, 3],
        "row": [6],
        "gather": [None, 2],
        "where": [None, 2],
        "one_hot": [2, 5],
        "pad": [None, 8],
        "transpose": [6, None],
    }


def test_bad_shapes_are_found_while_tracing():
    @tf.function
    def wrong(x):
        return tf.reshape(x, [5, 5])

    with pytest.raises(ValueError, match="Reshape: `tensor` must have as many elements"):
        wrong(tf.constant(X))


def test_transposing_twice_changes_nothing():
    rng = np.random.default_rng(1)
    for rank in range(5):
        perm = rng.permutation(rank)
        x = tf.constant(rng.normal(size=rng.integers(1, 4, rank)))
        back = tf.transpose(tf.transpose(x, perm), np.argsort(perm))
        assert np.array_equal(back.numpy(), x.numpy())
