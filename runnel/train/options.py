"""`tf.train.CheckpointOptions`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runnel.train.files.sharding import ShardingCallback


class CheckpointOptions:
    """How a checkpoint is written and read.

    With `enable_async`, values are taken at once and written by a thread while the program goes on.
    The functions in `experimental_write_callbacks` are called when a checkpoint has been written,
    with its path if they take an argument. `experimental_sharding_callback` spreads the data over
    several files. `experimental_io_device` would name the process that reads and writes; there is
    one.

    >>> tf.train.CheckpointOptions(enable_async=True).enable_async
    True
    """

    __slots__ = (
        "enable_async",
        "experimental_enable_async_checkpoint",
        "experimental_io_device",
        "experimental_sharding_callback",
        "experimental_skip_slot_variables",
        "experimental_write_callbacks",
    )

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        for callback in experimental_write_callbacks or ():
            if not callable(callback):
                raise TypeError(f"{callback!r} in experimental_write_callbacks is not callable.")
        self.experimental_io_device = experimental_io_device
        self.enable_async = enable_async or experimental_enable_async_checkpoint
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = checked_sharding(experimental_sharding_callback)


def checked_sharding(callback: Any) -> ShardingCallback | None:
    """A callback that spreads data over files; ValueError if it is something else."""
    if callback is not None and not isinstance(callback, ShardingCallback):
        raise ValueError(
            "The experimental_sharding_callback option must be of type ShardingCallback, got "
            f"{type(callback)}."
        )
    return callback


def run_callbacks(options: CheckpointOptions, path: str) -> None:
    """Call what is to be called when a checkpoint has been written."""
    for callback in options.experimental_write_callbacks or ():
        code = getattr(callback, "__code__", None)
        arguments = 1 if code is None else code.co_argcount - hasattr(callback, "__self__")
        callback(path) if arguments else callback()
