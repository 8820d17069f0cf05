"""Mistakes that people make, as small programs, and what is printed when one ends with its error.

Beside each: what has to be in the message, besides the line of the user's that is marked `# here`.
The same programs were run on TensorFlow (`tests/golden/make_mistakes.py`).
"""

from __future__ import annotations

import contextlib
import io
import linecache
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mistake:
    name: str
    program: str
    told: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """The lines of the user's that a stack must show."""
        marked = (line for line in self.program.splitlines() if line.endswith("# here"))
        return [line.removesuffix("# here").strip() for line in marked]


@dataclass(frozen=True)
class Ending:
    """How a program ended: the class of its error, and what Python printed."""

    error: str
    printed: str

    @property
    def length(self) -> int:
        return len(self.printed.splitlines())


def ending(mistake: Mistake, names: Mapping[str, Any], folder: str) -> Ending:
    """Run a program in a folder, which ends with an error."""
    path = f"{folder}/{mistake.name}.py"
    with open(path, "w", encoding="utf-8") as file:
        file.write(mistake.program)
    linecache.checkcache(path)
    code = compile(mistake.program, path, "exec")
    try:
        exec(code, {"__name__": mistake.name, "__file__": path, "folder": folder, **names})
    except Exception as error:
        ours = error.__traceback__
        assert ours is not None
        error.__traceback__ = ours.tb_next
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            sys.excepthook(type(error), error, error.__traceback__)
        return Ending(type(error).__name__, printed.getvalue())
    raise AssertionError(f"{mistake.name}: no error")


def _table(text: str) -> list[Mistake]:
    """Programs under lines such as `=== name: told | told`."""
    found = []
    for part in textwrap.dedent(text).split("\n=== ")[1:]:
        head, _, program = part.partition("\n")
        name, _, told = head.partition(": ")
        found.append(Mistake(name, program, tuple(told.split(" | ")) if told else ()))
    return found


# A model with two inputs and three classes, which many of them start with.
_MODEL = """
model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="softmax", input_shape=(2,))])
x, y = np.zeros([8, 2], "float32"), np.zeros([8], "int64")
"""

_TENSORS = """
=== matmul_shapes: MatMul | (2, 3)
a = tf.ones([2, 3])
tf.matmul(a, a)  # here
=== add_shapes: AddV2 | (2, 3) | (2, 4)
tf.ones([2, 3]) + tf.ones([2, 4])  # here
=== add_dtypes: AddV2 | float32 | int32
a = tf.constant([1.0])
b = tf.constant([1])
a + b  # here
=== subtract_float64: float32 | float64
rates = tf.constant(np.array([0.5]))
tf.ones([1]) - rates  # here
=== cast_missing: float32 | int64
labels = tf.constant([1, 2], tf.int64)
tf.reduce_mean(labels * tf.ones([2]))  # here
=== misspelt_function: tf.reduce_sum?
tf.reduce_sums([1, 2])  # here
=== misspelt_namespace: tf.math?
tf.maths.log(1.0)  # here
=== tensorflow_1_session: compat.v1
tf.Session()  # here
=== tensorflow_1_placeholder: compat.v1
tf.placeholder(tf.float32, [None, 2])  # here
=== contrib: contrib
tf.contrib.layers.fully_connected  # here
=== assign_to_element: item assignment
t = tf.zeros([3])
t[0] = 1.0  # here
=== number_of_a_vector
float(tf.constant([1.0, 2.0]))  # here
=== if_on_a_vector
t = tf.constant([1, 2])
if t > 1:  # here
    print("yes")
=== numpy_of_symbolic: numpy
@tf.function
def f(x):
    return x.numpy()  # here

f(tf.ones([2]))  # here
=== reshape_sizes: Reshape | 6 | [2, 4]
tf.reshape(tf.range(6), [2, 4])  # here
=== concat_ranks: ConcatV2
tf.concat([tf.ones([2, 3]), tf.ones([3])], axis=0)  # here
=== stack_shapes
tf.stack([tf.ones([2]), tf.ones([3])])  # here
=== gather_beyond: 5
tf.gather([1, 2, 3], [0, 5])  # here
=== index_beyond
tf.constant([1, 2, 3])[4]  # here
=== ragged_list
tf.constant([[1, 2], [3]])  # here
=== none_value: None
tf.constant([1.0, None])  # here
=== strings_and_numbers
tf.constant(["a", 1])  # here
=== unknown_dtype: float23
tf.zeros([2], dtype="float23")  # here
=== float_as_integer
tf.constant([0.5], tf.int32)  # here
=== squeeze_wrong
tf.squeeze(tf.ones([2, 1]), axis=0)  # here
=== variable_shape: (2,) | (3,)
v = tf.Variable([1.0, 2.0])
v.assign([1.0, 2.0, 3.0])  # here
=== einsum_letters
tf.einsum("ij,jk->ik", tf.ones([2, 3]), tf.ones([4, 5]))  # here
=== argument_missing
tf.concat([tf.ones([2]), tf.ones([2])])  # here
=== misspelt_argument: axes
tf.reduce_sum(tf.ones([2]), axes=0)  # here
=== tape_twice: persistent
x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)
tape.gradient(y, x)  # here
=== gradient_of_none: gradient
x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = tf.constant(2.0)
optimizer = tf.keras.optimizers.SGD(0.1)
optimizer.apply_gradients([(tape.gradient(y, x), x)])  # here
=== signature_of_function
@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def f(x):
    return x

f(tf.ones([2, 2]))  # here
=== branch_of_two_dtypes
@tf.function
def f(x):
    if tf.reduce_sum(x) > 0:
        y = 1
    else:
        y = 1.0
    return y

f(tf.ones([2]))  # here
=== new_variable_each_call
@tf.function
def f(x):
    v = tf.Variable(1.0)
    return x * v

f(tf.ones([2]))  # here
=== mistake_in_function: MatMul
@tf.function
def layer(x, w):
    return tf.matmul(x, w)  # here

layer(tf.ones([2, 3]), tf.ones([2, 3]))  # here
"""

_DATA = """
=== map_of_wrong_shape
dataset = tf.data.Dataset.from_tensor_slices(tf.ones([4, 3]))
dataset = dataset.map(lambda row: tf.matmul(row, row))  # here
=== missing_record_file: missing.tfrecord
for record in tf.data.TFRecordDataset(f"{folder}/missing.tfrecord"):  # here
    print(record)
=== slices_of_two_lengths
tf.data.Dataset.from_tensor_slices((tf.ones([3]), tf.ones([4])))  # here
=== batch_of_ragged
dataset = tf.data.Dataset.from_generator(
    lambda: iter([[1], [1, 2]]), output_signature=tf.TensorSpec([None], tf.int32)
)
list(dataset.batch(2))  # here
=== generator_of_other_dtype
dataset = tf.data.Dataset.from_generator(
    lambda: iter(["a"]), output_signature=tf.TensorSpec([], tf.int32)
)
list(dataset)  # here
=== map_takes_one
dataset = tf.data.Dataset.from_tensor_slices((tf.ones([3]), tf.ones([3])))
dataset.map(lambda pair: pair[0] + pair[1])  # here
=== user_error_in_py_function: KeyError
def lookup(name):
    return {"a": 1}[name.numpy().decode()]  # here

dataset = tf.data.Dataset.from_tensor_slices(["b"])
list(dataset.map(lambda name: tf.py_function(lookup, [name], tf.int32)))  # here
=== parse_missing_feature
example = tf.train.Example().SerializeToString()
tf.io.parse_single_example(example, {"x": tf.io.FixedLenFeature([], tf.int64)})  # here
=== decode_no_image
tf.io.decode_image(b"not an image")  # here
=== dataset_of_a_misspelt_method: shufle
tf.data.Dataset.range(3).shufle(3)  # here
"""

_KERAS = """
=== mistake_in_layer
class Scale(tf.keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight("w", [3, 3])

    def call(self, inputs):
        return tf.matmul(inputs, self.w)  # here

model = tf.keras.Sequential([Scale()])
model.compile("sgd", "mse")
model.fit(np.zeros([8, 2], "float32"), np.zeros([8, 3], "float32"), verbose=0)  # here
=== wrong_input_shape: (None, 2) | 5
{model}
model(np.zeros([8, 5], "float32"))  # here
=== wrong_input_shape_in_fit
{model}
model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(np.zeros([8, 5], "float32"), y, verbose=0)  # here
=== sparse_labels: sparse_categorical_crossentropy
{model}
model.compile("sgd", "categorical_crossentropy")
model.fit(x, y, verbose=0)  # here
=== labels_beyond_classes: 3
{model}
model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(x, y + 7, verbose=0)  # here
=== not_compiled: compile
{model}
model.fit(x, y)  # here
=== lengths_differ: 8 | 7
{model}
model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(x, y[:7], verbose=0)  # here
=== misspelt_loss: categorical_crossentropy
{model}
model.compile("sgd", "categorical_crossentropi")
model.fit(x, y, verbose=0)  # here
=== misspelt_optimizer: adam
{model}
model.compile("adaam", "mse")  # here
=== misspelt_metric: accuracy
{model}
model.compile("sgd", "mse", metrics=["acuracy"])
model.fit(x, np.zeros([8, 3]), verbose=0)  # here
=== misspelt_layer: tf.keras.layers.Dense?
tf.keras.layers.Dence(3)  # here
=== misspelt_activation: relu
tf.keras.layers.Dense(3, activation="rellu")  # here
=== misspelt_layer_argument: unit
tf.keras.layers.Dense(unit=3)  # here
=== negative_units: -3
tf.keras.layers.Dense(-3)  # here
=== flatten_forgotten
model = tf.keras.Sequential([
    tf.keras.layers.Conv2D(4, 3, input_shape=(8, 8, 1)),
    tf.keras.layers.Dense(3, activation="softmax"),
])
model.compile("sgd", "categorical_crossentropy")
model.fit(np.zeros([4, 8, 8, 1]), np.zeros([4, 3]), verbose=0)  # here
=== channels_forgotten: ndim
layer = tf.keras.layers.Conv2D(4, 3)
layer(np.zeros([4, 8, 8], "float32"))  # here
=== weights_before_build: build
tf.keras.Sequential([tf.keras.layers.Dense(3)]).summary()  # here
=== load_missing_model: missing.keras
tf.keras.models.load_model(f"{folder}/missing.keras")  # here
=== load_unknown_layer: Mine | custom_object_scope
class Mine(tf.keras.layers.Layer):
    pass

tf.keras.Sequential([tf.keras.Input([2]), Mine()]).save(f"{folder}/mine.h5")
tf.keras.models.load_model(f"{folder}/mine.h5")  # here
""".replace("{model}", _MODEL.strip())

MISTAKES = _table(_TENSORS) + _table(_DATA) + _table(_KERAS)
