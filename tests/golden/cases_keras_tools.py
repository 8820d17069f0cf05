"""Names and tools of Keras that no other table uses."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import time
from typing import Any

import numpy as np

OTHER_NAMES = """AvgPool1D=AveragePooling1D AvgPool2D=AveragePooling2D AvgPool3D=AveragePooling3D
MaxPool1D=MaxPooling1D MaxPool2D=MaxPooling2D MaxPool3D=MaxPooling3D
GlobalAvgPool1D=GlobalAveragePooling1D GlobalAvgPool2D=GlobalAveragePooling2D
GlobalAvgPool3D=GlobalAveragePooling3D GlobalMaxPool1D=GlobalMaxPooling1D
GlobalMaxPool2D=GlobalMaxPooling2D GlobalMaxPool3D=GlobalMaxPooling3D Convolution1D=Conv1D
Convolution2D=Conv2D Convolution3D=Conv3D Convolution1DTranspose=Conv1DTranspose
Convolution2DTranspose=Conv2DTranspose Convolution3DTranspose=Conv3DTranspose
SeparableConvolution1D=SeparableConv1D SeparableConvolution2D=SeparableConv2D""".split()


def other_names_of_layers(tf: Any) -> Any:
    pairs = [name.split("=") for name in OTHER_NAMES]
    layers = tf.keras.layers
    return [[a, getattr(layers, a) is getattr(layers, b)] for a, b in pairs]


def specs_of_inputs(tf: Any) -> Any:
    spec = tf.keras.layers.InputSpec
    specs = [
        spec(shape=(None, 3)),
        spec(ndim=4, axes={1: 3, -1: 2}, dtype="float32"),
        spec(max_ndim=3, min_ndim=2),
    ]
    configs = [sorted((k, str(v)) for k, v in s.get_config().items()) for s in specs]
    again = spec.from_config(specs[0].get_config())
    return [repr(s) for s in specs], configs, repr(again)


def a_spec_of_an_impossible_axis(tf: Any) -> Any:
    return tf.keras.layers.InputSpec(ndim=2, axes={3: 4})


def stacked_cells(tf: Any) -> Any:
    L = tf.keras.layers
    cells = L.StackedRNNCells([L.SimpleRNNCell(2), L.LSTMCell(3)])
    sizes = [cells.state_size, cells.output_size]
    names = [c["class_name"] for c in cells.get_config()["cells"]]
    states = cells.get_initial_state(batch_size=2, dtype="float32")
    return sizes, names, states


def a_stack_of_numbers(tf: Any) -> Any:
    return tf.keras.layers.StackedRNNCells([3])


def a_wrapper_of_the_users(tf: Any) -> Any:
    class Twice(tf.keras.layers.Wrapper):
        def call(self, x: Any) -> Any:
            return self.layer(x) * 2

    layer = Twice(tf.keras.layers.Dense(1, kernel_initializer="ones"), name="twice")
    out = layer(tf.ones([1, 3]))
    return out, len(layer.trainable_weights), sorted(layer.get_config())


def a_wrapper_of_a_number(tf: Any) -> Any:
    return tf.keras.layers.Wrapper(3)


def policies(tf: Any) -> Any:
    mixed = tf.keras.mixed_precision
    names = ("float32", "mixed_float16", "mixed_bfloat16", "float64")
    known = [mixed.Policy(name) for name in names]
    before = mixed.global_policy().name
    mixed.set_global_policy("mixed_float16")
    layer = tf.keras.layers.Dense(1)
    during = [mixed.global_policy().name, layer.compute_dtype, layer.dtype]
    mixed.set_global_policy("float32")
    each = [[p.name, p.compute_dtype, p.variable_dtype, repr(p), p.get_config()] for p in known]
    return each, before, during, mixed.global_policy().name


def a_policy_of_integers(tf: Any) -> Any:
    tf.keras.mixed_precision.set_global_policy("int8")


def an_unknown_policy(tf: Any) -> Any:
    return tf.keras.mixed_precision.Policy("mixed_float8")


def a_model_from_its_config(tf: Any) -> Any:
    x = tf.keras.Input((3,), name="x")
    model = tf.keras.Model(x, tf.keras.layers.Dense(2, name="d")(x), name="m")
    config = {"class_name": "Functional", "config": model.get_config()}
    again = tf.keras.models.model_from_config(config)
    return [layer.name for layer in again.layers], again.output_shape[1], again.name


def a_model_from_a_list(tf: Any) -> Any:
    return tf.keras.models.model_from_config([])


def names_of_custom_objects(tf: Any) -> Any:
    utils = tf.keras.utils

    @utils.register_keras_serializable(package="tools", name="thing")
    class Thing:
        def get_config(self) -> Any:
            return {}

    found = [utils.get_registered_name(Thing), utils.get_registered_object("tools>thing") is Thing]
    with utils.CustomObjectScope({"Other": Thing}):
        found.append(utils.get_registered_object("Other") is Thing)
    found.append(utils.get_registered_object("Other"))
    found.append(utils.get_registered_object("Mine", {"Mine": Thing}) is Thing)
    found.append(utils.get_registered_object("Mine", None, {"Mine": Thing}) is Thing)
    found.append(utils.get_registered_name(dict))
    found.append("tools>thing" in utils.get_custom_objects())
    found.append(tf.keras.saving.get_custom_objects() is utils.get_custom_objects())
    found.append(tf.keras.saving.get_registered_name(Thing))
    found.append(tf.keras.saving.get_registered_object("tools>thing") is Thing)
    del utils.get_custom_objects()["tools>thing"]
    return found


def registering_a_class_without_a_config(tf: Any) -> Any:
    class Bare:
        pass

    return tf.keras.utils.register_keras_serializable()(Bare)


def batches_of_arrays_of_images(tf: Any) -> Any:
    image = tf.keras.preprocessing.image
    x = np.arange(5 * 2 * 2 * 3, dtype=np.float32).reshape(5, 2, 2, 3)
    y = np.arange(5)
    data = image.ImageDataGenerator(rescale=0.5)
    plain = image.NumpyArrayIterator(x, y, data, batch_size=2, shuffle=False)
    mixed = image.NumpyArrayIterator(x, y, data, batch_size=3, shuffle=True, seed=4)
    found = [next(plain), next(plain), next(plain), next(plain), next(mixed), next(mixed)]
    return found, len(plain), [plain.n, plain.batch_size], [b.shape for b in plain[1]]


def arrays_of_images_and_too_few_labels(tf: Any) -> Any:
    image = tf.keras.preprocessing.image
    data = image.ImageDataGenerator()
    return image.NumpyArrayIterator(np.ones((3, 2, 2, 3)), np.ones(2), data)


def batches_of_a_folder_of_images(tf: Any) -> Any:
    image = tf.keras.preprocessing.image
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(["a/1.png", "a/2.png", "b/3.png", "b/4.png", "b/5.png"]):
            os.makedirs(os.path.join(folder, name[0]), exist_ok=True)
            tf.keras.utils.save_img(
                os.path.join(folder, name), np.full((4, 4, 3), 40 * number), scale=False
            )
        options = {"target_size": (2, 2), "batch_size": 2}
        data = image.ImageDataGenerator()
        batches = image.DirectoryIterator(folder, data, shuffle=False, **options)
        mixed = image.DirectoryIterator(folder, data, class_mode="binary", seed=2, **options)
        found = [next(batches), next(batches), next(mixed), next(mixed)]
        facts = [batches.class_indices, batches.filenames, batches.classes, batches.samples]
        return found, facts


def a_queue_of_a_sequence(tf: Any) -> Any:
    class Squares(tf.keras.utils.Sequence):
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> Any:
            return np.array([index**2])

    queue = tf.keras.utils.OrderedEnqueuer(Squares(), use_multiprocessing=False, shuffle=False)
    before = isinstance(queue, tf.keras.utils.SequenceEnqueuer), queue.is_running()
    queue.start(workers=2, max_queue_size=3)
    running, batches = queue.is_running(), queue.get()
    found = [next(batches) for _ in range(6)]
    queue.stop()
    return before, running, found, queue.is_running()


def evaluating_beside_a_training(tf: Any) -> Any:
    x, y = np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)

    def make() -> Any:
        dense = tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(3,))
        model = tf.keras.Sequential([dense])
        model.compile(tf.keras.optimizers.SGD(0.01), "mse")
        return model

    losses: list[Any] = []

    class Note(tf.keras.callbacks.Callback):
        def on_test_end(self, logs: Any = None) -> None:
            losses.append(np.float32(logs["loss"]))

    with tempfile.TemporaryDirectory() as folder:
        model = make()
        checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
        manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
        model.fit(x, y, epochs=3, verbose=0)
        manager.save()
        evaluator = tf.keras.utils.SidecarEvaluator(
            make(),
            tf.data.Dataset.from_tensor_slices((x, y)).batch(2),
            folder,
            max_evaluations=1,
            callbacks=[Note()],
        )
        with contextlib.redirect_stdout(io.StringIO()):
            evaluator.start()
        return losses, evaluator.model.get_weights()


def tuning_the_steps_of_executions(tf: Any) -> Any:
    optimizer, steps = tf.keras.optimizers.SGD(), tf.Variable(3, dtype="int64")
    optimizer.build([tf.Variable(1.0)])
    tuner = tf.keras.utils.StepsPerExecutionTuner(optimizer, steps, interval=60)
    before = int(tuner.steps_per_execution)
    tuner.start()
    tuner.stop()
    tuner.steps_per_execution = 5
    return before, int(steps), tuner.init_spe


def something_every_few_moments(tf: Any) -> Any:
    class Counter(tf.keras.utils.TimedThread):
        def __init__(self, interval: float) -> None:
            self.count = 0
            super().__init__(interval)

        def on_interval(self) -> None:
            self.count += 1

    with Counter(0.01) as counter:
        while counter.count < 2:
            time.sleep(0.01)
        alive = counter.is_alive()
    counter.stop()
    counter.thread.join()
    return alive, counter.is_alive(), counter.count >= 2


def messages(tf: Any) -> Any:
    utils = tf.keras.utils
    found = [utils.is_interactive_logging_enabled()]
    utils.disable_interactive_logging()
    found.append(utils.is_interactive_logging_enabled())
    utils.enable_interactive_logging()
    return [*found, utils.is_interactive_logging_enabled()]


def a_dataset_made_by_a_function(tf: Any) -> Any:
    x, y = np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)

    def make(context: Any = None) -> Any:
        return tf.data.Dataset.from_tensor_slices((x, y)).batch(2).repeat()

    creator = tf.keras.utils.experimental.DatasetCreator(make)
    return len(list(creator(None).take(3))), creator.input_options


def a_dataset_made_by_a_number(tf: Any) -> Any:
    return tf.keras.utils.experimental.DatasetCreator(3)


def a_dataset_that_is_none(tf: Any) -> Any:
    return tf.keras.utils.experimental.DatasetCreator(lambda context: 3)(None)


def where_a_tensor_comes_from(tf: Any) -> Any:
    a, b = tf.keras.Input((3,), name="a"), tf.keras.Input((3,), name="b")
    c = tf.keras.layers.Dense(2)(tf.keras.layers.Add()([a, b]))
    find = tf.keras.utils.get_source_inputs
    return sorted(t.name for t in find(c)), [t.name for t in find(a)]


def preprocessing_layers_are_known(tf: Any) -> Any:
    kind = tf.keras.layers.experimental.preprocessing.PreprocessingLayer
    layers = tf.keras.layers
    some = [layers.Normalization, layers.StringLookup, layers.TextVectorization]
    return [issubclass(layer, kind) for layer in some], issubclass(layers.Dense, kind)


def _columns(tf: Any) -> Any:
    inside = getattr(tf.__internal__, "feature_column", None)
    base = object if inside is None else inside.DenseColumn

    class Scaled(base):  # type: ignore[misc, valid-type]
        """A number, times a weight."""

        _is_v2_column = True
        parse_example_spec: Any = {}
        parents: Any = ()

        def __init__(self, key: str, start: float) -> None:
            self.key, self.start = key, start

        name = property(lambda self: f"scaled_{self.key}")
        variable_shape = property(lambda self: tf.TensorShape([2]))

        def create_state(self, manager: Any) -> None:
            initializer = tf.keras.initializers.Constant(self.start)
            manager.create_variable(self, "w", [2], tf.float32, initializer=initializer)

        def transform_feature(self, cache: Any, manager: Any) -> Any:
            return cache.get(self.key, manager) * 10.0

        def get_dense_tensor(self, cache: Any, manager: Any) -> Any:
            return cache.get(self, manager) * manager.get_variable(self, "w")

        def get_config(self) -> Any:
            return {"key": self.key, "start": self.start}

        @classmethod
        def from_config(
            cls, config: Any, custom_objects: Any = None, columns_by_name: Any = None
        ) -> Any:
            return cls(**config)

    return Scaled


def features_by_columns(tf: Any) -> Any:
    Scaled = _columns(tf)
    layer = tf.keras.layers.DenseFeatures([Scaled("b", 2.0), Scaled("a", 3.0)])
    features = {"a": tf.constant([1.0, 2.0]), "b": tf.constant([[3.0], [4.0]])}
    with tf.GradientTape() as tape:
        found = layer(features)
        total = tf.reduce_sum(found)
    each: dict[Any, Any] = {}
    layer(features, cols_to_output_tensors=each)
    return [
        found,
        [w.shape.as_list() for w in layer.trainable_weights],
        tape.gradient(total, layer.trainable_weights),
        sorted(column.name for column in each),
        layer.compute_output_shape((None, 1))[1],
    ]


def features_that_are_no_dict(tf: Any) -> Any:
    return tf.keras.layers.DenseFeatures([_columns(tf)("a", 1.0)])(tf.ones([2, 1]))


def a_feature_that_is_missing(tf: Any) -> Any:
    return tf.keras.layers.DenseFeatures([_columns(tf)("a", 1.0)])({"b": tf.ones([2, 1])})


def no_columns(tf: Any) -> Any:
    return tf.keras.layers.DenseFeatures([])


def a_column_twice(tf: Any) -> Any:
    Scaled = _columns(tf)
    return tf.keras.layers.DenseFeatures([Scaled("a", 1.0), Scaled("a", 2.0)])


def columns_that_are_numbers(tf: Any) -> Any:
    return tf.keras.layers.DenseFeatures([3])


def columns_in_a_dict(tf: Any) -> Any:
    return tf.keras.layers.DenseFeatures({"a": _columns(tf)("a", 1.0)})


def names_of_experiments(tf: Any) -> Any:
    kinds = [tf.keras.experimental.CosineDecay, tf.keras.experimental.CosineDecayRestarts]
    schedules = [kind(0.1, 10) for kind in kinds]
    evaluator = tf.keras.experimental.SidecarEvaluator
    same = issubclass(evaluator, tf.keras.utils.SidecarEvaluator)
    return [[schedule(step) for step in (0, 5, 9)] for schedule in schedules], same


def _twice(x: Any) -> Any:
    return 2 * x


def configs_of_activations(tf: Any) -> Any:
    of = tf.keras.activations
    kinds = (of.relu, tf.nn.silu, tf.nn.leaky_relu, _twice, tf.square)
    layer = tf.keras.layers.Dense(2, activation=_twice)
    return [*map(of.serialize, kinds), layer.get_config()["activation"]]


def configs_of_activations_in_the_older_format(tf: Any) -> Any:
    of = tf.keras.activations
    return [of.serialize(f, use_legacy_format=True) for f in (of.relu, _twice, lambda x: x)]


def the_config_of_a_word_that_is_no_activation(tf: Any) -> Any:
    return tf.keras.activations.serialize("abcd")


def the_config_of_the_name_of_an_activation(tf: Any) -> Any:
    return tf.keras.activations.serialize("relu")
