"""Every method of the classes beside `tf.Tensor`, each on several values, empty and malformed ones
among them; see `cases.py`.
"""

import numpy as np

from tests.golden.cases_structures import _all


def _rows(tf):
    """Ragged tensors of several kinds: usual, empty, of no rows, deep, uniform inside, strings."""
    return [
        tf.ragged.constant([[1, 2, 3], [], [4]]),
        tf.ragged.constant([[], []], dtype=tf.float32),
        tf.RaggedTensor.from_row_splits(tf.zeros([0], tf.int64), [0]),
        tf.ragged.constant([[[1.5], []], [], [[2.5, 3.5]]]),
        tf.RaggedTensor.from_row_lengths(np.arange(6).reshape(3, 2), [1, 0, 2]),
        tf.ragged.constant([["a", ""], [b"\xff"]], row_splits_dtype=tf.int32),
    ]


def _places(tf):
    """Sparse tensors: usual, without entries, out of order, of one dimension, of strings."""
    sparse = tf.SparseTensor
    return [
        sparse([[0, 1], [1, 0]], [1.5, -2.0], [2, 3]),
        sparse(np.zeros((0, 2), np.int64), np.zeros(0, np.float32), [2, 3]),
        sparse([[1, 0], [0, 1]], [1, 2], [2, 3]),
        sparse([[2]], [True], [4]),
        sparse([[0, 0], [0, 1]], ["a", ""], [1, 2]),
    ]


def _partitions(tf):
    """Partitions of rows: usual, without rows, without values, uniform, of 32 bits."""
    partition = tf.experimental.RowPartition
    return [
        partition.from_row_splits([0, 2, 2, 5]),
        partition.from_row_splits(tf.constant([0], tf.int64)),
        partition.from_row_splits([0, 0, 0]),
        partition.from_uniform_row_length(2, nvals=6),
        partition.from_row_lengths(tf.constant([1, 0, 3])),
    ]


def _each(tf, values, *attempts):
    return _all(tf, *[lambda v=v, a=a: a(v) for a in attempts for v in values])


def what_ragged_tensors_tell(tf):
    return _each(
        tf,
        _rows(tf),
        lambda r: r.row_splits,
        lambda r: r.row_starts(),
        lambda r: r.row_limits(),
        lambda r: r.row_lengths(),
        lambda r: r.row_lengths(axis=2),
        lambda r: r.value_rowids(),
        lambda r: r.nrows(),
        lambda r: r.nrows(out_type=tf.int32),
        lambda r: r.flat_values,
        lambda r: r.nested_row_splits,
        lambda r: r.nested_row_lengths(),
        lambda r: r.nested_value_rowids(),
        lambda r: r.bounding_shape(),
        lambda r: r.bounding_shape(axis=1),
        lambda r: r.bounding_shape(axis=9),
        lambda r: str(r.get_shape()),
        lambda r: r.ragged_rank,
        lambda r: str(r.uniform_row_length),
        lambda r: r.to_list(),
        lambda r: str(r),
        lambda r: len(r.consumers()),
    )


def what_ragged_tensors_become(tf):
    return _each(
        tf,
        _rows(tf),
        lambda r: r.to_tensor(),
        lambda r: r.to_tensor(shape=[2, 2]),
        lambda r: r.to_tensor(shape=[None, 0]),
        lambda r: r.to_tensor(default_value=7),
        lambda r: r.to_tensor(default_value="x"),
        lambda r: r.to_tensor(shape=[1]),
        lambda r: r.to_sparse(),
        lambda r: r.with_row_splits_dtype(tf.int32),
        lambda r: r.with_row_splits_dtype(tf.float32),
        lambda r: r.with_values(r.values),
        lambda r: r.with_values(tf.zeros([1])),
        lambda r: r.with_flat_values(r.flat_values),
        lambda r: r.with_flat_values(tf.zeros([17])),
        lambda r: r.merge_dims(0, 1),
        lambda r: r.merge_dims(0, 5),
        lambda r: r.merge_dims(1, 1),
        lambda r: r[0],
        lambda r: r[-1:],
        lambda r: r[:, :1],
        lambda r: r[..., 0],
        lambda r: r[7],
        lambda r: r[:, 0],
        lambda r: tf.shape(r).static_lengths(),
        lambda r: r.numpy().tolist() if r.ragged_rank == 9 else str(r.numpy().dtype),
    )


def how_ragged_tensors_are_made(tf):
    make = tf.RaggedTensor
    values = tf.constant([1, 2, 3])
    none = tf.zeros([0], tf.int64)
    return _all(
        tf,
        lambda: make.from_nested_row_lengths(values, [[2, 0], [1, 2]]),
        lambda: make.from_nested_row_lengths(none, [[0], []]),
        lambda: make.from_nested_row_lengths(values, [[2, 0], [1]]),
        lambda: make.from_nested_row_lengths(values, []),
        lambda: make.from_nested_row_splits(values, [[0, 1], [0, 3]]),
        lambda: make.from_nested_row_splits(values, [[0, 2], [0, 3]]),
        lambda: make.from_nested_value_rowids(values, [[0, 1], [0, 0, 1]]),
        lambda: make.from_nested_value_rowids(values, [[0, 1], [0, 0, 1]], [3, 2]),
        lambda: make.from_nested_value_rowids(values, [[0, 1], [0, 0, 1]], [3]),
        lambda: make.from_row_starts(values, [0, 1, 1]),
        lambda: make.from_row_starts(values, [1, 2]),
        lambda: make.from_row_starts(values, none),
        lambda: make.from_row_limits(values, [0, 3]),
        lambda: make.from_row_limits(values, [2, 1]),
        lambda: make.from_row_limits(none, none),
        lambda: make.from_value_rowids(values, [0, 0, 2], nrows=4),
        lambda: make.from_value_rowids(values, [0, 2, 1]),
        lambda: make.from_value_rowids(values, [0, 0, 2], nrows=2),
        lambda: make.from_uniform_row_length(values, 3),
        lambda: make.from_uniform_row_length(values, 2),
        lambda: make.from_uniform_row_length(none, 0, nrows=3),
        lambda: make.from_tensor([[1, 0, 2], [0, 0, 0]], padding=0),
        lambda: make.from_tensor([[1, 0, 2], [0, 0, 0]], lengths=[1, 5]),
        lambda: make.from_tensor(tf.zeros([0, 3])),
        lambda: make.from_sparse(tf.sparse.from_dense([[1, 0], [2, 3]])),
        lambda: make.from_sparse(tf.sparse.from_dense([[0, 1], [2, 3]])),
        lambda: make.from_sparse(tf.sparse.from_dense(tf.zeros([2, 2]))),
    )


def what_sparse_tensors_tell_and_become(tf):
    def shaped(s, dims):
        made = tf.SparseTensor(s.indices, s.values, s.dense_shape)
        made.set_shape(dims)
        return str(made.shape)

    return _each(
        tf,
        _places(tf),
        lambda s: str(s.get_shape()),
        lambda s: s.dtype.name,
        lambda s: len(s.consumers()),
        lambda s: s.with_values(s.values),
        lambda s: s.with_values([1.0, 2.0]),
        lambda s: s.with_values(tf.zeros([0])),
        lambda s: shaped(s, [2, 3]),
        lambda s: shaped(s, [None, None]),
        lambda s: shaped(s, [9, 9]),
        lambda s: tf.SparseTensor.from_value(s),
        lambda s: s.eval(),
        lambda s: s * 2,
        lambda s: s / 2,
        lambda s: tf.sparse.to_dense(s),
        lambda s: tf.sparse.expand_dims(s, 0),
        lambda s: tf.sparse.reshape(s, [-1]),
        lambda s: tf.sparse.slice(s, [0, 0], [1, 1]),
        lambda s: tf.sparse.transpose(s),
        lambda s: tf.sparse.map_values(tf.identity, s),
    )


def what_partitions_of_rows_tell_and_become(tf):
    return _each(
        tf,
        _partitions(tf),
        lambda p: p.row_splits(),
        lambda p: p.row_starts(),
        lambda p: p.row_limits(),
        lambda p: p.row_lengths(),
        lambda p: p.value_rowids(),
        lambda p: p.nrows(),
        lambda p: p.nvals(),
        lambda p: p.offsets_in_rows(),
        lambda p: p.is_uniform(),
        lambda p: str(p.uniform_row_length()),
        lambda p: [p.static_nrows, str(p.static_uniform_row_length)],
        lambda p: p.dtype.name,
        lambda p: p.with_dtype(tf.int32).row_splits(),
        lambda p: p.with_dtype(tf.float32),
        lambda p: [p.has_precomputed_row_splits(), p.has_precomputed_nrows()],
        lambda p: tf.function(lambda q: (q.row_lengths(), q.value_rowids()))(p),
    )


def how_partitions_of_rows_are_made(tf):
    make = tf.experimental.RowPartition
    none = tf.zeros([0], tf.int64)

    def lengths(partition):
        return partition.row_lengths()

    return _all(
        tf,
        lambda: lengths(make.from_row_lengths([2, 0, 1])),
        lambda: lengths(make.from_row_lengths(none)),
        lambda: lengths(make.from_row_lengths([2, -1])),
        lambda: lengths(make.from_row_lengths([[2]])),
        lambda: lengths(make.from_row_limits([1, 1, 4])),
        lambda: lengths(make.from_row_limits(none)),
        lambda: lengths(make.from_row_limits([3, 1])),
        lambda: lengths(make.from_row_starts([0, 2], nvals=5)),
        lambda: lengths(make.from_row_starts(none, nvals=0)),
        lambda: lengths(make.from_row_starts([1, 2], nvals=5)),
        lambda: lengths(make.from_row_starts([0, 9], nvals=5)),
        lambda: lengths(make.from_value_rowids([0, 0, 2], nrows=4)),
        lambda: lengths(make.from_value_rowids(none)),
        lambda: lengths(make.from_value_rowids([1, 0])),
        lambda: lengths(make.from_value_rowids([0, 3], nrows=2)),
        lambda: lengths(make.from_uniform_row_length(3, nvals=6)),
        lambda: lengths(make.from_uniform_row_length(0, nvals=0, nrows=2)),
        lambda: lengths(make.from_uniform_row_length(4, nvals=6)),
        lambda: lengths(make.from_uniform_row_length(2, nvals=6, nrows=7)),
        lambda: lengths(make.from_row_splits([0, 2, 1])),
        lambda: lengths(make.from_row_splits([1, 2])),
        lambda: lengths(make.from_row_splits(none)),
    )


def _arrays(tf):
    """Arrays of tensors: filled, growing, empty, of strings."""
    return [
        lambda: tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack([1.0, 2.0, 3.0]),
        lambda: tf.TensorArray(tf.int32, 0, dynamic_size=True).write(1, [5, 6]),
        lambda: tf.TensorArray(tf.float32, 0),
        lambda: (
            tf.TensorArray(tf.string, 2, infer_shape=False).write(0, ["a"]).write(1, ["b", "c"])
        ),
    ]


def methods_of_arrays_of_tensors(tf):
    attempts = [
        lambda a: a.size(),
        lambda a: a.stack(),
        lambda a: a.concat(),
        lambda a: a.gather([1, 0]),
        lambda a: a.gather([9]),
        lambda a: a.read(1),
        lambda a: a.read(-1),
        lambda a: a.read(9),
        lambda a: a.write(0, a.read(1)).read(0),
        lambda a: a.write(5, tf.zeros([2], a.dtype)).size(),
        lambda a: a.write(-1, tf.zeros([2], a.dtype)).size(),
        lambda a: a.unstack(tf.zeros([0, 2], a.dtype)).size(),
        lambda a: a.scatter([0, 2], tf.zeros([2, 1], a.dtype)).size(),
        lambda a: a.scatter([0], tf.zeros([2, 2], a.dtype)).size(),
        lambda a: a.split(tf.zeros([3], a.dtype), [1, 0, 2]).size(),
        lambda a: a.split(tf.zeros([1], a.dtype), [2, 2, 2]).size(),
        lambda a: a.identity().size(),
        lambda a: a.close(),
        lambda a: str(a.element_shape),
        lambda a: a.dtype.name,
        lambda a: [a.dynamic_size, str(a.handle)],
        lambda a: a.grad("x"),
    ]
    eager = [lambda m=m, a=a: a(m()) for a in attempts for m in _arrays(tf)]
    return _all(tf, *eager)


def _queues(tf):
    """Queues: filled, empty and closed, with names, of padded rows, by priority."""

    def filled():
        queue = tf.queue.FIFOQueue(4, tf.int32, shapes=[()])
        queue.enqueue_many([[1, 2, 3]])
        return queue

    def closed():
        queue = tf.queue.FIFOQueue(4, tf.int32, shapes=[()])
        queue.close()
        return queue

    def named():
        queue = tf.queue.FIFOQueue(4, [tf.int32, tf.string], [(), ()], names=["i", "s"])
        queue.enqueue({"i": 1, "s": "a"})
        return queue

    def padded():
        queue = tf.queue.PaddingFIFOQueue(4, tf.int32, shapes=[[None]])
        queue.enqueue([1])
        queue.enqueue([2, 3])
        return queue

    def ordered():
        queue = tf.queue.PriorityQueue(4, [tf.string], [()])
        queue.enqueue((tf.constant(5, tf.int64), "late"))
        queue.enqueue((tf.constant(1, tf.int64), "soon"))
        return queue

    return [filled, closed, named, padded, ordered]


def methods_of_queues(tf):
    attempts = [
        lambda q: q.size(),
        lambda q: q.is_closed(),
        lambda q: str(sorted(q.dequeue().items())) if q.names else q.dequeue(),
        lambda q: q.dequeue_many(1) if not q.names else str(sorted(q.dequeue_many(1).items())),
        lambda q: q.dequeue_many(0) if not q.names else str(sorted(q.dequeue_many(0).items())),
        lambda q: q.dequeue_many(-1),
        lambda q: [q.close(), q.dequeue_up_to(9)][1] if not q.names else "",
        lambda q: [q.close(), q.enqueue(7)],
        lambda q: [q.close(cancel_pending_enqueues=True), q.is_closed()],
        lambda q: [q.close(), q.close(), q.size()],
        lambda q: q.enqueue("x"),
        lambda q: q.enqueue([[[1]]]),
        lambda q: q.enqueue_many([[]]) if not q.names else "",
        lambda q: q.enqueue_many(3),
        lambda q: [q.names, [d.name for d in q.dtypes], [str(s) for s in q.shapes]],
        lambda q: tf.queue.QueueBase.from_list(1, [q, q]).size(),
        lambda q: tf.queue.QueueBase.from_list(2, [q, q]).size(),
        lambda q: tf.queue.QueueBase.from_list(0, []).size(),
    ]
    return _all(tf, *[lambda m=m, a=a: a(m()) for a in attempts for m in _queues(tf)])


def _tables(tf):
    lookup = tf.lookup

    def fixed():
        keys = tf.constant([1, 2], tf.int64)
        return lookup.StaticHashTable(lookup.KeyValueTensorInitializer(keys, keys * 10), -7)

    def changing(filled):
        def made():
            table = lookup.experimental.MutableHashTable(tf.int64, tf.int64, -7)
            if filled:
                table.insert(tf.constant([2, 1], tf.int64), tf.constant([20, 10], tf.int64))
            return table

        return made

    def dense():
        table = lookup.experimental.DenseHashTable(tf.int64, tf.int64, -7, -1, -2, 4)
        table.insert(tf.constant([1], tf.int64), tf.constant([10], tf.int64))
        return table

    return [fixed, changing(True), changing(False), dense]


def methods_of_tables(tf):
    key = tf.constant([1, 7], tf.int64)
    none = tf.zeros([0], tf.int64)

    def exported(table):
        keys, values = (part.numpy().ravel().tolist() for part in table.export())
        return str(sorted(zip(keys, values, strict=True)))

    attempts = [
        lambda t: t.size(),
        lambda t: t.lookup(key),
        lambda t: t.lookup(none),
        lambda t: t.lookup(tf.constant([1])),
        lambda t: t.lookup(tf.constant(["a"])),
        lambda t: t.lookup(tf.constant(7.5)),
        lambda t: t[key],
        lambda t: exported(t),
        lambda t: [t.insert(key, key * 5), t.lookup(key)][1],
        lambda t: [t.insert(none, none), t.size()][1],
        lambda t: t.insert(key, key[:1]),
        lambda t: t.insert(key, ["x", "y"]),
        lambda t: t.insert(tf.constant([-1], tf.int64), key[:1]),
        lambda t: [t.insert_or_assign(key, key), t.size()][1],
        lambda t: [t.remove(key), t.size()][1],
        lambda t: [t.remove(none), t.size()][1],
        lambda t: t.remove(tf.constant(["a"])),
        lambda t: [t.erase(key), t.size()][1],
        lambda t: [t.key_dtype.name, t.value_dtype.name],
        lambda t: tf.function(t.lookup)(key),
    ]
    return _all(tf, *[lambda m=m, a=a: a(m()) for a in attempts for m in _tables(tf)])


def functions_on_nothing_and_on_nonsense(tf):
    words = tf.constant([], tf.string)
    empty = tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.float32), [2, 3])
    whole = tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.int64), [2, 3])
    return _all(
        tf,
        lambda: tf.ragged.range([], dtype=tf.int32),
        lambda: tf.ragged.range(tf.constant([], tf.int32), tf.constant([], tf.int32), 1),
        lambda: tf.ragged.row_splits_to_segment_ids(tf.constant([0], tf.int64)),
        lambda: tf.ragged.row_splits_to_segment_ids(tf.constant([[0]], tf.int64)),
        lambda: tf.ragged.segment_ids_to_row_splits([0, 2], num_segments=1),
        lambda: tf.ragged.segment_ids_to_row_splits([0.5]),
        lambda: tf.ragged.segment_ids_to_row_splits([[0]]),
        lambda: tf.sets.size(whole),
        lambda: tf.sparse.bincount(tf.constant([], tf.int32)),
        lambda: tf.sparse.expand_dims(empty, -1),
        lambda: tf.sparse.eye(0, 3),
        lambda: tf.sparse.map_values(tf.add, empty, 1.0),
        lambda: tf.sparse.maximum(empty, empty),
        lambda: tf.sparse.reshape(empty, [6]),
        lambda: tf.sparse.reshape(empty, [7]),
        lambda: tf.sparse.sampled_addmm(
            np.zeros((0, 2), np.int32),
            np.zeros(0, np.float32),
            [2, 2],
            tf.ones([2, 3]),
            tf.ones([3, 2]),
        ),
        lambda: tf.sparse.slice(empty, [0, 0], [1, 1]),
        lambda: tf.sparse.to_indicator(whole, 4),
        lambda: tf.strings.as_string(tf.zeros([0, 2])),
        lambda: tf.strings.as_string(tf.constant([1]), precision=3),
        lambda: tf.strings.as_string(tf.constant([1.5]), fill="xx"),
        lambda: tf.strings.lower(words),
        lambda: tf.strings.regex_full_match(words, "a"),
        lambda: tf.strings.strip(words),
        lambda: tf.strings.strip(5),
        lambda: tf.strings.to_hash_bucket_fast(words, 3),
        lambda: tf.strings.to_hash_bucket_strong(words, 3, [1, 2]),
        lambda: tf.strings.unicode_transcode(words, "UTF-8", "UTF-16-BE"),
        lambda: tf.strings.unsorted_segment_join(words, tf.constant([], tf.int32), 2),
        lambda: tf.strings.unsorted_segment_join(["a", "b"], [0, -1], 1),
    )
