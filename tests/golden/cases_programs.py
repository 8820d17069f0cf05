"""Small programs of all kinds, most of them from the documentation; see `cases.py`."""

import numpy as np


def counts_have_the_dtype_of_the_numbers(tf):
    found = []
    for dtype in (np.int32, np.int64):
        dense = np.array([[10, 20, 10], [11, 1, 11]], dtype)
        ragged = tf.ragged.constant([[1, 2], [3]], dtype=dtype)
        for values in (dense, tf.sparse.from_dense(dense), ragged):
            for axis in (0, -1):
                for binary in (False, True):
                    count = tf.sparse.bincount(values, axis=axis, binary_output=binary)
                    found.append([count.values, count.indices])
    return found


def constant_of_a_tensor_is_the_tensor(tf):
    v, x = tf.Variable([1.0]), tf.constant([1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.constant(v + v)
        z = tf.constant(x * 3, dtype=tf.float32)
    return [tape.gradient(y, v), tape.gradient(z, x), tf.constant(x) is x]


def recomputed_functions_know_the_original(tf):
    def square(x):
        return x * x

    again = tf.recompute_grad(square)
    return [again.__wrapped__ is square, again.__name__, again(tf.constant(2.0))]


def numpy_functions_get_scalars(tf):
    kinds = []

    def note(x):
        kinds.append(type(x).__name__)
        return np.float32(1)

    for value in ("a", ["a"], 1.5, [1.5], True, 3):
        tensor = tf.constant(value)
        tf.numpy_function(note, [tensor], tf.float32)
        tf.function(lambda x: tf.numpy_function(note, [x], tf.float32))(tensor)
    return kinds


def numpy_functions_of_text(tf):
    def upper(text):
        return text.decode().upper()

    dataset = tf.data.Dataset.from_tensor_slices(["a", "b"])
    mapped = dataset.map(lambda x: tf.numpy_function(upper, [x], tf.string))
    fn = tf.function(lambda x: tf.numpy_function(upper, [x], tf.string))
    return [x.numpy().decode() for x in (fn(tf.constant("ab")), *mapped)]


def products_at_places_of_batches(tf):
    places = tf.constant([[[0, 1], [1, 0]], [[0, 0], [1, 0]]])
    values = tf.constant([[3.0, 5.0], [2.0, 7.0]])
    left = tf.reshape(tf.range(1.0, 13.0), [2, 2, 3])
    right = tf.reshape(tf.range(13.0, 25.0), [2, 3, 2])
    sampled = tf.sparse.sampled_addmm
    return [
        sampled(places, values, [2, 2], left, right, alpha=0.75, beta=0.25),
        sampled(places[None], values[None], [2, 2], left[None], right[None])[1],
        sampled(places, values, [2, 2], left[0], right[0])[1],
        sampled(places[0], values[0], [2, 2], left[0], right[0])[1],
    ]


def records_show_their_fields_in_order(tf):
    made = tf.experimental.StructuredTensor.from_pyval
    values = [{"z": 1, "y": {"x": 2}}, [{"b": 1, "a": [2]}, {"b": 3, "a": []}]]
    return [repr(made(value)) for value in values]


def capability_of_no_gpu(tf):
    if tf.config.list_physical_devices("GPU"):
        return False
    return tf.test.is_gpu_available(True, (3, 0))
