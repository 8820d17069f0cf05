"""`KerasTensor`s: what is known of the shapes that they hold, how they print, `set_shape`."""

from __future__ import annotations

from typing import Any


def _shown(*tensors: Any) -> list[str]:
    return [text for tensor in tensors for text in (repr(tensor), str(tensor))]


def a_shape_and_its_parts(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    shape = tf.shape(tf.keras.Input((None, 10)))
    return _shown(shape, shape[2], shape[0], shape[1:], *tf.unstack(shape))


def what_is_computed_of_a_shape(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    x = tf.keras.Input((None, 10))
    shape = tf.shape(x)
    joined = tf.concat([shape[:1], [4]], 0), tf.stack([shape[0], shape[2]])
    return _shown(*joined, shape * 2, shape[2] - 7, tf.size(x), tf.rank(x), tf.ones_like(shape))


def a_shape_that_is_all_known(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    x = tf.keras.Input((4, 10), batch_size=2)
    shape = tf.keras.backend.shape(x)
    return _shown(shape, shape + 1, tf.reduce_prod(shape), tf.range(tf.rank(x)), tf.split(shape, 3))


def only_int32_may_be_a_shape(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    x = tf.keras.Input((4, 10), batch_size=2)
    shape = tf.shape(x, out_type=tf.int64)
    return _shown(shape, tf.reshape(x, shape), tf.cast(tf.shape(x), tf.int64))


def integers_that_nothing_is_known_of(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    x = tf.keras.Input((3,), batch_size=5, dtype="int32")
    long = tf.keras.Input((255,), batch_size=2, dtype="int32")
    return _shown(x[:, 0], tf.reduce_sum(x), x[0] + 1, long[0], tf.reshape(x, [-1]))


def reshaping_by_a_stack_with_a_rest(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    x = tf.keras.Input((None, 10))
    made = tf.reshape(x, tf.stack([tf.shape(x)[0], -1]))
    batch, _, width = tf.unstack(tf.shape(x))
    again = tf.reshape(x, [batch, -1, width // 2])
    model = tf.keras.Model(x, [made, again])
    return [made.shape, again.shape, model(tf.ones((2, 3, 10)))[0].shape, model.output_shape]


def functions_that_hand_a_value_on_make_one_layer(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    x = tf.keras.Input((4,))
    return _shown(tf.identity(x), tf.stop_gradient(x))


def set_shape_of_each_kind(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    dense, sparse = tf.keras.Input((None, 10)), tf.keras.Input((None, 3), sparse=True)
    ragged = tf.keras.Input((None, 3), ragged=True)
    dense.set_shape((None, 4, 10))
    sparse.set_shape((7, None, None))
    ragged.set_shape((5, None, 3))
    return _shown(dense, sparse, ragged)


def _wrong_shape(tf: Any, **kind: Any) -> Any:
    return tf.keras.Input((None, 3), **kind).set_shape((7, None, 4))


def a_dense_shape_that_does_not_fit(tf: Any) -> Any:
    return _wrong_shape(tf)


def a_sparse_shape_that_does_not_fit(tf: Any) -> Any:
    return _wrong_shape(tf, sparse=True)


def a_ragged_shape_that_does_not_fit(tf: Any) -> Any:
    return _wrong_shape(tf, ragged=True)


def which_dimensions_of_an_input_are_ragged(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    shapes = ((None, 3), (None, None, 3), (2, None, 3), (3,), (None,), (None, None))
    found = [tf.keras.Input(shape, ragged=True) for shape in shapes]
    return [repr(t.type_spec) for t in found] + _shown(found[0].values, found[1].flat_values)


def a_ragged_input_with_rows_of_one_size(tf: Any) -> Any:
    x = tf.keras.Input((None, 2), ragged=True)
    model = tf.keras.Model(x, tf.reduce_sum(x.to_tensor(), axis=1))
    rows = tf.RaggedTensor.from_row_lengths([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [2, 1])
    return [model(rows), model.predict(rows, verbose=0)]
