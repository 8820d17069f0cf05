"""`ClusterResolver`: who else is there, where, and which of them this process is."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

from runnel.core.settings.device import list_logical_devices
from runnel.train.cluster_spec import ClusterSpec


def master_url(address: str, rpc_layer: str | None = None) -> str:
    """An address with the protocol that is spoken there."""
    return f"{rpc_layer}://{address}" if rpc_layer else address


class ClusterResolver(abc.ABC):
    """Tells which processes a program has, and which of them this one is.

    Subclasses ask whoever knows: an environment variable, a scheduler, a service of a cloud.
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None

    @abc.abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """All processes, by job and number."""
        raise NotImplementedError

    @abc.abstractmethod
    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """The address of a session's master, for programs of TensorFlow 1."""
        raise NotImplementedError

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: Any = None,
    ) -> Mapping[str, int]:
        """How many accelerators a process has, by kind: those of this one."""
        counts: dict[str, int] = {}
        for device in list_logical_devices():
            if device.device_type != "CPU":
                counts[device.device_type] = counts.get(device.device_type, 0) + 1
        return counts

    @property
    def environment(self) -> str:
        """The kind of place this runs in, such as "google"; mostly nothing is said."""
        return ""


class AskingResolver(ClusterResolver):
    """One whose tasks are known when it is asked for them."""

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        job = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        if job is None or number is None:
            return ""
        return master_url(
            self.cluster_spec().task_address(job, number), rpc_layer or self.rpc_layer
        )


class SimpleClusterResolver(ClusterResolver):
    """A cluster that is known already.

    >>> cluster = tf.train.ClusterSpec({"worker": ["localhost:1111", "localhost:2222"]})
    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
    ...     cluster, task_type="worker", task_id=1, rpc_layer="grpc")
    >>> resolver.master(task_type="worker", task_id=1)
    'grpc://localhost:2222'
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: Mapping[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError(
                "SimpleClusterResolver: `cluster_spec` must be a `tf.train.ClusterSpec`, "
                f"got {cluster_spec!r}."
            )
        if not isinstance(master, str):
            raise TypeError(f"SimpleClusterResolver: `master` must be a string, got {master!r}.")
        self.task_type, self.task_id = task_type, task_id
        self._rpc_layer = rpc_layer
        self._cluster_spec, self._master = cluster_spec, master
        self._environment, self._accelerators = environment, num_accelerators

    def cluster_spec(self) -> ClusterSpec:
        return self._cluster_spec

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        if task_type is not None and task_id is not None:
            address = self._cluster_spec.task_address(task_type, task_id)
        else:
            address = self._master
        return master_url(address, rpc_layer or self._rpc_layer)

    @property
    def environment(self) -> str:
        return self._environment

    @property
    def rpc_layer(self) -> str | None:  # type: ignore[override]
        """The protocol that processes speak."""
        return self._rpc_layer

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: Any = None,
    ) -> Mapping[str, int]:
        return self._accelerators or {}


class UnionResolver(ClusterResolver):
    """Several clusters as one; what is said of this process comes from the first of them.

    >>> a, b = [
    ...     tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(jobs))
    ...     for jobs in ({"worker": ["a:1"]}, {"worker": ["b:1"], "ps": ["c:1"]})
    ... ]
    >>> tf.distribute.cluster_resolver.UnionResolver(a, b).cluster_spec().as_dict()
    {'ps': ['c:1'], 'worker': ['a:1', 'b:1']}
    """

    def __init__(self, *args: ClusterResolver, **kwargs: Any) -> None:
        self._rpc_layer = kwargs.pop("rpc_layer", None)
        self._task_type = kwargs.pop("task_type", None)
        self._task_id = kwargs.pop("task_id", None)
        if kwargs:
            raise ValueError(f"UnionResolver: unknown arguments {sorted(kwargs)}.")
        if not args:
            raise ValueError("UnionResolver: one ClusterResolver at least is needed.")
        for resolver in args:
            if not isinstance(resolver, ClusterResolver):
                raise TypeError(f"UnionResolver: {resolver!r} is no ClusterResolver.")
        self._resolvers = args

    def cluster_spec(self) -> ClusterSpec:
        merged: dict[str, Any] = {}
        specs = [resolver.cluster_spec() for resolver in self._resolvers]
        numbered = {
            job
            for spec in specs
            for job, tasks in spec.as_dict().items()
            if isinstance(tasks, dict)
        }
        for spec in specs:
            for job, tasks in spec.as_dict().items():
                if job in numbered:
                    _join_numbered(merged.setdefault(job, {}), job, tasks)
                else:
                    known = merged.setdefault(job, [])
                    known += [address for address in tasks if address not in known]
        return ClusterSpec(merged)

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """The master of the first cluster, or the address of a task of any."""
        if task_type is not None and task_id is not None:
            address = self.cluster_spec().task_address(task_type, task_id)
            return master_url(address, rpc_layer or self._rpc_layer)
        return self._resolvers[0].master(rpc_layer=rpc_layer)

    @property
    def task_type(self) -> str | None:  # type: ignore[override]
        """The job of this process."""
        return self._task_type or self._resolvers[0].task_type

    @task_type.setter
    def task_type(self, task_type: str | None) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:  # type: ignore[override]
        """The number of this process in its job."""
        return self._resolvers[0].task_id if self._task_id is None else self._task_id

    @task_id.setter
    def task_id(self, task_id: int | None) -> None:
        self._task_id = task_id

    @property
    def environment(self) -> str:
        return self._resolvers[0].environment

    @property
    def rpc_layer(self) -> str | None:  # type: ignore[override]
        """The protocol that processes speak."""
        return self._rpc_layer or self._resolvers[0].rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str | None) -> None:
        self._rpc_layer = rpc_layer

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: Any = None,
    ) -> Mapping[str, int]:
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)


def _join_numbered(known: dict[int, str], job: str, tasks: Any) -> None:
    """Tasks with numbers, which must not have two addresses."""
    for number, address in dict(tasks if isinstance(tasks, dict) else enumerate(tasks)).items():
        if number in known:
            raise KeyError(
                f"UnionResolver: task {number} of {job!r} is at {known[number]} and at {address}."
            )
        known[number] = address
