"""`fit`, `evaluate`, `predict`: data of every kind, callbacks, errors."""

import io
import re
import threading
import warnings
from contextlib import redirect_stdout
from functools import partial

import numpy as np
import pytest
import scipy.sparse

import runnel as tf
from runnel.backend import compiling

layers = tf.keras.layers
X = np.random.default_rng(0).normal(size=(12, 3)).astype(np.float32)
Y = X.sum(axis=1, keepdims=True)


def linear(**options):
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,))])
    options.setdefault("run_eagerly", True)  # nothing here needs compiling
    model.compile("sgd", "mse", **options)
    return model


def final_loss(*args, **kwargs):
    kwargs = {"shuffle": False, "verbose": 0, "epochs": 2} | kwargs
    return linear().fit(*args, **kwargs).history["loss"][-1]


WANT = final_loss(X, Y, batch_size=4)


def test_tensors_lists_and_datasets_train_like_arrays():
    assert final_loss(tf.constant(X), tf.constant(Y), batch_size=4) == WANT
    assert final_loss(X.tolist(), Y.tolist(), batch_size=4) == WANT
    assert final_loss(tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)) == WANT


def test_generators_and_sequences_train_like_arrays():
    def generator():
        while True:
            for i in range(0, 12, 4):
                yield X[i : i + 4], Y[i : i + 4]

    class Batches(tf.keras.utils.Sequence):
        ended = 0

        def __len__(self):
            return 3

        def __getitem__(self, i):
            return X[4 * i : 4 * i + 4], Y[4 * i : 4 * i + 4]

        def on_epoch_end(self):
            self.ended += 1

    assert final_loss(generator(), steps_per_epoch=3) == WANT
    batches = Batches()
    assert final_loss(batches) == WANT and batches.ended == 2
    assert final_loss(batches, workers=3) == WANT


def test_traced_steps_and_several_steps_per_execution_give_the_same():
    model = linear(run_eagerly=False, steps_per_execution=2)
    loss = model.fit(X, Y, batch_size=4, shuffle=False, epochs=2, verbose=0).history["loss"][-1]
    assert loss == pytest.approx(WANT, rel=1e-5)


def test_the_last_batch_may_be_smaller():
    model = linear(run_eagerly=False)
    assert model.predict(X, batch_size=5, verbose=0).shape == (12, 1)
    np.testing.assert_allclose(model.predict(X, batch_size=5, verbose=0), model(X), rtol=1e-5)


def test_shuffling_follows_the_seed():
    losses = [final_loss(X, Y, batch_size=4, shuffle=True) for _ in range(2)]
    assert losses[0] == losses[1] != WANT


def test_validation_is_the_end_of_the_data_and_happens_when_asked():
    model = linear()
    history = model.fit(
        X, Y, validation_split=0.25, epochs=4, validation_freq=2, verbose=0, shuffle=False
    ).history
    assert len(history["loss"]) == 4 and len(history["val_loss"]) == 2
    assert model.evaluate(X[9:], Y[9:], verbose=0) == pytest.approx(history["val_loss"][-1])


def test_a_generator_that_ends_too_early_ends_training_with_a_warning(caplog):
    history = linear().fit(iter([(X, Y)]), steps_per_epoch=3, epochs=2, verbose=0)
    assert "ran out of data" in caplog.text
    assert len(history.epoch) == 1


def test_train_on_batch_and_its_family():
    model = linear(metrics=["mae"])
    before = model.test_on_batch(X, Y, return_dict=True)
    assert set(before) == {"loss", "mae"}
    for _ in range(5):
        model.train_on_batch(X, Y)
    assert model.test_on_batch(X, Y)[0] < before["loss"]
    assert model.predict_on_batch(X).shape == (12, 1)


def test_metrics_begin_again_with_every_epoch():
    seen = []

    class Watch(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            seen.append(logs["loss"])

    model = linear()
    model.compile(tf.keras.optimizers.SGD(0.0), "mse", run_eagerly=True)
    model.fit(X, Y, batch_size=4, epochs=2, shuffle=False, verbose=0, callbacks=[Watch()])
    assert seen[:3] == seen[3:]


def test_hooks_are_called_in_order():
    calls = []

    class Log(tf.keras.callbacks.Callback):
        pass

    names = [n for n in dir(tf.keras.callbacks.Callback) if n.startswith("on_")]
    for name in names:
        setattr(Log, name, lambda self, *args, _name=name, **kwargs: calls.append(_name))
    linear().fit(X, Y, batch_size=12, validation_data=(X, Y), verbose=0, callbacks=[Log()])
    assert calls == [
        "on_train_begin",
        "on_epoch_begin",
        "on_train_batch_begin",
        "on_train_batch_end",
        "on_test_begin",
        "on_test_batch_begin",
        "on_test_batch_end",
        "on_test_end",
        "on_epoch_end",
        "on_train_end",
    ]


def test_early_stopping_gives_back_the_best_weights():
    model = linear()
    stop = tf.keras.callbacks.EarlyStopping("loss", patience=1, restore_best_weights=True)
    rates = tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.01 if epoch < 2 else 5.0)
    history = model.fit(X, Y, epochs=9, verbose=0, callbacks=[stop, rates], shuffle=False)
    assert len(history.epoch) < 9 and history.history["lr"][0] == pytest.approx(0.01)
    assert stop.best_epoch < stop.stopped_epoch


def test_the_learning_rate_falls_on_a_plateau():
    model = linear()
    fall = tf.keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=100.0)
    model.fit(X, Y, epochs=3, verbose=0, callbacks=[fall])
    assert float(model.optimizer.learning_rate) == pytest.approx(0.0025)


def test_nan_ends_training(capsys):
    model = linear()
    stop = tf.keras.callbacks.TerminateOnNaN()
    history = model.fit(X * np.nan, Y, batch_size=4, epochs=5, verbose=0, callbacks=[stop])
    assert len(history.epoch) == 1 and "Invalid loss" in capsys.readouterr().out


def test_a_table_is_written(tmp_path):
    path = tmp_path / "log.csv"
    linear().fit(X, Y, epochs=2, verbose=0, callbacks=[tf.keras.callbacks.CSVLogger(path)])
    lines = path.read_text().splitlines()
    assert lines[0] == "epoch,loss,val_loss" and len(lines) == 3  # in case it is validated later


def test_checkpoints_keep_the_best_and_name_files(tmp_path):
    model = linear()
    save = tf.keras.callbacks.ModelCheckpoint(
        tmp_path / "{epoch:02d}.weights.h5", save_weights_only=True
    )
    best = tf.keras.callbacks.ModelCheckpoint(tmp_path / "best.keras", "loss", save_best_only=True)
    model.fit(X, Y, epochs=2, verbose=0, callbacks=[save, best])
    names = sorted(p.name for p in tmp_path.iterdir())
    assert names == ["01.weights.h5", "02.weights.h5", "best.keras"]
    again = tf.keras.models.load_model(tmp_path / "best.keras")
    np.testing.assert_array_equal(again.predict(X, verbose=0), model.predict(X, verbose=0))


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    class Interrupt(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 1:
                raise KeyboardInterrupt

    def backup():
        return tf.keras.callbacks.BackupAndRestore(tmp_path)

    model = linear()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y, epochs=4, verbose=0, shuffle=False, callbacks=[backup(), Interrupt()])
    resumed = linear()
    history = resumed.fit(X, Y, epochs=4, verbose=0, shuffle=False, callbacks=[backup()])
    assert history.epoch == [2, 3]
    whole = linear()
    whole.fit(X, Y, epochs=4, verbose=0, shuffle=False)
    np.testing.assert_allclose(resumed.get_weights()[0], whole.get_weights()[0], rtol=1e-6)


def test_the_progress_bar_is_keras_bar():
    out = io.StringIO()
    out.isatty = lambda: True
    with redirect_stdout(out):
        linear(metrics=["mae"]).fit(X, Y, batch_size=4, epochs=2, shuffle=False)
        linear().fit(X, Y, batch_size=4, verbose=2)
    text = out.getvalue()
    assert text.startswith("Epoch 1/2\n\r1/3 [=========>....................] - ETA: ")
    assert "3/3 [==============================] - 0s " in text
    assert " - loss: " in text and " - mae: " in text
    assert text.splitlines()[-1].startswith("3/3 - 0s - loss: ")


def test_the_progress_bar_is_one_line_in_a_log():
    out = io.StringIO()
    with redirect_stdout(out):
        linear().fit(X, Y, batch_size=4, epochs=2)
        linear().predict(tf.data.Dataset.from_tensor_slices(X).batch(4))
    head, one, _, two, predicted = out.getvalue().splitlines()
    assert head == "Epoch 1/2" and "\b" not in out.getvalue() and "\r" not in out.getvalue()
    assert all(line.startswith("3/3 [=====") for line in (one, two, predicted))


def test_the_bar_says_what_is_compiled(monkeypatch):
    out = io.StringIO()
    out.isatty = lambda: True
    monkeypatch.setattr(compiling, "PATIENCE", 0.0)
    with redirect_stdout(out):
        linear(run_eagerly=False, jit_compile=True).fit(X, Y, batch_size=4)
    assert re.search(r"0/3 \[\.+\] - compiling program 1, 0s", out.getvalue())


@pytest.mark.parametrize(
    "act, error, match",
    [
        (lambda: tf.keras.Sequential([layers.Dense(1)]).fit(X, Y), RuntimeError, "must compile"),
        (lambda: linear().fit(X, Y[:5]), ValueError, "cardinality"),
        (lambda: linear().fit(X), ValueError, "Target data is missing"),
        (lambda: tf.keras.Sequential().compile("adamm"), ValueError, "Did you mean 'adam'"),
        (lambda: linear().fit(X[:, :2], Y, verbose=0), ValueError, r"\(None, 3\).*\(.*2\)"),
        (lambda: linear().fit(X, Y, validation_split=0.99), ValueError, "not sufficient"),
        (lambda: linear(metrics={"nobody": "mae"}).fit(X, Y, verbose=0), ValueError, "nobody"),
        (lambda: linear().fit(object()), ValueError, "data adapter"),
    ],
)
def test_mistakes_are_told(act, error, match):
    with pytest.raises(error, match=match):
        act()


def test_a_custom_loop_with_a_tape_trains():
    model, optimizer = linear(), tf.keras.optimizers.SGD(0.1)
    loss = tf.keras.losses.MeanSquaredError()
    before = float(loss(Y, model(X)))
    for _ in range(5):
        with tf.GradientTape() as tape:
            value = loss(Y, model(X, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    assert float(loss(Y, model(X))) < before / 2


def test_mixed_precision_scales_the_loss_and_trains():
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,), dtype="mixed_float16")])
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.1), initial_scale=1024
    )
    model.compile(optimizer, "mse", run_eagerly=True)
    losses = model.fit(X, Y, epochs=4, verbose=0).history["loss"]
    assert losses[-1] < losses[0] and float(optimizer.loss_scale) == 1024
    model.fit(X * np.inf, Y, verbose=0)
    assert float(optimizer.loss_scale) == 512
    assert np.isfinite(model.get_weights()[0]).all()


def test_a_gan_with_a_step_of_its_own_trains_both_halves():
    class Gan(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.critic = tf.keras.Sequential([layers.Dense(1, input_shape=(2,))])
            self.maker = tf.keras.Sequential([layers.Dense(2, input_shape=(3,))])
            self.critic_loss = tf.keras.metrics.Mean(name="critic")

        def compile(self, one, two):
            super().compile(run_eagerly=True)
            self.one, self.two = one, two

        @property
        def metrics(self):
            return [self.critic_loss]

        def train_step(self, real):
            noise = tf.random.normal([tf.shape(real)[0], 3])
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(self.critic(self.maker(noise))) - tf.reduce_mean(
                    self.critic(real)
                )
            grads = tape.gradient(loss, self.critic.trainable_weights)
            self.one.apply_gradients(zip(grads, self.critic.trainable_weights))
            with tf.GradientTape() as tape:
                other = -tf.reduce_mean(self.critic(self.maker(noise)))
            grads = tape.gradient(other, self.maker.trainable_weights)
            self.two.apply_gradients(zip(grads, self.maker.trainable_weights))
            self.critic_loss.update_state(loss)
            return {"critic": self.critic_loss.result()}

    gan = Gan()
    gan.compile(tf.keras.optimizers.Adam(0.1), tf.keras.optimizers.Adam(0.1))
    kernels = [gan.critic.layers[0].kernel, gan.maker.layers[0].kernel]
    before = [w.numpy() for w in kernels]
    gan.fit(X[:, :2], epochs=2, verbose=0)
    assert all(not np.array_equal(a, w.numpy()) for a, w in zip(before, kernels))


def test_metrics_of_one_batch_begin_afresh():
    x = np.arange(16.0, dtype=np.float32).reshape(8, 2) / 10
    y = x[:, :1] * 2
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse", metrics=["mae"])
    assert model.metrics_names == []
    whole = model.evaluate(x, y, verbose=0)
    first = np.square(model(x[:4]).numpy() - y[:4]).mean()
    assert model.train_on_batch(x[:4], y[:4])[0] == pytest.approx(first, rel=1e-5)
    assert model.metrics[0].result().numpy() == pytest.approx(first, rel=1e-5)
    assert model.metrics_names == ["loss", "mae"]
    assert model.test_on_batch(x[:4], y[:4], reset_metrics=False)[0] != pytest.approx(whole[0])


def test_a_step_gets_inputs_alone_as_a_tensor_and_not_as_a_tuple():
    class Summing(tf.keras.Model):
        def train_step(self, data):
            return {"is_tensor": tf.constant(tf.is_tensor(data)), "sum": tf.reduce_sum(data)}

    model = Summing()
    model.compile()
    x = np.ones((4, 2), np.float32)
    for data in (x, tf.data.Dataset.from_tensor_slices(x).batch(4)):
        history = model.fit(data, verbose=0).history
        assert history == {"is_tensor": [True], "sum": [8.0]}


@pytest.mark.parametrize("processes", [False, True])
def test_workers_prepare_the_batches_of_a_generator_ahead(processes):
    drawn = []

    def batches():
        for number in range(6):
            drawn.append(number)
            yield X, Y + number

    model, plain = linear(), linear()
    history = model.fit(
        batches(), workers=1 + (not processes), max_queue_size=2, use_multiprocessing=processes,
        steps_per_epoch=2, verbose=0,
    )  # fmt: skip
    if not processes:  # two were taken; two wait in the queue, two more may be in the making
        assert 2 <= len(drawn) <= 6
    assert history.params["steps"] == 2 and np.isfinite(history.history["loss"]).all()
    before = {thread.name for thread in threading.enumerate()}
    assert not any("Keras_worker" in name for name in before)
    plain.fit(iter([(X, Y), (X, Y + 1)]), verbose=0)
    if processes:  # one worker has one copy of the generator: the order is kept
        np.testing.assert_allclose(model.get_weights()[0], plain.get_weights()[0], rtol=1e-6)


@pytest.mark.parametrize("processes", [False, True])
def test_workers_prepare_the_batches_of_a_sequence_in_order(processes):
    class Parts(tf.keras.utils.Sequence):
        def __len__(self):
            return 3

        def __getitem__(self, index):
            return X[4 * index : 4 * index + 4], Y[4 * index : 4 * index + 4]

    model, plain = linear(), linear()
    options = {"workers": 2, "use_multiprocessing": processes, "max_queue_size": 2}
    model.fit(Parts(), epochs=2, shuffle=False, verbose=0, **options)
    plain.fit(X, Y, batch_size=4, epochs=2, shuffle=False, verbose=0)
    np.testing.assert_allclose(model.get_weights()[0], plain.get_weights()[0], rtol=1e-6)


def test_a_smaller_last_batch_of_nested_data_needs_no_new_trace():
    traces = []

    class Both(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1)

        def call(self, inputs):
            traces.append(inputs["a"].shape)
            return self.dense(inputs["a"]) + inputs["b"][0]

    model = Both()
    model.compile("sgd", "mse")
    x = np.ones((10, 3), np.float32)
    nested = {"a": x, "b": [x[:, :1], x]}
    model.fit(nested, x[:, :1], batch_size=4, epochs=2, verbose=0)
    assert [shape.as_list() for shape in traces] == [[None, 3]] * 2  # variables are made: twice
    traces.clear()
    model.predict(nested, batch_size=4, verbose=0)
    model.predict(nested, batch_size=3, verbose=0)
    assert [shape.as_list() for shape in traces] == [[None, 3]]


def test_batches_of_other_widths_need_no_new_trace_where_the_dataset_leaves_them_open():
    traces = []

    class Noted(tf.keras.Sequential):
        def train_step(self, data):
            traces.append(data[0].shape.as_list())
            return super().train_step(data)

    def batches():
        for width in (4, 5, 5, 4):
            yield np.ones((8, width, 3), np.float32), np.ones((8, width, 3), np.float32)

    spec = tf.TensorSpec([None, None, 3])
    data = tf.data.Dataset.from_generator(batches, output_signature=(spec, spec))
    model = Noted([tf.keras.layers.Dense(3, input_shape=(None, 3)), tf.keras.layers.Dropout(0.5)])
    model.compile("sgd", "mse")
    model.fit(data, epochs=2, verbose=0)
    assert traces == [[None, None, 3]] * 2  # variables are made: twice


def test_widths_that_differ_a_third_time_are_left_open():
    traced = []

    class Means(tf.keras.layers.Layer):
        def call(self, inputs):
            traced.append(inputs.shape.as_list())
            return tf.reduce_mean(inputs, axis=1)

    model = tf.keras.Sequential([Means(), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    counts = []
    for width in (3, 4, 5, 6, 7, 8):
        before = len(traced)
        model.train_on_batch(np.ones([2, width, 3]), np.ones([2, 1]))
        counts.append(len(traced) - before)
    assert all(counts[:3]) and not any(counts[3:])
    assert traced[-1] == [2, None, 3]


def test_a_list_of_a_ragged_and_a_dense_input_is_two_inputs():
    words = tf.keras.Input((None,), dtype=tf.int64, ragged=True)
    number = tf.keras.Input((1,))
    sums = tf.keras.layers.Lambda(lambda x: tf.cast(tf.reduce_sum(x, 1), tf.float32)[:, None])
    model = tf.keras.Model([words, number], tf.keras.layers.add([sums(words), number]))
    rows = tf.ragged.constant([[1, 2, 3], [4], [5, 6]], dtype=tf.int64)
    found = model.predict([rows, np.ones((3, 1))], batch_size=2, verbose=0)
    assert found.dtype == np.float32 and found.tolist() == [[7.0], [5.0], [12.0]]


def test_weights_of_open_shape_count_for_nothing():
    layer = tf.keras.layers.Discretization(num_bins=4)
    layer.adapt(np.arange(10.0).reshape(-1, 1))
    assert layer.count_params() == 0


def test_names_in_a_dict_of_inputs_that_the_model_does_not_know_are_told():
    inputs = [tf.keras.Input((1,), name=name) for name in ("a", "b")]
    model = tf.keras.Model(inputs, tf.keras.layers.add(inputs))
    x = np.ones((2, 1), np.float32)
    with pytest.warns(UserWarning, match=r"\['c'\] which did not match"):
        assert model({"a": x, "b": x, "c": x}).shape == (2, 1)


def test_updates_are_empty_and_say_why():
    layer = tf.keras.layers.BatchNormalization()
    with pytest.warns(UserWarning, match="applied automatically"):
        assert layer.updates == []


class Distance:
    def __call__(self, y_true, y_pred):
        return self.loss(y_true, y_pred)

    def loss(self, y_true, y_pred):
        return tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1)


@pytest.mark.parametrize("loss", [Distance(), Distance().loss, partial(Distance.loss, None)])
def test_anything_callable_is_a_loss(loss):
    want = linear()
    want.compile("sgd", "mae", run_eagerly=True)
    model = linear()
    model.compile("sgd", loss, metrics=[Distance()], run_eagerly=True)
    found = model.evaluate(X, Y, verbose=0)
    assert found == pytest.approx([want.evaluate(X, Y, verbose=0)] * 2)
    assert model.metrics_names == ["loss", "distance"]


def test_evaluate_lists_a_metric_that_is_called_loss():
    model = linear(metrics=[Distance().loss])
    names = len(model.evaluate(X, Y, verbose=0)), model.test_on_batch(X, Y)[:0]
    assert (*names, model.metrics_names) == (2, [], ["loss", "loss"])


@pytest.mark.parametrize("ending", [".h5", ".keras"])
def test_a_method_as_loss_is_saved_by_its_name(tmp_path, ending):
    model = linear()
    model.compile("sgd", Distance().loss, run_eagerly=True)
    model.fit(X, Y, verbose=0)
    want = model.evaluate(X, Y, verbose=0)
    with warnings.catch_warnings(action="ignore"):  # the older format
        model.save(tmp_path / f"model{ending}")
    known = {"loss": Distance().loss}
    again = tf.keras.models.load_model(tmp_path / f"model{ending}", custom_objects=known)
    assert again.evaluate(X, Y, verbose=0) == pytest.approx(want)


@pytest.mark.parametrize("ending, error", [(".h5", ValueError), (".keras", TypeError)])
def test_a_loss_without_a_name_cannot_be_saved(tmp_path, ending, error):
    model = linear()
    model.compile("sgd", Distance(), run_eagerly=True)
    with (
        warnings.catch_warnings(action="ignore"),
        pytest.raises(error, match=r"Cannot serialize .*Distance.*get_config"),
    ):
        model.save(tmp_path / f"model{ending}")


def test_evaluate_says_that_no_metric_uses_the_weights(caplog):
    weights = np.ones(12)
    data = tf.data.Dataset.from_tensor_slices((X, Y, weights)).batch(4)
    linear(metrics=["mae"]).evaluate(X, Y, verbose=0)
    linear(weighted_metrics=[]).evaluate(data, verbose=0)
    assert not caplog.records
    linear().evaluate(data, verbose=0)
    linear().fit(X, Y, sample_weight=weights, validation_split=0.5, verbose=0)
    assert [record.name for record in caplog.records] == ["tensorflow"] * 2
    assert "weighted_metrics" in caplog.text


def test_later_layers_draw_as_if_each_gate_had_drawn_a_mask():
    def dropped(layer):
        tf.keras.utils.set_random_seed(3)
        layer(tf.ones([2, 3, 4]), training=True)
        return layers.Dropout(0.5)(tf.ones([50]), training=True).numpy()

    tf.keras.utils.set_random_seed(3)
    masks = [tf.nn.dropout(tf.ones([50]), 0.5).numpy() for _ in range(5)]
    initial = {"kernel_initializer": "ones", "recurrent_initializer": "ones"}
    assert (dropped(layers.LSTM(2, dropout=0.5, **initial)) == masks[4]).all()
    assert (dropped(layers.GRU(2, dropout=0.5, **initial)) == masks[3]).all()


@pytest.mark.parametrize(
    "method",
    ["fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"],
)
def test_a_model_cannot_be_trained_or_asked_inside_a_function(method: str) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    x = np.ones((4, 2), np.float32)
    fn = tf.function(lambda: getattr(model, method)(x))
    with pytest.raises(RuntimeError, match=f"`Model.{method}` .* inside a `tf.function`"):
        fn()
    with pytest.raises(RuntimeError, match=r"no values inside a tf\.function"):
        tf.function(lambda: len(model.get_weights()))()


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "bsr", "dia"])
def test_sparse_matrices_of_every_form_are_inputs(form):
    x = np.float32([[0, 1, 0], [2, 0, 0], [0, 4, 5]])
    i = tf.keras.Input((3,), sparse=True)
    model = tf.keras.Model(i, tf.keras.layers.Dense(1, kernel_initializer="ones")(i))
    matrix = getattr(scipy.sparse, f"{form}_matrix")(x)
    want = x.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(model.predict(matrix, batch_size=2, verbose=0), want)
    np.testing.assert_array_equal(model.predict_on_batch(matrix), want)
    np.testing.assert_array_equal(model.predict(iter([matrix]), verbose=0), want)
    with pytest.raises(ValueError, match="unsupported type"):
        model(matrix)  # a call takes tensors
