"""Programs about AutoGraph; see `cases.py`."""

# ruff: noqa: B007, F821, F841, UP008

import contextlib
import functools


def _run(tf, fn, *args):
    """What a function gives traced, at its first call and when it is compiled."""
    traced = tf.function(fn)
    results = [traced(*args) for _ in range(4)]
    return results[0], results[3]


def undefined_after_an_if(tf):
    def fn(x):
        if x > 0:
            y = x
        return y

    return _run(tf, fn, tf.constant(1.0))


def undefined_after_an_if_but_not_used(tf):
    def fn(x):
        if x > 0:
            y = x
            x = y + 1
        return x

    return _run(tf, fn, tf.constant(1.0))


def none_in_one_branch(tf):
    def fn(x):
        if x > 0:
            y = x
        else:
            y = None
        return y

    return _run(tf, fn, tf.constant(1.0))


def python_numbers_of_two_kinds_in_branches(tf):
    def fn(x):
        if x > 0:
            y = 1
        else:
            y = 2.0
        return y

    return _run(tf, fn, tf.constant(1.0))


def dtypes_differ_between_branches(tf):
    def fn(x):
        if x > 0:
            y = x
        else:
            y = tf.cast(x, tf.int32)
        return y

    return _run(tf, fn, tf.constant(1.0))


def structures_differ_between_branches(tf):
    def fn(x):
        if x > 0:
            y = [x]
        else:
            y = [x, x]
        return y

    return _run(tf, fn, tf.constant(1.0))


def objects_in_branches_that_nobody_uses(tf):
    def fn(x):
        if x > 0:
            y = object()
        else:
            y = object()
        return x

    return _run(tf, fn, tf.constant(1.0))


def return_in_one_branch_only(tf):
    def fn(x):
        if x > 0:
            return x

    return _run(tf, fn, tf.constant(1.0))


def equal_python_values_in_branches(tf):
    def fn(x):
        if x > 0:
            z = 1
        else:
            z = 1
        return z

    return _run(tf, fn, tf.constant(1.0))


def a_variable_that_only_the_loop_defines(tf):
    def fn(x):
        while x < 5.0:
            y = x
            x = x + 1
        return y

    return _run(tf, fn, tf.constant(1.0))


def dtype_changes_in_a_loop(tf):
    def fn(n):
        x = tf.constant(1)
        for i in tf.range(n):
            x = tf.cast(x, tf.float32)
        return x

    return _run(tf, fn, tf.constant(2))


def shape_changes_in_a_loop(tf):
    def fn(n):
        x = tf.ones([1])
        for i in tf.range(n):
            x = tf.concat([x, x], 0)
        return x

    return _run(tf, fn, tf.constant(2))


def shape_changes_in_a_loop_with_options(tf):
    def fn(n):
        x = tf.ones([1])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, x], 0)
        return x

    return _run(tf, fn, tf.constant(2))


def shape_invariants_that_do_not_fit(tf):
    def fn(n):
        x = tf.ones([1])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([2]))])
            x = x + 1.0
        return x

    return _run(tf, fn, tf.constant(2))


def structure_changes_in_a_loop(tf):
    def fn(n):
        x = (n,)
        for i in tf.range(n):
            x = (n, n)
        return x

    return _run(tf, fn, tf.constant(2))


def none_before_a_loop(tf):
    def fn(n):
        x = None
        for i in tf.range(n):
            x = i
        return x

    return _run(tf, fn, tf.constant(2))


def a_number_becomes_a_string_in_a_loop(tf):
    def fn(n):
        x = 5
        for i in tf.range(n):
            x = "a"
        return x

    return _run(tf, fn, tf.constant(2))


def print_runs_while_tracing(tf):
    traced = []

    def fn(x):
        if x > 0:
            traced.append("then")
        else:
            traced.append("else")
        for i in tf.range(x):
            traced.append("loop")
            x = x + i
        while x > 100:
            traced.append("while")
            x = x - 1
        return x

    found = _run(tf, fn, tf.constant(3))
    return traced, found


def an_item_cannot_be_deleted_twice(tf):
    def fn(x):
        del x
        return x

    return _run(tf, fn, tf.constant(1))


def python_branches_leave_names_undefined(tf):
    def fn(x):
        if False:
            q = 1
        return q

    return _run(tf, fn, tf.constant(1))


def a_condition_that_is_no_scalar(tf):
    def fn(x):
        if x:
            return 1
        return 2

    return _run(tf, fn, tf.constant([True, False]))


def a_condition_that_is_a_number(tf):
    def fn(x):
        if x:
            return 1
        return 2

    return _run(tf, fn, tf.constant(3))


def a_loop_condition_that_is_a_number(tf):
    def fn(x):
        while x:
            x = x - 1
        return x

    return _run(tf, fn, tf.constant(3))


def not_of_a_number(tf):
    return _run(tf, lambda x: not x, tf.constant(3))


def errors_of_the_user(tf):
    def fn(x):
        raise ValueError("mine")

    return _run(tf, fn, tf.constant(3))


def errors_of_the_user_in_a_branch(tf):
    def fn(x):
        if x > 0:
            raise KeyError("mine")
        return x

    return _run(tf, fn, tf.constant(-3))


def try_and_with(tf):
    def fn(x):
        try:
            if x > 0:
                y = 1
            else:
                y = 2
            raise KeyError("caught")
        except KeyError as error:
            z = len(error.args)
        finally:
            w = 5
        with tf.name_scope("s"):
            for i in tf.range(3):
                y += i
        return y + z + w

    return _run(tf, fn, tf.constant(-3))


def the_loop_variable_after_the_loop(tf):
    def fn(n):
        for i in tf.range(n):
            pass
        return i

    return _run(tf, fn, tf.constant(3))


def dicts_change_in_a_loop(tf):
    def fn(n):
        d = {"a": 0, "b": 1}
        for i in tf.range(n):
            d["a"] = d["a"] + i
        return d

    return _run(tf, fn, tf.constant(4))


def attributes_change_in_branches_and_loops(tf):
    class Box:
        total = 0

    def fn(n):
        box = Box()
        box.total = tf.constant(0)
        for i in tf.range(n):
            if i % 2 == 0:
                box.total = box.total + i
            else:
                box.total -= 1
        return box.total

    return _run(tf, fn, tf.constant(7))


def functions_defined_inside(tf):
    def fn(x):
        def scale(y, by=2):
            if y > 0:
                return y * by
            return y

        twice = lambda z: scale(z) if z > 1 else z  # noqa: E731
        return scale(x), twice(x), functools.partial(scale, by=10)(x)

    return _run(tf, fn, tf.constant(3))


def a_helper_with_a_decorator(tf):
    def logged(f):
        @functools.wraps(f)
        def run(*args):
            return f(*args) + 1

        return run

    @logged
    def helper(x):
        if x > 0:
            return x
        return -x

    return _run(tf, lambda x: helper(x), tf.constant(-3))


def do_not_convert_leaves_python(tf):
    @tf.autograph.experimental.do_not_convert
    def helper(x):
        if x > 0:
            return x
        return -x

    return _run(tf, lambda x: helper(x), tf.constant(-3))


def autograph_can_be_switched_off(tf):
    @tf.function(autograph=False)
    def fn(x):
        if x > 0:
            return x
        return -x

    return fn(tf.constant(1))


def logic_on_tensors(tf):
    def fn(a, b):
        return [a and b, a or b, not a, a and not b, (a or b) and a]

    return [
        _run(tf, fn, tf.constant(x), tf.constant(y)) for x in (True, False) for y in (True, False)
    ]


def conditional_expressions(tf):
    def fn(x):
        return x + 1 if x > 0 else x - 1

    return [_run(tf, fn, tf.constant(v)) for v in (3, -3)]


def len_range_int_float_abs_and_sorted(tf):
    def fn(x, n):
        total = 0
        for i in range(n):
            total += i
        return len(x), total, int(x[0]), float(x[1]), abs(x), sorted(x)

    return _run(tf, fn, tf.constant([3.5, -1.0, 2.0]), tf.constant(4))


def python_loops_are_unrolled(tf):
    def fn(x):
        for i in range(3):
            if i == 1:
                continue
            x = x * (i + 2)
        for a, (b, c) in [(1, (2, 3)), (4, (5, 6))]:
            x = x + a * b * c
        return x

    return _run(tf, fn, tf.constant(2))


def break_and_continue(tf):
    def fn(n):
        total = 0
        for i in tf.range(n):
            if i == 2:
                continue
            j = 0
            while j < i:
                if j > 3:
                    break
                j += 1
                total += j
            if total > 30:
                break
        return total, i

    return [_run(tf, fn, tf.constant(n)) for n in (1, 4, 50)]


def tuples_as_loop_variables(tf):
    def fn(n):
        a, b = 0, 1
        for _ in tf.range(n):
            a, b = b, a + b
        return a

    return _run(tf, fn, tf.constant(10))


def rows_of_a_matrix(tf):
    def fn(m):
        total = tf.zeros([2])
        for row in m:
            for x in row:
                total = total * 0.5 + x
        return total

    return _run(tf, fn, tf.constant([[1.0, 2.0], [3.0, 4.0]]))


def a_class_is_made_and_called(tf):
    class Affine:
        def __init__(self, w):
            self.w = w

        def __call__(self, x):
            if x > 0:
                return self._scaled(x)
            return x

        def _scaled(self, x):
            __private = self.w
            return x * __private

    def fn(x):
        return Affine(tf.constant(3))(x)

    return [_run(tf, fn, tf.constant(v)) for v in (2, -2)]


def inherited_methods(tf):
    class Base:
        def step(self, x):
            if x > 0:
                return x + 1
            return x

    class Derived(Base):
        def step(self, x):
            y = super().step(x)
            if y > 0:
                y = super(Derived, self).step(y)
            return y

    return [_run(tf, Derived().step, tf.constant(v)) for v in (1, -1)]


def functions_of_tensorflow_called_inside(tf):
    inner = tf.function(lambda x: x if x > 0 else -x)

    def fn(x):
        if x < 10:
            x = inner(x) + inner(x - 5)
        return x

    return [_run(tf, fn, tf.constant(v)) for v in (3, 30)]


def gradients_through_control_flow(tf):
    def fn(x, n):
        y = x
        for i in tf.range(n):
            if y > 10.0:
                y = y * 0.5
            else:
                y = y * x + tf.cast(i, tf.float32)
        while y > 2.0:
            y = y * 0.7
        return y

    traced = tf.function(fn)
    found = []
    for value in (1.5, 3.0, -1.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = traced(x, tf.constant(4))
        found.append((y, tape.gradient(y, x)))
    return found


def variables_change_in_loops(tf):
    v = tf.Variable(1)

    def fn(n):
        for i in tf.range(n):
            if i % 2 == 0:
                v.assign_add(i)
            else:
                v.assign(v * 2)
        return v.read_value()

    return _run(tf, fn, tf.constant(5))


def a_variable_as_a_condition(tf):
    flag = tf.Variable(True)

    def fn(x):
        if flag:
            flag.assign(False)
            return x
        return -x

    traced = tf.function(fn)
    return [traced(tf.constant(2)) for _ in range(3)]


def tensor_arrays_in_loops(tf):
    def fn(n):
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            if i % 2 == 0:
                array = array.write(array.size(), i * i)
        return array.stack()

    return _run(tf, fn, tf.constant(6))


def to_code_of_a_number(tf):
    return tf.autograph.to_code(3)


def to_graph_runs(tf):
    def fn(x):
        if x > 0:
            return x
        return -x

    graph = tf.autograph.to_graph(fn)
    return tf.function(graph, autograph=False)(tf.constant(-4)), graph(tf.constant(-4))


def features(tf):
    feature = tf.autograph.experimental.Feature
    return [f.name for f in feature.all()], sorted(f.name for f in feature.all_but(feature.LISTS))


def lambdas_side_by_side(tf):
    fns = [lambda x: x if x > 0 else -x]
    return [_run(tf, f, tf.constant(-2)) for f in fns]


def a_loop_variable_of_another_type_than_in_the_loop_before(tf):
    def fn(x):
        total = 0.0
        for item in tf.range(3):
            total += tf.cast(item, tf.float32)
        for item in x:
            total += item
        for item, text in tf.data.Dataset.from_tensor_slices((x, ["a", "bb"])).batch(2):
            total += tf.reduce_sum(item)
        return total

    return _run(tf, fn, tf.constant([1.0, 2.0]))


def a_variable_that_every_iteration_makes_anew(tf):
    def fn(n):
        total, part = 0.0, tf.constant([1, 2])
        while n > 0:
            part = tf.cast(n, tf.float32)
            total += part
            n -= 1
        return total

    return _run(tf, fn, tf.constant(3))


def a_variable_that_an_iteration_reads_before_it_makes_it_anew(tf):
    def fn(n):
        total, part = 0, tf.constant([1, 2])
        while n > 0:
            total += tf.reduce_sum(part)
            part = tf.cast(n, tf.float32)
            n -= 1
        return total

    return _run(tf, fn, tf.constant(3))


def a_loop_over_sparse_elements(tf):
    def fn(x):
        total = 0
        for row in tf.data.Dataset.from_tensor_slices(tf.sparse.from_dense(x)):
            total = total * 3 + tf.sparse.reduce_sum(row)
        return total

    return _run(tf, fn, tf.constant([[0, 1], [2, 0]]))


def _branch(tf, spec=None):
    @tf.function(input_signature=None if spec is None else [spec])
    def fn(x):
        if x:
            return 1
        return 0

    return fn


def a_condition_may_have_one_element(tf):
    fn = _branch(tf)
    return [fn(tf.constant(x)).numpy() for x in ([True], [False], [[False]])]


def a_condition_of_unknown_size_may_have_one_element(tf):
    fn = _branch(tf, tf.TensorSpec([None], tf.bool))
    return [fn(tf.constant(x)).numpy() for x in ([True], [False])]


def a_condition_of_unknown_rank_may_have_one_element(tf):
    fn = _branch(tf, tf.TensorSpec(None, tf.bool))
    return [fn(tf.constant(x)).numpy() for x in (True, [True], [False], [[False]])]


def a_condition_of_two_elements(tf):
    return _branch(tf)(tf.constant([True, False]))


def a_condition_that_turns_out_to_have_two_elements(tf):
    return _branch(tf, tf.TensorSpec([None], tf.bool))(tf.constant([True, False]))


def a_condition_of_one_integer(tf):
    return _branch(tf)(tf.constant([3]))


def a_while_loop_over_one_element(tf):
    @tf.function
    def fn(x):
        i = tf.constant([0])
        while i < x:
            i += 1
        return i

    return fn(tf.constant([3])).numpy()


def logical_operators_on_one_element(tf):
    @tf.function
    def fn(x):
        return x > 0 or x < -5, x > 0 and x < 5, not x > 0, 1 if x > 0 else 2

    return [t.numpy() for t in fn(tf.constant([1]))]


def branches_of_one_element(tf):
    @tf.function
    def fn(x):
        return (
            tf.cond(x > 0, lambda: 1, lambda: 2),
            tf.case([(x > 1, lambda: 3)], default=lambda: 4),
        )

    return [[t.numpy() for t in fn(tf.constant(x))] for x in ([1], [[2]], [0])]


def an_eager_branch_on_two_elements(tf):
    return tf.cond(tf.constant([True, False]), lambda: 1, lambda: 2)


def an_eager_branch_on_one_element(tf):
    return [tf.cond(tf.constant([x]), lambda: 1, lambda: 2) for x in (True, False)]


def returns_inside_a_scope(tf):
    @tf.function
    def fn(x):
        with tf.name_scope("a"):
            if x > 0:
                return x
            return -x

    return [fn(tf.constant(x)).numpy() for x in (3, -4)]


def any_and_all_of_datasets(tf):
    def truths(ds):
        return any(ds), all(ds), any(ds.take(0)), all(ds.take(0))

    bools = tf.data.Dataset.from_tensor_slices([True, False])
    return _run(tf, truths, bools), _run(tf, truths, bools.take(1))


def any_of_a_dataset_of_numbers(tf):
    def fn(ds):
        return any(ds)

    return _run(tf, fn, tf.data.Dataset.range(3))


def the_length_of_a_dataset(tf):
    def fn(ds):
        return len(ds)

    return _run(tf, fn, tf.data.Dataset.range(5).batch(2))


def the_length_of_a_dataset_that_is_not_known(tf):
    def fn(ds):
        return len(ds)

    return _run(tf, fn, tf.data.Dataset.range(5).filter(lambda x: x > 2))


def shapes_of_the_elements_of_arrays_after_loops(tf):
    def rows(x, n):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, x[i])
        return array

    def counts(x, n):
        array, k = tf.TensorArray(tf.int32, size=0, dynamic_size=True), 0
        while k < n:
            array = array.write(k, k)
            k += 1
        return array

    def some_rows(x, n):
        array = tf.TensorArray(tf.float32, size=2)
        for i in tf.range(n):
            if i > 1:
                array = array.write(0, x[0])
        return array

    def tables(x, n):
        array = tf.TensorArray(tf.float32, size=2)
        for i in tf.range(n):
            array = array.write(i, x)
        return array

    found = []

    def note(make):
        @tf.function(input_signature=[tf.TensorSpec([None, 4]), tf.TensorSpec([], tf.int32)])
        def function(x, n):
            array = make(x, n)
            shapes = [array.element_shape, array.stack().shape, array.read(0).shape]
            found.append([str(shape) for shape in shapes])
            return n

        function.get_concrete_function()

    for make in (rows, counts, some_rows, tables):
        note(make)
    return found


def none_where_a_tensor_is_wanted(tf):
    x = tf.constant([1.0])
    attempts = [
        lambda: x + None,
        lambda: tf.matmul(x, None),
        lambda: tf.constant(None),
        lambda: tf.reduce_sum(None),
        lambda: tf.constant([1, None]),
        lambda: tf.constant([1, "a"]),
    ]
    found = []
    for attempt in attempts:
        for call in (attempt, tf.function(attempt, autograph=False)):
            try:
                call()
            except Exception as error:
                found.append(type(error).__name__)
    return found


def _outcomes(fn, *calls):
    """What a function gives for each list of arguments, or the class of its error."""
    found = []
    for args in calls:
        try:
            found.append(fn(*args))
        except Exception as error:
            found.append(type(error).__name__)
    return found


def ranges_whose_steps_are_tensors(tf):
    @tf.function
    def fn(start, limit, step):
        total, count = tf.zeros([], start.dtype), 0
        for i in tf.range(start, limit, step):
            total = total * 3 + i
            count += 1
        return total, count

    ranges = [(5, 0, -1), (5, 0, -2), (0, 7, 3), (0, 6, 3), (5, 0, 1), (0, 5, -1), (3, 3, 1)]
    kinds = (tf.int32, tf.int64, tf.float32)
    return [fn(*[tf.constant(v, kind) for v in values]) for kind in kinds for values in ranges]


def the_variable_of_a_range_without_numbers(tf):
    @tf.function
    def plain(n):
        for i in tf.range(3, n):
            pass
        return i

    @tf.function
    def changed(n):
        for i in range(3, n):
            i = i * 10
        return i

    @tf.function
    def known(n):
        i = 7
        for i in tf.range(3, n):
            pass
        return i

    return [fn(tf.constant(n)) for fn in (plain, changed, known) for n in (2, 5)]


def variables_of_a_loop_that_may_not_run(tf):
    @tf.function
    def over_a_tensor(n):
        for x in tf.zeros([n]):
            y = x + 1.0
        return y

    @tf.function
    def added_to(n):
        k = 0
        while k < n:
            y = k
            k += 1
        y += 1
        return y

    @tf.function
    def read_in_a_branch(n):
        k = 0
        while k < n:
            y = k
            k += 1
        if n > 1:
            k = y
        return k

    @tf.function
    def read_in_a_closure(n):
        for _ in tf.range(n):
            y = n * 2

        def read():
            return y + 1

        return read(), [y for _ in range(2)]

    fns = (over_a_tensor, added_to, read_in_a_branch, read_in_a_closure)
    return [_outcomes(fn, [tf.constant(0)], [tf.constant(2)], [tf.constant(0)]) for fn in fns]


def variables_of_a_loop_that_does_not_run_and_that_nobody_reads(tf):
    @tf.function
    def fn(n):
        total = 0
        for i in tf.range(n):
            y = i
            total += y
        for i in tf.range(2):
            for j in tf.range(n):
                z = j
            total += z
        y = 3
        return total, y

    return [fn(tf.constant(n)) for n in (0, 3)]


def gradient_descent_in_a_loop_with_a_branch(tf):
    def fn(n):
        w = tf.constant([1.0, 2.0])
        for _ in tf.range(n):
            with tf.GradientTape() as tape:
                tape.watch(w)
                loss = w * w if tf.reduce_sum(w) > 2.5 else w * 3.0
            w = w - 0.1 * tape.gradient(loss, w)
        return w

    return _run(tf, fn, tf.constant(4))


def shapes_of_gradients_through_branches(tf):
    v = tf.Variable([1.0, 2.0])
    shapes = []

    @tf.function
    def fn(x, n):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * v * x if n > 1 else x * 3.0
            dx, dv = tape.gradient(y, (x, v))
        shapes.extend(str(t.shape) for t in (dx, dv, outer.gradient(dx, x)))
        return dx

    fn(tf.constant([1.0, 3.0]), tf.constant(2))
    return shapes


def lists_that_grow_alike_in_both_branches(tf):
    def fn(x):
        found = [x]
        if x > 0:
            found = [*found, x + 1]
        else:
            found = [*found, x - 1]
        return found

    return _run(tf, fn, tf.constant(3))


def a_loop_gives_a_dict_more_keys(tf):
    def fn(n):
        found, empty = {"a": 1}, {}
        for i in tf.range(n):
            found["b"] = found["a"] + i
            found["a"] = found["b"] * 2
            found["c"] = tf.ones([2, 3]) * tf.cast(i, tf.float32)
            empty["d"] = i
        return found, empty

    return _run(tf, fn, tf.constant(3))


def objects_change_in_loops(tf):
    class Box:
        def __init__(self, value):
            self.value = value

    @tf.function
    def dropped(n):
        box, total = Box(0), 0
        for i in tf.range(n):
            box = Box(i)
            total += box.value
        return total

    @tf.function
    def carried(n):
        box, total = Box(1), 0
        for _ in tf.range(n):
            total += box.value
            box = Box(total)
        return total

    @tf.function
    def used_after(n):
        box = Box(1)
        for i in tf.range(n):
            box = Box(i)
        return box.value

    return [_outcomes(fn, [tf.constant(3)]) for fn in (dropped, carried, used_after)]


def none_inside_a_tuple_that_changes_in_a_loop(tf):
    def fn(n):
        pair = (0, None)
        for i in tf.range(n):
            pair = (pair[0] + i, None)
        return pair[0]

    return _run(tf, fn, tf.constant(3))


def to_graph_names_what_it_makes(tf):
    def fn(x):
        return x if x > 0 else -x

    return tf.autograph.to_graph(fn).__name__


def to_graph_needs_a_source(tf):
    space = {}
    exec("def fn(x):\n    return x", space)
    return tf.autograph.to_graph(space["fn"])


class _Box:
    pass


def elements_inside_containers_change(tf):
    closed_over = {"a": tf.constant(0)}

    @tf.function
    def in_a_branch(n):
        box, found = _Box(), {"x": {"y": tf.constant(0)}}
        box.parts = {"a": tf.constant(1)}
        if n > 0:
            found["x"]["y"] = n
            box.parts["a"] = n * 2
        return found, box.parts

    @tf.function
    def in_a_loop(n, key="x"):
        box, found = _Box(), {"x": {"y": tf.constant(0)}, "z": [0, tf.constant(1)]}
        box.parts = [tf.constant(1), 2]
        for i in tf.range(n):
            found[key]["y"] = found[key]["y"] + i
            found["z"][1] += i
            found["z"][0], box.parts[0] = box.parts[0], found["z"][1]
        return found, box.parts

    @tf.function
    def in_a_closure(n):
        closed_over["a"] = tf.constant(5)
        if n > 0:
            closed_over["a"] = n
        for i in tf.range(n):
            closed_over["a"] = closed_over["a"] + i
        return closed_over["a"]

    fns = (in_a_branch, in_a_loop, in_a_closure)
    return [fn(tf.constant(n)) for fn in fns for n in (4, -4)]


def containers_that_somebody_else_holds_change(tf):
    def set_by(found, n):
        if n > 0:
            found["a"] = n
        else:
            found["a"] = -n

    def add_to(found, n):
        for i in tf.range(n):
            found["a"] = found["a"] + i

    @tf.function
    def fn(n):
        found, numbers = {"a": tf.constant(0)}, [0, 1]
        alias, outer = found, {"numbers": numbers}
        set_by(found, n)
        add_to(found, n)
        if n > 1:
            outer["numbers"][0] = n
        return found, alias, numbers, outer

    return [fn(tf.constant(n)) for n in (4, -4)]


def containers_that_hold_more_than_tensors(tf):
    v = tf.Variable(1)

    def fn(n):
        found, parts = {"fn": abs, "a": tf.constant(0), "none": None}, [v, tf.constant(0), abs]
        for i in tf.range(n):
            found["a"] = found["a"] + found["fn"](i)
            parts[1] += i
            parts[0].assign_add(i)
        if n > 2:
            found["a"] = found["a"] + 100
            parts[1] = parts[1] * 2
        return found["a"], parts[1], v.read_value()

    return _run(tf, fn, tf.constant(4))


def an_attribute_that_one_branch_makes(tf):
    def fn(x):
        box = _Box()
        if x > 0:
            box.value = x
        return box.value

    return _run(tf, fn, tf.constant(1))


def objects_with_methods_named_like_those_of_lists(tf):
    class Log:
        def __init__(self):
            self.items = []

        def append(self, item):
            self.items.append(item)
            return "appended"

        def extend(self, items):
            self.items.extend(items)
            return "extended"

    def fn(x):
        log = Log()
        log.append(x)
        log.extend([x, x + 1])
        return log.items

    return _run(tf, fn, tf.constant(1))


def a_variable_becomes_a_tensor_in_a_loop(tf):
    v = tf.Variable(1.0)

    def fn(n):
        x = v
        for _ in tf.range(n):
            x = x * 2.0
            v.assign_add(1.0)
        return x, v.read_value()

    return _run(tf, fn, tf.constant(3))


def many_numbers_become_floats_in_a_loop(tf):
    def fn(n):
        a, b, c, d, e, f = 0, 0, 0, 0, 0, (0, 0)
        for i in tf.range(n):
            x = tf.cast(i, tf.float32)
            a, b, c, d, e = a + x, b + x, c + x, d + x, e + x
            f = (f[0] + x, f[1] - x)
        return a, b, c, d, e, f

    return _run(tf, fn, tf.constant(3))


def the_length_of_arrays_and_ragged_tensors(tf):
    def fn(ragged, n):
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, i)
        return len(array), len(ragged)

    return _run(tf, fn, tf.ragged.constant([[1], [2, 3]]), tf.constant(3))


def numbers_in_other_bases(tf):
    return _run(tf, lambda x: int(x, 2), tf.constant("11"))


def any_of_rows(tf):
    return _run(tf, lambda x: any(x), tf.constant([[True, False], [True, True]]))


def a_return_whose_value_cannot_be_had(tf):
    def failing(x):
        raise ValueError("none")

    def fn(x):
        try:
            return failing(x)
        except ValueError:
            pass
        return x + 1

    def in_a_branch(x):
        try:
            if x > 0:
                return failing(x)
            return x
        except ValueError:
            x = x * 2
        return x + 1

    def suppressed(x):
        with contextlib.suppress(ValueError):
            return failing(x)
        return x

    return [_run(tf, f, tf.constant(1)) for f in (fn, in_a_branch, suppressed)]


def ranges_that_end_before_they_start(tf):
    def fn(n):
        return range(n), range(5, n), range(n, 5), range(tf.cast(n, tf.int64))

    return [_run(tf, fn, tf.constant(n)) for n in (3, -3, 7)]


def ranges_of_floats(tf):
    def fn(x):
        return range(x, 7.5, 0.5), range(x)

    return _run(tf, fn, tf.constant(6.0))


def abs_of_a_dataset(tf):
    def fn(x):
        one = abs(tf.data.Dataset.from_tensor_slices([-1, 2]))
        pairs = abs(tf.data.Dataset.from_tensor_slices(([-1, 2], {"a": [5, -7]})))
        total = x
        for value in one:
            total = total * 10 + value
        for value, other in pairs:
            total = total * 10 + value * other["a"]
        return total

    return _run(tf, fn, tf.constant(0))


def ragged_rows_grow_in_a_loop(tf):
    def fn(n):
        rows = tf.ragged.constant([[1], [2, 3]])
        wide = tf.ragged.constant([[[1, 2]], [[2, 3], [4, 5]]], inner_shape=(2,))
        for _ in tf.range(n):
            rows = tf.concat([rows, rows], 1)
            wide = tf.concat([wide, wide], 1)
        return rows, wide, wide.shape.as_list()

    return [_run(tf, fn, tf.constant(n)) for n in (0, 2)]


def more_ragged_rows_in_a_loop(tf):
    def fn(n):
        rows = tf.ragged.constant([[1], [2, 3]])
        for _ in tf.range(n):
            rows = tf.concat([rows, rows], 0)
        return rows

    return _run(tf, fn, tf.constant(2))


def composites_in_while_loops(tf):
    def grown(value, join, invariant=None):
        shapes = None if invariant is None else [tf.TensorShape([]), invariant]
        return tf.while_loop(
            lambda i, _: i < 2, lambda i, v: (i + 1, join(v)), [0, value], shape_invariants=shapes
        )[1]

    def fn(x):
        sparse = tf.sparse.from_dense([1.0, 0.0])
        ragged = tf.ragged.constant([[1], [2, 3]])
        twice = grown(sparse, lambda v: tf.sparse.concat(0, [v, v]), tf.TensorShape([None]))
        spec = tf.SparseTensorSpec([None], tf.float32)
        again = grown(sparse, lambda v: tf.sparse.concat(0, [v, v]), spec)
        rows = grown(ragged, lambda v: tf.concat([v, v], 1))
        return twice, again, rows

    return _run(tf, fn, tf.constant(1))


def shapes_change_in_a_loop_over_a_dataset(tf):
    traced = []

    def fn(n):
        flat, wide = tf.zeros([0], tf.int64), (tf.zeros([1, 2]), {"a": tf.zeros([2])})
        deep = tf.zeros([1])
        for v in tf.data.Dataset.range(n).batch(2):
            traced.append(f"{flat.shape} {wide[0].shape} {deep.shape}")
            flat = tf.concat([flat, v], 0)
            wide = (tf.concat([wide[0], wide[0]], 1), wide[1])
            deep = deep[tf.newaxis]
        return flat, wide, deep, tf.TensorShape.as_list(wide[1]["a"].shape)

    return _run(tf, fn, tf.constant(5, tf.int64)), traced


def shapes_change_in_a_loop_over_an_iterator(tf):
    def fn(n):
        found = tf.zeros([0], tf.int64)
        for v in iter(tf.data.Dataset.range(n)):
            found = tf.concat([found, [v]], 0)
        return found

    return _run(tf, fn, tf.constant(3, tf.int64))


def a_dataset_is_reduced_to_a_tensor_that_grows(tf):
    def fn(n):
        start = tf.zeros([0], tf.int64)
        return tf.data.Dataset.range(n).reduce(start, lambda s, v: tf.concat([s, [v]], 0))

    return _run(tf, fn, tf.constant(3, tf.int64))


def shape_invariants_of_parts_and_of_nests(tf):
    def fn(n):
        pair = (tf.zeros([0], tf.int32), {"a": tf.zeros([1])})
        box = {"b": tf.zeros([0], tf.int32)}
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[
                    (pair, (tf.TensorShape([None]), {"a": tf.TensorShape([None])})),
                    (box["b"], tf.TensorShape([None])),
                ]
            )
            pair = (tf.concat([pair[0], [i]], 0), {"a": tf.concat([pair[1]["a"], [1.0]], 0)})
            box["b"] = tf.concat([box["b"], [i]], 0)
        return pair, box

    return _run(tf, fn, tf.constant(3))


def shape_invariants_of_ragged_rows(tf):
    def fn(n):
        rows = tf.ragged.constant([[1], [2, 3]])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(rows, tf.TensorShape([None, None]))]
            )
            rows = tf.concat([rows, rows], 0)
        return rows

    return _run(tf, fn, tf.constant(2))


def the_most_iterations_are_computed_before_a_loop(tf):
    def fn(x, n):
        count, total = tf.constant(0), tf.constant(0)
        for _ in tf.range(10):
            tf.autograph.experimental.set_loop_options(maximum_iterations=tf.shape(x)[0] + n)
            count += 1
        while total < 100:
            tf.autograph.experimental.set_loop_options(maximum_iterations=tf.constant(4))
            total += 1
        return count, total

    return _run(tf, fn, tf.constant([1, 2]), tf.constant(1))


def a_function_that_a_loop_defines(tf):
    def fn(n):
        for _ in tf.range(n):
            after = lambda v: v + 1  # noqa: E731
        return after(n)

    return _run(tf, fn, tf.constant(2))


def a_branch_of_a_loop_defines_a_variable(tf):
    def fn(n):
        while n > 0:
            if n > 1:
                found = n
            n -= 1
        return found

    return _run(tf, fn, tf.constant(2))


def none_inside_what_both_branches_return(tf):
    def fn(x):
        if x > 0:
            return x, None
        return -x, None

    return _run(tf, fn, tf.constant(1))


def to_graph_of_a_method_takes_the_object(tf):
    class Scale:
        factor = 3

        def apply(self, x):
            return x * self.factor if x > 0 else x

    made = tf.autograph.to_graph(Scale().apply)
    return made.__name__, made(Scale(), tf.constant(2))


def a_variable_is_deleted_in_a_loop(tf):
    def fn(x):
        while x > 0:
            less = x - 1
            x = less
            del less
        return x

    return _run(tf, fn, tf.constant(2))


def shapes_that_vary_are_known_where_the_body_begins(tf):
    seen = []

    def fn(n):
        rows, last = tf.zeros([0, 2]), tf.ones([2])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(rows, tf.TensorShape([None, 2]))]
            )
            seen.append(str(rows.shape))
            if tf.shape(rows)[0] > 0:
                last += rows[-1]
            rows = tf.concat([rows, last[None]], 0)[-2:]
        return rows, last

    return _run(tf, fn, tf.constant(4)), seen


def shapes_that_a_number_outside_decides_may_change_in_a_loop(tf):
    def grown(x, n):
        size, total = tf.shape(x)[0], tf.constant(0.0)
        for _ in tf.range(n):
            y = tf.ones([size])
            for _ in tf.range(2):
                y = tf.concat([y, y], 0)
            total += tf.reduce_sum(y)
        return total

    def cut(x, n):
        size, total = tf.size(x), tf.constant(0)
        if n > 0:
            y = tf.range(size)
            while tf.size(y) > 0:
                total += y[0]
                y = y[1:]
        return total

    def repeated(x, n):
        size = tf.shape(x)[0]

        def outer(i, total):
            step = lambda j, y: (j + 1, tf.concat([y, y], 0))  # noqa: E731
            _, y = tf.while_loop(lambda j, y: j < 2, step, [0, tf.ones([size])])
            return i + 1, total + tf.reduce_sum(y)

        return tf.while_loop(lambda i, total: i < n, outer, [0, 0.0])

    given = tf.constant([1.0, 2.0]), tf.constant(2)
    return [_run(tf, fn, *given) for fn in (grown, cut, repeated)]


def shapes_in_a_branch_that_is_not_taken_need_not_fit(tf):
    held = tf.Variable(tf.zeros([3]))

    def fn(x):
        size = tf.shape(x)[0]
        if size > 3:
            first = tf.zeros([size])[3]
        else:
            first = tf.constant(1.0)
        if size % 4 == 0:
            rows = tf.reduce_sum(tf.reshape(tf.ones([size]), [4, -1]), 1)
        else:
            rows = tf.ones([4])
        if size == 3:
            held.assign(tf.ones([size]))
        else:
            held.assign_add(tf.ones([3]))
        return first, rows, held.read_value()

    def taken(x):
        size = tf.shape(x)[0]
        return tf.zeros([size])[3] if x[0] > 0 else x[0]

    given = tf.constant([1.0, 2.0])
    return _run(tf, fn, given), _outcomes(tf.function(taken), *[(given,)] * 4, (-given,))


def checks_in_a_branch_that_is_not_taken_do_not_fail(tf):
    def fn(x):
        size, total = tf.shape(x)[0], tf.constant(0)
        if x[0] > 1:
            tf.debugging.assert_equal(size, 3)
            tf.debugging.assert_shapes([(tf.zeros([size]), (3,))])
            rows = tf.zeros([size])
            rows.set_shape([3])
            total += tf.size(rows)
        return total

    calls = [tf.constant([1.0, 2.0])] * 4 + [tf.constant([2.0, 2.0])]
    return _outcomes(tf.function(fn), *[(x,) for x in calls])


def _tripled(x):
    return x * 3.0


class _Shifting:
    def shifted(self, x):
        return x - 1.0

    def __call__(self, x):
        return _tripled(x) / 2.0


def _programs_for_features(tf):
    shifting = _Shifting()
    left_alone = tf.autograph.experimental.do_not_convert(_tripled)

    def plain(x):
        return _tripled(x) + 1.0

    def twice(x):
        return plain(x) + plain(x)

    def objects(x):
        return shifting.shifted(x) + shifting(x)

    def inside(x):
        def inner(y):
            return tf.sin(y)

        return [inner(x), (lambda y: y + 1.0)(x)]

    def scoped(x):
        with tf.name_scope("mine"):
            return {"a": _tripled(x), "b": x}

    def choosing(x):
        if tf.reduce_sum(x) > 0:
            x = _tripled(x)
        return x

    def bare(x):
        return left_alone(x)

    return [plain, twice, objects, inside, scoped, choosing, bare]


def names_of_operations_with_features(tf):
    feature = tf.autograph.experimental.Feature
    chosen = [None, feature.NAME_SCOPES, [feature.NAME_SCOPES, feature.LISTS]]
    chosen += [feature.AUTO_CONTROL_DEPS, feature.ALL, feature.all_but(feature.NAME_SCOPES)]
    found = []
    for features in chosen:
        for program in _programs_for_features(tf):
            fn = tf.function(program, experimental_autograph_options=features)
            graph = fn.get_concrete_function(tf.TensorSpec([2])).graph
            found.append([operation.name for operation in graph.get_operations()])
    return found


def names_of_operations_of_converted_functions(tf):
    feature = tf.autograph.experimental.Feature
    found = []
    for features in (None, feature.NAME_SCOPES, (feature.ALL,)):
        program = _programs_for_features(tf)[1]
        made = tf.autograph.to_graph(program, experimental_optional_features=features)
        with tf.Graph().as_default() as graph:
            made(tf.constant([1.0, 2.0]))
            found.append([operation.name for operation in graph.get_operations()])
    return found


def functions_inside_have_features_of_their_own(tf):
    feature = tf.autograph.experimental.Feature
    names = []

    @tf.function
    def inner(x):
        y = _tripled(x)
        names.append(y.op.name)
        return y

    def outer(x):
        return inner(x) + _tripled(x)

    fn = tf.function(outer, experimental_autograph_options=feature.NAME_SCOPES)
    return names, [float(fn(tf.constant(2.0))) for _ in range(4)]


def arrays_with_elements_of_sizes_that_an_outer_value_decides(tf):
    def in_branches(x):
        n = tf.shape(x)[0]
        array = tf.TensorArray(tf.float32, size=2)
        if n == 3:
            array = array.write(0, tf.ones([n]))
        else:
            array = array.write(0, tf.zeros([3]))
        return array.write(1, tf.ones([3])).stack()

    def written_twice(x):
        n = tf.shape(x)[0]
        array = tf.TensorArray(tf.float32, size=3)
        for i in tf.range(3):
            array = array.write(i, tf.ones([n]))
            array = array.write(i, tf.ones([3]))
        return array.stack()

    return [_run(tf, fn, tf.ones([2])) for fn in (in_branches, written_twice)]


def an_array_with_elements_of_two_sizes_after_a_loop(tf):
    def fn(x):
        n = tf.shape(x)[0]
        array = tf.TensorArray(tf.float32, size=3)
        for i in tf.range(3):
            array = array.write(i, tf.ones([n]))
        return array.write(0, tf.ones([3])).stack()

    return _run(tf, fn, tf.ones([2]))


def an_element_of_another_size_than_an_array_declares(tf):
    def fn(x):
        n = tf.shape(x)[0]
        array = tf.TensorArray(tf.float32, size=3, element_shape=[3])
        for i in tf.range(3):
            array = array.write(i, tf.ones([n]))
        return array.stack()

    return _run(tf, fn, tf.ones([2]))


def an_element_of_another_size_than_an_array_declares_unknown_while_tracing(tf):
    def fn(x):
        array = tf.TensorArray(tf.float32, size=3, element_shape=[3])
        for i in tf.range(3):
            array = array.write(i, x)
        return array.stack()

    concrete = tf.function(fn).get_concrete_function(tf.TensorSpec([None]))
    return [concrete(tf.ones([3])), concrete(tf.ones([2]))]


def elements_of_two_sizes_in_one_iteration(tf):
    def fn(x):
        array = tf.TensorArray(tf.float32, size=3)
        for i in tf.range(3):
            array = array.write(i, tf.ones([2]))
            array = array.write(i, tf.ones([3]))
        return array.stack()

    return _run(tf, fn, tf.ones([2]))


def sizes_that_make_no_sense_in_a_branch_that_is_not_taken(tf):
    def fn(x):
        n = tf.shape(x)[0]
        if n == 3:
            return tf.math.unsorted_segment_sum(x, [0, 1], -n)
        return tf.math.unsorted_segment_sum(x, [0, 1], n)

    return _run(tf, fn, tf.ones([2, 3]))


def _tenfold(y):
    if y > 1:
        return y * 10
    return y


def _up_to(y):
    found = 0
    while found < y:
        found += 2
    return found


def functions_of_map_fn_are_converted(tf):
    numbers = tf.constant([0, 1, 2, 3])

    def mapped(fn, **options):
        return tf.function(lambda x: tf.map_fn(fn, x), **options)(numbers)

    def refused(fn, **options):
        try:
            return mapped(fn, **options)
        except TypeError as error:
            return [cls.__name__ for cls in type(error).__mro__ if cls.__name__ == "TypeError"]

    ragged = tf.ragged.constant([[1], [2, 3]])
    return {
        "if": mapped(_tenfold),
        "while": mapped(_up_to),
        "lambda": mapped(lambda y: _tenfold(y + 1)),
        "partial": mapped(functools.partial(lambda a, y: _tenfold(y + a), 1)),
        "named": tf.function(lambda x: tf.map_fn(elems=x, fn=_tenfold))(numbers),
        "in a dataset": list(
            tf.data.Dataset.from_tensors(numbers).map(lambda x: tf.map_fn(_tenfold, x))
        ),
        "rows": tf.function(
            lambda x: tf.map_fn(
                lambda row: _tenfold(tf.reduce_sum(row)), x, fn_output_signature=tf.int32
            )
        )(ragged),
        "eager": tf.map_fn(_tenfold, numbers),
        "not asked for": refused(_tenfold, autograph=False),
    }
