"""Five steps of each optimizer of Keras, and what goes wrong with optimizers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.optimizer_rows import ROWS, gradients, made, steps, variables, weights_of


def _row(name: str) -> Any:
    path, arguments = ROWS[name]

    def case(tf: Any) -> Any:
        optimizer, held = made(tf, path, **arguments), variables(tf)
        fresh = optimizer.get_config()
        steps(tf, optimizer, held, 0, 1)
        once = [v.numpy() for v in held]
        steps(tf, optimizer, held, 1, 5)
        return {
            "values": [once, [v.numpy() for v in held]],
            "state": [[v.name, tuple(v.shape), v.numpy()] for v in weights_of(optimizer)],
            "fresh config": {key: _plain(value) for key, value in fresh.items()},
            "config": {key: _plain(value) for key, value in optimizer.get_config().items()},
        }

    case.__name__ = name
    return case


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, np.generic) else value


for _name in ROWS:
    globals()[_name] = _row(_name)


def in_functions(tf: Any) -> Any:
    """Sparse gradients in traced steps."""
    found = {}
    for name in ("adam", "adagrad", "legacy_sgd"):
        path, arguments = ROWS[name]
        optimizer, held = made(tf, path, **arguments), variables(tf)
        steps(tf, optimizer, held, 0, 1)

        @tf.function
        def step(values: Any, indices: Any, optimizer: Any = optimizer, held: Any = held) -> None:
            table = tf.IndexedSlices(values, indices, tf.constant([5, 2]))
            optimizer.apply_gradients([(table, held[2])])

        for number in range(1, 4):
            table = gradients(tf, number)[2]
            step(table.values, table.indices)
        found[name] = held[2].numpy()
    return found


def sparse_embeddings(tf: Any) -> Any:
    """Vectors in a `tf.SparseTensor`, of a dense and of a sparse input, and a step by their sum."""
    sparse = tf.sparse.from_dense(np.array([[1, 0, 3], [0, 1, 0]]))
    found = []
    for inputs, options in [(sparse, {"sparse": True}), (np.array([[1, 2]]), {"sparse": True})]:
        layer = tf.keras.layers.Embedding(4, 3, embeddings_initializer="ones", **options)
        with tf.GradientTape() as tape:
            vectors = layer(inputs)
            loss = tf.reduce_sum(vectors.values**2)
        gradient = tape.gradient(loss, layer.embeddings)
        tf.keras.optimizers.Adagrad(0.5).apply_gradients([(gradient, layer.embeddings)])
        found.append([vectors, vectors.dense_shape, layer.embeddings.numpy()])
    return found


def embeddings_of_sparse_inputs(tf: Any) -> Any:
    sparse = tf.sparse.from_dense(np.array([[1, 0, 3], [0, 1, 0]]))
    layer = tf.keras.layers.Embedding(4, 3)
    layer.build((None, None))
    layer.set_weights([np.arange(12, dtype=np.float32).reshape(4, 3)])
    one_hot = tf.keras.layers.Embedding(4, 3, use_one_hot_matmul=True)
    one_hot.build((None, None))
    one_hot.set_weights(layer.get_weights())
    return [layer(sparse), one_hot(np.array([[1, 2]]))]


def lengths_of_embeddings(tf: Any) -> Any:
    layers = [tf.keras.layers.Embedding(4, 3, input_length=n) for n in (None, 3, (3, None))]
    shapes = [(None, 5), (None, None), (2, None, 4)]
    return [
        tuple(layer.compute_output_shape(shape))
        for layer, shape in zip(layers, shapes, strict=True)
    ]


def a_length_that_embeddings_do_not_have(tf: Any) -> Any:
    tf.keras.layers.Embedding(4, 3, input_length=3).compute_output_shape((None, 2))


def masked_sparse_embeddings(tf: Any) -> Any:
    tf.keras.layers.Embedding(4, 3, mask_zero=True, sparse=True)


def constraints(tf: Any) -> Any:
    found = []
    for path in ("Adam", "legacy.Adam"):
        held = tf.Variable([1.0, 2.0], constraint=lambda v: tf.clip_by_value(v, 1.5, 1.8))
        made(tf, path).apply_gradients([(tf.constant([1.0, -1.0]), held)])
        found.append(held.numpy())
    return found


def constraint_of_a_sparse_variable(tf: Any) -> Any:
    held = tf.Variable([[1.0]], constraint=tf.keras.constraints.NonNeg())
    rows = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([1, 1]))
    made(tf, "legacy.SGD").apply_gradients([(rows, held)])


def other_dtypes(tf: Any) -> Any:
    found = []
    for path in ("Adam", "Nadam", "Adafactor", "legacy.Adam", "legacy.Nadam"):
        for dtype in ("float64", "float16"):
            held = tf.Variable(np.array([[1.0, 2.0]], dtype))
            optimizer = made(tf, path, learning_rate=0.1)
            for _ in range(2):
                optimizer.apply_gradients([(tf.constant([[0.5, -1.0]], dtype), held)])
            found.append(held.numpy())
    return found


def excluded_from_decay(tf: Any) -> Any:
    kernel, bias, other = variables(tf)
    optimizer = tf.keras.optimizers.AdamW(0.1, weight_decay=0.5)
    optimizer.exclude_from_weight_decay(var_list=[other], var_names=["bias"])
    optimizer.apply_gradients([(tf.zeros_like(v), v) for v in (kernel, bias, other)])
    return [kernel.numpy(), bias.numpy(), other.numpy()]


def decay_is_excluded_too_late(tf: Any) -> Any:
    optimizer, held = tf.keras.optimizers.AdamW(), variables(tf)
    optimizer.build(held)
    optimizer.exclude_from_weight_decay(var_list=held)


def averages_at_the_end(tf: Any) -> Any:
    optimizer = tf.keras.optimizers.SGD(0.5, use_ema=True, ema_momentum=0.9)
    held = tf.Variable([1.0, 2.0])
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant([1.0, -1.0]), held)])
    before = held.numpy()
    optimizer.finalize_variable_values([held])
    return [before, held.numpy(), optimizer.iterations.numpy()]


def schedules(tf: Any) -> Any:
    found = []
    for path in ("SGD", "legacy.SGD", "Adafactor"):
        schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)
        optimizer, held = made(tf, path, learning_rate=schedule), tf.Variable([[1.0]])
        for _ in range(3):
            optimizer.apply_gradients([(tf.constant([[1.0]]), held)])
        again = type(optimizer).from_config(optimizer.get_config())
        again.apply_gradients([(tf.constant([[1.0]]), held)])
        found.append([held.numpy(), optimizer.get_config()["learning_rate"]])
    return found


def the_rate_of_a_schedule(tf: Any) -> Any:
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)
    optimizer, held = tf.keras.optimizers.SGD(schedule), tf.Variable(1.0)
    found = [optimizer.learning_rate.numpy()]
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant(1.0), held)])
        found.append(optimizer.lr.numpy())
    return found


def a_rate_that_is_scheduled_cannot_be_set(tf: Any) -> Any:
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)
    tf.keras.optimizers.SGD(schedule).learning_rate = 0.1


def rates_can_be_set(tf: Any) -> Any:
    found = []
    for path in ("SGD", "legacy.SGD"):
        optimizer, held = made(tf, path, learning_rate=1.0), tf.Variable(1.0)
        optimizer.learning_rate = 0.25
        optimizer.apply_gradients([(tf.constant(1.0), held)])
        optimizer.lr = 0.5
        optimizer.apply_gradients([(tf.constant(1.0), held)])
        found.append([held.numpy(), optimizer.lr.numpy(), optimizer.get_config()["learning_rate"]])
    return found


def minimizing(tf: Any) -> Any:
    found = []
    for path in ("SGD", "legacy.SGD"):
        held = tf.Variable([1.0, 2.0])
        optimizer = made(tf, path, learning_rate=0.25)
        optimizer.minimize(lambda: tf.reduce_sum(held**2), [held])  # noqa: B023
        optimizer.minimize(lambda: tf.reduce_sum(held**2), lambda: [held])  # noqa: B023
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(held**2)
        optimizer.minimize(loss, [held], tape=tape)
        found.append([held.numpy(), optimizer.iterations.numpy()])
    return found


def the_gradient_of_the_loss_is_given(tf: Any) -> Any:
    held = tf.Variable([1.0, 2.0])
    sgd = tf.keras.optimizers.legacy.SGD(0.25)
    sgd.minimize(lambda: held**2, [held], grad_loss=tf.constant([1.0, 0.5]))
    return held.numpy()


def changed_gradients(tf: Any) -> Any:
    def twice(pairs: Any) -> Any:
        return [(2.0 * g, v) for g, v in pairs]

    held = tf.Variable([1.0, 2.0])
    optimizer = tf.keras.optimizers.legacy.SGD(
        0.25, gradient_transformers=[twice], gradient_aggregator=lambda pairs: twice(twice(pairs))
    )
    optimizer.apply_gradients([(tf.constant([1.0, 0.5]), held)])
    optimizer.apply_gradients(
        [(tf.constant([1.0, 0.5]), held)], experimental_aggregate_gradients=False
    )
    return held.numpy()


def numbers_of_a_legacy_optimizer(tf: Any) -> Any:
    adam = tf.keras.optimizers.legacy.Adam(lambda: 0.25, beta_1=0.5)
    adam.beta_2 = 0.75
    held = tf.Variable(1.0)
    adam.apply_gradients([(tf.constant(1.0), held)])
    adam.beta_1 = 0.25
    adam.apply_gradients([(tf.constant(1.0), held)])
    return [held.numpy(), adam.lr, adam.beta_1.numpy(), adam.beta_2.numpy(), adam.get_slot_names()]


def a_legacy_optimizer_of_ones_own(tf: Any) -> Any:
    class Signs(tf.keras.optimizers.legacy.Optimizer):
        def __init__(self, learning_rate: float = 0.5, name: str = "Signs", **kwargs: Any) -> None:
            super().__init__(name, **kwargs)
            self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
            self._set_hyper("decay", self._initial_decay)

        def _create_slots(self, var_list: Any) -> None:
            for var in var_list:
                self.add_slot(var, "last", initializer="ones")

        def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
            key = (var.device, var.dtype.base_dtype)
            numbers = (apply_state or {}).get(key) or self._fallback_apply_state(*key)
            self.get_slot(var, "last").assign(grad)
            return var.assign_sub(numbers["lr_t"] * tf.sign(grad))

        def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
            self._resource_scatter_update(self.get_slot(var, "last"), indices, grad)
            return self._resource_scatter_add(var, indices, -grad)

        def get_config(self) -> Any:
            rate = self._serialize_hyperparameter("learning_rate")
            return {**super().get_config(), "learning_rate": rate, "decay": self._initial_decay}

    optimizer, held = Signs(decay=1.0, clipvalue=0.5), variables(tf)
    steps(tf, optimizer, held, 2, 4)
    return [
        [v.numpy() for v in held],
        [[w.name, w.numpy()] for w in optimizer.weights],
        optimizer.get_config()["decay"],
    ]


def an_optimizer_of_ones_own(tf: Any) -> Any:
    class Signs(tf.keras.optimizers.Optimizer):
        def __init__(self, learning_rate: float = 0.5, name: str = "Signs", **kwargs: Any) -> None:
            super().__init__(name, **kwargs)
            self._learning_rate = self._build_learning_rate(learning_rate)

        def build(self, var_list: Any) -> None:
            super().build(var_list)
            if hasattr(self, "_built") and self._built:
                return
            self.last = [self.add_variable_from_reference(v, "last") for v in var_list]
            self.count = self.add_variable((2,), initializer="ones", name="count")
            self._built = True

        def update_step(self, gradient: Any, variable: Any) -> None:
            last = self.last[self._index_dict[self._var_key(variable)]]
            rate = tf.cast(self.learning_rate, variable.dtype)
            if isinstance(gradient, tf.IndexedSlices):
                last.scatter_update(gradient)
                variable.scatter_sub(gradient)
            else:
                last.assign(gradient)
                variable.assign_sub(rate * tf.sign(gradient))

        def get_config(self) -> Any:
            rate = self._serialize_hyperparameter(self._learning_rate)
            return {**super().get_config(), "learning_rate": rate}

    optimizer, held = Signs(weight_decay=0.1, clipvalue=0.5), variables(tf)
    steps(tf, optimizer, held, 2, 4)
    config = optimizer.get_config()
    return [
        [v.numpy() for v in held],
        [[w.name, w.numpy()] for w in optimizer.variables],
        [config["learning_rate"], config["weight_decay"]],
    ]


def by_name(tf: Any) -> Any:
    o = tf.keras.optimizers
    names = "sgd SGD adam Adam adamW nadam ftrl rmsprop RMSprop adagrad adadelta adamax"
    found = [[type(o.get(n)).__name__, _is_legacy(tf, o.get(n))] for n in names.split()]
    for n in ("sgd", "adam", "nadam", "ftrl", "RMSprop"):
        found.append(_is_legacy(tf, o.get(n, use_legacy_optimizer=True)))
    return found


def _is_legacy(tf: Any, optimizer: Any) -> bool:
    return isinstance(optimizer, tf.keras.optimizers.legacy.Optimizer)


def by_config(tf: Any) -> Any:
    o = tf.keras.optimizers
    configs = [
        {"class_name": "Adam", "config": {}},
        {"class_name": "Adam", "config": {"learning_rate": 0.5}},
        {"class_name": "adam", "config": {"learning_rate": 0.5, "is_legacy_optimizer": False}},
        o.serialize(o.Adam(0.5)),
        o.serialize(o.legacy.Adam(0.5)),
        o.serialize(o.SGD(0.5), use_legacy_format=True),
        o.serialize(o.legacy.SGD(0.5), use_legacy_format=True),
    ]
    found = []
    for config in configs:
        made = o.get(config)
        found.append([type(made).__name__, _is_legacy(tf, made), float(made.learning_rate)])
    return found


def serialized(tf: Any) -> Any:
    o = tf.keras.optimizers
    return [
        o.serialize(None),
        o.serialize(o.legacy.SGD(0.5)),
        o.serialize(o.legacy.SGD(0.5), use_legacy_format=True),
        o.serialize(o.Lion(0.5)),
        o.serialize(o.SGD(o.schedules.PolynomialDecay(0.5, 2))),
    ]


_WRONG: dict[str, Any] = {
    "unknown_name": lambda tf: tf.keras.optimizers.get("foo"),
    "a_number": lambda tf: tf.keras.optimizers.get(3),
    "nothing": lambda tf: tf.keras.optimizers.get(None),
    "a_class": lambda tf: tf.keras.optimizers.get(tf.keras.optimizers.Adam),
    "a_config_without_config": lambda tf: tf.keras.optimizers.get({"class_name": "Adam"}),
    "an_unknown_argument_of_get": lambda tf: tf.keras.optimizers.get("adam", x=1),
    "an_unknown_class": lambda tf: tf.keras.optimizers.deserialize(
        {"class_name": "Foo", "config": {}}, use_legacy_format=True
    ),
    "a_name_to_deserialize": lambda tf: tf.keras.optimizers.deserialize("adam"),
    "an_older_argument": lambda tf: tf.keras.optimizers.Adam(decay=0.5),
    "an_unknown_argument": lambda tf: tf.keras.optimizers.Adam(foo=0.5),
    "an_unknown_legacy_argument": lambda tf: tf.keras.optimizers.legacy.Adam(foo=0.5),
    "a_negative_decay": lambda tf: tf.keras.optimizers.legacy.Adam(decay=-0.5),
    "two_norms": lambda tf: tf.keras.optimizers.Adam(clipnorm=1.0, global_clipnorm=1.0),
    "two_legacy_norms": lambda tf: tf.keras.optimizers.legacy.SGD(clipnorm=1.0, global_clipnorm=1),
    "a_large_momentum_of_averages": lambda tf: tf.keras.optimizers.Adam(
        use_ema=True, ema_momentum=2
    ),
    "half_a_step": lambda tf: tf.keras.optimizers.Adam(use_ema=True, ema_overwrite_frequency=0.5),
    "a_large_momentum": lambda tf: tf.keras.optimizers.SGD(momentum=2.0),
    "a_large_legacy_momentum": lambda tf: tf.keras.optimizers.legacy.RMSprop(momentum=2.0),
    "a_word_as_rate": lambda tf: tf.keras.optimizers.Adam("a"),
    "no_rate": lambda tf: tf.keras.optimizers.Adam(None),
    "no_momentum_of_lion": lambda tf: tf.keras.optimizers.Lion(beta_1=0.0),
    "a_positive_power": lambda tf: tf.keras.optimizers.Ftrl(learning_rate_power=1.0),
    "a_negative_strength": lambda tf: tf.keras.optimizers.legacy.Ftrl(
        beta=0.0, name="f", **{"l1_regularization_strength": -1.0}
    ),
    "a_negative_start": lambda tf: tf.keras.optimizers.legacy.Adagrad(
        initial_accumulator_value=-1.0
    ),
    "a_scheduled_legacy_nadam": lambda tf: tf.keras.optimizers.legacy.Nadam(
        tf.keras.optimizers.schedules.ExponentialDecay(1.0, 1, 1.0)
    ),
    "weights_before_there_are_any": lambda tf: tf.keras.optimizers.SGD().set_weights([1]),
    "too_many_legacy_weights": lambda tf: tf.keras.optimizers.legacy.SGD().set_weights([1]),
    "no_gradient": lambda tf: tf.keras.optimizers.SGD().apply_gradients([(None, tf.Variable(1.0))]),
    "no_legacy_gradient": lambda tf: tf.keras.optimizers.legacy.SGD().apply_gradients(
        [(None, tf.Variable(1.0))]
    ),
    "no_tape": lambda tf: tf.keras.optimizers.SGD().minimize(tf.constant(1.0), []),
    "no_legacy_tape": lambda tf: tf.keras.optimizers.legacy.SGD().minimize(tf.constant(1.0), []),
    "an_unknown_slot": lambda tf: tf.keras.optimizers.legacy.SGD().get_slot(tf.Variable(1.0), "m"),
    "an_unknown_attribute": lambda tf: tf.keras.optimizers.legacy.SGD().momentums,
    "eager_get_gradients": lambda tf: tf.keras.optimizers.legacy.SGD().get_gradients(
        tf.constant(1.0), [tf.Variable(1.0)]
    ),
    "a_whole_number_to_train": lambda tf: tf.keras.optimizers.legacy.SGD()._assert_valid_dtypes(
        [tf.Variable(1)]
    ),
    "bounds_and_transformers": lambda tf: tf.keras.optimizers.legacy.SGD(
        clipnorm=1.0, gradient_transformers=[list]
    ),
    "nothing_to_update": lambda tf: tf.keras.optimizers.Optimizer("x").update_step(None, None),
}
for _name, _case in _WRONG.items():
    _case.__name__ = _name
    globals()[_name] = _case


def a_variable_that_was_not_built(tf: Any) -> Any:
    optimizer = tf.keras.optimizers.SGD()
    optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])
    optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])


def legacy_variables_come_when_they_come(tf: Any) -> Any:
    optimizer, held = tf.keras.optimizers.legacy.SGD(0.5, momentum=0.5), variables(tf)
    optimizer.apply_gradients([(tf.ones([3, 2]), held[0])])
    optimizer.apply_gradients([(tf.ones([2]), held[1])])
    return [[w.name, w.numpy()] for w in optimizer.weights]


def steps_cannot_be_replaced_later(tf: Any) -> Any:
    optimizer = tf.keras.optimizers.legacy.SGD()
    optimizer.iterations = tf.Variable(3, dtype=tf.int64)
    assert int(optimizer.iterations) == 3
    optimizer.iterations = tf.Variable(4, dtype=tf.int64)


def updates_of_a_graph(tf: Any) -> Any:
    optimizer, held = tf.keras.optimizers.legacy.SGD(0.5), tf.Variable([1.0, 2.0])

    @tf.function
    def step() -> Any:
        loss = tf.reduce_sum(held * held)
        gradients = optimizer.get_gradients(loss, [held])
        optimizer.get_updates(loss, [held])
        return gradients

    return [step(), held.numpy()]


def _scaled(tf: Any, path: str, **arguments: Any) -> Any:
    return tf.keras.mixed_precision.LossScaleOptimizer(
        made(tf, path, learning_rate=0.5), **arguments
    )


def loss_scale(tf: Any) -> Any:
    found = []
    for path in ("SGD", "legacy.SGD", "Adam", "legacy.Adam"):
        optimizer = _scaled(tf, path, initial_scale=8.0, dynamic_growth_steps=2)
        held = tf.Variable([1.0, 2.0])
        for factor in (1.0, 1.0, np.inf, 1.0, 1.0, 1.0):
            optimizer.minimize(lambda: tf.reduce_sum(held * factor), [held])  # noqa: B023
            found.append([held.numpy(), optimizer.loss_scale, optimizer.dynamic_counter.numpy()])
        config = optimizer.get_config()
        kept = {key: config[key] for key in ("dynamic", "initial_scale", "dynamic_growth_steps")}
        again = type(optimizer).from_config(config)
        found.append([int(optimizer.iterations), kept, type(again).__name__, float(again.lr)])
    return found


def fixed_loss_scale(tf: Any) -> Any:
    found = []
    for path in ("SGD", "legacy.SGD"):
        optimizer = _scaled(tf, path, dynamic=False, initial_scale=4.0)
        held = tf.Variable([[1.0], [2.0]])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(held, [1, 1]))
            scaled = optimizer.get_scaled_loss(loss)
        rows = optimizer.get_unscaled_gradients(tape.gradient(scaled, [held]) + [None])
        optimizer.apply_gradients([(rows[0], held)])
        found.append([scaled, rows[0], rows[1], held.numpy(), optimizer.dynamic_counter])
    return found


_WRONG_SCALES: dict[str, Any] = {
    "no_optimizer_to_scale": lambda tf: tf.keras.mixed_precision.LossScaleOptimizer("adam"),
    "a_number_for_dynamic": lambda tf: _scaled(tf, "SGD", dynamic=1),
    "no_fixed_scale": lambda tf: _scaled(tf, "SGD", dynamic=False),
    "steps_of_a_fixed_scale": lambda tf: _scaled(
        tf, "legacy.SGD", dynamic=False, initial_scale=2, dynamic_growth_steps=3
    ),
    "scaled_twice": lambda tf: tf.keras.mixed_precision.LossScaleOptimizer(_scaled(tf, "SGD")),
    "nothing_to_scale": lambda tf: _scaled(tf, "SGD").apply_gradients([]),
}
for _name, _case in _WRONG_SCALES.items():
    _case.__name__ = _name
    globals()[_name] = _case
