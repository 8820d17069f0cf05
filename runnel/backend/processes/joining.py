"""Several processes as one system of JAX: the service that they meet at, and joining it.

The service is a part of jaxlib that JAX starts in process 0. A process that dies would take it
along, and JAX then aborts the others without a word; so it is started by itself here, in a process
that trains nothing, and a process that is missed ends nobody. These names of jaxlib are not public:
where they are missing, `jax.distributed` does what it can.
"""

from __future__ import annotations

import importlib
import socket
import sys
from typing import Any

from runnel.backend import jax as xla

_NEVER = 10**6  # seconds without a sign of life, of which somebody else takes care
_SHUTDOWN = 1  # seconds that leaving may take


def _names() -> Any:
    """The module of jaxlib with the service and its clients; None if there is no such module."""
    for name in ("jaxlib._jax", "jaxlib.xla_extension"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if hasattr(module, "get_distributed_runtime_service"):
            return module
    return None


def serve(address: str, processes: int) -> Any:
    """The service for so many processes, at an address of this machine; None if JAX has none."""
    module = _names()
    if module is None:
        return None
    return module.get_distributed_runtime_service(
        address,
        processes,
        heartbeat_timeout=_NEVER,
        shutdown_timeout=_SHUTDOWN,
        recoverable=True,
    )


def join(address: str, process: int, processes: int, timeout: int, served: bool, host: str) -> None:
    """Be one of several processes, from the first use of JAX's devices on.

    `served`: the service is there already, or else process 0 starts it. `host`: where the others
    reach this process.
    """
    jax: Any = xla.load("jax")
    if not served:
        jax.distributed.initialize(
            address,
            processes,
            process,
            coordinator_bind_address=address,
            initialization_timeout=timeout,
        )
        return
    jax.config.update("jax_enable_recoverability", True)
    client = _names().get_distributed_runtime_client(
        address,
        process,
        init_timeout=timeout,
        shutdown_timeout=_SHUTDOWN,
        heartbeat_timeout=_NEVER,
        shutdown_on_destruction=False,
    )
    client.connect()
    state = importlib.import_module("jax._src.distributed").global_state
    state.client, state.process_id, state.num_processes = client, process, processes
    state.coordinator_address = address
    if _is_here(host):
        _listen_at(host, client)


def _is_here(host: str) -> bool:
    """Whether a host is this one, and not an address that others have for it."""
    try:
        socket.create_server((host, 0)).close()
    except OSError:
        return False
    return True


def _listen_at(host: str, client: Any) -> None:
    """Have CPUs exchange values at a host; gloo asks the system for the machine's name, which on
    many is an address that no other machine can reach.
    """
    bridge = importlib.import_module("jax._src.xla_bridge")

    def cpu() -> Any:
        gloo = _names().make_gloo_tcp_collectives(distributed_client=client, hostname=host)
        return bridge.make_cpu_client(gloo)

    bridge.register_backend_factory("cpu", cpu, priority=0, fail_quietly=False)


def is_too_late() -> bool:
    """Whether JAX's devices are in use, so that this process stays alone."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    return bool(getattr(bridge, "backends_are_initialized", bool)())
