"""Rarer parts of TensorFlow 1: tensors that sessions keep, rows that are gathered, scaled losses,
profiles. Run with TensorFlow by `make_v1_references.py`.
"""

import numpy as np

from tests.golden.v1_references import plain, started


def failing(call):
    """The class of an error, or what a call gives."""
    try:
        return plain(call())
    except Exception as error:
        return type(error).__name__


def kept_tensors(tf):
    """Values that a session keeps by handles."""
    fed = tf.placeholder(tf.float32, [2])
    handle = tf.get_session_handle(fed * 2.0)
    with tf.Session() as session:
        kept = session.run(handle, {fed: [1.0, 2.0]})
        holder, value = tf.get_session_tensor(kept.handle, tf.float32)
        found = [session.run(value * 10.0, {holder: kept.handle}), kept.eval()]
        both = session.run([handle, fed], {fed: [3.0, 4.0]})
        found += [both[1], session.run(value, {holder: both[0].handle})]
        holder2, dropped = tf.delete_session_tensor(kept.handle)
        session.run(dropped, {holder2: kept.handle})
        wrong = [
            failing(lambda: session.run(value, {holder: kept.handle})),
            failing(lambda: tf.get_session_handle(3)),
            failing(lambda: tf.get_session_tensor("x", tf.float32)),
        ]
    return [plain(found), wrong, value.op.type, type(kept).__name__]


def gathered_rows(tf):
    """Gradients of some rows, gathered until two are there."""
    found = []
    for reduction in ("MEAN", "SUM"):
        rows = tf.SparseConditionalAccumulator(tf.float32, [4, 2], reduction_type=reduction)
        one = rows.apply_grad([0, 2], [[1.0, 2.0], [3.0, 4.0]])
        two = rows.apply_grad([2, 3], [[5.0, 6.0], [7.0, 8.0]], [4, 2])
        taken, sliced = rows.take_grad(2), rows.take_indexed_slices_grad(1)
        count, step = rows.num_accumulated(), rows.set_global_step(5)
        late = rows.apply_grad([1], [[1.0, 1.0]], local_step=6)
        bad = rows.apply_grad([1, 2], [[1.0, 1.0]], local_step=6)
        with tf.Session() as session:
            session.run(one)
            session.run(two)
            found += [session.run(count), list(session.run(taken))]
            session.run(one)
            found.append(session.run(count))
            session.run([step, late])
            found.append(list(session.run(sliced)))
            found.append(failing(lambda: session.run(bad)))  # noqa: B023
        found.append([rows.name, count.name, taken[0].op.type])
    return [f if isinstance(f, (str, list)) and _texts(f) else plain(f) for f in found]


def _texts(value):
    return isinstance(value, str) or isinstance(value[0], str)


def scaled_losses(tf):
    """A scale that falls at an infinite gradient and rises after two good steps."""
    fed = tf.placeholder(tf.float32, [2])
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    count = tf.train.get_or_create_global_step()
    scale = tf.mixed_precision.DynamicLossScale(8.0, increment_period=2)
    inner = tf.train.MomentumOptimizer(0.1, 0.9)
    optimizer = tf.mixed_precision.MixedPrecisionLossScaleOptimizer(inner, scale)
    train = optimizer.minimize(tf.reduce_sum(w * w * fed), count)
    session, found = started(tf), []
    for row in ([1.0, 2.0], [1.0, np.inf], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]):
        session.run(train, {fed: row})
        found.append(session.run([w, count, scale()]))
    fixed = tf.mixed_precision.FixedLossScale
    wrong = [failing(lambda: fixed(0.5)), failing(lambda: fixed("x"))]
    names = [v.name for v in optimizer.variables()]
    return [train.name, names, repr(scale), plain(found), wrong]


def rarer_normalization(tf):
    """Batches that are normalized by moments of many, in parts, and with an adjustment."""
    fed, flag = tf.placeholder(tf.float32, [4, 3]), tf.placeholder(tf.bool, [])
    made = tf.layers.batch_normalization
    clipped = {"rmin": 0.5, "rmax": 2.0, "dmax": 1.5}
    outputs = [
        made(fed, training=flag, renorm=True, momentum=0.5, renorm_momentum=0.5, name="a"),
        made(fed, training=True, renorm=True, renorm_clipping=clipped, momentum=0.5, name="b"),
        made(fed, training=True, virtual_batch_size=2, momentum=0.5, name="c"),
        made(
            fed,
            training=flag,
            momentum=0.5,
            name="d",
            fused=False,
            adjustment=lambda shape: (tf.fill(shape, 2.0), tf.ones(shape)),
        ),
    ]
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    weights = tf.gradients(outputs, fed)
    session, found = started(tf), []
    rows = np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 0.5], [2.0, 2.5, 1.0], [0.0, 7.0, 3.0]])
    for training in (True, True, False):
        feeds = {fed: rows, flag: training}
        found.append(session.run([*outputs, *weights], feeds))
        session.run(updates, feeds)
        rows = rows * 1.5 - 1.0
    kept = sorted(v.name for v in tf.global_variables())
    wrong = failing(lambda: made(fed, renorm=True, renorm_clipping={"x": 1.0}, name="e"))
    names = sorted(kept)
    values = session.run(sorted(tf.global_variables(), key=lambda v: v.name))
    return [names, plain(found), plain(values), wrong]


def _tree(node, keys):
    return [node.name, *[getattr(node, k) for k in keys], [_tree(c, keys) for c in node.children]]


def profiles(tf):
    """Parameters and operations on numbers, by scope and by op."""
    x = tf.placeholder(tf.float32, [4, 6, 6, 1], name="x")
    kernel = tf.get_variable("conv/kernel", [3, 3, 1, 2])
    h = tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME", name="conv/Conv2D"))
    h = tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", name="conv/pool")
    w = tf.get_variable("layer/w", [18, 3], initializer=tf.zeros_initializer())
    b = tf.get_variable("layer/b", [3], initializer=tf.zeros_initializer(), trainable=False)
    logits = tf.nn.bias_add(tf.matmul(tf.reshape(h, [4, 18]), w, name="layer/product"), b)
    tf.reduce_mean(tf.square(tf.nn.softmax(logits)), name="total")
    builder, graph = tf.profiler.ProfileOptionBuilder, tf.get_default_graph()
    quiet = {"output": "none"}
    flops = {**builder.float_operation(), **quiet}
    trained = {**builder.trainable_variables_parameter(), **quiet}
    counts = ["float_ops", "total_float_ops"]
    sizes = ["parameters", "total_parameters"]
    return [
        _tree(tf.profiler.profile(graph, cmd="scope", options=flops), counts),
        _tree(tf.profiler.profile(graph, cmd="op", options=flops), counts),
        _tree(tf.profiler.profile(graph, cmd="scope", options=trained), sizes),
        failing(lambda: tf.profiler.profile(graph, cmd="nonsense", options=flops)),
    ]


def shared_rows(tf):
    """Two accumulators of one shared name are one."""
    names = ("rows", "rows", "others")
    made = [tf.SparseConditionalAccumulator(tf.float32, [3], shared_name=name) for name in names]
    add, counts = made[0].apply_grad([1], [2.0]), [one.num_accumulated() for one in made]
    with tf.Session() as session:
        session.run(counts)
        session.run(add)
        return plain(session.run(counts))


def _numbered(tf):
    """A number, and a sparse vector with one element, which is longer each time."""
    number = tf.cast(tf.train.range_input_producer(6, shuffle=False).dequeue(), tf.int64)
    place, size = tf.stack([tf.stack([number % 3])]), tf.stack([number + 1])
    return number, tf.SparseTensor(place, tf.stack([tf.cast(number, tf.float32)]), size)


def _rows(tf):
    """Three rows, two of which have an element."""
    number, _ = _numbered(tf)
    places, values = tf.stack([[0, number % 3], [2, 1]]), tf.stack([number, -number])
    return tf.SparseTensor(places, values, tf.constant([3, 3], tf.int64))


def sparse_batches(tf):
    """Batches of sparse tensors, by threads: alone, in a dict, by rows, and of chosen rows."""
    keep, numbers = [True, False, True], [1, 2, 3]
    batches = [
        lambda: list(tf.train.batch(list(_numbered(tf)), 3)),
        lambda: tf.train.batch(dict(zip("is", _numbered(tf))), 2)["s"],
        lambda: tf.train.batch([_rows(tf)], 4, enqueue_many=True),
        lambda: tf.train.batch([_rows(tf), numbers], 2, enqueue_many=True)[0],
        lambda: list(tf.train.maybe_batch([_rows(tf), numbers], keep, 2, enqueue_many=True)),
    ]
    found = []
    for make in batches:
        with tf.Graph().as_default(), tf.Session() as session:
            batch, coordinator = make(), tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            known = batch if isinstance(batch, list) else [batch]
            ranks = [t.shape.rank for t in known]
            found.append([ranks, *[plain(session.run(batch)) for _ in range(2)]])
            coordinator.request_stop()
            coordinator.join(threads)
    return found


PARTS = (
    kept_tensors,
    gathered_rows,
    scaled_losses,
    rarer_normalization,
    profiles,
    sparse_batches,
    shared_rows,
)
PROGRAMS = {f.__name__: f for f in PARTS}
