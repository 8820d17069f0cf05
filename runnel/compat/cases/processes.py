"""`multi_process_runner`: where a cluster's processes would be; none are started."""

from __future__ import annotations

import socket
from typing import Any, NoReturn

import runnel


class NotInitializedError(RuntimeError):
    """A cluster was asked for in a program that does not begin with `test_main`."""


class SubprocessTimeoutError(RuntimeError):
    """A process of a cluster did not end in time; `mpr_result` is what came of the others."""

    def __init__(self, msg: str, mpr_result: Any) -> None:
        super().__init__(msg)
        self.mpr_result = mpr_result


class UnexpectedSubprocessExitError(RuntimeError):
    """A process of a cluster ended by itself; `mpr_result` is what came of the others."""

    def __init__(self, msg: str, mpr_result: Any) -> None:
        super().__init__(msg)
        self.mpr_result = mpr_result


def create_cluster_spec(
    has_chief: bool = False, num_workers: int = 1, num_ps: int = 0, has_eval: bool = False
) -> dict[str, list[str]]:
    """Addresses of processes on this machine, at ports that nobody uses, by their jobs."""
    counts = {"chief": int(has_chief), "worker": num_workers, "ps": num_ps}
    counts["evaluator"] = int(has_eval)
    sockets = [socket.socket() for _ in range(sum(counts.values()))]
    try:
        for each in sockets:
            each.bind(("localhost", 0))
        ports = iter([each.getsockname()[1] for each in sockets])
        return {
            job: [f"localhost:{next(ports)}" for _ in range(count)]
            for job, count in counts.items()
            if count
        }
    finally:
        for each in sockets:
            each.close()


def _no_processes(what: str) -> NoReturn:
    raise NotImplementedError(
        f"multi_process_runner.{what}: Runnel starts no clusters of processes for tests. Start "
        "the program once for each process, with TF_CONFIG in its environment."
    )


def run(
    fn: Any,
    cluster_spec: Any,
    rpc_layer: str | None = None,
    max_run_time: float | None = None,
    return_output: bool = False,
    timeout: float = 200,
    args: Any = None,
    kwargs: Any = None,
) -> Any:
    """Run a function as each process of a cluster: not supported."""
    _no_processes("run")


def get_barrier() -> Any:
    """What the processes of a cluster wait for each other at; ValueError outside of one."""
    raise ValueError("get_barrier: this process is not part of a cluster that `run` has started.")


def test_main() -> None:
    """Run the tests of the program, as `tf.test.main` does."""
    runnel.test.main()


test_main.__test__ = False  # type: ignore[attr-defined]
