"""Writes graphs of TensorFlow 1 with reference variables, their checkpoints, and what runs give.

`old_graphs/<name>.meta` is a meta graph, `<name>`, or `<name>.index` and `.data-*`, its checkpoint.
`answers.json` has the runs of a session after the restore: what is fetched, what is fed, values.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saver_pb2

FOLDER = Path(__file__).parent / "old_graphs"
v1 = tf.compat.v1
v1.disable_v2_behavior()
answers: dict[str, Any] = {}


def _data(*shape: int) -> Any:
    return np.random.RandomState(5).uniform(-1, 1, shape).astype(np.float32)


def regression() -> Any:
    x = v1.placeholder(tf.float32, [None, 3], name="x")
    w = v1.get_variable("w", initializer=_data(3, 2))
    b = v1.Variable(tf.zeros([2]), name="b")
    y = tf.add(tf.matmul(x, w), b, name="y")
    loss = tf.reduce_mean(tf.square(y - 1.0), name="loss")
    step = v1.train.get_or_create_global_step()
    rate = v1.train.exponential_decay(0.1, step, 2, 0.5)
    v1.train.AdamOptimizer(rate).minimize(loss, global_step=step, name="train")
    feeds = {"x:0": _data(4, 3).tolist()}
    train = [["loss:0", "train"], feeds]
    return [train, train], [train, train, [["w:0", "b/read:0", "global_step:0", "y:0"], feeds]]


def optimizers() -> Any:
    train = v1.train
    kinds = {
        "sgd": train.GradientDescentOptimizer(0.1),
        "momentum": train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        "adagrad": train.AdagradOptimizer(0.1),
        "rms": train.RMSPropOptimizer(0.1, momentum=0.5),
        "centered": train.RMSPropOptimizer(0.1, centered=True),
        "delta": train.AdadeltaOptimizer(0.5),
        "ftrl": train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
        "proximal": train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.1),
        "proxgrad": train.ProximalAdagradOptimizer(0.1, l2_regularization_strength=0.1),
    }
    steps = []
    for name, optimizer in kinds.items():
        dense = v1.get_variable(f"{name}/dense", initializer=_data(3))
        rows = v1.get_variable(f"{name}/rows", initializer=_data(4, 2))
        loss = tf.reduce_sum(tf.square(dense - 1.0))
        loss += tf.reduce_sum(tf.square(tf.gather(rows, [1, 3, 1]) - 2.0))
        steps.append(optimizer.minimize(loss))
    tf.group(*steps, name="train")
    wanted = [f"{name}/{part}:0" for name in kinds for part in ("dense", "rows")]
    return [[["train"], {}]], [[["train"], {}], [wanted, {}], [["train"], {}], [wanted, {}]]


def assignments() -> Any:
    v = v1.Variable([1.0, 2.0, 3.0, 4.0], name="v")
    n = v1.Variable(0, name="n")
    grid = v1.Variable(tf.zeros([2, 3]), name="grid")
    runs: list[Any] = []

    def run(tensor: Any) -> None:
        runs.append([[tf.identity(tensor, name=f"out{len(runs)}").name], {}])

    run(v1.assign(v, [5.0, 6.0, 7.0, 8.0]))
    run(v1.assign_add(v, [1.0, 1.0, 1.0, 1.0]))
    run(v1.assign_sub(v, [0.5, 0.5, 0.5, 0.5]))
    for change in (v1.scatter_add, v1.scatter_sub, v1.scatter_mul, v1.scatter_div):
        run(change(v, [0, 2, 2], [2.0, 3.0, 4.0]))
    for change in (v1.scatter_update, v1.scatter_min, v1.scatter_max):
        run(change(v, [1, 3], [0.25, 100.0]))
    for change in (v1.scatter_nd_update, v1.scatter_nd_add, v1.scatter_nd_sub):
        run(change(grid, [[0, 1], [1, 2]], [1.5, 2.5]))
    run(grid[0, 1:].assign([9.0, 8.0]))
    run(v1.count_up_to(n, 3))
    run(v1.count_up_to(n, 3))
    run(v1.is_variable_initialized(v))
    change = v1.assign_add(v, [10.0] * 4)
    with tf.control_dependencies([change]):
        run(v + 1.0)  # reads the reference, after the change
        run(v.read_value() * 2.0)
    both = v1.assign(v1.assign_add(v, [1.0] * 4), [3.0] * 4)  # a change of a reference to a change
    run(both)
    late = v1.Variable(v.initialized_value() * 2.0, name="late")
    run(late + v)
    return [], runs


def temporary() -> Any:
    made = tf.raw_ops.TemporaryVariable(shape=[2], dtype=tf.float32, var_name="sum")
    total = v1.assign(made, [1.0, 2.0])
    total = v1.assign_add(total, [3.0, 4.0])
    done = tf.raw_ops.DestroyTemporaryVariable(ref=total, var_name="sum")
    tf.identity(done * 2.0, name="out")
    v1.Variable(1.0, name="other")
    return [], [[["out:0"], {}], [["out:0"], {}]]


def loops() -> Any:
    v = v1.Variable(1.0, name="v")
    x = v1.placeholder(tf.float32, [], name="x")

    def body(i: Any, total: Any) -> Any:
        with tf.control_dependencies([v1.assign_add(v, x)]):
            return i + 1, total + v.read_value()

    _, total = tf.while_loop(lambda i, _: i < 3, body, [0, 0.0], parallel_iterations=1)
    tf.identity(total, name="total")
    chosen = tf.cond(x > 0.0, lambda: v1.assign(v, x), lambda: v1.assign_sub(v, 1.0))
    tf.identity(chosen, name="chosen")
    scaled = tf.cond(x > 0.0, lambda: v * 2.0, lambda: tf.constant(0.0))
    tf.identity(scaled, name="scaled")
    up, down = {"x:0": 2.0}, {"x:0": -3.0}
    return [], [
        [["total:0"], up],
        [["v:0"], {}],
        [["chosen:0"], up],
        [["chosen:0"], down],
        [["scaled:0"], up],
        [["scaled:0"], down],
    ]


def averages() -> Any:
    x = v1.placeholder_with_default(_data(2, 3), [None, 3], name="x")
    w = v1.get_variable("layer/w", initializer=_data(3, 1), regularizer=tf.nn.l2_loss)
    with v1.variable_scope("layer", reuse=True):
        assert v1.get_variable("w") is w
    average = v1.train.ExponentialMovingAverage(0.5)
    loss = tf.reduce_sum(tf.matmul(x, w)) + v1.losses.get_regularization_loss()
    step = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    with tf.control_dependencies([step]):
        tf.group(average.apply([w]), name="train")
    tf.identity(average.average(w), name="smooth")
    v1.add_to_collection("outputs", loss)
    v1.add_to_collection("sizes", 3)
    train = [["train"], {}]
    return [train], [train, [["smooth:0", "layer/w:0"], {}]]


def write(name: str, program: Any, version: int) -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.set_random_seed(1)
        before, after = program()
        saver = v1.train.Saver(write_version=version)
        v1.global_variables_initializer().run()
        for fetches, feeds in before:
            session.run(fetches, feeds)
        saver.save(session, str(FOLDER / name), write_state=False)
        _shorten(FOLDER / f"{name}.meta")
        runs = []
        for fetches, feeds in after:
            values = [v for v in session.run(fetches, feeds) if v is not None]
            runs.append([fetches, feeds, [v.tolist() for v in values]])
        answers[name] = {
            "runs": runs,
            "variables": [v.name for v in v1.global_variables()],
            "trainable": [v.name for v in v1.trainable_variables()],
            "collections": sorted(graph.get_all_collection_keys()),
            "ops": sorted({op.type for op in graph.get_operations()}),
        }


def _shorten(path: Path) -> None:
    """Leave the declarations of ops out of a meta graph; most of its bytes are theirs."""
    meta = v1.MetaGraphDef.FromString(path.read_bytes())
    meta.meta_info_def.ClearField("stripped_op_list")
    path.write_bytes(meta.SerializeToString(deterministic=True))


def freeze() -> None:
    """The regression with its variables as constants."""
    with tf.Graph().as_default() as graph, v1.Session() as session:
        regression()
        v1.global_variables_initializer().run()
        made = v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
        (FOLDER / "frozen.pb").write_bytes(made.SerializeToString(deterministic=True))
        answers["frozen"] = session.run("y:0", {"x:0": _data(4, 3)}).tolist()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    first, second = saver_pb2.SaverDef.V1, saver_pb2.SaverDef.V2
    for program, version in {
        regression: first,
        optimizers: second,
        assignments: second,
        temporary: first,
        loops: second,
        averages: second,
    }.items():
        write(program.__name__, program, version)
    freeze()
    (FOLDER / "answers.json").write_text(json.dumps(answers, indent=1) + "\n")
