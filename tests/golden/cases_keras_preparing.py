"""Programs with the preprocessing layers of Keras."""

from __future__ import annotations

from typing import Any

import numpy as np

_TEXTS = ["The cat sat on the mat.", "The dog ate; my CAT sat!", "a dog's life"]


def _config(layer: Any) -> dict[str, Any]:
    """The configuration as plain data, without what names the layer."""
    config = {k: v for k, v in layer.get_config().items() if k not in ("name", "dtype")}
    return {k: list(v) if isinstance(v, (tuple, list)) else v for k, v in config.items()}


def _again(layer: Any) -> Any:
    """Another layer with the same configuration."""
    return type(layer).from_config(layer.get_config())


def normalization(tf: Any) -> Any:
    x = np.random.RandomState(0).uniform(-3, 5, (10, 4)).astype("float32")
    layer = tf.keras.layers.Normalization()
    layer.adapt(x, batch_size=3)
    whole = tf.keras.layers.Normalization(axis=None)
    whole.adapt(tf.data.Dataset.from_tensor_slices(x).batch(4))
    given = tf.keras.layers.Normalization(axis=-1, mean=3.0, variance=2.0)
    back = tf.keras.layers.Normalization(mean=[1.0, 2.0, 3.0, 4.0], variance=2.0, invert=True)
    first = layer(x)
    layer.adapt(x[:2])
    return [
        first,
        layer(x),
        [w.numpy() for w in layer.weights],
        [w.name for w in layer.weights],
        whole(x),
        given(x),
        _again(back)(x),
        _config(back),
        list(layer.compute_output_shape((None, 4))),
    ]


def normalization_of_unknown_width(tf: Any) -> Any:
    tf.keras.layers.Normalization().adapt(np.ones(3))


def normalization_with_a_mean_alone(tf: Any) -> Any:
    return tf.keras.layers.Normalization(mean=1.0)


def normalization_given_and_adapted(tf: Any) -> Any:
    tf.keras.layers.Normalization(mean=1.0, variance=1.0).adapt(np.ones((2, 2)))


def discretization(tf: Any) -> Any:
    x = np.array([[-1.5, 1.0, 3.4, 0.5], [0.0, 3.0, 1.3, 0.0]])
    given = tf.keras.layers.Discretization(bin_boundaries=[0.0, 1.0, 2.0])
    learned = tf.keras.layers.Discretization(num_bins=4, epsilon=0.01)
    values = np.random.RandomState(2).normal(size=(300, 1)).astype("float32")
    learned.adapt(values)
    few = tf.keras.layers.Discretization(num_bins=3, output_mode="one_hot")
    few.adapt(np.arange(20.0), batch_size=20)
    return [
        given(x),
        _again(given)(x.astype("float32")),
        np.array(learned.bin_boundaries, "float32"),
        learned(values[:20]),
        np.array(few.bin_boundaries, "float32"),
        few([1.0, 8.0, 30.0]),
        tf.keras.layers.Discretization([0.0], output_mode="multi_hot")(x),
        tf.keras.layers.Discretization([0.0, 2.0], output_mode="count")(x),
        tf.keras.layers.Discretization([5], dtype="int32")([1, 9]),
        _config(given),
    ]


def discretization_with_both(tf: Any) -> Any:
    return tf.keras.layers.Discretization(bin_boundaries=[1.0], num_bins=2)


def category_encoding(tf: Any) -> Any:
    make = tf.keras.layers.CategoryEncoding
    pairs = [[0, 1], [0, 0], [1, 2], [3, 1]]
    return [
        make(4)(pairs),
        make(4, output_mode="count")(pairs),
        make(4, output_mode="count")(pairs, count_weights=np.array([[0.1, 0.2]] * 4)),
        make(4, output_mode="one_hot")([3, 2, 0, 1]),
        make(4, output_mode="one_hot")([[3], [2]]),
        make(4)(np.array(2)),
        make(4, sparse=True)(pairs),
        list(make(4, "one_hot").compute_output_shape((None, 1))),
        list(make(4).compute_output_shape((None, 7))),
        _config(make(4)),
    ]


def category_encoding_out_of_range(tf: Any) -> Any:
    return tf.keras.layers.CategoryEncoding(2)([[0, 5]])


def category_encoding_without_a_number(tf: Any) -> Any:
    return tf.keras.layers.CategoryEncoding()


def category_encoding_of_rank_three(tf: Any) -> Any:
    return tf.keras.layers.CategoryEncoding(2)(np.zeros((1, 1, 2), int))


def hashing(tf: Any) -> Any:
    make = tf.keras.layers.Hashing
    words = [["A"], ["B"], ["C"], [""]]
    return [
        make(3)(words),
        make(3, mask_value="")(words),
        make(3, salt=[133, 137])(words),
        make(5, salt=7)([[1], [2]]),
        make(8)(np.array([1, 2, 3])),
        make(3, output_mode="one_hot")(words),
        make(3, output_mode="count")([["A", "B", "B"]]),
        _config(make(3, salt=133)),
    ]


def hashing_into_no_bins(tf: Any) -> Any:
    return tf.keras.layers.Hashing(0)


def hashing_of_floats(tf: Any) -> Any:
    return tf.keras.layers.Hashing(3)([1.5])


def hashed_crossing(tf: Any) -> Any:
    make = tf.keras.layers.HashedCrossing
    letters, numbers = (
        tf.constant(["A", "B", "A", "B", "A"]),
        tf.constant([101, 101, 101, 102, 102]),
    )
    return [
        make(5)((letters, numbers)),
        make(5, output_mode="one_hot")((letters, numbers)),
        make(7)((letters[:, None], numbers[:, None])),
        make(7)((letters[0], numbers[0])),
        _config(make(5)),
    ]


def hashed_crossing_of_one(tf: Any) -> Any:
    return tf.keras.layers.HashedCrossing(5)([tf.constant(["a"])])


def strings_by_number(tf: Any) -> Any:
    make = tf.keras.layers.StringLookup
    vocabulary = ["a", "b", "c"]
    data = tf.constant([["a", "c", "d"], ["", "z", "b"]])
    layer = make(vocabulary=vocabulary)
    learned = make(max_tokens=4, mask_token="")
    learned.adapt([["b", "b", "a"], ["c", "a", "b"], ["", "d", "e"]])
    return [
        layer(data),
        layer.get_vocabulary(),
        _again(layer)(data),
        make(vocabulary=vocabulary, num_oov_indices=3, mask_token="")(data),
        make(vocabulary=vocabulary, oov_token="?").get_vocabulary(),
        make(vocabulary=vocabulary, invert=True)(np.array([[1, 2, 0, 9]]))
        .numpy()
        .astype(str)
        .tolist(),
        make(vocabulary=vocabulary, mask_token="", output_mode="multi_hot")(data),
        make(vocabulary=vocabulary, output_mode="count")(data),
        make(vocabulary=vocabulary, output_mode="one_hot")(data[:, 0]),
        make(vocabulary=vocabulary, output_mode="count", max_tokens=6, pad_to_max_tokens=True)(
            data
        ),
        make(vocabulary=vocabulary, output_mode="tf_idf", idf_weights=[0.1, 0.2, 0.3])(data),
        [str(word) for word in learned.get_vocabulary()],
        [str(word) for word in learned.get_vocabulary(include_special_tokens=False)],
        learned.vocabulary_size(),
        learned(data),
        _config(learned),
        list(make(vocabulary=vocabulary, output_mode="count").compute_output_shape((2, 3))),
        layer(tf.constant("b")),
    ]


def strings_learned_with_weights(tf: Any) -> Any:
    layer = tf.keras.layers.StringLookup(output_mode="tf_idf")
    layer.adapt(tf.constant([["a", "b", "b"], ["b", "c", "c"], ["b", "d", "d"]]))
    dataset = tf.data.Dataset.from_tensor_slices(["x", "y", "x", "z"]).batch(2)
    other = tf.keras.layers.StringLookup(num_oov_indices=2)
    other.adapt(dataset)
    return [
        layer(tf.constant([["a", "a", "zz"]])),
        layer.idf_weights,
        [str(word) for word in layer.get_vocabulary()],
        [str(word) for word in other.get_vocabulary()],
    ]


def strings_of_ragged_and_sparse(tf: Any) -> Any:
    layer = tf.keras.layers.StringLookup(vocabulary=["a", "b", "c"])
    counts = tf.keras.layers.StringLookup(vocabulary=["a", "b", "c"], output_mode="count")
    ragged = tf.ragged.constant([["a", "c"], ["x"]])
    sparse = tf.sparse.from_dense(tf.constant([["a", ""], ["b", "q"]]))
    return [layer(ragged), layer(sparse), counts(ragged)]


def strings_that_are_unknown(tf: Any) -> Any:
    layer = tf.keras.layers.StringLookup(vocabulary=["a"], num_oov_indices=0)
    return layer(tf.constant(["a", "b"]))


def strings_that_repeat(tf: Any) -> Any:
    return tf.keras.layers.StringLookup(vocabulary=["a", "a"])


def strings_that_are_too_many(tf: Any) -> Any:
    return tf.keras.layers.StringLookup(vocabulary=["a", "b", "c"], max_tokens=3)


def strings_without_a_vocabulary(tf: Any) -> Any:
    return tf.keras.layers.StringLookup(output_mode="multi_hot")(tf.constant([["a"]]))


def strings_given_and_adapted(tf: Any) -> Any:
    tf.keras.layers.StringLookup(vocabulary=["a"]).adapt(["b"])


def strings_inverted_and_counted(tf: Any) -> Any:
    return tf.keras.layers.StringLookup(vocabulary=["a"], invert=True, output_mode="count")


def integers_by_number(tf: Any) -> Any:
    make = tf.keras.layers.IntegerLookup
    data = np.array([[12, 1138, 42], [42, 1000, 36]])
    layer = make(vocabulary=[12, 36, 1138, 42])
    learned = make(mask_token=0, max_tokens=5)
    learned.adapt(np.array([[1, 2, 2], [3, 3, 3], [0, 4, 5]]))
    return [
        layer(data),
        [int(word) for word in layer.get_vocabulary()],
        _again(layer)(data),
        make(vocabulary=[12, 36], num_oov_indices=2)(data),
        make(vocabulary=[12, 36], output_mode="multi_hot")(data),
        make(vocabulary=[12, 36], invert=True)(np.array([[1, 2, 0]])),
        [int(word) for word in learned.get_vocabulary()],
        learned(np.array([[1, 2, 3, 0]])),
        make(vocabulary=[7, 8], vocabulary_dtype="int32", dtype="int32")(np.array([8, 9], "int32")),
    ]


def text_as_numbers(tf: Any) -> Any:
    make = tf.keras.layers.TextVectorization
    layer = make()
    layer.adapt(_TEXTS)
    short = make(max_tokens=6, output_sequence_length=4)
    short.adapt(tf.data.Dataset.from_tensor_slices(_TEXTS).batch(2))
    data = tf.constant(["the cat ate the hat", "", "dogs life"])
    given = make(vocabulary=["cat", "dog"], output_sequence_length=3)
    return [
        layer(data),
        [str(word) for word in layer.get_vocabulary()],
        layer(tf.constant([["the cat"], ["a dog"]])),
        short(data),
        [str(word) for word in short.get_vocabulary()],
        short.vocabulary_size(),
        _config(short),
        given(data),
        _again(given)(data),
        make(vocabulary=["cat", "dog"], ragged=True)(data),
        list(short.compute_output_shape((None, 1))),
    ]


def text_in_other_ways(tf: Any) -> Any:
    make = tf.keras.layers.TextVectorization
    data = tf.constant(["Cat dog cat!", "dog"])
    count = make(output_mode="count", vocabulary=["cat", "dog", "cat dog"], ngrams=2)
    multi = make(output_mode="multi_hot", standardize="lower", pad_to_max_tokens=True, max_tokens=6)
    multi.adapt(data)
    weighted = make(output_mode="tf_idf")
    weighted.adapt(data)
    letters = make(split="character", standardize=None)
    letters.adapt(data)
    own = make(
        standardize=lambda x: tf.strings.upper(x),
        split=lambda x: tf.strings.split(x, sep=" "),
        vocabulary=["CAT", "DOG"],
    )
    whole = make(split=None, vocabulary=["cat dog cat", "dog"], output_sequence_length=2)
    return [
        count(data),
        multi(data),
        weighted(data),
        [str(letter) for letter in letters.get_vocabulary()],
        letters(data),
        own(data),
        whole(data[:, None]),
        [[word.decode() for word in row] for row in make(output_mode=None)(data).to_list()],
        list(weighted.compute_output_shape((5,))),
    ]


def text_of_rank_two(tf: Any) -> Any:
    return tf.keras.layers.TextVectorization(vocabulary=["a"])(tf.constant([["a", "b"]]))


def text_with_a_length_of_counts(tf: Any) -> Any:
    return tf.keras.layers.TextVectorization(output_mode="count", output_sequence_length=3)


def text_with_an_unknown_split(tf: Any) -> Any:
    return tf.keras.layers.TextVectorization(split="comma")


def text_of_another_dtype(tf: Any) -> Any:
    return tf.keras.layers.TextVectorization(dtype="int64")


def _images(*shape: int) -> np.ndarray:
    return np.random.RandomState(7).uniform(0, 255, shape).astype("float32")


def image_sizes(tf: Any) -> Any:
    layers = tf.keras.layers
    x = _images(2, 5, 7, 2)
    return [
        layers.Resizing(3, 4)(x),
        layers.Resizing(3, 3, interpolation="nearest")(x.astype("uint8")),
        layers.Resizing(4, 4, crop_to_aspect_ratio=True)(x),
        layers.Resizing(2, 2, interpolation="bicubic", dtype="float64")(x[0]),
        layers.CenterCrop(3, 4)(x),
        layers.CenterCrop(6, 4)(x[0]),
        layers.CenterCrop(3, 4, dtype="uint8")(x),
        layers.RandomCrop(3, 4, seed=1)(x),
        layers.RandomCrop(3, 4, seed=1)(x, training=False),
        layers.RandomHeight(0.4, seed=3)(x),
        layers.RandomWidth((-0.5, -0.1), seed=3)(x),
        layers.RandomWidth(0.3)(x, training=False),
        list(layers.Resizing(3, 4).compute_output_shape((None, 5, 7, 2))),
        list(layers.RandomHeight(0.1).compute_output_shape((None, 5, 7, 2))),
        [
            _config(layers.Resizing(3, 4)),
            _config(layers.RandomCrop(3, 4)),
            _config(layers.RandomWidth(0.3)),
        ],
    ]


def image_values(tf: Any) -> Any:
    layers = tf.keras.layers
    x = _images(3, 2, 2, 3)
    return [
        layers.Rescaling(1 / 127.5, offset=-1)(x),
        layers.Rescaling([1.0, 2.0, 3.0])(x.astype("int32")),
        layers.RandomContrast(0.5, seed=2)(x),
        layers.RandomContrast((0.1, 0.9), seed=2)(x, training=False),
        layers.RandomBrightness(0.3, seed=4)(x),
        layers.RandomBrightness((0.1, 0.3), value_range=(0.0, 1.0), seed=4)(x[0] / 255),
        [
            _config(layers.Rescaling(2.0)),
            _config(layers.RandomBrightness(0.2)),
            _config(layers.RandomContrast(0.5)),
        ],
    ]


def image_warps(tf: Any) -> Any:
    layers = tf.keras.layers
    x = _images(4, 5, 6, 2)
    return [
        layers.RandomFlip(seed=1)(x),
        layers.RandomFlip("horizontal", seed=2)(x[0]),
        layers.RandomTranslation(0.3, (-0.2, 0.5), seed=3)(x),
        layers.RandomTranslation(0.3, 0.3, "constant", "nearest", 3, 9.0)(x[0]),
        layers.RandomRotation(0.2, seed=4)(x),
        layers.RandomRotation((0.1, 0.2), fill_mode="wrap", seed=4)(x),
        layers.RandomZoom(0.3, seed=5)(x),
        layers.RandomZoom((-0.3, 0.2), 0.4, fill_mode="nearest", seed=5)(x),
        layers.RandomZoom(0.3)(x, training=False),
        [
            _config(layers.RandomFlip()),
            _config(layers.RandomZoom(0.2)),
            _config(layers.RandomRotation(0.1)),
            _config(layers.RandomTranslation(0.1, 0.2)),
        ],
        [len(layers.RandomFlip(seed=1).weights)],
    ]


def image_warps_twice(tf: Any) -> Any:
    """A layer goes on in its stream of numbers, and the same in a function."""
    x = _images(2, 4, 4, 1)
    layer = tf.keras.layers.RandomRotation(0.3, seed=6)
    first, second = layer(x), layer(x)
    traced = tf.keras.layers.RandomRotation(0.3, seed=6)
    run = tf.function(lambda images: traced(images))
    return [first, second, run(x), run(x)]


def an_unknown_fill_mode(tf: Any) -> Any:
    return tf.keras.layers.RandomZoom(0.2, fill_mode="mirror")


def an_unknown_interpolation(tf: Any) -> Any:
    return tf.keras.layers.Resizing(2, 2, interpolation="linear")


def an_unknown_flip(tf: Any) -> Any:
    return tf.keras.layers.RandomFlip("diagonal")


def a_factor_beyond_one(tf: Any) -> Any:
    return tf.keras.layers.RandomTranslation(2.0, 0.1)


def a_brightness_beyond_one(tf: Any) -> Any:
    return tf.keras.layers.RandomBrightness(2.0)
