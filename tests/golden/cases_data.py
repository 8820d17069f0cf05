"""Programs about `tf.data`; see `cases.py`."""

import collections

import numpy as np

_Pair = collections.namedtuple("_Pair", "a b")


def _all(dataset):
    return [_readable(element) for element in dataset.as_numpy_iterator()]


def _readable(value):
    """Strings as text, since JSON has no bytes."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {key: _readable(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_readable(item) for item in value]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return _readable(value.tolist())
    return value


def _twice(dataset):
    return [_all(dataset), _all(dataset)]


def _spec(dataset):
    return str(dataset.element_spec)


def _range(tf, *args):
    return tf.data.Dataset.range(*args)


def shuffle_with_a_seed(tf):
    return _all(_range(tf, 30).shuffle(10, seed=42))


def shuffle_with_a_buffer_of_all(tf):
    return _all(_range(tf, 30).shuffle(100, seed=1))


def shuffle_with_a_buffer_of_one(tf):
    return _all(_range(tf, 5).shuffle(1, seed=1))


def shuffle_anew_in_each_iteration(tf):
    dataset = _range(tf, 10).shuffle(10, seed=5)
    return [_twice(dataset), _all(dataset)]


def shuffle_the_same_in_each_iteration(tf):
    return _twice(_range(tf, 10).shuffle(10, seed=5, reshuffle_each_iteration=False))


def shuffle_and_repeat(tf):
    return _all(_range(tf, 10).shuffle(4, seed=5).repeat(3))


def shuffle_and_repeat_the_same(tf):
    return _all(_range(tf, 10).shuffle(4, seed=5, reshuffle_each_iteration=False).repeat(3))


def repeat_and_shuffle(tf):
    return _all(_range(tf, 10).repeat(3).shuffle(4, seed=5))


def shuffle_twice(tf):
    return _all(_range(tf, 20).shuffle(5, seed=1).shuffle(7, seed=2))


def shuffle_with_a_global_seed(tf):
    tf.random.set_seed(123)
    first = _all(_range(tf, 10).shuffle(10))
    second = _all(_range(tf, 10).shuffle(10))
    tf.random.set_seed(None)
    return [first, second]


def shuffle_with_both_seeds(tf):
    tf.random.set_seed(123)
    found = _twice(_range(tf, 10).shuffle(10, seed=0))
    tf.random.set_seed(None)
    return found


def shuffle_with_seed_zero(tf):
    return _all(_range(tf, 10).shuffle(10, seed=0))


def shuffle_of_rows(tf):
    dataset = tf.data.Dataset.from_tensor_slices((np.arange(12.0), np.arange(12) * 10))
    return [
        [a.tolist(), b.tolist()] for a, b in dataset.shuffle(6, seed=3).batch(5).as_numpy_iterator()
    ]


def shuffle_of_rows_batched_over_rounds(tf):
    dataset = tf.data.Dataset.from_tensor_slices(np.arange(7)).shuffle(3, seed=3).repeat(3)
    return _all(dataset.batch(5))


def shuffle_with_a_long_stream(tf):
    return int(sum(i * x for i, x in enumerate(_all(_range(tf, 3000).shuffle(1000, seed=9)))))


def shuffle_with_no_room(tf):
    return _all(_range(tf, 3).shuffle(0))


def shuffle_then_cache(tf):
    return _twice(_range(tf, 8).shuffle(8, seed=4).cache())


def random_numbers(tf):
    return _all(tf.data.Dataset.random(seed=4).take(8))


def random_numbers_are_the_same_again(tf):
    return _twice(tf.data.Dataset.random(seed=4).take(4))


def random_numbers_anew(tf):
    return _twice(tf.data.Dataset.random(seed=4, rerandomize_each_iteration=True).take(4))


def sample_from_datasets(tf):
    sets = [_range(tf, 0, 10), _range(tf, 100, 110), _range(tf, 200, 210)]
    return _all(tf.data.Dataset.sample_from_datasets(sets, [0.5, 0.25, 0.25], seed=7))


def sample_without_weights(tf):
    sets = [_range(tf, 0, 6), _range(tf, 100, 106)]
    return _all(tf.data.Dataset.sample_from_datasets(sets, seed=3))


def sample_until_one_is_empty(tf):
    sets = [_range(tf, 0, 6), _range(tf, 100, 106)]
    return _all(
        tf.data.Dataset.sample_from_datasets(sets, [0.5, 0.5], seed=3, stop_on_empty_dataset=True)
    )


def sample_with_weights_of_a_dataset(tf):
    sets = [_range(tf, 0, 6), _range(tf, 100, 106)]
    weights = tf.data.Dataset.from_tensors([0.9, 0.1]).repeat()
    return _all(tf.data.Dataset.sample_from_datasets(sets, weights, seed=3))


def sample_with_weights_that_do_not_fit(tf):
    return tf.data.Dataset.sample_from_datasets([_range(tf, 2)], [0.5, 0.5])


def choose_from_datasets(tf):
    sets = [_range(tf, 0, 3), _range(tf, 100, 106)]
    choice = tf.data.Dataset.from_tensor_slices(np.array([0, 1, 0, 1, 0, 0, 1, 1, 1]))
    return [
        _all(tf.data.Dataset.choose_from_datasets(sets, choice)),
        _all(tf.data.Dataset.choose_from_datasets(sets, choice, stop_on_empty_dataset=False)),
    ]


def choose_outside(tf):
    choice = tf.data.Dataset.from_tensor_slices(np.array([0, 5]))
    return _all(tf.data.Dataset.choose_from_datasets([_range(tf, 3)], choice))


def interleave_in_turn(tf):
    def three(x):
        return tf.data.Dataset.from_tensors(x).repeat(3)

    return [
        _all(_range(tf, 5).interleave(three, cycle_length=2, block_length=1)),
        _all(_range(tf, 5).interleave(three, cycle_length=3, block_length=2)),
        _all(_range(tf, 5).interleave(three, cycle_length=1, block_length=4)),
    ]


def interleave_of_unequal_lengths(tf):
    def some(x):
        return tf.data.Dataset.range(x).map(lambda y: x * 10 + y)

    sizes = tf.data.Dataset.from_tensor_slices(np.array([3, 1, 0, 4, 2]))
    return [
        _all(sizes.interleave(some, cycle_length=2)),
        _all(sizes.interleave(some, cycle_length=3, block_length=2)),
        _all(sizes.interleave(some, cycle_length=3, num_parallel_calls=2, deterministic=True)),
        _all(sizes.interleave(some, cycle_length=2, block_length=2, num_parallel_calls=2)),
    ]


def batches(tf):
    dataset = _range(tf, 7)
    return [
        _all(dataset.batch(3)),
        _all(dataset.batch(3, drop_remainder=True)),
        _spec(dataset.batch(3)),
        _spec(dataset.batch(3, drop_remainder=True)),
        len(dataset.batch(3)),
        len(dataset.batch(3, drop_remainder=True)),
    ]


def batch_of_size_zero(tf):
    return _all(_range(tf, 3).batch(0))


def batch_of_different_shapes(tf):
    return _all(_range(tf, 3).map(lambda x: tf.range(x)).batch(2))


def batch_of_batches(tf):
    return _all(_range(tf, 8).batch(2).batch(2))


def batch_of_strings(tf):
    return _all(tf.data.Dataset.from_tensor_slices(["a", "bc", "d"]).batch(2))


def padded_batches(tf):
    dataset = _range(tf, 1, 5).map(lambda x: tf.fill([x], x))
    return [
        _all(dataset.padded_batch(2)),
        _all(dataset.padded_batch(2, padded_shapes=[5])),
        _all(dataset.padded_batch(3, padded_shapes=[None], padding_values=np.int64(-1))),
        _all(dataset.padded_batch(3, padded_shapes=[None], drop_remainder=True)),
        _spec(dataset.padded_batch(2)),
        _spec(dataset.padded_batch(2, padded_shapes=[5], drop_remainder=True)),
    ]


def padded_batch_of_a_nest(tf):
    dataset = _range(tf, 1, 4).map(
        lambda x: {"a": tf.fill([x, 2], 1.5), "b": tf.strings.as_string(x)}
    )
    return _all(
        dataset.padded_batch(
            3,
            padded_shapes={"a": [None, None], "b": []},
            padding_values={"a": -1.0, "b": ""},
        )
    )


def padded_batch_of_strings(tf):
    dataset = _range(tf, 1, 4).map(lambda x: tf.strings.as_string(tf.range(x)))
    return _all(dataset.padded_batch(3))


def padded_batch_too_small(tf):
    dataset = _range(tf, 1, 5).map(lambda x: tf.fill([x], x))
    return _all(dataset.padded_batch(2, padded_shapes=[2]))


def padded_batch_of_another_rank(tf):
    return _range(tf, 3).padded_batch(2, padded_shapes=[2])


def padded_batch_with_another_dtype(tf):
    dataset = _range(tf, 1, 5).map(lambda x: tf.fill([x], x))
    return dataset.padded_batch(2, padding_values=1.5)


def padded_batch_of_unknown_rank(tf):
    dataset = tf.data.Dataset.from_generator(lambda: iter([[1], [2]]), tf.int32)
    return dataset.padded_batch(2)


def ragged_batches(tf):
    dataset = _range(tf, 4).map(tf.range)
    found = [x.to_list() for x in dataset.ragged_batch(3)]
    return [
        found,
        _spec(dataset.ragged_batch(3)),
        _spec(dataset.ragged_batch(3, drop_remainder=True)),
    ]


def sparse_batches(tf):
    dataset = _range(tf, 1, 4).map(lambda x: tf.fill([x], x))
    found = []
    for x in dataset.sparse_batch(2, row_shape=[4]):
        found.append([x.indices, x.values, x.dense_shape])
    return [found, _spec(dataset.sparse_batch(2, row_shape=[4]))]


def sparse_elements(tf):
    sparse = tf.sparse.from_dense([[1, 0, 2], [0, 0, 3]])
    dataset = tf.data.Dataset.from_tensor_slices(sparse)
    rows = [tf.sparse.to_dense(x) for x in dataset]
    batches = [tf.sparse.to_dense(x) for x in dataset.batch(2)]
    return [rows, batches, _spec(dataset), _spec(dataset.batch(2))]


def ragged_elements(tf):
    ragged = tf.ragged.constant([[1, 2], [], [3]])
    dataset = tf.data.Dataset.from_tensor_slices(ragged)
    rows = _all(dataset.map(lambda x: tf.reduce_sum(x)))
    batches = [x.to_list() for x in dataset.batch(2)]
    whole = [x.to_list() for x in tf.data.Dataset.from_tensors(ragged)]
    return [rows, batches, whole, _spec(dataset), _spec(dataset.batch(2))]


def unbatches(tf):
    return [
        _all(_range(tf, 6).batch(4).unbatch()),
        _all(tf.data.Dataset.from_tensors(([1, 2], ["a", "b"])).unbatch()),
        _spec(_range(tf, 6).batch(4).unbatch()),
    ]


def unbatch_of_scalars(tf):
    return _range(tf, 3).unbatch()


def rebatches(tf):
    dataset = _range(tf, 9).batch(2)
    return [
        _all(dataset.rebatch(3)),
        _all(dataset.rebatch([2, 1])),
        _all(dataset.rebatch(4, drop_remainder=True)),
        _spec(dataset.rebatch(3)),
    ]


def windows(tf):
    def flat(dataset):
        return [[int(x) for x in window] for window in dataset]

    dataset = _range(tf, 7)
    return [
        flat(dataset.window(3)),
        flat(dataset.window(3, shift=2)),
        flat(dataset.window(3, shift=1, stride=2, drop_remainder=True)),
        flat(dataset.window(2, shift=4)),
        flat(dataset.window(4, shift=3, stride=2)),
        len(dataset.window(3)),
        len(dataset.window(3, drop_remainder=True)),
        _spec(dataset.window(3)),
    ]


def windows_of_pairs(tf):
    dataset = tf.data.Dataset.from_tensor_slices(([1, 2, 3, 4], ["a", "b", "c", "d"])).window(2)
    flat = dataset.flat_map(lambda a, b: tf.data.Dataset.zip((a.batch(2), b.batch(2))))
    return _all(flat)


def windows_batched(tf):
    dataset = _range(tf, 10).window(3, shift=2, drop_remainder=True)
    return _all(dataset.flat_map(lambda w: w.batch(3, drop_remainder=True)))


def window_of_size_zero(tf):
    return list(_range(tf, 7).window(0))


def groups_by_window(tf):
    return _all(
        _range(tf, 10).group_by_window(
            key_func=lambda x: x % 2, reduce_func=lambda key, d: d.batch(3), window_size=3
        )
    )


def groups_by_window_of_own_sizes(tf):
    return _all(
        _range(tf, 12).group_by_window(
            key_func=lambda x: x % 3,
            reduce_func=lambda key, d: d.batch(10),
            window_size_func=lambda key: (key + 1) * 2,
        )
    )


def group_by_window_with_both(tf):
    return _range(tf, 3).group_by_window(lambda x: x, lambda k, d: d, 3, lambda k: k)


def buckets(tf):
    lengths = [3, 7, 2, 9, 4, 8, 1, 6]
    dataset = tf.data.Dataset.from_generator(
        lambda: ([x] * x for x in lengths), output_signature=tf.TensorSpec([None], tf.int32)
    )
    return [
        _all(
            dataset.bucket_by_sequence_length(
                lambda x: tf.shape(x)[0], bucket_boundaries=[3, 6], bucket_batch_sizes=[2, 2, 2]
            )
        ),
        _all(
            dataset.bucket_by_sequence_length(
                lambda x: tf.shape(x)[0],
                bucket_boundaries=[5, 11],
                bucket_batch_sizes=[2, 2, 2],
                pad_to_bucket_boundary=True,
            )
        ),
        _all(
            dataset.bucket_by_sequence_length(
                lambda x: tf.shape(x)[0],
                bucket_boundaries=[5],
                bucket_batch_sizes=[2, 3],
                drop_remainder=True,
            )
        ),
    ]


def buckets_that_do_not_fit(tf):
    return _range(tf, 3).bucket_by_sequence_length(lambda x: x, [3, 6], [2, 2])


def scans(tf):
    return _all(_range(tf, 6).scan(np.int64(10), lambda s, x: (s + x, (s, x))))


def scan_that_changes_its_dtype(tf):
    return _range(tf, 6).scan(0, lambda s, x: (tf.cast(s, tf.float32), x))


def reduces(tf):
    return [
        _range(tf, 6).reduce(np.int64(0), lambda s, x: s + x),
        _range(tf, 6).reduce((0, 1.0), lambda s, x: (s[0] + 1, s[1] * 2)),
        _range(tf, 0).reduce(7, lambda s, x: s + 1),
        tf.data.Dataset.from_tensor_slices([1, 2, 3]).reduce(
            {"a": 0}, lambda s, x: {"a": s["a"] + x}
        ),
    ]


def reduce_with_a_growing_shape(tf):
    return _range(tf, 3).reduce(np.zeros([0], np.int64), lambda s, x: tf.concat([s, [x]], 0))


def reduce_that_changes_its_dtype(tf):
    return _range(tf, 3).reduce(0, lambda s, x: x)


def takes_and_skips(tf):
    dataset = _range(tf, 10)
    return [
        _all(dataset.take(3)),
        _all(dataset.take(0)),
        _all(dataset.take(-1)),
        _all(dataset.take(100)),
        _all(dataset.skip(8)),
        _all(dataset.skip(100)),
        _all(dataset.skip(-1)),
        _all(dataset.take_while(lambda x: x < 4)),
        _all(dataset.shard(3, 1)),
        _all(dataset.filter(lambda x: x % 3 == 0)),
    ]


def shard_that_does_not_exist(tf):
    return _all(_range(tf, 10).shard(3, 3))


def filter_without_truth(tf):
    return _range(tf, 10).filter(lambda x: x)


def filter_with_autograph(tf):
    def keep(x):
        if x > 3:
            return True
        return x == 1

    return _all(_range(tf, 6).filter(keep))


def map_with_autograph(tf):
    def change(x):
        if x % 2 == 0:
            y = x * 10
        else:
            y = -x
        for _ in range(2):
            y += 1
        return y

    return _all(_range(tf, 6).map(change))


def map_of_structures(tf):
    dataset = _range(tf, 3).map(lambda x: _Pair(x, {"k": (x, [x, x + 1])}))
    return [_all(dataset), _spec(dataset)]


def map_of_a_tuple_gets_several_arguments(tf):
    dataset = tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))
    return [_all(dataset.map(lambda a, b: a * b)), _all(dataset.map(lambda *ab: ab[0] + ab[1]))]


def map_of_a_list_is_one_tensor(tf):
    dataset = _range(tf, 2).map(lambda x: [x, x, x])
    return [_all(dataset), _spec(dataset)]


def map_with_nothing(tf):
    dataset = _range(tf, 2).map(lambda x: (x, None))
    return [str(_all(dataset)), _spec(dataset)]


def map_to_constants(tf):
    return _all(_range(tf, 3).map(lambda x: (1, "a", 2.5, True)))


def map_in_parallel(tf):
    dataset = _range(tf, 20)
    return [
        _all(dataset.map(lambda x: x * x, num_parallel_calls=4)),
        _all(dataset.map(lambda x: x * x, num_parallel_calls=tf.data.AUTOTUNE)),
        sorted(_all(dataset.map(lambda x: x * x, num_parallel_calls=4, deterministic=False))),
    ]


def map_of_wrong_parallelism(tf):
    return _range(tf, 3).map(lambda x: x, num_parallel_calls=0)


def map_that_fails(tf):
    return _all(
        _range(tf, 3).map(
            lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x, tf.float32), "bad")
        )
    )


def map_that_divides_by_zero(tf):
    return _all(_range(tf, 3).map(lambda x: 6 // x))


def map_that_raises_in_python(tf):
    def fail(x):
        raise KeyError("no")

    return _all(_range(tf, 3).map(lambda x: tf.numpy_function(fail, [x], tf.int64)))


def map_while_tracing_fails(tf):
    def fail(x):
        raise KeyError("no")

    return _range(tf, 3).map(fail)


def errors_ignored(tf):
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
    return _all(dataset.map(lambda x: tf.debugging.check_numerics(1.0 / x, "bad")).ignore_errors())


def iteration_goes_on_after_an_error(tf):
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
    iterator = iter(dataset.map(lambda x: tf.debugging.check_numerics(1.0 / x, "bad")))
    found = [float(next(iterator))]
    try:
        next(iterator)
    except tf.errors.InvalidArgumentError:
        found.append("error")
    return [*found, float(next(iterator))]


def flat_maps(tf):
    return _all(_range(tf, 4).flat_map(lambda x: tf.data.Dataset.range(x)))


def zips(tf):
    a, b = _range(tf, 3), tf.data.Dataset.from_tensor_slices(["x", "y"])
    return [
        _all(tf.data.Dataset.zip((a, b))),
        _all(tf.data.Dataset.zip(a, b)),
        _all(tf.data.Dataset.zip({"a": a, "b": b})),
        len(tf.data.Dataset.zip(a, b)),
        _spec(tf.data.Dataset.zip(a, b)),
        _all(tf.data.Dataset.zip(datasets=(a, (b, a)))),
    ]


def zip_of_a_list(tf):
    return tf.data.Dataset.zip([_range(tf, 3), _range(tf, 3)])


def zip_of_other_things(tf):
    return tf.data.Dataset.zip((_range(tf, 3), 3))


def concatenates(tf):
    a, b = _range(tf, 2), _range(tf, 5, 7)
    shapes = tf.data.Dataset.from_tensors([1, 2]).concatenate(
        tf.data.Dataset.from_tensors([1, 2, 3])
    )
    return [_all(a.concatenate(b)), len(a.concatenate(b)), _spec(shapes), _all(shapes)]


def concatenate_of_other_types(tf):
    return _range(tf, 2).concatenate(tf.data.Dataset.from_tensors(1.0))


def repeats(tf):
    dataset = _range(tf, 2)
    return [
        _all(dataset.repeat(2)),
        _all(dataset.repeat(0)),
        _all(dataset.repeat().take(5)),
        int(dataset.repeat().cardinality()),
        int(dataset.repeat(3).cardinality()),
        _all(_range(tf, 0).repeat()),
    ]


def enumerates(tf):
    dataset = tf.data.Dataset.from_tensor_slices(["a", "b"])
    return [_all(dataset.enumerate()), _all(dataset.enumerate(start=5)), _spec(dataset.enumerate())]


def uniques(tf):
    return [
        _all(tf.data.Dataset.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique()),
        _all(tf.data.Dataset.from_tensor_slices(["a", "b", "a"]).unique()),
    ]


def ranges(tf):
    range_ = tf.data.Dataset.range
    return [
        _all(range_(3)),
        _all(range_(2, 5)),
        _all(range_(1, 10, 4)),
        _all(range_(5, 0, -2)),
        _all(range_(5, 0)),
        _spec(range_(3, output_type=tf.int32)),
        _all(range_(3, output_type=tf.float32)),
        len(range_(1, 10, 4)),
    ]


def range_without_arguments(tf):
    return tf.data.Dataset.range()


def counters(tf):
    counter = tf.data.Dataset.counter
    return [
        _all(counter().take(3)),
        _all(counter(start=4, step=-1).take(3)),
        _all(counter(dtype=tf.int32).take(2)),
        _all(counter(start=0.5, step=0.5, dtype=tf.float32).take(3)),
        int(counter().cardinality()),
    ]


def slices(tf):
    slices_ = tf.data.Dataset.from_tensor_slices
    return [
        _all(slices_([[1, 2], [3, 4]])),
        _all(slices_({"a": [1, 2], "b": ([3, 4], ["x", "y"])})),
        _spec(slices_({"a": [1, 2], "b": ([3, 4], ["x", "y"])})),
        len(slices_([1, 2, 3])),
        _all(slices_(np.zeros([0, 2]))),
        _spec(slices_(_Pair([1], [2.0]))),
    ]


def slices_of_a_scalar(tf):
    return tf.data.Dataset.from_tensor_slices(3)


def slices_of_unequal_lengths(tf):
    return tf.data.Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))


def slices_of_nothing(tf):
    return tf.data.Dataset.from_tensor_slices(())


def tensors(tf):
    dataset = tf.data.Dataset.from_tensors(([1, 2], {"a": "x"}))
    return [_all(dataset), _spec(dataset), len(dataset)]


def generators(tf):
    def numbers(n=3):
        for i in range(n):
            yield i, [float(i)] * i

    signature = (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32))
    from_generator = tf.data.Dataset.from_generator
    return [
        _all(from_generator(numbers, output_signature=signature)),
        _all(from_generator(numbers, args=[2], output_signature=signature)),
        _all(from_generator(numbers, (tf.int32, tf.float32))),
        _spec(from_generator(numbers, (tf.int32, tf.float32))),
        _spec(from_generator(numbers, (tf.int32, tf.float32), ([], [None]))),
        int(from_generator(numbers, output_signature=signature).cardinality()),
        _twice(from_generator(lambda: iter(["a", "b"]), tf.string)),
        _all(from_generator(lambda: [{"a": 1}, {"a": 2}], {"a": tf.int64})),
    ]


def generator_of_a_list_of_types(tf):
    dataset = tf.data.Dataset.from_generator(lambda: [(1, 2)], [tf.int32, tf.int64])
    return [_spec(dataset), _all(dataset)]


def generator_that_casts(tf):
    return _all(tf.data.Dataset.from_generator(lambda: [1.5, 2, True], tf.int32))


def generator_that_raises(tf):
    def numbers():
        yield 1
        raise ValueError("no more")

    return _all(tf.data.Dataset.from_generator(numbers, tf.int32))


def generator_that_raises_another_error(tf):
    def numbers():
        yield 1
        raise KeyError("no more")

    return _all(tf.data.Dataset.from_generator(numbers, tf.int32))


def generator_of_another_shape(tf):
    spec = tf.TensorSpec([2], tf.int32)
    return _all(tf.data.Dataset.from_generator(lambda: [[1, 2], [1, 2, 3]], output_signature=spec))


def generator_of_another_type(tf):
    spec = tf.TensorSpec([], tf.int32)
    return _all(tf.data.Dataset.from_generator(lambda: ["a"], output_signature=spec))


def generator_of_another_structure(tf):
    spec = (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
    return _all(tf.data.Dataset.from_generator(lambda: [(1, 2), (1, 2, 3)], output_signature=spec))


def generator_that_is_none(tf):
    return tf.data.Dataset.from_generator([1, 2], tf.int32)


def generator_without_types(tf):
    return tf.data.Dataset.from_generator(lambda: [1])


def generator_with_a_signature_of_dtypes(tf):
    return tf.data.Dataset.from_generator(lambda: [1], output_signature=tf.int32)


def generator_of_ragged_and_sparse(tf):
    spec = (tf.RaggedTensorSpec([2, None], tf.int32), tf.SparseTensorSpec([3], tf.int32))

    def make():
        yield tf.ragged.constant([[1, 2], [3]]), tf.sparse.from_dense([0, 5, 0])

    dataset = tf.data.Dataset.from_generator(make, output_signature=spec)
    return [[r.to_list(), tf.sparse.to_dense(s)] for r, s in dataset]


def lengths(tf):
    def length(dataset):
        try:
            return len(dataset)
        except TypeError:
            return "TypeError"

    dataset = _range(tf, 5)
    return [
        length(dataset),
        length(dataset.repeat()),
        length(dataset.filter(lambda x: True)),
        length(dataset.take(3)),
        length(dataset.skip(3)),
        length(dataset.map(lambda x: x)),
        length(dataset.shuffle(2)),
        length(dataset.repeat().take(4)),
        length(dataset.flat_map(lambda x: _range(tf, 2))),
        length(dataset.batch(2).unbatch()),
        length(dataset.batch(2, drop_remainder=True).unbatch()),
        length(dataset.prefetch(1).cache()),
        length(dataset.shard(2, 0)),
        length(dataset.window(2)),
        length(dataset.interleave(lambda x: _range(tf, 2), cycle_length=2)),
        length(dataset.apply(tf.data.experimental.assert_cardinality(5))),
        length(dataset.unique()),
        length(dataset.scan(0, lambda s, x: (s, x))),
        length(dataset.padded_batch(2, [])),
        length(dataset.ignore_errors()),
        length(dataset.rebatch(2)) if False else None,
        length(dataset.snapshot("/nowhere")) if False else None,
        length(dataset.filter(lambda x: True).repeat()),
        length(dataset.filter(lambda x: True).take(3)),
    ]


def cardinality_that_is_wrong(tf):
    return _all(_range(tf, 5).apply(tf.data.experimental.assert_cardinality(4)))


def single_elements(tf):
    return [
        tf.data.Dataset.from_tensors((1, 2.0)).get_single_element(),
        tf.data.experimental.get_single_element(tf.data.Dataset.range(1)),
    ]


def single_element_of_none(tf):
    return _range(tf, 0).get_single_element()


def single_element_of_two(tf):
    return _range(tf, 2).get_single_element()


def representations(tf):
    dataset = _range(tf, 3)
    return [
        repr(dataset),
        repr(dataset.map(lambda x: x)),
        repr(dataset.batch(2)),
        repr(dataset.shuffle(2)),
        repr(dataset.prefetch(2)),
        repr(dataset.cache()),
        repr(tf.data.Dataset.from_tensor_slices([1])),
        repr(tf.data.Dataset.from_tensors([1])),
        repr(tf.data.Dataset.zip(dataset, dataset)),
        str(tf.data.DatasetSpec.from_value(dataset)),
    ]


def iterators(tf):
    iterator = iter(_range(tf, 2))
    found = [next(iterator), iterator.get_next(), str(iterator.element_spec)]
    optional = iterator.get_next_as_optional()
    return [*found, optional.has_value(), str(optional.element_spec)]


def iterator_past_its_end(tf):
    iterator = iter(_range(tf, 1))
    iterator.get_next()
    iterator.get_next()


def optionals(tf):
    some = tf.experimental.Optional.from_value((1, 2.0))
    none = tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32))
    return [some.has_value(), some.get_value(), none.has_value(), str(some.element_spec)]


def optional_without_a_value(tf):
    return tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32)).get_value()


def loop_in_a_function(tf):
    @tf.function
    def total(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += x
        return found

    return [total(_range(tf, 5)), total(_range(tf, 10).filter(lambda x: x > 5))]


def loop_with_break_in_a_function(tf):
    @tf.function
    def first_above(iterator, limit):
        found = tf.constant(-1, tf.int64)
        for x in iterator:
            if x > limit:
                found = x
                break
        return found

    iterator = iter(_range(tf, 10))
    return [first_above(iterator, 3), first_above(iterator, 0), next(iterator)]


def loop_over_pairs_in_a_function(tf):
    @tf.function
    def total():
        found = 0.0
        for i, (a, b) in tf.data.Dataset.from_tensor_slices(([1.0, 2.0], [3.0, 4.0])).enumerate():
            found += a * b * tf.cast(i, tf.float32)
        return found

    return total()


def enumerate_in_a_function(tf):
    @tf.function
    def total(dataset):
        found = tf.constant(0, tf.int64)
        for i, x in enumerate(dataset):
            found += tf.cast(i, tf.int64) * x
        return found

    return total(_range(tf, 5))


def next_in_a_function(tf):
    @tf.function
    def two(iterator):
        return next(iterator), iterator.get_next()

    iterator = iter(_range(tf, 6))
    return [two(iterator), two(iterator), next(iterator)]


def next_past_the_end_in_a_function(tf):
    @tf.function
    def one(iterator):
        return next(iterator)

    iterator = iter(_range(tf, 1))
    one(iterator)
    one(iterator)


def dataset_made_in_a_function(tf):
    @tf.function
    def squares(n):
        dataset = tf.data.Dataset.range(tf.cast(n, tf.int64)).map(lambda x: x * x)
        return dataset.reduce(tf.constant(0, tf.int64), lambda s, x: s + x)

    return [squares(4), squares(5)]


def dataset_of_a_captured_tensor(tf):
    @tf.function
    def total(x):
        dataset = tf.data.Dataset.from_tensor_slices(x).batch(2)
        found = 0.0
        for row in dataset:
            found += tf.reduce_max(row)
        return found

    return total(tf.constant([1.0, 5.0, 2.0]))


def optional_in_a_function(tf):
    @tf.function
    def one(iterator):
        optional = iterator.get_next_as_optional()
        if optional.has_value():
            return optional.get_value()
        return tf.constant(-1, tf.int64)

    iterator = iter(_range(tf, 1))
    return [one(iterator), one(iterator)]


def variable_in_a_map(tf):
    counter = tf.Variable(0)
    dataset = _range(tf, 3).map(lambda x: counter.assign_add(1))
    return [_all(dataset), counter.numpy()]


def options_are_merged(tf):
    first, second = tf.data.Options(), tf.data.Options()
    first.deterministic = True
    first.threading.private_threadpool_size = 3
    second.deterministic = False
    dataset = _range(tf, 3).with_options(first).with_options(second)
    options = dataset.map(lambda x: x).options()
    return [options.deterministic, options.threading.private_threadpool_size]


def option_of_a_wrong_type(tf):
    tf.data.Options().deterministic = "yes"


def option_that_does_not_exist(tf):
    tf.data.Options().fast = True


def resampled(tf):
    dataset = tf.data.Dataset.from_tensor_slices(np.array([0] * 300 + [1] * 100, np.int32)).shuffle(
        400, seed=1
    )
    made = dataset.rejection_resample(
        lambda x: x, target_dist=[0.5, 0.5], initial_dist=[0.75, 0.25], seed=1
    )
    classes = [int(c) for c, _ in made.as_numpy_iterator()]
    return [_spec(made), 0.35 < sum(classes) / len(classes) < 0.65]


def listed_elements(tf):
    dataset = tf.data.experimental.from_list([(1, "a"), (2, "b")])
    return [_all(dataset), len(dataset)]


def element_at(tf):
    return [
        tf.data.experimental.at(_range(tf, 10), 3),
        tf.data.experimental.at(
            tf.data.Dataset.from_tensor_slices([5, 6, 7]).map(lambda x: x + 1), 2
        ),
    ]


def element_at_of_every_step(tf):
    def at(dataset, place):
        try:
            found = tf.data.experimental.at(dataset, place)
        except (tf.errors.OpError, TypeError, ValueError) as error:
            return type(error).__name__
        return tf.nest.map_structure(lambda part: str(part.numpy()), found)

    ten = _range(tf, 10)
    steps = [
        ten.repeat(),
        ten.repeat(2),
        ten.batch(3),
        ten.batch(3, drop_remainder=True),
        ten.take(4),
        ten.skip(4),
        ten.shard(3, 1),
        ten.shuffle(5, seed=3),
        ten.shuffle(5, seed=3, reshuffle_each_iteration=False),
        ten.map(lambda x: (x, -x)).shuffle(2, seed=3).batch(4),
        ten.cache().prefetch(2).with_options(tf.data.Options()),
        ten.concatenate(_range(tf, 3)),
        tf.data.Dataset.zip((ten, _range(tf, 3))),
        tf.data.Dataset.zip((ten, ten.repeat())),
        ten.filter(lambda x: x > 3),
        ten.scan(np.int64(0), lambda state, x: (state, x)),
        tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]}),
        tf.data.experimental.from_list([1, 2, 3]),
    ]
    places = [0, 1, 3, 12, -1]
    other = [tf.constant(2), tf.constant(2, tf.int64), "a", 2.5, None]
    return [[[at(step, place) for place in places] for step in steps], [at(ten, i) for i in other]]


def options_of_a_dataset_stay_as_they_are(tf):
    def changed(group, key, value):
        try:
            setattr(group, key, value)
        except ValueError:
            return "ValueError"
        return "changed"

    given = tf.data.Options()
    given.threading.private_threadpool_size = 2
    found = _range(tf, 3).with_options(given).options()
    return [
        changed(found, "deterministic", True),
        changed(found.threading, "private_threadpool_size", 1),
        changed(found.autotune, "enabled", True),
        changed(given, "deterministic", True),
    ]


def padded_shape_of_lists(tf):
    rows = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
    return rows.padded_batch(2, padded_shapes=[[3], [2]])


def unbatched_of_different_sizes(tf):
    return tf.data.Dataset.from_tensor_slices(([[1, 2]], [[3]])).unbatch()


def element_at_no_place(tf):
    return tf.data.experimental.at(_range(tf, 10), 10)


def grouped_by_reducer(tf):
    reducer = tf.data.experimental.Reducer(
        init_func=lambda key: (tf.constant(0, tf.int64), tf.constant(0, tf.int64)),
        reduce_func=lambda s, x: (s[0] + x, s[1] + 1),
        finalize_func=lambda s, n: s * 100 + n,
    )
    made = _range(tf, 10).apply(tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer))
    return sorted(int(x) for x in made)


def padded_to_cardinality(tf):
    dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2]})
    return _all(dataset.apply(tf.data.experimental.pad_to_cardinality(4)))


def old_names(tf):
    old = tf.data.experimental
    dataset = _range(tf, 6)
    return [
        _all(dataset.apply(old.enumerate_dataset(2))),
        _all(dataset.apply(old.map_and_batch(lambda x: x + 1, 4))),
        _all(dataset.apply(old.shuffle_and_repeat(3, count=2, seed=1))),
        _all(dataset.apply(old.take_while(lambda x: x < 2))),
        _all(dataset.batch(2).apply(old.unbatch())),
        _all(dataset.apply(old.unique())),
        _all(dataset.apply(old.scan(np.int64(0), lambda s, x: (s + x, s)))),
        int(old.cardinality(dataset)),
        str(old.get_structure(dataset)),
        _all(old.Counter(1, 2).take(2)),
        _all(dataset.apply(old.parallel_interleave(lambda x: _range(tf, x), cycle_length=2))),
        [x.to_list() for x in dataset.map(tf.range).apply(old.dense_to_ragged_batch(3))],
    ]


def resampling_without_a_known_distribution(tf):
    dataset = tf.data.Dataset.range(50).rejection_resample(
        lambda x: tf.cast(x % 2, tf.int32), [0.1, 0.9], seed=4
    )
    return [(int(label), int(x)) for label, x in dataset]


def composite_elements_as_numpy(tf):
    sparse = tf.sparse.from_dense([[1, 0], [0, 2]])
    ragged = tf.ragged.constant([[1], [2, 3]])
    found = list(tf.data.Dataset.from_tensors((sparse, {"r": ragged})).as_numpy_iterator())
    return [found[0][0].tolist(), [row.tolist() for row in found[0][1]["r"]]]


def interleaving_in_cycles_of_none(tf):
    return tf.data.Dataset.range(3).interleave(lambda x: tf.data.Dataset.range(x), cycle_length=0)


def unique_truths(tf):
    return tf.data.Dataset.from_tensor_slices([True, False]).unique()


def mapping_to_an_operation(tf):
    return tf.data.Dataset.range(3).map(lambda x: tf.debugging.assert_less(x, np.int64(2)))


def generated_fractions_for_integers(tf):
    def cut(**options):
        dataset = tf.data.Dataset.from_generator(lambda: iter([1.7]), **options)
        return [int(x) for x in dataset]

    return [cut(output_signature=tf.TensorSpec([], tf.int32)), cut(output_types=tf.int32)]


def readers_by_name(tf):
    paths = ["a"]
    datasets = [
        tf.data.TFRecordDataset(paths),
        tf.data.TextLineDataset(paths),
        tf.data.FixedLengthRecordDataset(paths, 2),
        tf.data.Dataset.counter(),
        tf.data.Dataset.range(3).enumerate(),
    ]
    return [repr(dataset) for dataset in datasets]


def _class_or_all(make):
    try:
        return _all(make())
    except Exception as error:
        return type(error).__name__


def counts_that_are_tensors(tf):
    """Those of int64 are taken, others are refused."""

    def counted(count, first):
        made = {
            "batch": lambda d: d.batch(count),
            "take": lambda d: d.take(count),
            "skip": lambda d: d.skip(count),
            "repeat": lambda d: d.repeat(count),
            "shuffle": lambda d: d.shuffle(count, seed=1),
            "seed": lambda d: d.shuffle(5, seed=count),
            "shard": lambda d: d.shard(count, first),
            "rebatch": lambda d: d.batch(2).rebatch(count),
            "enumerate": lambda d: d.enumerate(count).map(lambda i, x: i + x),
            "calls": lambda d: d.map(lambda x: x, num_parallel_calls=count),
            "range": lambda d: _range(tf, count),
        }
        return {name: _class_or_all(lambda m=m: m(_range(tf, 6))) for name, m in made.items()}

    return [
        counted(tf.constant(3, tf.int64), tf.constant(1, tf.int64)),
        counted(tf.constant(3), tf.constant(1)),
        _class_or_all(lambda: _range(tf, 6).take(np.float32(3))),
        _class_or_all(lambda: _range(tf, 6).take(tf.constant([3], tf.int64))),
    ]


def batches_of_sparse_tensors_of_several_shapes(tf):
    def batched(*tables):
        made = tf.data.Dataset.from_tensors(tf.sparse.from_dense(tables[0]))
        for table in tables[1:]:
            made = made.concatenate(tf.data.Dataset.from_tensors(tf.sparse.from_dense(table)))
        return [[p.numpy() for p in (b.indices, b.values, b.dense_shape)] for b in made.batch(2)]

    def ranked(x):
        return tf.SparseTensor(tf.zeros([1, x + 1], tf.int64), [1], tf.ones([x + 1], tf.int64))

    return [
        batched([[0, 1], [2, 0]], [[3, 1, 5]], [[0, 0]]),
        _class_or_all(lambda: _range(tf, 2).map(ranked).batch(2)),
    ]


def sampling_with_an_impossible_dataset(tf):
    parts = _range(tf, 30), _range(tf, 100, 130), _range(tf, 200, 230)
    sampled = tf.data.Dataset.sample_from_datasets(parts, [0.2, 0.0, 0.5], seed=3)
    return _all(sampled.take(45))


def slices_of_deep_ragged_tensors(tf):
    deep = tf.ragged.constant([[[1], [2, 3]], [], [[4, 5, 6], []]])
    even = tf.RaggedTensor.from_uniform_row_length(deep.values[:2], 1)
    made = [tf.data.Dataset.from_tensor_slices(rows) for rows in (deep, even)]
    return [[[row.to_list() for row in d], _spec(d), _spec(d.batch(2))] for d in made]


def _drawn(tf, *ignored):
    return tf.random.uniform((), seed=5)


def _with_global_seed(tf, make):
    tf.random.set_seed(7)
    try:
        return make(_range(tf, 3).map(lambda i: _drawn(tf)))
    finally:
        tf.random.set_seed(None)


def random_numbers_in_a_function_begin_anew_with_each_iterator(tf):
    return _with_global_seed(tf, lambda dataset: [_twice(dataset), _all(dataset.take(2))])


def random_numbers_in_a_function_go_on_in_a_repetition(tf):
    return _with_global_seed(tf, lambda dataset: _twice(dataset.repeat(2)))


def random_numbers_in_a_function_of_two_iterators_at_once(tf):
    def taken(dataset):
        a, b = iter(dataset), iter(dataset)
        return [next(which).numpy() for which in (a, b, a, b)]

    return _with_global_seed(tf, taken)


def random_numbers_in_a_function_of_a_dataset_that_is_used_twice(tf):
    def joined(dataset):
        zipped = tf.data.Dataset.zip((dataset, dataset))
        return [_all(zipped), _all(dataset.concatenate(dataset)), _all(zipped.repeat(2))]

    return _with_global_seed(tf, joined)


def random_numbers_in_datasets_that_a_function_makes(tf):
    def inner(dataset):
        made = _range(tf, 2).flat_map(lambda i: _range(tf, 2).map(lambda j: _drawn(tf)))
        return [_twice(made), _twice(_range(tf, 2).flat_map(lambda i: dataset))]

    return _with_global_seed(tf, inner)


def random_numbers_in_branches_and_loops_of_a_function(tf):
    def inner(dataset):
        branch = dataset.map(lambda x: tf.cond(x > 0.5, lambda: x + _drawn(tf), lambda: x))
        loop = dataset.map(lambda x: tf.map_fn(lambda k: k + _drawn(tf), tf.zeros([2])))
        return [_twice(branch), _twice(loop)]

    return _with_global_seed(tf, inner)


def random_numbers_in_a_function_iterated_in_a_graph(tf):
    def loops(dataset):
        @tf.function
        def total():
            found = tf.constant(0.0)
            for x in dataset:
                found = 2 * found + x
            return found

        return [total(), total()]

    return _with_global_seed(tf, loops)


def arrays_in_a_list_keep_their_dtype(tf):
    numbers = np.array([1, 2], np.int64)
    small = np.array([1, 2], np.uint8)
    lists = [[numbers] * 2, [[numbers]], [small], [np.int64(3)], [numbers, [1, 2]]]
    return [str(tf.data.Dataset.from_tensors({"a": each}).element_spec) for each in lists]


def how_datasets_that_are_elements_print(tf):
    rows = tf.data.Dataset.range(4)
    nested = next(iter(tf.data.Dataset.from_tensors(rows)))
    windows = list(tf.data.Dataset.from_tensor_slices({"a": [1, 2]}).window(2))
    variant = tf.data.experimental.to_variant(rows)
    again = tf.data.experimental.from_variant(variant, rows.element_spec)
    return [repr(w) for w in rows.window(2)] + [repr(nested), repr(windows), repr(again)]


def branches_that_return_different_datasets(tf):
    D = tf.data.Dataset

    def chosen(x):
        if x > 1:
            found = D.from_tensors([1, 2])
        else:
            found = D.from_tensors([x, x, x]).map(lambda y: tf.cast(y, tf.int32))
        return found

    def early(x):
        if x > 1:
            return D.from_tensors([x, 2])
        return D.from_tensors([3, x]).repeat(2)

    made = {
        f"{how} {fn.__name__}": make(fn)
        for fn in (chosen, early)
        for how, make in {
            "flat_map": D.range(4).flat_map,
            "interleave": lambda fn: D.range(4).interleave(fn, cycle_length=2),
            "parallel": lambda fn: D.range(4).interleave(fn, 2, num_parallel_calls=2),
        }.items()
    }
    return {name: [_spec(each), _all(each)] for name, each in made.items()}


def _numbered(tf):
    D = tf.data.Dataset
    return {
        "repeat": lambda d, n: d.repeat(n),
        "take": lambda d, n: d.take(n),
        "skip": lambda d, n: d.skip(n),
        "batch": lambda d, n: d.batch(n),
        "padded_batch": lambda d, n: d.padded_batch(n),
        "ragged_batch": lambda d, n: d.ragged_batch(n),
        "rebatch": lambda d, n: d.batch(3).rebatch(n),
        "shard": lambda d, n: d.shard(n, 1),
        "index": lambda d, n: d.shard(3, n),
        "range": lambda d, n: D.range(n),
        "step": lambda d, n: D.range(0, 5, n),
        "window": lambda d, n: d.window(n).flat_map(lambda w: w.batch(n)),
        "shuffle": lambda d, n: d.shuffle(n, seed=1),
        "interleave": lambda d, n: d.interleave(lambda x: D.from_tensors(x).repeat(2), n),
        "enumerate": lambda d, n: d.enumerate(n),
        "map": lambda d, n: d.map(lambda x: x * n, num_parallel_calls=n),
    }


def variables_as_numbers(tf):
    number, inner = tf.Variable(2, dtype=tf.int64), tf.data.Dataset.range(6)
    return {
        name: _all(tf.data.Dataset.range(2).flat_map(lambda x, make=make: make(inner, number)))
        for name, make in _numbered(tf).items()
    }


def variables_of_another_dtype_are_refused(tf):
    number, found = tf.Variable(2, dtype=tf.int32), {}
    for name, make in _numbered(tf).items():
        if name in ("map", "rebatch"):
            continue
        try:
            make(tf.data.Dataset.range(6), number)
            found[name] = "taken"
        except (TypeError, ValueError) as error:
            found[name] = type(error).__name__
    return found


def ragged_batches_of_several_ragged_dimensions(tf):
    def batches(shape, **options):
        sizes = tf.data.Dataset.range(4).map(lambda x: tf.ones(shape(x), tf.int32))
        made = sizes.ragged_batch(2, **options)
        return [_spec(made), [batch.to_list() for batch in made]]

    pairs = tf.data.Dataset.range(3).map(lambda x: {"a": tf.ones([x, x]), "b": (x, tf.range(x))})
    return {
        "two": batches(lambda x: [x, x + 1]),
        "three": batches(lambda x: [2, x, x + 1]),
        "and a whole one": batches(lambda x: [x, x + 1, 2]),
        "none": batches(lambda x: [0, x]),
        "dropped": batches(lambda x: [x, 1 + x % 2], drop_remainder=True),
        "nest": [
            _spec(pairs.ragged_batch(2)),
            [[b["a"].to_list(), b["b"][0], b["b"][1].to_list()] for b in pairs.ragged_batch(2)],
        ],
    }


def rows_of_what_holds_none(tf):
    D = tf.data.Dataset
    made = {
        "last": D.from_tensors(([1, 2, 3], None)).unbatch(),
        "first": D.from_tensors((None, [1, 2, 3])).unbatch(),
        "nest": D.from_tensors({"a": [1, 2], "b": (None, [3, 4])}).unbatch(),
        "batches": D.from_tensors(([1, 2, 3], None)).repeat(2).batch(2).unbatch(),
        "slices": D.from_tensor_slices(([1, 2, 3], None)),
        "ragged": D.from_tensors(([1, 2], None, tf.ragged.constant([[1], [2, 3]]))).unbatch(),
        "other sizes": D.from_tensors(([1, 2, 3], None)).rebatch(2),
    }
    return {name: [_spec(each), [_readable(e) for e in each]] for name, each in made.items()}


def datasets_as_elements(tf):
    D = tf.data.Dataset
    one = D.from_tensors(D.range(3))

    def listed(dataset):
        return [_all(each) for each in dataset]

    def refused(make):
        try:
            return listed(make())
        except ValueError as error:
            return type(error).__name__

    return {
        "batch": _spec(one.repeat(2).batch(2)),
        "batches of windows": listed(D.range(6).window(2).batch(2).unbatch()),
        "unbatched": listed(one.repeat(2).batch(2).unbatch()),
        "slices": listed(D.from_tensor_slices([D.range(3), D.range(2)])),
        "a dataset has no rows": [
            refused(lambda: D.from_tensor_slices(D.range(3))),
            refused(one.unbatch),
        ],
        "map": listed(D.range(3).map(lambda x: D.range(x))),
        "filter": listed(one.concatenate(one).filter(lambda d: d.cardinality() == 3)),
    }


def _at(tf, dataset, *places):
    found = []
    for place in places:
        try:
            element = tf.data.experimental.at(dataset, place)
            found.append(element.to_list() if hasattr(element, "to_list") else element)
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
    return found


def elements_by_number(tf):
    D, E = tf.data.Dataset, tf.data.experimental
    if not hasattr(E, "at"):
        from tensorflow.python.data.experimental.ops import random_access

        E.at = random_access.at
    rows = D.from_tensor_slices([[1, 2], [3, 4], [5, 6]])
    made = {
        "unbatch": rows.unbatch(),
        "unbatch and map": rows.unbatch().map(lambda x: x * 2),
        "unbatch of whole batches": D.range(7).batch(2, drop_remainder=True).unbatch(),
        "unbatch of batches": D.range(6).batch(2).unbatch(),
        "scan": D.range(6).scan(np.int64(0), lambda s, x: (s + x, s + x)),
        "cache": D.range(6).map(lambda x: x * 2).cache(),
        "fewer than said": D.range(6).apply(E.assert_cardinality(10)),
        "ragged": D.from_tensor_slices(tf.ragged.constant([[[1, 2], [3]], [[4]]])),
    }
    return {name: _at(tf, each, 0, 1, 3, 5, 6, 100, -1) for name, each in made.items()}


def pad_to_cardinality_of_nests(tf):
    def padded(*args, **options):
        element = {"a": {"x": [1, 2]}, "b": ([3.0, 4.0], ["p", "q"]), "valid": [5, 6]}
        dataset = tf.data.Dataset.from_tensor_slices(element)
        made = dataset.apply(tf.data.experimental.pad_to_cardinality(*args, **options))
        return [_spec(made), _all(made)]

    return [padded(3), padded(3, mask_key="here")]


def options_of_a_list_are_joined(tf):
    def named(*names):
        options = tf.data.Options()
        options.framework_type = list(names)
        return tf.data.Dataset.range(2).with_options(options)

    one, other = named("a", "b"), named("b", "c")
    options = tf.data.Options()
    options.framework_type = ["d"]
    return [
        list(made.options().framework_type)
        for made in (one.with_options(options), tf.data.Dataset.zip((one, other)))
    ]


def a_dataset_can_be_described(tf):
    D = tf.data.Dataset
    return [
        D.range(3).map(lambda x: x).batch(2).__debug_string__(),
        D.zip((D.range(3), D.range(2).shuffle(2))).__debug_string__(),
        D.from_tensors(1).concatenate(D.range(2).map(lambda x: 1)).cache().__debug_string__(),
        D.range(2).with_options(tf.data.Options()).skip(1).window(2).__debug_string__(),
        tf.data.TFRecordDataset("a").prefetch(2).__debug_string__(),
    ]
