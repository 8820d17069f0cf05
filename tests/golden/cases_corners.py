"""Corners of the core that programs come into; see `cases.py`."""

import inspect
import typing

import numpy as np


def _tries(*attempts):
    found = []
    for attempt in attempts:
        try:
            found.append(attempt())
        except Exception as error:
            found.append(type(error).__name__)
    return found


def _slope(tf, function, *sources):
    with tf.GradientTape() as tape:
        tape.watch(sources)
        target = function(*sources)
    return tape.gradient(target, sources)


def gradients_of_lists_and_optionals(tf):
    raw, scalars = tf.raw_ops, tf.constant([], tf.int32)

    def shortened(x):
        handle = raw.TensorListFromTensor(tensor=x, element_shape=scalars)
        handle = raw.TensorListResize(input_handle=handle, size=2)
        return 2.0 * raw.TensorListStack(
            input_handle=handle, element_shape=scalars, element_dtype=tf.float32, num_elements=2
        )

    def wrapped(x):
        return tf.experimental.Optional.from_value(x * 2.0).get_value() * 3.0

    x = tf.constant([1.0, 2.0, 3.0])
    return [
        _slope(tf, function, x)
        for plain in (shortened, wrapped)
        for function in (plain, tf.function(plain))
    ]


def gradients_that_are_not_there(tf):
    image = tf.constant(np.linspace(0, 1, 12, dtype=np.float32).reshape(1, 2, 2, 3))
    row = tf.constant([1.0, 1.0, 2.0])
    return _tries(
        lambda: _slope(tf, lambda x: tf.image.adjust_contrast(x, 0.5), image),
        lambda: _slope(tf, lambda x: tf.image.resize(x, [1, 1], "area"), image),
        lambda: _slope(tf, lambda x: tf.linalg.lu(x).lu, tf.eye(2)),
        lambda: _slope(tf, lambda x: tf.math.bincount([0, 1, 1], weights=x), row),
        lambda: _slope(tf, tf.signal.rfft3d, tf.ones([2, 2, 2])),
        lambda: _slope(tf, lambda x: tf.random.poisson([2], x), row),
        lambda: _slope(tf, lambda x: tf.truncatemod(x, 3.0), row),
        lambda: _slope(tf, tf.math.rint, row),
    )


def integers_by_themselves(tf):
    whole, x = tf.constant([3, 4]), tf.constant(2.5)

    def slopes():
        with tf.GradientTape() as tape:
            tape.watch([whole, x])
            cut = tf.cast(x, tf.int32)
        return tape.gradient([whole, cut, cut], [whole, cut, x])

    in_graph = tf.function(lambda n: tf.gradients([n, n], [n]))
    return [slopes(), tf.function(slopes)(), in_graph(whole)]


def arrays_of_types_that_an_op_does_not_take(tf):
    halves = np.array([0.5, 2.0])
    return _tries(
        *(lambda t=t: tf.one_hot(halves.astype(t), 3) for t in "e f d h H I ? l".split()),
        lambda: tf.one_hot(np.float32(1), 3),
        lambda: tf.one_hot([0.0, 1.0], 3),
        lambda: tf.one_hot(tf.constant([0.0]), 3),
        lambda: tf.function(lambda: tf.one_hot(halves, 3))(),
        lambda: tf.concat([[1.0], [2.0]], np.float32(0)),
        lambda: tf.gather([1.0, 2.0], np.array([1.0])),
        lambda: tf.random.stateless_uniform([2], np.array([1, 2], np.uint64)),
        lambda: tf.random.stateless_normal([2], halves),
        lambda: tf.random.stateless_uniform([2], tf.constant([1, 2], tf.uint64)),
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(np.array([1.0]), [[1.0, 2.0]]),
    )


def memory_of_transposed_tensors(tf):
    x = tf.constant(np.arange(6.0).reshape(2, 3))
    turned = [tf.transpose(x), tf.linalg.matrix_transpose(x), tf.transpose(x[None], [2, 0, 1])]
    arrays = [np.asarray(t) for t in turned]
    return [
        [bool(np.shares_memory(np.asarray(x), a)), a.flags.c_contiguous, a.tolist()] for a in arrays
    ]


def raw_ops_take_keywords(tf):
    return _tries(
        lambda: tf.raw_ops.Add(x=[1], y=[2]),
        lambda: tf.raw_ops.Add([1], [2]),
        lambda: tf.raw_ops.Relu([1.0]),
        lambda: tf.raw_ops.Add([1], y=[2]),
        lambda: tf.raw_ops.Add(x=[1]),
        lambda: tf.raw_ops.Add(x=[1], y=[2], z=[3]),
        lambda: str(inspect.signature(tf.raw_ops.Add)),
        lambda: list(inspect.signature(tf.raw_ops.Conv2D).parameters),
        lambda: [tf.raw_ops.Add.__name__, inspect.isfunction(tf.raw_ops.Add)],
    )


def handlers_for_unions_with_tensors(tf):
    class Marked(tf.experimental.ExtensionType):
        values: tf.Tensor

    either = typing.Union[Marked, tf.Tensor]  # noqa: UP007
    plain = lambda x: x.values if isinstance(x, Marked) else x  # noqa: E731

    @tf.experimental.dispatch_for_api(tf.math.subtract)
    def subtract(x: either, y: either, name=None):
        return Marked(tf.math.subtract(plain(x), plain(y)))

    @tf.experimental.dispatch_for_api(tf.concat)
    def concat(values: typing.List[either], axis, name="concat"):  # noqa: UP006
        return Marked(tf.concat([plain(v) for v in values], axis))

    @tf.experimental.dispatch_for_unary_elementwise_apis(either)
    def unary(api_func, x):
        return Marked(api_func(x.values))

    @tf.experimental.dispatch_for_binary_elementwise_apis(either, either)
    def binary(api_func, x, y):
        return Marked(api_func(plain(x), plain(y)))

    marked, ones = Marked([1.0, 2.0]), tf.constant([1.0, 1.0])
    try:
        return _tries(
            lambda: tf.math.subtract(marked, ones).values,
            lambda: tf.math.subtract(ones, ones),
            lambda: tf.concat([marked, ones], 0).values,
            lambda: tf.concat((ones, ones), 0),
            lambda: tf.math.negative(marked).values,
            lambda: tf.math.negative(ones),
            lambda: tf.math.maximum(ones, marked).values,
            lambda: tf.math.maximum(ones, 3.0),
            lambda: tf.math.maximum(tf.ragged.constant([[1.0]]), 3.0).values,
        )
    finally:
        for handler in (subtract, concat, unary, binary):
            tf.experimental.unregister_dispatch_for(handler)


def a_function_of_all_its_tensors(tf):
    v = tf.Variable(3.0)
    scalar = tf.TensorSpec([], tf.float32)
    alone = tf.function(lambda x: {"y": 2.0 * x}).get_concrete_function(scalar)
    captures = tf.function(lambda x: x * v).get_concrete_function(scalar)
    one, two = alone.inference_fn, captures.inference_fn
    x = tf.constant(2.0)
    return [
        one.name == alone.name,
        one.definition.signature.name == one.cached_definition.signature.name == one.name.decode(),
        one.graph is alone.graph,
        str(one).replace(one.name.decode(), "f"),
        str(one.function_type),
        one(x),
        one(x=x),
        one.call_flat(x),
        one.call_preflattened([x]),
        two.call_with_captures((x,), {}, captures.captured_inputs),
        *_tries(lambda: two(x)),
    ]


def days_of_forward_compatibility(tf):
    def asked():
        days = [(2020, 1, 1), (2026, 1, 15), (2026, 1, 16), (2030, 1, 1), (2030, 1, 2)]
        return [tf.compat.forward_compatible(*day) for day in days]

    with tf.compat.forward_compatibility_horizon(2030, 1, 2):
        inside = asked()
    return [inside, asked()]


def versions(tf):
    shown = [tf.__git_version__, tf.__compiler_version__]
    numbers = [tf.__cxx11_abi_flag__, tf.__cxx_version__, tf.__monolithic_build__]
    same = [tf.__git_version__ == tf.version.GIT_VERSION, tf.__version__ == tf.version.VERSION]
    return [same, numbers, [type(text).__name__ for text in shown]]
