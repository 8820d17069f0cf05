"""Edges of layers: static shapes, odd axes, names, own cells, arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np

X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 4)


def shapes_after_upsampling(tf: Any) -> Any:
    L, Input = tf.keras.layers, tf.keras.Input
    image = L.UpSampling2D((2, 3))(Input((6, 5, 3)))
    return [
        str(image.shape),
        str(L.Conv2D(2, 3)(image).shape),
        str(L.UpSampling1D(3)(Input((4, 2))).shape),
        str(L.UpSampling3D(data_format="channels_first")(Input((2, 3, 4, 5))).shape),
    ]


def layer_normalization_of_axes_in_another_order(tf: Any) -> Any:
    layer = tf.keras.layers.LayerNormalization(axis=[2, 1])
    layer.build(X.shape)
    weights = np.arange(12.0).reshape(4, 3)
    layer.set_weights([weights, 2 * weights])
    return layer(X)


def activations_of_tf_by_name(tf: Any) -> Any:
    L, x = tf.keras.layers, tf.constant([[-2.0, 0.5, 7.0]])
    found = []
    for name in ("leaky_relu", "log_softmax", "relu6"):
        layer = L.Activation(name)
        again = L.deserialize(L.serialize(layer))
        found.append([layer(x), again(x), layer.get_config()["activation"]])
    return found


def merging_without_a_name(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    kinds = ("Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract")
    made = [getattr(tf.keras.layers, kind)(name=None) for kind in kinds]
    return [list(layer.get_config().items()) for layer in made]


def an_activity_regularizer_and_an_empty_batch(tf: Any) -> Any:
    layer = tf.keras.layers.Dense(2, activity_regularizer="l2")
    layer(np.zeros((0, 3), "float32"))
    return layer.losses


def _cell(tf: Any) -> Any:
    class Adding(tf.keras.layers.Layer):
        """Adds up its inputs, and constants to what it gives."""

        state_size = output_size = 4

        def call(self, inputs: Any, states: Any, constants: Any = None) -> Any:
            total = states[0] + inputs
            return total if constants is None else total + constants[0], [total]

    return Adding()


def constants_of_a_cell(tf: Any) -> Any:
    L, constant = tf.keras.layers, tf.fill((2, 4), 10.0)
    sequence, one = tf.keras.Input((3, 4)), tf.keras.Input((4,))
    state = tf.keras.Input((4,))
    plain = tf.keras.Model([sequence, one], L.RNN(_cell(tf))(sequence, constants=one))
    layer = L.RNN(_cell(tf), return_sequences=True)
    both = tf.keras.Model(
        [sequence, state, one], layer(sequence, initial_state=state, constants=[one])
    )
    return [
        L.RNN(_cell(tf))(X, constants=constant),
        plain([X, constant]),
        both([X, constant, constant]),
    ]


def both_directions_of_a_cell_that_is_not_registered(tf: Any) -> Any:
    L, constant = tf.keras.layers, tf.fill((2, 4), 10.0)
    layer = L.Bidirectional(L.RNN(_cell(tf)))
    stacked = L.Bidirectional(L.RNN([_cell(tf), _cell(tf)], return_sequences=True))
    return [L.Bidirectional(L.RNN(_cell(tf)))(X), layer(X, constants=constant), stacked(X)]


def statistics_of_a_dataset_without_batches(tf: Any) -> Any:
    layer = tf.keras.layers.Normalization()
    layer.adapt(tf.data.Dataset.from_tensor_slices(X[0]))
    return [layer(X[0]), layer.adapt_mean, layer.adapt_variance]


def backend_functions_of_arrays(tf: Any) -> Any:
    K = tf.keras.backend
    return [
        K.bias_add(X, np.arange(4, dtype=np.float32)),
        K.conv2d(X[..., None], np.ones((2, 2, 1, 3), np.float32)),
    ]


def _rows(tf: Any) -> Any:
    return tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], ragged_rank=1)


def dense_layers_of_rows(tf: Any) -> Any:
    layer = tf.keras.layers.Dense(3, kernel_initializer="ones", activation="relu")
    pairs = tf.RaggedTensor.from_uniform_row_length(tf.range(6.0), 2)
    nested = tf.RaggedTensor.from_row_splits(pairs, [0, 1, 3])
    return [layer(_rows(tf)), layer(pairs), layer(nested).to_list()]


def a_dense_layer_of_rows_without_an_end(tf: Any) -> Any:
    return tf.keras.layers.Dense(3)(tf.ragged.constant([[1.0, 2.0], [3.0]]))


def recurrent_layers_of_rows(tf: Any) -> Any:
    L, ones = tf.keras.layers, {"kernel_initializer": "ones", "recurrent_initializer": "ones"}
    layers = [
        L.LSTM(2, **ones),
        L.LSTM(2, return_sequences=True, return_state=True, **ones),
        L.SimpleRNN(2, return_sequences=True, go_backwards=True, **ones),
        L.Bidirectional(L.GRU(2, return_sequences=True, **ones)),
        L.RNN([L.GRUCell(2, **ones), L.LSTMCell(3, **ones)], return_sequences=True),
    ]
    return [layer(_rows(tf)) for layer in layers]


def a_model_of_rows(tf: Any) -> Any:
    L, ones = tf.keras.layers, {"kernel_initializer": "ones", "recurrent_initializer": "ones"}
    words = tf.keras.Input((None,), ragged=True, dtype="int32")
    embedded = L.Embedding(10, 2, embeddings_initializer="ones")(words)
    dense = L.Dense(3, kernel_initializer="ones")(embedded)
    both = L.Bidirectional(L.LSTM(2, return_sequences=True, **ones))(dense)
    model = tf.keras.Model(words, L.LSTM(2, **ones)(both))
    model.compile("sgd", "mse")
    rows = tf.ragged.constant([[1, 2], [3], []])
    losses = model.fit(rows, np.ones((3, 2)), epochs=2, verbose=0).history["loss"]
    return [str(both.shape), np.float32(losses), model.predict(rows, verbose=0)]


def rows_and_a_mask(tf: Any) -> Any:
    return tf.keras.layers.LSTM(2)(_rows(tf), mask=tf.constant([[True, True], [True, False]]))


def rows_unrolled(tf: Any) -> Any:
    return tf.keras.layers.LSTM(2, unroll=True)(_rows(tf))


def layer_normalization_that_is_float16_throughout(tf: Any) -> Any:
    layer = tf.keras.layers.LayerNormalization(dtype="float16")
    outputs = layer(X)
    return [outputs.dtype.name, [w.dtype.name for w in layer.weights]]


def shared_axes_counted_from_the_end(tf: Any) -> Any:
    found = []
    for axes in (-1, 0, [1, -1], [1, 2]):
        layer = tf.keras.layers.PReLU(shared_axes=axes)
        layer.build(X.shape)
        found.append(tuple(layer.alpha.shape))
    return found


def shared_axes_that_there_are_not(tf: Any) -> Any:
    return tf.keras.layers.PReLU(shared_axes=3)(X)


def a_dot_of_axes_that_there_are_not(tf: Any) -> Any:
    return tf.keras.layers.Dot(axes=(1, 3))([X, X])


def a_dot_of_the_batch(tf: Any) -> Any:
    return tf.keras.layers.Dot(axes=0)([X, X])


def a_concatenation_of_an_axis_that_there_is_not(tf: Any) -> Any:
    return tf.keras.layers.Concatenate(axis=5)([X, X])


def a_negative_padding(tf: Any) -> Any:
    return tf.keras.layers.ZeroPadding1D(-1)


def a_negative_cropping(tf: Any) -> Any:
    return tf.keras.layers.Cropping1D(-1)


def a_causal_depthwise_convolution(tf: Any) -> Any:
    return tf.keras.layers.DepthwiseConv1D(3, padding="causal")


def an_equation_with_more_axes_than_the_inputs(tf: Any) -> Any:
    return tf.keras.layers.EinsumDense("abc,cd->abd", (None, 5))(X[0])


def an_equation_with_more_axes_than_the_outputs(tf: Any) -> Any:
    return tf.keras.layers.EinsumDense("abc,cd->abd", 5)(X)


def a_part_of_an_orthogonal_matrix(tf: Any) -> Any:
    return tf.keras.initializers.Orthogonal()((4, 4), partition_shape=(2, 4))


def a_part_of_an_identity_matrix(tf: Any) -> Any:
    return tf.keras.initializers.Identity()((4, 4), partition_offset=(0, 0))
