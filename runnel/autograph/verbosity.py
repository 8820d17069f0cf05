"""How much AutoGraph says about what it does."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from runnel.core.settings.logging import logger

_level: int | None = None
_to_stdout = False


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Say how much AutoGraph logs: 0 nothing, 1 what it converts, 3 also the code it makes.

    Without a call, the environment variable `AUTOGRAPH_VERBOSITY` decides.

    >>> tf.autograph.set_verbosity(0)
    """
    global _level, _to_stdout
    _level = level
    _to_stdout = alsologtostdout


def verbosity() -> int:
    return int(os.environ.get("AUTOGRAPH_VERBOSITY", "0")) if _level is None else _level


def log(level: int, text: Callable[[], str]) -> None:
    """Log what `text` gives, if so much is wanted."""
    if verbosity() < level:
        return
    message = text()
    logger.warning("AutoGraph: %s", message)
    if _to_stdout:
        print(message)


def trace(*args: Any) -> None:
    """Print the arguments while the function is traced, and not when its graph runs.

    >>> tf.function(lambda x: tf.autograph.trace("tracing") or x)(tf.constant(1)).numpy()
    tracing
    np.int32(1)
    """
    print(*args)
