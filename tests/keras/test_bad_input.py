"""What goes wrong with Keras is said with the error class of tf_keras, and what to do about it."""

import io
import sys

import numpy as np
import pytest

import runnel as tf

layers = tf.keras.layers
X, Y = np.ones((8, 4), np.float32), np.ones((8, 1), np.float32)


def small(*compiled):
    model = tf.keras.Sequential(
        [tf.keras.Input((4,)), layers.Dense(3, name="first"), layers.Dense(1, name="last")]
    )
    if compiled:
        model.compile(*compiled, run_eagerly=True)
    return model


def two_outputs(**options):
    x = tf.keras.Input((4,))
    model = tf.keras.Model(x, [layers.Dense(1, name="u")(x), layers.Dense(1, name="v")(x)])
    model.compile("sgd", "mse", run_eagerly=True, **options)
    return model


def forgot_super():
    class Model(tf.keras.Model):
        def __init__(self):
            self.dense = layers.Dense(3)

    return Model()


def forgot_super_in_layer():
    class Layer(layers.Layer):
        def __init__(self):
            self.dense = layers.Dense(3)

    return Layer()(X)


class Multiplies(layers.Layer):
    def call(self, inputs, factor):
        return tf.matmul(inputs, factor)


SHAPES = {
    "a model": (lambda: small()(X[:, :3]), r"sequential.*expected shape=\(None, 4\), found"),
    "ranks": (lambda: layers.Conv2D(3, 3)(X), r"min_ndim=4, found ndim=2. Full shape.*\(8, 4\)"),
    "steps": (
        lambda: layers.LSTM(3)(tf.keras.Input((4,))),
        r'"lstm.*expected ndim=3, found ndim=2',
    ),
    "a window": (lambda: layers.Conv2D(3, 3)(tf.keras.Input((2, 2, 1))), "downsampling in conv2d"),
    "a pool": (lambda: layers.MaxPooling2D()(tf.keras.Input((1, 1, 1))), "max_pooling2d.*smaller"),
    "sides": (lambda: layers.Concatenate()([X, X[:3]]), r"matching shapes.*\(8, 4\), \(3, 4\)"),
    "numbers of inputs": (lambda: tf.keras.layers.Dot(1)([X]), "list of 2 inputs"),
    "a flat shape": (lambda: layers.Dot(1).compute_output_shape([3, 4]), "list of 2 inputs"),
}


@pytest.mark.parametrize("what", SHAPES)
def test_shapes_that_do_not_fit_are_named_with_their_layer(what):
    call, message = SHAPES[what]
    with pytest.raises(ValueError, match=message):
        call()


def test_an_error_inside_a_call_names_the_innermost_layer_and_its_arguments():
    x = tf.keras.Input((4,))
    inner = Multiplies(name="inner")
    model = tf.keras.Model(x, layers.Lambda(lambda t: inner(t, np.ones((4, 2), np.float32)))(x))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        inner(X, tf.ones([3, 2]))
    text = str(caught.value)
    assert 'calling layer "inner" (type Multiplies)' in text and "MatMul" in text
    assert "inputs=tf.Tensor(shape=(8, 4), dtype=float32)" in text
    assert "factor=tf.Tensor(shape=(3, 2), dtype=float32)" in text
    assert caught.value.message == text
    assert model(X).shape == (8, 2)


TRAINING = {
    "epochs": (ValueError, lambda: small("sgd", "mse").fit(X, Y, epochs=0), "epochs to be pos"),
    "batch": (ValueError, lambda: small("sgd", "mse").fit(X, Y, batch_size=0), "batch_size to be"),
    "empty": (ValueError, lambda: small("sgd", "mse").fit(X[:0], Y[:0]), "non-empty"),
    "nothing": (ValueError, lambda: small("sgd", "mse").fit(), "got nothing"),
    "a word": (ValueError, lambda: small("sgd", "mse").fit("data"), "first dimension"),
    "targets": (ValueError, lambda: two_outputs().fit(X, [Y] * 3, verbose=0), "targets for 3"),
    "no super": (RuntimeError, forgot_super, "forgot to call"),
    "no super in a layer": (RuntimeError, forgot_super_in_layer, "must call `super"),
    "optimizer": (ValueError, lambda: small("adamm", "mse"), "Did you mean 'adam'"),
    "loss": (
        ValueError,
        lambda: small("sgd", "mean_squared_eror").fit(X, Y, verbose=0),
        "Did you mean 'mean_squared_error'",
    ),
    "not compiled": (RuntimeError, lambda: small().fit(X, Y), "must compile"),
}


@pytest.mark.parametrize("what", TRAINING)
def test_mistakes_in_training_say_what_to_do(what):
    kind, call, message = TRAINING[what]
    with pytest.raises(kind, match=message):
        call()


FILES = {
    "format of weights": (lambda m, f: m.save_weights(f / "a", save_format="zip"), ValueError),
    "format of another type": (
        lambda m, f: m.save(f / "a", save_format=tf.TensorSpec([1])),
        ValueError,
    ),
    "ending of weights": (lambda m, f: m.save_weights(f / "a.h5", save_format="tf"), ValueError),
    "argument of save": (lambda m, f: m.save(f / "a.h5", compress=True), TypeError),
    "no checkpoint": (lambda m, f: m.load_weights(f / "a"), tf.errors.NotFoundError),
    "no file": (lambda m, f: m.load_weights(f / "a.h5"), FileNotFoundError),
}


@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5")
@pytest.mark.parametrize("what", FILES)
def test_files_that_cannot_be_are_refused(what, tmp_path):
    call, kind = FILES[what]
    with pytest.raises(kind):
        call(small(), tmp_path)


@pytest.mark.parametrize("ending", [".keras", ".weights.h5", ".hdf5", ""])
@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_file_is_replaced_only_after_a_question(ending, answer, tmp_path, monkeypatch, capsys):
    path = tmp_path / f"model{ending}"
    save = "save" if ending == ".keras" else "save_weights"
    getattr(small(), save)(path)
    second = small()
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"what?\n{answer}\n"))
    getattr(second, save)(path, overwrite=False)
    assert "already exists - overwrite?" in capsys.readouterr().out
    third = small()
    third.load_weights(path)
    replaced = np.array_equal(third.get_weights()[0], second.get_weights()[0])
    assert replaced == (answer == "y")


def test_nobody_to_ask_is_an_error(tmp_path, monkeypatch):
    small().save(tmp_path / "a.keras")
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    with pytest.raises(FileExistsError, match="overwrite=True"):
        small().save(tmp_path / "a.keras", overwrite=False)


@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5")
def test_arguments_that_a_format_does_not_have_are_refused(tmp_path):
    for ending, kind in ((".keras", ValueError), (".h5", TypeError)):
        small().save(tmp_path / f"a{ending}")
        with pytest.raises(kind, match="quickly"):
            tf.keras.models.load_model(tmp_path / f"a{ending}", quickly=True)
