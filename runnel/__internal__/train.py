"""What saving in checkpoints needs."""

from typing import Any

from runnel.__internal__.late import find as _find
from runnel.train.files.checkpoint_state import write_state as update_checkpoint_state  # noqa: F401


def __getattr__(name: str) -> Any:
    return _find("train", name)
