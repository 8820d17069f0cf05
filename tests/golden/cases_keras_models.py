"""Models as programs make them: weights given to layers, attributes, losses, shapes to build."""

from __future__ import annotations

import tempfile
import warnings
from typing import Any

import numpy as np

TABLE = np.arange(9, dtype=np.float32).reshape(3, 3)
KERNEL = [TABLE, np.ones(3, np.float32)]


def _history(model: Any, *data: Any, **options: Any) -> Any:
    found = model.fit(*(data or (TABLE, TABLE[:, :1])), verbose=0, **options).history
    return {name: np.float32(values) for name, values in found.items()}


def _own(tf: Any, layer: Any) -> Any:
    class Wrapping(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.inner = layer

        def call(self, inputs: Any) -> Any:
            return self.inner(inputs)

    return Wrapping()


def initial_weights_of_a_layer_in_a_model(tf: Any) -> Any:
    K, L = tf.keras, tf.keras.layers
    words = np.int32([[0, 2]])

    def table(**options: Any) -> Any:
        return L.Embedding(3, 3, weights=[TABLE], **options)

    i = K.Input((2,))
    functional = K.Model(i, L.Dense(3, weights=KERNEL)(table()(i)))
    built = K.Sequential([L.Dense(3, weights=KERNEL)])
    built.build((None, 3))
    compiled = K.Sequential([table()])
    compiled.compile("sgd", "mse")
    inside = _own(tf, table())
    traced = tf.function(_own(tf, table()).__call__)
    trained = _own(tf, K.Sequential([L.Dense(3, weights=KERNEL)]))
    trained.compile(tf.keras.optimizers.SGD(0.0), "mse")
    trained.fit(TABLE, TABLE, verbose=0)
    return [
        K.Sequential([table()])(words),
        K.Sequential([table(input_length=2, input_shape=(2,))])(words),
        functional(words),
        built.get_weights(),
        compiled.predict(words, verbose=0),
        inside(words),
        traced(words),
        trained.get_weights(),
        L.TimeDistributed(L.Dense(3), weights=KERNEL)(K.Input((2, 3))).shape.as_list(),
    ]


def initial_weights_that_do_not_fit(tf: Any) -> Any:
    return tf.keras.layers.Dense(3, weights=[TABLE])(tf.keras.Input((3,)))


def initial_weights_and_a_shape_asked_for(tf: Any) -> Any:
    layer = tf.keras.layers.Dense(3, weights=KERNEL)
    layer.compute_output_shape((1, 3))
    other = tf.keras.layers.Dense(3, weights=KERNEL, kernel_initializer="zeros")
    other.build((1, 3))
    return [layer(TABLE), other(TABLE)]


def attributes_before_compile(tf: Any) -> Any:
    K = tf.keras
    i = K.Input((3,))
    models = [K.Sequential([K.layers.Dense(1)]), K.Model(i, i), _own(tf, K.layers.Dense(1))]
    names = "loss optimizer compiled_loss compiled_metrics history stop_training".split()
    names += "train_function test_function predict_function".split()
    names += "input_names output_names _is_compiled loss_weights".split()
    before = [{n: hasattr(m, n) for n in names} for m in models]
    for m in models:
        m.compile("sgd", "mse")
    return [before, [{n: hasattr(m, n) for n in names} for m in models]]


def attributes_before_compile_that_are_read(tf: Any) -> Any:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    return [str(model.optimizer), str(model.compiled_loss), model.metrics, model.metrics_names]


def a_loss_read_before_compile(tf: Any) -> Any:
    return tf.keras.Sequential([tf.keras.layers.Dense(1)]).loss


def name_scopes_of_layers(tf: Any) -> Any:
    K, found = tf.keras, []
    i = K.Input((3,))
    for layer in (K.layers.Dense(1, name="a"), K.Model(i, i, name="m"), K.Sequential(name="s")):
        found.append(layer.name_scope())
    with tf.name_scope("outside"):
        found.append(K.layers.Dense(1, name="b").name_scope())
        inside = K.layers.Dense(1, name="c")
    return [*found, inside.name_scope(), K.metrics.Mean("d").name_scope()]


def the_spec_to_save_for(tf: Any) -> Any:
    spec = tf.TensorSpec([None, 3], tf.float32)
    model = _own(tf, tf.keras.layers.Dense(1))
    model._set_save_spec(spec)
    specs = model.save_spec()
    other = _own(tf, tf.keras.layers.Dense(1))
    other._set_save_spec(tf.TensorSpec([2, 3], tf.float32), [], {})
    named = _own(tf, tf.keras.layers.Dense(1))
    named._set_save_spec({"a": tf.TensorSpec([2, 3], tf.float32)})
    return [
        [str(s.shape) for s in tf.nest.flatten(specs)],
        [str(s.shape) for s in tf.nest.flatten(other.save_spec())],
        [str(s.shape) for s in tf.nest.flatten(other.save_spec(dynamic_batch=False))],
        [f"{s.name} {s.shape}" for s in tf.nest.flatten(named.save_spec())],
    ]


def a_model_saved_for_a_spec(tf: Any) -> Any:
    model = _own(tf, tf.keras.layers.Dense(3, kernel_initializer="ones"))
    model._set_save_spec(tf.TensorSpec([None, 3], tf.float32))
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the class is not known to the file
        model.save(folder, save_format="tf")
        return tf.keras.models.load_model(folder)(TABLE)


def another_spec_to_save_for(tf: Any) -> Any:
    model = _own(tf, tf.keras.layers.Dense(1))
    model._set_save_spec(tf.TensorSpec([None, 3], tf.float32))
    model._set_save_spec(tf.TensorSpec([None, 3], tf.float32))
    return model._set_save_spec(tf.TensorSpec([None, 4], tf.float32))


def _compiled(tf: Any, **options: Any) -> Any:
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", **options)
    return model.fit(TABLE, TABLE[:, :1], verbose=0)


def a_metric_of_no_known_name(tf: Any) -> Any:
    return _compiled(tf, metrics=["acuracy"])


def a_weighted_metric_of_no_known_name(tf: Any) -> Any:
    return _compiled(tf, weighted_metrics=["acuracy"])


def a_loss_of_no_known_name(tf: Any) -> Any:
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "msee")
    return model.fit(TABLE, TABLE[:, :1], verbose=0)


def an_optimizer_of_no_known_name(tf: Any) -> Any:
    return tf.keras.Sequential().compile("sdg", "mse")


def a_metric_that_is_a_number(tf: Any) -> Any:
    return _compiled(tf, metrics=[3])


def a_loss_got_by_no_known_name(tf: Any) -> Any:
    return tf.keras.losses.get("msee")


def a_scope_around_a_method_of_a_layer(tf: Any) -> Any:
    class Scoped(tf.keras.layers.Layer):
        @tf.Module.with_name_scope
        def call(self, inputs: Any) -> Any:
            return inputs

    return Scoped()(tf.constant(1.0))


def penalties_on_outputs_that_are_numbers(tf: Any) -> Any:
    found = []
    for penalty in (lambda x: 0.0, lambda x: 2, lambda x: tf.constant(3.0)):
        layer = tf.keras.layers.Dense(1, activity_regularizer=penalty)
        layer(TABLE)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, activity_regularizer=penalty)])
        model.compile("sgd", "mse")
        model.fit(TABLE, TABLE[:, :1], verbose=0)
        found.append([layer.losses, len(model.losses)])
    return found


def modules_in_a_sequential_model(tf: Any) -> Any:
    class Scale(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.factor = tf.Variable(2.0, name="factor")
            self.fixed = tf.Variable(1.0, name="fixed", trainable=False)

        def __call__(self, x: Any) -> Any:
            return x * self.factor + self.fixed

    module = Scale()
    model = tf.keras.Sequential([tf.keras.Input((3,))])
    model.add(module)
    model.add(tf.keras.layers.Dense(1, kernel_initializer="ones", name="last"))
    model.compile("sgd", "mse")
    before = model(TABLE)
    history = _history(model)
    return [
        before,
        history,
        [type(layer).__name__ for layer in model.layers],
        [w.name for w in model.weights],
        len(model.trainable_weights),
        module.factor,
    ]


def modules_that_cannot_be_called_in_a_sequential_model(tf: Any) -> Any:
    return tf.keras.Sequential([tf.Module()])


def a_method_of_a_module_in_a_sequential_model(tf: Any) -> Any:
    class Scale(tf.Module):
        def forward(self, x: Any) -> Any:
            return 2 * x

    model = tf.keras.Sequential([tf.keras.Input((3,))])
    model.add(Scale())
    return model(TABLE)


def arguments_about_devices_of_cells(tf: Any) -> Any:
    L, found = tf.keras.layers, []
    x = np.ones((2, 3, 4), np.float32)
    for kind in (L.SimpleRNNCell, L.GRUCell, L.LSTMCell):
        for flag in (True, False):
            cell = kind(3, enable_caching_device=flag)
            found.append(["enable_caching_device" in cell.get_config(), L.RNN(cell)(x).shape])
    for kind in (L.SimpleRNN, L.GRU, L.LSTM):
        layer = kind(3, enable_caching_device=True)
        found.append(["enable_caching_device" in layer.get_config(), layer(x).shape])
    return [[known, shape.as_list()] for known, shape in found]


def _outputs(tf: Any, count: int) -> Any:
    i = tf.keras.Input((3,))
    dense = [
        tf.keras.layers.Dense(1, kernel_initializer="zeros", name=f"d{n}") for n in range(count)
    ]
    found = [layer(i) for layer in dense]
    return tf.keras.Model(i, found if count > 1 else found[0])


def more_losses_than_outputs(tf: Any) -> Any:
    model = _outputs(tf, 1)
    model.compile("sgd", ["mse", "mae"])
    return _history(model)


def more_losses_than_several_outputs(tf: Any) -> Any:
    model = _outputs(tf, 2)
    model.compile("sgd", ["mse", "mae", "mse"])
    return _history(model, TABLE, [TABLE[:, :1], TABLE[:, :1]])


def more_metrics_than_several_outputs(tf: Any) -> Any:
    model = _outputs(tf, 2)
    model.compile("sgd", "mse", metrics=[["mse"], ["mae"], ["mse"]])
    return _history(model, TABLE, [TABLE[:, :1], TABLE[:, :1]])


def fewer_losses_than_outputs(tf: Any) -> Any:
    model = _outputs(tf, 2)
    model.compile("sgd", ["mse"])
    return _history(model, TABLE, [TABLE[:, :1], TABLE[:, :1]])


def shapes_to_build_a_sequential_model_for(tf: Any) -> Any:
    K, L = tf.keras, tf.keras.layers

    def shown(model: Any, shape: Any) -> Any:
        model.build(shape)
        return [model.built, len(model.weights), str(model._build_input_shape)]

    empty = K.Sequential()
    return [
        shown(K.Sequential([L.Add(), L.Dense(2)]), [(None, 3), (None, 3)]),
        shown(K.Sequential([L.Add(), L.Dense(2)]), ((None, 3), (None, 3))),
        shown(K.Sequential([_picking(tf), L.Dense(2)]), {"a": (None, 3), "b": (None, 4)}),
        shown(K.Sequential([L.Dense(2)]), [None, 3]),
        shown(K.Sequential([L.Dense(2)]), tf.TensorShape([None, 3])),
        shown(empty, (None, 3)),
    ]


def _picking(tf: Any) -> Any:
    class Picking(tf.keras.layers.Layer):
        def call(self, inputs: Any) -> Any:
            return inputs["a"]

    return Picking()


def an_empty_sequential_model_called(tf: Any) -> Any:
    model = tf.keras.Sequential()
    return [model(TABLE), model.built, model.weights]


def an_empty_sequential_model_built_for_nothing(tf: Any) -> Any:
    return tf.keras.Sequential().build()


def shapes_that_models_compute(tf: Any) -> Any:
    K, L = tf.keras, tf.keras.layers
    i = K.Input((3,))
    two = K.Model(i, [L.Dense(1)(i), i])
    models = [
        K.Sequential([L.Dense(2)]),
        K.Sequential([K.Input((3,)), L.Dense(2)]),
        K.Model(i, L.Dense(2)(i)),
        _own(tf, L.Dense(2)),
        K.Sequential([K.Sequential([L.Dense(4), L.Flatten()]), L.Dense(2)]),
    ]
    shapes = [m.compute_output_shape((None, 3)) for m in models]
    shapes += [models[0].compute_output_shape(tf.TensorShape([5, 3]))]
    return [
        [[type(s).__name__, str(s)] for s in shapes],
        [type(s).__name__ for s in two.compute_output_shape((None, 3))],
    ]


def paths_of_weights(tf: Any) -> Any:
    K, L = tf.keras, tf.keras.layers

    class Nested(K.Model):
        def __init__(self) -> None:
            super().__init__()
            self.one = L.Dense(1)
            self.several = [L.Dense(2), L.Dense(3)]
            self.named = {"x": L.Dense(4)}
            self.stack = K.Sequential([L.Dense(5), L.BatchNormalization()])

        def call(self, x: Any) -> Any:
            for layer in (self.one, *self.several, self.named["x"], self.stack):
                x = layer(x)
            return x

    i = K.Input((3,))
    inner = K.Sequential([L.Dense(1, name="d")], name="inner")
    functional = K.Model(i, L.Dense(2, name="e")(inner(L.Dense(3, name="f")(i))))
    own = Nested()
    own(TABLE)
    models = [functional, K.Sequential([K.Input((3,))]), own]
    models += [K.Sequential([L.Dense(2, name="h"), L.Dense(3, name="k")])]
    models[-1].build((None, 3))
    return [{p: w.shape.as_list() for p, w in m.get_weight_paths().items()} for m in models]


def training_on_datasets_that_are_created(tf: Any) -> Any:
    K = tf.keras
    seen = []

    def make(context: Any) -> Any:
        seen.append(type(context).__name__)
        return tf.data.Dataset.from_tensor_slices((TABLE, TABLE[:, :1])).repeat().batch(1)

    model = K.Sequential([K.Input((3,)), K.layers.Dense(1, kernel_initializer="zeros")])
    model.compile(K.optimizers.SGD(0.01), "mse")
    creator = K.utils.experimental.DatasetCreator(make)
    history = _history(model, creator, epochs=2, steps_per_epoch=3)
    validated = _history(
        model, creator, steps_per_epoch=3, validation_data=creator, validation_steps=2
    )
    return [history, validated, np.float32(model.evaluate(creator, steps=3, verbose=0)), seen]


def a_created_dataset_without_steps(tf: Any) -> Any:
    K = tf.keras
    make = lambda _: tf.data.Dataset.from_tensor_slices((TABLE, TABLE[:, :1])).batch(1)  # noqa: E731
    model = K.Sequential([K.Input((3,)), K.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model.fit(K.utils.experimental.DatasetCreator(make), verbose=0)


def a_created_dataset_that_is_none(tf: Any) -> Any:
    K = tf.keras
    model = K.Sequential([K.Input((3,)), K.layers.Dense(1)])
    model.compile("sgd", "mse")
    creator = K.utils.experimental.DatasetCreator(lambda _: 3)
    return model.fit(creator, steps_per_epoch=1, verbose=0)


def layers_called_on_one_image_in_a_model_of_batches(tf: Any) -> Any:
    K, L = tf.keras, tf.keras.layers
    x = np.ones((2, 6, 6, 3), np.float32)
    found = []
    for shapes in ([(5, 5, 3)], [(5, 5, 3), (1, 7, 7, 3)], [(1, 7, 7, 3), (1, 5, 5, 3)]):
        prepare = K.Sequential([L.Rescaling(0.5), L.ZeroPadding2D()][: 1 + (len(shapes[0]) == 4)])
        for shape in shapes:
            prepare(np.ones(shape, np.float32))
        model = K.Sequential([prepare, L.Conv2D(2, 3, kernel_initializer="ones")])
        found.append([str(prepare.input_shape), model(x)])
        grown = K.Sequential()
        grown.add(prepare)
        grown.add(L.Flatten())
        grown.build((None, 6, 6, 3))
        found.append([grown.output_shape, grown(x).shape.as_list()])
    return found


def features_seen_in_another_shape_and_put_into_a_new_model(tf: Any) -> Any:
    K, L = tf.keras, tf.keras.layers

    def ones(*shape: int) -> Any:
        return np.ones((*shape, 1), np.float32)

    base = K.Sequential([L.Conv2D(2, 3, kernel_initializer="ones"), L.GlobalMaxPooling2D()])
    base(ones(1, 5, 5))
    base(ones(1, 7, 7))
    new = K.Sequential()
    new.add(base)
    new.add(L.Dense(1, kernel_initializer="ones"))
    part = K.Sequential([L.Conv2D(2, 3, kernel_initializer="ones"), L.Flatten()])
    part(ones(2, 5, 5))
    part(ones(1, 4, 4))
    again = K.Sequential([*part.layers[:1], L.GlobalMaxPooling2D()])
    return [new(ones(1, 6, 6)), again(ones(1, 6, 6)), K.Sequential([part])(ones(3, 5, 5))]


def a_call_that_a_class_is_given_after_its_object_was_made(tf: Any) -> Any:
    class Late(tf.keras.Model):
        pass

    def call(self: Any, inputs: Any, training: Any = None) -> Any:
        return inputs * (3 if training else 2)

    model = Late()
    Late.call = call
    model.compile("sgd", "mse")
    return [
        model(TABLE),
        model(TABLE, training=True),
        np.float32(model.evaluate(TABLE, TABLE, verbose=0)),
    ]
