"""Warnings to the user, through the standard logger named `tensorflow`, as programs expect them."""

from __future__ import annotations

import logging

logger = logging.getLogger("tensorflow")


def warning(message: str) -> None:
    logger.warning("%s", message)
