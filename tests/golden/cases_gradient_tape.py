"""Programs about `tf.GradientTape`; see `cases.py`."""

import threading

import numpy as np


def gradient_of_a_watched_tensor(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def gradient_of_a_variable(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v + v)
    return tape.gradient(y, v)


def a_tensor_that_is_not_watched_has_none(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x)


def a_variable_that_is_not_trainable_has_none(tf):
    v = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v
    return tape.gradient(y, v), len(tape.watched_variables())


def a_variable_that_is_not_trainable_can_be_watched(tf):
    v = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = v * v
    return tape.gradient(y, v), len(tape.watched_variables())


def variables_need_watching_without_watch_accessed_variables(tf):
    v, w = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * w
    return tape.gradient(y, [v, w]), [x.numpy() for x in tape.watched_variables()]


def watched_variables_come_in_the_order_of_their_making(tf):
    a, b, c = (tf.Variable(float(i)) for i in range(3))
    with tf.GradientTape() as tape:
        _ = c * b * c
        _ = a + b
    return [v.numpy() for v in tape.watched_variables()]


def a_persistent_tape_is_used_twice(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)


def a_tape_that_is_not_persistent_is_used_once(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    return tape.gradient(y, x)


def a_tape_that_never_recorded_raises(tf):
    return tf.GradientTape().gradient(tf.constant(1.0), tf.constant(1.0))


def entering_a_tape_twice_raises(tf):
    with tf.GradientTape() as tape, tape:
        return None


def entering_a_tape_again_goes_on(tf):
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    with tape:
        tape.watch(x)
        z = x * x * x
    return tape.gradient([y, z], x)


def entering_a_persistent_tape_again_goes_on(tf):
    x = tf.constant(3.0)
    tape = tf.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = x * x
    with tape:
        z = y * x
    return tape.gradient(z, x)


def watching_after_the_context(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        pass
    tape.watch(x)
    return tape.gradient(x, x)


def watching_a_number_raises(tf):
    with tf.GradientTape() as tape:
        tape.watch(3.0)


def watching_an_array_raises(tf):
    with tf.GradientTape() as tape:
        tape.watch(np.ones(2))


def watching_none_raises(tf):
    with tf.GradientTape() as tape:
        tape.watch(None)


def watching_a_nest(tf):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch({"a": x, "b": [y]})
        z = x * y
    return tape.gradient(z, {"a": x, "b": (y,)})


def watching_an_integer_warns(tf):
    x = tf.constant(2)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def watching_integers_again_and_again(tf):
    with tf.GradientTape() as tape:
        for i in range(20):
            tape.watch(tf.constant(i))


def watching_a_string_warns(tf):
    x = tf.constant("a")
    with tf.GradientTape() as tape:
        tape.watch(x)
    return tape.gradient(tf.constant(1.0), x)


def an_integer_target_has_none(tf):
    x = tf.constant(2.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.int32)
    return tape.gradient(y, x)


def an_integer_among_the_targets_adds_nothing(tf):
    x = tf.constant(2.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = [tf.cast(x, tf.int32), x * x]
    return tape.gradient(y, x)


def an_integer_on_the_way_cuts_the_path(tf):
    x = tf.constant(2.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.cast(x, tf.int32), tf.float32) * 2.0
    return tape.gradient(y, x)


def casting_between_floats_keeps_the_source_dtype(tf):
    x = tf.constant(2.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x, tf.float64) ** 2
    return tape.gradient(y, x)


def a_numpy_detour_cuts_the_path(tf):
    x = tf.constant(2.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(np.square(x.numpy())) * 2.0
    return tape.gradient(y, x)


def stop_gradient_cuts_one_path(tf):
    x = tf.constant(2.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * tf.stop_gradient(x)
    return tape.gradient(y, x)


def an_intermediate_tensor_is_a_source(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y + x
    return tape.gradient(z, [y, x])


def the_target_is_a_source(tf):
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, [y, x])


def a_source_that_is_its_own_target(tf):
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
    return tape.gradient(x, x)


def an_unwatched_source_that_is_its_own_target(tf):
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        pass
    return tape.gradient(x, x)


def a_variable_as_target(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        _ = v * 2.0
    return tape.gradient(v, v)


def the_same_source_twice(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, [x, x])


def the_same_target_twice(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient([y, y], x)


def several_targets_are_summed(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        targets = {"a": x * x, "b": (x * x * x, x)}
    return tape.gradient(targets, x)


def sources_in_a_dict(tf):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x * y * y
    return tape.gradient(z, {"y": y, "x": (x, [y])})


def no_sources(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, [])


def no_targets(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
    return tape.gradient([], x)


def a_string_as_source(tf):
    with tf.GradientTape() as tape:
        y = tf.constant(1.0) * 2.0
    return tape.gradient(y, "x")


def none_as_source(tf):
    with tf.GradientTape() as tape:
        y = tf.constant(1.0) * 2.0
    return tape.gradient(y, None)


def none_among_the_sources(tf):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
    return tape.gradient(y, [x, None])


def none_as_target(tf):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
    return tape.gradient(None, x)


def none_among_the_targets(tf):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
    return tape.gradient([None, y], x)


def a_string_as_target(tf):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
    return tape.gradient("y", x)


def output_gradients_weigh_the_target(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, output_gradients=tf.constant([1.0, 10.0, 100.0]))


def none_among_the_output_gradients(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        targets = [x * x, x + 1.0]
    return tape.gradient(targets, x, output_gradients=[None, tf.constant([5.0, 7.0])])


def output_gradients_of_several_targets(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        targets = [x * x, x + 1.0]
    return tape.gradient(targets, x, output_gradients=[[1.0, 2.0], tf.constant([5.0, 7.0])][1:] * 2)


def unconnected_gradients_as_zero(tf):
    x, y, v = tf.constant([1.0, 2.0]), tf.constant([[3.0]]), tf.Variable([4.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x * x
    return tape.gradient(z, [x, y, v], unconnected_gradients=tf.UnconnectedGradients.ZERO)


def unconnected_gradients_by_name(tf):
    x, y = tf.constant([1.0, 2.0]), tf.constant([[3.0]])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x * x
    return tape.gradient(z, [x, y], unconnected_gradients="zero")


def unconnected_gradients_of_another_name(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = x * x
    return tape.gradient(z, x, unconnected_gradients="nothing")


def an_integer_source_as_zero(tf):
    x = tf.constant([1, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = tf.constant(1.0) * 2.0
    return tape.gradient(z, x, unconnected_gradients="zero")


def stop_recording_leaves_a_path_out(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = x * x * x
        w = y + z
    return tape.gradient(w, x)


def stop_recording_outside_the_context_raises(tf):
    with tf.GradientTape() as tape:
        pass
    with tape.stop_recording():
        return None


def gradient_inside_stop_recording(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            g = tape.gradient(y, x)
        z = y * g
    return tape.gradient(z, x)


def reset_forgets(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        z = y * x
    return tape.gradient(z, x)


def reset_forgets_what_was_watched(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        tape.reset()
        z = x * x
    return tape.gradient(z, x)


def reset_outside_the_context(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.reset()
    return tape.gradient(y, x)


def gradient_inside_its_own_context(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        g = tape.gradient(y, x)
        z = g * x
    return g, z


def a_tape_that_gave_its_gradient_inside_records_no_more(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        g = tape.gradient(y, x)
        z = g * x
    return tape.gradient(z, x)


def gradient_of_gradient_inside_a_persistent_tape(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        g = tape.gradient(y, x)
    return g, tape.gradient(g, x)


def second_derivative_by_nested_tapes(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


def third_derivative(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as t3:
        with tf.GradientTape() as t2:
            with tf.GradientTape() as t1:
                y = tf.exp(x) * x * x
            g1 = t1.gradient(y, x)
        g2 = t2.gradient(g1, x)
    return g1, g2, t3.gradient(g2, x)


def the_outer_tape_does_not_see_a_gradient_taken_outside(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        y = x * x * x
    g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


def two_tapes_at_once(tf):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as first, tf.GradientTape() as second:
        first.watch(x)
        second.watch(y)
        z = x * y * y
    return first.gradient(z, [x, y]), second.gradient(z, [x, y])


def tapes_left_in_another_order(tf):
    x = tf.constant(2.0)
    first, second = tf.GradientTape(), tf.GradientTape()
    first.__enter__()
    second.__enter__()
    first.watch(x)
    second.watch(x)
    y = x * x
    first.__exit__(None, None, None)
    z = y * x
    second.__exit__(None, None, None)
    return first.gradient(z, x), second.gradient(z, x)


def a_tape_belongs_to_its_thread(tf):
    v = tf.Variable(2.0)
    results = []

    def work():
        results.append(v * v)

    with tf.GradientTape() as tape:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    return tape.gradient(results[0], v)


def an_exception_leaves_no_tape_behind(tf):
    x = tf.constant(2.0)
    try:
        with tf.GradientTape() as tape:
            tape.watch(x)
            raise KeyError("x")
    except KeyError:
        pass
    y = x * x
    return tape.gradient(y, x)


def a_variable_assigned_inside_the_tape(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(5.0)
        z = y + v * v
    return tape.gradient(z, v)


def a_value_goes_through_a_variable(tf):
    v, x = tf.Variable(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        v.assign(x * x)
        z = v * 2.0
    return tape.gradient(z, [x, v])


def assign_add_inside_the_tape(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        v.assign_add(v * v)
        z = v * v
    return tape.gradient(z, v)


def a_value_read_before_the_tape_is_a_constant(tf):
    v = tf.Variable(2.0)
    before = v.read_value()
    with tf.GradientTape() as tape:
        z = before * v
    return tape.gradient(z, [v, before])


def a_read_value_is_a_source_of_its_own(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        r = v.read_value()
        z = r * v
    return tape.gradient(z, [r, v])


def a_rebound_variable_is_a_tensor(tf):
    v = tf.Variable(2.0)
    w = v
    with tf.GradientTape() as tape:
        w = w + 1.0
        z = w * w
    return tape.gradient(z, [w, v])


def gather_gives_indexed_slices(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2, 0, 2])
    return tape.gradient(y, v)


def gather_of_a_tensor_gives_indexed_slices(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [2, 0, 2]) * 3.0
    return tape.gradient(y, x)


def two_gathers_are_joined(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [2, 0])) + tf.reduce_sum(tf.gather(v, [0])) * 3.0
    return tape.gradient(y, v)


def gathers_with_indices_of_two_dtypes_are_joined(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        long = tf.constant([0], tf.int64)
        y = tf.reduce_sum(tf.gather(v, [2, 0])) + tf.reduce_sum(tf.gather(v, long)) * 3.0
    return tape.gradient(y, v)


def a_gather_and_a_dense_use_make_a_dense_gradient(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [2, 0])) + tf.reduce_sum(v * v)
    return tape.gradient(y, v)


def embedding_lookup_gives_indexed_slices(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.nn.embedding_lookup(v, [[2, 0], [1, 1]])
    return tape.gradient(y, v)


def clipping_slices_by_global_norm(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2, 0]) * 3.0
    clipped, norm = tf.clip_by_global_norm([tape.gradient(y, v), tf.constant([1.0])], 2.0)
    return clipped, norm


def clipping_slices_by_norm(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2, 0]) * 3.0
    return tf.clip_by_norm(tape.gradient(y, v), 2.0)


def broadcast_gradients_are_summed(tf):
    a, b, c = tf.ones([3, 1]), tf.ones([1, 4]), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b, c])
        y = a * b * c + b
    return tape.gradient(y, [a, b, c])


def complex_gradients_are_conjugated(tf):
    x = tf.constant([1.0 + 2.0j, 3.0 - 1.0j], tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * (1.0 + 1.0j)
    return tape.gradient(y, x)


def a_real_function_of_a_complex_number(tf):
    x = tf.constant([1.0 + 2.0j, 3.0 - 1.0j], tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.math.real(x * tf.math.conj(x)))
    return tape.gradient(y, x)


def half_precision_keeps_its_dtype(tf):
    x = tf.constant([1.0, 2.0], tf.float16)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def bfloat16_keeps_its_dtype(tf):
    x = tf.constant([1.0, 2.0], tf.bfloat16)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tf.cast(tape.gradient(y, x), tf.float32)


def several_outputs_of_which_one_is_used(tf):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, _ = tf.split(x, 2)
        y = a * a
    return tape.gradient(y, x)


def iterating_over_a_tensor(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 0.0
        for i, part in enumerate(x):
            y = y + float(i) * part * part
    return tape.gradient(y, x)


def slicing(tf):
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[0, ::2] * x[1, 1:]
    return tape.gradient(y, x)


def a_loop_of_assignments(tf):
    v = tf.Variable([1.0, -1.0])
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        v.assign_sub(0.1 * tape.gradient(loss, v))
    return v.read_value()


def a_gradient_that_is_registered_twice_raises(tf):
    tf.RegisterGradient("AddV2")(lambda op, dy: (dy, dy))


def registering_for_something_that_is_no_name_raises(tf):
    tf.RegisterGradient(3)


def no_gradient_for_something_that_is_no_name_raises(tf):
    tf.no_gradient(3)


def a_sparse_source(tf):
    values = tf.constant([1.0, 2.0])
    x = tf.SparseTensor([[0, 0], [1, 1]], values, [2, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sparse.to_dense(x)
        z = y * y
    return tape.gradient(z, x)


def gradients_in_eager_mode_raises(tf):
    x = tf.constant(1.0)
    return tf.gradients(x * x, x)


def hessians_in_eager_mode_raises(tf):
    x = tf.constant(1.0)
    return tf.hessians(x * x, x)


def gradients_inside_a_function(tf):
    @tf.function
    def f(x):
        y = x * x
        return tf.gradients([y, y * x], [x, y])

    return f(tf.constant(3.0))


def gradients_of_something_unconnected_inside_a_function(tf):
    @tf.function
    def f(x):
        z = x * 1.0
        return tf.gradients(x * x, z, unconnected_gradients="zero"), tf.gradients(x * x, [z])[
            0
        ] is None

    return f(tf.constant(3.0))[0]


def gradients_with_grad_ys_and_stop_gradients(tf):
    @tf.function
    def f(x):
        y = x * x
        z = y * x
        return tf.gradients(z, x, grad_ys=tf.constant(10.0), stop_gradients=[y])

    return f(tf.constant(3.0))


def gradients_by_a_variable_inside_a_function(tf):
    v = tf.Variable(3.0)

    @tf.function
    def f():
        return tf.gradients(v * v, v)

    return f()


def hessians_inside_a_function(tf):
    @tf.function
    def f(x):
        return tf.hessians(tf.reduce_sum(x * x * x), x)

    return f(tf.constant([1.0, 2.0]))


def a_tape_inside_a_function(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(v * x * x)
        return tape.gradient(y, [x, v])

    return f(tf.constant([3.0, 4.0]))


def a_tape_around_a_function(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        return tf.reduce_sum(v * x * x)

    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, [x, v])


def second_derivative_through_a_function(tf):
    @tf.function
    def f(x):
        return tf.exp(x) * x

    x = tf.constant([0.5, 1.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


def gradients_of_one_result_do_not_repeat_side_effects(tf):
    count = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def halves(x):
        count.assign_add(1.0)
        y = tf.sin(tf.boolean_mask(x, x > 0.0) * count)
        first, second = tf.split(y, 2)
        return first, second, tf.reduce_sum(y) * y

    def slope(place):
        x = tf.constant([1.0, 2.0, -1.0, 3.0, 4.0])
        count.assign(0.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            results = halves(x)
        return [tape.gradient(results[place], x), count.read_value()]

    return [slope(place) for place in (0, 1, 2, 0)]


def loops_that_use_tables_and_iterators(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    elements = iter(tf.data.Dataset.range(1, 100))

    @tf.function
    def noted(x):
        for i in tf.range(2):
            table.insert(tf.strings.as_string(i), tf.cast(i, tf.int64))
            x = x * x
        return x

    @tf.function
    def taken(x):
        for _ in tf.range(2):
            x = x * tf.cast(next(elements), tf.float32)
        return x

    def slope(fn):
        x = tf.constant(1.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x)
        return [y, tape.gradient(y, x)]

    return [slope(fn) for fn in (noted, taken) for _ in range(3)]


def a_part_of_a_running_sum_that_is_all_of_it(tf):
    def slope(fn, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(fn(x) * x)
        return tape.gradient(y, x)

    parts = [
        lambda x: tf.cumsum(x)[:5],
        lambda x: tf.cumsum(x)[..., ::-1],
        lambda x: tf.reverse(x, [0])[0:],
    ]
    compiled = tf.function(slope, jit_compile=True)
    x = tf.constant([1.0, -2.0, 3.0])
    return [[slope(part, x), compiled(part, x)] for part in parts]


def variables_that_are_written_count_as_read(tf):
    def rows():
        return tf.IndexedSlices(tf.constant([3.0]), tf.constant([0]))

    writes = [
        lambda v: v.assign([1.0, 1.0]),
        lambda v: v.assign_add([1.0, 1.0]),
        lambda v: v.assign_sub([1.0, 1.0], read_value=False),
        lambda v: v.scatter_update(rows()),
        lambda v: v.scatter_nd_add([[0]], [2.0]),
        lambda v: tf.raw_ops.AssignVariableOp(resource=v.handle, value=[1.0, 1.0]),
        lambda v: tf.function(lambda: (v.assign_add([1.0, 1.0]), 1)[1])(),
    ]

    def count(write):
        found = []

        def watched(v):
            with tf.GradientTape() as tape:
                write(v)
            found.append(len(tape.watched_variables()))

        watched(tf.Variable([1.0, 2.0]))
        v = tf.Variable([1.0, 2.0])
        tf.function(lambda: watched(v))()
        return found

    return [count(write) for write in writes]


def variables_that_a_loop_or_a_branch_only_writes(tf):
    v = tf.Variable([1.0, 2.0])

    def added(result):
        v.assign_add([1.0, 1.0])
        return result

    def in_a_loop(x):
        return tf.while_loop(lambda i, a: i < 2, lambda i, a: added([i + 1, a * 2.0]), [0, x])[1]

    def in_a_branch(x):
        return tf.cond(x > 0.0, lambda: added(x * 2.0), lambda: x)

    def slopes(program):
        @tf.function
        def found(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = program(x)
            return tape.gradient(y, [x, v])

        return [found(tf.constant(2.0)) for _ in range(4)]

    return [slopes(program) for program in (in_a_loop, in_a_branch)]


def what_a_function_in_a_loop_takes_and_does_not_use(tf):
    @tf.function
    def tripled(a, y):
        return (y * 2.0, a * 3.0)[1]

    def argument(x, y):
        return tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, tripled(a, y)), [0, x])[1]

    def captured(x, y):
        inner = tf.function(lambda a: (y * 2.0, a * 3.0)[1])
        return tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, inner(a)), [0, x])[1]

    def without_a_loop(x, y):
        return tripled(x, y)

    def slopes(program):
        @tf.function
        def found(x, y):
            with tf.GradientTape() as tape:
                tape.watch([x, y])
                z = program(x, y)
            return tape.gradient(z, [x, y])

        return [found(tf.constant(2.0), tf.constant(2.0)) for _ in range(4)]

    return [slopes(program) for program in (argument, captured, without_a_loop)]
