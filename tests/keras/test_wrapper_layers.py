"""What the tables of layers cannot say of wrappers, attention and noise."""

import numpy as np
import pytest

import runnel as tf

layers = tf.keras.layers


def test_bidirectional_runs_a_backward_layer_of_its_own() -> None:
    x = np.random.default_rng(0).normal(size=(2, 4, 3)).astype("float32")
    both = layers.Bidirectional(layers.LSTM(2), backward_layer=layers.GRU(2, go_backwards=True))
    found = both(x).numpy()
    again = layers.Bidirectional.from_config(both.get_config())
    again.build((2, 4, 3))
    again.set_weights(both.get_weights())
    assert type(again.backward_layer) is layers.GRU
    np.testing.assert_allclose(again(x), found, rtol=1e-6)
    np.testing.assert_allclose(found[:, 2:], both.backward_layer(x), rtol=1e-6)


def test_bidirectional_wants_layers_of_different_directions() -> None:
    with pytest.raises(ValueError, match="go_backwards"):
        layers.Bidirectional(layers.LSTM(2), backward_layer=layers.LSTM(2))


def test_attention_takes_the_masks_that_its_inputs_carry() -> None:
    numbers = layers.Input((None,), dtype="int32")
    embedded = layers.Embedding(9, 4, mask_zero=True)(numbers)
    attended = layers.MultiHeadAttention(2, 3)(embedded, embedded)
    model = tf.keras.Model(numbers, attended)
    short, padded = model(np.array([[1, 2]])), model(np.array([[1, 2, 0, 0]]))
    np.testing.assert_allclose(padded[:, :2], short, rtol=1e-5, atol=1e-6)


def test_a_model_with_wrappers_is_the_same_after_saving(tmp_path) -> None:
    inputs = layers.Input((5, 3))
    hidden = layers.Bidirectional(layers.GRU(2, return_sequences=True))(inputs)
    hidden = layers.MultiHeadAttention(2, 2)(hidden, hidden)
    model = tf.keras.Model(inputs, layers.TimeDistributed(layers.Dense(2))(hidden))
    x = np.random.default_rng(0).normal(size=(2, 5, 3)).astype("float32")
    model.save(tmp_path / "model.keras")
    loaded = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded(x), model(x), rtol=1e-6)


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    x = np.random.default_rng(0).normal(size=(200, 200)).astype("float32")
    found = layers.AlphaDropout(0.3, seed=1)(x, training=True).numpy()
    assert abs(found.mean()) < 0.03
    assert abs(found.std() - 1) < 0.03


def test_spatial_dropout_drops_whole_channels() -> None:
    found = layers.SpatialDropout1D(0.5, seed=1)(tf.ones([4, 5, 8]), training=True).numpy()
    assert (found == found[:, :1]).all()
    assert set(np.unique(found)) == {0.0, 2.0}


def test_a_regularizer_of_activity_counts_once_in_a_wrapper() -> None:
    layer = layers.TimeDistributed(layers.ActivityRegularization(l1=1.0))
    layer(tf.ones([2, 3, 4]))
    assert [loss.numpy() for loss in layer.losses] == [4.0]


def test_a_regularizer_of_activity_is_for_the_result_of_attention() -> None:
    layer = layers.MultiHeadAttention(1, 2, activity_regularizer="l2", kernel_initializer="ones")
    layer(tf.ones([2, 3, 4]), tf.ones([2, 3, 4]))
    assert [loss.numpy() for loss in layer.losses] == [pytest.approx(7.68)]


def test_a_recurrent_layer_is_built_from_a_plain_tuple():
    layer = tf.keras.layers.LSTM(3)
    layer.build((2, 4, 5))
    assert [w.shape.as_list() for w in layer.weights] == [[5, 12], [3, 12], [12]]
