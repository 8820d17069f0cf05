"""`replica_device_setter`: variables on parameter servers, everything else on the worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import runnel as tf

_KEPT = """AutoReloadVariable BoostedTreesEnsembleResourceHandleOp DecisionTreeResource
BoostedTreesQuantileStreamResourceHandleOp MutableDenseHashTable MutableDenseHashTableV2
MutableHashTable MutableHashTableOfTensors MutableHashTableOfTensorsV2 MutableHashTableV2
ResourceConditionalAccumulator VarHandleOp Variable VariableV2""".split()


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """A function for `tf.compat.v1.device` that spreads variables over parameter servers.

    None without parameter servers. The names stand in the graph; here it runs in one process.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.device(tf.compat.v1.train.replica_device_setter(ps_tasks=2)):
    ...         v, w = tf.compat.v1.get_variable("v", [1]), tf.compat.v1.get_variable("w", [1])
    ...     v.device, w.device, (v + w).device
    ('/job:ps/task:0', '/job:ps/task:1', '')
    """
    if cluster is not None:
        spec = (
            cluster if isinstance(cluster, tf.train.ClusterSpec) else tf.train.ClusterSpec(cluster)
        )
        tasks = spec.as_dict().get(tf.DeviceSpec.from_string(ps_device).job or "")
        if tasks is None:
            return None
        ps_tasks = len(tasks)
    if ps_tasks == 0:
        return None
    if ps_strategy is None:
        turns = count()
        ps_strategy = lambda op: next(turns) % ps_tasks  # noqa: E731
    if not callable(ps_strategy):
        raise TypeError(f"`ps_strategy` must be a function of an operation, got {ps_strategy!r}.")
    kept = frozenset(_KEPT if ps_ops is None else ps_ops)

    def choose(op: Any) -> str:
        if op.device and not merge_devices:
            return str(op.device)
        here = tf.DeviceSpec.from_string(op.device or "")
        kind = op.op if isinstance(op, tf.compat.v1.NodeDef) else op.type
        if ps_device and kind in kept:
            there = tf.DeviceSpec.from_string(ps_device)
            if there.job and here.job in (None, there.job):
                there = there.replace(task=ps_strategy(op))
            return there.make_merged_spec(here).to_string()  # type: ignore[no-any-return]
        there = tf.DeviceSpec.from_string(worker_device or "")
        return there.make_merged_spec(here).to_string()  # type: ignore[no-any-return]

    return choose
