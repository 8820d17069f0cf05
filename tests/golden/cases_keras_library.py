"""The rest of Keras's library: dropout in recurrent layers, experimental layers, formats."""

from __future__ import annotations

import os
import tempfile
import warnings
from typing import Any

import numpy as np

X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 4)
WORDS = np.array([["wolf", "zebra"], ["panther", "wolf"]])


def _text(words: Any) -> list[str]:
    return [word.decode() for word in np.ravel(words.numpy())]


def _filled(layer: Any, shape: Any) -> Any:
    layer.build(shape)
    values = []
    for number, weight in enumerate(layer.get_weights(), 1):
        steps = np.linspace(0.5, 1, weight.size, dtype=np.float32).reshape(weight.shape)
        values.append(0.1 * number * steps)
    layer.set_weights(values)
    return layer


def _trained(tf: Any, layer: Any, x: Any) -> Any:
    layer = _filled(layer, x.shape)
    tf.random.set_seed(1)
    first = layer(x, training=True)
    tf.random.set_seed(1)
    return [first, layer(x, training=True)]


def dropout_of_lstm(tf: Any) -> Any:
    L = tf.keras.layers
    options = {"dropout": 0.5, "return_sequences": True}
    return [
        _trained(tf, L.LSTM(2, seed=3, **options), X),
        _trained(tf, L.LSTM(2, recurrent_dropout=0.5, **options), X),
        _trained(tf, L.LSTM(2, implementation=1, activation="relu", **options), X),
        _trained(tf, L.LSTM(2, activation="relu", **options), X),
        _trained(tf, L.RNN(L.LSTMCell(2, dropout=0.5, recurrent_dropout=0.5, seed=3)), X),
    ]


def dropout_of_gru(tf: Any) -> Any:
    L = tf.keras.layers
    options = {"dropout": 0.5, "return_sequences": True}
    return [
        _trained(tf, L.GRU(2, seed=3, **options), X),
        _trained(tf, L.GRU(2, recurrent_dropout=0.5, **options), X),
        _trained(tf, L.GRU(2, recurrent_dropout=0.5, reset_after=False, **options), X),
        _trained(tf, L.GRU(2, reset_after=False, **options), X),
    ]


def dropout_of_simple_rnn(tf: Any) -> Any:
    layer = tf.keras.layers.SimpleRNN(2, dropout=0.5, recurrent_dropout=0.5)
    return _trained(tf, layer, X)


def dropout_of_conv_lstm(tf: Any) -> Any:
    L = tf.keras.layers
    options = {"dropout": 0.5, "recurrent_dropout": 0.5}
    images = np.linspace(-1, 1, 96, dtype=np.float32).reshape(1, 3, 4, 4, 2)
    return [
        _trained(tf, L.ConvLSTM1D(2, 2, return_sequences=True, **options), X[..., None]),
        _trained(tf, L.ConvLSTM2D(2, 2, **options), images),
        _trained(tf, L.ConvLSTM2D(2, 2, padding="same", dropout=0.3), images),
    ]


def masks_of_cells(tf: Any) -> Any:
    cell = tf.keras.layers.LSTMCell(2, dropout=0.5, recurrent_dropout=0.25, seed=5)
    x, state = tf.ones([2, 3]), tf.ones([2, 2])
    tf.random.set_seed(1)
    masks = cell.get_dropout_mask_for_cell(x, training=True, count=4)
    again = cell.get_dropout_mask_for_cell(x, training=True, count=4)
    same = all(np.array_equal(a, b) for a, b in zip(masks, again, strict=True))
    recurrent = cell.get_recurrent_dropout_mask_for_cell(state, training=True, count=2)
    cell.reset_dropout_mask()
    cell.reset_recurrent_dropout_mask()
    later = cell.get_dropout_mask_for_cell(x, training=True)
    none = tf.keras.layers.GRUCell(2).get_dropout_mask_for_cell(x, training=True)
    return masks, same, recurrent, later, none


def masks_while_not_training(tf: Any) -> Any:
    cell = tf.keras.layers.GRUCell(2, dropout=0.5)
    return cell.get_dropout_mask_for_cell(tf.ones([2, 3]), training=False, count=3)


def a_cell_of_the_users(tf: Any) -> Any:
    class Adder(tf.keras.layers.AbstractRNNCell):
        @property
        def state_size(self) -> int:
            return 4

        @property
        def output_size(self) -> int:
            return 4

        def call(self, inputs: Any, states: Any) -> Any:
            return inputs + states[0], [inputs + states[0]]

    layer = tf.keras.layers.RNN(Adder(), return_sequences=True)
    stacked = tf.keras.layers.RNN([Adder(), Adder()], return_state=True)
    return layer(X), stacked(X), Adder().get_initial_state(batch_size=2, dtype="float32")


def an_unfinished_cell(tf: Any) -> Any:
    return tf.keras.layers.AbstractRNNCell().state_size


def a_cell_without_a_batch(tf: Any) -> Any:
    class Cell(tf.keras.layers.AbstractRNNCell):
        state_size = 3

    return Cell().get_initial_state()


def random_fourier_features(tf: Any) -> Any:
    features = tf.keras.layers.experimental.RandomFourierFeatures
    gaussian = _filled(features(5), (None, 4))
    np.random.seed(3)
    laplacian = features(5, "laplacian", scale=2.0, trainable=True)
    laplacian.build((None, 4))
    found = laplacian.get_weights()
    names = [[w.name, w.trainable] for w in gaussian.weights]
    scales = [gaussian.kernel_scale, laplacian.kernel_scale]
    fresh = features(3)
    fresh.build((None, 8))
    config = {k: v for k, v in laplacian.get_config().items() if k not in ("name", "dtype")}
    shape = gaussian.compute_output_shape((7, 4)).as_list()
    return gaussian(X[0]), found[0], names, scales, fresh.kernel_scale, config, shape


def fourier_features_of_an_unknown_kernel(tf: Any) -> Any:
    return tf.keras.layers.experimental.RandomFourierFeatures(3, "linear")


def no_fourier_features(tf: Any) -> Any:
    return tf.keras.layers.experimental.RandomFourierFeatures(0)


def fourier_features_of_images(tf: Any) -> Any:
    return tf.keras.layers.experimental.RandomFourierFeatures(3)(tf.ones([2, 3, 4]))


def a_learning_vocabulary(tf: Any) -> Any:
    words = tf.constant(["wolf", "zebra", "panther", "lion", "hawk"])
    layer = tf.keras.layers.experimental.DynamicLookup(5, words)
    found = [layer(tf.constant(WORDS)), layer(tf.constant(["hawk", "owl", "owl", "eel"]))]
    found += [layer(tf.constant(["fish", "wolf"])), layer(tf.constant(["cat"]), learn_vocab=False)]
    tables = [_text(layer.vocabulary_table_keys), layer.vocabulary_table_values]
    with tempfile.TemporaryDirectory() as folder:
        layer.save_assets(folder)
        with open(os.path.join(folder, "vocabulary.txt")) as file:
            saved = len(file.read().split("\n"))
    return found, tables, _text(layer.get_top_vocabulary(2)), _text(layer.get_vocabulary()), saved


def a_learning_vocabulary_of_numbers(tf: Any) -> Any:
    layer = tf.keras.layers.experimental.DynamicLookup(3, tf.constant([7, 8, 9], tf.int64))
    found = [layer(tf.constant([[9, 5], [7, 5]], tf.int64)), layer.vocabulary_table_values]
    return found, layer.get_config()["initial_vocabulary"]


def a_vocabulary_of_floats(tf: Any) -> Any:
    return tf.keras.layers.experimental.DynamicLookup(3, tf.float32)


def an_unknown_eviction_policy(tf: Any) -> Any:
    words = tf.constant(["a", "b"])
    return tf.keras.layers.experimental.DynamicLookup(2, words, eviction_policy="LRU")


def learning_embeddings(tf: Any) -> Any:
    words = tf.constant(["wolf", "zebra"])
    layer = tf.keras.layers.experimental.DynamicEmbedding(2, 3, words, embedding_initializer="ones")
    layer(tf.constant([["wolf"]]))
    layer.embedding_layer.embeddings.assign(np.arange(9.0).reshape(3, 3))
    before = [layer(tf.constant(WORDS)), layer(tf.constant([["owl", "wolf"]]))]
    strategy = tf.distribute.get_strategy() if hasattr(tf, "distribute") else None
    layer.update_embeddings(strategy)
    keys, counts = layer.aggregate_lookup_table([["a", "b"], ["b", "c"]], [[1, 2], [3, 4]])
    words = [_text(layer.get_vocabulary()), _text(keys)]
    return before, words, layer(tf.constant([["wolf"]])), counts


def sharpness_aware_training(tf: Any) -> Any:
    def run(**options: Any) -> Any:
        dense = tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(4,))
        inner = tf.keras.Sequential([dense])
        model = tf.keras.models.experimental.SharpnessAwareMinimization(inner, **options)
        model.compile(tf.keras.optimizers.SGD(0.1), "mse", ["mae"])
        y = np.float32([[1], [0], [1]])
        history = model.fit(X[0], y, batch_size=3, epochs=2, shuffle=False, verbose=0)
        numbers = {k: np.float32(v) for k, v in history.history.items()}
        return numbers, model.get_weights(), sorted(model.get_config())

    return run(), run(rho=0.5), run(rho=0.1, num_batch_splits=3)


def a_model_in_yaml(tf: Any) -> Any:
    return tf.keras.models.model_from_yaml("")


def objects_in_the_older_form(tf: Any) -> Any:
    legacy = tf.keras.utils.legacy
    dense = tf.keras.layers.Dense(2, "relu", kernel_regularizer="l2", name="d")
    config = legacy.serialize_keras_object(dense)
    names = {"Dense": tf.keras.layers.Dense, "L2": tf.keras.regularizers.L2}
    again = legacy.deserialize_keras_object(config, names)
    made = legacy.deserialize_keras_object("L2", names)
    return [
        config["class_name"],
        sorted(config["config"]),
        again.get_config()["units"],
        type(made).__name__,
        legacy.serialize_keras_object(tf.keras.activations.relu),
        legacy.serialize_keras_object(None),
        legacy.deserialize_keras_object(None),
    ]


def an_object_without_a_config(tf: Any) -> Any:
    return tf.keras.utils.legacy.serialize_keras_object(3)


def an_unknown_object_in_the_older_form(tf: Any) -> Any:
    return tf.keras.utils.legacy.deserialize_keras_object({"class_name": "X", "config": {}}, {})


def a_dict_that_is_no_object(tf: Any) -> Any:
    return tf.keras.utils.legacy.deserialize_keras_object({"name": "X"}, {})


def _archive(tf: Any, folder: str) -> Any:
    inputs = tf.keras.Input((3,))
    dense = tf.keras.layers.Dense(2, kernel_initializer="ones")
    model = tf.keras.Model(inputs, tf.keras.layers.Dropout(0.5)(dense(inputs)))
    archive = tf.keras.export.ExportArchive()
    archive.track(model)
    spec = tf.TensorSpec((None, 3), tf.float32)
    archive.add_endpoint("call", model.call, [spec])
    archive.add_endpoint("train", lambda x: model(x, training=True), [spec])
    double = tf.function(lambda x: x * 2.0)
    double(tf.ones([3]))
    archive.add_endpoint("double", double)
    archive.add_variable_collection("weights_of_mine", model.weights)
    archive.write_out(folder)
    return model


def an_archive(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        model = _archive(tf, folder)
        loaded = tf.saved_model.load(folder)
        x = tf.ones([2, 3])
        return [
            loaded.call(x),
            model(x),
            loaded.double(tf.ones([3])),
            sorted(loaded.signatures),
            len(loaded.weights_of_mine),
            len(loaded.variables),
            loaded.signatures["serving_default"](x),
        ]


def an_empty_archive(tf: Any) -> Any:
    tf.keras.export.ExportArchive().write_out("nowhere")


def an_archive_of_an_unbuilt_layer(tf: Any) -> Any:
    tf.keras.export.ExportArchive().track(tf.keras.layers.Dense(2))


def an_archive_of_a_number(tf: Any) -> Any:
    tf.keras.export.ExportArchive().track(3)


def an_endpoint_without_a_signature(tf: Any) -> Any:
    tf.keras.export.ExportArchive().add_endpoint("f", lambda x: x)


def an_endpoint_that_was_never_called(tf: Any) -> Any:
    tf.keras.export.ExportArchive().add_endpoint("f", tf.function(lambda x: x))


def an_endpoint_of_a_name_that_is_taken(tf: Any) -> Any:
    archive, spec = tf.keras.export.ExportArchive(), tf.TensorSpec((3,), tf.float32)
    archive.add_endpoint("f", lambda x: x, [spec])
    archive.add_endpoint("f", lambda x: x, [spec])


def a_collection_of_numbers(tf: Any) -> Any:
    tf.keras.export.ExportArchive().add_variable_collection("f", [1, 2])


def settings_of_executions(tf: Any) -> Any:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    model.compile("sgd", "mse", steps_per_execution=3)
    found = [int(model.steps_per_execution), model.autotune_steps_per_execution]
    found.append(model.distribute_reduction_method)
    model.distribute_reduction_method = "sum"
    return [*found, model.distribute_reduction_method]


def the_old_name_of_add_weight(tf: Any) -> Any:
    layer = tf.keras.layers.Layer()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weight = layer.add_variable("w", (2,), initializer="ones")
    return weight, len(layer.weights)
