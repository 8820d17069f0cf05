"""Messages between the processes of a cluster and their coordinator: lines of JSON."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

Message = dict[str, Any]


class Line:
    """A connection on which both sides send messages."""

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection
        self._lock = threading.Lock()

    def send(self, **message: Any) -> bool:
        """Send a message; False if the other side has gone."""
        data = json.dumps(message).encode() + b"\n"
        try:
            with self._lock:
                self._connection.sendall(data)
        except OSError:
            return False
        return True

    def messages(self) -> Iterator[Message]:
        """What the other side sends, until it has gone."""
        rest = b""
        while True:
            try:
                piece = self._connection.recv(1 << 16)
            except OSError:
                return
            if not piece:
                return
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                try:
                    message = json.loads(line)
                except ValueError:
                    return
                if isinstance(message, dict):
                    yield message

    def close(self) -> None:
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


def split_address(address: str) -> tuple[str, int]:
    """Host and port of `host:port`; ValueError for what is none."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"An address is written as host:port, got {address!r}.")
    return host.strip("[]"), int(port)
