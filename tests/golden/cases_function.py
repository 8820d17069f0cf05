"""Programs about `tf.function` and concrete functions; see `cases.py`."""

import collections
import contextlib
import functools

import numpy as np

_Pair = collections.namedtuple("_Pair", "a b")


def _counted(tf, **options):
    """A function that returns 1 and a list that grows with each trace."""
    traces = []

    def fn(*args, **kwargs):
        traces.append((args, kwargs))
        return 1

    return tf.function(fn, **options), traces


def _traces(tf, *calls, **options):
    fn, traces = _counted(tf, **options)
    for call in calls:
        fn(*call)
    return len(traces)


def new_values_of_tensors_make_no_trace(tf):
    return _traces(tf, [tf.constant(1)], [tf.constant(2)], [tf.constant([1])], [tf.constant(1.0)])


def python_values_make_traces(tf):
    return _traces(tf, [1], [2], ["a"], ["b"], [None], [1])


def nests_make_traces_by_structure(tf):
    return _traces(tf, [(1,)], [[1]], [{"a": 1}], [{"b": 1}], [_Pair(1, 2)], [(1,)], [_Pair(1, 2)])


def dicts_in_another_order_share_a_trace(tf):
    return _traces(tf, [{"a": 1, "b": 2}], [{"b": 2, "a": 1}])


def numpy_values_are_tensors(tf):
    return _traces(tf, [np.float32(1)], [np.float32(2)], [np.array([1, 2])], [np.array([3, 4])])


def one_variable_passed_twice_is_another_trace(tf):
    a, b = tf.Variable(1.0), tf.Variable(1.0)
    return _traces(tf, [[a, a]], [[a, b]])


def equal_objects_share_a_trace(tf):
    class Config:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            return self.n == other.n

        def __hash__(self):
            return hash(self.n)

    a, b, c = Config(1), Config(1), Config(2)
    return _traces(tf, [a], [b], [c])


def an_unhashable_argument(tf):
    return _traces(tf, [{1, 2}])


def the_tracing_protocol(tf):
    class Kind(tf.types.experimental.TraceType):
        def is_subtype_of(self, other):
            return self == other

        def most_specific_common_supertype(self, others):
            return self if all(self == o for o in others) else None

        def placeholder_value(self, placeholder_context):
            return Fruit()

        def __eq__(self, other):
            return isinstance(other, Kind)

        def __hash__(self):
            return 1

    class Fruit:
        def __tf_tracing_type__(self, context):
            return Kind()

    return _traces(tf, [Fruit()], [Fruit()])


def the_tracing_protocol_with_a_wrong_answer(tf):
    class Fruit:
        def __tf_tracing_type__(self, context):
            return 3

    return _traces(tf, [Fruit()])


def reduced_retracing(tf):
    shapes = []

    @tf.function(reduce_retracing=True)
    def fn(x):
        shapes.append(str(x.shape))
        return x

    for shape in ([1, 2], [2, 2], [3, 2], [1, 1], [5, 7], [5], [6]):
        fn(tf.ones(shape))
    return shapes


def a_wider_concrete_function_serves_calls(tf):
    traces = []

    @tf.function
    def fn(x):
        traces.append(1)
        return x

    fn.get_concrete_function(tf.TensorSpec([None], tf.float32))
    fn(tf.ones([2]))
    fn(tf.ones([3]))
    return len(traces), fn.experimental_get_tracing_count()


def _signed(tf, body, *specs):
    return tf.function(body, input_signature=list(specs))


def input_signature_converts_lists(tf):
    return _signed(tf, lambda x: x, tf.TensorSpec([None], tf.float32))([1, 2])


def input_signature_by_keyword(tf):
    return _signed(tf, lambda x: x, tf.TensorSpec([None], tf.float32))(x=tf.ones([1]))


def input_signature_without_the_argument(tf):
    return _signed(tf, lambda x: x, tf.TensorSpec([None], tf.float32))()


def input_signature_with_too_many_arguments(tf):
    return _signed(tf, lambda x: x, tf.TensorSpec([None], tf.float32))(tf.ones([1]), 1)


def input_signature_wrong_dtype(tf):
    return _signed(tf, lambda x: x, tf.TensorSpec([None], tf.float32))(tf.ones([1], tf.int32))


def input_signature_wrong_rank(tf):
    return _signed(tf, lambda x: x, tf.TensorSpec([None], tf.float32))(tf.ones([1, 1]))


def input_signature_of_a_string(tf):
    return _signed(tf, lambda x: x, tf.TensorSpec([None], tf.float32))("a")


def input_signature_longer_than_the_parameters(tf):
    spec = tf.TensorSpec([], tf.float32)
    return _signed(tf, lambda x: x, spec, spec)(1.0, 1.0)


def input_signature_shorter_than_the_parameters(tf):
    return _signed(tf, lambda x, y: x, tf.TensorSpec([], tf.float32))(1.0, 1.0)


def input_signature_before_a_default(tf):
    return _signed(tf, lambda x, y=2.0: x * y, tf.TensorSpec([], tf.float32))(3.0)


def input_signature_before_a_default_that_is_given(tf):
    return _signed(tf, lambda x, y=2.0: x * y, tf.TensorSpec([], tf.float32))(3.0, 3.0)


def input_signature_of_no_spec(tf):
    return _signed(tf, lambda x: x, 3)(1)


def input_signature_that_is_no_list(tf):
    return tf.function(lambda x: x, input_signature=tf.TensorSpec([], tf.float32))(1.0)


def input_signature_with_a_keyword_only_parameter(tf):
    def fn(x, *, y):
        return x + y

    return _signed(tf, fn, tf.TensorSpec([], tf.float32))(1.0, y=2.0)


def input_signature_of_var_args(tf):
    spec = tf.TensorSpec([], tf.float32)
    return _signed(tf, lambda *args: args, spec, spec)(1.0, 2.0)


def input_signature_of_nests(tf):
    spec = {"a": tf.TensorSpec([], tf.float32), "b": [tf.TensorSpec([None], tf.int32)]}
    fn = _signed(tf, lambda d: (d["a"], d["b"]), spec)
    return fn({"a": tf.constant(1.0), "b": [tf.constant([1, 2])]})


def input_signature_of_nests_with_another_structure(tf):
    spec = {"a": tf.TensorSpec([], tf.float32)}
    return _signed(tf, lambda d: d["a"], spec)({"b": tf.constant(1.0)})


def concrete_function_of_a_wrong_spec(tf):
    fn = _signed(tf, lambda x: x, tf.TensorSpec([None], tf.float32))
    return fn.get_concrete_function(tf.TensorSpec([None], tf.int32))


def _concrete(tf):
    @tf.function
    def fn(x, k=2.0, *args, z, **kw):
        return {"a": x * k, "b": (x, None)}

    spec = tf.TensorSpec([None], tf.float32)
    return fn.get_concrete_function(spec, z=tf.TensorSpec([], tf.int32, name="zed"))


def concrete_signature_printed(tf):
    concrete = _concrete(tf)
    return concrete.pretty_printed_signature(), concrete.pretty_printed_signature(False)


def concrete_signature_structured(tf):
    concrete = _concrete(tf)
    return str(concrete.structured_input_signature), [t.name for t in concrete.inputs]


def concrete_output_shapes_and_dtypes(tf):
    concrete = _concrete(tf)
    return str(concrete.output_shapes), str(concrete.output_dtypes)


def concrete_called_by_spec_names(tf):
    return _concrete(tf)(tf.ones([2]), zed=tf.constant(1))


def concrete_called_with_the_python_value(tf):
    return _concrete(tf)(tf.ones([2]), 2.0, z=tf.constant(1))


def concrete_called_with_another_python_value(tf):
    return _concrete(tf)(tf.ones([2]), 3.0, z=tf.constant(1))


def concrete_called_without_the_python_value(tf):
    return _concrete(tf)(tf.ones([2]), z=tf.constant(1))


def concrete_called_with_too_few(tf):
    return _concrete(tf)(tf.ones([2]))


def concrete_called_with_too_many(tf):
    return _concrete(tf)(tf.ones([2]), 2.0, tf.ones([2]), z=tf.constant(1))


def _named(tf):
    x, y = tf.TensorSpec([], tf.float32, name="x"), tf.TensorSpec([], tf.float32, name="y")
    return tf.function(lambda a, b: a - b).get_concrete_function(a=x, b=y)


def concrete_by_argument_names(tf):
    return _named(tf)(b=tf.constant(1.0), a=tf.constant(3.0))


def concrete_by_names_of_specs(tf):
    return _named(tf)(y=tf.constant(1.0), x=tf.constant(3.0))


def concrete_with_an_argument_twice(tf):
    return _named(tf)(tf.constant(1.0), a=tf.constant(3.0))


def concrete_with_a_wrong_dtype(tf):
    return _named(tf)(tf.constant(1), tf.constant(3))


def concrete_with_python_numbers(tf):
    return _named(tf)(5.0, 3.0)


def concrete_of_nests(tf):
    spec = {"p": tf.TensorSpec([], tf.float32), "q": [tf.TensorSpec([], tf.float32)]}
    concrete = tf.function(lambda d: d["p"] - d["q"][0]).get_concrete_function(spec)
    value = {"p": tf.constant(3.0), "q": [tf.constant(1.0)]}
    return (
        str(concrete.structured_input_signature),
        concrete.pretty_printed_signature(),
        concrete(value),
        concrete(d=tf.constant(3.0), d_1=tf.constant(1.0)),
    )


def concrete_captures(tf):
    v = tf.Variable(2.0)
    concrete = tf.function(lambda x: x * v).get_concrete_function(tf.constant(1.0))
    same = concrete.captured_inputs[0] is v.handle
    return same, len(concrete.variables), len(concrete.inputs), concrete(tf.constant(3.0))


def results_keep_their_structure(tf):
    @tf.function
    def fn(x):
        return {"a": x, "b": (x + 1, [x + 2]), "none": None}, _Pair(x, 7)

    found, pair = fn(tf.constant(1))
    return found, type(pair).__name__, pair.b


def a_result_that_is_no_tensor(tf):
    return tf.function(lambda: object())()


def a_result_that_is_a_string(tf):
    return tf.function(lambda: "a")().numpy().decode()


def attributes_that_are_not_known(tf):
    return tf.function(lambda x: x, experimental_attributes={"bad": 1})(1)


def something_that_is_not_callable(tf):
    return tf.function(3)


def partials_methods_and_callables(tf):
    class Adder:
        def __init__(self, n):
            self.n = n

        def add(self, x):
            return x + self.n

        def __call__(self, x):
            return x - self.n

        @tf.function
        def traced(self, x, scale=1):
            return x * self.n * scale

        @tf.function
        def total(self, *args, **kwargs):
            return self.n + sum(args) + kwargs["last"]

        @staticmethod
        @tf.function
        def still(x):
            return x + 100

    adder, other, x = Adder(5), Adder(7), tf.constant(2)
    return [
        tf.function(functools.partial(lambda a, b: a * 10 + b, x))(tf.constant(3)),
        tf.function(adder.add)(x),
        tf.function(adder)(x),
        adder.traced(x, scale=3),
        other.traced(x),
        adder.total(x, x, last=x),
        adder.still(x),
    ]


def a_variable_in_every_call(tf):
    @tf.function
    def fn():
        return tf.Variable(1.0) + 1.0

    return fn()


def a_variable_in_the_second_trace(tf):
    class Holder:
        pass

    @tf.function
    def fn(x, o):
        if not hasattr(o, "v"):
            o.v = tf.Variable(1.0)
        return o.v * x

    first, second = Holder(), Holder()
    fn(tf.constant(1.0), first)
    return fn(tf.constant(1.0), second)


def a_tensor_that_leaked(tf):
    leaked = []

    @tf.function
    def fn(x):
        leaked.append(x + 1)
        return x

    fn(tf.constant(1.0))
    return leaked[0] + 1


def inside_and_outside(tf):
    seen = []

    @tf.function
    def fn():
        seen.extend([tf.inside_function(), tf.executing_eagerly()])
        with tf.init_scope():
            seen.append(tf.executing_eagerly())
        return 1

    fn()
    return [*seen, tf.inside_function(), tf.executing_eagerly()]


def an_exception_while_tracing_leaves_nothing_behind(tf):
    @tf.function
    def fn(x):
        with tf.name_scope("scope"), tf.GradientTape(), tf.control_dependencies([x]):
            raise KeyError("mine")

    with contextlib.suppress(KeyError):
        fn(tf.constant(1.0))
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x), tf.executing_eagerly(), tf.function(lambda a: a * 2)(4)


def names_inside_do_not_carry_outer_scopes(tf):
    names = []

    @tf.function
    def fn(x):
        names.append((x + 1).op.name)
        with tf.name_scope("inner"):
            names.append((x + 1).op.name)
        return x

    with tf.name_scope("outer"):
        fn(tf.constant(1))
    return names


def a_function_that_calls_itself_with_python_numbers(tf):
    @tf.function
    def fn(n):
        if n < 1:
            return tf.constant(0)
        return fn(n - 1) + n

    return fn(4)


def retracing_is_warned_about(tf):
    @tf.function
    def fn(n):
        return n

    for n in range(12):
        fn(n)
    return 0


def functions_made_in_a_loop_are_warned_about(tf):
    for n in range(6):
        tf.function(lambda x: x)(tf.constant(n))
    return 0


def few_traces_among_many_calls_are_not_warned_about(tf):
    @tf.function
    def fn(n):
        return n

    for n in range(5):
        for _ in range(4):
            fn(n)
    return 0


def functions_run_eagerly(tf):
    seen = []

    @tf.function
    def fn(x):
        seen.append(tf.executing_eagerly())
        return x

    tf.config.run_functions_eagerly(True)
    try:
        fn(tf.constant(1))
        fn(tf.constant(2))
    finally:
        tf.config.run_functions_eagerly(False)
    return seen


def side_effects_happen_in_order(tf):
    v = tf.Variable(1)
    seen = []

    @tf.function
    def fn(n):
        for i in tf.range(n):
            v.assign(v * 2 + i)
            tf.py_function(lambda a: seen.append(int(a)), [v], [])
            if i > 1:
                tf.numpy_function(lambda a: seen.append(-int(a)), [v], [])
            v.assign_add(1)
        return v.read_value()

    results = [fn(tf.constant(3)) for _ in range(4)]
    return seen, results


def custom_gradients_inside_loops_and_branches(tf):
    @tf.custom_gradient
    def clipped(x):
        return x * 1.0, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)

    @tf.function
    def fn(x):
        for _ in tf.range(2):
            x = clipped(x * 3.0)
        if x > 0.0:
            x = clipped(x)
        return x

    x = tf.constant(2.0)
    found = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x)
        found.append((y, tape.gradient(y, x)))
    return found


def an_assertion_inside_a_branch(tf):
    @tf.function
    def fn(x):
        if x > 0:
            tf.debugging.assert_less(x, 10, message="too big")
        return x

    fn(tf.constant(-1))
    fn(tf.constant(5))
    return fn(tf.constant(20))


def unneeded_errors_do_not_happen(tf):
    @tf.function
    def fn(x):
        tf.gather(x, 100)
        return x

    return fn(tf.constant([1]))


def a_default_argument_that_is_a_tensor(tf):
    three = tf.constant(3)

    @tf.function
    def fn(x, scale=three):
        return x * scale

    return fn(tf.constant(2)), fn(tf.constant(2), tf.constant(5))


def keyword_only_and_var_keyword(tf):
    traces = []

    @tf.function
    def fn(x, *, y=1, **rest):
        traces.append(sorted(rest))
        return x + y + sum(rest.values())

    found = [fn(1, y=2, b=3, a=4), fn(x=1, a=4, y=2, b=3), fn(1)]
    return found, traces


def _operations(tf, fn, *specs, **options):
    graph = tf.function(fn, **options).get_concrete_function(*specs).graph
    return [(op.type, op.name) for op in graph.get_operations()]


def each_branch_of_a_switch_is_traced_once(tf):
    traced = []

    def branch(number):
        def fn():
            traced.append(number)
            return tf.constant(number)

        return fn

    without = tf.function(lambda x: tf.switch_case(x, [branch(0), branch(1)]))
    with_one = tf.function(lambda x: tf.switch_case(x, [branch(0), branch(1)], default=branch(9)))
    places = [tf.constant(i) for i in (-1, 0, 1, 5)]
    return [without(i) for i in places], [with_one(i) for i in places], traced


def names_of_the_results_of_branches(tf):
    spec, index = tf.TensorSpec([]), tf.TensorSpec([], tf.int32)
    one = _operations(tf, lambda x: tf.cond(x > 0, lambda: x * 2, lambda: x - 1), spec)
    two = _operations(tf, lambda x: tf.cond(x > 0, lambda: (x, 1), lambda: (x, 2)), spec)
    switch = _operations(tf, lambda x: tf.switch_case(x, [lambda: 1, lambda: 2]), index)
    pairs = lambda x: [(x > 0, lambda: 1), (x < -5, lambda: 3)]  # noqa: E731
    case = _operations(tf, lambda x: tf.case(pairs(x), default=lambda: 2), index)
    return one, two, switch, case


def functions_that_are_compiled_say_so(tf):
    found = {}
    for choice in (None, False, True):
        fn = tf.function(lambda x: x + 1.0, jit_compile=choice)
        attrs = fn.get_concrete_function(tf.TensorSpec([])).function_def.attr
        found[str(choice)] = {k: attrs[k].b for k in ("_XlaMustCompile", "_noinline") if k in attrs}
    return found


def branches_with_other_keys(tf):
    fn = tf.function(lambda p: tf.cond(p, lambda: {"a": 1}, lambda: {"b": 1}))
    return fn(tf.constant(True))


def a_branch_with_none_where_the_other_has_a_tensor(tf):
    fn = tf.function(lambda p: tf.cond(p, lambda: (1, None), lambda: (1, 3)))
    return fn(tf.constant(True))


def a_name_of_an_operation_that_is_no_string(tf):
    return tf.function(lambda x: tf.identity(x, name=3))(1.0)


def an_import_under_a_name_that_is_no_scope(tf):
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="x")
    with tf.Graph().as_default():
        return tf.graph_util.import_graph_def(graph.as_graph_def(), name="a b")
