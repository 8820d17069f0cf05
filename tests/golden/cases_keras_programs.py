"""Whole small programs: names, weights and files of models as users write them."""

from __future__ import annotations

import itertools
import json
import os
import tempfile
import warnings
from typing import Any

import numpy as np


def _blocks(tf: Any) -> Any:
    """A layer that makes two others when it is built, one that does so when it is called."""

    class Built(tf.keras.layers.Layer):  # type: ignore[misc, name-defined]
        def build(self, input_shape: Any) -> None:
            self.first, self.second = tf.keras.layers.Dense(3), tf.keras.layers.Dense(3)

        def call(self, inputs: Any) -> Any:
            return self.second(self.first(inputs))

    class Called(tf.keras.layers.Layer):  # type: ignore[misc, name-defined]
        inner: Any = None

        def call(self, inputs: Any) -> Any:
            if self.inner is None:
                self.inner = tf.keras.layers.Dense(3)
            return self.inner(inputs)

    return Built, Called


def _names(*things: Any) -> list[str]:
    return [thing.name for thing in things]


def names_of_layers_made_in_trial_calls(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    Built, Called = _blocks(tf)
    x = tf.keras.Input((3,))
    layers = [Built(), Built(), Called(), Called()]
    for layer in layers:
        x = layer(x)
    inner = [layer.inner for layer in layers[2:]]
    weights = [w.name for layer in layers[:2] for w in layer.weights]
    return weights, _names(*inner, tf.keras.layers.Dense(1)), tf.keras.Input((1,)).name


def names_of_layers_made_in_traces(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    Built, Called = _blocks(tf)
    layers = [Built(), Called(), Built()]
    tf.function(lambda x: layers[1](layers[0](x)))(tf.ones([1, 3]))
    tf.function(layers[2])(tf.ones([1, 3]))
    inner = [layers[0].first, layers[0].second, layers[1].inner, layers[2].first]
    return _names(*inner, tf.keras.layers.Dense(1))


def names_of_layers_made_by_models(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    Built, _ = _blocks(tf)
    tf.keras.layers.Dense(1)
    model = tf.keras.Sequential([Built(), Built()])
    model.build((None, 4))
    with tf.Graph().as_default():
        in_graph = tf.keras.layers.Dense(1).name
    return [w.name for w in model.weights], in_graph, tf.keras.layers.Dense(1).name


def names_beside_attention(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    x = start = tf.keras.Input((4, 8))
    for _ in range(2):
        x = tf.keras.layers.MultiHeadAttention(2, 4)(x, x)
        x = tf.keras.layers.Softmax()(tf.keras.layers.Dropout(0.1)(x))
    return _names(*tf.keras.Model(start, x).layers)


def numbers_of_prefixes_and_names_of_layers(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    tf.keras.layers.Dense(1)
    return tf.keras.backend.get_uid("dense"), tf.keras.layers.Dense(1).name


def _kept(tf: Any, kind: Any) -> Any:
    class Keeper(kind):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            super().__init__()
            self.mean = tf.keras.metrics.Mean(name="mean")
            self.more = [tf.keras.metrics.Mean(name="listed")]
            self.dense = tf.keras.layers.Dense(2)

        def call(self, inputs: Any) -> Any:
            return self.dense(inputs)

    made = Keeper()
    made(tf.ones([1, 2]))
    weights = [w.name for w in made.weights]
    return weights, made.count_params(), [metric.name for metric in made.metrics]


def metrics_in_attributes_of_layers_and_models(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    return _kept(tf, tf.keras.layers.Layer), _kept(tf, tf.keras.Model)


def a_metric_inside_a_metric(tf: Any) -> Any:
    class Outer(tf.keras.metrics.Metric):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__(name="outer")
            self.inner = tf.keras.metrics.Mean(name="inner")
            self.seen = self.add_weight("seen", initializer="zeros")

        def update_state(self, values: Any) -> None:
            self.inner.update_state(values)

        def result(self) -> Any:
            return self.inner.result()

    metric = Outer()
    metric.update_state([1.0, 3.0])
    return [w.name for w in metric.weights], metric.result()


def a_symbolic_metric_of_a_layer(tf: Any) -> Any:
    x = tf.keras.Input((3,))
    dense = tf.keras.layers.Dense(2, kernel_initializer="ones")
    y = dense(x)
    with warnings.catch_warnings(action="ignore"):
        dense.add_metric(tf.reduce_mean(y), name="never")
    model = tf.keras.Model(x, y)
    model.compile("sgd", "mse")
    return model.fit(np.ones([4, 3]), np.ones([4, 2]), verbose=0).history


def a_metric_of_a_value_outside_a_call(tf: Any) -> Any:
    tf.keras.layers.Dense(2).add_metric(tf.constant(1.0), name="value")


def a_metric_of_doubles(tf: Any) -> Any:
    class Doubles(tf.keras.layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, inputs: Any) -> Any:
            self.add_metric(tf.cast(inputs, tf.float64), name="doubles")
            return inputs

    layer = Doubles()
    layer(tf.ones([2]))
    return [(metric.name, metric.dtype) for metric in layer.metrics]


def configs_of_functions_as_layers(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    x = tf.keras.Input((3, 5))
    y = tf.concat([x[..., ::2], tf.reduce_mean(x, axis=-1, keepdims=True)], -1)[..., tf.newaxis]
    model = tf.keras.Model(x, y)
    written = json.loads(model.to_json())["config"]["layers"]
    again = tf.keras.models.model_from_json(model.to_json())
    slices = [layer["inbound_nodes"] for layer in written if "getitem" in layer["name"]]
    builds = [layer.get("build_config") for layer in written]
    ones = np.ones([2, 3, 5], np.float32)
    return slices, builds, again(ones), tf.keras.models.clone_model(model)(ones)


def names_of_functions_as_layers(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    x, n = tf.keras.Input((3,)), tf.keras.Input((3,), dtype="int32")
    made = [
        tf.divide(x, 2.0),
        tf.nn.softsign(x),
        tf.complex(x, x),
        tf.bitwise.bitwise_and(n, n),
        tf.saturate_cast(x, tf.uint8),
    ]
    flags = x > 0.5
    return [t._keras_history.layer.name for t in made], (flags ^ flags).dtype.name


def shapes_behind_shapes_that_are_partly_known(tf: Any) -> Any:
    x = tf.keras.Input((3, 4))
    shape = tf.shape(x)
    made = [
        tf.random.normal(shape),
        tf.fill(shape, 2.0),
        tf.range(shape[1]),
        tf.eye(shape[1]),
        tf.reshape(x, [-1, shape[1] * shape[2]]),
        tf.reshape(x, [shape[0], shape[2], shape[1]]),
        tf.sort(x),
        tf.argsort(x, axis=1),
    ]
    return [t.shape.as_list() for t in made]


def a_dense_layer_behind_a_product_of_sizes(tf: Any) -> Any:
    x = tf.keras.Input((3, 4))
    sizes = tf.shape(x)
    flat = tf.reshape(x, [-1, sizes[1] * sizes[2]])
    y = tf.keras.layers.Dense(2, kernel_initializer="ones")(flat)
    return tf.keras.Model(x, y)(np.ones([2, 3, 4], np.float32))


def _saved_with(tf: Any, **options: Any) -> Any:
    tf.keras.backend.clear_session()

    def gap(y_true: Any, y_pred: Any) -> Any:
        return tf.reduce_mean(tf.abs(y_true - y_pred), -1)

    dense = tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(2,))
    model = tf.keras.Sequential([dense])
    model.compile("sgd", "mse", **{k: [gap, *v] for k, v in options.items()})
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        path = os.path.join(folder, "model.h5")
        model.save(path)
        again = tf.keras.models.load_model(path, custom_objects={"gap": gap})
    return again.evaluate(np.ones([2, 2]), np.ones([2, 1]), verbose=0), again.metrics_names


def metrics_of_a_model_saved_before_it_saw_data(tf: Any) -> Any:
    some = ["mae", "MSE", "acc", "AUC", tf.keras.metrics.MeanSquaredError(name="named")]
    return _saved_with(tf, metrics=some), _saved_with(tf, weighted_metrics=["mse"])


def weights_that_wait_for_a_shape(tf: Any) -> Any:
    def layers() -> Any:
        return [tf.keras.layers.Dense(3), tf.keras.layers.ReLU(), tf.keras.layers.Dense(2)]

    saved = tf.keras.Sequential([tf.keras.Input((2,)), *layers()])
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "weights")
        saved.save_weights(path)
        for start in (lambda m: m.build((None, 2)), lambda m: m(np.ones([1, 2], np.float32))):
            model = tf.keras.Sequential(layers())
            status = model.load_weights(path)
            start(model)
            status.assert_consumed()
            pairs = zip(saved.get_weights(), model.get_weights(), strict=True)
            found.append([bool(np.array_equal(a, b)) for a, b in pairs])
    return found


def texts_in_other_encodings(tf: Any) -> Any:
    learned = tf.keras.layers.TextVectorization(encoding="utf-16-le", standardize=None, split=None)
    words = ["ab".encode("utf-16-le"), "cd".encode("utf-16-le")]
    learned.adapt(tf.constant(words))
    given = tf.keras.layers.StringLookup(vocabulary=["a", "\u00e9"], encoding="latin-1")
    texts = tf.constant(["a", "\u00e9", b"\xe9"])
    return [
        [str(word) for word in learned.get_vocabulary()],
        learned(tf.constant([*words, b"ab"])[:, tf.newaxis]),
        [str(word) for word in given.get_vocabulary()],
        given(texts),
    ]


def batches_in_another_order(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(3)
    seen: list[Any] = []

    class Watched(tf.keras.Model):  # type: ignore[misc, name-defined]
        def train_step(self, data: Any) -> Any:
            tf.py_function(lambda x: seen.append(sorted(x.numpy().ravel().tolist())), data[:1], [])
            return {}

    model = Watched()
    model.compile("sgd", "mse")
    samples = np.arange(11.0)
    model.fit(samples[:, None], samples, batch_size=3, shuffle="batch", epochs=3, verbose=0)
    return seen


def names_of_metrics_in_files(tf: Any) -> Any:
    """Of a model with two outputs, before and after training, in three formats and back."""
    keras = tf.keras
    x, y = np.ones((4, 3), "f4"), [np.ones((4, 2), "f4"), np.ones((4, 1), "f4")]
    found = []
    for trained, name in itertools.product((False, True), ("m.h5", "m", "m.keras")):
        inputs = keras.Input((3,))
        outputs = [keras.layers.Dense(2, name="a")(inputs), keras.layers.Dense(1, name="b")(inputs)]
        model = keras.Model(inputs, outputs)
        model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=[["mae"], []])
        if trained:
            model.fit(x, y, verbose=0)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
            path, again = os.path.join(folder, name), os.path.join(folder, "again.h5")
            model.save(path)
            loaded = keras.models.load_model(path)
            before = list(loaded.metrics_names)
            loaded.evaluate(x, y, verbose=0)
            loaded.save(again)
            names = [list(m.metrics_names) for m in (loaded, keras.models.load_model(again))]
            found.append([before, *names])
    return found


class _Attention:
    """A layer whose `call` must be given what it needs after `training`."""

    def __new__(cls, tf: Any) -> Any:
        class Attention(tf.keras.layers.Layer):
            def __init__(self) -> None:
                super().__init__()
                self.dense = tf.keras.layers.Dense(3, kernel_initializer="ones")
                self.drop = tf.keras.layers.Dropout(0.5)

            def call(self, x: Any, training: Any, mask: Any, scale: Any) -> Any:
                return self.drop(self.dense(x), training=training) * mask * scale

        return Attention()


def layers_saved_with_arguments_that_must_be_given(tf: Any) -> Any:
    layer, x, mask = _Attention(tf), tf.ones([2, 4]), tf.ones([2, 3])
    module = tf.Module()
    module.layer = layer
    spec = [tf.TensorSpec([2, 4])]
    module.by_place = tf.function(lambda x: layer(x, False, mask, 2.0), input_signature=spec)
    module.by_name = tf.function(
        lambda x: layer(x, training=False, mask=mask, scale=3.0), input_signature=spec
    )
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        loaded = tf.saved_model.load(folder)
        return loaded.by_place(x), loaded.by_name(x)


def a_layer_that_cannot_be_traced_alone_is_saved(tf: Any) -> Any:
    class Rows(tf.keras.layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.dense = tf.keras.layers.Dense(3, kernel_initializer="ones")

        def call(self, x: Any) -> Any:
            return self.dense(x) + tf.zeros([x.shape[0], 3])

    module = tf.Module()
    module.layer = layer = Rows()
    module.run = tf.function(lambda x: layer(x), input_signature=[tf.TensorSpec([2, 4])])
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        loaded = tf.saved_model.load(folder)
        return loaded.run(tf.ones([2, 4]))


def names_of_what_a_saved_model_takes_and_gives(tf: Any) -> Any:
    x, mask = tf.ones([2, 4]), tf.ones([2, 3])
    calls = [
        (lambda self, x: {"o": x["a"], "p": [x["b"], x["a"]]}, [{"b": mask, "a": x}], {}),
        (lambda self, x: (x[0], (x[1]["z"], x[0])), [[x, {"z": mask}]], {}),
        (lambda self, x, other=None: [other], [x], {"other": mask}),
        (lambda self, x, other=None: [other], [x, mask], {}),
        (lambda self, x, training=None, b=None: x[0], [[x, mask]], {"b": mask}),
        (lambda self, x, training, mask: mask, [x], {"training": False, "mask": mask}),
    ]
    return [_names_of_signature(tf, *call) for call in calls]


def _names_of_signature(tf: Any, call: Any, args: Any, kwargs: Any) -> Any:
    model = type("Model", (tf.keras.Model,), {"call": call})()
    model(*args, **kwargs)
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)
        serving = tf.saved_model.load(folder).signatures["serving_default"]
        return sorted(serving.structured_input_signature[1]), sorted(serving.structured_outputs)


def _model_with_a_build_of_its_own(tf: Any, calls: Any) -> Any:
    class Model(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__(name="outer")
            self.dense = tf.keras.layers.Dense(2, name="inner", kernel_initializer="ones")

        def build(self, input_shape: Any) -> None:
            self.scale = self.add_weight("scale", shape=[3], initializer="ones")
            super().build(input_shape)

        def call(self, x: Any) -> Any:
            return self.dense(calls(x, self.scale))

    return Model()


def a_model_whose_own_build_calls_that_of_models(tf: Any) -> Any:
    x = tf.ones([2, 3])
    called = _model_with_a_build_of_its_own(tf, lambda x, scale: x * scale)
    by_key = _model_with_a_build_of_its_own(tf, lambda x, scale: x["a"] * scale)
    built = _model_with_a_build_of_its_own(tf, lambda x, scale: x * scale)
    results = [called(x), tf.function(lambda x: by_key(x))({"a": x})]
    built.build((None, 3))
    return results, [[w.name for w in m.weights] for m in (called, by_key, built)]


def a_model_of_integers_cannot_be_built_by_its_shape(tf: Any) -> Any:
    model = _model_with_a_build_of_its_own(tf, lambda x, scale: tf.gather(scale, x)[:, None])
    return model(tf.constant([0, 1]))


def _weight_names(layer: Any) -> list[str]:
    return [weight.name for weight in layer.weights]


def weights_replaced_in_their_attributes(tf: Any) -> Any:
    """As meta learning puts adapted tensors in the place of variables."""
    by_tensor, by_variable, twice, norm = (
        tf.keras.layers.Dense(2),
        tf.keras.layers.Dense(2),
        tf.keras.layers.Dense(2),
        tf.keras.layers.BatchNormalization(),
    )
    for layer in (by_tensor, by_variable, twice, norm):
        layer.build((None, 3))
    by_tensor.kernel = kernel = tf.ones([3, 2])
    by_variable.kernel = tf.Variable(kernel, name="new")
    twice.also, twice.kernel = twice.kernel, kernel
    still = _weight_names(twice)
    twice.also = None
    norm.gamma, norm.moving_mean = tf.ones(3), tf.zeros(3)
    names = [_weight_names(layer) for layer in (by_tensor, by_variable, twice, norm)]
    return still, names, by_tensor(tf.ones([1, 3]))


def layers_replaced_in_their_attributes(tf: Any) -> Any:
    """As the head of a model is replaced to train it for something else."""

    class Model(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__(name="model")
            self.body = [tf.keras.layers.Dense(2, name="body")]
            self.head = tf.keras.layers.Dense(1, name="head")

        def call(self, x: Any) -> Any:
            return self.head(self.body[0](x))

    model = Model()
    model(tf.ones([1, 3]))
    model.head = tf.keras.layers.Dense(4, name="other")
    before = _weight_names(model)
    model(tf.ones([1, 3]))
    after = _weight_names(model)
    model.body = [tf.keras.layers.Activation("relu", name="act")]
    model.head = tf.identity
    return before, after, _weight_names(model), [layer.name for layer in model.layers]


def layers_without_a_config_in_a_folder(tf: Any) -> Any:
    class Calling(tf.keras.layers.Layer):  # type: ignore[misc, name-defined]
        def __init__(self, function: Any, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.function = function

        def call(self, inputs: Any) -> Any:
            return self.function(inputs)

    x = tf.keras.Input((3,), name="x")
    dense = tf.keras.layers.Dense(2, kernel_initializer="ones", name="dense")
    y = Calling(tf.exp, name="second")(dense(Calling(tf.nn.relu, name="first")(x)))
    model, found = tf.keras.Model(x, y), []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        model.save(folder)
        for known in ({}, {"Calling": Calling}):
            loaded = tf.keras.models.load_model(folder, custom_objects=known)
            names = [(layer.name, type(layer).__name__) for layer in loaded.layers]
            found.append((names, loaded(np.array([[1.0, -1.0, 0.5]], np.float32))))
    return found


def _with_added(tf: Any) -> Any:
    x = tf.keras.Input((3,), name="x")
    hidden = tf.keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(x)
    model = tf.keras.Model(x, tf.keras.layers.Dense(1, None, True, "ones", name="last")(hidden))
    model.add_loss(tf.reduce_sum(hidden))
    model.add_metric(tf.reduce_max(hidden), name="highest")
    model.compile("sgd", "mse")
    return model


def a_loss_and_a_metric_of_symbolic_tensors_in_copies(tf: Any) -> Any:
    model, x = _with_added(tf), np.arange(12, dtype=np.float32).reshape(4, 3)
    found = {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        copies = {
            "clone": tf.keras.models.clone_model(model),
            "config": tf.keras.Model.from_config(model.get_config()),
            "json": tf.keras.models.model_from_json(model.to_json()),
        }
        for name in ("m.keras", "m.h5", "m"):
            model.save(f"{folder}/{name}")
            copies[name] = tf.keras.models.load_model(f"{folder}/{name}")
    for name, copied in copies.items():
        copied.compile("sgd", "mse")
        kinds = [type(layer).__name__ for layer in copied.layers]
        found[name] = (kinds, copied.evaluate(x, x[:, :1], verbose=0, return_dict=True))
    return found


def _own_models(tf: Any) -> list[Any]:
    layers = tf.keras.layers

    class Sized(tf.keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self, units: int, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.dense = layers.Dense(units, kernel_initializer="ones")

        def call(self, inputs: Any) -> Any:
            return self.dense(inputs)

    class Telling(Sized):
        def __init__(self, units: int) -> None:
            super().__init__(units)
            self.units = units

        def get_config(self) -> Any:
            return {**super().get_config(), "units": self.units}

    class Joined(tf.keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self, units: int) -> None:
            x = tf.keras.Input((3,))
            super().__init__(x, layers.Dense(units, kernel_initializer="ones")(x))

    class Stepping(tf.keras.Model):  # type: ignore[misc, name-defined]
        def train_step(self, data: Any) -> Any:
            return {**super().train_step(data), "mine": 1.0}

    x = tf.keras.Input((3,))
    stepping = Stepping(x, layers.Dense(2, kernel_initializer="ones")(x))
    return [Sized(2, name="sized"), Telling(2), Joined(2), stepping]


def models_of_classes_of_ones_own_made_again(tf: Any) -> Any:
    x, found = np.ones((2, 3), np.float32), []
    for model in _own_models(tf):
        kind = type(model)
        model.compile("sgd", "mse")
        model(x)
        again = [
            kind.from_config(model.get_config()),
            tf.keras.models.clone_model(model),
            tf.keras.models.model_from_json(model.to_json(), {kind.__name__: kind}),
        ]
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
            model.save(f"{folder}/m.keras")
            again.append(tf.keras.models.load_model(f"{folder}/m.keras", {kind.__name__: kind}))
            model.save(folder)
            again.append(tf.keras.models.load_model(folder))
        config = model.get_config()
        config.pop("name", None)
        layered = "layers" in config
        found.append((layered or sorted(config.items()), [(type(m).__name__, m(x)) for m in again]))
    return found


def _reading(tf: Any) -> Any:
    class Reading(tf.keras.layers.Layer):  # type: ignore[misc, name-defined]
        def build(self, input_shape: Any) -> None:
            self.scale = self.add_weight("scale", (2,), initializer="ones")

        def call(self, inputs: Any) -> Any:
            w = self.scale
            found = [w + 1, 2.0 * w, 1 - w, w**2, w > 0.5, tf.maximum(w, 0.0), w * [1.0, 2.0]]
            found += [tf.where(w > 0, w, 0.0), w + np.ones(2, np.float32), tf.stack([w, w * 3])]
            w.assign(w * 2)
            w.assign_add(inputs[0])
            w.assign_sub([0.5, 0.5])
            self.read_as = w.dtype.name
            return [*found, tf.identity(w)]

    return Reading(dtype="mixed_float16")


def numbers_beside_a_weight_that_is_read_in_a_lower_dtype(tf: Any) -> Any:
    layer = _reading(tf)
    found = layer(tf.ones((1, 2)))
    names = layer.read_as, layer.scale.dtype.name
    return found, layer.scale, names, tf.function(_reading(tf))(tf.ones((1, 2)))


def parts_of_ragged_and_sparse_inputs(tf: Any) -> Any:
    rows = tf.keras.Input((None,), ragged=True, dtype="int32", name="rows")
    cells = tf.keras.Input((4,), sparse=True, name="cells")
    outputs = [
        rows.to_tensor(default_value=-1, shape=[None, 3]),
        rows.row_lengths(),
        rows.values * 2,
        rows.with_values(rows.flat_values + 1).to_tensor(),
        rows.bounding_shape(),
        cells.values + 1,
        cells.indices,
    ]
    layers = [type(tensor._keras_history.layer).__name__ for tensor in outputs]
    model = tf.keras.Model([rows, cells], outputs)
    given = [
        tf.ragged.constant([[1, 2], [3]], dtype="int32"),
        tf.sparse.from_dense(np.eye(2, 4, dtype=np.float32)),
    ]
    found = [layers, [t.shape for t in outputs], rows.ragged_rank, model(given)]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        for name in ("m.keras", "m.h5"):
            model.save(f"{folder}/{name}")
            loaded = tf.keras.models.load_model(f"{folder}/{name}")
            found.append([len(loaded.layers), loaded(given)])
    return found


def a_convolution_that_leaves_nothing_of_its_inputs(tf: Any) -> Any:
    return tf.keras.layers.Conv2D(3, 5)(tf.ones((1, 2, 2, 1)))


def calls_on_ragged_inputs_in_a_config(tf: Any) -> Any:
    rows = tf.keras.Input((None,), ragged=True, dtype="int32")
    outputs = [rows[:, :2].to_tensor(), (rows + 1).to_tensor(-1, shape=[None, 4])]
    config = tf.keras.Model(rows, outputs).get_config()
    found = []
    for layer in config["layers"][1:]:
        part = layer["config"].get("function") or layer["config"]["attr_name"]
        found.append((layer["class_name"], part, layer["inbound_nodes"][0][3]))
    return found
