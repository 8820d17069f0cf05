"""`tf.train.ClusterSpec`: which processes a distributed program has, and where they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runnel.core.protos import messages


class ClusterSpec:
    """The addresses of tasks, by job and number.

    >>> cluster = tf.train.ClusterSpec({"worker": ["a:2222", "b:2222"], "ps": {3: "c:2222"}})
    >>> cluster.jobs, cluster.num_tasks("worker"), cluster.task_address("ps", 3)
    (['ps', 'worker'], 2, 'c:2222')
    """

    def __init__(self, cluster: Any) -> None:
        self._tasks = {job: _tasks(job, tasks) for job, tasks in sorted(_jobs(cluster).items())}

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._tasks == other._tasks

    def __hash__(self) -> int:
        return hash(tuple((job, *tasks.items()) for job, tasks in self._tasks.items()))

    def __repr__(self) -> str:
        jobs = ", ".join(f"{job!r}: {self.as_dict()[job]!r}" for job in self._tasks)
        return f"ClusterSpec({{{jobs}}})"

    def as_dict(self) -> dict[str, Any]:
        """Lists of addresses by job; a dict where the numbers of tasks have gaps."""
        found: dict[str, Any] = {}
        for job, tasks in self._tasks.items():
            whole = list(tasks) == list(range(len(tasks)))
            found[job] = list(tasks.values()) if whole else dict(tasks)
        return found

    def as_cluster_def(self) -> Any:
        """The cluster as a message."""
        proto = messages.ClusterDef()
        for job, tasks in self._tasks.items():
            entry = proto.job.add(name=job)
            for number, address in tasks.items():
                entry.tasks[number] = address
        return proto

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._tasks)

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of a job's tasks."""
        return list(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Where a task is."""
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}.")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks in order, None for numbers that none has."""
        tasks = self._job(job_name)
        return [tasks.get(number) for number in range(max(tasks, default=-1) + 1)]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._tasks:
            raise ValueError(f"No such job in cluster: {name!r}.")
        return self._tasks[name]


def _jobs(cluster: Any) -> Mapping[str, Any]:
    """Tasks by job, of whatever describes a cluster."""
    if isinstance(cluster, ClusterSpec):
        return cluster._tasks
    if isinstance(cluster, Mapping):
        return cluster
    if getattr(getattr(cluster, "DESCRIPTOR", None), "full_name", "") == "tensorflow.ClusterDef":
        return {job.name: dict(job.tasks) for job in cluster.job}
    raise TypeError(
        "`cluster` must be a dictionary mapping one or more job names to lists of network "
        f"addresses, or a `ClusterDef` protocol buffer, got {cluster!r}."
    )


def _tasks(job: Any, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, list | tuple):
        tasks = dict(enumerate(tasks))
    if not isinstance(job, str) or not isinstance(tasks, Mapping):
        raise TypeError(f"The tasks of job {job!r} must be a list or dictionary, got {tasks!r}.")
    for number, address in tasks.items():
        if not isinstance(number, int) or not isinstance(address, str):
            raise TypeError(
                f"A task of {job!r} has a number and an address, got {number}: {address}."
            )
    return dict(sorted(tasks.items()))
