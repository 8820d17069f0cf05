"""Models to be saved and loaded, written once for TensorFlow and Runnel.

Each function returns a model and calls of it: the name of a function or of a signature, positional
and keyword arguments. `tf` is given, so that either system can make them.
"""

from __future__ import annotations

import collections
import os
import tempfile
from typing import Any

import numpy as np

from tests.golden.saved_dataset_programs import DATASETS
from tests.golden.saved_model_calls import Call as Call
from tests.golden.saved_model_calls import Example as Example


def values(*shape: int, scale: float = 0.1, dtype: str = "float32") -> Any:
    """Numbers that look random and are always the same."""
    count = int(np.prod(shape))
    return (np.sin(np.arange(1, count + 1) * 1.7).reshape(shape) * scale * 10).astype(dtype)


def dense(tf: Any) -> Example:
    """Layers in a list; one function with an input signature."""

    class Dense(tf.Module):
        def __init__(self, inner: int, outer: int) -> None:
            super().__init__()
            self.w = tf.Variable(values(inner, outer), name="w")
            self.b = tf.Variable(values(outer), name="b")

        def __call__(self, x: Any) -> Any:
            return x @ self.w + self.b

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [Dense(3, 4), Dense(4, 2)]
            self.named = {"scale": tf.Variable(2.0)}

        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
        def __call__(self, x: Any) -> Any:
            for layer in self.layers:
                x = tf.nn.relu(layer(x))
            return x * self.named["scale"]

    x = values(5, 3)
    calls = [Call("__call__", (x,)), Call("serving_default", (), {"x": x}, signature=True)]
    return Example(Model(), calls)


def polymorphic(tf: Any) -> Example:
    """Several traces of one function: dtypes, shapes, Python values, defaults, keywords."""
    model = tf.Module()
    model.v = tf.Variable(3.0)

    @tf.function
    def scaled(x: Any, factor: int = 2, *, negate: bool = False) -> Any:
        y = x * tf.cast(model.v, x.dtype) * tf.cast(factor, x.dtype)
        return -y if negate else y

    scaled(tf.constant([1.0, 2.0]))
    scaled(tf.constant([1, 2, 3]), 5)
    scaled(tf.constant(1.0), 3, negate=True)
    scaled.get_concrete_function(tf.TensorSpec([None, None], tf.float64))
    model.scaled = scaled
    calls = [
        Call("scaled", (np.float32([4.0, 5.0]),)),
        Call("scaled", (np.int32([4, 5, 6]), 5)),
        Call("scaled", (np.float32(4.0),), {"factor": 3, "negate": True}),
        Call("scaled", (values(2, 3, dtype="float64"),)),
    ]
    return Example(model, calls)


Pair = collections.namedtuple("Pair", ["first", "second"])


def structures(tf: Any) -> Example:
    """Nested arguments and results."""
    model = tf.Module()

    @tf.function
    def mixed(inputs: Any, flag: str) -> Any:
        a, (b, c) = inputs["a"], inputs["bc"]
        total = a + b * c
        return {"sum": total, "parts": (a, [b, c]), "flag": None, "pair": Pair(a, total)}

    spec = tf.TensorSpec([None], tf.float32)
    mixed.get_concrete_function({"a": spec, "bc": (spec, spec)}, "on")
    model.mixed = mixed
    a, b, c = np.float32([1, 2]), np.float32([3, 4]), np.float32([5, 6])
    return Example(model, [Call("mixed", ({"a": a, "bc": (b, c)}, "on"))])


def control_flow(tf: Any) -> Example:
    """Loops and branches on tensors, a loop inside a branch, a recurrent sum."""

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(values(2, 2))
            self.count = tf.Variable(0, dtype=tf.int32, trainable=False)

        @tf.function(input_signature=[tf.TensorSpec([2, 2]), tf.TensorSpec([], tf.int32)])
        def power(self, x: Any, n: Any) -> Any:
            for _ in tf.range(n):
                x = x @ self.w
            return x

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def choose(self, x: Any) -> Any:
            self.count.assign_add(1)
            if tf.reduce_sum(x) > 0.0:
                y = x
                while tf.reduce_max(y) < 100.0:
                    y = y * 2.0
            else:
                y = -x
            return y, self.count.read_value()

        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def collected(self, x: Any) -> Any:
            array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            total = tf.zeros([3])
            for i in tf.range(tf.shape(x)[0]):
                total = total + x[i]
                array = array.write(i, total)
            return array.stack()

    calls = [
        Call("power", (values(2, 2), np.int32(3))),
        Call("power", (values(2, 2), np.int32(0))),
        Call("choose", (np.float32([1.0, 2.0, 3.0]),)),
        Call("choose", (np.float32([-1.0, -2.0]),)),
        Call("collected", (values(4, 3),)),
    ]
    model = Model()
    return Example(model, calls, {"choose": model.choose})


def signatures(tf: Any) -> Example:
    """Signatures by name, with dicts and with single results."""

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = tf.Variable(values(7, 3))

        @tf.function
        def look_up(self, ids: Any, weights: Any) -> Any:
            rows = tf.gather(self.table, ids) * weights[:, tf.newaxis]
            return {"rows": rows, "total": tf.reduce_sum(rows)}

        @tf.function(input_signature=[tf.TensorSpec([None], tf.int64, name="which")])
        def norm(self, ids: Any) -> Any:
            return tf.norm(tf.gather(self.table, ids), axis=-1)

    model = Model()
    ids, weights = tf.TensorSpec([None], tf.int32, "ids"), tf.TensorSpec([None], name="weights")
    given = {"rows": model.look_up.get_concrete_function(ids, weights), "norm": model.norm}
    named = {"ids": np.int32([0, 6, 2]), "weights": np.float32([1, 2, 3])}
    calls = [
        Call("rows", (), named, signature=True),
        Call("norm", (), {"which": np.int64([3, 4])}, signature=True),
        Call("norm", (np.int64([5]),)),
    ]
    return Example(model, calls, given)


def constants(tf: Any) -> Example:
    """A captured tensor that is no variable, and a function that uses another."""
    model = tf.Module()
    large = tf.constant(values(10, 10))

    @tf.function
    def inner(x: Any) -> Any:
        return tf.linalg.matvec(large, x)

    @tf.function(input_signature=[tf.TensorSpec([10])])
    def outer(x: Any) -> Any:
        return inner(x) + inner(2.0 * x)

    model.outer = outer
    return Example(model, [Call("outer", (values(10),))])


def convolution(tf: Any) -> Example:
    """Convolution, batch norm in both modes, pooling, dropout's graph left out."""

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.filters = tf.Variable(values(3, 3, 2, 4))
            self.gamma, self.beta = tf.Variable(tf.ones([4])), tf.Variable(values(4))
            self.mean = tf.Variable(tf.zeros([4]), trainable=False)
            self.variance = tf.Variable(tf.ones([4]), trainable=False)
            self.head = tf.Variable(values(4, 3))

        @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 2])])
        def __call__(self, x: Any) -> Any:
            x = tf.nn.conv2d(x, self.filters, 1, "SAME")
            x = tf.nn.batch_normalization(x, self.mean, self.variance, self.beta, self.gamma, 1e-3)
            x = tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, "VALID")
            return tf.nn.softmax(tf.reduce_mean(x, [1, 2]) @ self.head)

        @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 2])])
        def train(self, x: Any) -> Any:
            x = tf.nn.conv2d(x, self.filters, 1, "SAME")
            mean, variance = tf.nn.moments(x, [0, 1, 2])
            self.mean.assign(self.mean * 0.9 + mean * 0.1)
            self.variance.assign(self.variance * 0.9 + variance * 0.1)
            return mean

    x = values(2, 8, 8, 2)
    return Example(Model(), [Call("__call__", (x,)), Call("train", (x,)), Call("__call__", (x,))])


def recurrent(tf: Any) -> Example:
    """An LSTM by hand, in a loop over time."""

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.kernel = tf.Variable(values(2 + 3, 12))

        @tf.function(input_signature=[tf.TensorSpec([None, None, 2])])
        def __call__(self, x: Any) -> Any:
            batch = tf.shape(x)[0]
            h, c = tf.zeros([batch, 3]), tf.zeros([batch, 3])
            for t in tf.range(tf.shape(x)[1]):
                tf.autograph.experimental.set_loop_options(
                    shape_invariants=[
                        (h, tf.TensorShape([None, 3])),
                        (c, tf.TensorShape([None, 3])),
                    ]
                )
                gates = tf.concat([x[:, t], h], 1) @ self.kernel
                i, f, g, o = tf.split(gates, 4, axis=1)
                c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
                h = tf.sigmoid(o) * tf.tanh(c)
            return h

    return Example(Model(), [Call("__call__", (values(2, 5, 2),))])


def attention(tf: Any) -> Example:
    """Attention over embedded tokens."""

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = tf.Variable(values(11, 4))
            self.query, self.key, self.value = [tf.Variable(values(4, 4)) for _ in range(3)]

        @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
        def __call__(self, tokens: Any) -> Any:
            x = tf.nn.embedding_lookup(self.table, tokens)
            q, k, v = x @ self.query, x @ self.key, x @ self.value
            scores = tf.einsum("bqd,bkd->bqk", q, k) / 2.0
            mask = tf.cast(tf.equal(tokens, 0), tf.float32)[:, tf.newaxis]
            return tf.einsum("bqk,bkd->bqd", tf.nn.softmax(scores - 1e9 * mask), v)

    return Example(Model(), [Call("__call__", (np.int32([[1, 5, 10, 0], [2, 2, 3, 4]]),))])


def strings(tf: Any) -> Example:
    """Strings in and out."""
    model = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def greet(names: Any) -> Any:
        text = tf.strings.join(["hello ", names])
        return {"text": text, "length": tf.strings.length(text)}

    model.greet = greet
    names = np.array([b"ada", b"bob"], object)
    return Example(model, [Call("greet", (names,))], {"greet": greet})


def custom_gradient(tf: Any) -> Example:
    """A function whose gradient is its own."""
    model = tf.Module()
    model.v = tf.Variable([1.0, 2.0])

    @tf.custom_gradient
    def clipped(x: Any) -> Any:
        return x * x, lambda dy: tf.minimum(dy * 2.0 * x, 1.5)

    @tf.function(input_signature=[tf.TensorSpec([2])])
    def run(x: Any) -> Any:
        return clipped(x * model.v)

    model.run = run
    return Example(model, [Call("run", (np.float32([0.1, 3.0]),))])


PARTS = ("in_a_branch", "in_a_loop", "in_branches", "uneven", "uneven_in_a_loop")
SLOPES: dict[str, list[Any]] = {  # of the sum of the results, by x and y
    "in_a_branch": [[7.0, 14.0], None],
    "in_a_loop": [[98.0, 490.0], None],
    "in_branches": [[2.0, 2.0], [21.0, 28.0]],
    "uneven": [[2.0, 2.0], [0.0, 0.0]],
    "uneven_in_a_loop": [[4.0, 4.0], [0.0, 0.0]],
}


def gradients_in_parts(tf: Any) -> Example:
    """Functions with gradients of their own, and with several results, in branches and loops."""
    model = tf.Module()

    @tf.custom_gradient
    def squared(x: Any) -> Any:
        return x * x, lambda dy: dy * 7.0 * x

    one = tf.function(lambda x: squared(x) + 1.0)
    two = tf.function(lambda x, y: (x * 2.0, y * 3.0))

    def twice(step: Any) -> Any:
        return lambda x, y: tf.while_loop(
            lambda i, a: i < 2, lambda i, a: (i + 1, step(a, y)), [0, x]
        )[1]

    def choose(x: Any, then: Any, other: Any) -> Any:
        return tf.cond(tf.reduce_sum(x) > 0.0, then, lambda: other)

    programs = (
        lambda x, y: choose(x, lambda: one(x), x),
        twice(lambda a, y: one(a)),
        lambda x, y: choose(x, lambda: choose(y, lambda: two(x, y)[0] + one(y), y), x),
        lambda x, y: choose(x, lambda: two(x, y)[0], x),
        twice(lambda a, y: two(a, y)[0]),
    )
    for name, program in zip(PARTS, programs, strict=True):
        setattr(model, name, tf.function(program, input_signature=[tf.TensorSpec([2])] * 2))
    args = (np.float32([1.0, 2.0]), np.float32([3.0, 4.0]))
    return Example(model, [Call(name, args) for name in PARTS])


def slopes_of_parts(tf: Any, model: Any) -> dict[str, list[Any]]:
    """The gradients of the functions of `gradients_in_parts`."""
    found = {}
    for name in PARTS:
        given = [tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])]
        with tf.GradientTape() as tape:
            tape.watch(given)
            z = getattr(model, name)(*given)
        slopes = tape.gradient(z, given)
        found[name] = [None if g is None else g.numpy().tolist() for g in slopes]
    return found


def training(tf: Any) -> Example:
    """Functions that compute gradients, through a loop and a branch too, and assign."""

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(values(3, 3))
            self.step = tf.Variable(0, dtype=tf.int64)

        @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 3])])
        def train(self, x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                h = x
                for _ in tf.range(3):
                    h = tf.tanh(h @ self.w)
                if tf.reduce_mean(h) > 0.0:
                    loss = tf.reduce_mean((h - y) ** 2)
                else:
                    loss = tf.reduce_mean(tf.abs(h - y))
            self.w.assign_sub(0.1 * tape.gradient(loss, self.w))
            self.step.assign_add(1)
            return loss, self.step.read_value(), self.w.read_value()

    x, y = values(4, 3), values(4, 3, scale=0.05)
    return Example(Model(), [Call("train", (x, y)), Call("train", (-x, y)), Call("train", (x, y))])


def ragged(tf: Any) -> Example:
    """Ragged tensors in and out."""
    model = tf.Module()
    model.scale = tf.Variable(2.0)

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def doubled(rows: Any) -> Any:
        return rows * model.scale, tf.reduce_sum(rows, axis=1)

    model.doubled = doubled
    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    return Example(model, [Call("doubled", (rows,))])


def tables(tf: Any) -> Example:
    """Tables: one filled with tensors, one from a file of the model's, one that changes."""

    class Model(tf.Module):
        def __init__(self, words: str) -> None:
            super().__init__()
            pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([10, 20], tf.int64))
            self.fixed = tf.lookup.StaticHashTable(pairs, -1)
            self.words = tf.lookup.StaticVocabularyTable(
                tf.lookup.TextFileInitializer(
                    words,
                    tf.string,
                    tf.lookup.TextFileIndex.WHOLE_LINE,
                    tf.int64,
                    tf.lookup.TextFileIndex.LINE_NUMBER,
                ),
                num_oov_buckets=2,
            )
            self.changing = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, -1.0)
            self.changing.insert(tf.constant(["x", "y"]), tf.constant([0.5, 1.5]))

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def __call__(self, keys: Any) -> Any:
            return self.fixed.lookup(keys), self.words.lookup(keys), self.changing.lookup(keys)

    path = os.path.join(tempfile.mkdtemp(), "words.txt")
    with open(path, "w") as file:
        file.write("y\na\nz\n")
    keys = np.array([b"a", b"b", b"x", b"y", b"nothing"], object)
    return Example(Model(path), [Call("__call__", (keys,))])


def composites(tf: Any) -> Example:
    """Rows of tensors, sparse tensors, values of a program's own type; a signature with them."""
    model = tf.Module()
    masked = _masked(tf)

    @tf.function
    def slices(rows: Any, at: Any) -> Any:
        return tf.IndexedSlices(rows * 2.0, at, tf.constant([4, 2], tf.int64))

    @tf.function
    def dense(rows: Any) -> Any:
        return tf.convert_to_tensor(rows)

    @tf.function
    def hidden(x: Any) -> Any:
        return masked(x + 1.0, x > 0.0)

    @tf.function
    def shown(x: Any) -> Any:
        return tf.where(x.mask, x.values, 0.0)

    @tf.function
    def both(x: Any) -> Any:
        return shown(hidden(x)), dense(slices(tf.stack([x, x]), tf.constant([1, 3], tf.int64)))

    @tf.function(
        input_signature=[{"x": tf.TensorSpec([None]), "words": tf.TensorSpec([], "string")}]
    )
    def serve(d: Any) -> Any:
        return {
            "split": tf.strings.split([d["words"]]),
            "places": tf.sparse.from_dense(d["x"]),
            "plain": d["x"] * 2.0,
        }

    spec = tf.TensorSpec([None], tf.float32)
    at = tf.TensorSpec([None], tf.int64)
    slices.get_concrete_function(tf.TensorSpec([None, 2]), at)
    hidden.get_concrete_function(spec)
    shown.get_concrete_function(hidden(tf.constant([1.0, -1.0])))
    both(tf.constant([1.0, -1.0]))
    model.slices, model.hidden, model.shown, model.both = slices, hidden, shown, both
    x = np.float32([0.5, -2.0])
    words = {"d": np.array(b"one two", object), "d_1": x}
    calls = [
        Call("slices", (values(2, 2), np.int64([3, 0]))),
        Call("hidden", (x,)),
        Call("both", (x,)),
        Call("serving_default", (), words, signature=True),
    ]
    return Example(model, calls, serve)


_TYPES: dict[str, Any] = {}  # a name can be registered once


def _masked(tf: Any) -> Any:
    if tf.__name__ not in _TYPES:

        class Masked(tf.experimental.ExtensionType):
            __name__ = "programs.Masked"
            __annotations__ = {"values": tf.Tensor, "mask": tf.Tensor}  # not as strings

        _TYPES[tf.__name__] = Masked
    return _TYPES[tf.__name__]


def slots(tf: Any) -> Example:
    """An optimizer of the older kind, with the variables it keeps for others; keys in buckets."""
    model = tf.Module()
    model.w = tf.Variable([1.0, 2.0])
    model.optimizer = tf.keras.optimizers.legacy.SGD(0.1, momentum=0.9)
    model.table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, -1.0, -1, -2, 8)
    keys = tf.constant([3, 11, 19, 4, 6, 14], tf.int64)
    model.table.insert(keys, tf.cast(keys, tf.float32) / 2.0)

    @tf.function(input_signature=[tf.TensorSpec([2])])
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model.w * model.w * x)
        model.optimizer.apply_gradients([(tape.gradient(loss, model.w), model.w)])
        return loss, model.w + 0.0

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def found(keys: Any) -> Any:
        return model.table.lookup(keys)

    step(tf.constant([1.0, 1.0]))
    model.step, model.found = step, found
    x = np.float32([1.0, 0.5])
    return Example(
        model, [Call("step", (x,)), Call("step", (x,)), Call("found", (np.int64([19, 14, 5]),))]
    )


def writing(tf: Any) -> Example:
    """A function that writes a checkpoint, and one that reads from it."""
    model = tf.Module()
    model.v = tf.Variable([1.0, 2.0])
    checkpoint = tf.train.Checkpoint(v=model.v)
    path = os.path.join(tempfile.gettempdir(), "written_by_a_saved_function")

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def write(prefix: Any) -> Any:
        model.v.assign_add([1.0, 10.0])
        return tf.equal(checkpoint.write(prefix), prefix)

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def read(prefix: Any) -> Any:
        key = "v/.ATTRIBUTES/VARIABLE_VALUE"
        return tf.raw_ops.RestoreV2(
            prefix=prefix,
            tensor_names=[key, key],
            shape_and_slices=["", "2 1,1"],
            dtypes=[tf.float32, tf.float32],
        )

    model.write, model.read = write, read
    prefix = np.array(path.encode(), object)
    names = ("write", "read", "write", "read")
    return Example(model, [Call(name, (prefix,)) for name in names])


PROGRAMS = {
    f.__name__: f
    for f in (
        dense,
        polymorphic,
        structures,
        control_flow,
        signatures,
        constants,
        convolution,
        recurrent,
        attention,
        strings,
        custom_gradient,
        gradients_in_parts,
        training,
        ragged,
        tables,
        composites,
        slots,
        writing,
        *DATASETS,
    )
}
