"""Writers of event files: what tables of events cannot say."""

import threading
from pathlib import Path
from typing import Any

import pytest

import runnel as tf
from runnel.core.files.tfrecord import RecordReader
from runnel.core.protos import messages
from tests import children


def values(folder: Path) -> list[Any]:
    events = [
        messages.Event.FromString(record)
        for path in sorted(folder.iterdir())
        for record in RecordReader(str(path))
    ]
    return [value for event in events for value in event.summary.value]


def tags(folder: Path) -> list[str]:
    return [value.tag for value in values(folder)]


def run_metadata(folder: Path) -> Any:
    """What the only trace in a folder holds."""
    (value,) = values(folder)
    return messages.RunMetadata.FromString(tf.make_ndarray(value.tensor).item())


def test_events_that_wait_are_written_when_python_ends(tmp_path: Path) -> None:
    program = (
        "import sys, runnel as tf\n"
        "writer = tf.summary.create_file_writer(sys.argv[1], max_queue=100)\n"
        "writer.set_as_default(step=1)\n"
        "tf.summary.scalar('last', 1.0)\n"
    )
    children.run(program, str(tmp_path), check=True)
    assert tags(tmp_path) == ["last"]


def test_events_that_wait_are_written_when_the_writer_goes(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path, max_queue=100)
    tf.raw_ops.WriteScalarSummary(writer=writer._resource, step=1, tag="last", value=2.0)
    assert tags(tmp_path) == []
    del writer
    assert tags(tmp_path) == ["last"]


def test_another_thread_has_its_own_default(tmp_path: Path) -> None:
    seen = []

    def other() -> None:
        seen.append(bool(tf.summary.scalar("other", 1.0, step=0)))

    with tf.summary.create_file_writer(tmp_path).as_default(step=0):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        seen.append(bool(tf.summary.scalar("own", 1.0)))
    assert seen == [False, True]
    assert tags(tmp_path) == ["own"]


def test_threads_share_a_file(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path, max_queue=3)

    def write(name: str) -> None:
        with writer.as_default():
            for step in range(50):
                tf.summary.scalar(name, step, step=step)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(tags(tmp_path)) == ["a"] * 50 + ["b"] * 50 + ["c"] * 50


def test_an_error_inside_leaves_no_default_behind(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)
    with pytest.raises(KeyError), writer.as_default(step=3), tf.summary.record_if(False):
        raise KeyError
    assert tf.summary.experimental.get_step() is None
    assert not tf.summary.should_record_summaries()
    with writer.as_default():
        assert tf.summary.should_record_summaries()


def test_a_compiled_function_writes_in_program_order(tmp_path: Path) -> None:
    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        for name in ("first", "second"):
            x = tf.linalg.matmul(x, x) / 100.0
            tf.summary.scalar(name, tf.reduce_sum(x), step=0)
        return x

    with tf.summary.create_file_writer(tmp_path).as_default():
        for _ in range(4):
            f(tf.ones([100, 100]))
    assert tags(tmp_path) == ["first", "second"] * 4


def test_a_trace_with_a_profile_writes_both(tmp_path: Path) -> None:
    ends = {"exported": lambda: tf.summary.trace_export("t", 1), "off": tf.summary.trace_off}
    for name, end in ends.items():
        tf.summary.trace_on(graph=True, profiler=True, profiler_outdir=tmp_path / name)
        with tf.summary.create_file_writer(tmp_path / f"{name}_events").as_default():
            tf.function(lambda x: x + 1)(tf.constant(1))
            end()
        assert list((tmp_path / name).glob("plugins/profile/*/*.xplane.pb"))
    assert tags(tmp_path / "exported_events") == ["t"]
    assert tags(tmp_path / "off_events") == []


def test_a_function_that_ran_before_is_not_in_a_trace(tmp_path: Path) -> None:
    fn = tf.function(lambda x: x + 1)
    fn(tf.constant(1))
    with tf.summary.create_file_writer(tmp_path).as_default():
        tf.summary.trace_on()
        fn(tf.constant(1))
        tf.summary.trace_export("empty", step=0)
        fn(tf.constant([1]))
    assert not run_metadata(tmp_path).function_graphs


def test_a_trace_has_the_graphs_of_gradients_too(tmp_path: Path) -> None:
    v = tf.Variable(2.0)
    fn = tf.function(lambda: v * v)
    with tf.summary.create_file_writer(tmp_path).as_default():
        tf.summary.trace_on()
        with tf.GradientTape() as tape:
            y = fn()
        tape.gradient(y, v)
        tf.summary.trace_export("gradients", step=0)
    found = run_metadata(tmp_path)
    forward, backward = [graph.pre_optimization_graph for graph in found.function_graphs]
    assert [node.op for node in forward.node].count("_Retval") > 1
    assert "_Arg" in [node.op for node in backward.node]


def test_the_graphs_of_a_trace_have_shapes(tmp_path: Path) -> None:
    fn = tf.function(lambda x: tf.matmul(x, tf.ones([3, 4])))
    with tf.summary.create_file_writer(tmp_path).as_default():
        tf.summary.trace_on()
        fn(tf.ones([2, 3]))
        tf.summary.trace_export("product", step=0)
    (found,) = run_metadata(tmp_path).function_graphs
    nodes = {node.op: node for node in found.pre_optimization_graph.node}
    for op, shape in {"_Arg": [2, 3], "MatMul": [2, 4]}.items():
        assert [d.size for d in nodes[op].attr["_output_shapes"].list.shape[0].dim] == shape


def test_a_graph_of_a_trace_can_be_read_by_itself(tmp_path: Path) -> None:
    @tf.function
    def fn(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            if tf.reduce_sum(x) > 0:
                x = x * 2
        return x

    with tf.summary.create_file_writer(tmp_path).as_default():
        tf.summary.trace_on()
        fn(tf.constant([1, 2]))
        tf.summary.trace_export("loop", step=0)
    (graph,) = [g.pre_optimization_graph for g in run_metadata(tmp_path).function_graphs]
    names = {node.name for node in graph.node}
    assert all(ref.strip("^").partition(":")[0] in names for n in graph.node for ref in n.input)
    assert len(graph.library.function) == 4


def test_a_file_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(tf.errors.OpError):
        tf.summary.create_file_writer(tmp_path / "file" / "folder")


def test_a_tensor_of_a_graph_cannot_name_the_folder() -> None:
    @tf.function
    def f(folder: tf.Tensor) -> None:
        tf.summary.create_file_writer(folder)

    with pytest.raises(ValueError, match="while a function is traced"):
        f(tf.constant("folder"))
