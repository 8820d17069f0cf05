"""Programs about `tf.data` in which elements fail on the way; see `cases.py`.

Each answer is all that an iterator gives: elements, classes of errors, and two ends.
"""

import numpy as np


def _given(dataset):
    iterator, given = iter(dataset), []
    while given.count("end") < 2:
        try:
            given.append(_plain(next(iterator)))
        except StopIteration:
            given.append("end")
        except Exception as error:
            given.append(type(error).__name__)
        assert len(given) < 100, given
    return given


def _plain(element):
    if isinstance(element, dict):
        return {key: _plain(value) for key, value in element.items()}
    if isinstance(element, tuple):
        return [_plain(value) for value in element]
    if hasattr(element, "element_spec"):
        return {"window": _given(element)}
    if hasattr(element, "dense_shape"):
        return [value.numpy().tolist() for value in (element.values, element.dense_shape)]
    return element.to_list() if hasattr(element, "to_list") else element.numpy().tolist()


def _bad(tf, count=8, *places):
    """Numbers, of which those at some places fail."""
    places = places or (3,)

    def check(x):
        product = tf.reduce_prod([x - place for place in places])
        return x + 0 * (1 // product)

    return tf.data.Dataset.range(count).map(check)


def _good(tf, count=8, start=100):
    return tf.data.Dataset.range(start, start + count)


def zip_stays_in_step(tf):
    bad, good, zipped = _bad(tf), _good(tf), tf.data.Dataset.zip
    return {
        "bad first": _given(zipped((bad, good))),
        "bad last": _given(zipped((good, bad))),
        "ignored": _given(zipped((bad, good)).ignore_errors()),
        "batches": _given(zipped((bad.batch(2), good.batch(2))).ignore_errors()),
        "batched": _given(zipped((bad, good)).batch(2).ignore_errors()),
        "nest": _given(zipped({"a": bad, "b": (good, bad)})),
        "two bad": _given(zipped((_bad(tf, 8, 2), _bad(tf, 8, 2, 5), good))),
        "end with an error": _given(zipped((bad, _good(tf, 4)))),
        "end before an error": _given(zipped((_good(tf, 3), bad))),
        "end after an error": _given(zipped((bad, _good(tf, 3), bad))),
        "random": _given(zipped((bad, tf.data.Dataset.random(seed=1)))),
        "enumerate": _given(bad.enumerate()),
        "enumerated blocks": _given(bad.enumerate().batch(2).map(lambda i, x: (i, x + 1))),
    }


def zip_of_what_was_made_of_bad_elements(tf):
    bad, good = _bad(tf), _good(tf, 20)
    made = {
        "filter": bad.filter(lambda x: x % 2 == 0),
        "scan": bad.scan(np.int64(0), lambda s, x: (s + x, s + x)),
        "unbatch": bad.map(lambda x: tf.fill([2], x)).unbatch(),
        "prefetch": bad.prefetch(2),
        "flat_map": _good(tf, 3).flat_map(lambda _: bad),
        "interleave": _good(tf, 3).interleave(lambda _: bad, cycle_length=2),
        "concatenate": bad.concatenate(bad),
        "rebatch": bad.batch(2).rebatch(3),
        "padded": _good(tf, 6, 0).map(tf.range).padded_batch(2, [2]),
        "shapes": _good(tf, 6, 0).map(lambda x: tf.range(tf.where(x == 3, x, 2))).batch(2),
    }
    return {name: _given(tf.data.Dataset.zip((each, good))) for name, each in made.items()}


def other_stages_with_several_sources(tf):
    bad, good, D = _bad(tf), _good(tf), tf.data.Dataset
    turns = D.range(2).repeat(10)
    return {
        "concatenate": _given(bad.concatenate(good)),
        "choose": _given(D.choose_from_datasets([bad, good], turns)),
        "choose all": _given(
            D.choose_from_datasets([bad, _good(tf, 3)], turns, stop_on_empty_dataset=False)
        ),
        "bad choice": _given(D.choose_from_datasets([good, good], bad.map(lambda x: x % 2))),
        "sample": _given(D.sample_from_datasets([bad, good], seed=3)),
        "flat_map": _given(bad.flat_map(lambda x: D.from_tensors(x).repeat(2))),
        "interleave": _given(bad.interleave(lambda x: D.from_tensors(x).repeat(2), cycle_length=2)),
        "bad function": _given(D.range(6).interleave(lambda x: D.range(6 // (x - 2)))),
    }


def errors_take_a_place_in_a_parallel_interleave(tf):
    D = tf.data.Dataset

    def interleave(source, function, cycle=2, block=1):
        return _given(source.interleave(function, cycle, block, num_parallel_calls=cycle))

    def thrice(x):
        return D.from_tensors(x).repeat(3)

    def bad_number(x):
        return D.range(3 + 0 * (6 // (x - 2)))

    return {
        "source": interleave(_bad(tf), thrice),
        "blocks": interleave(_bad(tf, 9, 0, 4, 5, 8), thrice, 3, 2),
        "all": interleave(_bad(tf, 3, 0, 1, 2), thrice, 3, 2),
        "one at a time": interleave(_bad(tf, 5, 2), thrice, 1, 2),
        "function": interleave(D.range(6), bad_number),
        "function, blocks": interleave(D.range(6), bad_number, 3, 2),
        "inside": interleave(D.range(3), lambda _: _bad(tf, 5, 1, 2), 2, 2),
    }


def windows_with_bad_elements(tf):
    def window(source, *args, **kwargs):
        return _given(source.window(*args, **kwargs))

    return {
        "side by side": window(_bad(tf), 3),
        "overlapping": window(_bad(tf), 3, shift=1),
        "whole": window(_bad(tf), 3, shift=2, drop_remainder=True),
        "error in a gap": window(_bad(tf, 12, 2, 5), 2, shift=3),
        "error beside a gap": window(_bad(tf), 2, shift=3),
        "error between strides": window(_bad(tf, 12), 3, shift=2, stride=2),
        "at the end": window(_bad(tf, 5, 3, 4), 3),
        "dropped at the end": window(_bad(tf, 5, 4), 2, drop_remainder=True),
    }


def batches_with_bad_elements(tf):
    bad = _bad(tf, 20, 7)
    mapped = bad.map(lambda x: x + 1)
    return {
        "batch": _given(bad.batch(3)),
        "after another stage": _given(bad.prefetch(1).batch(3)),
        "in parallel": _given(bad.batch(3, num_parallel_calls=2)),
        "mapped": _given(bad.batch(3).map(lambda x: x + 1)),
        "mapped and ignored": _given(bad.batch(3).map(lambda x: x + 1).ignore_errors()),
        "mapped twice": _given(mapped.batch(3, drop_remainder=True).map(lambda x: x + 1)),
        "both": _given(bad.batch(3).map(lambda x: 12 // (x - 10))),
        "repeated": _given(_bad(tf, 5).repeat(3).batch(4).map(lambda x: x + 1)),
        "taken": _given(bad.take(12).batch(2).map(lambda x: x + 1)),
        "padded": _given(_good(tf, 6, 0).map(tf.range).padded_batch(2, [3])),
        "sparse": _given(_good(tf, 6, 0).map(tf.range).sparse_batch(2, [3])),
        "sparse of another rank": _given(_good(tf, 3).sparse_batch(2, [3])),
        "ragged": _given(_bad(tf).ragged_batch(3)),
        "unbatched": _given(bad.batch(3).unbatch()),
    }


def parts_of_bad_elements(tf):
    return {
        "skip": _given(_bad(tf).skip(5)),
        "skip again": _given(_bad(tf, 12, 1, 3).skip(4)),
        "skip and batch": _given(_bad(tf, 12, 2).skip(4).batch(2)),
        "shard": [_given(_bad(tf, 12, 5).shard(3, index)) for index in range(3)],
        "shard of blocks": _given(_bad(tf, 20).shard(2, 1).batch(5).map(lambda x: x + 1)),
        "take": _given(_bad(tf).take(5)),
        "repeat": _given(_bad(tf, 2, 0, 1).repeat(2)),
        "shuffle": _given(_bad(tf).shuffle(3, seed=5)),
        "cache": _given(_bad(tf).cache()),
    }


def batches_with_other_stages_before(tf):
    D = tf.data.Dataset
    pairs = D.zip((_bad(tf), D.range(20)))
    texts = D.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [], [4]]))
    return {
        "pairs": _given(pairs.ragged_batch(2)),
        "repeated": _given(_bad(tf).repeat(2).ragged_batch(2)),
        "one more map": _given(_bad(tf).map(tf.range).ragged_batch(2)),
        "sparse of ragged": _given(texts.sparse_batch(2, [5])),
        "sparse of sparse": _given(D.range(6).sparse_batch(1, []).sparse_batch(3, [5])),
    }


def specs_and_sizes(tf):
    D = tf.data.Dataset
    lengths = D.range(3).map(tf.range)

    def told(make):
        try:
            dataset = make()
            return [str(dataset.element_spec), int(dataset.cardinality())]
        except Exception as error:
            return type(error).__name__

    makers = [
        lambda: D.range(6).batch(2).rebatch(3),
        lambda: D.range(6).batch(2, True).rebatch(1),
        lambda: D.range(6).batch(2, True).rebatch(2, True),
        lambda: D.range(7).batch(4, True).rebatch([2, 2]),
        lambda: D.range(7).batch(4, True).rebatch([2, 1], True),
        lambda: D.range(7).repeat().batch(4).rebatch(3),
        lambda: D.range(3).repeat().interleave(D.range, 2, num_parallel_calls=2),
        lambda: D.range(3).repeat().interleave(D.range, 2),
        lambda: lengths.take(0).unbatch(),
        lambda: lengths.repeat().unbatch(),
        lambda: D.range(3).scan(np.zeros(0, "int64"), lambda s, x: (tf.concat([s, [x]], 0), s)),
        lambda: D.range(3).scan(np.int64(0), lambda s, x: (x[None], s)),
        lambda: D.range(3).scan((0.0, np.zeros(2)), lambda s, x: ((s[0], s[1][:1]), s)),
        lambda: D.range(3).enumerate().unique(),
        lambda: D.from_tensors(tf.ragged.constant([[1]])).unique(),
        lambda: D.from_tensors((1.0, 2)).unique(),
    ]
    return [told(make) for make in makers]


def groups_with_bad_elements(tf):
    E, D = tf.data.experimental, tf.data.Dataset

    def reduce(source, key=lambda x: x % 2, first=None, step=None, last=None):
        reducer = E.Reducer(
            first or (lambda key: np.int64(0)), step or (lambda s, x: s + x), last or (lambda s: s)
        )
        return _given(source.apply(E.group_by_reducer(key, reducer)))

    return {
        "by keys in order": reduce(D.range(6), lambda x: 5 - x),
        "source": reduce(_bad(tf)),
        "step": reduce(D.range(6), step=lambda s, x: s + x + 0 * (6 // (x - 2))),
        "key": reduce(D.range(6), lambda x: 6 // (x - 2)),
        "first": reduce(D.range(6), lambda x: x % 3, lambda key: 6 // (key - 1)),
        "last": reduce(D.range(6), last=lambda s: 6 // (s - 6)),
        "window": _given(
            _bad(tf, 9, 1, 4).group_by_window(lambda x: x % 2, lambda key, w: w.batch(2), 2)
        ),
    }
