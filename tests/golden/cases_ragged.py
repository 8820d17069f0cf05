"""Programs about ragged tensors: text, shapes, specs, gradients, graphs; see `cases.py`."""

import os
import tempfile

import numpy as np


def _errors(*attempts):
    """The class of the error of each attempt, or what it returns."""
    found = []
    for attempt in attempts:
        try:
            found.append(repr(attempt()))
        except Exception as error:
            found.append(type(error).__name__)
    return found


def they_are_written_like_arrays(tf):
    constant = tf.ragged.constant
    return [
        repr(constant([[1, 2], [3], []])),
        str(constant([[1, 2], [3]])),
        repr(constant([], ragged_rank=1)),
        repr(constant([[], []])),
        repr(constant([[1, 2], [3, 4]])),
        repr(constant([["a\n'b", "é"], []])),
        repr(constant([[True], [False, True]])),
        repr(constant([[1 + 2j], [3]])),
        repr(constant([[1.5, 2.25], [1e10, 1e-10]])),
        repr(constant([[float("nan"), float("inf")], []])),
        repr(constant([[[1], [2, 3]], [[4]], []])),
        repr(constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)),
        repr(constant([list(range(40)), [1]])),
        repr(constant([list(range(2000)), [1]])),
        repr(constant([[1] * 200] * 30)),
        repr(constant([[i] * (i % 3) for i in range(60)])),
        repr(constant([[[i] * (i % 3) for i in range(30)], [[1]]])),
        repr(tf.RaggedTensor.from_uniform_row_length(constant([[1, 2], [3]]), 2)),
    ]


def symbolic_ones_show_their_tensors(tf):
    shown = []

    @tf.function
    def fn(rows):
        shown.append(str(rows))
        return rows

    fn(tf.ragged.constant([[1, 2], [3]]))
    return shown


def they_become_arrays_and_lists(tf):
    constant = tf.ragged.constant
    values = [
        constant([[1], [2, 3]]),
        constant([[1, 2], [2, 3]]),
        constant([[], []]),
        constant([], ragged_rank=1),
        constant([], ragged_rank=2),
        constant([[[], []], []]),
        constant([[[[1, 2]], [[3, 4], [5, 6]]]], inner_shape=(2,)),
        constant([["a"], ["b", "c"]]),
    ]
    return [[repr(value.numpy()), repr(value.to_list())] for value in values]


def shapes_know_what_is_uniform(tf):
    constant = tf.ragged.constant
    cut = tf.RaggedTensor
    inner = constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    uniform = cut.from_tensor([[1, 2], [3, 4]])
    nested = cut.from_uniform_row_length(constant([[1], [2, 3]]), 2)
    values = [
        constant([[1, 2], [3]]),
        constant([[[]], []]),
        inner,
        uniform,
        nested,
        uniform + 1,
        uniform + uniform,
        uniform + [[1], [2]],
        uniform[:1],
        uniform[:, :1],
        uniform[0],
        uniform[:, 0],
        nested[:, :, :1],
        inner[:, tf.newaxis],
        tf.expand_dims(inner, 1),
        tf.expand_dims(inner, 0),
        tf.one_hot(constant([[1, 2], [3]]), 4),
        tf.stack([inner, inner]),
        tf.concat([uniform, uniform], axis=1),
        cut.from_tensor(np.zeros((1, 2, 3)), ragged_rank=2),
    ]
    return [repr(value.shape) for value in values]


def properties_are_tensors(tf):
    rows = tf.ragged.constant([[[1], [2, 3]], [[4]], []])
    uniform = tf.RaggedTensor.from_tensor([[1, 2], [3, 4]], row_splits_dtype=tf.int32)
    return [
        rows.values.values,
        rows.flat_values,
        rows.row_splits,
        list(rows.nested_row_splits),
        list(rows.nested_row_lengths()),
        list(rows.nested_value_rowids()),
        rows.row_starts(),
        rows.row_limits(),
        rows.nrows(),
        rows.nrows(tf.int32),
        rows.ragged_rank,
        repr(rows.uniform_row_length),
        uniform.uniform_row_length,
        uniform.row_splits,
        repr(rows.dtype),
    ]


def what_they_cannot_do(tf):
    rows = tf.ragged.constant([[1, 2], [3]])
    return _errors(
        lambda: len(rows),
        lambda: bool(rows),
        lambda: hash(rows),
        lambda: tf.convert_to_tensor(rows),
        lambda: tf.constant(rows),
        lambda: rows.name,
        lambda: rows.graph,
        lambda: tf.RaggedTensor([1], [0, 1]),
        lambda: tf.experimental.RowPartition([0, 1]),
        lambda: tf.sort(rows),
        lambda: tf.transpose(rows),
        lambda: tf.math.top_k(rows),
        lambda: tf.unique(rows),
        lambda: tf.math.argmax(rows),
    )


def row_partitions_know_more_than_splits(tf):
    rows = tf.experimental.RowPartition
    splits, ids = rows.from_row_splits([0, 2, 3]), rows.from_value_rowids([0, 0, 1])
    uniform = rows.from_uniform_row_length(2, nvals=6)
    return [
        [repr(part) for part in (splits, ids, uniform)],
        [repr(part._type_spec) for part in (splits, ids, uniform)],
        [part.static_nrows for part in (splits, ids)],
        [part.static_nvals for part in (splits, ids)],
        [part.is_uniform() for part in (splits, ids, uniform)],
        [part.offsets_in_rows() for part in (splits, ids, uniform)],
        repr(rows.from_row_splits([0, 2], dtype=tf.int32).dtype),
        repr(rows.from_row_splits([0, 2], dtype_hint=tf.int32).dtype),
        repr(splits.with_dtype(tf.int32).dtype),
        _errors(
            lambda: rows.from_row_splits([0, 2], dtype=tf.int16),
            lambda: rows.from_uniform_row_length(2),
            lambda: rows.from_uniform_row_length(2, nrows=3, nvals=7),
            lambda: splits.with_dtype(tf.float32),
        ),
    ]


def specs(tf):
    spec = tf.RaggedTensorSpec
    rows = tf.ragged.constant([[1, 2], [3]])
    return [
        repr(spec([2, None], tf.int32)),
        repr(spec(None, tf.int32, 2)),
        repr(spec([3, None, 2], ragged_rank=1)._component_specs),
        repr(spec(None, ragged_rank=1)._component_specs),
        repr(spec([3, None])._batch(2)),
        repr(spec([3, None])._unbatch()),
        repr(spec([3, None], ragged_rank=1)._unbatch()._unbatch()),
        repr(spec.from_value(rows)),
        repr(tf.type_spec_from_value(rows)),
        [
            spec([3, None]).is_compatible_with(rows),
            spec([2, None], tf.int32).is_compatible_with(rows),
            spec([2, None], tf.int32).is_compatible_with([[1]]),
            spec([2, None], tf.int32, 0).is_compatible_with(tf.zeros([2, 3], tf.int32)),
        ],
        repr(spec([2, None]).most_specific_common_supertype([spec([3, None])])),
        repr(spec([2, None]).most_specific_common_supertype([spec([3, None], tf.int32)])),
        repr(spec([None, None], None, flat_values_spec=tf.TensorSpec([None], tf.int32))),
        _errors(
            lambda: spec(),
            lambda: spec([None, None], ragged_rank=2),
            lambda: spec([None, None], ragged_rank=1.0),
            lambda: spec([None, None], dtype=None),
            lambda: spec([None], tf.float32, flat_values_spec=tf.TensorSpec([None], tf.int32)),
        ),
    ]


def nests_take_them_apart(tf):
    rows = tf.ragged.constant([[1, 2], [3]])
    doubled = tf.nest.map_structure(lambda t: t * 1, rows, expand_composites=True)
    return [
        len(tf.nest.flatten([rows])),
        tf.nest.flatten({"a": rows}, expand_composites=True),
        repr(doubled),
        tf.is_tensor(rows),
    ]


def printing(tf):
    path = os.path.join(tempfile.mkdtemp(), "out")
    rows = tf.ragged.constant([[1, 2, 3, 4, 5, 6, 7, 8, 9], [10], []])
    words = tf.ragged.constant([["a", "b'c"], ["d"]])
    halves = tf.ragged.constant([[1.5, 2.0], [3.25]])
    tf.print(rows, output_stream=f"file://{path}")
    tf.print("x", rows, words, summarize=1, output_stream=f"file://{path}")
    tf.print({"a": halves}, [halves, 1], output_stream=f"file://{path}")
    tf.print(rows, summarize=-1, output_stream=f"file://{path}")

    @tf.function
    def fn(rows):
        tf.print(rows, output_stream=f"file://{path}")

    fn(words)
    with open(path) as file:
        return file.read()


_VALUES = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
_LOSSES = {
    "square": lambda tf, r: tf.reduce_sum(r * r),
    "row sums": lambda tf, r: tf.reduce_sum(r, axis=1)[0],
    "largest": lambda tf, r: tf.reduce_max(r, axis=1)[2],
    "mean": lambda tf, r: tf.reduce_mean(r, axis=1)[0],
    "filled": lambda tf, r: tf.reduce_sum(r.to_tensor() * [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
    "cut": lambda tf, r: tf.reduce_sum(r.to_tensor(shape=[2, 1])),
    "beside": lambda tf, r: tf.reduce_sum(tf.concat([r, r * 2], axis=1)),
    "below": lambda tf, r: tf.reduce_sum(tf.concat([r, r * 2], axis=0).values ** 2),
    "stacked": lambda tf, r: tf.reduce_sum(tf.stack([r, r * 2]).flat_values),
    "gathered": lambda tf, r: tf.reduce_sum(tf.gather(r, [0, 0, 2]).values),
    "sliced": lambda tf, r: tf.reduce_sum(r[1:].values),
    "one": lambda tf, r: r[0][1] * 3.0,
    "columns": lambda tf, r: tf.reduce_sum(r[:, :1].values),
    "chosen": lambda tf, r: tf.reduce_sum(tf.where(r > 1.5, r * 2.0, 0.0).values),
    "broadcast": lambda tf, r: tf.reduce_sum((r + [[1.0], [2.0], [3.0]]) ** 2.0),
    "softmax": lambda tf, r: tf.reduce_sum(tf.nn.softmax(r) * r),
    "masked": lambda tf, r: tf.reduce_sum(tf.ragged.boolean_mask(r, r > 1.5) ** 2.0),
    "tiled": lambda tf, r: tf.reduce_sum(tf.tile(r, [1, 2]).values),
    "sparse": lambda tf, r: tf.reduce_sum(r.to_sparse().values * 2.0),
    "mapped": lambda tf, r: tf.reduce_sum(tf.ragged.map_flat_values(tf.square, r)),
    "sums": lambda tf, r: tf.reduce_sum(tf.cumsum(r, axis=1)),
    "loop": lambda tf, r: tf.reduce_sum(tf.map_fn(lambda x: x * x, r).to_tensor()),
}


def _gradient(tf, loss, values):
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = loss(tf, tf.RaggedTensor.from_row_splits(values, [0, 2, 2, 4]))
    return tf.convert_to_tensor(tape.gradient(y, values))


def gradients(tf):
    return {name: _gradient(tf, loss, tf.constant(_VALUES)) for name, loss in _LOSSES.items()}


def gradients_in_functions(tf):
    names = ["square", "row sums", "largest", "filled", "gathered", "beside"]
    spec = [tf.TensorSpec([None], tf.float32)]

    def traced(loss):
        return tf.function(lambda values: _gradient(tf, loss, values), input_signature=spec)

    return {name: traced(_LOSSES[name])(tf.constant(_VALUES)) for name in names}


def a_tape_watches_them(tf):
    rows = tf.RaggedTensor.from_row_splits(_VALUES, [0, 2, 2, 4])
    with tf.GradientTape() as tape:
        tape.watch(rows)
        y = tf.reduce_sum(rows * rows)
    return repr(tape.gradient(y, rows))


def loops_and_branches(tf):
    ints = tf.ragged.constant([[1, 2], [3], [], [7]])
    floats = tf.ragged.constant([[1.0, 2.0], [3.0]])

    @tf.function
    def total(rows):
        found, n = tf.constant(0), 0
        for row in rows:
            found += tf.reduce_sum(row) * 2
            n += 1
        return found, n

    @tf.function
    def until_empty(rows):
        found = tf.constant(0)
        for row in rows:
            if tf.size(row) == 0:
                break
            found += row[0]
        return found

    @tf.function
    def either(rows, flag):
        if flag:
            rows = rows * 2.0
        else:
            rows = tf.concat([rows, rows], 1)
        return rows

    @tf.function
    def thrice(rows):
        i = tf.constant(0)
        while i < 3:
            rows = rows + 1.0
            i += 1
        return rows

    return [
        total(ints),
        until_empty(ints),
        repr(either(floats, tf.constant(True))),
        repr(either(floats, tf.constant(False))),
        repr(thrice(floats)),
        repr(tf.cond(tf.constant(False), lambda: ints, lambda: ints * 2)),
        repr(tf.while_loop(lambda i, r: i < 2, lambda i, r: (i + 1, r + 1), (0, ints))[1]),
    ]


def functions_take_and_return_them(tf):
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    ints = tf.ragged.constant([[1, 2], [3], []])

    @tf.function(input_signature=[spec])
    def sums(rows):
        return tf.reduce_sum(rows, 1)

    @tf.function(input_signature=[spec, spec])
    def add(x, y):
        return x + y

    traces = []

    @tf.function
    def counted(rows):
        traces.append(1)
        return {"a": rows + 1, "b": [rows.values]}

    counted(ints)
    counted(tf.ragged.constant([[5], [6], [7]]))
    counted(tf.ragged.constant([[5], [6]]))
    nested = tf.RaggedTensorSpec([None, 2, None], tf.int32)
    shaped = tf.function(lambda r: r, input_signature=[nested])
    return [
        sums(ints),
        repr(add(ints, ints)),
        len(traces),
        repr(counted(ints)["a"]),
        repr(shaped(tf.RaggedTensor.from_uniform_row_length(ints[:2], 2)).shape),
        tf.function(lambda r: tf.shape(r)[0])(ints),
        repr(tf.function(lambda r: tf.ones(tf.shape(r)))(ints)),
        _errors(
            lambda: sums([[1]]),
            lambda: sums(tf.zeros([2, 2], tf.int32)),
            lambda: add(ints, tf.ragged.constant([[1], [2, 3], []])),
        ),
    ]


def bad_splits_are_found_when_the_graph_runs(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
    def cut(values, splits):
        return tf.RaggedTensor.from_row_splits(values, splits).to_tensor()

    values = tf.constant([1, 2])
    return _errors(
        lambda: cut(values, tf.constant([0, 1, 2])).numpy(),
        lambda: cut(values, tf.constant([0, 2, 1, 2])),
        lambda: cut(values, tf.constant([1, 2])),
        lambda: cut(values, tf.constant([0, 1, 1])),
    )


def map_fn_collects_rows(tf):
    rows = tf.ragged.constant([[1, 2], [3], []])
    deep = tf.ragged.constant([[[1], [2, 3]], [[4]], []])
    row = tf.RaggedTensorSpec([None], tf.int32)
    sparse = tf.sparse.from_dense([[1, 0], [0, 2]])
    numbers = tf.constant([3, 0, 2])

    def made(x):
        return tf.sparse.from_dense(tf.stack([x, 0, x]))

    spec = tf.SparseTensorSpec([None], tf.int32)
    return [
        repr(tf.map_fn(lambda x: x * 2, rows)),
        repr(tf.map_fn(lambda x: x * 2, rows, fn_output_signature=row)),
        repr(tf.map_fn(tf.range, numbers, fn_output_signature=row)),
        tf.map_fn(tf.reduce_sum, rows, fn_output_signature=tf.int32),
        repr(
            tf.map_fn(
                lambda n: tf.ragged.range([n, 1]),
                numbers,
                fn_output_signature=tf.RaggedTensorSpec([2, None], tf.int32),
            )
        ),
        repr(tf.map_fn(lambda x: x, deep)),
        tf.sparse.to_dense(tf.map_fn(made, numbers, fn_output_signature=spec)),
        tf.map_fn(tf.sparse.reduce_sum, sparse, fn_output_signature=tf.int32),
        repr(
            tf.map_fn(lambda t: (tf.range(t), t), numbers, fn_output_signature=(row, tf.int32))[0]
        ),
        repr(tf.function(lambda r: tf.map_fn(lambda x: x * 2, r))(rows)),
    ]


def images_of_all_sizes_are_resized(tf):
    images = tf.ragged.constant([[[[1.0], [2.0]]], [[[3.0]]]], ragged_rank=2)
    return tf.image.resize(images, [1, 1])


def dropout_keeps_the_rows(tf):
    rows = tf.ragged.constant([[1.0, 2.0], [3.0], []])
    dropped = tf.nn.experimental.stateless_dropout(rows, 0.5, seed=[1, 2])
    return [repr(tf.nn.dropout(rows, 0.0)), dropped.row_splits]


def dynamic_ragged_shapes(tf):
    shape = tf.shape(tf.ragged.constant([[1, 2], [3], []]))
    inner = tf.shape(tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1))
    lengths = tf.experimental.DynamicRaggedShape.from_lengths
    return [
        [repr(shape), repr(inner), repr(inner[:2])],
        [shape[0], inner[2], shape.rank, shape.num_row_partitions, inner.inner_rank],
        [shape.is_uniform(0), shape.is_uniform(1), inner.is_uniform(2)],
        [repr(shape.static_lengths()), repr(shape.static_lengths(ragged_lengths=False))],
        [repr(shape.dtype), repr(shape.with_dtype(tf.int64).dtype)],
        [repr(shape._type_spec), inner.inner_shape],
        [repr(lengths([2, (3, 1), 4])), repr(lengths([2, 3, 4])), repr(lengths([]))],
        repr(lengths([2, 3, 4], num_row_partitions=1)),
        _errors(
            lambda: shape[1],
            lambda: shape[5],
            lambda: shape["a"],
            lambda: lengths([2, (3,)]),
            lambda: lengths([(1, 2)]),
        ),
    ]


def _of_any_rank(tf, body, *values, spec=None):
    """What a function that knows no rank while it is traced gives for each value, four times."""
    spec = tf.RaggedTensorSpec(None, tf.float32, ragged_rank=1) if spec is None else spec
    fn = tf.function(body, input_signature=[spec])
    static = str(fn.get_concrete_function().structured_outputs.shape)

    def tried(value):
        try:
            found = fn(value)
        except Exception as error:
            return type(error).__name__
        return found.to_list(), str(found.shape), found.ragged_rank

    found = [[tried(value) for _ in range(4)] for value in values]
    assert all(each == row[0] for row in found for each in row), found
    return static, [row[0] for row in found]


def _rows_and_blocks(tf):
    """Ragged tensors with one partition, of rank 2 and of rank 3."""
    blocks = tf.RaggedTensor.from_row_splits([[1.0, 2.0], [3.0, 4.0]], [0, 1, 1, 2])
    return tf.ragged.constant([[1.0, 2.0], [], [3.0]]), blocks


def joining_those_of_unknown_rank(tf):
    bodies = [lambda r, a=a: tf.concat([r, r], a) for a in (0, 1, 2)]
    bodies += [lambda r, a=a: tf.stack([r, r], a) for a in (0, 1, 2)]
    bodies += [lambda r, a=a: tf.ragged.stack([r, r], a) for a in (0, 1, 2)]
    bodies += [
        lambda r: tf.concat([r], 0),
        lambda r: tf.stack([r]),
        lambda r: tf.concat([r] * 3, 0),
    ]
    return [_of_any_rank(tf, body, *_rows_and_blocks(tf)) for body in bodies]


def joining_those_of_unknown_rank_with_others(tf):
    rows = tf.ragged.constant([[1.0, 2.0], [3.0], []])
    bodies = [
        lambda r: tf.concat([r, [[1.0, 2.0]]], 0),
        lambda r: tf.concat([tf.constant([[9.0], [9.0], [9.0]]), r], 1),
        lambda r: tf.concat([r, rows], 0),
        lambda r: tf.concat([r, rows], 1),
        lambda r: tf.stack([r, rows]),
        lambda r: tf.tile(r, [2, 1]),
        lambda r: tf.tile(r, [2, 1, 2]),
    ]
    return [_of_any_rank(tf, body, *_rows_and_blocks(tf)) for body in bodies]


def sums_of_those_of_unknown_rank(tf):
    bodies = [
        lambda r: r + r,
        lambda r: r * r.with_flat_values(r.flat_values * 2.0),
        lambda r: tf.equal(r, r),
        tf.cumsum,
    ]
    return [_of_any_rank(tf, body, *_rows_and_blocks(tf)) for body in bodies]


def axes_that_an_unknown_rank_does_not_have(tf):
    def tried(body):
        spec = tf.RaggedTensorSpec(None, tf.float32, ragged_rank=1)
        return tf.function(body, input_signature=[spec]).get_concrete_function()

    return _errors(
        lambda: tried(lambda r: tf.concat([r, r], -1)),
        lambda: tried(lambda r: tf.stack([r, r], -1)),
        lambda: tried(lambda r: tf.concat([r, r], tf.constant(0))),
    )


def rows_of_tensors_of_unknown_rank(tf):
    made = tf.RaggedTensor.from_tensor
    rows = tf.ragged.constant([[1.0], [1.0, 2.0]])
    bodies = [
        made,
        lambda t: made(t, ragged_rank=2),
        lambda t: made(t, padding=0.0),
        lambda t: made(t, lengths=[1, 2]),
        lambda t: made(t, lengths=([1, 2], [1, 2, 1])),
        lambda t: tf.ragged.stack([t, t]),
        lambda t: tf.ragged.stack([t, t], 1),
        lambda t: tf.ragged.stack([t, tf.constant([[1.0]])]),
        lambda t: tf.concat([t, rows], 0),
        lambda t: tf.concat([t, rows], 1),
        lambda t: tf.stack([t, rows]),
    ]
    values = [tf.constant([[1.0, 2.0], [3.0, 0.0]]), tf.reshape(tf.range(8.0), [2, 2, 2])]
    values.append(tf.constant([1.0, 2.0]))
    return [_of_any_rank(tf, body, *values, spec=tf.TensorSpec(None)) for body in bodies]


def row_splits_of_a_uniform_length(tf):
    lengths = [2, tf.constant(2), tf.constant(2, tf.int64)]
    made = [tf.RaggedTensor.from_uniform_row_length([1, 2], length) for length in lengths]
    return [rows.row_splits.dtype.name for rows in made]
