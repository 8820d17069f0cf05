"""Models and their training, to the number: seeds, orders, traces, names and shapes."""

from __future__ import annotations

import os
import tempfile
import warnings
from typing import Any

import numpy as np

X = np.linspace(0, 1, 30, dtype=np.float32).reshape(10, 3)
Y = X.sum(axis=1, keepdims=True)


def _history(model: Any, x: Any = X, y: Any = Y, **options: Any) -> dict[str, Any]:
    options = {"epochs": 2, "batch_size": 4, "verbose": 0, **options}
    found = model.fit(x, y, **options).history
    return {name: np.float32(values) for name, values in found.items()}


def _layers(tf: Any, seed: int | None = None) -> list[Any]:
    layers = tf.keras.layers
    return [layers.Dense(4), layers.Dropout(0.5, seed=seed), layers.Dense(1)]


def _training(tf: Any, model: Any, **options: Any) -> Any:
    model.compile("adam", "mse", **options)
    return _history(model)


def seeded_dropout_of_a_built_model(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    return _training(tf, tf.keras.Sequential([tf.keras.Input((3,)), *_layers(tf)]))


def seeded_dropout_of_a_model_without_shape(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    return _training(tf, tf.keras.Sequential(_layers(tf)))


def seeded_dropout_run_eagerly(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    return _training(tf, tf.keras.Sequential(_layers(tf)), run_eagerly=True)


def dropout_with_a_seed_of_its_own(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    return _training(tf, tf.keras.Sequential([tf.keras.Input((3,)), *_layers(tf, seed=3)]))


def dropout_with_a_seed_of_its_own_in_a_model_without_shape(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    return _training(tf, tf.keras.Sequential(_layers(tf, seed=3)))


def dropout_with_a_seed_and_an_optimizer_that_is_built(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input((3,)), *_layers(tf, seed=3)])
    optimizer = tf.keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    model.compile(optimizer, "mse")
    return _history(model)


def the_order_of_samples_takes_nothing_from_other_random_numbers(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    before = tf.random.uniform([2])
    first = _history(model)
    return before, first, tf.random.uniform([2]), _history(model)


def _counting(tf: Any, seen: list[Any]) -> Any:
    class Counting(tf.keras.layers.Layer):
        def call(self, x: Any, training: Any = None) -> Any:
            seen.append((x.shape.as_list(), training))
            return x

    return Counting()


def shapes_and_modes_of_the_traces_of_a_fit(tf: Any) -> Any:
    seen: list[Any] = []
    for count in (10, 8):
        for start in ([tf.keras.Input((3,))], []):
            seen.append(count)
            model = tf.keras.Sequential([*start, _counting(tf, seen), tf.keras.layers.Dense(1)])
            model.compile("sgd", "mse")
            _history(model, X[:count], Y[:count])
            model.evaluate(X[:count], Y[:count], batch_size=4, verbose=0)
            model.predict(X[:count], batch_size=4, verbose=0)
    return repr(seen)


def traces_of_batches_of_several_sizes(tf: Any) -> Any:
    seen: list[Any] = []
    model = tf.keras.Sequential(
        [tf.keras.Input((3,)), _counting(tf, seen), tf.keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    for count in (4, 4, 6, 3, 4):
        model.train_on_batch(X[:count], Y[:count])
    return repr(seen)


def a_dataset_of_whole_batches_has_a_size_in_the_trace(tf: Any) -> Any:
    seen: list[Any] = []
    model = tf.keras.Sequential(
        [tf.keras.Input((3,)), _counting(tf, seen), tf.keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    data = tf.data.Dataset.from_tensor_slices((X, Y))
    model.fit(data.batch(4, drop_remainder=True), verbose=0)
    return repr(seen)


def _two_outputs(tf: Any) -> Any:
    x = tf.keras.Input((3,))
    dense = tf.keras.layers.Dense
    outputs = [dense(1, name=n, kernel_initializer="zeros")(x) for n in ("p", "q")]
    return tf.keras.Model(x, outputs)


def weighted_metrics_of_the_same_name(tf: Any) -> Any:
    model = _two_outputs(tf)
    model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mae", "mse"])
    found = model.evaluate(X, [Y, Y], sample_weight=np.arange(10.0), verbose=0, return_dict=True)
    return {name: np.float32(value) for name, value in found.items()}


def weighted_metrics_of_one_output(tf: Any) -> Any:
    dense = tf.keras.layers.Dense(1, kernel_initializer="zeros")
    model = tf.keras.Sequential([tf.keras.Input((3,)), dense])
    model.compile("sgd", ["mse"], metrics=["mae"], weighted_metrics=["mae"])
    return _history(model, sample_weight=np.arange(10.0), shuffle=False)


def metric_objects_are_copied_for_several_outputs(tf: Any) -> Any:
    given = tf.keras.metrics.MeanAbsoluteError(name="own")
    model = _two_outputs(tf)
    model.compile("sgd", "mse", metrics=[given])
    model.evaluate(X, [Y, Y + 1], verbose=0)
    return model.metrics_names, given.result(), given in model.metrics


def a_sequential_model_has_the_size_of_its_first_batch(tf: Any) -> Any:
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(2, name="first"), layers.Flatten()])
    shapes = []
    for shape in ((2, 3, 3), (3, 3, 3), (3, 4, 3), (2, 3)):
        model(np.ones(shape, np.float32))
        shapes.append((model.input_shape, model.output_shape))
    return repr(shapes), model.get_config()["layers"][0]["config"]["name"]


def layers_learn_as_they_did_at_compile(tf: Any) -> Any:
    dense = tf.keras.layers.Dense(1, kernel_initializer="zeros")
    model = tf.keras.Sequential([tf.keras.Input((3,)), dense])
    model.compile("sgd", "mse")
    dense.trainable = False
    found = [_history(model, shuffle=False), dense.trainable]
    model.train_on_batch(X, Y)
    found.append(dense.kernel.numpy())
    model.compile("sgd", "mse")
    return [*found, _history(model, shuffle=False), dense.kernel.numpy()]


def a_dataset_that_ends_before_its_epochs(tf: Any) -> Any:
    dense = tf.keras.layers.Dense(1, kernel_initializer="zeros")
    model = tf.keras.Sequential([tf.keras.Input((3,)), dense])
    model.compile("sgd", "mse")
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)
    short = model.fit(data, steps_per_epoch=1, epochs=4, verbose=0)
    whole = model.fit(data, steps_per_epoch=2, epochs=2, verbose=0)
    return [len(short.epoch), np.float32(short.history["loss"]), len(whole.epoch)]


def a_dynamic_layer_says_its_shape(tf: Any) -> Any:
    return tf.keras.layers.Layer(dynamic=True)(tf.keras.Input((3,)))


def dropout_with_a_seed_of_its_own_in_executions_of_several_steps(tf: Any) -> Any:
    found = []
    for layers in ([tf.keras.Input((3,)), *_layers(tf, seed=3)], _layers(tf, seed=3)):
        tf.keras.utils.set_random_seed(1)
        found.append(_training(tf, tf.keras.Sequential(layers), steps_per_execution=2))
    return found


def predictions_of_an_execution_come_together(tf: Any) -> Any:
    seen: list[Any] = []
    model = tf.keras.Sequential(
        [tf.keras.Input((3,)), tf.keras.layers.Dense(1, None, True, "ones")]
    )
    model.compile("sgd", "mse", steps_per_execution=2)
    callback = tf.keras.callbacks.LambdaCallback()
    callback.on_predict_batch_begin = lambda batch, logs=None: seen.append(batch)
    callback.on_predict_batch_end = lambda batch, logs=None: seen.append(
        (batch, tuple(logs["outputs"].shape))
    )
    batches = tf.data.Dataset.from_tensor_slices(X).batch(3)
    found = [model.predict(x, 4, 0, callbacks=[callback]) for x in (X, batches)]
    return found, seen


def arguments_that_say_nothing_without_a_cluster_or_sessions(tf: Any) -> Any:
    layer = tf.keras.layers.Layer()
    weight = layer.add_weight("a", (2,), initializer="ones", use_resource=False)
    model = tf.keras.Sequential(
        [tf.keras.Input((3,)), tf.keras.layers.Dense(1, None, True, "ones")]
    )
    model.compile("sgd", "mse", pss_evaluation_shards="auto")
    return weight, weight.name, model.evaluate(X, 2 * Y, verbose=0), model.get_compile_config()


def _summary(model: Any, **options: Any) -> list[str]:
    lines: list[str] = []
    model.summary(print_fn=lines.append, **options)
    return lines


def functions_as_layers_have_the_names_of_tensorflow(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    x = tf.keras.Input((4,), name="x")
    y = tf.transpose(x) @ tf.pad(x, [[0, 0], [1, 1]])
    y = tf.squeeze(tf.gather(y, [0]), axis=0) // 2 + tf.norm(x) / tf.cast(
        tf.shape(x)[0], tf.float32
    )
    model = tf.keras.Model(x, tf.nn.softmax(1 / (1 + y * y)), name="functions")
    return model(X[:, :1] * np.float32([1, 2, 3, 4])), _summary(model)


def functions_with_arguments_that_have_no_names(tf: Any) -> Any:
    x = tf.keras.Input((2,), batch_size=2)
    outputs = [tf.einsum("ij,ik->jk", x, x), *tf.meshgrid(x[0], x[1])]
    return tf.keras.Model(x, outputs)(tf.constant([[1.0, 2.0], [3.0, 4.0]]))


def a_model_that_begins_in_the_middle_of_another(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    a = tf.keras.Input((3,), name="a")
    b = tf.keras.Input((2,), name="b")
    x = tf.keras.layers.Dense(2, kernel_initializer="ones", name="first")(a)
    y = tf.keras.layers.Dense(2, kernel_initializer="ones", name="second")(x + b)
    model = tf.keras.Model([x, b], tf.keras.layers.Add(name="sum")([x, y]), name="tail")
    config = model.get_config()
    again = tf.keras.Model.from_config(config)
    again.set_weights(model.get_weights())
    data = [X[:2, :2], X[2:4, :2]]
    found = [model(data), again(data), model.input_names, _summary(model)]
    return found, config["input_layers"], [layer["name"] for layer in config["layers"]]


def _small_model(tf: Any, **options: Any) -> Any:
    class Small(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__(name="small")
            self.dense = tf.keras.layers.Dense(2, name="inner")

        def call(self, inputs: Any) -> Any:
            return self.dense(inputs)

    return Small()


def names_of_weights_made_by_build_and_by_a_call(tf: Any) -> Any:
    built, called = _small_model(tf), _small_model(tf)
    built.build((None, 3))
    called(X)
    return [[weight.name for weight in model.weights] for model in (built, called)]


def a_shared_layer_has_the_input_of_its_first_call(tf: Any) -> Any:
    layer = tf.keras.layers.Dense(2, name="shared")
    first, second = tf.keras.Input((3,), name="one"), tf.keras.Input((3,), name="two")
    outputs = [layer(first), layer(second)]
    return layer.input is first, layer.output is outputs[0], layer.input_shape, str(first)


def inputs_of_other_ranks_pass(tf: Any) -> Any:
    x = tf.keras.Input((3,))
    model = tf.keras.Model(x, tf.keras.layers.Lambda(lambda t: t * 2)(x))
    return model(tf.ones((2, 3, 4)))


def a_layer_called_on_a_layer(tf: Any) -> Any:
    return tf.keras.layers.Dense(2)(tf.keras.layers.Dense(3))


def a_loss_that_is_added_outside_a_call(tf: Any) -> Any:
    tf.keras.layers.Layer().add_loss(tf.constant(2.0))


def a_summary_of_layers_that_are_not_there(tf: Any) -> Any:
    lines: list[str] = []
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    try:
        model.summary(print_fn=lines.append, layer_range=["nothing", "dense"])
    except ValueError as error:
        return type(error).__name__, lines


def a_copy_by_something_that_is_no_function(tf: Any) -> Any:
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    return tf.keras.models.clone_model(model, clone_function=3)


def arguments_of_compile_of_tensorflow_1(tf: Any) -> Any:
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", target_tensors=1)


def older_methods_for_generators(tf: Any) -> Any:
    def batches() -> Any:
        return ((X, Y) for _ in range(5))

    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = model.fit_generator(batches(), 2, 2, 0).history["loss"]
        return found, model.evaluate_generator(batches(), 2), model.predict_generator(batches(), 2)


def _batches_seen(tf: Any, data: Any, **options: Any) -> list[Any]:
    """The labels of each batch of a fit of two epochs."""
    seen: list[Any] = []

    class Watching(tf.keras.Sequential):  # type: ignore[misc, name-defined]
        def train_step(self, batch: Any) -> Any:
            seen.append(batch[1].numpy().ravel().tolist())
            return {"number": 1.0}

    model = Watching([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=True)
    model.fit(data, epochs=2, verbose=0, **options)
    return seen


def the_orders_of_a_shuffled_dataset(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    rows = tf.data.Dataset.from_tensor_slices((X, np.arange(10.0)))
    return _batches_seen(tf, rows.shuffle(10, seed=2).batch(4))


def the_orders_of_a_sequence(tf: Any) -> Any:
    asked: list[int] = []

    class Numbers(tf.keras.utils.Sequence):  # type: ignore[misc, name-defined]
        def __len__(self) -> int:
            return 5

        def __getitem__(self, index: int) -> Any:
            asked.append(index)
            return X[:2], np.full(2, float(index))

    tf.keras.utils.set_random_seed(1)
    return _batches_seen(tf, Numbers()), asked[0], len(asked)


def the_orders_of_an_iterator_over_images(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    images = np.zeros((10, 2, 2, 1), np.float32)
    generator = tf.keras.preprocessing.image.ImageDataGenerator()
    return _batches_seen(tf, generator.flow(images, np.arange(10.0), batch_size=4, seed=1))


def the_loss_that_a_step_returns_is_that_of_the_metric(tf: Any) -> Any:
    class Own(tf.keras.Sequential):  # type: ignore[misc, name-defined]
        def train_step(self, data: Any) -> Any:
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compute_loss(x, y, self(x, training=True))
            self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
            return {"loss": loss}

    model = Own([tf.keras.Input((3,)), tf.keras.layers.Dense(1, None, True, "ones")])
    model.compile("sgd", "mse")
    found = _history(model, y=Y + 1, shuffle=False)
    return found, np.float32(model.train_on_batch(X, Y))


def the_order_of_a_shuffled_dataset_after_layers_have_looked_at_it(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    rows = tf.data.Dataset.from_tensor_slices(X).shuffle(10, seed=2).batch(4)
    found = []
    for steps in (None, 2, 3):
        tf.keras.layers.Normalization().adapt(rows, steps=steps)
        found.append(next(iter(rows)))
    tf.keras.layers.IntegerLookup().adapt(rows.map(lambda x: tf.cast(x * 30, tf.int64)))
    return found, next(iter(rows))


def a_layer_that_is_added_twice(tf: Any) -> Any:
    twice = tf.keras.layers.Dense(3, kernel_initializer="ones", name="twice")
    last = tf.keras.layers.Dense(1, kernel_initializer="ones", name="last")
    model = tf.keras.Sequential([tf.keras.Input((3,)), twice, twice, last], name="model")
    names = [layer.name for layer in model.layers]
    return names, model(X[:2]), len(model.weights), _summary(model)


def another_layer_of_the_same_name(tf: Any) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential([layers.Dense(3, name="a"), layers.Dense(3, name="a")])


def a_model_whose_build_ends_with_that_of_its_base(tf: Any) -> Any:
    class Rebuilding(tf.keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.hidden = tf.keras.layers.Dense(2, kernel_initializer="ones", name="hidden")
            self.builds = 0

        def build(self, input_shape: Any) -> None:
            self.builds += 1
            self.back = tf.keras.layers.Dense(
                input_shape[-1], kernel_initializer="ones", name="back"
            )
            super().build(input_shape)

        def call(self, inputs: Any) -> Any:
            return self.back(self.hidden(inputs))

    trained, built = Rebuilding(), Rebuilding()
    trained.compile("sgd", "mse")
    history = _history(trained, y=X, shuffle=False)
    built.build((None, 3))
    names = [weight.name for model in (trained, built) for weight in model.weights]
    return history, names, trained.builds, built.builds, trained.built, built(X[:2])


def the_loss_of_a_model_that_was_compiled_without_one(tf: Any) -> Any:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd")
    return model.loss


def a_config_that_a_layer_cannot_take(tf: Any) -> Any:
    return tf.keras.layers.Dense.from_config({"units": 1, "activation": "unheard of"})


def _outputs_by_name(tf: Any, targets: Any, **options: Any) -> Any:
    x = tf.keras.Input((3,))
    outputs = {
        name: tf.keras.layers.Dense(1, kernel_initializer="ones", name=name)(x)
        for name in ("second", "first")
    }
    model = tf.keras.Model(x, outputs)
    model.compile("sgd", **options)
    return _history(model, y=targets, epochs=1, shuffle=False)


def a_list_of_losses_for_outputs_by_name(tf: Any) -> Any:
    targets = {"first": Y, "second": Y + 1}
    return _outputs_by_name(tf, targets, loss=["mse", "mae"], loss_weights=[1.0, 0.5])


def a_list_of_targets_for_outputs_by_name(tf: Any) -> Any:
    return _outputs_by_name(tf, [Y, Y + 1], loss="mse")


def _ragged_model(tf: Any, make: Any, *dtypes: Any) -> Any:
    """A model that makes a ragged tensor of inputs, and what the inputs are called."""
    inputs = [tf.keras.Input([], dtype=dtype) for dtype in ("float32", *dtypes)]
    return tf.keras.Model(inputs, make(*inputs))


_MAKERS = {
    "from_row_splits": [[0, 2, 3]],
    "from_row_lengths": [[2, 1]],
    "from_row_starts": [[0, 2]],
    "from_row_limits": [[2, 3]],
    "from_value_rowids": [[0, 0, 1]],
}


def ragged_tensors_of_symbolic_inputs(tf: Any) -> Any:
    found = []
    for name, (given,) in _MAKERS.items():
        model = _ragged_model(tf, getattr(tf.RaggedTensor, name), "int64")
        result = model([tf.constant([1.0, 2.0, 3.0]), tf.constant(given, tf.int64)])
        kinds = [type(layer).__name__ for layer in model.layers]
        spec = repr(model.outputs[0].type_spec)
        found.append([result.to_list(), spec, kinds, model.layers[-1].name.rstrip("_0123456789")])
    return found


def options_of_ragged_tensors_of_symbolic_inputs(tf: Any) -> Any:
    def lines(x: Any, rows: Any) -> Any:
        return tf.RaggedTensor.from_value_rowids(x * 2.0, rows, nrows=4, validate=False)

    model = _ragged_model(tf, lines, "int64")
    values = tf.constant([1.0, 2.0, 3.0])
    found = model([values, tf.constant([0, 0, 2], tf.int64)])
    x = tf.keras.Input([3])
    sparse = tf.keras.Input([3], sparse=True)
    others = [
        tf.RaggedTensor.from_tensor(x, padding=0.0),
        tf.RaggedTensor.from_tensor(x),
        tf.RaggedTensor.from_sparse(sparse),
    ]
    model = tf.keras.Model([x, sparse], others)
    table = tf.constant([[1.0, 0.0, 0.0], [2.0, 3.0, 0.0]])
    results = model([table, tf.sparse.from_dense(table)])
    return found.to_list(), [r.to_list() for r in results], [str(o.shape) for o in others]


def nested_ragged_tensors_of_symbolic_inputs(tf: Any) -> Any:
    def nested(x: Any, outer: Any, inner: Any) -> Any:
        return tf.RaggedTensor.from_nested_row_splits(x, [outer, inner])

    model = _ragged_model(tf, nested, "int64", "int64")
    outer, inner = tf.constant([0, 2], tf.int64), tf.constant([0, 2, 3], tf.int64)
    found = model([tf.constant([1.0, 2.0, 3.0]), outer, inner])
    return found.to_list(), str(model.outputs[0].shape), len(model.layers)


def saved_models_that_make_ragged_tensors(tf: Any) -> Any:
    found: list[Any] = []
    for name in ("model", "model.h5", "model.keras"):
        path = os.path.join(tempfile.mkdtemp(), name)
        lengths = tf.keras.Input([], dtype="int64")
        values = tf.keras.Input([])
        rows = tf.RaggedTensor.from_row_lengths(values, lengths, validate=False)
        model = tf.keras.Model([values, lengths], [rows, tf.ragged.range(lengths)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.save(path)
            loaded = tf.keras.models.load_model(path)
        results = loaded([tf.constant([1.0, 2.0, 3.0]), tf.constant([2, 1], tf.int64)])
        found.append([result.to_list() for result in results])
    return found


def the_config_of_a_layer_that_makes_ragged_tensors(tf: Any) -> Any:
    model = _ragged_model(tf, tf.RaggedTensor.from_row_splits, "int64")
    config = model.layers[-1].get_config()
    config.pop("name")
    again = tf.keras.Model.from_config(model.get_config())
    found = again([tf.constant([1.0, 2.0, 3.0]), tf.constant([0, 2, 3], tf.int64)])
    return sorted(map(str, config.items())), found.to_list()


def _model_with_a_loss(tf: Any, kind: str) -> Any:
    x = tf.keras.Input((3,))
    dense = tf.keras.layers.Dense(1, kernel_initializer="ones", activity_regularizer=kind or None)
    model = tf.keras.Model(x, dense(x))
    if not kind:
        model.add_loss(tf.reduce_sum(model.output))
    return model


def _losses(tf: Any, model: Any) -> Any:
    return ["symbolic" if tf.is_symbolic_tensor(loss) else loss for loss in model.losses]


def losses_before_and_after_a_call(tf: Any) -> Any:
    found = []
    for kind in ("", "l2"):
        model = _model_with_a_loss(tf, kind)
        found.append(_losses(tf, model))
        model(X)
        found.append(_losses(tf, model))
    return found


def losses_after_training(tf: Any) -> Any:
    model = _model_with_a_loss(tf, "")
    model.compile("sgd", "mse")
    history = _history(model, shuffle=False)
    traced = _losses(tf, model)
    model(X)
    return [history, traced, len(model.losses), model.evaluate(X, Y, verbose=0)]


def losses_of_a_layer_that_is_called_twice(tf: Any) -> Any:
    x = tf.keras.Input((3,))
    layer = tf.keras.layers.ActivityRegularization(l1=1.0)
    model = tf.keras.Model(x, layer(layer(x)))
    before = _losses(tf, model)
    model(X)
    return [before, model.losses]
