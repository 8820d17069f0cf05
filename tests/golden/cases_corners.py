"""Corners of the core that programs come into; see `cases.py`."""

import gc
import inspect
import os
import tempfile
import typing
import weakref

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


def _example(tf, **values):
    lists = {k: tf.train.Int64List(value=v) for k, v in values.items()}
    features = {k: tf.train.Feature(int64_list=v) for k, v in lists.items()}
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def ragged_features_with_uniform_rows(tf):
    Ragged, example = tf.io.RaggedFeature, _example(tf, v=[1, 2, 3, 4], l=[1, 0, 2, 1], m=[1, 3])
    lengths, uniform, middle = (
        Ragged.RowLengths("l"),
        Ragged.UniformRowLength,
        Ragged.RowLengths("m"),
    )
    splits = _example(tf, v=[1, 2, 3, 4], l=[0, 1, 1, 3, 4])

    def parsed(serialized, *partitions):
        feature = Ragged(tf.int64, "v", list(partitions))
        return tf.io.parse_single_example(serialized, {"x": feature})["x"].to_list()

    return [
        parsed(example, uniform(2), lengths),
        parsed(splits, uniform(2), Ragged.RowSplits("l")),
        parsed(example, uniform(2), uniform(2), lengths),
        parsed(example, middle, uniform(1), lengths),
        tf.io.parse_example(
            [example, _example(tf, v=[5, 6], l=[1, 1])],
            {"x": Ragged(tf.int64, "v", [uniform(2), lengths])},
        )["x"].to_list(),
    ]


def saving_lists_that_were_changed(tf):
    def saved(change):
        module = tf.Module()
        module.items = [tf.Variable(1.0), 3, tf.Variable(2.0)]
        change(module.items)
        with tempfile.TemporaryDirectory() as folder:
            tf.train.Checkpoint(m=module).save(folder + "/c")
        return "saved"

    return _tries(
        lambda: saved(lambda items: items.append(tf.Variable(2.0))),
        lambda: saved(lambda items: items.extend([tf.Variable(2.0), 3])),
        lambda: saved(lambda items: items.__setitem__(1, 4)),
        lambda: saved(lambda items: items.__setitem__(0, tf.Variable(2.0))),
        lambda: saved(lambda items: items.insert(0, tf.Variable(2.0))),
        lambda: saved(lambda items: items.pop(0)),
        lambda: saved(lambda items: items.remove(items[0])),
        lambda: saved(lambda items: items.clear()),
        lambda: saved(lambda items: items.__setitem__(slice(0, 1), [tf.Variable(2.0)])),
    )


def weak_references(tf):
    module = tf.Module()
    module.v, other = tf.Variable(5.0), tf.Module()
    other.v = tf.Variable(0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(root=weakref.ref(module)).save(folder + "/c")
        tf.train.Checkpoint(root=weakref.ref(other)).restore(path).assert_consumed()
        names = sorted(name for name, _ in tf.train.list_variables(path))
    checkpoint = tf.train.Checkpoint(root=weakref.ref(module))
    del module
    gc.collect()
    reference = tf.constant(1).ref()
    weak = weakref.ref(reference)
    alive = weak() is reference
    del reference
    return [other.v, names, alive, weak() is None, *_tries(lambda: checkpoint.save("c"))]


def generators_among_the_variables(tf):
    generator = tf.random.Generator.from_seed(1)
    traces = [
        tf.function(lambda: generator.normal([])).get_concrete_function(),
        tf.function(lambda: generator.skip(3)).get_concrete_function(),
    ]
    return [
        [[v is generator.state for v in t.variables], len(t.trainable_variables)] for t in traces
    ]


class _Shown:
    def __init__(self, array):
        self.array = array

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


def objects_with_an_array_interface(tf):
    shown = _Shown(np.arange(3.0))
    return _tries(
        lambda: tf.constant(shown),
        lambda: tf.convert_to_tensor(shown, tf.float32),
        lambda: tf.add(shown, 1.0),
        lambda: tf.stack([shown, shown]),
        lambda: tf.Variable(shown).dtype.name,
        lambda: tf.constant([shown]),
    )


def control_flow_ops_of_concrete_functions(tf):
    raw, x = tf.raw_ops, tf.constant(3.0)
    trace = lambda f: tf.function(f).get_concrete_function(tf.TensorSpec([], tf.float32))  # noqa: E731
    more, times, small = (
        trace(lambda x: x + 1.0),
        trace(lambda x: x * 2.0),
        trace(lambda x: x < 10.0),
    )
    common = {"input": [x], "Tout": [tf.float32]}

    def chosen():
        return [
            [raw.Case(branch_index=i, branches=[more, times], **common)[0] for i in (0, 1, 5)],
            raw.StatelessCase(branch_index=0, branches=[more, times], **common)[0],
            raw.If(cond=True, then_branch=more, else_branch=times, **common)[0],
            raw.StatelessIf(cond=False, then_branch=more, else_branch=times, **common)[0],
            raw.While(input=[x], cond=small, body=times)[0],
            raw.StatelessWhile(input=[x], cond=small, body=times)[0],
        ]

    return [chosen(), tf.function(chosen)()]


def casts_of_quantized_numbers(tf):
    kinds = [tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32]
    whole = tf.constant([1, 2])
    there = [tf.cast(whole, kind) for kind in kinds]
    back = [tf.cast(q, kind) for q in there for kind in (tf.float32, tf.int8, tf.int64, tf.qint32)]
    return [
        [q.dtype.name for q in there],
        [[b.dtype.name, b.numpy().tolist()] for b in back],
        tf.cast([1.7, 3.0], tf.quint8).numpy().tolist(),
    ]


def axes_of_quantized_numbers(tf):
    quantized = tf.quantization.quantize(tf.constant([[1.0, 2.0]]), 0.0, 3.0, tf.quint8)[0]
    one, two = ([0.0], [3.0]), ([0.0, 0.0], [3.0, 3.0])
    return _tries(
        *(
            lambda a=a, r=r: tf.quantization.dequantize(quantized, *r, axis=a)
            for a in (-4, -3, -2, -1, 0, 1, 2)
            for r in (one, two)
        )
    )


def losses_of_half_precision(tf):
    logits = np.linspace(-1, 1, 24).reshape(4, 2, 3)
    labels = tf.constant([[1, 2], [1, 0]])

    def loss(x):
        return tf.nn.ctc_loss(labels, x, tf.constant([2, 1]), tf.constant([4, 4]), blank_index=0)

    halves = [tf.cast(logits, kind) for kind in (tf.float16, tf.bfloat16)]
    return [[tf.cast(loss(x), tf.float32), loss(x).dtype.name] for x in halves]


def defaults_of_records_as_arrays(tf):
    line = ["1,2.5"]
    return _tries(
        lambda: tf.io.decode_csv(line, np.array([[1.0], [2.0]], np.float32)),
        lambda: tf.io.decode_csv(line, np.array([1.0, 2.0], np.float32)),
        lambda: tf.io.decode_csv(line, tf.constant([[1.0], [2.0]])),
    )


def masks_along_an_axis(tf):
    x, mask = tf.constant([[1, 2], [3, 4]]), [True, False]
    along = tf.function(lambda axis: tf.boolean_mask(x, mask, axis=axis))
    return _tries(
        lambda: tf.boolean_mask(x, mask, axis=tf.constant(1)),
        lambda: along(tf.constant(0)),
        lambda: along(tf.constant(1)),
    )


def dots_of_einsum_in_the_output_alone(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    equations = ["ij->...ij", "ij->j...i", "ij,jk->...ik", "...ij->...ji", "...ij->ij"]
    return _tries(*(lambda e=e: tf.einsum(e, *[x] * (1 + e.count(","))) for e in equations))


def gradients_of_operators(tf):
    L = tf.linalg
    blocks = [L.LinearOperatorFullMatrix(m) for m in ([[2.0, 1.0], [0.0, 3.0]], [[1.0, 1.0]])]
    lower = L.LinearOperatorBlockLowerTriangular(
        [[blocks[0]], [blocks[1], L.LinearOperatorFullMatrix([[4.0]])]]
    )

    def slope(operator):
        with tf.GradientTape() as tape:
            tape.watch(operator)
            y = tf.reduce_sum(operator.to_dense())
        found = tape.gradient(y, operator)
        return None if found is None else [type(found).__name__, found.to_dense()]

    return [
        slope(L.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 3.0]])),
        slope(L.LinearOperatorDiag([2.0, 1.0])),
        slope(L.LinearOperatorIdentity(2)),
        type(lower.inverse()).__name__,
        lower.inverse().to_dense(),
    ]


def shapes_of_gradients_of_rows(tf):
    v, w = tf.Variable(tf.ones([5, 2])), tf.Variable(tf.ones([5, 2]), shape=[None, 2])
    shapes = []

    @tf.function
    def slopes():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.nn.embedding_lookup(v, [1, 3])) + tf.reduce_sum(tf.gather(w, [1]))
        found = tape.gradient(y, [v, w])
        shapes.extend(str(g.shape) for g in found)
        return [g.dense_shape for g in found]

    return [slopes(), shapes]


def refusals(tf):
    section = tf.CriticalSection()
    module = tf.Module()

    def saved(alias):
        options = tf.saved_model.SaveOptions(function_aliases={"a": alias})
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(module, folder, options=options)

    return _tries(
        lambda: tf.signal.frame([1.0, 2.0, 3.0], 2, 2, pad_end=True, pad_value=[1]),
        lambda: tf.GradientTape().watch(np.array([1.0])),
        lambda: section.execute(lambda: section.execute(lambda: tf.constant(1))),
        lambda: saved(3),
        lambda: saved(tf.function(lambda: 1)),
        lambda: [hasattr(tf.Tensor, n) for n in ("__bool__", "__nonzero__", "__array__")],
    )


def buckets_of_a_dense_table(tf):
    Table = tf.lookup.experimental.DenseHashTable
    kinds = (tf.int64, tf.int64)
    table = Table(*kinds, -1, 0, -2, initial_num_buckets=4)
    numbers = tf.range(1, 8, dtype=tf.int64)
    table.insert(numbers, numbers)
    other = Table(*kinds, -1, 0, -2, initial_num_buckets=64)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(t=table).save(folder + "/c")
        tf.train.Checkpoint(t=other).restore(path)
    before = [other.export()[0].shape[0], other.size(), other.lookup(numbers)]
    other.insert(numbers * 10, numbers)
    return [before, other.export()[0].shape[0], other.export()[0]]


def gradients_of_integers_straight_from_an_op(tf):
    row = tf.constant([1.0, 2.0, 2.0])
    return _tries(
        lambda: _slope(tf, lambda x: tf.unique(x)[1], row),
        lambda: _slope(tf, lambda x: tf.unique(x)[1] + 1, row),
        lambda: _slope(tf, lambda x: tf.where(x), row),
        lambda: _slope(tf, lambda x: tf.bitcast(x, tf.int32), row),
        lambda: _slope(tf, lambda x: tf.math.is_nan(x), row),
        lambda: _slope(tf, lambda x: tf.raw_ops.Bucketize(input=x, boundaries=[1.5]), row),
        lambda: _slope(tf, lambda x: tf.cast(x, tf.int32), row),
        lambda: _slope(tf, lambda x: tf.argmax(x), row),
        lambda: _slope(tf, lambda x: x < 1.5, row),
    )


def lists_whose_elements_were_set(tf):
    def same(elements):
        elements[0] = elements[0]

    def part(elements):
        elements[0:1] = [elements[0]]

    def number(elements):
        elements.append(3)
        elements[2] = 4

    def later(elements):
        elements.append(3)
        elements[2] = tf.Variable(1.0)

    def saved(change):
        module = tf.Module()
        module.elements = [tf.Variable(1.0), tf.Variable(2.0)]
        change(module.elements)
        with tempfile.TemporaryDirectory() as folder:
            tf.train.Checkpoint(module=module).save(f"{folder}/a")
        return "saved"

    return _tries(*[lambda c=c: saved(c) for c in (same, part, number, later)])


def raw_ops_with_lists_among_their_outputs(tf):
    raw, wide = tf.raw_ops, tf.int64
    split = raw.SparseSplit(
        split_dim=tf.constant(1, wide),
        indices=tf.constant([[0, 1]], wide),
        values=[5.0],
        shape=tf.constant([2, 4], wide),
        num_split=2,
    )
    gathered = raw.RaggedGather(
        params_nested_splits=[tf.constant([0, 1, 3], wide)],
        params_dense_values=tf.constant([1.0, 2.0, 3.0]),
        indices=tf.constant([1]),
        OUTPUT_RAGGED_RANK=1,
    )
    named = [split._fields, gathered._fields, type(split).__name__, type(gathered).__name__]
    return [*named, split, gathered, split.output_values, gathered.output_dense_values]


def attributes_that_are_true_or_false(tf):
    row, matrix = tf.constant([1.0, 2.0]), tf.eye(2)
    return _tries(
        lambda: tf.math.cumsum(row, 0, True, 1),
        lambda: tf.math.cumulative_logsumexp(row, exclusive=1),
        lambda: tf.linalg.svd(matrix, compute_uv=0),
        lambda: tf.io.encode_base64(["a"], pad=1),
        lambda: tf.raw_ops.MatrixTriangularSolve(matrix=matrix, rhs=matrix, lower=0),
    )


def seeds_of_a_wrong_shape_while_tracing(tf):
    def tried(seed):
        return lambda: tf.function(
            lambda: tf.random.stateless_uniform([2], seed), autograph=False
        )()

    return _tries(*[tried(seed) for seed in ([1], [1, 2, 3], 1, [[1, 2]])])


def decompositions_of_unknown_shapes(tf):
    factors = tf.constant([[2.0, 1.0], [0.5, 3.0]])
    given = tf.TensorSpec(None), tf.TensorSpec([None, None])
    calls = tf.linalg.lu_reconstruct, tf.linalg.lu_matrix_inverse
    return [
        tf.function(lambda x, call=call: call(x, [1, 0]), [spec], autograph=False)(factors)
        for call in calls
        for spec in given
    ]


def integers_from_ops_without_gradients(tf):
    whole, image = tf.constant([1, 2]), tf.ones([1, 1, 3])
    raw = tf.raw_ops
    return _tries(
        lambda: _slope(tf, lambda x: raw.Bincount(arr=x, size=3, weights=x), whole),
        lambda: _slope(tf, lambda x: raw.PopulationCount(x=x), whole),
        lambda: _slope(tf, lambda x: tf.sqrt(tf.cast(x, tf.float32)), whole),
        lambda: _slope(tf, lambda x: raw.Bucketize(input=x, boundaries=[1.0]), image),
        lambda: _slope(tf, lambda x: tf.cast(raw.AdjustHue(images=x, delta=0.1), tf.int32), image),
    )


def checkpoints_that_a_manager_did_not_make(tf):
    def left(prefix, most, before, after):
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
            for _ in range(before):
                checkpoint.save(os.path.join(folder, prefix))
            manager = tf.train.CheckpointManager(checkpoint, folder, most)
            found = [os.path.basename(path) for path in manager.checkpoints]
            for _ in range(after):
                manager.save()
            again = tf.train.CheckpointManager(checkpoint, folder, most)
            kept = [os.path.basename(path) for path in again.checkpoints]
            return [found, sorted(os.listdir(folder)), kept]

    return [left("other", 1, 2, 2), left("ckpt", 2, 3, 1), left("ckpt", 2, 0, 3)]


def managers_with_steps(tf):
    with tempfile.TemporaryDirectory() as folder:
        step = tf.Variable(0)
        checkpoint = tf.train.Checkpoint(step=step)
        manager = tf.train.CheckpointManager(
            checkpoint, folder, 3, step_counter=step, checkpoint_interval=2
        )
        found = []
        for change, checked in [(0, True), (0, False), (1, True), (0, False), (1, True), (2, True)]:
            step.assign_add(change)
            path = manager.save(check_interval=checked)
            found.append(path and os.path.basename(path))
        return found


def tracked_lists_that_are_changed(tf):
    def saved(change):
        with tempfile.TemporaryDirectory() as folder:
            checkpoint = tf.train.Checkpoint(kept=[tf.Variable(1.0), tf.Variable(2.0)])
            change(checkpoint.kept)
            path = checkpoint.write(os.path.join(folder, "c"))
            return len(tf.train.list_variables(path))

    return _tries(
        lambda: saved(lambda kept: kept.insert(0, tf.Variable(3.0))),
        lambda: saved(lambda kept: kept.insert(2, tf.Variable(3.0))),
        lambda: saved(lambda kept: kept.insert(2, "text")),
        lambda: saved(lambda kept: kept.append(tf.Variable(3.0))),
        lambda: saved(lambda kept: kept.__setitem__(0, kept[0])),
        lambda: saved(lambda kept: kept.__setitem__(slice(None), list(kept))),
        lambda: saved(lambda kept: kept.pop()),
    )


def paths_that_are_not_clean(tf):
    g = tf.io.gfile
    with tempfile.TemporaryDirectory() as d:
        tf.io.write_file(f"{d}//t", "ab")
        g.makedirs(f"{d}/s//u/")
        found = _tries(
            lambda: [g.exists(f"{d}//t/"), g.exists(f"{d}/none/../t"), g.isdir(f"{d}/t/")],
            lambda: g.stat(f"{d}/t/").length,
            lambda: g.glob(f"{d}/none/../t") == [f"{d}/none/../t"],
            lambda: g.copy(f"{d}/t/", f"{d}//c/"),
            lambda: g.rename(f"{d}/c/", f"{d}//e/"),
            lambda: g.remove(f"{d}/e/"),
            lambda: g.GFile(f"{d}/s/../t", "r").read(),
            lambda: len([*tf.data.FixedLengthRecordDataset(f"{d}/t//", 1)]),
            lambda: tf.io.matching_files(f"{d}/none/../t").shape,
            lambda: [int(tf.strings.length(x)) for x in tf.data.TextLineDataset(f"{d}/x/../t/")],
        )
        return [found, sorted(os.listdir(d))]


def numbers_and_arrays_where_no_tensor_tells_the_dtype(tf):
    x, box = np.ones([1, 4, 4, 1]), np.array([[0.0, 0.0, 1.0, 1.0]])
    colors = np.ones([1, 3, 3, 3])

    def kind(make):
        made = make()
        return [made.dtype.name, made.shape.as_list()]

    makers = [
        lambda: tf.nn.max_pool(x, 2, 2, "VALID"),
        lambda: tf.nn.max_pool2d(x, 2, 2, "VALID"),
        lambda: tf.nn.max_pool1d(x[0], 2, 2, "VALID"),
        lambda: tf.nn.avg_pool2d(x, 2, 2, "VALID"),
        lambda: tf.nn.lrn(x),
        lambda: tf.nn.leaky_relu(x),
        lambda: tf.raw_ops.LeakyRelu(features=x),
        lambda: tf.image.rgb_to_hsv([[1, 1, 1]]),
        lambda: tf.image.hsv_to_rgb(np.ones([2, 3])),
        lambda: tf.image.draw_bounding_boxes(colors, box[None], np.ones([1, 3])),
        lambda: tf.image.non_max_suppression(box, np.ones(1), 1),
        lambda: tf.math.nextafter(np.array([1.0]), 2.0),
        lambda: tf.raw_ops.ComplexAbs(x=[1.0]),
        lambda: tf.raw_ops.Conj(input=[1.0]),
        lambda: tf.math.real(np.array([1j])),
        lambda: tf.signal.fft([1, 2, 3]),
        lambda: tf.signal.fft(np.array([1.0, 2.0])),
        lambda: tf.signal.rfft([1, 2, 3]),
        lambda: tf.nn.ctc_beam_search_decoder(np.ones([3, 1, 2]), [3])[1],
        lambda: tf.math.divide_no_nan([1], tf.constant(0, tf.int64)),
        lambda: tf.math.divide_no_nan(np.int64(1), 2.0),
        lambda: tf.size(3, tf.bfloat16),
        lambda: tf.size([1, 2], tf.float32),
    ]
    return _tries(*(lambda make=make: kind(make) for make in makers))


def tuples_of_several_results(tf):
    x, box = tf.constant([[1.0, 3.0, 2.0]]), [[[0.1, 0.1, 0.9, 0.9]]]
    Q = tf.quantization
    found = [
        Q.quantize(x, 0.0, 4.0, tf.quint8),
        Q.fake_quant_with_min_max_vars_gradient(x, x, 0.0, 2.0),
        Q.fake_quant_with_min_max_vars_per_channel_gradient(x, x, [0.0] * 3, [2.0] * 3),
        tf.nn.isotonic_regression(x),
        tf.nn.isotonic_regression(x, decreasing=False),
        tf.nn.ctc_unique_labels([[1, 2, 1]]),
        tf.image.stateless_sample_distorted_bounding_box([9, 9, 3], box, [1, 2]),
    ]
    return [[type(each).__name__, [np.asarray(part).tolist() for part in each]] for each in found]


def gradients_of_integers_beside_numbers(tf):
    row, image = tf.constant([1.0, 3.0, 2.0]), tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    calls = [
        (lambda x: tf.math.top_k(x).indices, row),
        (lambda x: list(tf.math.top_k(x)), row),
        (lambda x: tf.math.top_k(x).indices + 1, row),
        (lambda x: tf.argsort(x), row),
        (lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "VALID")[1], image),
        (lambda x: tf.identity_n([x, tf.constant(1)])[1], row),
    ]
    return [
        _slope(tf, how(call), x)
        for call, x in calls
        for how in (lambda f: f, lambda f: tf.function(f, autograph=False))
    ]
