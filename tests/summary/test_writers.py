"""Writers of event files: what tables of events cannot say."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import runnel as tf
from runnel.core.protos import messages
from runnel.core.tfrecord import RecordReader


def tags(folder: Path) -> list[str]:
    events = [
        messages.Event.FromString(record)
        for path in sorted(folder.iterdir())
        for record in RecordReader(str(path))
    ]
    return [value.tag for event in events for value in event.summary.value]


def test_events_that_wait_are_written_when_python_ends(tmp_path: Path) -> None:
    program = (
        "import sys, runnel as tf\n"
        "writer = tf.summary.create_file_writer(sys.argv[1], max_queue=100)\n"
        "writer.set_as_default(step=1)\n"
        "tf.summary.scalar('last', 1.0)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    assert tags(tmp_path) == ["last"]


def test_events_that_wait_are_written_when_the_writer_goes(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path, max_queue=100)
    tf.raw_ops.WriteScalarSummary(writer._resource, 1, "last", 2.0)
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


@pytest.mark.parametrize("option", ["graph", "profiler"])
def test_tracing_says_what_it_cannot_do(option: str) -> None:
    with pytest.raises(NotImplementedError, match=f"{option}=True"):
        tf.summary.trace_on(**{"graph": False, option: True})


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
