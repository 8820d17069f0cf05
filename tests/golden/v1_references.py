"""Programs of TensorFlow 1 with reference variables: their graphs, and what runs of them give.

Each gets `tf.compat.v1` and returns nests of numbers and texts. Run with TensorFlow by
`make_v1_references.py`.
"""

import numpy as np


def nodes(tf, *, without=()):
    """The nodes of the default graph, but for some ops."""
    found = tf.get_default_graph().as_graph_def().node
    return [[n.name, n.op, *sorted(n.input)] for n in found if n.op not in without]


def plain(value):
    """What a run gave, as lists and numbers."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return None if value is None else np.asarray(value).astype(float).round(5).tolist()


def started(tf):
    session = tf.Session()
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    return session


def variable(tf, value=(1.0, 2.0), name="v"):
    return tf.Variable(list(value), name=name)


def kinds(tf):
    """What a variable, its operations and its tensors say of themselves."""
    v, w = variable(tf), tf.get_variable("s/w", [2], initializer=tf.zeros_initializer())
    held = [v, w, v.value(), v.initial_value, v.op.outputs[0]]
    said = [[t.name, t.dtype.name, t.shape.as_list(), t.op.type] for t in held]
    return [said, v.initializer.name, w.initializer.type, nodes(tf)]


def changes(tf):
    """The operations that change a variable, by name."""
    v = tf.get_variable("v", [3, 2], initializer=tf.ones_initializer())
    made = [
        tf.assign(v, tf.fill([3, 2], 2.0)),
        v.assign_add(tf.ones([3, 2]), name="plus"),
        tf.assign_sub(v, tf.ones([3, 2])),
        *[
            getattr(tf, f"scatter_{kind}")(v, [0], [[3.0, 4.0]])
            for kind in ("update", "add", "sub", "mul", "div", "min", "max")
        ],
        tf.scatter_nd_update(v, [[1]], [[7.0, 7.0]]),
        tf.scatter_nd_add(v, [[1]], [[1.0, 1.0]]),
    ]
    session = started(tf)
    said = [[t.name, t.op.type, t.op.inputs[0].name] for t in made]
    return [said, [plain(session.run(t)) for t in made], plain(session.run(v))]


def behind_a_change(tf):
    """What waits for a change sees it, even by the read that all take."""
    v = variable(tf)
    early = v * 10.0
    with tf.control_dependencies([early]):
        change = tf.assign_add(v, [1.0, 1.0])
    with tf.control_dependencies([change]):
        late, same, read = v * 10.0, tf.identity(v), v.read_value()
    session = started(tf)
    return [plain(session.run([early, late, same, read, v, change])), plain(session.run(late))]


def two_changes(tf):
    """Each of two changes is fetched with what both leave."""
    v = tf.Variable(1.0, name="v")
    first = tf.assign_add(v, 1.0)
    with tf.control_dependencies([first]):
        second = tf.assign(v, v * 3.0)
    session = started(tf)
    return [plain(session.run([first, second, v])), plain(session.run([second + 1.0, v]))]


def other_variables(tf):
    """A copy of a variable that was changed before, and one that was not."""
    a, b = variable(tf), variable(tf, (5.0, 6.0), "b")
    with tf.control_dependencies([a.assign_add([1.0, 1.0])]):
        copied = b.assign(a)
    session = started(tf)
    return [plain(session.run([copied, a, b])), plain(session.run([copied, a]))]


def trained(tf, optimizer):
    """Steps of training: the operations of the steps, and the variables after them."""
    tf.set_random_seed(3)
    w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
    table = tf.get_variable("table", [4, 3], initializer=tf.ones_initializer())
    rows = tf.nn.embedding_lookup(table, [0, 2, 0])
    loss = tf.reduce_mean(tf.square(tf.matmul(rows, w) - [[1.0, -1.0]]))
    count = tf.train.get_or_create_global_step()
    before = len(tf.get_default_graph().get_operations())
    train = optimizer(tf).minimize(loss, count)
    made = tf.get_default_graph().get_operations()[before:]
    steps = [
        [op.name, op.type, *[t.name for t in op.inputs][:2]] for op in made if "Apply" in op.type
    ]
    slots = [v.name for v in tf.global_variables()]
    session = started(tf)
    losses = [plain(session.run([loss, train])[0]) for _ in range(3)]
    return [train.name, steps, slots, losses, plain(session.run([w, table, count]))]


OPTIMIZERS = {
    "descent": lambda tf: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda tf: tf.train.MomentumOptimizer(0.1, 0.9),
    "adam": lambda tf: tf.train.AdamOptimizer(0.1),
    "adagrad": lambda tf: tf.train.AdagradOptimizer(0.1),
    "rmsprop": lambda tf: tf.train.RMSPropOptimizer(0.1),
    "centered": lambda tf: tf.train.RMSPropOptimizer(0.1, centered=True),
    "ftrl": lambda tf: tf.train.FtrlOptimizer(0.1),
    "adadelta": lambda tf: tf.train.AdadeltaOptimizer(0.1),
}


def named_in_scopes(tf):
    """What optimizers keep is named by scopes: of names, or of variables."""
    w = tf.get_variable("w", [2])
    loss = tf.reduce_sum(w * w)
    with tf.name_scope("optimizer"):
        tf.train.AdamOptimizer(0.1).minimize(loss)
    with tf.variable_scope("outer"):
        tf.train.AdamOptimizer(0.1).minimize(loss)
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    tf.train.RMSPropOptimizer(0.1).minimize(loss)
    tf.train.AdamOptimizer(0.1).minimize(loss)
    return [v.name for v in tf.global_variables()]


def in_branches(tf):
    """Branches that read a variable, and one that changes it."""
    v = variable(tf)
    fed = tf.placeholder(tf.bool, [], name="fed")
    read = tf.cond(fed, lambda: v * 2.0, lambda: v + 1.0)
    change = tf.cond(fed, lambda: tf.assign(v, [9.0, 9.0]), lambda: tf.identity(v))
    session = started(tf)
    found = [session.run(read, {fed: flag}) for flag in (True, False)]
    found += [session.run(change, {fed: flag}) for flag in (False, True)]
    return plain([*found, session.run(v)])


def in_a_loop(tf):
    """A loop that uses a variable, with its gradient."""
    v = variable(tf)
    _, total = tf.while_loop(
        lambda i, t: i < 3, lambda i, t: (i + 1, t * v), [tf.constant(0), tf.constant([1.0, 1.0])]
    )
    gradient = tf.gradients(total, v)[0]
    session = started(tf)
    return plain(session.run([total, gradient]))


def first_values(tf):
    """Variables that begin with what others begin with."""
    v = variable(tf)
    w = tf.Variable(v.initialized_value() * 2.0, name="w")
    missing = tf.report_uninitialized_variables()
    session = tf.Session()
    before = [m.decode() for m in session.run(missing)]
    session.run(w.initializer)
    after = [m.decode() for m in session.run(missing)]
    session.run(v.initializer)
    return [before, after, plain(session.run([v, w]))]


def fed_values(tf):
    """Values that are fed in the place of a variable, of its read and of a change."""
    v = variable(tf)
    y = v * 2.0
    session = started(tf)
    return plain(
        [session.run(y, {v: [5.0, 5.0]}), session.run(y, {v.value(): [6.0, 6.0]}), session.run(y)]
    )


def counted(tf):
    """Counting up to a limit, moving averages and named elements."""
    n = tf.Variable(0, name="n")
    up = n.count_up_to(3)
    v = variable(tf)
    average = tf.train.ExponentialMovingAverage(0.5)
    keep = average.apply([v])
    session = started(tf)
    found = [session.run(up), session.run(up), session.run(n)]
    session.run(v.assign([3.0, 4.0]))
    session.run(keep)
    found += [session.run(average.average(v)), session.run("v:0"), session.run("v/read:0")]
    return [plain(found), average.average(v).name, average.average(v).op.type]


def in_parts(tf):
    """A step in parts: what is fetched first is what it was when it ran."""
    v = variable(tf)
    fed = tf.placeholder(tf.float32, [2], name="fed")
    change = tf.assign(v, fed)
    with tf.control_dependencies([change]):
        late = v * 2.0
    session = started(tf)
    handle = session.partial_run_setup([late, change], [fed])
    found = session.partial_run(handle, late, {fed: [4.0, 5.0]})
    return plain([found, session.partial_run(handle, change)])


FLOW = ("Switch", "RefSwitch", "Merge", "Enter", "LoopCond", "NextIteration", "Exit")


def build_flow(tf):
    """Branches and loops inside one another, their gradients, and changes of variables in them."""
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    count = tf.get_variable("count", initializer=0.0)
    flag = tf.placeholder(tf.bool, [], name="flag")
    x = tf.placeholder(tf.float32, [2], name="x")
    n = tf.placeholder(tf.int32, [], name="n")
    chosen = tf.cond(flag, lambda: x * v, lambda: x + 1.0)
    changed = tf.cond(flag, lambda: tf.assign_add(v, [1.0, 1.0]), lambda: v * 1.0)
    constant = tf.cond(flag, lambda: tf.constant(1.0), lambda: tf.reduce_sum(x))

    def step(i, t):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: t * v, lambda: t + 1.0)

    _, looped = tf.while_loop(lambda i, t: i < n, step, [0, x])

    def counting(k):
        with tf.control_dependencies([tf.assign_add(count, 2.0)]):
            return k + 1

    counted = tf.while_loop(lambda k: k < 3, counting, [0])
    wanted = {"chosen": chosen, "changed": changed, "constant": constant, "looped": looped}
    for name, tensor in [*wanted.items(), ("counted", counted)]:
        tf.identity(tensor, name=name)
    for name, tensor in (("chosen", chosen), ("looped", looped)):
        for source, gradient in zip("xv", tf.gradients(tensor, [x, v])):
            tf.identity(gradient, name=f"{name}_by_{source}")
    tf.group(tf.global_variables_initializer(), name="begin")
    return [wanted[name].name for name in ("chosen", "changed", "looped")]


def in_pieces(tf):
    """Control flow as GraphDefs have it, which are read again and run."""
    names = build_flow(tf)
    message = tf.get_default_graph().as_graph_def()
    found = sorted({node.op for node in message.node} & {*FLOW})
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(message, name="")
        session.run("begin")
        feeds = {"x:0": [3.0, 4.0], "n:0": 3}
        fetches = ["chosen:0", "chosen_by_x:0", "chosen_by_v:0", "constant:0"]
        values = [session.run(fetches, {**feeds, "flag:0": flag}) for flag in (True, False)]
        values.append(session.run(["looped:0", "looped_by_x:0", "looped_by_v:0"], feeds))
        for flag in (False, True, True):
            values.append(session.run("changed:0", {**feeds, "flag:0": flag}))
        values += [session.run("counted:0"), session.run("count:0")]
    return [names, found, plain(values)]


PROGRAMS = {
    f.__name__: f
    for f in (
        kinds,
        changes,
        behind_a_change,
        two_changes,
        other_variables,
        named_in_scopes,
        in_branches,
        in_a_loop,
        first_values,
        fed_values,
        counted,
        in_parts,
        in_pieces,
    )
}
PROGRAMS |= {f"trained_{n}": lambda tf, o=o: trained(tf, o) for n, o in OPTIMIZERS.items()}
