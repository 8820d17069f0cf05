"""Values of extension types in models of Keras: as inputs, between layers, trained on, saved."""

import itertools
import os
import tempfile
import warnings
from typing import Any

import numpy as np

_numbers = itertools.count()  # names of types are registered once


def _pair(tf: Any) -> Any:
    class Pair(tf.experimental.BatchableExtensionType):
        shape: tf.TensorShape
        left: tf.Tensor
        right: tf.Tensor

        def __init__(self, left: Any, right: Any) -> None:
            self.left, self.right = tf.convert_to_tensor(left), tf.convert_to_tensor(right)
            self.shape = self.left.shape[:-1].merge_with(self.right.shape[:-1])

    return Pair


def _swapping(tf: Any, Pair: Any) -> Any:
    class Swap(tf.keras.layers.Layer):
        def call(self, pair: Any) -> Any:
            return Pair(pair.right, pair.left)

    return Swap()


def _joining(tf: Any) -> Any:
    class Join(tf.keras.layers.Layer):
        def call(self, pair: Any) -> Any:
            return tf.concat([pair.left, pair.right], -1)

    return Join()


def _masked(tf: Any) -> Any:
    """A type whose `Spec` has a constructor of its own, and a product of such values."""
    number = next(_numbers)

    class Masked(tf.experimental.BatchableExtensionType):
        __name__ = f"cases.Masked{number}"
        values: tf.Tensor
        mask: tf.Tensor
        shape = property(lambda self: self.values.shape)
        dtype = property(lambda self: self.values.dtype)

        class Spec:
            def __init__(self, shape: Any, dtype: Any = tf.float32) -> None:
                self.values = tf.TensorSpec(shape, dtype)
                self.mask = tf.TensorSpec(shape, tf.bool)

            shape = property(lambda self: self.values.shape)
            dtype = property(lambda self: self.values.dtype)

    def product(a: Any, b: Any, *rest: Any) -> Any:
        return tf.matmul(tf.where(a.mask, a.values, 0.0), b)

    handle = f"lambda {', '.join(_parameters(tf.matmul))}: product(a, b)"
    handler = eval(handle, {"product": product})
    tf.experimental.dispatch_for_api(tf.matmul, {"a": Masked})(handler)
    return Masked


def _parameters(function: Any) -> list[str]:
    import inspect

    names = list(inspect.signature(function).parameters)
    return [name if name in ("a", "b") else f"{name}=None" for name in names if name != "name"]


def _values(Masked: Any) -> Any:
    mask = [[True, False], [False, True], [True, True]]
    return Masked([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], mask)


Y = np.float32([[1.0], [0.0], [1.0]])


def a_model_of_a_spec_without_a_dtype(tf: Any) -> Any:
    K, Pair = tf.keras, _pair(tf)
    anything = tf.TensorSpec(None, tf.float32)
    spec = Pair.Spec(shape=None, left=anything, right=anything)
    model = K.Sequential([K.layers.Input(type_spec=spec), _swapping(tf, Pair)])
    one, several = Pair([1.0, 2.0], [3.0]), Pair([[1.0, 2.0]], [[3.0]])
    return [type(model(one)).__name__, model(one).left, model(several).right]


def training_on_values_of_a_type(tf: Any) -> Any:
    K, Pair = tf.keras, _pair(tf)
    left, right = tf.TensorSpec([None, 2]), tf.TensorSpec([None, 1])
    i = K.Input(type_spec=Pair.Spec(tf.TensorShape([None]), left, right))
    swapped = _swapping(tf, Pair)(i)
    model = K.Model(i, K.layers.Dense(1, kernel_initializer="ones")(_joining(tf)(swapped)))
    model.compile(K.optimizers.SGD(0.01), "mse")
    x = Pair([[1.0, 2.0], [4.0, 5.0], [0.0, 1.0]], [[3.0], [6.0], [2.0]])
    history = model.fit(x, Y, batch_size=2, shuffle=False, verbose=0).history
    ends = K.Model(i, swapped)
    return [
        np.float32(history["loss"]),
        model(x),
        model.predict(x, batch_size=2, verbose=0),
        np.float32(model.evaluate(x, Y, verbose=0)),
        np.float32(model.train_on_batch(x, Y)),
        ends.predict(x, verbose=0).left,
        [str(i.shape), str(ends.input_shape), str(ends.output_shape)],
    ]


def training_on_values_that_layers_of_keras_take(tf: Any) -> Any:
    K, L, Masked = tf.keras, tf.keras.layers, _masked(tf)
    dense = [L.Dense(4, "relu", kernel_initializer="ones"), L.Dense(1, kernel_initializer="ones")]
    model = K.Sequential([L.Input(type_spec=Masked.Spec([None, 2], tf.float32)), *dense])
    model.compile(K.optimizers.SGD(0.001), "mse")
    x = _values(Masked)
    history = model.fit(x, tf.constant(Y), epochs=2, shuffle=False, verbose=0).history
    rows = tf.data.Dataset.from_tensor_slices((x, Y)).batch(2)
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)
        loaded = tf.saved_model.load(folder)(x)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.save(folder, save_format="tf")
        again = K.models.load_model(folder)(x)
    later = np.float32(model.fit(rows, verbose=0).history["loss"])
    return [np.float32(history["loss"]), loaded, again, later]


def values_of_a_type_in_a_subclass(tf: Any) -> Any:
    Masked = _masked(tf)

    class Own(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")

        def call(self, x: Any) -> Any:
            return self.dense(x)

    model = Own()
    model.compile("sgd", "mse")
    history = model.fit(_values(Masked), Y, shuffle=False, verbose=0).history
    return [np.float32(history["loss"]), Own()(_values(Masked))]


def a_spec_made_of_a_list(tf: Any) -> Any:
    class Parts(tf.experimental.ExtensionType):
        parts: tuple[tf.Tensor, ...]
        shape = property(lambda self: self.parts[0].shape)

        class Spec:
            shape = property(lambda self: self.parts[0].shape)

    class Sum(tf.keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return tf.add_n(list(x.parts))

    spec = Parts.Spec([tf.TensorSpec([None, 2]), tf.TensorSpec([None, 2])])
    i = tf.keras.Input(type_spec=spec)
    ones = tf.ones([1, 2])
    return [tf.keras.Model(i, Sum()(i))(Parts([ones, ones])), str(i.shape), str(spec.shape)]


def a_spec_whose_constructor_forgets_a_field(tf: Any) -> Any:
    class Short(tf.experimental.ExtensionType):
        values: tf.Tensor

        class Spec:
            def __init__(self) -> None:
                pass

    return Short.Spec()


def a_spec_that_is_no_class(tf: Any) -> Any:
    class Odd(tf.experimental.ExtensionType):
        values: tf.Tensor
        Spec = 3

    return Odd


def an_input_of_a_type_in_a_file(tf: Any) -> Any:
    class Named(tf.experimental.BatchableExtensionType):
        __name__ = "cases.Named"
        values: tf.Tensor
        shape = property(lambda self: self.values.shape)

        class Spec:
            def __init__(self, shape: Any, dtype: Any = tf.float32) -> None:
                self.values = tf.TensorSpec(shape, dtype)

            shape = property(lambda self: self.values.shape)

    class Open(tf.keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return x.values

    i = tf.keras.Input(type_spec=Named.Spec([None, 3]), name="given")
    model = tf.keras.Model(i, tf.keras.layers.Dense(1, kernel_initializer="ones")(Open()(i)))
    rows = tf.data.Dataset.from_tensor_slices(Named(tf.range(6.0)[:, None])).batch(4)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.save(os.path.join(folder, "m.h5"))
        again = tf.keras.models.load_model(os.path.join(folder, "m.h5"), {"Open": Open})
    return [again(Named(tf.ones([2, 3]))), i.name, again.input_names, iter(rows).next().values]
