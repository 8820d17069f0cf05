"""Programs that threads share, each for a part of the batch."""

import threading

import numpy as np
import pytest

import runnel as tf
from runnel.core import configuration
from runnel.core.lanes import lanes
from runnel.core.xla import jax, jnp, lax
from runnel.graph import sharing
from runnel.graph.parts import SUM, WHOLE, Rows
from runnel.graph.sharing import Division

RANDOM = np.random.default_rng(7)


def floats(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape, dtype=np.float32)


ROWS, TABLE, SQUARE = floats(8, 6), floats(5, 6), floats(6, 6)


def scanned(x):
    """A loop that carries rows, a sum over them, and a pile."""

    def step(state):
        i, h, total, pile = state
        h = jnp.tanh(h @ SQUARE + x)
        return i + 1, h, total + h.T @ x, lax.dynamic_update_index_in_dim(pile, h, i, 0)

    start = 0, jnp.zeros((8, 6), "f4"), jnp.zeros((6, 6), "f4"), jnp.zeros((4, 8, 6), "f4")
    return lax.while_loop(lambda state: state[0] < 4, step, start)


def rows(axis: int, before: int = 1) -> Rows:
    return Rows(axis, before)


# A function of one array of 8 rows, and of which kinds its results are; None: left to the rest.
CASES = {
    "elements": (lambda x: jnp.exp(-x) * 2 + ROWS[:1], [rows(0)]),
    "beside what is whole": (lambda x: jnp.where(x > 0, x, ROWS), [rows(0)]),
    "sum over the batch": (lambda x: x.sum(0), [SUM]),
    "sum over all": (lambda x: x.sum() / 3, [SUM]),
    "sum in each row": (lambda x: x.sum(1), [rows(0)]),
    "scaled sums": (lambda x: -(2 * x.sum(0) + x[:, ::-1].sum(0)), [SUM]),
    "a sum plus a constant": (lambda x: x.sum(0) + TABLE[0], [SUM]),
    "the square of a sum": (lambda x: jnp.square(x.sum(0)), [None]),
    "a mean that the rows need": (lambda x: x - x.mean(0), [None]),
    "largest of each row": (lambda x: (x.max(1), jnp.argmax(x, 1)), [rows(0), rows(0)]),
    "largest of the batch": (lambda x: x.max(0), [None]),
    "transposed": (lambda x: x.T, [rows(1)]),
    "reshaped": (lambda x: x.reshape(8, 2, 3).reshape(48), [rows(0)]),
    "a batch inside an axis": (
        lambda x: jnp.broadcast_to(x, (3, 8, 6)).reshape(24, 6) * 2,
        [rows(0, 3)],
    ),
    "summed inside an axis": (
        lambda x: jnp.broadcast_to(x, (3, 8, 6)).reshape(24, 6).sum(0),
        [SUM],
    ),
    "a batch taken apart": (lambda x: x.reshape(2, 4, 6).sum(2), [None]),
    "slices": (lambda x: (x[:, 1:5:2], x[2:]), [rows(0), None]),
    "joined columns": (lambda x: jnp.concatenate([x, ROWS], 1), [rows(0)]),
    "joined rows": (lambda x: jnp.concatenate([x, ROWS], 0), [None]),
    "stacked": (
        lambda x: (jnp.stack([x, ROWS]), jnp.stack([x, ROWS], 2), jnp.stack([x.sum(0), TABLE[0]])),
        [rows(1), rows(0), SUM],
    ),
    "padded": (lambda x: jnp.pad(x, ((0, 0), (1, 2))), [rows(0)]),
    "split columns": (lambda x: jnp.split(x, 3, 1), [rows(0)] * 3),
    "turned round": (lambda x: (x[:, ::-1], x[::-1]), [rows(0), None]),
    "cumulated": (lambda x: (jnp.cumsum(x, 1), jnp.cumsum(x, 0)), [rows(0), None]),
    "product with a matrix": (lambda x: x @ SQUARE, [rows(0)]),
    "product of a matrix": (lambda x: SQUARE @ x.T, [rows(1)]),
    "product over the batch": (lambda x: x.T @ ROWS, [SUM]),
    "product with a sum": (lambda x: x.sum(0) @ SQUARE, [SUM]),
    "product of rows": (lambda x: x @ x.T, [None]),
    "a product for each row": (lambda x: jnp.einsum("bi,bj->bij", x, ROWS), [rows(0)]),
    "table": (lambda x: jnp.asarray(TABLE)[jnp.abs(x[:, :3] * 2).astype(int)], [rows(0)]),
    "added to a table": (
        lambda x: jnp.asarray(TABLE).at[jnp.abs(x[:, 0] * 2).astype(int)].add(x),
        [SUM],
    ),
    "columns of a table": (lambda x: jnp.take(x, np.array([3, 0, 3]), 1), [rows(0)]),
    "columns of a sum": (lambda x: jnp.take(x.sum(0), np.array([3, 0, 3])), [SUM]),
    "some rows of the batch": (lambda x: jnp.take(x, np.array([3, 0, 3]), 0), [None]),
    "written to a column": (
        lambda x: jnp.asarray(ROWS).at[:, jnp.array([1])].set(x[:, :1]),
        [None],
    ),
    "written to its own columns": (lambda x: x.at[:, jnp.array([1, 3])].set(x[:, :2]), [rows(0)]),
    "a sum in a row of a matrix": (lambda x: jnp.zeros((2, 6)).at[1].set(x.sum(0)), [SUM]),
    "tiled": (lambda x: jnp.tile(x, (1, 2)), [rows(0)]),
    "chosen by a number": (lambda x: jnp.where(TABLE[0, 0] > 9, x.sum(0), TABLE[1]), [SUM]),
    "at an index": (lambda x: lax.dynamic_index_in_dim(x, jnp.int32(2), 1), [rows(0)]),
    "a row of the batch": (lambda x: lax.dynamic_index_in_dim(x, jnp.int32(2), 0), [None]),
    "barrier": (lambda x: lax.optimization_barrier((x, x.sum(0))), [rows(0), SUM]),
    "custom derivative": (lambda x: jax.nn.relu(x), [rows(0)]),
    "convolution": (
        lambda x: lax.conv_general_dilated(
            x.reshape(8, 6, 1, 1),
            SQUARE.reshape(3, 2, 1, 6),
            (1, 1),
            "SAME",
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        ),
        [rows(0)],
    ),
    "gradient of a filter": (
        lambda x: jax.vjp(
            lambda f: lax.conv_general_dilated(
                x.reshape(8, 3, 2, 1), f, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            ),
            SQUARE[:, :4].reshape(2, 2, 1, 6),
        )[1](jnp.tile(x.reshape(8, 3, 2, 1), (1, 1, 1, 6))),
        [SUM],
    ),
    "windows": (
        lambda x: (
            lax.reduce_window(x, -np.inf, lax.max, (1, 2), (1, 2), "VALID"),
            lax.reduce_window(x, -np.inf, lax.max, (2, 2), (1, 2), "VALID"),
        ),
        [rows(0), None],
    ),
    "a loop": (scanned, [WHOLE, rows(0), SUM, rows(1)]),
    "a loop that rows end": (
        lambda x: lax.while_loop(lambda h: h.sum() < 9, lambda h: h + jnp.abs(x) + 1, x),
        [None],
    ),
    "nothing of the batch": (lambda x: jnp.asarray(TABLE) * 2, [WHOLE]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("count", [2, 4])
def test_parts_together_give_what_the_whole_gives(name: str, count: int) -> None:
    fn, kinds = CASES[name]

    def flat(x):
        return jax.tree.leaves(fn(x))

    closed = jax.make_jaxpr(flat)(ROWS)
    division = Division(closed, 0, 0, count)
    assert [division.kinds[v] for v in closed.jaxpr.outvars] == kinds
    found = division.compiled(lanes(count), jax.tree.structure(flat(jnp.asarray(ROWS))), ())(ROWS)
    for value, want in zip(found, jax.jit(flat)(ROWS), strict=True):
        assert value.dtype == want.dtype
        np.testing.assert_allclose(value, want, rtol=1e-5, atol=1e-5)


def test_a_batch_may_be_another_axis() -> None:
    x = floats(3, 8, 5)
    closed = jax.make_jaxpr(lambda x: [x.reshape(24, 5) @ x[0, :5], x.sum((0, 1))])(x)
    division = Division(closed, 0, 1, 2)
    assert [division.kinds[v] for v in closed.jaxpr.outvars] == [None, SUM]
    closed = jax.make_jaxpr(lambda x: [x.reshape(24, 5) * 2, x.sum(0)])(x)
    division = Division(closed, 0, 1, 2)
    assert [division.kinds[v] for v in closed.jaxpr.outvars] == [Rows(0, 3), Rows(0, 1)]
    whole, summed = division.compiled(lanes(2), jax.tree.structure([0, 0]), ())(x)
    np.testing.assert_allclose(whole, x.reshape(24, 5) * 2)
    np.testing.assert_allclose(summed, x.sum(0), rtol=1e-5)


class Counted:
    """Counts the programs that are divided."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.found: list[Division] = []
        compiled = Division.compiled

        def noted(division: Division, *args):
            self.found.append(division)
            return compiled(division, *args)

        monkeypatch.setattr(Division, "compiled", noted)
        monkeypatch.setattr(sharing, "_cores", lambda: 2)
        monkeypatch.setattr(sharing, "_WORTH", 1 << 21)
        monkeypatch.setattr(sharing, "_LITTLE", 16)


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> list[Division]:
    return Counted(monkeypatch).found


def recurrent(units: int = 256, time_first: bool = True):
    """A step of gradients through a recurrent network, and its input."""
    kernel = tf.Variable(floats(units, units) / 30)
    bias = tf.Variable(floats(units) / 9)

    def step(x):
        with tf.GradientTape() as tape:
            h = tf.zeros([32, units])
            for t in tf.range(6):
                h = tf.tanh(tf.matmul(h, kernel) + (x[t] if time_first else x[:, t]) + bias)
            loss = tf.reduce_mean(tf.square(h))
        return loss, h, *tape.gradient(loss, [kernel, bias])

    return step, floats(*((6, 32, units) if time_first else (32, 6, units)))


@pytest.mark.parametrize("time_first", [True, False])
def test_a_loop_with_products_is_shared(time_first: bool, divided: list[Division]) -> None:
    step, x = recurrent(time_first=time_first)
    fn = tf.function(step, jit_compile=True)
    for _ in range(3):
        found = fn(tf.constant(x))
    assert len(divided) == 1
    assert "2 threads share the batch" in str(fn.explain())
    for value, want in zip(found, step(tf.constant(x)), strict=True):
        np.testing.assert_allclose(value, want, rtol=1e-3, atol=1e-6)


def test_small_products_are_not_shared(divided: list[Division]) -> None:
    step, x = recurrent(units=16)
    fn = tf.function(step, jit_compile=True)
    fn(tf.constant(x))
    assert not divided


def test_numbers_are_checked_in_whole_programs(divided: list[Division]) -> None:
    step, x = recurrent()
    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Inf"):
            tf.function(step)(tf.constant(x * np.float32(np.inf)))
    finally:
        tf.debugging.disable_check_numerics()
    assert not divided


def test_one_thread_shares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(configuration, "inter_op_threads", 1)
    assert sharing._cores() == 1
    monkeypatch.setattr(sharing, "Shared", None)  # whoever makes one fails
    step, x = recurrent()
    loss, *_ = tf.function(step, jit_compile=True)(tf.constant(x))
    np.testing.assert_allclose(loss, step(tf.constant(x))[0], rtol=1e-4)


def test_threads_may_call_a_shared_function_at_once(divided: list[Division]) -> None:
    step, x = recurrent()
    fn = tf.function(step, jit_compile=True)
    want = [value.numpy() for value in fn(tf.constant(x))]
    found: list = []

    def call() -> None:
        for _ in range(5):
            found.append([value.numpy() for value in fn(tf.constant(x))])

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(divided) == 1 and len(found) == 15
    for values in found:
        for value, expected in zip(values, want, strict=True):
            np.testing.assert_array_equal(value, expected)


def test_lanes_compute_what_the_first_one_computed_for_all(
    divided: list[Division], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[sharing._Parts] = []
    make = sharing._Parts.__init__
    monkeypatch.setattr(
        sharing._Parts, "__init__", lambda self, *args: (make(self, *args), made.append(self))[0]
    )
    step, x = recurrent()
    fn = tf.function(step, jit_compile=True)
    first, second = ([value.numpy() for value in fn(tf.constant(x))] for _ in range(2))
    (parts,) = made
    assert parts._others is not None
    parts._others.result()
    third = [value.numpy() for value in fn(tf.constant(x))]
    for values in zip(first, second, third, strict=True):
        np.testing.assert_array_equal(values[0], values[1])
        np.testing.assert_array_equal(values[0], values[2])


def test_without_lanes_programs_stay_whole(
    divided: list[Division], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "lanes", lambda count: None)
    step, x = recurrent()
    loss, *_ = tf.function(step, jit_compile=True)(tf.constant(x))
    np.testing.assert_allclose(loss, step(tf.constant(x))[0], rtol=1e-4)
    assert not divided


def test_variables_that_a_shared_program_writes(divided: list[Division]) -> None:
    step, x = recurrent()
    total = tf.Variable(0.0)
    weights = tf.Variable(floats(256))

    @tf.function(jit_compile=True)
    def trained(x):
        loss, _, _, bias = step(x)
        total.assign_add(loss)
        weights.assign_sub(bias)
        return loss

    start = weights.numpy()
    loss, _, _, bias = step(tf.constant(x))
    for _ in range(4):
        trained(tf.constant(x))
    assert len(divided) == 1
    np.testing.assert_allclose(total, 4 * loss, rtol=1e-5)
    np.testing.assert_allclose(weights, start - 4 * bias.numpy(), rtol=1e-4, atol=1e-6)


LAYERS = {
    "LSTM": lambda: tf.keras.layers.LSTM(128),
    "GRU": lambda: tf.keras.layers.GRU(128),
    "SimpleRNN": lambda: tf.keras.layers.SimpleRNN(160),
    "sequences": lambda: tf.keras.layers.LSTM(128, return_sequences=True),
    "dropout": lambda: tf.keras.layers.LSTM(128, dropout=0.2, recurrent_dropout=0.1),
    "Bidirectional": lambda: tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(128)),
    "backwards": lambda: tf.keras.layers.GRU(128, go_backwards=True),
}


@pytest.mark.parametrize("name", LAYERS)
def test_keras_trains_as_without_sharing(
    name: str, divided: list[Division], monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = RANDOM.integers(0, 50, (64, 7))
    labels = RANDOM.integers(0, 3, 64)

    def weights() -> list[np.ndarray]:
        tf.keras.utils.set_random_seed(3)
        layers = [
            tf.keras.layers.Embedding(50, 64, mask_zero=True),
            LAYERS[name](),
            *([tf.keras.layers.GlobalAveragePooling1D()] if name == "sequences" else []),
            tf.keras.layers.Dense(3, activation="softmax"),
        ]
        model = tf.keras.Sequential(layers)
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        model.fit(tokens, labels, batch_size=32, epochs=3, shuffle=False, verbose=0)
        return model.get_weights()

    found = weights()
    assert divided
    monkeypatch.setattr(sharing, "may_pay", lambda nodes: False)
    for value, want in zip(found, weights(), strict=True):
        np.testing.assert_allclose(value, want, rtol=1e-3, atol=2e-4)


def network(layers: int):
    """A step of gradients through a network of images, and its input."""
    kernels = [tf.Variable(floats(3, 3, 8, 8) / 9) for _ in range(layers)]

    def step(x):
        with tf.GradientTape() as tape:
            y = x
            for kernel in kernels:
                y = tf.nn.relu(tf.nn.conv2d(y, kernel, 1, "SAME"))
            loss = tf.reduce_mean(tf.square(tf.nn.max_pool2d(y, 2, 2, "SAME")))
        return loss, *tape.gradient(loss, kernels)

    return step, floats(16, 12, 12, 8)


@pytest.mark.parametrize("layers, shared", [(3, True), (1, False)])
def test_networks_are_shared_and_single_layers_are_not(
    layers: int, shared: bool, divided: list[Division]
) -> None:
    step, x = network(layers)
    fn = tf.function(step, jit_compile=True)
    for _ in range(2):
        found = fn(tf.constant(x))
    assert bool(divided) is shared
    for value, want in zip(found, step(tf.constant(x)), strict=True):
        np.testing.assert_allclose(value, want, rtol=1e-3, atol=1e-5)


def test_rows_that_meet_are_not_shared(divided: list[Division]) -> None:
    step, x = recurrent()

    @tf.function(jit_compile=True)
    def normalized(x):
        mean, variance = tf.nn.moments(x, [1], keepdims=True)
        return step((x - mean) * tf.math.rsqrt(variance + 1e-3))

    assert np.isfinite(normalized(tf.constant(x))[0])
    assert not divided


def test_a_batch_that_cannot_be_divided_is_computed_whole(divided: list[Division]) -> None:
    step, x = network(3)
    fn = tf.function(step, jit_compile=True)
    odd = tf.constant(x[:13])
    np.testing.assert_allclose(fn(odd)[0], step(odd)[0], rtol=1e-4)
    assert not divided
