"""Variables, choices, loops and functions of `tf.keras.backend`."""

from __future__ import annotations

from typing import Any

import numpy as np

X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
MASK = np.array([[True, False, True, True], [True, True, False, False]])


def making_variables(tf: Any) -> Any:
    K = tf.keras.backend
    made = {
        "variable": K.variable([[1, 2], [3, 4]]),
        "integers": K.variable(2, dtype="int32", name="v"),
        "zeros": K.zeros((2, 3)),
        "zero_integers": K.zeros((2,), dtype="int32"),
        "ones": K.ones((2, 3), name="w"),
        "ones_float64": K.ones((2,), dtype="float64"),
        "eye": K.eye(3),
        "eye_int32": K.eye(2, dtype="int32"),
        "constrained": K.variable([1.0], constraint=tf.keras.constraints.NonNeg()),
    }
    return {k: [isinstance(v, tf.Variable), v.name, v] for k, v in made.items()}


def random_variables(tf: Any) -> Any:
    K = tf.keras.backend
    tf.random.set_seed(1)
    np.random.seed(2)
    return [
        K.random_uniform_variable((2, 3), 1.0, 2.0, seed=5),
        K.random_normal_variable((2, 3), 1.0, 2.0, seed=5),
        K.random_uniform_variable((3,), -1.0, 2.0),
        K.random_normal_variable((3,), -1.0, 2.0),
    ]


def random_numbers_seeded_by_numpy(tf: Any) -> Any:
    K = tf.keras.backend
    tf.random.set_seed(1)
    np.random.seed(2)
    return [
        K.random_normal((3,)),
        K.random_uniform((3,)),
        K.random_bernoulli((6,), 0.5),
        K.truncated_normal((3,)),
        K.dropout(tf.ones([6]), 0.5),
    ]


def values_of_variables(tf: Any) -> Any:
    K = tf.keras.backend
    v, w = K.variable([1.0, 2.0]), K.variable(3, dtype="int32")
    found = [K.get_value(v), K.batch_get_value([v, w]), K.eval(v), K.get_value("text")]
    K.set_value(v, [5, 6])
    K.batch_set_value([(w, 7.0), (v, v.numpy() + 1)])
    return [*found, v, w, K.count_params(v)]


def a_value_of_another_shape(tf: Any) -> Any:
    return tf.keras.backend.set_value(tf.Variable([1.0, 2.0]), [1.0, 2.0, 3.0])


def updating_variables(tf: Any) -> Any:
    K = tf.keras.backend
    v = K.variable([1.0, 2.0])
    found = [K.update(v, [3.0, 4.0]) + 0, K.update_add(v, [1.0, 1.0]) + 0]
    found += [K.update_sub(v, [0.5, 0.5]) + 0]
    return [*found, K.moving_average_update(v, tf.constant([0.0, 1.0]), 0.9) + 0, v]


def updating_to_another_shape(tf: Any) -> Any:
    return tf.keras.backend.update(tf.Variable([1.0, 2.0]), [1.0])


def values_inside_a_function(tf: Any) -> Any:
    v = tf.Variable(1.0)
    return tf.function(lambda: tf.keras.backend.batch_get_value([v]))()


def settings(tf: Any) -> Any:
    K = tf.keras.backend
    before = [K.floatx(), K.epsilon(), K.image_data_format(), K.learning_phase()]
    K.set_floatx("float64")
    K.set_epsilon(1e-3)
    K.set_image_data_format("channels_first")
    made = [K.variable(1), K.zeros((1,)), K.constant(2), K.random_uniform((1,), seed=1).dtype.name]
    padded = K.spatial_2d_padding(tf.ones([1, 1, 1, 1]), ((1, 0), (0, 0))).shape.as_list()
    after = [K.floatx(), K.epsilon(), K.image_data_format(), K.cast_to_floatx([1])]
    K.set_floatx("float32")
    K.set_epsilon(1e-7)
    K.set_image_data_format("channels_last")
    return before, made, padded, after


def unknown_floatx(tf: Any) -> Any:
    tf.keras.backend.set_floatx("float")


def unknown_image_data_format(tf: Any) -> Any:
    tf.keras.backend.set_image_data_format("last")


def numbers_of_names(tf: Any) -> Any:
    K = tf.keras.backend
    K.clear_session()
    found = [K.get_uid("a"), K.get_uid("a"), K.get_uid("b"), K.get_uid()]
    K.reset_uids()
    return [*found, K.get_uid("a")]


def random_generators(tf: Any) -> Any:
    switch = tf.keras.backend.experimental
    before = switch.is_tf_random_generator_enabled()
    switch.enable_tf_random_generator()
    enabled = switch.is_tf_random_generator_enabled()
    switch.disable_tf_random_generator()
    return before, enabled, switch.is_tf_random_generator_enabled()


def switches(tf: Any) -> Any:
    K = tf.keras.backend
    yes, no = tf.ones([2, 3]), tf.zeros([2, 3])
    return [
        K.switch(tf.constant(True), yes, no),
        K.switch(tf.constant(0), lambda: yes, lambda: no),
        K.switch(tf.constant([[True], [False]]), yes, no),
        K.switch(tf.constant([True, False, True]), yes, no),
        K.switch(tf.constant([[1, 0, 0], [0, 1, 1]]), yes, lambda: no),
        tf.function(lambda c: K.switch(c, lambda: yes, lambda: no))(tf.constant(True)),
    ]


def a_condition_of_too_many_axes(tf: Any) -> Any:
    return tf.keras.backend.switch(tf.constant([[True]]), tf.ones([1]), tf.zeros([1]))


def phases(tf: Any) -> Any:
    K = tf.keras.backend
    found = [
        K.in_train_phase(1, 2),
        K.in_train_phase(lambda: 1, lambda: 2, training=True),
        K.in_train_phase(1, 2, training=1),
        K.in_test_phase(1, 2),
        K.in_test_phase(1, lambda: 2, training=True),
        K.in_train_phase(tf.constant(1), tf.constant(2), training=tf.constant(True)),
    ]

    class Phase(tf.keras.layers.Layer):
        def call(self, x, training=None):
            return K.in_train_phase(x * 2, x)

    layer = Phase()
    return [*found, layer(tf.constant(1.0), training=True), layer(tf.constant(1.0))]


def _total(x: Any, states: Any) -> Any:
    return states[0] + x, [states[0] + x]


def _with_constant(x: Any, states: Any) -> Any:
    total, count, factor = states
    return {"sum": (total + x) * factor, "count": count + 1}, [total + x, count + 1]


def recurrence(tf: Any) -> Any:
    K = tf.keras.backend
    x, start = tf.constant(X), [tf.ones([2, 3])]
    mask = tf.constant(MASK)
    return {
        "plain": K.rnn(_total, x, start),
        "backwards": K.rnn(_total, x, start, go_backwards=True),
        "masked": K.rnn(_total, x, start, mask=mask),
        "masked_wide": K.rnn(_total, x, start, mask=mask[..., None]),
        "masked_zeros": K.rnn(_total, x, start, mask=mask, zero_output_for_mask=True),
        "masked_backwards": K.rnn(_total, x, start, mask=mask, go_backwards=True),
        "numbers_as_mask": K.rnn(_total, x, start, mask=tf.cast(mask, tf.int32)),
        "unrolled": K.rnn(_total, x, start, unroll=True),
        "unrolled_masked": K.rnn(_total, x, start, mask=mask, unroll=True),
        "unrolled_zeros": K.rnn(
            _total, x, start, mask=mask, unroll=True, zero_output_for_mask=True
        ),
        "time_major": K.rnn(_total, tf.transpose(x, [1, 0, 2]), start, time_major=True),
        "last_only": K.rnn(_total, x, start, return_all_outputs=False),
        "lengths": K.rnn(_total, x, start, input_length=tf.constant([2, 4])),
        "lengths_backwards": K.rnn(
            _total, x, start, input_length=tf.constant([2, 4]), go_backwards=True
        ),
        "constants": K.rnn(
            _with_constant, x, [tf.ones([2, 3]), tf.zeros([2, 1])], constants=[tf.constant(2.0)]
        ),
    }


def recurrence_in_a_function(tf: Any) -> Any:
    K = tf.keras.backend

    specs = [tf.TensorSpec([None, None, 3]), tf.TensorSpec([None, None], "bool")]

    @tf.function(input_signature=specs)
    def run(x: Any, mask: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            found = K.rnn(_total, x, [tf.zeros_like(x[:, 0])], mask=mask)
            loss = tf.reduce_sum(found[1] ** 2)
        return found, tape.gradient(loss, x)

    return run(tf.constant(X), tf.constant(MASK))


def recurrence_of_matrices(tf: Any) -> Any:
    return tf.keras.backend.rnn(_total, tf.ones([2, 3]), [tf.ones([2])])


def recurrence_in_a_model(tf: Any) -> Any:
    inputs = tf.keras.Input((4, 3))
    last, every, _ = tf.keras.backend.rnn(_total, inputs, [tf.zeros([2, 3])])
    return tf.keras.Model(inputs, [last, every])(X)


def folding(tf: Any) -> Any:
    K, x = tf.keras.backend, tf.constant([1.0, 2.0, 3.0])
    return [
        K.map_fn(lambda v: v * 2, x),
        K.map_fn(lambda v: tf.cast(v, tf.int32), x, dtype=tf.int32),
        K.foldl(lambda a, v: a * 10 + v, x),
        K.foldr(lambda a, v: a * 10 + v, x),
        K.foldl(lambda a, v: a + v, x, initializer=tf.constant(5.0)),
        K.foldr(lambda a, v: a - v, x, initializer=tf.constant(5.0)),
    ]


def functions(tf: Any) -> Any:
    K = tf.keras.backend
    a, b = tf.keras.Input((3,)), tf.keras.Input((3,))
    x = X[0]
    return [
        K.function([a, b], [a + b])([x, x]),
        K.function([a, b], a * b)([x, x]),
        K.function(a, [a + 1, K.sum(a, keepdims=True)])(x),
        type(K.function(a, K.sum(a))(x)).__name__,
        K.function({"a": a}, {"twice": a * 2})({"a": x}),
    ]


def a_function_of_placeholders(tf: Any) -> Any:
    K = tf.keras.backend
    x = K.placeholder(shape=(None, 3))
    y = K.placeholder(ndim=2, dtype="float32", name="y")
    kinds = [K.int_shape(x), K.dtype(x), K.int_shape(y), K.is_keras_tensor(x), K.ndim(y)]
    sparse = K.placeholder((2, 3), sparse=True)
    return kinds, K.is_sparse(sparse), K.function([x], [K.mean(x, axis=-1)])([X[0]])


def a_placeholder_both_sparse_and_ragged(tf: Any) -> Any:
    return tf.keras.backend.placeholder((2, 3), sparse=True, ragged=True)


def a_function_with_updates(tf: Any) -> Any:
    a = tf.keras.Input((3,))
    return tf.keras.backend.function([a], [a], updates=[1])


def a_function_for_a_session(tf: Any) -> Any:
    a = tf.keras.Input((3,))
    return tf.keras.backend.function([a], [a], feed_dict={})


def outputs_of_layers(tf: Any) -> Any:
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(3,)),
            tf.keras.layers.Activation("relu"),
        ]
    )
    wanted = [layer.output for layer in model.layers]
    return tf.keras.backend.function([model.input], wanted)([X[0]])


def gradients(tf: Any) -> Any:
    K = tf.keras.backend

    @tf.function
    def slopes(x: Any) -> Any:
        y = K.sum(K.square(x) * K.stop_gradient(x))
        return K.gradients(y, [x])

    return slopes(tf.constant(X[0]))


def gradients_outside_a_function(tf: Any) -> Any:
    x = tf.constant(1.0)
    return tf.keras.backend.gradients(x, [x])


def constants_among_variables(tf: Any) -> Any:
    return list(tf.keras.backend.stop_gradient([tf.constant(1.0), tf.constant(2.0)]))


def names_in_a_scope(tf: Any) -> Any:
    with tf.keras.backend.name_scope("outer"):
        return tf.keras.backend.variable(1.0, name="inner").name


def a_model_of_backend_functions(tf: Any) -> Any:
    K = tf.keras.backend
    x = tf.keras.Input((4, 3))
    y = K.concatenate([K.relu(x, alpha=0.1), K.clip(K.exp(x), 0.0, 2.0)])
    y = K.softmax(K.dot(y, K.constant(np.linspace(0, 1, 12).reshape(6, 2))))
    z = K.batch_flatten(K.permute_dimensions(y, (0, 2, 1)))
    distance = K.sqrt(K.sum(K.square(z - K.mean(z, axis=-1, keepdims=True)), axis=-1))
    loss = K.binary_crossentropy(K.zeros_like(z), K.sigmoid(z))
    model = tf.keras.Model(x, [z, distance, loss, K.batch_dot(x, x, axes=(2, 2))])
    shapes = [t.shape.as_list() for t in model.outputs]
    return shapes, model(X), tf.function(model)(X)


def a_lambda_of_backend_functions(tf: Any) -> Any:
    K = tf.keras.backend
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Lambda(lambda x: K.l2_normalize(x, axis=-1)),
            tf.keras.layers.Lambda(lambda x: K.repeat_elements(K.expand_dims(x, 1), 2, axis=1)),
        ]
    )
    return model(X), model.predict(X, verbose=0)


def losses_and_metrics_of_backend_functions(tf: Any) -> Any:
    K = tf.keras.backend

    def dice(y_true: Any, y_pred: Any) -> Any:
        both = K.sum(K.flatten(y_true) * K.flatten(y_pred))
        return 1 - (2 * both + K.epsilon()) / (K.sum(y_true) + K.sum(y_pred) + K.epsilon())

    def rounded(y_true: Any, y_pred: Any) -> Any:
        return K.mean(K.equal(y_true, K.round(y_pred)))

    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, "sigmoid", kernel_initializer="ones", input_shape=(3,))]
    )
    model.compile("sgd", dice, [rounded])
    K.set_value(model.optimizer.learning_rate, 0.5)
    history = model.fit(X[0], np.float32([[0], [0], [1], [1]]), batch_size=4, epochs=3, verbose=0)
    found = {k: np.float32(v) for k, v in history.history.items()}
    return found, K.get_value(model.optimizer.learning_rate), model.get_weights()
