"""Programs about `tf.function` and concrete functions; see `cases.py`."""

import collections
import contextlib
import copy
import functools
import gc
import inspect
import itertools
import pickle
import tempfile
import weakref

import numpy as np

_Pair = collections.namedtuple("_Pair", "a b")
_made = itertools.count()


def _counted(tf, **options):
    """A function that returns 1 and a list that grows with each trace.

    Its code is its own, so that traces of other cases are not counted for the warning of many.
    """
    traces = []

    def fn(*args, **kwargs):
        traces.append((args, kwargs))
        return 1

    fn.__code__ = fn.__code__.replace(co_consts=(*fn.__code__.co_consts, f"fn {next(_made)}"))
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


def _tried(fn, *args):
    """What it returns, or the class of its error."""
    try:
        return fn(*args)
    except Exception as error:
        return type(error).__name__


def signatures_as_python_sees_them(tf):
    @tf.function
    def fn(x, y=2, *args, z: int = 3, **rest) -> str:
        """Says something."""
        return x

    class Holder:
        @tf.function
        def method(self, x, k=1):
            """Says more."""
            return x

    holder = Holder()
    return (
        [str(inspect.signature(f)) for f in (fn, holder.method, Holder.method)],
        str(inspect.getfullargspec(fn)),
        [fn.__doc__, holder.method.__doc__, holder.method.__name__],
    )


def kinds_of_functions(tf):
    types = tf.types.experimental
    kinds = [types.Callable, types.GenericFunction, types.PolymorphicFunction]

    class Holder:
        @tf.function
        def method(self, x):
            return x

    fn, holder = tf.function(lambda x: x), Holder()
    found = [fn, holder.method, fn.get_concrete_function(1), len]
    return [[isinstance(f, kind) for kind in [*kinds, types.ConcreteFunction]] for f in found]


def names_of_functions_without_a_name(tf):
    class Scale:
        def __call__(self, x):
            return x * 2

    def fn(x):
        return x

    given = [fn, functools.partial(fn), Scale()]
    return [tf.function(f).get_concrete_function(1).graph.name for f in given]


def names_of_inputs_that_are_none_for_operations(tf):
    @tf.function
    def fn(_x, maß, y_):
        return _x + maß + y_

    spec = tf.TensorSpec([])
    plain = fn.get_concrete_function(spec, spec, spec)
    given = [tf.TensorSpec([1], name=name) for name in ("a b", "_c", "d/e")]
    named = fn.get_concrete_function(*given)
    twice = tf.TensorSpec([], name="same")
    same = tf.function(lambda a, b: a - b, input_signature=[twice, twice]).get_concrete_function()
    return [
        ([t.name for t in c.inputs], str(c.structured_input_signature))
        for c in (plain, named, same)
    ]


class _Holder:
    def __init__(self, tf):
        self.fn = tf.function(self.add, input_signature=[tf.TensorSpec([None], tf.int32)])

    def add(self, x):
        return x + 1


def pickled_functions(tf):
    holder = _Holder(tf)
    again = pickle.loads(pickle.dumps(holder))
    concrete = holder.fn.get_concrete_function()
    return (
        again.fn([1, 2]),
        again.fn.experimental_get_tracing_count(),
        _tried(lambda: pickle.dumps(concrete)),
        _tried(lambda: copy.deepcopy(concrete)),
        copy.copy(concrete)(tf.constant([3])),
    )


def the_type_of_a_trace(tf):
    v = tf.Variable(1.0)

    @tf.function
    def fn(x, y=3, *args, z):
        return {"a": x + v, "b": None}

    spec = tf.TensorSpec([None])
    kind = fn.get_concrete_function(spec, 2, spec, z=[spec, 1]).function_type
    return (
        str(kind),
        [str(kind.parameters[name]) for name in kind.parameters],
        [str(p.type_constraint) for p in kind.parameters.values()],
        str(kind.output),
        [str(spec) for spec in kind.captures.values()],
        [len(kind.flat_inputs), len(kind.flat_outputs)],
    )


def the_type_of_a_trace_without_parameters(tf):
    concrete = tf.function(lambda: 1).get_concrete_function()
    signed = tf.function(lambda x, y=2: x, input_signature=[tf.TensorSpec([])])
    kinds = [concrete.function_type, signed.function_type, tf.function(lambda x: x).function_type]
    return [repr(kind) for kind in kinds], concrete.pretty_printed_signature()


def shapes_and_dtypes_of_composite_results(tf):
    @tf.function
    def fn(x):
        ragged = tf.RaggedTensor.from_row_splits(x, [0, 1, 2])
        slices = tf.IndexedSlices(x, tf.constant([0, 1]))
        return {"r": ragged, "s": tf.sparse.from_dense([[1, 0]]), "i": slices, "n": None}

    concrete = fn.get_concrete_function(tf.TensorSpec([2]))
    return str(concrete.output_shapes), str(concrete.output_dtypes)


def specs_of_composites_for_an_input_signature(tf):
    spec = tf.SparseTensorSpec([None, 3], tf.int32)
    fn = tf.function(tf.sparse.reduce_sum, input_signature=[spec])

    def fits(given):
        return _tried(lambda: fn.get_concrete_function(given) is fn.get_concrete_function())

    ragged = tf.ragged.constant([[1, 2, 3]])
    given = [spec, tf.SparseTensorSpec([2, 3], tf.int32), tf.SparseTensorSpec([2, 4], tf.int32)]
    return [fits(g) for g in [*given, ragged]], _tried(lambda: fn(ragged))


def tensors_that_leaked_into_other_graphs(tf):
    leaked = []

    @tf.function
    def keep(x):
        leaked.append(x * 2)
        return x

    @tf.function
    def around(x):
        keep(x)
        return leaked[-1] + 1

    keep(tf.constant(1))
    elsewhere = tf.function(lambda x: x + leaked[0])
    x = tf.constant(1.0)
    errors = [_tried(lambda: elsewhere(x)), _tried(lambda: around(x))]
    try:
        around(tf.constant([1]))
    except ValueError:
        return errors


def ranges_as_arguments(tf):
    traces = []

    @tf.function
    def fn(places, x):
        traces.append(type(places).__name__)
        return sum(x * i for i in places)

    x = tf.constant(2)
    return [fn(range(3), x), fn(range(3), x), fn(range(4), x)], traces


def shapes_of_scalars_are_integers(tf):
    shape = tf.TensorShape([])
    graph = tf.function(lambda x: (x.shape, tf.reduce_prod(x.shape), tf.concat([x.shape, [2]], 0)))
    eager = [tf.convert_to_tensor(shape), tf.reduce_prod(shape), tf.concat([shape, [2]], 0)]
    return graph(1.0 * tf.ones([])), eager, tf.maximum(shape, 1)


class _Scaled:
    """A container by the protocol of `tf.nest`: `n` says something of it, `x` is its child."""

    def __init__(self, n, x):
        self.n = n
        self.x = x

    def __tf_flatten__(self):
        return (self.n,), (self.x,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*metadata, *components)


def metadata_of_containers_are_part_of_their_type(tf):
    traces = []

    @tf.function
    def fn(scaled):
        traces.append(scaled.n)
        return scaled.x * scaled.n

    one, pair = tf.constant(1), tf.constant([1, 2])
    found = [fn(_Scaled(*args)) for args in ((2, one), (3, one), (3, pair), (2, one))]
    concrete = fn.get_concrete_function(_Scaled(2, one))
    signed = tf.function(lambda s: s.x, input_signature=[_Scaled(2, tf.TensorSpec([], tf.int32))])
    refused = [_tried(lambda: concrete(_Scaled(3, one))), _tried(lambda: signed(_Scaled(3, one)))]
    return found, fn(_Scaled([4], one)), traces, str(concrete.function_type), refused


def results_that_are_constants_come_in_order(tf):
    types = [kind for kind, _ in _operations(tf, lambda x: (x, 3, x), tf.TensorSpec([]))]
    too_large = tf.function(lambda: 2**70)
    return types, _tried(too_large)


def concrete_with_another_shape(tf):
    concrete = tf.function(lambda x: x + tf.ones([1, 3])).get_concrete_function(tf.ones([1, 3]))
    nested = tf.function(lambda x: concrete(x))
    wrong = [lambda: concrete(np.ones([2, 3], "f")), lambda: concrete(tf.Variable(tf.ones([2, 3])))]
    wrong += [lambda: nested(tf.ones([2, 3])), lambda: concrete(tf.ones([2, 4]))]
    return concrete(tf.ones([2, 3])), concrete(x=tf.ones([3])), [_tried(fn) for fn in wrong]


def a_weak_reference_as_an_argument(tf):
    return tf.function(lambda x: 1)(weakref.ref(_Holder(tf)))


def variables_outside_the_graph_of_a_second_trace(tf):
    made = []

    @tf.function
    def keep(x):
        with tf.init_scope():
            made.append(tf.Variable(2.0))
        return x * made[-1]

    @tf.function
    def layer(x):
        return tf.keras.layers.Dense(1)(x)

    return _tried(lambda: keep(tf.constant(1.0))), len(made), _tried(lambda: layer(tf.ones([1, 2])))


def attributes_of_a_python_function(tf):
    def fn(x):
        return x

    fn.note, fn._plain = "mine", 7
    traced = tf.function(fn)
    traced.other = 1
    return traced.note, hasattr(fn, "other"), traced(tf.constant(1)), traced(tf.constant([2]))


def names_of_variables_made_in_scopes(tf):
    made = []

    @tf.function
    def inner():
        with tf.name_scope("inner"):
            if not made:
                made.append(tf.Variable(lambda: tf.zeros([2]), name="v"))
        return made[0] + 1.0

    @tf.function
    def outer():
        with tf.name_scope("outer"):
            result = inner()
            if len(made) < 2:
                made.append(tf.Variable(1.0))
        return result

    with tf.name_scope("around"):
        outer()
    return [v.name for v in made]


def specs_and_classes_are_no_tensors(tf):
    specs = [tf.TensorSpec([]), tf.RaggedTensorSpec([None, None]), tf.Tensor, tf.RaggedTensor]
    return [tf.is_tensor(x) for x in [*specs, tf.constant(1), tf.ragged.constant([[1]])]]


def the_narrowest_trace_serves_a_call(tf):
    fn = tf.function(lambda x: tf.constant(str(x.shape)))
    for shape in ([None, None], None, [None, 2]):
        fn.get_concrete_function(tf.TensorSpec(shape))
    return [fn(tf.ones(shape)).numpy().decode() for shape in ([4, 3], [4, 2], [4])]


def _implementing(fn):
    signatures = [str(c.structured_input_signature) for c in fn._list_all_concrete_functions()]
    return fn.experimental_get_tracing_count(), signatures


def functions_that_implement_something(tf):
    fn = tf.function(lambda x, *more, y=2.0: x + y, experimental_implements="add")
    results = [fn(1.0), fn(3.0, y=4.0), fn([1.0, 2.0], tf.Variable(3), y=tf.Variable(3.0))]
    v, large = tf.Variable(1.0), tf.ones([100])
    closed = tf.function(lambda x: x + v, experimental_implements="add")
    refused = [_tried(closed, 1.0)]
    closed = tf.function(lambda x: x + large, experimental_implements="add")
    refused += [_tried(closed, 1.0)]
    refused += [_tried(fn, None), _tried(fn, {"a": 1})]
    return results, _implementing(fn), refused


def messages_of_functions_that_implement_something(tf):
    texts = ["add", 'name: "add"', 'name: "add" attr { key: "k" value { i: 2 } }', "a b"]
    found = []
    for text in texts:
        fn = tf.function(lambda x: x, experimental_implements=text)
        attr = fn.get_concrete_function(tf.TensorSpec([])).function_def.attr["_implements"]
        found.append([attr.s.decode(), attr.func.name, sorted(attr.func.attr)])
    return found


def attributes_with_values_that_are_none(tf):
    def traced(value):
        fn = tf.function(lambda x: x, experimental_attributes={"api_implements": value})
        fn.get_concrete_function(tf.TensorSpec([]))

    return [_tried(traced, value) for value in (None, [1, None], {"a": 1}, [1, "a"])]


def function_specs_of_signatures(tf):
    spec = tf.TensorSpec(None)
    signed = [
        tf.function(lambda x=1, y=2, z=3: 0, input_signature=[spec]),
        tf.function(lambda *args: 0, input_signature=[spec, spec]),
        tf.function(lambda x, z=3, *a, k=1, **w: 0, input_signature=[spec]),
        tf.function(lambda x, /, y, *, k=2: 0, input_signature=[spec, spec]),
    ]
    return [
        (str(fn.function_type), list(fn.function_spec.fullargspec), fn.function_spec.arg_names)
        for fn in signed
    ]


def compiler_stages(tf):
    fn = tf.function(lambda x: x + 1.0, jit_compile=True)
    stages = ["hlo", "hlo_serialized", "stablehlo", "stablehlo_serialized", "optimized_hlo_dot"]
    generate = fn.experimental_get_compiler_ir(tf.ones([2]))
    kinds = [type(generate(stage=stage)).__name__ for stage in stages]
    inside = tf.function(lambda x: fn.experimental_get_compiler_ir(x)() and x)
    return kinds, "stablehlo.add" in generate(stage="stablehlo"), _tried(inside, tf.ones([2]))


def _gradient_of_one(tf, fn, place, sources):
    with tf.GradientTape() as tape:
        tape.watch(sources)
        result = fn(*sources)[place]
    return result, tape.gradient(result, sources)


def the_gradient_of_one_of_several_results_has_no_effects(tf):
    calls = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def fn(x):
        scaled = x * calls.assign_add(1.0)
        return scaled, tf.reduce_sum(scaled) * tf.reduce_sum(scaled), calls * 2.0

    found = [_gradient_of_one(tf, fn, place, [tf.constant([1.0, 2.0])]) for place in (1, 0, 2, 1)]
    return found, calls.numpy()


def the_gradient_of_one_of_several_results_by_a_variable(tf):
    v = tf.Variable([1.0, 2.0], shape=[None])

    @tf.function
    def fn():
        v.assign_add(v * 2.0)
        return v.read_value(), tf.reduce_sum(v) * tf.reduce_sum(v)

    with tf.GradientTape() as tape:
        total = fn()[1]
    return total, tape.gradient(total, v), v.numpy()


def variables_of_other_shapes_with_reduced_retracing(tf):
    @tf.function(reduce_retracing=True)
    def double(v, w, count):
        for _ in tf.range(count):
            v.assign_add(w)
        return v.read_value()

    variables = [tf.Variable([1.0] * n) for n in (1, 2, 3)]
    other = [tf.Variable(v * 2.0) for v in variables]
    apart = [double(v, w, tf.constant(2)) for v, w in zip(variables, other, strict=True)]
    counted = double.experimental_get_tracing_count()
    same = [double(v, v, tf.constant(2)) for v in variables]
    return apart, counted, same, double.experimental_get_tracing_count()


def concrete_of_one_variable_passed_twice(tf):
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    concrete = tf.function(lambda x, y: x + y).get_concrete_function(a, a)
    return concrete(a, a), concrete(a, b), concrete(b, a)


def options_under_two_names(tf):
    both = [(True, True), (False, True), (True, False), (True, None)]

    def made(new, old):
        tf.function(lambda x: x, jit_compile=new, experimental_compile=old)

    return [_tried(made, *pair) for pair in both]


def the_gradient_of_one_of_several_results_of_a_loop(tf):
    rounds = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def fn(x):
        power, total = x, tf.zeros([])
        for _ in tf.range(3):
            rounds.assign_add(1.0)
            power = power * x + 1.0
            total += tf.reduce_sum(power)
        return power, total, total * tf.reduce_sum(x)

    found = [_gradient_of_one(tf, fn, place, [tf.constant([1.0, 2.0])]) for place in range(3)]
    return found, rounds.numpy()


def the_second_gradient_of_one_of_several_results(tf):
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def fn(x):
        return tf.sqrt(x), tf.reduce_sum(x * x * x) * tf.reduce_sum(x)

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        _, (gradient,) = _gradient_of_one(tf, fn, 1, [x])
    return gradient, outer.gradient(gradient, x)


def second_gradients_run_nothing_again(tf):
    runs = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def fn(x):
        runs.assign_add(1.0)
        y = tf.map_fn(lambda r: r * r * tf.reduce_sum(r), x)
        z = tf.scan(lambda a, r: a + r * r, x)
        return y, z, tf.reduce_sum(y) * tf.reduce_sum(z)

    x, found = tf.constant([[1.0, 2.0], [3.0, 4.0], [0.5, 0.25]]), []
    for place in range(3):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                result = fn(x)[place]
            first = inner.gradient(result, x)
        found += [first, outer.gradient(first, x)]
    return runs, found


def variables_of_any_length_beside_indices_that_are_checked(tf):
    v = tf.Variable([1.0, 2.0, 3.0], shape=[None])
    total = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def keep(x):
        v.assign(x)
        total.assign_add(tf.gather(v, tf.size(v) - 1 + tf.cast(total, tf.int32)))
        return v + total

    found = []
    for size in (1, 3, 1, 6, 3, 1, 6):
        found.append(keep(tf.zeros([size])))
        found.append(v.read_value())
    total.assign(9.0)
    try:
        keep(tf.ones([4]))
    except tf.errors.InvalidArgumentError:
        found.append(total.read_value())
    return found


def values_captured_at_call_time(tf):
    held = [1.0]
    scalar = tf.TensorSpec([], tf.float32)

    def ask(x, key=None):
        return x.graph.capture_call_time_value(lambda: tf.constant(held[0]), scalar, key)

    @tf.function
    def once(x):
        return x + ask(x)

    @tf.function
    def twice(x):
        return x + ask(x, "a") * ask(x, "a")

    @tf.function
    def called_inside(x):
        return once(x) * 2.0

    found = []
    for held[0] in (1.0, 5.0, 7.0):
        found.append([fn(tf.constant(1.0)) for fn in (once, twice, called_inside)])
        with tf.GradientTape() as tape:
            x = tf.constant(2.0)
            tape.watch(x)
            y = twice(x) * x
        found.append(tape.gradient(y, x))
    graph = once.get_concrete_function(tf.constant(1.0)).graph
    kept = len(graph.captures), len(graph.deferred_internal_captures), len(graph.inputs)
    return [found, once.experimental_get_tracing_count(), kept]


def captures_that_are_replaced(tf):
    big = tf.range(40.0)
    held = [tf.ones([40])]

    @tf.function
    def f(x):
        return x + tf.reduce_sum(big)

    x = tf.constant(1.0)
    concrete = f.get_concrete_function(x)
    found = [concrete(x)]
    concrete.set_external_captures([tf.ones([40])])
    found += [concrete(x), f(x)]
    concrete.set_external_captures([big])
    (inside,) = concrete.graph.internal_captures
    concrete.replace_capture_with_deferred_capture(
        big, lambda: held[0], tf.TensorSpec([40], tf.float32), placeholder=inside
    )
    found.append(concrete(x))
    held[0] *= 2.0
    return [*found, concrete(x), len(concrete.graph.captures)]


def functions_that_refuse_to_be_saved(tf):
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def f(x):
        x.graph.mark_as_unsaveable("it says so")
        return x

    module = tf.Module()
    module.f = f
    graph = f.get_concrete_function().graph
    with tempfile.TemporaryDirectory() as folder:
        try:
            tf.saved_model.save(module, folder)
        except ValueError as error:
            return [graph.saveable, sorted(graph.saving_errors), "it says so" in str(error)]


def what_the_graph_of_a_function_tells(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        x.graph.watch_variable(v)
        return x, tf.cast(x, tf.int32)

    concrete = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    graph = concrete.graph
    watched = [w.name for w in graph.variables]
    concrete.set_variables([])
    shapes = [shape.as_list() for shape in graph.output_shapes]
    return [watched, concrete.variables, shapes, [t.name for t in graph.output_types]]


def functions_in_the_messages_of_a_graph(tf):
    concrete = tf.function(lambda x: x * 2.0).get_concrete_function(tf.constant(1.0))
    graph = tf.Graph()
    for _ in range(2):
        concrete.add_to_graph(graph)
    found = [f.signature.name for f in graph.as_graph_def().library.function]
    return [name == concrete.name.decode() for name in found]


def methods_are_the_same_object_each_time(tf):
    class Base(tf.Module):
        @tf.function
        def f(self, x):
            return x * 2.0

    class Derived(Base):
        @tf.function
        def f(self, x):
            return super().f(x) + 1.0

    a, b = Base(), Derived()
    f = b.f
    f(tf.constant(1.0))
    return [a.f is a.f, b.f is f, super(Derived, b).f is super(Derived, b).f, a.f is b.f]


def objects_with_traced_methods_can_be_freed(tf):
    class A:
        @tf.function
        def f(self, x):
            return x * 2.0

    def used():
        a = A()
        a.f(tf.constant(1.0))
        assert a.f is a.f
        return weakref.ref(a)

    seen = used()
    gc.collect()
    return seen() is None
