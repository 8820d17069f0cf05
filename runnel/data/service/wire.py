"""Messages on a socket: a length, and a mapping of numbers, strings and arrays."""

from __future__ import annotations

import socket
import socketserver
import threading
import time
from collections.abc import Callable
from typing import Any

from runnel.core.values import errors
from runnel.data.run.states import decode, encode

_MOST_BYTES = 1 << 33  # bytes of a message
_PAUSE = 0.1  # seconds before a server that is away is asked again

Message = dict[str, Any]


def send(connection: socket.socket, message: Message) -> None:
    data = encode(message)
    connection.sendall(len(data).to_bytes(8, "little") + data)


def receive(connection: socket.socket) -> Message | None:
    """The next message; None when the other side has gone."""
    head = _exactly(connection, 8)
    if head is None:
        return None
    size = int.from_bytes(head, "little")
    if size > _MOST_BYTES:
        raise errors.DataLossError(None, None, f"A message of {size} bytes is no message.")
    data = _exactly(connection, size)
    if data is None:
        return None
    message = decode(data)
    if not isinstance(message, dict):
        raise errors.DataLossError(None, None, "This is no message of the data service.")
    return message


def _exactly(connection: socket.socket, size: int) -> bytes | None:
    parts = []
    while size:
        try:
            piece = connection.recv(min(size, 1 << 20))
        except OSError:
            return None
        if not piece:
            return None
        parts.append(piece)
        size -= len(piece)
    return b"".join(parts)


class Caller:
    """A connection that asks and waits for answers."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        try:
            self._connection = socket.create_connection((host, int(port)))
        except (OSError, ValueError, OverflowError) as error:
            message = f"Nobody answers at {address}: {error}."
            raise errors.UnavailableError(None, None, message) from error
        self._address = address

    def ask(self, **request: Any) -> Message:
        """The answer to a request; an error over there is raised here."""
        try:
            send(self._connection, request)
        except OSError as error:
            message = f"{self._address} has gone: {error}."
            raise errors.UnavailableError(None, None, message) from error
        answer = receive(self._connection)
        if answer is None:
            raise errors.UnavailableError(None, None, f"{self._address} has gone.")
        if "error" in answer:
            raise _error(str(answer["error"]), str(answer["message"]))
        return answer

    def __del__(self) -> None:
        if hasattr(self, "_connection"):
            self._connection.close()


class PatientCaller:
    """The same to a server that may be restarted: it is asked again until it answers."""

    def __init__(self, address: str, seconds: float) -> None:
        self._address, self._seconds = address, seconds
        self._caller: Caller | None = None

    def ask(self, **request: Any) -> Message:
        """The answer to a request; UnavailableError if there is none for too long."""
        end = time.monotonic() + self._seconds
        while True:
            try:
                self._caller = self._caller or Caller(self._address)
                return self._caller.ask(**request)
            except errors.UnavailableError:
                self._caller = None
                if time.monotonic() > end:
                    raise
                time.sleep(_PAUSE)


def _error(name: str, message: str) -> Exception:
    """The error of that name, if there is one among those of `tf.errors`."""
    kind: Any = getattr(errors, name, None)
    if not isinstance(kind, type) or not issubclass(kind, errors.OpError):
        kind = errors.UnknownError
    return kind(None, None, message)  # type: ignore[no-any-return]


class Listener:
    """Answers requests on a port of this machine, a thread per connection."""

    def __init__(
        self, port: int, answer: Callable[[Message], Message], *, everywhere: bool = False
    ) -> None:
        connections: set[socket.socket] = set()

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                connections.add(self.request)
                try:
                    while (request := receive(self.request)) is not None:
                        send(self.request, _answered(answer, request))
                except (OSError, errors.DataLossError):
                    return
                finally:
                    connections.discard(self.request)

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True
            block_on_close = False

        self._connections = connections
        self._server = Server(("" if everywhere else "localhost", port), Handler)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.1,), name="data service", daemon=True
        )
        self._thread.start()

    def join(self) -> None:
        self._thread.join()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self._connections):
            connection.close()


def _answered(answer: Callable[[Message], Message], request: Message) -> Message:
    try:
        return answer(request)
    except Exception as error:
        message = getattr(error, "message", None) or f"{type(error).__name__}: {error}"
        return {"error": type(error).__name__, "message": str(message)}
