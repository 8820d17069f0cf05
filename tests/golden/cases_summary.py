"""Programs that write event files; see `cases.py`.

TensorFlow needs the package `tensorboard` here.
"""

import glob
import os
import tempfile

import numpy as np


def _messages(tf):
    if tf.__name__ == "tensorflow":
        return tf.compat.v1.Event
    from runnel.core.protos import messages

    return messages.Event


def _events(tf, folder):
    """What the event files in a folder hold, but for the times."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "**/*tfevents*"), recursive=True)):
        for record in tf.data.TFRecordDataset(path).as_numpy_iterator():
            found.append(_plain_event(tf, _messages(tf).FromString(record)))
    return found


def _plain_event(tf, event):
    kind = event.WhichOneof("what")
    if kind == "file_version":
        return [event.file_version, event.source_metadata.writer]
    if kind == "graph_def":
        return ["graph", event.step]
    return [event.step, [_plain_value(tf, value) for value in event.summary.value]]


def _plain_value(tf, value):
    described = {
        "tag": value.tag,
        "metadata": value.metadata.SerializeToString(deterministic=True).decode("latin-1"),
        "has metadata": value.HasField("metadata"),
    }
    if value.WhichOneof("value") == "simple_value":
        return described | {"simple": value.simple_value}
    array = tf.make_ndarray(value.tensor)
    described["bytes"] = len(value.tensor.tensor_content)
    if array.dtype == object and value.metadata.plugin_data.plugin_name == "images":
        flat = array.tolist()  # two PNG files of one image may differ
        pixels = [tf.io.decode_png(data).numpy().tolist() for data in flat[2:]]
        return described | {"size": [x.decode() for x in flat[:2]], "pixels": pixels}
    if array.dtype == object:
        texts = [x.decode("latin-1") for x in array.reshape(-1)]
        return described | {"shape": list(array.shape), "texts": texts}
    return described | {"tensor": array}


def _written(tf, program, **options):
    """The events that a program writes while a writer is the default, and what it returns."""
    folder = tempfile.mkdtemp()
    writer = tf.summary.create_file_writer(folder, **options)
    with writer.as_default():
        result = program()
    writer.close()
    return [result, _events(tf, folder)]


def scalars(tf):
    def program():
        s = tf.summary
        return [
            s.scalar("a", 1, step=3),
            s.scalar("b/c d!", 2.5, step=4, description="what **it** is"),
            s.scalar("double", np.float64(0.1), step=tf.constant(5, tf.int64)),
            s.scalar("truth", True, step=tf.Variable(6, dtype=tf.int64)),
            s.scalar("variable", tf.Variable(7.0), step=np.int64(2**40)),
            s.scalar("", 1.0, step=0),
        ]

    return _written(tf, program)


def scopes_make_tags(tf):
    def program():
        with tf.name_scope("outer"):
            tf.summary.scalar("a", 1, step=0)
            with tf.name_scope("inner"):
                tf.summary.histogram("b", [1.0], step=0, buckets=1)
            with tf.summary.experimental.summary_scope("my scope", values=[1]) as (tag, scope):
                tf.summary.write(tag, 1, step=0)
        return [tag, scope]

    return _written(tf, program)


def histograms(tf):
    def program():
        h = tf.summary.histogram
        h("some", [[1.0, 2.0], [2.5, 4.0]], step=0, buckets=3)
        h("default", np.linspace(-1, 1, 100), step=0)
        h("ints", tf.range(10), step=0, buckets=4, description="ten")
        h("same", [2.0, 2.0, 2.0], step=0, buckets=3)
        h("none", tf.zeros([0]), step=0, buckets=2)
        h("no buckets", [1.0, 2.0], step=0, buckets=0)
        h("no buckets of the same", [1.0, 1.0], step=0, buckets=0)
        h("fewer than none", [1.0, 2.0], step=0, buckets=-2)
        h("variable", tf.Variable([1.0, 3.0]), step=0, buckets=2)
        h("truth", [True, False, True], step=0, buckets=2)
        return h("one", 3.0, step=0, buckets=2)

    return _written(tf, program)


def images(tf):
    def program():
        i = tf.summary.image
        gray = np.arange(24, dtype=np.float32).reshape(2, 3, 4, 1) / 20  # beyond 1 at the end
        i("gray", gray, step=0)
        i("color", np.arange(48, dtype=np.uint8).reshape(4, 2, 2, 3), step=1)
        i("alpha", np.ones([1, 1, 2, 4]), step=2, max_outputs=1, description="clear")
        i("ints", np.full([1, 2, 2, 1], 2**30, np.int32), step=2)
        i("none of them", gray, step=3, max_outputs=0)
        i("no images", np.zeros([0, 2, 2, 1], np.float32), step=3)
        return i("list", [gray[0], gray[1]], step=4)

    return _written(tf, program)


def sounds(tf):
    def program():
        a = tf.summary.audio
        waves = np.sin(np.arange(40, dtype=np.float32)).reshape(4, 5, 2)
        a("waves", waves, 8000, step=0)
        a("one", waves, 44100, step=1, max_outputs=1, encoding="wav", description="a tone")
        return a("none", waves[:0], 8000, step=2)

    return _written(tf, program)


def texts(tf):
    def program():
        t = tf.summary.text
        t("one", "hello *you*", step=0)
        t("table", [["a", "b"], ["c", "d"]], step=1, description="letters")
        t("empty", tf.constant([], tf.string), step=2)
        return t("tensor", tf.constant("é"), step=3)

    return _written(tf, program)


def tensors_of_all_kinds(tf):
    def program():
        for dtype in ("int8", "uint16", "int64", "float16", "bfloat16", "float64", "bool"):
            tf.summary.write(dtype, tf.cast([1, 0, 1], dtype), step=0)
            tf.summary.write(dtype + " scalar", tf.cast(1, dtype), step=0)
        tf.summary.write("complex", tf.constant([1 + 2j]), step=0)
        tf.summary.write("empty", tf.zeros([0, 3]), step=0)
        tf.summary.write("text", "x", step=0, metadata=b"")
        tf.summary.write(tf.constant("tensor tag"), lambda: tf.constant(4), step=0)
        return tf.summary.write("bytes", 1, step=0, metadata=b"\n\x05\n\x03abc", name="named")

    return _written(tf, program)


def steps(tf):
    folder = tempfile.mkdtemp()
    step = tf.Variable(10, dtype=tf.int64)
    experimental = tf.summary.experimental
    seen = [experimental.get_step()]
    with tf.summary.create_file_writer(folder).as_default(step=3) as writer:
        tf.summary.scalar("a", 1)
        seen.append(experimental.get_step())
        experimental.set_step(4)
        tf.summary.scalar("a", 2)
    seen.append(experimental.get_step())
    with writer.as_default():
        experimental.set_step(step)
        for value in range(3):
            tf.summary.scalar("b", value)
            step.assign_add(2)
    seen.append(experimental.get_step() is step)
    experimental.set_step(None)
    return [seen, _events(tf, folder)]


def conditions(tf):
    def program():
        found = [tf.summary.should_record_summaries()]
        for condition in (
            True,
            False,
            tf.constant(False),
            lambda: True,
            lambda: tf.constant(False),
        ):
            with tf.summary.record_if(condition):
                found.append(tf.summary.should_record_summaries())
                found.append(tf.summary.scalar("a", 1, step=len(found)))
        with tf.summary.record_if(False), tf.summary.record_if(True):
            found.append(tf.summary.text("inner wins", "x", step=0))
        return found

    return _written(tf, program)


def in_a_function(tf):
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def f(x):
        with tf.summary.record_if(lambda: step % 2 == 0):
            tf.summary.scalar("loss", x, step=step)
            with tf.name_scope("layer"):
                tf.summary.histogram("weights", [x, x + 1], step=step, buckets=2)
                tf.summary.image("image", tf.fill([1, 2, 2, 1], x / 10), step=step)
                tf.summary.audio("tone", tf.fill([1, 2, 1], x / 10), 8000, step=step)
        tf.summary.text("always", tf.strings.as_string(tf.cast(x, tf.int32)), step=step)
        step.assign_add(1)
        return tf.summary.scalar("after", x, step=step)

    return _written(tf, lambda: [f(tf.constant(float(i))) for i in range(4)])


def in_a_loop_of_a_function(tf):
    @tf.function
    def f(n):
        for i in tf.range(n):
            if i != 2:
                tf.summary.write("square", i * i, step=i)
        return n

    return _written(tf, lambda: f(tf.constant(5, tf.int64)))


def a_writer_inside_a_function(tf):
    folder = tempfile.mkdtemp()
    writer = tf.summary.create_file_writer(folder)

    @tf.function
    def f(x):
        with writer.as_default(step=8):
            tf.summary.scalar("a", x)
        return tf.summary.scalar("nobody's", x, step=1)

    return [f(1.0), f(2.0), _events(tf, folder)]


def graphs_and_raw_messages(tf):
    @tf.function
    def f(x):
        return x + 1

    def program():
        summary = _summary(tf)
        return [
            tf.summary.graph(f.get_concrete_function(1.0).graph),
            tf.summary.graph(f.get_concrete_function(1.0).graph.as_graph_def()),
            tf.summary.experimental.write_raw_pb(summary, step=5),
            tf.summary.experimental.write_raw_pb(tf.constant(summary), step=6),
        ]

    return _written(tf, program)


def _summary(tf):
    event = _messages(tf)()
    event.summary.value.add(tag="raw", simple_value=2.5)
    return event.summary.SerializeToString()


def old_scalars(tf):
    writer = tf.summary.create_file_writer(folder := tempfile.mkdtemp())
    for value in (1, 2.5, np.float64(3.5)):
        tf.raw_ops.WriteScalarSummary(
            writer=writer._resource, step=np.int64(4), tag="old", value=value
        )
    writer.flush()
    return _events(tf, folder)


def without_a_writer(tf):
    s = tf.summary
    found = [s.scalar("a", 1), s.text("a", "b"), s.image("c", np.zeros([1, 1, 1, 1])), s.flush()]
    found += [s.histogram("h", [1.0]), s.audio("a", np.zeros([1, 1, 1]), 1), s.write("w", 1)]
    found += [s.should_record_summaries(), s.experimental.write_raw_pb(b"")]
    with s.create_noop_writer().as_default(step=1) as noop:
        found += [s.scalar("a", 1), noop, s.experimental.get_step()]
    made = s.create_noop_writer()
    return [*found, made.init(), made.flush(), made.close(), made.set_as_default()]


def nested_writers(tf):
    outer, inner = tempfile.mkdtemp(), tempfile.mkdtemp()
    first, second = tf.summary.create_file_writer(outer), tf.summary.create_file_writer(inner)
    with first.as_default(step=1):
        tf.summary.scalar("a", 1)
        with second.as_default(step=2):
            tf.summary.scalar("b", 2)
            with tf.summary.create_noop_writer().as_default():
                tf.summary.scalar("c", 3)
        tf.summary.scalar("d", 4)
    return [_events(tf, outer), _events(tf, inner)]


def names_of_files(tf):
    folder = os.path.join(tempfile.mkdtemp(), "new", "folder")
    tf.summary.create_file_writer(folder, filename_suffix=".mine")
    (name,) = os.listdir(folder)
    parts = name.split(".")
    return [parts[:3], len(parts[3]), parts[-1], _events(tf, folder)]


def what_waits(tf):
    """How many events a reader sees after each one that is written."""
    folder = tempfile.mkdtemp()
    writer = tf.summary.create_file_writer(folder, max_queue=2, flush_millis=10**8)
    seen = []
    writer.set_as_default(step=0)
    try:
        for i in range(7):
            tf.summary.scalar("a", i)
            seen.append(len(_events(tf, folder)))
        tf.summary.flush()
        seen.append(len(_events(tf, folder)))
    finally:
        with writer.as_default(step=None):  # leaves no default behind for the other programs
            pass
        _forget_default(tf)
    return seen


def _forget_default(tf):
    if tf.__name__ == "tensorflow":
        from tensorflow.python.ops import summary_ops_v2

        summary_ops_v2._summary_state.writer = None
        summary_ops_v2._summary_state.step = None
    else:
        from runnel.summary.recording import recording

        recording.writer = recording.step = None


def _raised(*calls):
    found = []
    for fn in calls:
        try:
            fn()
            found.append("nothing")
        except Exception as error:
            found.append(type(error).__name__)
    return found


def bad_input(tf):
    s, folder = tf.summary, tempfile.mkdtemp()
    writer = s.create_file_writer(folder)
    with writer.as_default():
        found = _raised(
            lambda: s.scalar("a", [1.0, 2.0], step=1),
            lambda: s.scalar("a", 1.0),
            lambda: s.scalar("a", 1.0, step=1.5),
            lambda: s.scalar("a", 1.0, step=tf.constant(1)),
            lambda: s.scalar("a", "x", step=1),
            lambda: s.text("a", 1, step=1),
            lambda: s.image("a", tf.zeros([2, 2]), step=1),
            lambda: s.image("a", tf.zeros([1, 2, 2, 1]), step=1, max_outputs=-1),
            lambda: s.image("a", tf.zeros([1, 2, 2, 5]), step=1),
            lambda: s.audio("a", tf.zeros([2, 2]), 8000, step=1),
            lambda: s.audio("a", tf.zeros([1, 2, 1]), 8000, step=1, encoding="mp3"),
            lambda: s.histogram("a", [1.0], step=1, buckets=1.5),
            lambda: s.histogram("a", [1.0], step=1, buckets=[1]),
            lambda: s.graph(3),
            lambda: s.flush(3),
            lambda: s.experimental.write_raw_pb(b"\xff\xff", step=1),
            lambda: s.experimental.write_raw_pb(b""),
            lambda: s.create_file_writer(None),
            lambda: s.create_file_writer(folder, max_queue=1.5),
            lambda: s.SummaryWriter().flush(),
            lambda: s.trace_export("a", step=1),
            lambda: s.trace_off(),
        )
    return found


def closed_writers(tf):
    writer = tf.summary.create_file_writer(tempfile.mkdtemp())

    @tf.function
    def f():
        with writer.as_default(step=1):
            tf.summary.scalar("a", 1)

    f()
    writer.close()
    return _raised(
        f, writer.as_default, writer.set_as_default, writer.init, writer.close, writer.flush
    )


def _run_metadata(tf, value):
    if tf.__name__ == "tensorflow":
        kind = tf.compat.v1.RunMetadata
    else:
        from runnel.core.protos import messages

        kind = messages.RunMetadata
    return kind.FromString(tf.make_ndarray(value.tensor).item())


def _traced(tf, program):
    """The traces that a program writes: of each the graphs of functions with an argument `table`.

    TensorFlow also collects the graphs of single operations.
    """
    folder, found = tempfile.mkdtemp(), []
    writer = tf.summary.create_file_writer(folder)
    try:
        with writer.as_default():
            result = program()
    except Exception as error:
        result = type(error).__name__
    finally:
        tf.summary.trace_off()
        writer.close()
    for path in glob.glob(os.path.join(folder, "*tfevents*")):
        for record in tf.data.TFRecordDataset(path).as_numpy_iterator():
            event = _messages(tf).FromString(record)
            for value in event.summary.value:
                graphs = _run_metadata(tf, value).function_graphs
                graphs = [_nodes(each.pre_optimization_graph) for each in graphs]
                graphs = [nodes for nodes in graphs if any("table" in node for node in nodes)]
                data = value.metadata.SerializeToString(deterministic=True).decode("latin-1")
                found.append([event.step, value.tag, data, graphs])
    return result, found


def _nodes(graph):
    """Name, op and inputs of each node, but for what it only waits for."""
    refs = {node.name: [ref for ref in node.input if ref[0] != "^"] for node in graph.node}
    return sorted([node.name, node.op, *refs[node.name]] for node in graph.node)


def _doubling(tf):
    return tf.function(lambda table: table * 2.0 + 1.0)


def graphs_of_functions_that_run(tf):
    def program():
        fn, table = _doubling(tf), tf.constant([1.0, 2.0])
        tf.summary.trace_on(graph=True, profiler=False)
        fn(table)
        fn(table)
        fn(tf.constant(1.0))
        return tf.summary.trace_export("doubling", step=3)

    return _traced(tf, program)


def a_graph_with_a_variable(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def fn(table):
        return {"a": table * v, "b": table}

    def program():
        tf.summary.trace_on()
        fn(tf.constant([1.0, 2.0]))
        return tf.summary.trace_export("state", step=tf.Variable(5, dtype=tf.int64))

    return _traced(tf, program)


def names_and_steps_of_traces(tf):
    def program():
        for name in (None, "", "a b", "x/y"):
            tf.summary.trace_on()
            tf.summary.trace_export(name, step=1)
        tf.summary.experimental.set_step(9)
        tf.summary.trace_on()
        with tf.name_scope("inside"):
            tf.summary.trace_export("named")
        tf.summary.experimental.set_step(None)
        tf.summary.trace_on()
        with tf.summary.record_if(False):
            tf.summary.trace_export("hidden", step=1)
        tf.summary.trace_on(graph=False)
        tf.summary.trace_export("empty", step=2)

    return _traced(tf, program)


def traces_that_have_not_begun(tf):
    def exported():
        tf.summary.trace_on()
        tf.summary.trace_off()
        tf.summary.trace_export("a", step=1)

    def twice():
        tf.summary.trace_on()
        tf.summary.trace_export("a", step=1)
        tf.summary.trace_export("a", step=1)

    def without_a_step():
        tf.summary.trace_on()
        tf.summary.trace_export("a")

    def without_a_name():
        tf.summary.trace_on()
        tf.summary.trace_export()

    def with_a_bad_step():
        tf.summary.trace_on()
        tf.summary.trace_export("a", step="x")

    programs = [exported, twice, without_a_step, without_a_name, with_a_bad_step]
    return [_traced(tf, program) for program in programs]


def a_trace_stays_on_after_an_error(tf):
    fn = _doubling(tf)

    def program():
        tf.summary.trace_on()
        try:
            tf.summary.trace_export("a")
        except ValueError:
            fn(tf.constant([1.0, 2.0]))
        return tf.summary.trace_export("b", step=2)

    return _traced(tf, program)


def warnings_of_traces(tf):
    @tf.function
    def inside():
        tf.summary.trace_on()
        tf.summary.trace_export("a", step=1)
        return tf.constant(1.0)

    def program():
        inside()
        tf.summary.trace_on()
        tf.summary.trace_on()
        tf.summary.trace_off()
        tf.summary.trace_off()
        tf.summary.trace_on(profiler=True)
        tf.summary.trace_off()

    return _traced(tf, program)
