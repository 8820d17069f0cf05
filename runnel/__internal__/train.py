"""What saving in checkpoints needs."""

from typing import Any

from runnel.__internal__.late import find as _find


def __getattr__(name: str) -> Any:
    return _find("train", name)
