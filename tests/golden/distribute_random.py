"""Random numbers of several replicas; see `make_distribute.py`.

What draws by a seed or a generator gives TensorFlow's numbers on each replica. (Ops of a function
that have no seed of their own draw others: TensorFlow numbers them by the traces of all replicas.)
"""

from typing import Any


def _local(s: Any, value: Any) -> Any:
    return list(s.experimental_local_results(value))


def _both(tf: Any, program: Any) -> Any:
    """What a program gives that is called twice, eagerly and as a function."""
    found = []
    for wrap in (lambda f: f, tf.function):
        step = wrap(program())
        found.append([step(), step()])
    return found


def _made(tf: Any, s: Any, seed: int = 1) -> Any:
    with s.scope():
        return tf.random.Generator.from_seed(seed)


def _draws(tf: Any, s: Any, make: Any) -> Any:
    def program() -> Any:
        g = make()
        return lambda: s.run(lambda: g.normal([2]))

    return [[_local(s, drawn) for drawn in calls] for calls in _both(tf, program)]


def made_in_the_scope(tf: Any, s: Any) -> Any:
    return _draws(tf, s, lambda: _made(tf, s))


def made_outside(tf: Any, s: Any) -> Any:
    return _draws(tf, s, lambda: tf.random.Generator.from_seed(1))


def split_in_the_scope(tf: Any, s: Any) -> Any:
    def second() -> Any:
        with s.scope():
            return tf.random.Generator.from_seed(1).split(2)[1]

    return _draws(tf, s, second)


def the_global_one(tf: Any, s: Any) -> Any:
    def chosen() -> Any:
        tf.random.set_global_generator(_made(tf, s, 3))
        return tf.random.get_global_generator()

    return _draws(tf, s, chosen)


def one_for_each_replica(tf: Any, s: Any) -> Any:
    own = tf.random.Generator.from_seed(1).split(3)
    values = s.experimental_distribute_values_from_function(
        lambda context: own[context.replica_id_in_sync_group]
    )
    return _local(s, s.run(lambda g: g.normal([2]), args=(values,)))


def made_by_replicas(tf: Any, s: Any) -> Any:
    return _local(s, s.run(lambda: tf.random.Generator.from_seed(1).normal([2])))


def kinds_of_numbers(tf: Any, s: Any) -> Any:
    g = _made(tf, s)

    def replica() -> Any:
        return [
            g.truncated_normal([2]),
            g.uniform([2], maxval=100, dtype=tf.int32),
            g.uniform_full_int([2], tf.int64),
            g.normal([2], 1.0, 2.0, tf.float64),
            g.uniform([2], 1.0, 5.0),
            g.make_seeds(1),
            g.skip(3),
            g.key,
        ]

    first = [_local(s, part) for part in s.run(replica)]
    then = [_local(s, part) for part in tf.function(lambda: s.run(replica))()]
    return [first, then, g.state.numpy()]


def across_replicas(tf: Any, s: Any) -> Any:
    g = _made(tf, s)
    with s.scope():
        found = [g.normal([2])]
    found += [_local(s, s.run(lambda: g.normal([2]))), tf.function(lambda: g.uniform([2]))()]
    g.skip(2)
    found += [g.normal([2]), [v.numpy() for v in g.state.values]]
    g.reset_from_seed(2)
    s.run(lambda: g.normal([1]))
    return [*found, [v.numpy() for v in g.state.values]]


def in_branches_and_loops(tf: Any, s: Any) -> Any:
    g = _made(tf, s)

    def replica() -> Any:
        x = tf.cond(tf.constant(True), lambda: g.normal([2]), lambda: tf.zeros([2]))
        more = tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, x + g.normal([2])), [0, x])
        return more[1]

    return [
        _local(s, run()) for run in (lambda: s.run(replica), tf.function(lambda: s.run(replica)))
    ]


def by_one_replica_alone(tf: Any, s: Any) -> Any:
    g = _made(tf, s)

    def replica() -> Any:
        if int(tf.distribute.get_replica_context().replica_id_in_sync_group) == 1:
            g.normal([2])
        return g.normal([2])

    return [_local(s, s.run(replica)), [v.numpy() for v in g.state.values]]


def on_one_device(tf: Any, s: Any) -> Any:
    one = tf.distribute.OneDeviceStrategy("CPU:0")
    g = _made(tf, one)
    return [one.run(lambda: g.normal([2])), g.normal([2]), g.state.numpy()]


def checkpoints(tf: Any, s: Any) -> Any:
    import tempfile

    g = _made(tf, s)
    s.run(lambda: g.normal([2]))
    plain, other = tf.random.Generator.from_seed(9), _made(tf, s, 9)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(g=g).save(f"{folder}/c")
        names = sorted(name for name, _ in tf.train.list_variables(path))
        for made in (plain, other):
            tf.train.Checkpoint(g=made).restore(path)
    return [names, plain.state.numpy(), [v.numpy() for v in other.state.values]]


def seeds_of_ops(tf: Any, s: Any) -> Any:
    def replica() -> Any:
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        return [
            tf.random.uniform([2], seed=7),
            tf.random.normal([2], seed=7),
            tf.random.stateless_uniform([2], [1, number]),
            tf.random.stateless_uniform([2], [1, 2]),
        ]

    tf.random.set_seed(5)
    found = _both(tf, lambda: lambda: s.run(replica))
    return [[[_local(s, part) for part in parts] for parts in calls] for calls in found]


def the_global_seed(tf: Any, s: Any) -> Any:
    tf.random.set_seed(5)
    return [_local(s, s.run(lambda: tf.random.uniform([2]))) for _ in range(2)]


def mistakes(tf: Any, s: Any) -> Any:
    other = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    g = _made(tf, other)
    try:
        s.run(lambda: g.normal([2]))
    except RuntimeError as error:
        return type(error).__name__
    return "none"
