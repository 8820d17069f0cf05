"""The state of eager mode, as `tensorflow.python.eager.context` shows it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import jax

import runnel
from runnel.core.op.context import state
from runnel.core.protos import messages
from runnel.core.settings.scopes import get_current_name_scope
from runnel.kernels.random.seeds import global_seed as _seed

SYNC, ASYNC = 0, 1


class Executor:
    """Runs eager ops. They are done, or their results are awaited by who reads them, on return."""

    def wait(self) -> None:
        """Return when all that was started on devices is computed."""
        for array in jax.live_arrays():
            array.block_until_ready()

    def clear_error(self) -> None:
        """Forget errors that nobody was told of. A call raises its own, so there is none to forget:
        what is still being computed is waited for, as in `wait`."""
        self.wait()

    def is_async(self) -> bool:
        return False


_executor = Executor()


class Context:
    """What is true of the running thread, under TensorFlow's names."""

    def executing_eagerly(self) -> bool:
        return runnel.executing_eagerly()

    def ensure_initialized(self) -> None:
        """List the devices, so that their configuration can no longer change."""
        runnel.config.list_logical_devices()

    def clear_kernel_cache(self) -> None:
        """Forget the programs that ops were compiled to."""
        jax.clear_caches()

    def num_gpus(self) -> int:
        return num_gpus()

    def devices(self) -> list[str]:
        return [device.name for device in runnel.config.list_logical_devices()]

    def get_config(self) -> Any:
        return get_config()

    @property
    def config(self) -> Any:
        return get_config()

    @property
    def executor(self) -> Executor:
        return _executor

    @property
    def execution_mode(self) -> int:
        return SYNC

    @property
    def scope_name(self) -> str:
        return get_current_name_scope()

    @property
    def device_name(self) -> str | None:
        return state.device

    @property
    def device_spec(self) -> Any:
        return runnel.DeviceSpec.from_string(state.device or "")

    @property
    def soft_device_placement(self) -> bool:
        return runnel.config.get_soft_device_placement()

    @soft_device_placement.setter
    def soft_device_placement(self, enabled: bool) -> None:
        runnel.config.set_soft_device_placement(enabled)

    def __repr__(self) -> str:
        return f"Eager context with {len(self.devices())} devices"


_context = Context()


def context() -> Context:
    """The context of the process."""
    return _context


def ensure_initialized() -> None:
    _context.ensure_initialized()


def get_executor() -> Executor:
    return _executor


def async_wait() -> None:
    """Return when all ops that were called are done."""
    _executor.wait()


@contextlib.contextmanager
def execution_mode(mode: int | None) -> Iterator[None]:
    """Run ops at once; ops that run later than they are called are not supported."""
    if mode not in (None, SYNC):
        raise NotImplementedError(f"execution_mode: ops run when they are called, got {mode!r}.")
    yield


def get_config() -> Any:
    """The options of the process as a `ConfigProto`."""
    found = messages.ConfigProto(allow_soft_placement=runnel.config.get_soft_device_placement())
    for kind in ("CPU", "GPU"):
        found.device_count[kind] = len(runnel.config.list_logical_devices(kind))
    found.intra_op_parallelism_threads = runnel.config.threading.get_intra_op_parallelism_threads()
    found.inter_op_parallelism_threads = runnel.config.threading.get_inter_op_parallelism_threads()
    return found


def get_device_name() -> str:
    """The device that ops are placed on by `with tf.device`; empty where none is named."""
    return state.device or ""


def global_seed() -> int | None:
    """The seed that `tf.random.set_seed` set."""
    return None if _seed.value is None else int(_seed.value)


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """Operations are added to a graph, the one that is being built or a new one."""
    if not runnel.executing_eagerly():
        yield
        return
    with runnel.Graph().as_default():
        yield


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """Operations run at once, also while a graph is being built."""
    outer, state.graph = state.graph, None
    try:
        yield
    finally:
        state.graph = outer


def num_gpus() -> int:
    return len(runnel.config.list_logical_devices("GPU"))
