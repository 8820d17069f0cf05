"""Programs of TensorFlow 1, small enough for tests: each returns numbers that its seeds decide.

`tf` is `tf.compat.v1`, of TensorFlow or of Runnel; a fresh graph is being built.
"""

import numpy as np


def data(*shape):
    return np.random.RandomState(7).uniform(-1, 1, shape).astype(np.float32)


def train(tf, loss, step, feeds, steps=4):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run([loss, step], feeds)[0] for _ in range(steps)]


def softmax_regression(tf):
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [None, 6])
    y = tf.placeholder(tf.float32, [None, 3])
    w = tf.Variable(tf.zeros([6, 3]))
    b = tf.Variable(tf.zeros([3]))
    p = tf.nn.softmax(tf.matmul(x, w) + b)
    loss = tf.reduce_mean(-tf.reduce_sum(y * tf.log(p), reduction_indices=[1]))
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    return train(tf, loss, step, {x: data(8, 6), y: np.eye(3, dtype=np.float32)[np.arange(8) % 3]})


def mlp(tf, optimizer):
    tf.set_random_seed(3)
    x = tf.placeholder(tf.float32, [None, 5], name="x")
    y = tf.placeholder(tf.int32, [None])
    with tf.variable_scope("hidden"):
        w = tf.get_variable("w", [5, 4])
        b = tf.get_variable("b", [4], initializer=tf.constant_initializer(0.1))
        h = tf.nn.relu(tf.matmul(x, w) + b)
    with tf.variable_scope("out"):
        w = tf.get_variable("w", [4, 3], initializer=tf.truncated_normal_initializer(stddev=0.5))
        logits = tf.matmul(h, w)
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    rate = tf.train.exponential_decay(0.1, tf.train.get_or_create_global_step(), 2, 0.5, True)
    step = optimizer(tf, rate).minimize(loss, global_step=tf.train.get_global_step())
    return train(tf, loss, step, {x: data(6, 5), y: np.arange(6) % 3})


def word_vectors(tf):
    tf.set_random_seed(5)
    ids = tf.placeholder(tf.int32, [None])
    table = tf.Variable(tf.random_uniform([9, 4], -1.0, 1.0))
    rows = tf.nn.embedding_lookup(table, ids)
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(rows, axis=1, keep_dims=True) - 1.0))
    step = tf.train.AdagradOptimizer(0.5).minimize(loss)
    return train(tf, loss, step, {ids: [1, 3, 3, 8]})


def convolution(tf):
    tf.set_random_seed(11)
    x = tf.placeholder(tf.float32, [None, 6, 6, 1])
    w = tf.get_variable("w", [3, 3, 1, 2], initializer=tf.random_normal_initializer(0.0, 0.3))
    h = tf.nn.max_pool(
        tf.nn.relu(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"
    )
    loss = tf.losses.mean_squared_error(tf.ones([2]), tf.reduce_mean(h, [1, 2, 3]))
    step = tf.train.AdamOptimizer(0.05).minimize(loss)
    return train(tf, loss, step, {x: data(2, 6, 6, 1)})


def unrolled_rnn(tf):
    tf.set_random_seed(13)
    x = tf.placeholder(tf.float32, [4, 3, 2])
    state = tf.zeros([4, 5])
    with tf.variable_scope("cell") as scope:
        for t in range(3):
            if t:
                scope.reuse_variables()
            w = tf.get_variable("w", [7, 5])
            state = tf.tanh(tf.matmul(tf.concat([x[:, t], state], 1), w))
    loss = tf.reduce_sum(tf.square(state - 0.5))
    grads, variables = zip(*tf.train.AdamOptimizer(0.1).compute_gradients(loss))
    grads, _ = tf.clip_by_global_norm(grads, 1.0)
    step = tf.train.AdamOptimizer(0.1).apply_gradients(zip(grads, variables))
    return train(tf, loss, step, {x: data(4, 3, 2)})


def two_players(tf):
    tf.set_random_seed(17)
    z = tf.placeholder(tf.float32, [None, 2])
    real = tf.placeholder(tf.float32, [None, 3])

    def judge(x, reuse):
        with tf.variable_scope("d", reuse=reuse):
            return tf.matmul(tf.tanh(x), tf.get_variable("w", [3, 1]))

    with tf.variable_scope("g"):
        fake = tf.matmul(z, tf.get_variable("w", [2, 3]))
    ours, theirs = judge(real, False), judge(fake, True)
    entropy = tf.nn.sigmoid_cross_entropy_with_logits
    d_loss = tf.reduce_mean(
        entropy(labels=tf.ones_like(ours), logits=ours)
        + entropy(labels=tf.zeros_like(theirs), logits=theirs)
    )
    g_loss = tf.reduce_mean(entropy(labels=tf.ones_like(theirs), logits=theirs))
    d_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="d")
    g_vars = [v for v in tf.trainable_variables() if v.name.startswith("g/")]
    d_step = tf.train.RMSPropOptimizer(0.05).minimize(d_loss, var_list=d_vars)
    g_step = tf.train.RMSPropOptimizer(0.05).minimize(g_loss, var_list=g_vars)
    feeds, found = {z: data(4, 2), real: data(4, 3) + 1}, []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            found.append(session.run([d_loss, d_step], feeds)[0])
            found.append(session.run([g_loss, g_step], feeds)[0])
    return found


def initial_values(tf):
    tf.set_random_seed(19)
    kinds = {
        "glorot": None,
        "normal": tf.glorot_normal_initializer(),
        "scaled": tf.variance_scaling_initializer(2.0, "fan_out"),
        "uniform": tf.random_uniform_initializer(-1, 1, seed=4),
        "orthogonal": tf.orthogonal_initializer(),
        "unit": tf.uniform_unit_scaling_initializer(1.4),
    }
    made = [tf.get_variable(name, [3, 4], initializer=kind) for name, kind in kinds.items()]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [
            np.abs(v).sum() if v is found[4] else v.sum()
            for found in [session.run(made)]
            for v in found
        ]


def rates(tf):
    t = tf.train
    step = tf.placeholder(tf.int64, [])
    found = [
        t.exponential_decay(0.1, step, 10, 0.5),
        t.natural_exp_decay(0.1, step, 10, 0.5, True),
        t.inverse_time_decay(0.1, step, 10, 0.5),
        t.polynomial_decay(0.1, step, 10, 0.01, 2.0),
        t.polynomial_decay(0.1, step, 10, 0.01, cycle=True),
        t.cosine_decay(0.1, step, 20, 0.1),
        t.piecewise_constant(step, [5, 15], [1.0, 0.5, 0.25]),
        t.piecewise_constant_decay(step, [5, 15], [1.0, 0.5, 0.25]),
        t.cosine_decay_restarts(0.1, step, 5, 2.0, 0.9, 0.1),
        t.cosine_decay_restarts(0.1, step, 5, 1.0),
        t.linear_cosine_decay(0.1, step, 20, 0.7, 0.1, 0.01),
    ]
    with tf.Session() as session:
        return [v for n in (0, 7, 25) for v in session.run(found, {step: n})]


def losses(tf):
    labels, found = tf.constant(np.abs(data(3, 4))), tf.constant(np.abs(data(4, 3).T) * 0.9)
    weights = tf.constant([[1.0], [0.0], [2.0]])
    values = []
    for name in (
        "absolute_difference",
        "mean_squared_error",
        "huber_loss",
        "log_loss",
        "hinge_loss",
    ):
        values.append(getattr(tf.losses, name)(labels, found, weights))
    values.append(tf.losses.cosine_distance(labels, found, axis=1))
    values.append(tf.losses.sigmoid_cross_entropy(labels, found, label_smoothing=0.1))
    values.append(tf.losses.softmax_cross_entropy(labels, found, label_smoothing=0.1))
    values += [
        tf.losses.mean_squared_error(labels, found, weights, reduction=how)
        for how in ("weighted_sum", "weighted_mean", "weighted_sum_over_batch_size")
    ]
    values.append(tf.losses.get_total_loss())
    with tf.Session() as session:
        return session.run(values)


def layered(tf):
    x = tf.placeholder(tf.float32, [None, 6, 6, 2])
    training = tf.placeholder_with_default(True, [])
    first = tf.glorot_uniform_initializer(seed=7)
    h = tf.layers.conv2d(
        x, 3, 3, padding="same", activation=tf.nn.relu, kernel_initializer=first, name="c"
    )
    h = tf.layers.batch_normalization(h, training=True)
    h = tf.layers.batch_normalization(h, training=training)
    h = tf.layers.max_pooling2d(h, 2, 2)
    h = tf.layers.average_pooling2d(h, 1, 1, name="a")
    h = tf.layers.conv2d_transpose(h, 2, 3, 2, kernel_initializer=first)
    h = tf.layers.separable_conv2d(
        h, 4, 3, depthwise_initializer=first, pointwise_initializer=first
    )
    h = tf.layers.flatten(tf.layers.dropout(h, 0.3, training=False))
    h = tf.layers.dense(
        h,
        5,
        tf.nn.tanh,
        kernel_initializer=first,
        kernel_regularizer=lambda w: tf.reduce_sum(w * w) * 0.01,
    )
    h = tf.layers.batch_normalization(h, training=True, name="bn")
    y = tf.layers.dense(h, 2, kernel_initializer=first, name="out")
    y += tf.layers.dense(h, 2, name="out", reuse=True)
    loss = tf.reduce_mean(y * y) + tf.losses.get_regularization_loss()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    names = " ".join(v.name for v in tf.global_variables())
    feeds = {x: data(4, 6, 6, 2)}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = [session.run([loss, step], feeds)[0] for _ in range(3)]
        return [*found, session.run(loss, {**feeds, training: False}), *map(ord, names)]


def layers_in_one_dimension(tf):
    first = tf.glorot_uniform_initializer(seed=3)
    x = tf.constant(data(2, 8, 3))
    h = tf.layers.conv1d(x, 4, 3, dilation_rate=2, kernel_initializer=first)
    h = tf.layers.separable_conv1d(
        h, 3, 2, depthwise_initializer=first, pointwise_initializer=first
    )
    h = tf.layers.max_pooling1d(h, 2, 1)
    h = tf.layers.average_pooling1d(h, 2, 1)
    layer = tf.layers.Dense(3, kernel_initializer=first, name="d")
    h = layer(h)
    z = tf.layers.conv3d(tf.constant(data(1, 3, 3, 3, 1)), 2, 2, kernel_initializer=first)
    z = tf.layers.conv3d_transpose(z, 1, 2, kernel_initializer=first)
    z = tf.layers.max_pooling3d(z, 2, 1) + tf.layers.average_pooling3d(z, 2, 1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        count = sum(w.size for w in session.run(layer.weights))
        return [*session.run(h).ravel(), *session.run(z).ravel(), count]


def cell_of(tf, kind):
    cells = tf.nn.rnn_cell
    first = tf.glorot_uniform_initializer(seed=5)
    return {
        "basic": lambda: cells.BasicRNNCell(4),
        "gru": lambda: cells.GRUCell(4, kernel_initializer=first),
        "lstm": lambda: cells.BasicLSTMCell(4, forget_bias=0.5),
        "full_lstm": lambda: cells.LSTMCell(
            4, use_peepholes=True, cell_clip=0.9, num_proj=3, proj_clip=0.8, initializer=first
        ),
        "flat_lstm": lambda: cells.LSTMCell(4, state_is_tuple=False),
        "stacked": lambda: cells.MultiRNNCell(
            [cells.GRUCell(4), cells.ResidualWrapper(cells.BasicLSTMCell(4))]
        ),
        "dropped": lambda: cells.DropoutWrapper(
            cells.BasicLSTMCell(4), input_keep_prob=1.0, output_keep_prob=1.0
        ),
        "some_dropped": lambda: cells.DropoutWrapper(
            cells.BasicLSTMCell(4), 0.8, 0.7, 0.6, seed=21
        ),
        "same_dropped": lambda: cells.DropoutWrapper(
            cells.GRUCell(4, kernel_initializer=first), 0.8, 0.7, 0.6, True, 5, tf.float32, 21
        ),
    }[kind]()


def recurrent(tf, kind, run):
    x = tf.placeholder(tf.float32, [2, 3, 5])
    with tf.variable_scope("net", initializer=tf.glorot_uniform_initializer(seed=9)):
        outputs, state = run(tf, lambda: cell_of(tf, kind), x)
    flat = tf.nest.flatten([outputs, state])
    loss = tf.add_n([tf.reduce_sum(tf.square(part - 0.3)) for part in flat])
    step = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    names = " ".join(sorted(v.name for v in tf.trainable_variables()))
    return [*train(tf, loss, step, {x: data(2, 3, 5)}, 3), *map(ord, names)]


def looped(tf, cell, x):
    return tf.nn.dynamic_rnn(cell(), x, sequence_length=[3, 1], dtype=tf.float32)


def unrolled(tf, cell, x):
    return tf.nn.static_rnn(cell(), tf.unstack(x, axis=1), None, tf.float32, [3, 2])


def both_ways(tf, cell, x):
    return tf.nn.bidirectional_dynamic_rnn(cell(), cell(), x, [3, 2], dtype=tf.float32)


def both_ways_unrolled(tf, cell, x):
    outputs, *states = tf.nn.static_bidirectional_rnn(
        cell(), cell(), tf.unstack(x, axis=1), dtype=tf.float32
    )
    return outputs, states


def raw(tf, cell, x):
    made = cell()
    source = tf.TensorArray(tf.float32, 3).unstack(tf.transpose(x, [1, 0, 2]))

    def step(time, output, state, loop_state):
        state = made.zero_state(2, tf.float32) if output is None else state
        done = time >= tf.constant([3, 2])
        all_done = tf.reduce_all(done)
        given = tf.cond(all_done, lambda: tf.zeros([2, 5]), lambda: source.read(time))
        given.set_shape([2, 5])
        return done, given, state, output, None

    outputs, state, _ = tf.nn.raw_rnn(made, step)
    return outputs.stack(), state


WAYS = {
    "looped": looped,
    "unrolled": unrolled,
    "both_ways": both_ways,
    "both_ways_unrolled": both_ways_unrolled,
    "raw": raw,
}
KINDS = ("basic", "gru", "lstm", "full_lstm", "flat_lstm", "stacked", "dropped")


METRICS = """
accuracy(b, c)
accuracy(b, c, w)
mean(y, w)
mean_tensor(y)
mean_absolute_error(x, y, w)
mean_squared_error(x, y)
root_mean_squared_error(x, y, w)
mean_relative_error(x, y, z)
mean_cosine_distance(x, y, 0)
percentage_below(y, 0.1)
mean_iou(b, c, 3)[:1]
mean_iou(b, c, 3, w)[1:]
mean_per_class_accuracy(b, c, 3)
true_positives(b, c)
false_positives(b, c, w)
true_negatives(b, c)
false_negatives(b, c)
precision(b, c)
recall(b, c, w)
true_positives_at_thresholds(b, p, [0.2,0.6])
false_negatives_at_thresholds(b, p, [0.2,0.6], w)
precision_at_thresholds(b, p, [0.2,0.6])
recall_at_thresholds(b, p, [0.2,0.6])
auc(b, p)
auc(b, p, w, 20, curve="PR")
auc(b, p, num_thresholds=9, curve="PR", summation_method="careful_interpolation")
auc(b, p, num_thresholds=9, summation_method="minoring")
sensitivity_at_specificity(b, p, 0.5)
specificity_at_sensitivity(b, p, 0.5, num_thresholds=7)
precision_at_k(k, m, 2)
recall_at_k(k, m, 2)
recall_at_k(k, m, 2, class_id=1)
precision_at_k(k, m, 2, class_id=1)
average_precision_at_k(k, m, 3)
average_precision_at_k(k, m, 2, [1.0,0.5,2.0,0.0,1.0,1.0])
"""


def metrics(tf):
    names = {n: tf.placeholder(tf.float32, [6]) for n in "xyzwp"}
    names |= {n: tf.placeholder(tf.int64, [6]) for n in "bc"}
    names |= {"k": tf.placeholder(tf.int64, [6, 2]), "m": tf.placeholder(tf.float32, [6, 4])}
    found = [eval(f"tf.metrics.{c}", {"tf": tf, **names}) for c in METRICS.split("\n")[1:-1]]
    random, values = np.random.RandomState(3), []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        for _ in range(2):
            feeds = {names[n]: random.rand(6) for n in "xyzwp"}
            feeds |= {names[n]: random.randint(0, 2, 6) for n in "bc"}
            feeds |= {names["k"]: random.randint(0, 4, (6, 2)), names["m"]: random.rand(6, 4)}
            for metric in found:
                values += [np.ravel(v) for v in session.run(metric[-1:], feeds)]
        values += [np.ravel(session.run(metric[0])) for metric in found if len(metric) == 2]
    values.append([len(v.name) for v in tf.local_variables()][:12])
    return np.concatenate(values)


OPTIMIZERS = {
    "sgd": lambda tf, rate: tf.train.GradientDescentOptimizer(rate),
    "momentum": lambda tf, rate: tf.train.MomentumOptimizer(rate, 0.9, use_nesterov=True),
    "adam": lambda tf, rate: tf.train.AdamOptimizer(rate),
    "adagrad": lambda tf, rate: tf.train.AdagradOptimizer(rate),
    "adadelta": lambda tf, rate: tf.train.AdadeltaOptimizer(rate),
    "rmsprop": lambda tf, rate: tf.train.RMSPropOptimizer(rate, momentum=0.5, centered=True),
    "proximal_sgd": lambda tf, rate: tf.train.ProximalGradientDescentOptimizer(rate, 0.01, 0.01),
    "proximal_adagrad": lambda tf, rate: tf.train.ProximalAdagradOptimizer(
        rate, l1_regularization_strength=0.01
    ),
    "adagrad_da": lambda tf, rate: tf.train.AdagradDAOptimizer(
        rate, tf.train.get_global_step(), l2_regularization_strength=0.01
    ),
    "synchronized": lambda tf, rate: (
        tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(rate), 1)
        if tf.__name__.startswith("runnel")
        else tf.train.AdamOptimizer(rate)
    ),
    "ftrl": lambda tf, rate: tf.train.FtrlOptimizer(rate, l1_regularization_strength=0.01),
}


def old_control_flow(tf):
    """Ops in branches and bodies are numbered with those around, which their seeds follow."""
    tf.disable_control_flow_v2()
    tf.set_random_seed(4)
    x, training = tf.constant(data(4, 3)), tf.placeholder(tf.bool)
    h = tf.nn.relu(x @ tf.get_variable("w", [3, 5]))
    h = tf.cond(training, lambda: tf.nn.dropout(h, rate=0.4), lambda: h)
    steps = tf.while_loop(
        lambda i, h: i < 3,
        lambda i, h: (i + 1, h + tf.random_normal([4, 5])),
        [0, h],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 5])],
    )
    y = tf.reshape(steps[1], [4, 5]) @ tf.get_variable("v", [5, 2]) + tf.random_uniform([2])
    tf.enable_control_flow_v2()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(y, {training: True}).ravel()


def states_fed_whole(tf):
    cell = tf.nn.rnn_cell.LSTMCell(2, initializer=tf.ones_initializer())
    state = cell.zero_state(1, tf.float32)
    out, last = cell(tf.constant([[0.5, -1.0]]), state)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        fed = session.run(last)
        return session.run(out, {state: fed, (): ()}).ravel()


def moving_averages(tf):
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    n = tf.get_variable("n", initializer=0, trainable=False)
    plain, named = (tf.train.ExponentialMovingAverage(0.9, name=name) for name in ("a", "b"))
    counted = tf.train.ExponentialMovingAverage(0.99, num_updates=n, name="c")
    fair = tf.train.ExponentialMovingAverage(tf.constant(0.7), zero_debias=True, name="d")
    with tf.control_dependencies([v.assign_add([1.0, 3.0]), n.assign_add(1)]):
        y = tf.identity(v * 2.0, name="y")
        first = [y]
    with tf.control_dependencies(first), tf.variable_scope("s"), tf.name_scope("t"):
        steps = [plain.apply([v, y]), named.apply(), counted.apply([v]), fair.apply([y])]
    made = [plain.average(v), plain.average(y), named.average(v), counted.average(v)]
    names = [v.name for v in [*made, *tf.moving_average_variables()]]
    names += [steps[0].name, named.average_name(n), *sorted(named.variables_to_restore())]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = []
        for _ in range(3):
            session.run(steps)
            found.append(np.ravel(session.run([*made, fair.average(y)])))
    return [*np.concatenate(found), *map(ord, " ".join(names))]


def fetched_references(tf):
    """What is fetched of a variable that is no resource is what it holds after the run."""
    tf.disable_resource_variables()
    try:
        step = tf.train.get_or_create_global_step()
        w = tf.get_variable("w", initializer=[1.0, 2.0])
        train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(w * w), global_step=step)
        v, r = tf.Variable(1.0, name="v"), tf.get_variable("r", initializer=1.0, use_resource=True)
        read, once, again = tf.identity(v), v.assign_add(1.0), v.assign_add(10.0)
        fetches = [w, step, v, read, once, again, "v:0", r, train]
    finally:
        tf.enable_resource_variables()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(r.assign(5.0))
        found = [session.run(fetches)[:-1] for _ in range(3)]
    return np.concatenate([np.ravel(value) for values in found for value in values])


def gathered_gradients(tf):
    mean = tf.ConditionalAccumulator(tf.float32, [2], "shared", "mean")
    total = tf.ConditionalAccumulator(tf.float32, reduction_type="SUM", name="total")
    first, later = mean.apply_grad([1.0, 2.0]), mean.apply_grad([3.0, 4.0], local_step=2)
    count, taken = mean.num_accumulated(), mean.take_grad(2)
    add, sums = total.apply_grad([0.5]), total.take_grad(1)
    names = (
        f"{mean.name} {mean.dtype.name} {taken.shape} {sums.shape} {mean.num_accumulated().name}"
    )
    with tf.Session() as session:
        found = [session.run(op) for op in (count, first, later, count, taken, count)]
        found += [session.run(op) for op in (first, count, later, mean.set_global_step(5))]
        found += [session.run(op) for op in (later, count, add, add, sums)]
    return [*np.concatenate([np.ravel(v) for v in found if v is not None]), *map(ord, names)]


PROGRAMS = {
    f.__name__: f
    for f in (
        softmax_regression,
        word_vectors,
        convolution,
        unrolled_rnn,
        two_players,
        initial_values,
        rates,
        losses,
        layered,
        layers_in_one_dimension,
        metrics,
        old_control_flow,
        states_fed_whole,
        moving_averages,
        fetched_references,
        gathered_gradients,
    )
}
PROGRAMS |= {f"mlp_{n}": lambda tf, make=make: mlp(tf, make) for n, make in OPTIMIZERS.items()}
PROGRAMS |= {
    f"{way}_{kind}": lambda tf, run=run, kind=kind: recurrent(tf, kind, run)
    for way, run in WAYS.items()
    for kind in (KINDS if way == "looped" else ("lstm", "stacked"))
}
PROGRAMS |= {  # not in loops, where TensorFlow may draw the numbers of later steps first
    f"unrolled_{kind}": lambda tf, kind=kind: recurrent(tf, kind, unrolled)
    for kind in ("some_dropped", "same_dropped")
}
