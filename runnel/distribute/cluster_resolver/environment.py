"""`TFConfigClusterResolver`: the cluster that the environment variable `TF_CONFIG` describes."""

from __future__ import annotations

import json
import os
from typing import Any

from runnel.distribute.cluster_resolver.resolver import ClusterResolver, master_url
from runnel.train.cluster_spec import ClusterSpec


def tf_config() -> dict[str, Any]:
    """What `TF_CONFIG` says; ValueError if that is no JSON, or no object."""
    text = os.environ.get("TF_CONFIG", "{}")
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        why = f"The environment variable TF_CONFIG is no JSON ({error.msg}): {text!r}"
        raise json.JSONDecodeError(why, error.doc, error.pos) from None
    if not isinstance(found, dict):
        raise ValueError(
            'TF_CONFIG must be an object such as {"cluster": {"worker": ["host:port"]}, "task": '
            f'{{"type": "worker", "index": 0}}}}, got {text!r}.'
        )
    return found


class TFConfigClusterResolver(ClusterResolver):
    """Reads `TF_CONFIG`, which schedulers set for each process.

    >>> tf.distribute.cluster_resolver.TFConfigClusterResolver().cluster_spec().as_dict()
    {}
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        self._task_type, self._task_id = task_type, task_id
        self._rpc_layer, self._environment = rpc_layer, environment

    @property
    def task_type(self) -> str | None:  # type: ignore[override]
        """The job of this process."""
        if self._task_type is not None:
            return str(self._task_type)
        found = _task().get("type")
        return None if found is None else str(found)

    @task_type.setter
    def task_type(self, task_type: str | None) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:  # type: ignore[override]
        """The number of this process in its job."""
        if self._task_id is not None:
            return int(self._task_id)
        found = _task().get("index")
        return None if found is None else int(found)

    @task_id.setter
    def task_id(self, task_id: int | None) -> None:
        self._task_id = task_id

    @property
    def environment(self) -> str:
        return self._environment  # type: ignore[return-value]

    @property
    def rpc_layer(self) -> str | None:  # type: ignore[override]
        """The protocol that processes speak."""
        return tf_config().get("rpc_layer") if self._rpc_layer is None else self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str | None) -> None:
        self._rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        return ClusterSpec(tf_config().get("cluster", {}))

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        given = tf_config().get("session_master")
        if given is not None:
            return str(given)
        spec = self.cluster_spec()
        if sum(spec.num_tasks(job) for job in spec.jobs) <= 1:
            return ""
        job = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        layer = self.rpc_layer if rpc_layer is None else rpc_layer
        return master_url(spec.task_address(job, number), layer)  # type: ignore[arg-type]


def _task() -> dict[str, Any]:
    found = tf_config().get("task", {})
    if not isinstance(found, dict):
        raise ValueError(f'TF_CONFIG: "task" must have a "type" and an "index", got {found!r}.')
    return found
