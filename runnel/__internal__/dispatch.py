"""Public functions, for libraries built on this one: handlers for all, and what they may do."""

from typing import Any

from runnel.__internal__.late import find as _find
from runnel.core.composite.dispatch import GlobalOpDispatcher as GlobalOpDispatcher
from runnel.core.composite.purity import computes_tensors as computes_tensors
from runnel.core.tensor.indexing import getitem as getitem


def __getattr__(name: str) -> Any:
    return _find("dispatch", name)
