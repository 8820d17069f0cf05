"""Programs about `tf.Graph`, branches and loops; see `cases.py`."""


def _outcome(call):
    """What a call gives, or the name of the class of its error."""
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def _both(tf, fn, *args):
    """The outcome of a function, eagerly and in a graph."""
    return [_outcome(lambda: fn(*args)), _outcome(lambda: tf.function(fn)(*args))]


def predicates_that_are_no_tensors(tf):
    return [
        _both(tf, lambda: tf.cond(True, lambda: tf.constant(1), lambda: tf.constant(2))),
        _both(tf, lambda: tf.case([(True, lambda: tf.constant(1))])),
    ]


def branches_with_sparse_tensors_of_other_shapes(tf):
    def choose(pred):
        return tf.cond(pred, lambda: tf.sparse.eye(2), lambda: tf.sparse.eye(3))

    chosen = tf.function(choose)
    made = [chosen(tf.constant(pred)) for pred in (True, False)]
    return [[sparse.shape.as_list(), sparse] for sparse in made]


def cases_that_are_none(tf):
    holds = tf.constant(True)
    return [
        _both(tf, lambda: tf.case([])),
        _both(tf, lambda: tf.case([], default=lambda: tf.constant(3))),
        _outcome(tf.function(lambda: tf.case([(tf.constant(1), lambda: tf.constant(1))]))),
        _outcome(lambda: tf.case([(holds, lambda: tf.constant(1))], default=3)),
    ]


def a_case_of_one_value_in_a_tuple(tf):
    pairs = [(tf.constant(True), lambda: (tf.constant(1.0),))]

    def other():
        return (tf.constant(2.0),)

    return [
        tf.case(pairs),
        tf.case(pairs, default=other),
        tf.case(pairs, default=other, strict=True),
        tf.function(lambda: tf.case(pairs, default=other))(),
    ]


def an_index_of_branches_that_is_no_int32(tf):
    branches = [lambda: tf.constant(10), lambda: tf.constant(20)]

    def switch(index):
        return tf.switch_case(index, branches)

    return [
        _both(tf, lambda: switch(1)),
        _both(tf, lambda: switch(True)),
        _both(tf, switch, tf.constant(1, tf.int64)),
        _both(tf, lambda i: tf.switch_case(i, {"a": branches[0]}), tf.constant(0)),
    ]


def a_loop_that_turns_lists_into_tuples(tf):
    @tf.function
    def swap(count):
        pair = [tf.constant(1.0), tf.constant(2.0)]
        return tf.while_loop(lambda i, _: i < count, lambda i, p: (i + 1, (p[1], p[0])), [0, pair])

    return swap(tf.constant(3))


def how_often_a_loop_may_run(tf):
    def loop(limit):
        return tf.while_loop(lambda i: i < 300, lambda i: [i + 1], [0], maximum_iterations=limit)

    limits = [4.5, "a", True, tf.constant(4, tf.int64), tf.constant(4.0), [4]]
    return [_both(tf, lambda limit=limit: loop(limit)) for limit in limits]


def folding_from_a_number_of_another_dtype(tf):
    def total(fold):
        return fold(lambda a, x: a + tf.cast(x, tf.float32), tf.constant([1, 2]), initializer=0)

    return [total(tf.foldl), total(tf.foldr), _outcome(lambda: tf.function(total)(tf.foldl))]


def mapping_no_elements_to_ragged_tensors(tf):
    ragged = tf.RaggedTensorSpec([None], tf.int32)
    none = tf.zeros([0], tf.int32)
    return _both(tf, lambda: tf.map_fn(tf.range, none, fn_output_signature=ragged))


def places_in_eager_arrays_of_any_integer_dtype(tf):
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False)
    array = array.write(tf.constant(1, tf.int64), 5.0).write(tf.constant(0, tf.uint8), 4.0)
    return [array.read(tf.constant(1, tf.int64)), array.stack()]


def names_of_scopes_that_are_not_valid(tf):
    def enter(name):
        with tf.Graph().as_default() as graph, graph.name_scope(name) as scope:
            return scope

    def enter_inside(name):
        with (
            tf.Graph().as_default() as graph,
            graph.name_scope("a"),
            graph.name_scope(name) as scope,
        ):
            return scope

    names = ["!bad", "_bad", "a b", 3, "fine"]
    outcomes = [_outcome(lambda n=n: enter(n)) for n in names]
    return [*outcomes, *[_outcome(lambda n=n: enter_inside(n)) for n in names]]


def collections_by_scope_and_after_the_end(tf):
    graph = tf.Graph()
    for name in ("first/x", "second/x", "last/y"):
        graph.add_to_collection("specs", tf.TensorSpec([], name=name))
    graph.add_to_collection("specs", 3)
    scopes = ("first", ".*x", "x", "(first|last)/")
    found = [[spec.name for spec in graph.get_collection("specs", s)] for s in scopes]
    graph.finalize()
    return [
        found,
        _outcome(lambda: graph.add_to_collection("specs", 1)),
        _outcome(lambda: graph.clear_collection("specs")),
    ]


def variables_of_a_graph_that_are_waited_for(tf):
    with tf.Graph().as_default() as graph:
        v = tf.Variable([1.0, 2.0], name="v")
        changed = v.assign_add([1.0, 1.0])
        slices = tf.IndexedSlices(tf.constant([1.0], name="rows"), tf.constant([0]))
        waits = []
        for item in (v, changed, v.assign([0.0, 0.0], read_value=False), slices):
            with graph.control_dependencies([item]):
                waits.append([op.name for op in tf.constant(1.0).op.control_inputs])
        read = changed.value()
        return [
            waits,
            repr(changed),
            [op.name for op in read.op.control_inputs],
            graph.as_graph_element(v).name,
            [op.name for op in tf.group(changed, v.initializer).control_inputs],
        ]


def _small_graph_def(tf):
    with tf.Graph().as_default() as graph:
        x = tf.raw_ops.Placeholder(dtype=tf.float32, shape=[2], name="x")
        tf.add(x, 1.0, name="y")
    return graph.as_graph_def()


def graph_defs_that_cannot_be_imported(tf):
    named, newer = _small_graph_def(tf), _small_graph_def(tf)
    named.node[-1].name = "_y"
    newer.versions.producer, newer.versions.min_consumer = 100001, 100000

    def load(graph_def, **options):
        with tf.Graph().as_default():
            return tf.graph_util.import_graph_def(graph_def, **options)

    values = {"x:0": [1.0, 2.0]}
    return [
        _outcome(lambda: load(named)),
        _outcome(lambda: load(newer)),
        _outcome(lambda: load(_small_graph_def(tf), input_map=values, name="")),
    ]


def an_imported_graph_waits(tf):
    message = _small_graph_def(tf)
    with tf.Graph().as_default():
        first = tf.constant(1.0, name="first")
        with tf.control_dependencies([first]):
            (x,) = tf.graph_util.import_graph_def(message, return_elements=["x"])
    return [op.name for op in x.control_inputs]


def operations_without_outputs(tf):
    """In a graph they are there to be waited for, in eager mode they have been done."""

    def kinds(x):
        made = [
            tf.print(""),
            tf.no_op(),
            tf.raw_ops.NoOp(),
            tf.Assert(x > 0, ["bad"]),
            tf.debugging.assert_equal(x, x),
            tf.debugging.assert_less(1, 2),
            tf.debugging.assert_rank(x, 0),
        ]
        made.append(tf.group(*made) if made[0] is not None else None)
        found.append([type(one).__name__ for one in made])

    found = []
    kinds(tf.constant(1))
    tf.function(kinds)(tf.constant(1))
    return found


def branches_that_are_operations(tf):
    """What chooses the branch stands for an operation that it returns."""
    variable = tf.Variable(0)

    def step(count):
        return tf.group(variable.assign_add(count))

    def choose(pred):
        pair = tf.cond(pred, lambda: (step(1), 5), lambda: (tf.no_op(), 6))
        return tf.cond(pred, lambda: step(10), tf.no_op), pair

    def switch(index):
        return tf.switch_case(index, [lambda: step(100), tf.no_op])

    def case(x):
        pairs = [(x < 0, lambda: step(1000)), (x > 5, tf.no_op)]
        return tf.case(pairs, default=lambda: tf.debugging.assert_equal(x, x + 0))

    found = [tf.function(choose)(tf.constant(pred)) for pred in (True, False)]
    found += [tf.function(switch)(tf.constant(index)) for index in (0, 1, 7)]
    found += [tf.function(case)(tf.constant(x)) for x in (-1, 0, 9)]
    wrong = tf.function(lambda pred: tf.cond(pred, lambda: step(1), lambda: 1))
    return [found, variable.numpy(), _outcome(lambda: wrong(tf.constant(True)))]


def operations_in_statements(tf):
    variable = tf.Variable(0)

    def returned(x):
        if x < 0:
            return tf.group(variable.assign(-1))
        return tf.group(variable.assign(1))

    def expression(x):
        done = tf.no_op() if x < 0 else tf.group(variable.assign(2))
        return done, x > 0 and tf.group(variable.assign_add(10))

    found = [tf.function(fn)(tf.constant(3)) for fn in (returned, expression)]
    lost = tf.function(lambda: tf.no_op())
    return [found, variable.numpy(), _outcome(lost)]


def loops_that_say_what_varies(tf):
    """The shape of each kind of loop variable inside and after the loop, and its last value."""
    sparse = tf.sparse.from_dense([[1.0, 0.0]])
    rows = tf.IndexedSlices(tf.ones([1, 3]), tf.constant([0]))
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])

    def repeat(start, double, invariant):
        shapes = []

        def body(i, value):
            shapes.append(str(value.shape))
            return i + 1, double(value)

        def loop():
            first = tf.identity(0), start
            types = tf.TensorShape([]), invariant
            return tf.while_loop(lambda i, _: i < 2, body, first, shape_invariants=types)[1]

        value = tf.function(loop).get_concrete_function()()
        return [shapes[0], value]

    def grown(value):
        return tf.sparse.concat(0, [value, value])

    def longer(value):
        return tf.IndexedSlices(
            tf.concat([value.values, value.values], 0),
            tf.concat([value.indices, value.indices], 0),
        )

    def taller(value):
        return tf.concat([value, value], 0)

    shape = tf.TensorShape
    tries = [
        *[(sparse, grown, kind) for kind in (shape([2]), shape([None]), shape(None))],
        *[(sparse, grown, kind) for kind in (shape([None, 2]), shape([3]), None)],
        (sparse, grown, tf.SparseTensorSpec([None, 2], tf.float32)),
        (sparse, grown, tf.SparseTensorSpec([1, 2], tf.float32)),
        *[(rows, longer, kind) for kind in (shape([None, 3]), shape([1, 3]))],
        (ragged, taller, shape([None, None])),
        (ragged, taller, shape([None])),
        (ragged, taller, None),
        (tf.ones([1]), taller, tf.TensorSpec([None], tf.float32)),
        (tf.ones([1]), taller, tf.TensorSpec([None], tf.int32)),
        (tf.ones([1]), taller, None),
        (tf.ones([1]), taller, "None"),
    ]
    return [_outcome(lambda one=one: repeat(*one)) for one in tries]


def loops_over_arrays_that_say_what_varies(tf):
    def filled(invariant):
        def loop():
            first = 0, tf.TensorArray(tf.float32, 2), tf.zeros([1])
            types = tf.TensorShape([]), invariant, tf.TensorShape([None])

            def body(i, array, x):
                return i + 1, array.write(i, tf.reduce_sum(x)), tf.concat([x, [1.0]], 0)

            return tf.while_loop(lambda i, *_: i < 2, body, first, shape_invariants=types)[1]

        return tf.function(lambda: loop().stack())()

    kinds = [tf.TensorShape(None), tf.TensorShape([]), tf.TensorShape([2]), None]
    return [_outcome(lambda kind=kind: filled(kind)) for kind in kinds]


def loops_of_statements_over_ragged_rows_that_grow(tf):
    def loop(rows):
        for _ in tf.range(2):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(rows, tf.TensorShape([None, None]))]
            )
            rows = tf.concat([rows, rows], 0)
        return rows

    return tf.function(loop)(tf.ragged.constant([[1], [2, 3]]))


def gradients_through_arrays_of_elements_that_differ(tf):
    def parts(x):
        array = tf.TensorArray(tf.float32, 3, infer_shape=False).split(x, [1, 0, 2])
        return array.read(2) * 2.0

    def matrices(x):
        rows = tf.reshape(x, [3, 1])
        array = tf.TensorArray(tf.float32, 2, infer_shape=False).split(rows, [2, 1])
        return array.read(0) * tf.constant([[3.0], [5.0]])

    def written(x):
        array = tf.TensorArray(tf.float32, 3, infer_shape=False)
        array = array.write(0, x).write(1, x[0]).write(2, x[tf.newaxis])
        return array.read(0) + array.read(1)

    def slope(fn, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x)
        return tape.gradient(y, x)

    x = tf.constant([1.0, 2.0, 3.0])
    return [
        [slope(fn, x), slope(tf.function(fn), x), tf.function(slope)(fn, x)]
        for fn in (parts, matrices, written)
    ]


def python_functions_without_results(tf):
    """In a graph they are operations, also where a branch returns one."""
    seen = []

    def note(x):
        return tf.py_function(lambda value: seen.append(int(value)), [x], [])

    def note_array(x):
        return tf.numpy_function(lambda value: seen.append(-int(value)), [x], [])

    def chosen(x):
        made = [tf.cond(x > 0, lambda fn=fn: fn(x), tf.no_op) for fn in (note, note_array)]
        with tf.control_dependencies([tf.group(note(x + 10))]):
            return made, tf.identity(x)

    found = [tf.function(chosen)(tf.constant(x)) for x in (1, -1)]
    refused = _outcome(tf.function(lambda: tf.numpy_function(3, [], tf.int32)))
    return [note(tf.constant(5)), found, sorted(seen), refused]


def folds_of_nothing(tf):
    def add(x, y):
        return x + y

    nothing = tf.zeros([0])
    return [_both(tf, lambda x, f=f: f(add, x), nothing) for f in (tf.scan, tf.foldl, tf.foldr)]


def _entered(tf, enter, look):
    """What `look` says of a constant that is made in a context."""
    with enter:
        return look(tf.constant(1.0).op)


def devices_that_names_and_functions_choose(tf):
    graph = tf.Graph()

    def chosen(*places):
        if not places:
            return tf.constant(1.0).op.device
        with graph.device(places[0]):
            return chosen(*places[1:])

    with graph.as_default():
        return [
            chosen("/cpu:0"),
            chosen("/cpu:0", lambda op: "/cpu:3"),
            chosen(lambda op: "/cpu:3", "/job:ps"),
            chosen("/job:ps", lambda op: "/cpu:3", "/gpu:1"),
            chosen("/gpu:1", lambda op: ""),
            chosen(tf.DeviceSpec(job="worker"), tf.DeviceSpec(device_type="GPU", device_index=2)),
            chosen("/gpu:1", None),
            _outcome(lambda: chosen("bad")),
        ]


def operations_beside_others(tf):
    graph = tf.Graph()
    with graph.as_default(), graph.device("/cpu:1"):
        first, second = tf.constant(1.0, name="first"), tf.constant(1.0, name="second")

    def place(op):
        return [op.device, [group.decode() for group in op.colocation_groups()]]

    with graph.as_default(), graph.device("/gpu:0"):
        with graph.colocate_with(first):
            inner = graph.colocate_with(second)
            found = [
                _entered(tf, graph.device("/gpu:3"), place),
                _entered(tf, inner, place),
                _entered(tf, graph.colocate_with(second, ignore_existing=True), place),
                _entered(tf, graph.colocate_with(None, ignore_existing=True), place)[0],
            ]
        nowhere = graph.colocate_with(None)
        return [found, _outcome(lambda: _entered(tf, nowhere, place))]


def what_is_waited_for_in_nested_contexts(tf):
    def waits(op):
        return [other.name for other in op.control_inputs]

    with tf.Graph().as_default() as graph:
        a, b = tf.constant(1.0, name="a"), tf.constant(1.0, name="b")
        with graph.control_dependencies([a]):
            inside = tf.constant(1.0)
            with graph.control_dependencies([b, a]):
                found = [waits(tf.identity(inside).op), waits(tf.constant(1.0).op)]
            found.append(_entered(tf, tf.init_scope(), waits))
    return found


def collections_with_keys_and_items_without_names(tf):
    graph = tf.Graph()
    graph.add_to_collection(("a", "pair"), 1)
    graph.add_to_collection("specs", tf.TensorSpec([], name="x"))
    graph.add_to_collection("specs", 3)
    return [graph.get_all_collection_keys(), len(graph.get_collection("specs", ""))]


def elements_of_no_kind(tf):
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0)
        return _outcome(lambda: graph.as_graph_element(x, False, False))


def graph_defs_whose_inputs_do_not_fit(tf):
    other, missing = _small_graph_def(tf), _small_graph_def(tf)
    other.node[0].attr["dtype"].type = 3

    def load(graph_def, **options):
        with tf.Graph().as_default():
            return tf.graph_util.import_graph_def(graph_def, **options)

    def mapped(key):
        with tf.Graph().as_default():
            given = {key: tf.constant([1.0, 2.0])}
            return tf.graph_util.import_graph_def(missing, input_map=given, name="m")

    return [_outcome(lambda: load(other)), _outcome(lambda: mapped("x:1")), mapped("x")]


def stacks_of_which_some_are_known(tf):
    with tf.Graph().as_default():
        x = tf.raw_ops.Placeholder(dtype=tf.float32, shape=[None, 3])
        stack = tf.stack([tf.shape(x)[0], 7])
        found = [tf.get_static_value(t, partial=True) for t in (stack, tf.shape(x), x)]
        return [[None if item is None else int(item) for item in found[0]], *found[1:]]


def _waiting(tf, fn, *args):
    """The operations of a function that wait for others, and those that use a state."""
    graph = tf.function(fn).get_concrete_function(*args).graph
    waits = {op.type: sorted(o.type for o in op.control_inputs) for op in graph.get_operations()}
    found = {kind: awaited for kind, awaited in waits.items() if awaited}
    return [found, sorted(op.type for op in graph.control_outputs)]


def what_waits_in_functions(tf):
    v, w = tf.Variable(1.0), tf.Variable([1.0, 2.0])
    x = tf.constant(1.0)

    def changes(x):
        v.assign_add(x)
        y = v.read_value() * 2.0
        v.assign(y)
        tf.print("a", output_stream="file:///dev/null")
        return y

    def calls_python(x):
        first = tf.py_function(lambda a: a, [x], tf.float32)
        return first + tf.numpy_function(lambda a: a, [x], tf.float32)

    def changes_rows(x):
        w.scatter_nd_add([[0]], [x])
        return w.read_value()

    def changes_in_a_branch(x):
        if x > 0:
            v.assign_add(1.0)
        v.assign(2.0)
        return x

    def reads_in_a_branch(x):
        y = tf.cond(x > 0, lambda: v + 1.0, lambda: x)
        v.assign(2.0)
        return y

    def returns_nothing(x):
        v.assign(x)
        w.assign([x, x])

    def draws(x):
        return x + tf.random.uniform([])

    made = [changes, calls_python, changes_rows, changes_in_a_branch, reads_in_a_branch]
    return [_waiting(tf, fn, x) for fn in (*made, returns_nothing, draws)]


def nothing_waits_while_a_function_is_traced(tf):
    v = tf.Variable(1.0)
    found = []

    @tf.function
    def f(x):
        v.assign(x)
        y = v.read_value()
        found.append(len(y.graph.get_operations()[-2].control_inputs))
        return y

    f(tf.constant(1.0))
    return found


def inputs_of_a_function_with_captures(tf):
    v, c = tf.Variable(1.0), tf.random.normal([40])

    @tf.function
    def f(x):
        return x + v + tf.reduce_sum(c)

    concrete = f.get_concrete_function(tf.constant(1.0))
    inputs = concrete.graph.inputs
    return [
        [t.dtype.name for t in inputs],
        [a is b for a, b in zip(inputs, concrete.inputs, strict=True)],
        len(concrete.captured_inputs),
    ]


def kinds_of_branches_and_loops(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        tf.cond(x > 0, lambda: v * 2.0, lambda: x)
        tf.cond(x > 0, lambda: x * 2.0, lambda: x)
        tf.cond(x > 0, lambda: x + tf.random.uniform([]), lambda: x)
        tf.switch_case(tf.cast(x, tf.int32), [lambda: v * 2.0, lambda: x])
        tf.switch_case(tf.cast(x, tf.int32), [lambda: x * 2.0, lambda: x])
        tf.while_loop(lambda i: i < 3.0, lambda i: i + v, [x])
        tf.while_loop(lambda i: i < 3.0, lambda i: i + 1.0, [x])
        with tf.GradientTape() as tape:
            y = tf.cond(x > 0, lambda: v * v, lambda: x)
        return tape.gradient(y, v)

    operations = f.get_concrete_function(tf.constant(1.0)).graph.get_operations()
    kinds = ("If", "Case", "While")
    return [op.type for op in operations if op.type.removeprefix("Stateless") in kinds]


def _slices(tf, body, *values):
    """The gradient of a function of a value and a variable, for values in turn."""
    v = tf.Variable(tf.reshape(tf.range(10.0), [5, 2]))

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            y = body(x, v)
        return tape.gradient(y, v)

    whole = tf.function(body)

    def outside(x):
        with tf.GradientTape() as tape:
            y = whole(x, v)
        return tape.gradient(y, v)

    return [[inside(tf.constant(x)), outside(tf.constant(x))] for x in values]


def gradients_of_branches_that_gather(tf):
    def rows(v, *indices, dtype=tf.int32):
        return tf.reduce_sum(tf.gather(v, tf.constant(indices, dtype)) * 3.0)

    def read_before(x, v):
        held = tf.identity(v)
        return tf.cond(x > 0, lambda: rows(held, 1, 1, 2), lambda: x)

    def in_a_loop(x, v):
        y = tf.constant(0.0)
        for i in tf.range(3):
            if i > 0:
                y += tf.reduce_sum(tf.gather(v, [i])) * x
        return y

    def one(x, v):
        return tf.cond(x > 0, lambda: rows(v, 1, 1, 2) * x, lambda: x)

    def both(x, v):
        return tf.cond(x > 0, lambda: rows(v, 1, 1, 2) * x, lambda: rows(v, 0))

    def dense(x, v):
        return tf.cond(x > 0, lambda: rows(v, 1), lambda: tf.reduce_sum(v * v))

    def sums(x, v):
        return tf.cond(x > 0, lambda: rows(v, 1) + tf.reduce_sum(v), lambda: x)

    def wide(x, v):
        return tf.cond(x > 0, lambda: rows(v, 1, dtype=tf.int64), lambda: rows(v, 0, 3))

    def nested(x, v):
        return tf.cond(x > 0, lambda: one(x - 1.0, v), lambda: x)

    def chosen(x, v):
        return tf.switch_case(
            tf.cast(x, tf.int32), [lambda: rows(v, 1, 2), lambda: rows(v, 0), lambda: x]
        )

    return {
        "one": _slices(tf, one, 2.0, -1.0, 2.0, -1.0),
        "both": _slices(tf, both, 2.0, -1.0, 2.0),
        "dense": _slices(tf, dense, 2.0, -1.0),
        "sums": _slices(tf, sums, 2.0, -1.0),
        "wide": _slices(tf, wide, 2.0, -1.0),
        "nested": _slices(tf, nested, 2.0, 0.5, -1.0),
        "chosen": _slices(tf, chosen, 0.0, 1.0, 2.0),
        "read before": _slices(tf, read_before, 2.0, -1.0),
        "in a loop": _slices(tf, in_a_loop, 2.0),
    }


def variables_that_functions_make_in_a_graph(tf):
    def made(initial):
        kept = []

        @tf.function
        def f(x):
            if not kept:
                kept.append(tf.Variable(initial(x), name="w"))
            return x * kept[0]

        with tf.Graph().as_default() as graph:
            shapes = [f(tf.constant(3.0)).shape.as_list() for _ in range(2)]
        names = [v.name for v in graph.get_collection("variables")]
        operations = sorted(op.name for op in graph.get_operations() if op.name.startswith("w"))
        return [shapes, names, operations, kept[0].graph is graph]

    return [made(lambda x: 2.0), made(lambda x: lambda: tf.ones([2]) * 3.0)]


def traces_that_use_tensors_of_a_graph(tf):
    traced = []

    @tf.function
    def outer(x):
        y = x * 2.0

        @tf.function
        def inner(z):
            traced.append(1)
            return z + y

        total = inner(x)
        for _ in tf.range(2):
            total += inner(x)
        return total + inner(x)

    return [outer(tf.constant(1.0)), len(traced)]


def a_condition_is_traced_before_the_body_of_its_loop(tf):
    seen = []

    @tf.function
    def loop(n):
        return tf.while_loop(
            lambda i: seen.append("cond") or i < n, lambda i: seen.append("body") or i + 1, [0]
        )

    return loop(tf.constant(3)), seen


def names_of_what_reads_a_variable(tf):
    v, b = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([[True, False]])
    uses = [
        lambda x: v * x,
        lambda x: x * v,
        lambda x: v * v,
        lambda x: 2.0**v,
        lambda x: v / x,
        lambda x: v @ x,
        lambda x: x @ v,
        lambda x: v > x,
        lambda x: v == x,
        lambda x: abs(-v),
        lambda x: ~b & b,
        lambda x: v[0],
        lambda x: tf.add(v, x),
        lambda x: v.value() + v.read_value(),
        lambda x: v.assign(v * 2.0),
    ]

    def names(use):
        graph = tf.function(use).get_concrete_function(tf.ones([2, 2])).graph
        return [op.name for op in graph.get_operations() if op.type == "ReadVariableOp"]

    return [names(use) for use in uses]


def _error_of(fn, *args):
    try:
        fn(*args)
    except Exception as error:
        return type(error).__name__
    return None


def what_a_failed_assertion_shows(tf):
    values = [
        tf.constant([1.0, 0.1, 1e10, 1 / 3]),
        tf.constant([["a", "b"]]),
        tf.reshape(tf.range(12), [2, 2, 3]),
        tf.constant([True, False]),
        tf.zeros([2, 0]),
        2.5,
    ]

    def text(value, summarize):
        def fn(fine):
            tf.Assert(fine, [value, "text"], summarize=summarize)

        try:
            tf.function(fn)(tf.constant(False))
        except tf.errors.InvalidArgumentError as error:
            lines = str(error).splitlines()
            return next(line for line in lines if "assertion failed" in line).split("failed: ")[1]

    return [[text(value, count) for count in (None, 1, 5, -1)] for value in values]


def errors_of_assert(tf):
    conditions = [1, "a", None, [True], True, False, tf.constant([True])]
    data = [[1], [], None, 3, (1, 2), [None]]

    def asserting(condition, data):
        def fn():
            tf.Assert(condition, data)

        return [_error_of(fn), _error_of(tf.function(fn, autograph=False))]

    return [[asserting(c, d) for d in data] for c in conditions]


def what_a_function_may_wait_for(tf):
    def waiting(items):
        def fn(x):
            with tf.control_dependencies(items(x)):
                return x + 1.0

        return _error_of(tf.function(fn, autograph=False), tf.constant([1.0]))

    items = [
        lambda x: [3, None][:1],
        lambda x: "x",
        lambda x: [x.name, b"y"],
        lambda x: [lambda: x],
        lambda x: [[1, x], object()],
        lambda x: [None],
        lambda x: [tf.sparse.from_dense(x)],
        lambda x: [tf.RaggedTensor.from_row_lengths(x, [1])],
        lambda x: [tf.group(tf.sparse.from_dense(x)), x, x.op],
        lambda x: 3,
    ]
    return [waiting(item) for item in items]


def dtypes_of_python_functions(tf):
    def double(kind):
        def fn(x):
            return tf.numpy_function(lambda a: a * 2, [x], kind)

        def traced():
            return tf.function(fn, autograph=False)(tf.constant([1.0]))

        return [_error_of(fn, tf.constant([1.0])), _error_of(traced)]

    array = tf.float32.as_numpy_dtype
    return [double(kind) for kind in (tf.float32, "float32", array, [array], None)]
