"""Programs about `tf.random`: seeds, streams, generators; see `cases.py`."""


def global_seed(tf):
    tf.random.set_seed(42)
    numbers = [
        tf.random.uniform([3]),
        tf.random.uniform([2, 2], -1.0, 2.5, dtype=tf.float64),
        tf.random.uniform([4], maxval=10, dtype=tf.int32),
        tf.random.uniform([4], -(2**40), 2**40, dtype=tf.int64),
        tf.random.uniform([3], dtype=tf.float16),
        tf.random.uniform([3], dtype=tf.bfloat16),
        tf.random.normal([3]),
        tf.random.normal([2, 3], mean=[1.0, 2.0, 3.0], stddev=0.1),
        tf.random.normal([3], dtype=tf.float64),
        tf.random.truncated_normal([5], stddev=2.0),
        tf.random.shuffle(tf.range(10)),
        tf.random.categorical([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]], 5),
        tf.random.categorical([[0.0, 1.0, 2.0]], 5, dtype=tf.int32),
        tf.random.gamma([2], [0.5, 1.0, 3.0]),
        tf.random.gamma([], [0.5, 3.0], beta=[[2.0], [0.5]]),
        tf.random.poisson([3], [0.5, 30.0]),
        tf.random.poisson([], 3, dtype=tf.int32),
    ]
    tf.random.set_seed(42)
    return [*numbers, tf.random.uniform([3])]


def op_seed(tf):
    tf.random.set_seed(None)
    calls = [tf.random.uniform([2], seed=1) for _ in range(3)]
    calls += [
        tf.random.normal([2], seed=1),
        tf.random.normal([2], seed=1),
        tf.random.uniform([2], seed=1),
    ]
    return calls


def both_seeds(tf):
    tf.random.set_seed(7)
    first = [tf.random.uniform([2], seed=1) for _ in range(2)]
    first += [
        tf.random.uniform([2]),
        tf.random.uniform([2], seed=0),
        tf.random.uniform([2], seed=2**33),
    ]
    tf.random.set_seed(7)
    return [*first, [tf.random.uniform([2], seed=1) for _ in range(2)]]


def seeds_of_zero(tf):
    tf.random.set_seed(0)
    return tf.random.uniform([2], seed=0), tf.random.uniform([2], seed=0), tf.random.uniform([2])


def streams_are_by_attributes_and_dtypes(tf):
    tf.random.set_seed(5)
    return [
        tf.random.uniform([2], seed=1),
        tf.random.uniform([2], seed=1, dtype=tf.float64),
        tf.random.uniform(tf.constant([2], tf.int64), seed=1),
        tf.random.uniform([3], seed=1),
        tf.random.uniform(tf.constant([2], tf.int64), seed=1),
        tf.random.shuffle([1, 2, 3, 4, 5], seed=1),
        tf.random.shuffle([1.0, 2.0, 3.0, 4.0, 5.0], seed=1),
        tf.random.shuffle([1, 2, 3, 4, 5], seed=1),
    ]


def odd_seeds(tf):
    answers = []
    for seed in (-5, 2**40, 3.7):
        tf.random.set_seed(seed)
        answers.append([tf.random.uniform([2]), tf.random.normal([2], seed=3)])
    return answers


def inside_a_function(tf):
    tf.random.set_seed(11)

    @tf.function
    def draw():
        return tf.random.uniform([3]), tf.random.normal([2]), tf.random.uniform([2], seed=4)

    return draw(), draw(), draw()


def many_calls_of_a_function(tf):
    tf.random.set_seed(11)

    @tf.function
    def draw(x):
        kept = tf.random.uniform(tf.shape(x)) > 0.3
        for_all = tf.random.normal([2, 3]) * 2.0 + tf.random.truncated_normal([3])
        y = tf.where(kept, x, 0.0) * tf.random.uniform([], 1.0, 2.0)
        return (
            y + tf.reduce_sum(for_all),
            tf.random.shuffle(x),
            tf.random.uniform([4], maxval=9, dtype=tf.int32),
        )

    return [draw(tf.range(6.0)) for _ in range(6)]


def each_function_counts_its_own_ops(tf):
    tf.random.set_seed(3)

    @tf.function
    def first():
        return tf.random.uniform([2])

    @tf.function
    def second():
        return tf.random.uniform([2])

    @tf.function
    def third():
        return tf.random.uniform([2]), tf.random.uniform([2])

    return first(), second(), third(), first(), tf.random.uniform([2])


def each_trace_has_its_own_streams(tf):
    tf.random.set_seed(3)

    @tf.function
    def draw(x):
        return x + tf.random.uniform(tf.shape(x))

    return draw(tf.zeros([2])), draw(tf.zeros([3])), draw(tf.zeros([2])), draw(tf.zeros([3]))


def a_new_seed_restarts_functions(tf):
    tf.random.set_seed(3)

    @tf.function
    def draw():
        return tf.random.uniform([2])

    first = [draw(), draw()]
    tf.random.set_seed(9)
    second = [draw(), draw()]
    tf.random.set_seed(3)
    return first, second, [draw(), draw()]


def a_function_in_a_function(tf):
    tf.random.set_seed(3)

    @tf.function
    def inner():
        return tf.random.uniform([2])

    @tf.function
    def outer():
        return inner(), inner(), tf.random.uniform([2])

    return outer(), outer()


def random_numbers_in_a_loop(tf):
    tf.random.set_seed(3)

    @tf.function
    def draw(n):
        total = tf.zeros([2])
        for _ in tf.range(n):
            total += tf.random.uniform([2])
        return total

    return [draw(tf.constant(3)) for _ in range(4)]


def random_numbers_in_a_branch(tf):
    tf.random.set_seed(3)

    @tf.function
    def draw(flag):
        if flag:
            found = tf.random.uniform([2])
        else:
            found = tf.random.normal([2])
        return found + tf.random.uniform([2])

    return [draw(tf.constant(f)) for f in (True, True, False, True, False, False)]


def dropout(tf):
    tf.random.set_seed(8)
    x = tf.ones([4, 4])

    @tf.function
    def train(x):
        return (
            tf.nn.dropout(x, 0.5),
            tf.nn.dropout(x, 0.25, noise_shape=[4, 1]),
            tf.nn.dropout(x, 0.5, seed=3),
        )

    return tf.nn.dropout(x, 0.5), tf.nn.dropout(x, 0.3, seed=1), [train(x) for _ in range(4)]


def gamma_is_differentiable(tf):
    tf.random.set_seed(8)
    alpha, beta = tf.constant([0.5, 1.5, 10.0]), tf.constant([[2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch([alpha, beta])
        y = tf.random.gamma([4], alpha, beta)
    return y, tape.gradient(y, [alpha, beta])


def stateless_gamma_is_differentiable(tf):
    alpha, beta = tf.constant([0.5, 1.5, 10.0]), tf.constant([[2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch([alpha, beta])
        y = tf.random.stateless_gamma([4, 2, 3], [1, 2], alpha, beta)
    return y, tape.gradient(y, [alpha, beta])


def normal_is_differentiable(tf):
    tf.random.set_seed(8)
    mean, deviation = tf.constant([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([mean, deviation])
        y = tf.random.normal([3, 2], mean, deviation)
    return y, tape.gradient(y, [mean, deviation])


def a_generator(tf):
    g = tf.random.Generator.from_seed(1234)
    return [
        g.algorithm,
        g.key,
        g.state.numpy(),
        g.normal([3]),
        g.normal([2, 2], 1.0, 0.5, dtype=tf.float64),
        g.uniform([3]),
        g.uniform([3], -2.0, 7.0),
        g.uniform([3], maxval=2),
        g.uniform([3], 1, 100, dtype=tf.int32),
        g.uniform([3], 1, 100, dtype=tf.int64),
        g.uniform([2], None, dtype=tf.int32),
        g.uniform_full_int([2]),
        g.uniform_full_int([2], dtype=tf.uint32),
        g.truncated_normal([5]),
        g.truncated_normal([5], 3.0, 0.1),
        g.state.numpy(),
        g.binomial([3, 2], [10.0, 100.0], [0.5, 0.25]),
        g.state.numpy(),
        g.make_seeds(3),
        g.make_seeds(),
        [part.state.numpy() for part in g.split(3)],
        [part.normal([2]) for part in g.split(2)],
        g.skip(5),
        g.state.numpy(),
    ]


def states_of_generators(tf):
    g = tf.random.Generator
    made = [
        g.from_seed(5),
        g.from_seed(-5),
        g.from_seed(2**70),
        g.from_seed([1, 2]),
        g.from_seed(7, alg="threefry"),
        g.from_seed(7, alg="auto_select"),
        g.from_state([1, 2, 3], alg="philox"),
        g.from_state(tf.constant([4, 5, 6], tf.int64), alg=1),
        g.from_key_counter(9, [1, 2], "philox"),
        g(copy_from=g.from_seed(8)),
        g(state=[3, 2, 1], alg="philox"),
    ]
    return [(m.state.numpy(), m.algorithm, m.key, m.state.dtype.name) for m in made]


def a_generator_is_reset(tf):
    g = tf.random.Generator.from_seed(1)
    states = [g.normal([2])]
    g.reset([3, 4, 5])
    states += [g.state.numpy(), g.normal([2])]
    g.reset_from_seed(8)
    states += [g.state.numpy(), g.normal([2])]
    g.reset_from_key_counter(1, [2, 3])
    return [*states, g.state.numpy(), g.normal([2])]


def a_generator_in_a_function(tf):
    g = tf.random.Generator.from_seed(1)

    @tf.function
    def draw(x):
        noise = g.normal(tf.shape(x)) + g.uniform([])
        return x + noise, g.uniform([2], maxval=50, minval=0, dtype=tf.int32), g.make_seeds(2)

    return [draw(tf.range(4.0)) for _ in range(5)], g.state.numpy()


def a_generator_made_in_a_function(tf):
    class Model:
        g = None

    model = Model()

    @tf.function
    def draw():
        if model.g is None:
            model.g = tf.random.Generator.from_seed(4)
        return model.g.normal([2])

    return draw(), draw(), model.g.state.numpy()


def the_global_generator(tf):
    tf.random.set_global_generator(tf.random.Generator.from_seed(6))
    return tf.random.get_global_generator().normal(
        [2]
    ), tf.random.experimental.get_global_generator().normal([2])


def a_state_of_the_wrong_size(tf):
    return tf.random.Generator.from_state([1, 2], alg="philox")


def an_unknown_algorithm(tf):
    return tf.random.Generator.from_seed(1, alg="mersenne")


def threefry_in_compiled_functions(tf):
    """TensorFlow has it nowhere else on a CPU."""
    random = tf.random

    @tf.function(jit_compile=True)
    def draw():
        found = []
        for shape in ([], [3], [2, 3], [4, 5]):
            for dtype in (tf.float32, tf.float64):
                found.append(random.stateless_normal(shape, [3, -4], dtype=dtype, alg="threefry"))
                found.append(
                    random.stateless_truncated_normal(shape, [3, -4], dtype=dtype, alg="threefry")
                )
            for dtype in (tf.float16, tf.bfloat16):
                found.append(random.stateless_uniform(shape, [3, -4], dtype=dtype, alg="threefry"))
            for dtype in (tf.int32, tf.int64):
                found.append(random.stateless_uniform(shape, [3, -4], -5, 900, dtype, alg=2))
        return [*found, random.split([3, -4], 2, alg=2), random.fold_in([3, -4], 7, alg=2)]

    return draw()


def a_generator_of_threefry_in_a_compiled_function(tf):
    g = tf.random.Generator.from_seed([5, 6], alg="threefry")

    @tf.function(jit_compile=True)
    def draw():
        return (
            g.normal([3]),
            g.uniform([2, 2]),
            g.uniform([3], maxval=9, dtype=tf.int32),
            g.uniform_full_int([3]),
            g.truncated_normal([3], dtype=tf.float64),
            g.make_seeds(2),
            g.skip(5),
        )

    return [draw() for _ in range(3)], g.state.numpy()


def stateless_numbers_in_a_function(tf):
    @tf.function
    def draw(seed):
        keys = tf.random.split(seed, 3)
        return [
            tf.random.stateless_uniform([3], keys[0]),
            tf.random.stateless_normal([3], keys[1]),
            tf.random.stateless_truncated_normal([3], keys[2]),
            tf.random.stateless_uniform([3], tf.random.fold_in(seed, 5), 0, 100, tf.int32),
            tf.random.experimental.stateless_shuffle(tf.range(6), seed),
            tf.random.stateless_categorical([[0.0, 1.0, 2.0]], 4, seed),
            tf.random.stateless_gamma([2], seed, 2.0),
            tf.random.stateless_poisson([2], seed, 4.0),
            tf.random.stateless_binomial([2], seed, 10.0, 0.3),
        ]

    return [draw(tf.constant([i, 2])) for i in range(4)]


def a_learned_sampler_learns(tf):
    tf.random.set_seed(3)
    return [
        tf.random.learned_unigram_candidate_sampler([[1], [1], [4]], 1, 4, True, 6, seed=2)
        for _ in range(3)
    ]


def initializers(tf):
    tf.random.set_seed(3)
    normal = tf.random_normal_initializer(1.0, 2.0, seed=4)
    return [
        normal([3]),
        normal([3]),
        normal([3], dtype=tf.float64),
        tf.random_normal_initializer()([2]),
        tf.random_uniform_initializer()([2]),
        tf.random_uniform_initializer(0, 100, seed=1)([3], tf.int32),
        normal.get_config(),
        type(normal).from_config(normal.get_config())([2]),
    ]


def a_shape_of_tensors(tf):
    tf.random.set_seed(3)

    @tf.function
    def draw(x):
        n = tf.shape(x)[0]
        return tf.random.normal([n, 2]), tf.random.uniform(tf.stack([n, 3]))

    return (
        tf.random.uniform([tf.constant(2), 3]),
        draw(tf.zeros([3])),
        draw(tf.zeros([4])),
        draw(tf.zeros([3])),
    )


def without_determinism(tf):
    tf.random.set_seed(None)
    return bool(tf.reduce_all(tf.random.uniform([4]) == tf.random.uniform([4])))
