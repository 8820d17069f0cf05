"""`tf.debugging.experimental`: recording everything that runs, which is not supported."""

from __future__ import annotations

from typing import Any


def enable_dump_debug_info(
    dump_root: str,
    tensor_debug_mode: str = "NO_TENSOR",
    circular_buffer_size: int = 1000,
    op_regex: str | None = None,
    tensor_dtypes: Any = None,
) -> Any:
    """Not supported; `tf.debugging.enable_check_numerics` finds NaN and infinity."""
    raise NotImplementedError("tf.debugging.experimental.enable_dump_debug_info is not supported.")


def disable_dump_debug_info() -> None:
    """Nothing, since dumping is never on."""
