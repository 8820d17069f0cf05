"""Where Keras prints: to the screen, or to the log."""

from __future__ import annotations

import logging
import sys
import threading


class _Switch(threading.local):
    interactive = True


_switch = _Switch()


def enable_interactive_logging() -> None:
    """Print progress and messages to the screen.

    >>> tf.keras.utils.enable_interactive_logging()
    >>> tf.keras.utils.is_interactive_logging_enabled()
    True
    """
    _switch.interactive = True


def disable_interactive_logging() -> None:
    """Send progress and messages to the log, for jobs that nobody watches.

    >>> tf.keras.utils.disable_interactive_logging()
    >>> tf.keras.utils.is_interactive_logging_enabled()
    False
    >>> tf.keras.utils.enable_interactive_logging()
    """
    _switch.interactive = False


def is_interactive_logging_enabled() -> bool:
    """Whether messages go to the screen."""
    return _switch.interactive


def print_message(message: str, line_break: bool = True) -> None:
    """Show a message where messages are wanted."""
    if not _switch.interactive:
        logging.getLogger("absl").info(message)
        return
    sys.stdout.write(message + "\n" * line_break)
    sys.stdout.flush()
