"""Warnings to the user, through the standard logger named `tensorflow`, as programs expect them."""

from __future__ import annotations

import logging
import sys
from collections import Counter

from runnel.core.settings.user_code import user_line

logger = logging.getLogger("tensorflow")


class _ToStderr(logging.Handler):
    """Writes `WARNING:tensorflow:…` unless the program has set up logging itself."""

    def emit(self, record: logging.LogRecord) -> None:
        if not logging.getLogger().handlers:
            sys.stderr.write(self.format(record) + "\n")


_handler = _ToStderr()
_handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
logger.addHandler(_handler)

_said: Counter[tuple[str, str]] = Counter()


def warning(message: str) -> None:
    logger.warning("%s", message)


def warning_first(count: int, message: str) -> None:
    """Warn the first `count` times that a line of the user's program is the cause."""
    key = (user_line(), message)
    _said[key] += 1
    if _said[key] <= count:
        warning(message)


def get_logger() -> logging.Logger:
    """The logger through which warnings reach the user.

    >>> tf.get_logger().name
    'tensorflow'
    """
    return logger
