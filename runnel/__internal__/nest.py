"""`tf.__internal__.nest`: structures and the ways to their leaves."""

from typing import Any

from runnel.__internal__.late import find as _find
from runnel.core.values.nest import flatten_up_to as flatten_up_to
from runnel.core.values.nest import map_structure_up_to as map_structure_up_to
from runnel.core.values.nest import yield_flat_paths as yield_flat_paths


def __getattr__(name: str) -> Any:
    return _find("nest", name)
