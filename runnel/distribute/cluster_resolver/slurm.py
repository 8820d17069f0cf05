"""`SlurmClusterResolver`: the cluster that Slurm's environment variables describe."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping

from runnel.distribute.cluster_resolver.resolver import AskingResolver
from runnel.train.cluster_spec import ClusterSpec

_HOSTS = re.compile(r"(?P<prefix>[^,\[\]]+)(?:\[(?P<ranges>[\d,-]+)\])?(?:,|$)")
_COUNTS = re.compile(r"(?P<count>\d+)(?:\(x(?P<times>\d+)\))?")


def hosts_of(text: str) -> list[str]:
    """The hosts of Slurm's short form.

    >>> from runnel.distribute.cluster_resolver.slurm import hosts_of
    >>> hosts_of("a[08-10],b,c[1,3]")
    ['a08', 'a09', 'a10', 'b', 'c1', 'c3']
    """
    found: list[str] = []
    place = 0
    while place < len(text):
        match = _HOSTS.match(text, place)
        if match is None:
            raise ValueError(f'Invalid hostlist format "{text}": not understood from {place} on.')
        numbers = [""] if match["ranges"] is None else list(_numbers(match["ranges"], text))
        found += [match["prefix"] + number for number in numbers]
        place = match.end()
    return found


def _numbers(ranges: str, text: str) -> Iterator[str]:
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        if not first.isdigit() or not (last or first).isdigit():
            raise ValueError(f'Invalid hostlist format "{text}": {part!r} is no range.')
        for number in range(int(first), int(last or first) + 1):
            yield str(number).zfill(len(first))


def counts_of(text: str) -> list[int]:
    """How many tasks each host has.

    >>> from runnel.distribute.cluster_resolver.slurm import counts_of
    >>> counts_of("2(x3),1")
    [2, 2, 2, 1]
    """
    found: list[int] = []
    for part in text.split(","):
        match = _COUNTS.fullmatch(part)
        if match is None:
            raise ValueError(f'Invalid tasks-per-node list format "{text}": {part!r}.')
        found += [int(match["count"])] * int(match["times"] or 1)
    return found


def _told(name: str) -> str:
    """A variable of Slurm's."""
    for prefix in ("SLURM_", "SLURM_STEP_"):
        if prefix + name in os.environ:
            return os.environ[prefix + name]
    raise RuntimeError(f"SLURM_{name} not found in environment. Not running inside a SLURM step?")


def _gpus() -> int:
    """How many GPUs this host has."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return len([part for part in visible.split(",") if part.strip() not in ("", "-1")])
    program = shutil.which("nvidia-smi")
    if program is None:
        return 0
    listed = subprocess.run([program, "-L"], capture_output=True, text=True, timeout=30)
    return sum(line.startswith("GPU ") for line in listed.stdout.splitlines())


class SlurmClusterResolver(AskingResolver):
    """The tasks of a step of Slurm's as a cluster.

    Args:
        jobs: how many tasks each job has; all are workers if nothing is said.
        port_base: the port of the first task on a host; the others have the next ones.
        gpus_per_node, gpus_per_task: how many GPUs there are, and how many each task gets.
        tasks_per_node: how many tasks a host has, for all or by host.
        auto_set_gpu: whether to set `CUDA_VISIBLE_DEVICES`.
        rpc_layer: the protocol in addresses.
    """

    def __init__(
        self,
        jobs: Mapping[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: int | Mapping[str, int] | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str = "grpc",
    ) -> None:
        self._rank = int(_told("PROCID"))
        self._jobs = {"worker": int(_told("STEP_NUM_TASKS"))} if jobs is None else dict(jobs)
        self._tasks = _tasks_by_host(tasks_per_node)
        self._port_base, self._sets_gpus = port_base, auto_set_gpu
        self.task_type = self.task_id = None
        self.rpc_layer = rpc_layer
        most = max(self._tasks.values())
        self._gpus = _gpus() if gpus_per_node is None else gpus_per_node
        self._share = self._gpus // most if gpus_per_task is None else gpus_per_task
        if most * self._share > self._gpus:
            raise RuntimeError(
                f"Requested more GPUs per node than available: {most} tasks with {self._share} "
                f"each, and there are {self._gpus}."
            )
        wanted, given = sum(self._jobs.values()), sum(self._tasks.values())
        if wanted != given:
            raise RuntimeError(f"Requested {wanted} tasks but only {given} were assigned.")

    def cluster_spec(self) -> ClusterSpec:
        """All tasks; from then on it is known which of them this process is."""
        places = [
            (f"{host}:{self._port_base + place}", place)
            for host, count in sorted(self._tasks.items())
            for place in range(count)
        ]
        found: dict[str, list[str]] = {}
        begin = 0
        for job, count in sorted(self._jobs.items()):
            found[job] = [address for address, _ in places[begin : begin + count]]
            if begin <= self._rank < begin + count:
                self.task_type, self.task_id = job, self._rank - begin
            begin += count
        if self._sets_gpus and self._share:
            first = places[self._rank][1] * self._share
            own = range(first, first + self._share)
            os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, own))
        return ClusterSpec(found)

    def get_task_info(self) -> tuple[str | None, int | None]:
        """The job and the number of this process, once `cluster_spec` was called."""
        return self.task_type, self.task_id

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: object = None,
    ) -> Mapping[str, int]:
        return {"GPU": self._share} if self._share else {}


def _tasks_by_host(given: int | Mapping[str, int] | None) -> dict[str, int]:
    if isinstance(given, Mapping):
        return dict(given)
    hosts = hosts_of(_told("STEP_NODELIST"))
    if given is not None:
        return dict.fromkeys(hosts, int(given))
    return dict(zip(hosts, counts_of(_told("STEP_TASKS_PER_NODE"))))
