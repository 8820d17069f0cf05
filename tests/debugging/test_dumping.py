"""Files for TensorBoard's debugger. TensorFlow's own reader has read what these programs write."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.files.debug_events import DebugEventsWriter
from runnel.core.files.tfrecord import RecordReader
from runnel.core.op import eager, observing
from runnel.core.protos import messages

KINDS = "execution graph_execution_traces graphs metadata source_files stack_frames".split()
enable = tf.debugging.experimental.enable_dump_debug_info
disable = tf.debugging.experimental.disable_dump_debug_info


@pytest.fixture(autouse=True)
def left_as_it_was() -> Iterator[None]:
    tf.add(1, 1)  # the first op of a process is waited for, and not by these tests
    yield
    disable()
    assert not eager.watched
    assert observing.made is None


def events(folder: Any, kind: str) -> list[Any]:
    (name,) = [name for name in os.listdir(folder) if name.endswith(f".{kind}")]
    return [messages.DebugEvent.FromString(record) for record in RecordReader(str(folder / name))]


def dumped(folder: Path, mode: str, program: Callable[[], Any], **options: Any) -> Path:
    enable(str(folder), mode, **options)
    program()
    disable()
    return folder


def value(proto: Any) -> Any:
    return tf.make_ndarray(proto).tolist() if proto.dtype else None


def test_a_folder_holds_six_files_that_name_their_run(tmp_path: Path) -> None:
    folder = dumped(tmp_path / "new", "NO_TENSOR", lambda: tf.constant(1.0) + 1.0)
    assert sorted(name.rpartition(".")[2] for name in os.listdir(folder)) == KINDS
    assert all(name.startswith("tfdbg_events.") for name in os.listdir(folder))
    (event,) = events(folder, "metadata")
    assert event.debug_metadata.file_version == "debug.Event:1"
    assert event.debug_metadata.tensorflow_version == "2.21.0"
    assert len(event.debug_metadata.tfdbg_run_id) == 8
    assert event.wall_time > 0


def test_an_eager_op_is_noted_with_its_tensors_its_device_and_its_line(tmp_path: Path) -> None:
    x = tf.constant([1.0, 0.0])
    folder = dumped(tmp_path, "FULL_HEALTH", lambda: tf.math.log(x))
    (event,) = events(folder, "execution")
    run = event.execution
    assert (run.op_type, run.num_outputs, run.graph_id) == ("Log", 1, "")
    assert list(run.input_tensor_ids) == [x._id]
    (device,) = [e.debugged_device for e in events(folder, "graphs")]
    assert list(run.output_tensor_device_ids) == [device.device_id]
    assert device.device_name == x.device
    assert [value(p) for p in run.tensor_protos] == [[-1, -1, 1, 1, 2, 1, 0, 0, 0, 1, 0]]
    frames = {
        e.stack_frame_with_id.id: e.stack_frame_with_id for e in events(folder, "stack_frames")
    }
    inner = frames[run.code_location.stack_frame_ids[-1]].file_line_col
    source = events(folder, "source_files")[inner.file_index].source_file
    assert source.file_path == __file__
    assert "tf.math.log(x)" in source.lines[inner.line - 1]


@pytest.mark.parametrize(
    ("mode", "floats", "whole"),
    [
        ("CURT_HEALTH", [-1, 1], None),
        ("CONCISE_HEALTH", [-1, 3, 0, 1, 0], None),
        ("FULL_HEALTH", [-1, -1, 1, 1, 3, 0, 1, 0, 0, 1, 1], None),
        ("SHAPE", [-1, 1, 1, 3, 3, 0, 0, 0, 0, 0], [-1, 3, 1, 2, 2, 0, 0, 0, 0, 0]),
        ("FULL_TENSOR", [2.0, np.inf, 0.0], [2, 4]),
    ],
)
def test_each_mode_keeps_what_it_says(tmp_path: Path, mode: str, floats: Any, whole: Any) -> None:
    def program() -> None:
        tf.constant([1.0, np.inf, 0.0]) * 2.0
        tf.constant([1, 2]) * 2

    folder = dumped(tmp_path, mode, program)
    found = [e.execution.tensor_protos[0] for e in events(folder, "execution")]
    assert [value(proto) for proto in found] == [floats, whole]


def test_strings_are_kept_whole_but_have_no_summary(tmp_path: Path) -> None:
    def program() -> None:
        tf.strings.join(["a", "b"])

    full = events(dumped(tmp_path / "full", "FULL_TENSOR", program), "execution")[0].execution
    assert value(full.tensor_protos[0]) == b"ab"
    shape = events(dumped(tmp_path / "shape", "SHAPE", program), "execution")[0].execution
    assert [value(p) for p in shape.tensor_protos] == [None]


def test_a_graph_tells_of_its_operations_and_of_each_value_inside(tmp_path: Path) -> None:
    @tf.function
    def turned(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            x = -x
        return x

    folder = dumped(tmp_path, "FULL_TENSOR", lambda: turned(tf.constant(1.5), tf.constant(2)))
    graphs = {e.debugged_graph.graph_id: e.debugged_graph for e in events(folder, "graphs")}
    made = [e.graph_op_creation for e in events(folder, "graphs")]
    (inner,) = [op for op in made if op.op_type == "Neg"]
    assert len(inner.output_tensor_ids) == inner.num_outputs == 1
    body = graphs[inner.graph_id]
    assert graphs[body.outer_context_id].graph_name == "turned"
    traces = [e.graph_execution_trace for e in events(folder, "graph_execution_traces")]
    found = [t for t in traces if t.op_name == inner.op_name]
    assert [t.tfdbg_context_id for t in found] == [inner.graph_id] * 2
    assert [value(t.tensor_proto) for t in found] == [-1.5, 1.5]
    (run,) = [e.execution for e in events(folder, "execution")]
    assert run.op_type.startswith("__inference_turned_")
    assert graphs[run.graph_id].graph_name == "turned"


def test_every_operation_of_a_graph_is_made_before_another_reads_it(tmp_path: Path) -> None:
    @tf.function
    def inner(x: Any) -> Any:
        return tf.sin(x)

    @tf.function
    def outer(x: Any) -> Any:
        return tf.cond(inner(x) > 0.0, lambda: x * 2.0, lambda: -x)

    def program() -> None:
        v = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = outer(v)
        tape.gradient(y, v)

    folder = dumped(tmp_path, "FULL_HEALTH", program)
    known: set[tuple[str, str]] = set()
    graphs: set[str] = set()
    for event in events(folder, "graphs"):
        if event.WhichOneof("what") == "debugged_graph":
            assert event.debugged_graph.outer_context_id in {"", *graphs}
            graphs.add(event.debugged_graph.graph_id)
        elif event.WhichOneof("what") == "graph_op_creation":
            op = event.graph_op_creation
            assert op.graph_id in graphs
            assert {(op.graph_id, name.split(":")[0]) for name in op.input_names} <= known
            known.add((op.graph_id, op.op_name))
    traces = [e.graph_execution_trace for e in events(folder, "graph_execution_traces")]
    assert traces
    assert {(t.tfdbg_context_id, t.op_name) for t in traces} <= known
    types = [e.execution.op_type for e in events(folder, "execution")]
    assert any(name.startswith("__forward_outer_") for name in types)
    assert any(name.startswith("__inference___backward_outer_") for name in types)


def test_only_wanted_ops_and_dtypes_are_shown(tmp_path: Path) -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.cast(tf.sin(x) * 2.0, tf.float64) * 3.0

    options = {"op_regex": "(Mul|Sin)$", "tensor_dtypes": [tf.float32]}
    folder = dumped(tmp_path, "FULL_TENSOR", lambda: f(tf.constant(0.0)), **options)
    traces = [e.graph_execution_trace.op_name for e in events(folder, "graph_execution_traces")]
    assert traces == ["Sin", "mul"]
    options = {"tensor_dtypes": lambda dtype: dtype.is_integer}
    folder = dumped(tmp_path / "2", "FULL_TENSOR", lambda: tf.constant(1.0) * 2.0, **options)
    assert not events(folder, "execution")[0].execution.tensor_protos


def test_the_newest_events_wait_until_they_are_flushed(tmp_path: Path) -> None:
    writer = enable(str(tmp_path), circular_buffer_size=2)
    assert writer.dump_root == str(tmp_path)
    for fn in (tf.sin, tf.cos, tf.tan):
        fn(tf.constant(1.0))
    assert not events(tmp_path, "execution")
    writer.FlushExecutionFiles()
    assert [e.execution.op_type for e in events(tmp_path, "execution")] == ["Cos", "Tan"]
    tf.exp(tf.constant(1.0))
    disable()
    assert [e.execution.op_type for e in events(tmp_path, "execution")] == ["Cos", "Tan", "Exp"]


def test_without_a_ring_all_events_are_kept(tmp_path: Path) -> None:
    def program() -> None:
        for _ in range(5):
            tf.sin(tf.constant(1.0))

    folder = dumped(tmp_path, "NO_TENSOR", program, circular_buffer_size=0)
    assert len(events(folder, "execution")) == 5


def test_once_disabled_nothing_more_is_written(tmp_path: Path) -> None:
    fn = tf.function(lambda x: tf.sin(x))
    writer = enable(str(tmp_path), "FULL_TENSOR")
    fn(tf.constant(1.0))
    disable()
    disable()
    before = events(tmp_path, "graph_execution_traces")
    fn(tf.constant(2.0))
    writer.FlushExecutionFiles()
    assert events(tmp_path, "graph_execution_traces") == before


def test_another_folder_takes_the_place_of_the_first(tmp_path: Path) -> None:
    first = enable(str(tmp_path / "1"))
    assert enable(str(tmp_path / "1")) is first
    enable(str(tmp_path / "2"))
    tf.sin(tf.constant(1.0))
    disable()
    assert not events(tmp_path / "1", "execution")
    assert len(events(tmp_path / "2", "execution")) == 1


def test_other_threads_are_not_recorded(tmp_path: Path) -> None:
    enable(str(tmp_path))
    other = threading.Thread(target=lambda: tf.sin(tf.constant(1.0)))
    other.start()
    other.join()
    disable()
    assert not events(tmp_path, "execution")


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"tensor_debug_mode": "ALL"}, ValueError, "Invalid value in tensor_debug_mode"),
        ({"tensor_debug_mode": "FULL_NUMERICS"}, NotImplementedError, "FULL_NUMERICS"),
        ({"tensor_dtypes": tf.float32}, ValueError, "tensor_dtypes is expected to be a list"),
        ({"tensor_dtypes": ["flot"]}, TypeError, "flot"),
    ],
)
def test_bad_options_are_refused(options: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        enable("folder", **options)


def test_a_folder_must_be_named_and_makeable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="Empty or None dump root"):
        enable("")
    with pytest.raises(ValueError, match="Failed to initialize debug events writer"):
        enable(str(tmp_path / "file" / "inside"))


def test_a_second_call_cannot_change_the_mode_or_the_ring(tmp_path: Path) -> None:
    enable(str(tmp_path), "SHAPE")
    with pytest.raises(ValueError, match="tensor_debug_mode SHAPE"):
        enable(str(tmp_path), "NO_TENSOR")
    with pytest.raises(ValueError, match="circular_buffer_size 1000"):
        enable(str(tmp_path), "SHAPE", circular_buffer_size=5)


def test_the_op_writes_to_a_folder_by_itself(tmp_path: Path) -> None:
    where = {"debug_urls": [f"file://{tmp_path}/own"], "circular_buffer_size": 0}
    names = {"tfdbg_context_id": "graph", "op_name": "x", "output_slot": 1, "tfdbg_run_id": "run"}
    x = tf.raw_ops.DebugIdentityV2(input=[1.0, 2.0], tensor_debug_mode=7, **names, **where)
    assert x.numpy().tolist() == [1.0, 2.0]
    DebugEventsWriter(f"{tmp_path}/own", "run").Close()
    (trace,) = [e.graph_execution_trace for e in events(tmp_path / "own", "graph_execution_traces")]
    assert (trace.tfdbg_context_id, trace.op_name, trace.output_slot) == ("graph", "x", 1)
    assert value(trace.tensor_proto) == [1.0, 2.0]
