"""Symbolic tensors and small parts of layers: configs, copies, axes, dtypes, frozen layers."""

from __future__ import annotations

import copy
import os
import tempfile
import warnings
from typing import Any

import numpy as np

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def _again(tf: Any, model: Any) -> Any:
    return type(model).from_config(model.get_config())


def class_methods_in_a_config(tf: Any) -> Any:
    K, R = tf.keras, tf.RaggedTensor
    i, lengths = K.Input((3,)), K.Input((), dtype="int64")
    models = [
        K.Model(i, R.from_tensor(i)),
        K.Model(i, R.from_tensor(i, padding=0.0)),
        K.Model(i, R.from_tensor(i, ragged_rank=1)),
        K.Model(i, R.from_tensor(i).to_tensor()),
    ]
    found = [_again(tf, model)(X) for model in models]
    both = K.Model([i, lengths], R.from_tensor(i, lengths))
    rows = K.Model([i, lengths], R.from_row_lengths(i, lengths))
    given = [X, np.int64([1, 1])]
    sparse = K.Input((3,), sparse=True)
    shown = K.Model(sparse, R.from_sparse(sparse))
    value = tf.sparse.from_dense(np.float32([[1, 2, 0], [3, 0, 0]]))
    return [*found, _again(tf, both)(given), _again(tf, rows)(given), _again(tf, shown)(value)]


def structures_in_configs(tf: Any) -> Any:
    K = tf.keras
    i, j, k = K.Input((3,)), K.Input((3,)), K.Input((3,))
    nested = K.Model(i, [[i * 1, i * 2], {"a": i * 3}])
    several = K.Model((i, [j, k]), i + j + k)
    alone = K.Model(i, [tf.concat([i], 0), tf.stack([i], 1)])
    pair = _again(tf, K.Model(i, (i * 1, i * 2)))
    return [
        _again(tf, nested)(X),
        _again(tf, several)((X, [X, X])),
        _again(tf, alone)(X),
        [type(pair(X)).__name__, type(_again(tf, several).input).__name__],
    ]


def rows_that_are_a_tuple(tf: Any) -> Any:
    i = tf.keras.Input((None, None), ragged=True)
    splits = i.nested_row_splits
    x = tf.ragged.constant([[[1.0], [2.0, 3.0]], [[4.0]]])
    model = tf.keras.Model(i, splits)
    return [
        type(splits).__name__,
        len(splits),
        type(model(x)).__name__,
        model(x),
        type(i.nested_row_lengths()).__name__,
        type(i.nested_value_rowids()).__name__,
        type(_again(tf, model)(x)).__name__,
    ]


def a_tensor_indexed_by_a_symbolic_one(tf: Any) -> Any:
    table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    i = tf.keras.Input((), batch_size=1, dtype="int32")
    number = tf.reduce_sum(i)
    model = tf.keras.Model(i, [table[number], table[number:], table[0, number], table[..., number]])
    variable = tf.Variable(table)
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    rows = tf.keras.Model(i, [ragged[number], ragged[:, number:], ragged[number, number]])
    of_variable = tf.keras.Model(i, variable[number])
    one = np.int32([1])
    return [model(one), of_variable(one), _again(tf, model)(one), rows(one)]


def copies_of_models_that_are_not_built(tf: Any) -> Any:
    class Own(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")

        def call(self, x: Any) -> Any:
            return self.dense(x)

    made = Own()
    found = copy.copy(made)
    same = found.dense is made.dense
    other = copy.copy(tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")]))
    return [same, type(found).__name__, found(X), other(X), copy.copy(made.dense)(X)]


def a_deep_copy_of_a_model_that_is_not_built(tf: Any) -> Any:
    class Own(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")

        def call(self, x: Any) -> Any:
            return self.dense(x)

    made = Own()
    found = copy.deepcopy(made)
    return [found.dense is made.dense, found(X), made.built]


def _with_spec(tf: Any, **spec: Any) -> Any:
    class Checked(tf.keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return x

    layer = Checked()
    layer.input_spec = tf.keras.layers.InputSpec(**spec)
    return layer


def a_dtype_that_the_cast_would_make(tf: Any) -> Any:
    return _with_spec(tf, dtype="float32")(X.astype("float64"))


def a_dtype_that_the_cast_would_spoil(tf: Any) -> Any:
    return _with_spec(tf, dtype="float64")(X.astype("float64"))


def a_dtype_that_fits(tf: Any) -> Any:
    return _with_spec(tf, dtype="float32")(X)


def an_axis_that_is_too_large(tf: Any) -> Any:
    return tf.keras.layers.InputSpec(ndim=2, axes={3: 1})


def an_axis_at_the_rank(tf: Any) -> Any:
    return str(tf.keras.layers.InputSpec(ndim=2, axes={2: 1}))


def an_axis_that_is_no_number(tf: Any) -> Any:
    return tf.keras.layers.InputSpec(shape=[1, None, 2, 3], axes={"string": 2})


def an_axis_beyond_the_shape(tf: Any) -> Any:
    return tf.keras.layers.InputSpec(shape=[1, None, 2, 3], axes={1: 3, 4: 2, 5: 1})


def an_axis_beyond_the_largest_rank(tf: Any) -> Any:
    return tf.keras.layers.InputSpec(max_ndim=2, axes={3: 1})


def an_axis_of_an_input_that_has_too_few(tf: Any) -> Any:
    return _with_spec(tf, axes={3: 1})(X)


def variables_as_arguments_of_a_lambda(tf: Any) -> Any:
    v = tf.Variable(3.0, name="v")
    layer = tf.keras.layers.Lambda(lambda x, v: x * v, arguments={"v": v})
    model = tf.keras.Sequential([tf.keras.Input((3,)), layer])
    return [layer(X), len(layer.weights), len(layer.trainable_weights), len(model.weights)]


def predictions_that_are_scalars(tf: Any) -> Any:
    class Own(tf.keras.Model):
        def call(self, x: Any) -> Any:
            return tf.reduce_sum(x)

    class Named(tf.keras.Model):
        def call(self, x: Any) -> Any:
            return {"sum": tf.reduce_sum(x), "x": x}

    class Counted(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.mean = tf.keras.metrics.Mean()

        def call(self, x: Any) -> Any:
            return x

        def predict_step(self, data: Any) -> Any:
            self.mean.update_state(self(data))
            return {"mean": self.mean.result()}

    return [
        Own().predict(X, verbose=0),
        Own().predict(X, batch_size=1, verbose=0),
        Named().predict(X, verbose=0),
        Counted().predict(X, verbose=0),
        Counted().predict(X, batch_size=1, verbose=0),
    ]


def updates_of_frozen_layers(tf: Any) -> Any:
    class Counting(tf.keras.layers.Layer):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.count = tf.Variable(0.0, trainable=False)

        def call(self, x: Any) -> Any:
            self.add_update(lambda: self.count.assign_add(1.0))
            return x

    found = []
    for trainable in (True, False):
        layer = Counting(trainable=trainable)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            layer(X)
            tf.function(layer)(X)
            model = tf.keras.Sequential([layer])
            model.compile("sgd", "mse")
            model.evaluate(X, X, verbose=0)
        found.append(layer.count)
    return found


def classes_that_are_asked_for(tf: Any) -> Any:
    K = tf.keras
    found = [
        K.constraints.get(K.constraints.NonNeg),
        K.regularizers.get(K.regularizers.L2),
        K.initializers.get(K.initializers.Zeros),
        K.losses.get(K.losses.MeanSquaredError),
        K.metrics.get(K.metrics.Mean),
        K.activations.get(K.layers.ReLU),
    ]
    return [isinstance(made, type) for made in found]


def the_optimizer_of_a_class(tf: Any) -> Any:
    return tf.keras.optimizers.get(tf.keras.optimizers.SGD)


def a_vocabulary_of_numbers(tf: Any) -> Any:
    layer = tf.keras.layers.IntegerLookup(vocabulary=[5, 6])
    words = tf.keras.layers.StringLookup(vocabulary=["a"])
    text = tf.keras.layers.TextVectorization(vocabulary=["a"])
    masked = tf.keras.layers.IntegerLookup(vocabulary=[5], mask_token=0)
    adapted = tf.keras.layers.IntegerLookup()
    adapted.adapt(np.int64([3, 3, 4]))
    kinds = [layer, words, text, masked, adapted]
    wide = [[isinstance(v, np.int64) for v in kind.get_vocabulary()] for kind in kinds]
    return [wide, [layer.get_config()["vocabulary"], adapted.get_vocabulary()]]


def a_vocabulary_with_a_term_twice(tf: Any) -> Any:
    return tf.keras.layers.StringLookup(vocabulary=["a", "b", "a"])


def numbers_with_a_term_twice(tf: Any) -> Any:
    return tf.keras.layers.IntegerLookup(vocabulary=[1, 2, 1])


def a_tensor_of_words_with_a_term_twice(tf: Any) -> Any:
    return tf.keras.layers.StringLookup(vocabulary=tf.constant(["a", "b", "a"]))


def a_vocabulary_set_with_a_term_twice(tf: Any) -> Any:
    return tf.keras.layers.StringLookup().set_vocabulary(["a", "b", "a"])


def _file_of(terms: str) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        file.write(terms)
    return file.name


def a_file_with_a_term_twice(tf: Any) -> Any:
    return tf.keras.layers.StringLookup(vocabulary=_file_of("a\nb\na\n"))


def a_file_of_numbers_with_a_term_twice(tf: Any) -> Any:
    return tf.keras.layers.IntegerLookup(vocabulary=_file_of("1\n2\n1\n"))


def a_file_of_text_with_a_term_twice(tf: Any) -> Any:
    return tf.keras.layers.TextVectorization(vocabulary=_file_of("a\nb\na\n"))


def text_with_a_term_twice(tf: Any) -> Any:
    return tf.keras.layers.TextVectorization(vocabulary=["a", "b", "a"])


def inputs_of_specs(tf: Any) -> Any:
    K = tf.keras
    made = [
        K.Input(type_spec=tf.TensorSpec([2, 3], tf.float32), name="dense"),
        K.Input(type_spec=tf.TensorSpec([None, 3], tf.int32), name="open"),
        K.Input(type_spec=tf.RaggedTensorSpec([2, None], tf.float32), name="rows"),
        K.Input(type_spec=tf.SparseTensorSpec([2, 3], tf.float32), name="few"),
        K.Input(type_spec=tf.TensorSpec([2, 3], tf.float32, name="inner")),
    ]
    models = [K.Model(t, t) for t in made]
    names = [model.input_names for model in models[:4]]
    return [names, [str(t.shape) for t in made], [str(m.input_shape) for m in models]]


def inputs_of_specs_in_files(tf: Any) -> Any:
    K, found = tf.keras, []
    values = [tf.ones([2, 3]), tf.sparse.from_dense([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])]
    values += [tf.ragged.constant([[1.0, 2.0], [3.0]])]
    specs = [tf.TensorSpec([None, 3]), tf.SparseTensorSpec([None, 3])]
    for spec, x in zip([*specs, tf.RaggedTensorSpec([None, None])], values):
        i = K.Input(type_spec=spec, name="x")
        dense = K.layers.Dense(1, kernel_initializer="ones")
        model = K.Model(i, dense(i) if spec in specs else i.to_tensor(shape=[None, 3]))
        found.append(model.get_config()["layers"][0])
        for name in ("a.keras", "a.h5", "a"):
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.save(os.path.join(folder, name))
                loaded = K.models.load_model(os.path.join(folder, name))
            found.append([loaded.input_names, repr(loaded.inputs[0].type_spec), loaded(x)])
    return found


def an_input_of_a_spec_and_a_shape(tf: Any) -> Any:
    return tf.keras.Input((3,), type_spec=tf.TensorSpec([2, 3], tf.float32))


def an_input_of_a_spec_and_a_dtype(tf: Any) -> Any:
    return tf.keras.Input(type_spec=tf.TensorSpec([2, 3], tf.float32), dtype="float32")


def an_input_of_a_spec_and_a_batch(tf: Any) -> Any:
    return tf.keras.Input(type_spec=tf.TensorSpec([2, 3], tf.float32), batch_size=2)


def _outcome(run: Any) -> str:
    """The shape of what comes out, or the class of the error."""
    try:
        return str(run().shape)
    except Exception as error:
        return type(error).__name__


def pooling_of_nothing(tf: Any) -> Any:
    L, Input = tf.keras.layers, tf.keras.Input
    found = []
    for rank in (1, 2, 3):
        shape = (0, *(2,) * rank)
        for kind in ("Average", "Max"):
            layer = getattr(L, f"Global{kind}Pooling{rank}D")()
            found.append([kind, rank, _outcome(lambda layer=layer, s=shape: layer(Input(s)))])
            array = np.zeros((2, *shape), "float32")
            found.append(_outcome(lambda layer=layer, x=array: layer(x)))
    return found


def an_axis_that_units_do_not_have(tf: Any) -> Any:
    layer = tf.keras.layers.UnitNormalization(axis=3)
    layer.build((2, 2, 2))
    return layer.built


def shapes_of_attention(tf: Any) -> Any:
    layer = tf.keras.layers.MultiHeadAttention(2, 2)
    shapes = [
        layer.compute_output_shape((None, 3, 4), (None, 5, 4), (None, 5, 4)),
        tf.keras.layers.MultiHeadAttention(2, 2, output_shape=7).compute_output_shape(
            (None, 3, 4), (None, 5, 4)
        ),
    ]
    return [[type(s).__name__, str(s)] for s in shapes]


def shapes_of_attention_of_other_values(tf: Any) -> Any:
    return tf.keras.layers.MultiHeadAttention(2, 2).compute_output_shape((None, 3, 4), (None, 5, 6))


def shapes_of_attention_whose_keys_do_not_match(tf: Any) -> Any:
    layer = tf.keras.layers.MultiHeadAttention(2, 2)
    return str(layer.compute_output_shape((None, 3, 4), (None, 5, 4), (None, 6, 4)))


def a_metric_among_layers(tf: Any) -> Any:
    K = tf.keras
    saved = K.layers.serialize(K.metrics.Mean("m"))
    return [saved["class_name"], sorted(saved["config"])]


def other_things_among_layers(tf: Any) -> Any:
    K = tf.keras
    return K.layers.serialize(K.initializers.Zeros())["class_name"]


def attributes_of_a_scaled_optimizer(tf: Any) -> Any:
    K = tf.keras
    names = "nesterov momentum beta_1 beta_2 epsilon amsgrad rho learning_rate lr iterations"
    names += " weight_decay clipnorm clipvalue global_clipnorm use_ema variables decay"
    inner = [K.optimizers.SGD(0.5, momentum=0.9, nesterov=True), K.optimizers.Adam(0.5)]
    inner += [K.optimizers.legacy.SGD(0.5), K.optimizers.RMSprop(0.5)]
    scaled = [K.mixed_precision.LossScaleOptimizer(each) for each in inner]
    found = [[name for name in names.split() if hasattr(each, name)] for each in scaled]
    first = scaled[0]
    before = first.nesterov if hasattr(first, "nesterov") else None
    first.nesterov = False
    return [found, before, first.nesterov, first.inner_optimizer.nesterov, "nesterov" in dir(first)]


def hooks_on_instances_of_callbacks(tf: Any) -> Any:
    K, seen = tf.keras, []
    model = K.Sequential([K.Input((3,)), K.layers.Dense(3)])
    model.compile("sgd", "mse")
    callback = K.callbacks.Callback()
    for name in ("train", "test", "predict"):
        for kind in ("begin", "end"):
            for hook in (f"on_{name}_{kind}", f"on_{name}_batch_{kind}"):
                setattr(callback, hook, lambda *_, hook=hook: seen.append(hook))
    for hook in ("on_batch_begin", "on_batch_end", "on_epoch_begin", "on_epoch_end"):
        setattr(callback, hook, lambda *_, hook=hook: seen.append(hook))
    model.fit(X, X, callbacks=[callback], validation_data=(X, X), verbose=0)
    model.predict(X, callbacks=[callback], verbose=0)
    return seen


def einsums_with_biases_and_an_ellipsis(tf: Any) -> Any:
    L, found = tf.keras.layers, []
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 10
    for equation, shape, axes in (
        ("...x,xy->...y", 3, "y"),
        ("ab...,bc->ac...", (5, None), "c"),
        ("...ab,bc->...ac", (None, 2), "c"),
    ):
        layer = L.EinsumDense(
            equation, shape, bias_axes=axes, kernel_initializer="ones", bias_initializer="ones"
        )
        found.append([layer(x), [w.shape.as_list() for w in layer.weights]])
    return found


def attention_of_ragged_tensors(tf: Any) -> Any:
    rows = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]], [[1.0, 1.0], [0.0, 1.0], [2.0, 0.0]]]
    ragged = tf.ragged.constant(rows, ragged_rank=1)
    other = tf.ragged.constant(
        [[[1.0, 0.0]], [[0.0, 1.0], [1.0, 1.0]], [[2.0, 2.0]]], ragged_rank=1
    )
    options = {"kernel_initializer": "ones", "bias_initializer": "ones"}
    layer = tf.keras.layers.MultiHeadAttention(2, 2, **options)
    found = [layer(ragged, ragged), layer(ragged, other)]
    out, scores = layer(ragged, other, return_attention_scores=True)
    dense = layer(ragged.to_tensor(), other)
    return [*found, out, scores, dense]


def attention_of_ragged_keys_alone(tf: Any) -> Any:
    ragged = tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], ragged_rank=1)
    layer = tf.keras.layers.MultiHeadAttention(2, 2, kernel_initializer="ones")
    i = tf.keras.Input((None, 2), ragged=True)
    model = tf.keras.Model(i, layer(i, i))
    return [layer(tf.ones((2, 3, 2)), ragged), model(ragged)]
