"""`tf.compat.v1.logging`: the log of the library, as functions."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import runnel as tf

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50
_NAMES = {"FATAL": FATAL, "ERROR": ERROR, "WARN": WARN, "INFO": INFO, "DEBUG": DEBUG}
_seen: Counter[tuple[str, int]] = Counter()


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write a line to the log at a level."""
    tf.get_logger().log(level, msg, *args, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    log(DEBUG, msg, *args, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    log(INFO, msg, *args, **kwargs)


def warn(msg: Any, *args: Any, **kwargs: Any) -> None:
    log(WARN, msg, *args, **kwargs)


warning = warn


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    log(ERROR, msg, *args, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    log(FATAL, msg, *args, **kwargs)


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write a line at a level of Python's `logging`."""
    log(level, msg, *args, **kwargs)


def _place() -> tuple[str, int]:
    """The line of the program that calls."""
    frame = sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Write every n-th of the lines that this place of the program asks for."""
    place = _place()
    _seen[place] += 1
    if _seen[place] % n == 1 or n == 1:
        log(level, msg, *args)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Write the first n of the lines that this place of the program asks for."""
    place = _place()
    _seen[place] += 1
    if _seen[place] <= n:
        log(level, msg, *args)


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Write a line if a condition holds."""
    if condition:
        log(level, msg, *args)


def flush() -> None:
    """Have everything written that was logged."""
    for handler in tf.get_logger().handlers:
        handler.flush()


def get_verbosity() -> int:
    """The level from which on lines are written."""
    return tf.get_logger().getEffectiveLevel()


def set_verbosity(v: int | str) -> None:
    """Write lines from a level on, given by number or by name."""
    tf.get_logger().setLevel(_NAMES[v] if isinstance(v, str) else v)


def TaskLevelStatusMessage(msg: Any) -> None:
    """Write a line at the level of errors."""
    error(msg)
