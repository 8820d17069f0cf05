"""Programs that dispatch public functions on types of their own; see `cases.py`."""

import typing


def _masked(tf):
    """A new type, so that programs do not meet each other's handlers."""

    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        def __repr__(self):
            return f"Masked{self.values.numpy().tolist()}"

    return Masked


def _tries(*attempts):
    found = []
    for attempt in attempts:
        try:
            result = attempt()
            found.append("a function" if callable(result) else repr(result))
        except Exception as error:
            found.append(type(error).__name__)
    return found


def unary_functions(tf):
    Masked = _masked(tf)
    x = Masked([1.0, 2.0], [True, False])

    @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    def on_values(api_func, x):
        return Masked(api_func(x.values), x.mask)

    found = _tries(
        lambda: tf.abs(x),
        lambda: tf.nn.relu(x),
        lambda: tf.cast(x, tf.int32),
        lambda: tf.zeros_like(x),
        lambda: tf.nn.leaky_relu(x, alpha=0.5),
        lambda: tf.clip_by_value(x, 1.5, 2.0),
        lambda: tf.nn.softmax(x),
        lambda: tf.experimental.dispatch_for_unary_elementwise_apis(Masked)(on_values),
        lambda: tf.experimental.unregister_dispatch_for(on_values),
        lambda: tf.abs(x),
        lambda: tf.experimental.unregister_dispatch_for(on_values),
    )
    return found


def binary_functions(tf):
    Masked = _masked(tf)
    x = Masked([1.0, 2.0], [True, False])

    @tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
    def both(api_func, x, y):
        return Masked(api_func(x.values, y.values), x.mask)

    @tf.experimental.dispatch_for_binary_elementwise_apis(Masked, tf.Tensor)
    def first(api_func, x, y):
        return Masked(api_func(x.values, y), x.mask)

    @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def asserted(api_func, x, y):
        return "asserted"

    return _tries(
        lambda: tf.multiply(x, x),
        lambda: tf.equal(x, x),
        lambda: tf.multiply(x, tf.constant(2.0)),
        lambda: tf.multiply(x, 2.0),
        lambda: tf.multiply(tf.constant(2.0), x),
        lambda: x * x,
        lambda: tf.debugging.assert_equal(x, x),
        lambda: tf.debugging.assert_equal(1, 1),
    )


def one_function(tf):
    Masked = _masked(tf)
    x = Masked([1.0, 2.0], [True, False])
    dispatch = tf.experimental.dispatch_for_api

    @dispatch(tf.reduce_sum)
    def by_annotation(input_tensor: Masked, axis=None, keepdims=False, name=None):
        return "sum"

    @dispatch(tf.reduce_min, {0: Masked})
    def without_name(input_tensor, axis=None, keepdims=False):
        return "min", axis

    @dispatch(tf.concat, {"values": typing.List[Masked]})  # noqa: UP006 (as programs write it)
    def of_lists(values, axis, name="concat"):
        return "concat", len(values)

    @dispatch(tf.stack, {"values": typing.List[typing.Union[Masked, tf.Tensor]]})  # noqa: UP006, UP007
    def of_either(values, axis=0, name="stack"):
        return "stack"

    @dispatch(tf.where, {"condition": Masked}, {"x": Masked})
    def of_two_signatures(condition, x=None, y=None, name=None):
        return "where"

    found = _tries(
        lambda: tf.reduce_sum(x),
        lambda: tf.reduce_sum(input_tensor=x),
        lambda: tf.reduce_sum([1, 2]).numpy().item(),
        lambda: tf.reduce_min(x, axis=2, name="name"),
        lambda: tf.reduce_min(x, 2),
        lambda: tf.concat([x, x], 0),
        lambda: tf.concat([x, 1], 0),
        lambda: tf.stack([x, tf.constant(1)]),
        lambda: tf.stack([x, 1]),
        lambda: tf.stack([1, 2]).numpy().tolist(),
        lambda: tf.where(x),
        lambda: tf.where(True, x, 1),
        lambda: tf.where(True, 1, x),
    )
    tf.experimental.unregister_dispatch_for(of_either)  # it takes lists of plain tensors too
    return found


def two_handlers_for_one_type(tf):
    Masked = _masked(tf)
    x = Masked([1.0, 2.0], [True, False])

    @tf.experimental.dispatch_for_api(tf.reduce_max, {"input_tensor": Masked})
    def one(input_tensor, axis=None, keepdims=False, name=None):
        return "one"

    @tf.experimental.dispatch_for_api(tf.reduce_max, {"input_tensor": Masked})
    def other(input_tensor, axis=None, keepdims=False, name=None):
        return "other"

    return _tries(
        lambda: tf.reduce_max(x),
        lambda: tf.experimental.unregister_dispatch_for(other),
        lambda: tf.reduce_max(x),
    )


def mistakes(tf):
    Masked = _masked(tf)
    dispatch = tf.experimental.dispatch_for_api
    return _tries(
        lambda: dispatch(tf.add)(lambda x, y, name=None: 1),
        lambda: dispatch(tf.add, {"x": Masked})(lambda a, b: 1),
        lambda: dispatch(tf.add, {"q": Masked})(lambda x, y, name=None: 1),
        lambda: dispatch(tf.add, {7: Masked})(lambda x, y, name=None: 1),
        lambda: dispatch(len, {"x": Masked}),
        lambda: tf.experimental.unregister_dispatch_for(len),
        lambda: tf.constant(1.0) + Masked([1.0], [True]),
    )


def a_handler_comes_before_conversion(tf):
    class Celsius(tf.experimental.ExtensionType):
        degrees: tf.Tensor

        def __tf_tensor__(self, dtype=None, name=None):
            return self.degrees

    before = tf.negative(Celsius(1.0))

    @tf.experimental.dispatch_for_api(tf.negative, {"x": Celsius})
    def negative(x, name=None):
        return "handled"

    return [before, tf.negative(Celsius(1.0))]
