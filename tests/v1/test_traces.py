"""What traced runs tell: times of single operations, charts of them, and who asks for them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import runnel as tf
from runnel.v1.profile.timeline import Timeline

v1 = tf.compat.v1


def traced(session: Any, fetches: Any, feeds: Any) -> Any:
    metadata = v1.RunMetadata()
    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    session.run(fetches, feeds, options, metadata)
    return metadata.step_stats


def test_a_traced_run_tells_of_each_operation():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        w = v1.get_variable("w", [3, 2], initializer=v1.ones_initializer())
        y = tf.nn.relu(tf.matmul(x, w, name="product"), name="kept")
        session.run(w.initializer)
        stats = traced(session, y, {x: np.ones([4, 3], np.float32)})
    assert [d.device for d in stats.dev_stats] == ["/job:localhost/replica:0/task:0/device:CPU:0"]
    nodes = {n.node_name: n for n in stats.dev_stats[0].node_stats}
    assert nodes.keys() >= {"product", "kept"}
    product = nodes["product"]
    assert product.timeline_label.startswith("product = MatMul(x, ")
    assert product.all_start_nanos > 0
    assert product.op_end_rel_nanos <= product.all_end_rel_nanos
    description = product.output[0].tensor_description
    assert [d.size for d in description.shape.dim] == [4, 2]
    assert description.allocation_description.requested_bytes == 32
    assert product.memory[0].total_bytes == 32


def test_a_run_that_is_not_traced_tells_nothing():
    with tf.Graph().as_default(), v1.Session() as session:
        metadata = v1.RunMetadata()
        session.run(tf.constant(1.0) + 1.0, options=v1.RunOptions(), run_metadata=metadata)
    assert not metadata.step_stats.dev_stats


def test_a_timeline_shows_operations_and_what_they_hand_on():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2], name="x")
        y = tf.tanh(tf.exp(x, name="first"), name="second")
        stats = traced(session, y, {x: [1.0, 2.0]})
    found = Timeline(stats).analyze_step_stats()
    events = json.loads(found.chrome_trace.format_to_string())["traceEvents"]
    shown = [e["args"] for e in events if e["ph"] == "X"]
    assert {"name": "second", "op": "Tanh", "input0": "first"} in shown
    assert [e["name"] for e in events if e["ph"] == "s"] == ["first"]
    assert found.allocator_maximums["cpu"].num_bytes == 16


def test_a_hook_writes_a_chart_every_so_many_steps(tmp_path: Path):
    with tf.Graph().as_default():
        advance = v1.assign_add(v1.train.get_or_create_global_step(), 1)
        hook = v1.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))
        with v1.train.MonitoredTrainingSession(hooks=[hook]) as session:
            for _ in range(6):
                session.run(advance)
    names = sorted(path.name for path in tmp_path.glob("*.json"))
    assert names == [f"timeline-{step}.json" for step in (2, 4, 6)]
    assert json.loads((tmp_path / names[0]).read_text())["traceEvents"]
