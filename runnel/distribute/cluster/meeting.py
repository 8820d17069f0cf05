"""How the processes of a cluster meet: the first one starts the coordinator, all say hello."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from runnel.backend import configuration
from runnel.backend.processes import joining
from runnel.core.files import shared
from runnel.core.values.errors import UnknownError
from runnel.distribute.cluster.exchange import Exchange
from runnel.distribute.cluster.messages import split_address
from runnel.distribute.cluster.ops import joined
from runnel.distribute.cluster.roll import Roll
from runnel.distribute.cluster.tasks import Tasks

COORDINATOR = "RUNNEL_COORDINATOR"  # where it is, if a launcher holds it
HEARTBEAT = "RUNNEL_HEARTBEAT_SECONDS"
TIMEOUT = "RUNNEL_START_SECONDS"


def heartbeat() -> float:
    """After how many seconds without a sign of life a process counts as gone."""
    return float(os.environ.get(HEARTBEAT, "10"))


def start_timeout() -> float:
    """How many seconds processes wait for each other at the start."""
    return float(os.environ.get(TIMEOUT, "300"))


def meet(tasks: Tasks) -> Exchange:
    """The exchange between the processes of a cluster."""
    exchange = joined.exchange
    if exchange is not None:
        if tuple(exchange.roll.names) != tasks.names:
            raise RuntimeError(
                f"This process belongs to a cluster of {exchange.roll.names} already, and cannot "
                f"join one of {list(tasks.names)}."
            )
        return exchange
    if joining.is_too_late():
        raise RuntimeError(
            "Processes must meet before JAX uses its devices, which something has made it do: make "
            "the MultiWorkerMirroredStrategy at the start of the program."
        )
    address = os.environ.get(COORDINATOR)
    if address is None:
        address = tasks.addresses[0]
        if tasks.process == 0:
            _hold(address, tasks)
    patience = start_timeout()
    roll = Roll(address, tasks.process, tasks.names, patience)
    count = len(tasks.names)
    host, _ = split_address(tasks.addresses[tasks.process])
    joining.join(roll.jax_address, tasks.process, count, int(patience) + 1, roll.is_served, host)
    joined.exchange = Exchange(roll)
    shared.program.others = roll
    configuration.by_shape = True
    return joined.exchange


def _hold(address: str, tasks: Tasks) -> None:
    """Start a process that is the coordinator: it outlives this one."""
    command = [sys.executable, "-m", "runnel.distribute.cluster.holder"]
    said = json.dumps([address, list(tasks.names), heartbeat(), start_timeout()])
    holder = subprocess.Popen(
        [*command, said],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"},  # the service tells of every step
        start_new_session=True,
    )
    assert holder.stdout is not None
    answer = holder.stdout.readline().strip()
    holder.stdout.close()
    if answer != "ready":
        message = (
            f"{tasks.names[0]} cannot listen at its address {address}: {answer}. Choose another "
            "port in TF_CONFIG, the same one for all processes."
        )
        raise UnknownError(None, None, message)
