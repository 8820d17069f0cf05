"""The processes of a cluster in order, and which of them one is."""

from __future__ import annotations

from typing import NamedTuple

from runnel.train.cluster_spec import ClusterSpec

_KINDS = ("chief", "worker", "evaluator", "ps")


class Tasks(NamedTuple):
    """The processes that train together: the chief, then the workers."""

    names: tuple[str, ...]
    addresses: tuple[str, ...]
    process: int
    is_chief: bool


def tasks_of(spec: ClusterSpec, task_type: str | None, task_id: int | None) -> Tasks:
    """Who trains together with a task; ValueError if the cluster has no such task."""
    if task_type is None or task_id is None:
        raise ValueError(
            f"{spec} is given, but not which of its tasks this process is: `task_type` is "
            f"{task_type!r}, `task_id` {task_id!r}. TF_CONFIG says that by "
            '"task": {"type": "worker", "index": 0}.'
        )
    check_tasks(spec, task_type, task_id)
    if task_type == "evaluator":
        address = spec.job_tasks("evaluator")[task_id] if "evaluator" in spec.jobs else ""
        return Tasks(("evaluator 0",), (address or "",), 0, True)
    listed: list[tuple[str, int]] = [
        (job, number)
        for job in ("chief", "worker")
        if job in spec.jobs
        for number in spec.task_indices(job)
    ]
    if (task_type, task_id) not in listed:
        raise ValueError(f"No `worker`, `chief` or `evaluator` {task_id} can be found in {spec}.")
    names = tuple(f"{job} {number}" for job, number in listed)
    addresses = tuple(spec.task_address(job, number) for job, number in listed)
    process = listed.index((task_type, task_id))
    return Tasks(names, addresses, process, process == 0)


def check_tasks(spec: ClusterSpec, task_type: str, task_id: int) -> None:
    """ValueError for jobs that there are none of, and for a task that the cluster has not."""
    strange = [job for job in spec.jobs if job not in _KINDS]
    if strange:
        raise ValueError(f"The jobs of a cluster are {', '.join(_KINDS)}, got {strange} in {spec}.")
    if task_type not in _KINDS:
        raise ValueError(f"Unrecognized task_type: {task_type!r}; there are {', '.join(_KINDS)}.")
    if task_type not in spec.jobs and task_type != "evaluator":
        raise ValueError(f"The `task_type` {task_type!r} is not found in {spec}.")
    for job in ("chief", "evaluator"):
        if job in spec.jobs and spec.num_tasks(job) > 1:
            raise ValueError(f"There must be at most one {job!r} job, got {spec}.")
    if task_type in spec.jobs and not 0 <= task_id < spec.num_tasks(task_type):
        raise ValueError(
            f"The `task_id` {task_id} exceeds the number of tasks of {task_type!r} in {spec}."
        )
