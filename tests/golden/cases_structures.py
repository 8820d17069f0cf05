"""Programs with queues, tables, arrays of tensors and composite tensors; see `cases.py`."""

import os
import tempfile

import numpy as np


def _shown(tf, value):
    """A value with all that a program can see of it."""
    if isinstance(value, tf.RaggedTensor):
        return [value.to_list(), str(value.shape), value.dtype.name, value.row_splits.dtype.name]
    if isinstance(value, tf.SparseTensor):
        parts = [value.indices, value.values, value.dense_shape]
        return [*[part.numpy().tolist() for part in parts], str(value.shape)]
    if isinstance(value, tf.Tensor):
        return [value.numpy().tolist(), str(value.shape), value.dtype.name]
    if isinstance(value, list | tuple):
        return [_shown(tf, part) for part in value]
    return repr(value)


def _all(tf, *attempts):
    """What each attempt gives, or the class of its error."""
    found = []
    for attempt in attempts:
        try:
            found.append(_shown(tf, attempt()))
        except Exception as error:
            found.append(type(error).__name__)
    return repr(found)


def _composites(tf):
    ragged = tf.ragged.constant([[1, 2], [], [3]])
    sparse = tf.sparse.from_dense([[0, 1], [2, 0], [0, 0]])
    return ragged, sparse, tf.constant(["a b", "", "c"])


def they_pass_through_functions(tf):
    return _all(tf, *[lambda x=x: tf.function(lambda y: y)(x) for x in _composites(tf)])


def they_pass_through_branches(tf):
    def traced(x, yes):
        return tf.cond(yes, lambda: x, lambda: x)

    yes = tf.constant(True)
    eager = [lambda x=x: tf.cond(yes, lambda: x, lambda: x) for x in _composites(tf)]
    graph = [lambda x=x: tf.function(traced)(x, yes) for x in _composites(tf)]
    return _all(tf, *eager, *graph)


def they_pass_through_loops(tf):
    def loop(x):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y), [tf.constant(0), x])

    eager = [lambda x=x: loop(x) for x in _composites(tf)]
    graph = [lambda x=x: tf.function(loop)(x) for x in _composites(tf)]
    return _all(tf, *eager, *graph)


def they_pass_through_models(tf):
    def saved(x):
        module = tf.Module()
        spec = tf.type_spec_from_value(x)
        module.f = tf.function(lambda y: (y, y), input_signature=[spec])
        folder = tempfile.mkdtemp()
        tf.saved_model.save(module, folder)
        return tf.saved_model.load(folder).f(x)

    return _all(tf, *[lambda x=x: saved(x) for x in _composites(tf)])


def they_pass_through_datasets(tf):
    slices = tf.data.Dataset.from_tensor_slices
    whole = tf.data.Dataset.from_tensors
    return _all(
        tf,
        *[lambda x=x: list(slices(x)) for x in _composites(tf)],
        *[lambda x=x: list(whole(x).repeat(2).map(lambda y: y)) for x in _composites(tf)],
    )


def they_are_mapped(tf):
    ragged, sparse, words = _composites(tf)
    row = tf.RaggedTensorSpec([None], tf.int32)
    place = tf.SparseTensorSpec([2], tf.int32)
    pieces = tf.RaggedTensorSpec([None], tf.string)
    counts = tf.constant([3, 0, 2])
    return _all(
        tf,
        lambda: tf.map_fn(lambda x: x * 2, ragged),
        lambda: tf.function(lambda r: tf.map_fn(lambda x: x * 2, r))(ragged),
        lambda: tf.map_fn(tf.reduce_sum, ragged, fn_output_signature=tf.int32),
        lambda: tf.map_fn(tf.range, counts, fn_output_signature=row),
        lambda: tf.map_fn(tf.strings.split, words, fn_output_signature=pieces),
        lambda: tf.map_fn(tf.strings.length, words, fn_output_signature=tf.int32),
        lambda: tf.map_fn(tf.sparse.to_dense, sparse, fn_output_signature=tf.int32),
        lambda: tf.map_fn(lambda x: x, sparse, fn_output_signature=place),
    )


def ragged_elements_are_gathered_beyond_the_batch(tf):
    constant = tf.ragged.constant
    deep = constant([[[1, 2, 3], [4, 5]], [[6, 7]], []])
    deeper = constant([[[[1, 2], [3]], [[4]]], [[[5, 6, 7]]]])
    inner = constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    gather = tf.gather
    return _all(
        tf,
        lambda: gather(deep, constant([[0, 1], [1], []]), axis=2, batch_dims=1),
        lambda: gather(deep, constant([[0, 1], [2], []]), axis=2, batch_dims=1),
        lambda: gather(deep, tf.constant([1, 0, 0]), axis=2, batch_dims=1),
        lambda: gather(deep, tf.constant([[1], [0], [0]]), axis=2, batch_dims=1),
        lambda: gather(inner, constant([[0], [1, 1]]), axis=2, batch_dims=1),
        lambda: gather(deeper, constant([[0], [1, 0]]), axis=3, batch_dims=1),
        lambda: gather(deeper, constant([[[0], [0]], [[2]]]), axis=3, batch_dims=2),
        lambda: gather(deeper, constant([[0], [0]]), axis=2, batch_dims=1),
    )


def records_are_made_by_a_spec(tf):
    make = tf.experimental.StructuredTensor.from_pyval
    open_spec = make([{"a": 1, "b": [1, 2]}, {"a": 3, "b": []}])._type_spec
    number = make({"a": 2.0})._type_spec

    def values(pyval, spec):
        found = make(pyval, typespec=spec)
        if not hasattr(found, "field_names"):
            return found
        return [(n, found.field_value(n)) for n in sorted(found.field_names())]

    return _all(
        tf,
        lambda: values([{"a": 1, "b": [1, 2]}, {"a": 3, "b": [4]}], open_spec),
        lambda: values([{"a": 1}, {"a": 2}], open_spec),
        lambda: values([{"a": 1, "b": [], "c": 3}] * 2, open_spec),
        lambda: values({"a": 1}, number),
        lambda: values([{"a": 1}], number),
        lambda: values([[1, 2], [3]], tf.RaggedTensorSpec([None, None], tf.int64)),
        lambda: values([1, 2], tf.TensorSpec([2], tf.float32)),
        lambda: values([1, 2], tf.TensorSpec([3], tf.float32)),
        lambda: values(1, 3),
    )


def a_closed_queue_refuses(tf):
    def late():
        queue = tf.queue.FIFOQueue(2, tf.int32)
        queue.enqueue(1)
        queue.close()
        first = queue.dequeue()
        return [first, queue.is_closed(), queue.size(), _all(tf, lambda: queue.enqueue(2))]

    def empty():
        queue = tf.queue.FIFOQueue(2, tf.int32)
        queue.close()
        return queue.dequeue()

    def too_few():
        queue = tf.queue.FIFOQueue(5, tf.int32, shapes=[[]])
        queue.enqueue_many([[1, 2]])
        queue.close()
        return queue.dequeue_many(5)

    return _all(tf, late, empty, too_few)


def queues_give_in_their_order(tf):
    def several():
        queue = tf.queue.FIFOQueue(5, [tf.int32, tf.string], shapes=[[], []])
        queue.enqueue_many(([1, 2, 3], ["a", "b", "c"]))
        queue.close()
        return [queue.dequeue_up_to(2), queue.dequeue_up_to(5)]

    def padded():
        queue = tf.queue.PaddingFIFOQueue(5, tf.int32, shapes=[[None]])
        queue.enqueue([[1]])
        queue.enqueue([[1, 2]])
        return queue.dequeue_many(2)

    def first_things():
        queue = tf.queue.PriorityQueue(5, [tf.string], [[]])
        queue.enqueue_many(([3, 1, 2], ["c", "a", "b"]))
        return [queue.dequeue() for _ in range(3)]

    def shuffled():
        queue = tf.queue.RandomShuffleQueue(5, 0, tf.int32, shapes=[[]], seed=1)
        queue.enqueue_many([[1, 2, 3]])
        return sorted(int(queue.dequeue()) for _ in range(3))

    def by_name():
        queue = tf.queue.FIFOQueue(5, [tf.int32, tf.string], names=["n", "s"], shapes=[[], []])
        queue.enqueue({"n": 1, "s": "a"})
        return sorted((k, _shown(tf, v)) for k, v in queue.dequeue().items())

    def from_list():
        queues = [tf.queue.FIFOQueue(2, tf.int32, shapes=[[]]) for _ in range(2)]
        queues[1].enqueue(7)
        return tf.queue.QueueBase.from_list(1, queues).dequeue()

    return _all(tf, several, padded, first_things, shuffled, by_name, from_list)


def queues_check_what_they_get(tf):
    fifo, padding = tf.queue.FIFOQueue, tf.queue.PaddingFIFOQueue
    priority, shuffle = tf.queue.PriorityQueue, tf.queue.RandomShuffleQueue
    return _all(
        tf,
        lambda: fifo(2, tf.int32, shapes=[[2]]).enqueue([1, 2, 3]),
        lambda: fifo(2, tf.int32).enqueue("a"),
        lambda: fifo(2, [tf.int32, tf.int32]).enqueue(1),
        lambda: fifo(2, tf.int32).dequeue_many(1),
        lambda: fifo(2, tf.int32, shapes=[[]]).enqueue_many(1),
        lambda: padding(2, tf.int32, shapes=None),
        lambda: padding(2, tf.int32, shapes=[[None, 2]]).enqueue([[1]]),
        lambda: padding(2, tf.int32, shapes=[[None]]).enqueue([[1, 2]]),
        lambda: priority(2, [tf.int32], [[]]).enqueue((1.5, 1)),
        lambda: priority(2, [tf.int32], [[]]).enqueue(1),
        lambda: shuffle(2, 1, tf.int32, shapes=[[2]]).enqueue([1]),
        lambda: shuffle(2, 1, tf.int32, shapes=[[]]).size(),
        lambda: tf.queue.QueueBase.from_list(0, []),
        lambda: tf.queue.QueueBase.from_list(0, [1]),
    )


def tables_find_what_they_hold(tf):
    lookup = tf.lookup

    def static(keys, values, default):
        init = lookup.KeyValueTensorInitializer(tf.constant(keys), tf.constant(values))
        return lookup.StaticHashTable(init, default)

    words = static(["a", "b"], [1, 2], -1)
    many = static(np.arange(0, 3000, 3), np.arange(1000), -1)
    far = static([10**12, -5, 7], ["far", "below", "seven"], "none")
    asked = np.arange(-300, 3300, 7)
    return _all(
        tf,
        lambda: words.lookup(tf.ragged.constant([["a"], ["z", "b"]])),
        lambda: words.lookup(tf.sparse.from_dense([["a", ""], ["", "b"]])),
        lambda: [words[tf.constant("a")], words.size()],
        lambda: words.lookup(tf.constant([], tf.string)),
        lambda: words.lookup(tf.constant([1])),
        lambda: many.lookup(tf.constant(asked)),
        lambda: many.lookup(tf.constant(asked[:510].reshape(5, 102))),
        lambda: far.lookup(tf.constant([7, 10**12, 6, -5] * 100)),
        lambda: static([1, 1], [2, 3], 0),
        lambda: static([1, 1], [2, 2], 0).size(),
        lambda: static([1], [2, 3], 0),
    )


def tables_that_change(tf):
    lookup = tf.lookup.experimental

    def mutable():
        table = lookup.MutableHashTable(tf.int64, tf.int64, -1)
        keys = tf.range(1000, dtype=tf.int64)
        table.insert(keys, keys * 2)
        first = table.lookup(keys[::100] + 950)
        table.insert(keys[:5], keys[:5] + 7)
        table.remove(keys[5:10])
        return [first, tf.reduce_sum(table.lookup(keys)), table.lookup(keys[:12]), table.size()]

    def vectors():
        table = lookup.MutableHashTable(tf.string, tf.float32, [0.0, 0.0])
        table.insert(["a", "b"], [[1, 2], [3, 4]])
        return table.lookup(tf.constant([["b", "z"]]))

    def dense():
        table = lookup.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-9)
        keys = tf.range(1, 500, dtype=tf.int64)
        table.insert(keys, keys * 3)
        table.erase(keys[:10])
        return [table.lookup(keys[::20]), table.size(), tf.reduce_sum(table.lookup(keys))]

    def marks():
        table = lookup.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-9)
        return table.lookup(tf.constant([1, 0], tf.int64))

    def checked(*arguments):
        return lookup.MutableHashTable(tf.string, tf.int64, -1).insert(*arguments)

    return _all(
        tf,
        mutable,
        vectors,
        dense,
        marks,
        lambda: checked(["a"], [1, 2]),
        lambda: checked([1], [1]),
        lambda: lookup.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=0),
        lambda: lookup.DenseHashTable(tf.int64, tf.int64, -1, 0, -1, initial_num_buckets=5),
    )


def vocabularies_come_from_files(tf):
    lookup = tf.lookup
    path = os.path.join(tempfile.mkdtemp(), "words.txt")
    with open(path, "w") as file:
        file.write("a 10\nb 20\nc 30\n")
    whole, number = lookup.TextFileIndex.WHOLE_LINE, lookup.TextFileIndex.LINE_NUMBER

    def table(*arguments, **options):
        init = lookup.TextFileInitializer(path, *arguments, **options)
        return lookup.StaticHashTable(init, -1 if init.value_dtype != tf.string else "?")

    words = tf.constant(["b", "zz", "a 10", "other"] * 80)
    init = lookup.TextFileInitializer(path, tf.string, 0, tf.int64, number, delimiter=" ")
    vocabulary = lookup.StaticVocabularyTable(init, 7)
    numbers = lookup.KeyValueTensorInitializer(
        tf.constant([5, 6], tf.int64), tf.constant([0, 1], tf.int64)
    )
    integers = lookup.StaticVocabularyTable(numbers, 3, lookup_key_dtype=tf.int32)
    return _all(
        tf,
        lambda: table(tf.string, whole, tf.int64, number).lookup(words[:4]),
        lambda: table(tf.string, 0, tf.int64, 1, delimiter=" ").lookup(words[:4]),
        lambda: table(tf.int64, number, tf.string, whole).lookup(tf.constant([2, 9], tf.int64)),
        lambda: table(tf.string, 0, tf.int64, 5, delimiter=" "),
        lambda: table(tf.string, 0, tf.int64, 0, delimiter=" "),
        lambda: [vocabulary.lookup(words), vocabulary.size()],
        lambda: vocabulary.lookup(tf.constant([[]], tf.string)),
        lambda: integers.lookup(tf.constant([[5, 6, 7, -1]])),
        lambda: vocabulary.lookup(tf.constant([1])),
    )


def arrays_keep_and_clear(tf):
    def made(**options):
        return tf.TensorArray(tf.int32, 2, **options).unstack([1, 2])

    def twice(array):
        return [array.read(0), array.read(0)]

    def traced():
        return twice(made())

    def rewritten():
        array = made()
        array.read(0)
        return array.write(0, 5).read(0)

    return _all(
        tf,
        lambda: twice(made()),
        lambda: twice(made(clear_after_read=True)),
        lambda: twice(made(clear_after_read=False)),
        rewritten,
        tf.function(traced),
        lambda: tf.TensorArray(tf.string, 2).unstack(["ab", ""]).read(0),
        lambda: tf.TensorArray(tf.string, 2, element_shape=[]).write(0, "a").stack(),
        lambda: tf.TensorArray(tf.int32, 2).split(tf.constant([1, 2, 3]), [1, 2]).read(1),
    )


def optional_values(tf):
    optional = tf.experimental.Optional

    def taken(value):
        return [value.has_value(), value.get_value()]

    return _all(
        tf,
        lambda: taken(optional.from_value(_composites(tf)[0])),
        lambda: taken(optional.from_value({"a": tf.constant(1)})["a"]),
        lambda: tf.function(taken)(optional.from_value(tf.constant(3))),
        lambda: optional.empty(tf.TensorSpec([], tf.int32)).has_value(),
        lambda: optional.empty(tf.TensorSpec([], tf.int32)).get_value(),
    )


def _static(tf, *attempts):
    """What a function knows of the shape of each result while it is traced, or its error."""

    def shape(attempt):
        known = []
        tf.function(lambda: known.append(str(attempt().shape)), autograph=False)()
        return known[0]

    return _all(tf, *[lambda attempt=attempt: shape(attempt) for attempt in attempts])


def graphs_know_how_many_rows_there_are(tf):
    ragged, _, texts = _composites(tf)
    rows = tf.RaggedTensorSpec([None], tf.int32)
    return _static(
        tf,
        lambda: tf.strings.split(texts),
        lambda: tf.strings.split(texts, " ", maxsplit=1),
        lambda: tf.strings.bytes_split(texts),
        lambda: tf.map_fn(lambda x: x * 2, tf.range(5)),
        lambda: tf.map_fn(lambda x: tf.ones([3]), tf.range(5), fn_output_signature=tf.float32),
        lambda: tf.map_fn(tf.range, tf.constant([1, 2]), fn_output_signature=rows),
        lambda: tf.map_fn(lambda x: x + 1, ragged, fn_output_signature=rows),
        lambda: tf.map_fn(
            lambda x: (x, 2.0), tf.range(2), fn_output_signature=(tf.int32, tf.float32)
        )[1],
        lambda: tf.ragged.cross([ragged, ragged]),
        lambda: tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]), tf.constant([4, 3])),
    )


def graphs_know_the_shape_of_arrays(tf):
    def written(value, **options):
        array = tf.TensorArray(tf.float32, 4, **options)

        def body(i, array):
            return i + 1, array.write(i, value(i))

        return tf.while_loop(lambda i, array: i < 4, body, (0, array))[1]

    return _static(
        tf,
        lambda: written(lambda i: tf.cast(i, tf.float32)).stack(),
        lambda: written(lambda i: tf.ones([2, 3])).stack(),
        lambda: written(lambda i: tf.ones([2]), element_shape=[2]).stack(),
        lambda: written(lambda i: tf.ones([2])).read(1),
        lambda: written(lambda i: tf.ones([2])).concat(),
        lambda: tf.TensorArray(tf.int32, 2).unstack([[1, 2], [3, 4]]).stack(),
        lambda: tf.TensorArray(tf.int32, 0, element_shape=[2]).stack(),
        lambda: tf.TensorArray(tf.int32, 1, dynamic_size=True).write(0, 1).stack(),
        lambda: tf.TensorArray(tf.int32),
    )


def strings_of_unknown_rank_are_a_vector_when_they_are_split(tf):
    def split(x):
        return tf.strings.split(x, ",", maxsplit=1)

    traced = tf.function(split, input_signature=[tf.TensorSpec(None, tf.string)])
    return _all(
        tf,
        lambda: traced(tf.constant(["a,b,c", "", "d"])),
        lambda: traced(tf.constant([], tf.string)),
        lambda: traced(tf.constant("a,b")),
    )


def arrays_in_graphs_keep_their_size(tf):
    def run(attempt):
        return tf.function(attempt, autograph=False)()

    return _all(
        tf,
        lambda: run(lambda: tf.TensorArray(tf.int32, 3).unstack([1, 2, 3, 4]).stack()),
        lambda: run(lambda: tf.TensorArray(tf.int32, 3).scatter([2, 5], [7, 8]).stack()),
        lambda: run(lambda: tf.TensorArray(tf.int32, 2).split(3, [1]).read(0)),
        lambda: run(lambda: tf.TensorArray(tf.int32, 3, True).unstack([1, 2, 3, 4]).stack()),
    )


def faults_that_graphs_see_while_they_are_traced(tf):
    ragged, sparse, texts = _composites(tf)
    sparse3 = tf.sparse.expand_dims(sparse, 0)
    wider = tf.sparse.from_dense([[0, 1, 1]])

    return _static(
        tf,
        lambda: tf.strings.length(texts, unit="X"),
        lambda: tf.strings.to_hash_bucket_fast(texts, 0),
        lambda: tf.strings.unicode_decode(texts, "UTF-8", errors="none"),
        lambda: tf.strings.unicode_encode([65], "LATIN1"),
        lambda: tf.strings.unicode_transcode(texts, "UTF-8", "LATIN1"),
        lambda: tf.strings.substr("ab", [0], [1, 1]),
        lambda: tf.strings.unsorted_segment_join(texts, [0, 1], 2),
        lambda: ragged.to_tensor([1, 2]),
        lambda: ragged[3],
        lambda: tf.convert_to_tensor(ragged),
        lambda: tf.sparse.add(sparse, wider),
        lambda: tf.sparse.concat(0, [sparse, sparse3]),
        lambda: tf.sparse.segment_sum([[1.0], [2.0]], [0, 1], [0]),
        lambda: tf.sets.union([[1]], [[1], [2]]),
    )


def small_things_that_differed(tf):
    _, _, texts = _composites(tf)
    even = tf.ragged.constant([[1, 2], [3, 4]])
    slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]))
    return _all(
        tf,
        lambda: tf.strings.format("{}", [[1, 2]]).numpy(),
        lambda: tf.strings.format("{} {}", ([1, 2], ["a"])).numpy(),
        lambda: tf.vectorized_map(tf.strings.length, texts),
        lambda: tf.gather(even, [[0], [1]], batch_dims=1),
        lambda: tf.gather(even, [0, 1], batch_dims=1),
        lambda: tf.gather(tf.ragged.stack([even, even]), [[0], [1]], batch_dims=1).to_list(),
        lambda: tf.ragged.row_splits_to_segment_ids(tf.constant([], tf.int64)),
        lambda: tf.type_spec_from_value(slices),
    )
