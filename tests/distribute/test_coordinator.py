"""What a coordinator does without programs that train."""

from __future__ import annotations

import socket
from itertools import islice

from runnel.distribute.cluster.coordinator import Coordinator
from runnel.distribute.cluster.messages import Line, split_address

NAMES = ["worker 0", "worker 1"]


def _come(coordinator: Coordinator, number: int) -> Line:
    connection = socket.create_connection(split_address(coordinator.address), timeout=20)
    line = Line(connection)
    connection.settimeout(20)
    line.send(hello=number, names=NAMES)
    assert "welcome" in next(line.messages())
    return line


def test_it_does_not_outlive_processes_that_fall_silent() -> None:
    """As they do where a link is cut: their connections never end."""
    coordinator = Coordinator("127.0.0.1:0", NAMES, heartbeat=0.05)
    lines = [_come(coordinator, number) for number in range(2)]
    told = [message for line in lines for message in islice(line.messages(), 500)]
    assert coordinator.done.wait(5)
    assert {"gone", "why"} <= {key for message in told for key in message}
    for line in lines:
        line.close()
    coordinator.close()
