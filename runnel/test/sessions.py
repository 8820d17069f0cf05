"""What stands for sessions in tests that run at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class NoSession:
    """Has nothing: whoever asks it for something is told what to do."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"There is no session, so that it has no {name!r}: ops run at once, and "
            "self.evaluate(tensor) gives a value."
        )


class EagerSession:
    """Runs nothing: what it is asked for has its value already."""

    def __init__(self, evaluate: Callable[[Any], Any]) -> None:
        self._evaluate = evaluate

    def run(self, fetches: Any, feed_dict: Any = None, **options: Any) -> Any:
        """The values of tensors."""
        if feed_dict:
            raise RuntimeError("There is no session: values cannot be fed in eager mode.")
        return self._evaluate(fetches)
