"""`platform.tf_logging`: the functions of the logger named tensorflow."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

from runnel.core.settings.logging import get_logger
from runnel.core.settings.user_code import user_line

DEBUG, INFO, WARN, ERROR, FATAL = (
    logging.DEBUG,
    logging.INFO,
    logging.WARNING,
    logging.ERROR,
    logging.FATAL,
)
_logger = get_logger()
log, debug, info, warning, error, fatal = (
    _logger.log,
    _logger.debug,
    _logger.info,
    _logger.warning,
    _logger.error,
    _logger.fatal,
)
warn = warning
_counts: Counter[str] = Counter()


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """A message for those who look closely: the higher the level, the closer."""
    _logger.log(max(1, DEBUG - level), msg, *args, **kwargs)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log the first `n` times that this line of the program is reached."""
    place = user_line()
    _counts[place] += 1
    log_if(level, msg, _counts[place] <= n, *args)


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log the first of every `n` times that this line of the program is reached."""
    place = user_line()
    log_if(level, msg, _counts[place] % n == 0, *args)
    _counts[place] += 1


def log_if(level: int, msg: str, condition: object, *args: Any) -> None:
    if condition:
        _logger.log(level, msg, *args)


def get_verbosity() -> int:
    return _logger.getEffectiveLevel()


def set_verbosity(v: int | str) -> None:
    _logger.setLevel(v)
