"""Training as programs of the first years arrange it: queues, hooks, supervisors, files.

Each function takes `tf` (`tf.compat.v1`) and an empty folder, and returns numbers and texts.
"""

import glob
import os

import numpy as np


def _model(tf):
    tf.set_random_seed(1)
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer(0.5))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=step)
    tf.summary.scalar("loss", loss)
    return w, loss, train


def _events(tf, folder):
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "events*"))):
        for event in tf.train.summary_iterator(path):
            if event.WhichOneof("what") == "summary":
                found += [[event.step, v.tag] for v in event.summary.value if "sec" not in v.tag]
    return found


def monitored(tf, folder):
    _, loss, train = _model(tf)
    seen = []

    class Watch(tf.train.SessionRunHook):
        def begin(self):
            seen.append("begin")

        def after_create_session(self, session, coord):
            seen.append("created")

        def before_run(self, run_context):
            return tf.train.SessionRunArgs(loss)

        def after_run(self, run_context, run_values):
            seen.append(float(run_values.results))

        def end(self, session):
            seen.append("end")

    hooks = [tf.train.StopAtStepHook(last_step=5), Watch(), tf.train.NanTensorHook(loss)]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=2, save_summaries_steps=2
    ) as session:
        while not session.should_stop():
            session.run(train)
    tf.summary.FileWriterCache.clear()
    state = tf.train.get_checkpoint_state(folder)
    names = [os.path.basename(p) for p in state.all_model_checkpoint_paths]
    return [seen, names, _events(tf, folder)]


def resumed(tf, folder):
    found = []
    for last in (3, 6):
        with tf.Graph().as_default():
            _, loss, train = _model(tf)
            hook = tf.train.StopAtStepHook(last_step=last)
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=folder,
                hooks=[hook],
                save_summaries_steps=None,
                save_checkpoint_steps=100,
            ) as session:
                while not session.should_stop():
                    found.append(float(session.run([loss, train])[0]))
    return found


def supervised(tf, folder):
    _, loss, train = _model(tf)
    supervisor = tf.train.Supervisor(logdir=folder, save_model_secs=0, save_summaries_secs=0)
    with supervisor.managed_session() as session:
        found = [float(session.run([loss, train])[0]) for _ in range(3)]
        supervisor.saver.save(session, supervisor.save_path, global_step=supervisor.global_step)
    return [found, os.path.basename(tf.train.latest_checkpoint(folder))]


def queued(tf, folder):
    paths = []
    for n in range(2):
        path = os.path.join(folder, f"part{n}.txt")
        with open(path, "w") as file:
            file.write("".join(f"{n},{i}\n" for i in range(3)))
        paths.append(path)
    names = tf.train.string_input_producer(paths, num_epochs=2, shuffle=False)
    reader = tf.TextLineReader()
    key, line = reader.read(names)
    columns = tf.decode_csv(line, [[0], [0]])
    batch = tf.train.batch([*columns, key], 4, allow_smaller_final_batch=True)
    rows = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        try:
            while not coord.should_stop():
                a, b, k = session.run(batch)
                rows.append([a.tolist(), b.tolist(), [os.path.basename(x.decode()) for x in k]])
        except tf.errors.OutOfRangeError:
            coord.request_stop()
        coord.join(threads)
    return rows


def sliced(tf, folder):
    row, label = tf.train.slice_input_producer(
        [np.arange(8.0).reshape(4, 2), np.arange(4)], shuffle=False, num_epochs=1
    )
    _, labels = tf.train.shuffle_batch([row, label], 2, capacity=10, min_after_dequeue=3, seed=4)
    found = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        for _ in range(2):
            found += session.run(labels).tolist()
        coord.request_stop()
        coord.join(threads)
    return sorted(found)


def records(tf, folder):
    path = os.path.join(folder, "a.tfrecord")
    with tf.python_io.TFRecordWriter(path) as writer:
        for n in range(3):
            feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[n, n * n]))
            features = tf.train.Features(feature={"x": feature})
            writer.write(tf.train.Example(features=features).SerializeToString())
    fixed = os.path.join(folder, "b.bin")
    with open(fixed, "wb") as file:
        file.write(b"HEADaabbccF")
    names = tf.train.string_input_producer([path], num_epochs=1)
    _, text = tf.TFRecordReader().read(names)
    x = tf.parse_single_example(text, {"x": tf.FixedLenFeature([2], tf.int64)})["x"]
    others = tf.train.string_input_producer([fixed], num_epochs=1)
    reader = tf.FixedLengthRecordReader(2, header_bytes=4, footer_bytes=1)
    _, piece = reader.read(others)
    third = tf.train.string_input_producer([fixed], num_epochs=1)
    _, whole = tf.WholeFileReader().read(third)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(session)
        found = [session.run(x).tolist() for _ in range(3)]
        pieces = [session.run(piece).decode() for _ in range(3)]
        count = int(session.run(reader.num_records_produced()))
        again = [len(r) for r in tf.python_io.tf_record_iterator(path)]
        return [found, pieces, count, session.run(whole).decode(), again]


def initial_checkpoint(tf, folder):
    path = os.path.join(folder, "model")
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("old"):
            v = tf.get_variable("v", initializer=[1.0, 2.0])
        session.run(v.initializer)
        tf.train.Saver().save(session, path)
    with tf.variable_scope("new"):
        a = tf.get_variable("v", [2])
    b = tf.get_variable("b", [2])
    tf.train.init_from_checkpoint(path, {"old/": "new/"})
    tf.train.init_from_checkpoint(path, {"old/v": b})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = [v.tolist() for v in session.run([a, b])]
    return [values, tf.train.checkpoint_exists(path), tf.train.checkpoint_exists(path + "x")]


def _all(tf, session, element):
    found = []
    try:
        while True:
            found.append(np.asarray(session.run(element)).tolist())
    except tf.errors.OutOfRangeError:
        return found


def iterators(tf, folder):
    data = tf.data.Dataset
    once = data.range(5).map(lambda x: x * x).batch(2).make_one_shot_iterator().get_next()
    limit = tf.placeholder(tf.int64, [])
    initializable = data.range(limit).filter(lambda x: x % 2 < 1).make_initializable_iterator()
    first, second = data.from_tensor_slices([1.0, 2.0]), data.from_tensors(5.0).repeat(3)
    shared = tf.data.Iterator.from_structure(first.output_types, first.output_shapes)
    begin = [shared.make_initializer(first), shared.make_initializer(second)]
    handle = tf.placeholder(tf.string, [])
    fed = tf.data.Iterator.from_string_handle(handle, tf.int64, [])
    sources = [data.range(2).make_one_shot_iterator(), data.range(7, 9).make_one_shot_iterator()]
    elements = initializable.get_next(), shared.get_next(), fed.get_next()
    pair = tf.data.make_one_shot_iterator(data.from_tensor_slices({"a": [1, 2], "b": [3, 4]}))
    both = pair.get_next()
    found = []
    with tf.Session() as session:
        found.append(_all(tf, session, once))
        for n in (3, 6):
            session.run(initializable.initializer, {limit: n})
            found.append(_all(tf, session, elements[0]))
        for op in begin:
            session.run(op)
            found.append(_all(tf, session, elements[1]))
        names = [session.run(source.string_handle()) for source in sources]
        for n in (0, 1, 0, 1):
            found.append(int(session.run(elements[2], {handle: names[n]})))
        found.append(int(session.run(both["a"] + both["b"])))
    with tf.Session() as session:  # another session begins anew
        found.append(np.asarray(session.run(once)).tolist())
        try:
            session.run(elements[0])
        except tf.errors.FailedPreconditionError as error:
            found.append(type(error).__name__)
    found.append([tf.data.get_output_types(first).name, str(shared.output_shapes)])
    return found


def saved_model(tf, folder):
    path, words = os.path.join(folder, "model"), os.path.join(folder, "words.txt")
    with open(words, "w") as file:
        file.write("a b")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        v = tf.get_variable("v", initializer=3.0)
        extra = tf.get_variable("extra", initializer="", collections=["local_variables"])
        name = tf.constant(words)
        first = tf.group(extra.assign(tf.read_file(name)))
        y = tf.multiply(x, v, name="y")
        tf.identity(extra, name="read")
        session.run(tf.global_variables_initializer())
        signature = tf.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder = tf.saved_model.Builder(path)
        builder.add_meta_graph_and_variables(
            session, ["serve"], {"serving_default": signature}, [name], main_op=first
        )
        builder.save()
        valid = tf.saved_model.is_valid_signature(signature)
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], path)
        info = meta.signature_def["serving_default"].outputs["y"]
        found = session.run([info.name, "read:0"], {"x:0": [1.0, 2.0]})
        try:
            tf.saved_model.load(session, ["other"], path)
        except RuntimeError as error:
            kind = type(error).__name__
    return [valid, found[0].tolist(), found[1].decode(), info.name, info.dtype, kind]


PROGRAMS = {
    f.__name__: f
    for f in (
        monitored,
        resumed,
        supervised,
        queued,
        sliced,
        records,
        initial_checkpoint,
        iterators,
        saved_model,
    )
}
