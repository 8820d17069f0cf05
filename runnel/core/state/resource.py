"""What a resource handle points to: things with a state, such as the memory of a variable.

On the reading path after `core/gradients/gradient_tape.py`, before `graph/build/operation.py`.
"""

from __future__ import annotations

import threading

from runnel.backend import jax as xla
from runnel.backend import memory
from runnel.core.settings.placement import CPU
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import FailedPreconditionError
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array


class Resource:
    """The value behind a tensor of dtype `resource`."""

    size = 1
    shape = ()

    def __init__(self) -> None:
        self.lock = threading.RLock()


class VariableResource(Resource):
    """The memory of a variable: one array, replaced as a whole by each assignment.

    `device` is JAX's array, if a compiled program made the value or reads it; `host` is NumPy's.
    The host's counts if there is no other, or if it mirrors just this one. So one assignment to
    `device` is a new value, which a compiled program makes without a step in Python (see
    `graph/run/segment.py`). A mirrored array is one that somebody else may hold: its memory must
    not be given away to be overwritten.
    """

    home = CPU

    def __init__(self, dtype: DType, static_shape: TensorShape, name: str) -> None:
        super().__init__()
        self.dtype = dtype
        self.static_shape = static_shape
        self.name = name
        self.host: Array | None = None
        self.device: Array | None = None
        self.mirrored: Array | None = None
        self.replicas: str | None = None  # "mirrored", or in "rows" of those of a strategy

    @property
    def value(self) -> Array | None:
        """The value as NumPy's, None before there is one."""
        device = self.device
        if device is None or device is self.mirrored:
            return self.host
        return self._fetch(device)

    @value.setter
    def value(self, value: Array) -> None:
        self.assign(value)

    def _fetch(self, device: Array) -> Array:
        """The value that a program made, as NumPy's."""
        try:
            host = xla.fetched(device)
        except RuntimeError:  # it has been given away: another thread's program is about to be done
            with self.lock:
                if self.device is device:
                    raise
                return self.read()
        if self.device is device:
            self.host, self.mirrored = host, device
        return host

    @property
    def elements(self) -> int:
        held = self.host if self.device is None else self.device
        return 0 if held is None else int(held.size)

    def read(self) -> Array:
        """The value as NumPy's; an error before there is one."""
        device = self.device
        value = self.host if device is None or device is self.mirrored else self._fetch(device)
        if value is None:
            raise self._empty()
        return value

    def _empty(self) -> Exception:
        message = f"The variable {self.name!r} was read before it had a value."
        return FailedPreconditionError(None, None, message)

    def assign(self, value: Array) -> None:
        self.host, self.device, self.mirrored = value, None, None

    def shown(self) -> Array:
        """The latest value, wherever it is, to look at its shape."""
        return self.read() if self.device is None else self.device

    def lend(self) -> Array:
        """The value for a compiled program that only reads it."""
        device = self.device
        if device is None:
            host = self.read()
            device = memory.on_device(host)
            if self.device is None and self.host is host:
                self.device = self.mirrored = device
        return device

    def give(self, as_copy: bool) -> Array:
        """The value for a program that overwrites its memory: a copy if so wanted or needed."""
        device = self.device
        if device is None:
            return memory.on_device(self.read(), as_copy=True)
        if as_copy or device is self.mirrored:
            return memory.on_device(device, as_copy=True)
        return device

    def drop_mirror(self) -> None:
        """Let go of what mirrors an older value."""
        if self.device is not self.mirrored:
            self.host = self.mirrored = None

    def take(self, value: Array) -> None:
        """The new value that a compiled program made, which nobody else holds."""
        self.host, self.device, self.mirrored = None, value, None
