"""Models in pickles and deep copies: by their `.keras` files."""

from __future__ import annotations

import copy
import os
import tempfile
from typing import Any

from runnel.keras.saving.files import archive


def packed(model: Any) -> bytes:
    """The `.keras` file of a model."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.keras")
        archive.save(model, path)
        with open(path, "rb") as file:
            return file.read()


def unpacked(data: bytes) -> Any:
    """The model of a `.keras` file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.keras")
        with open(path, "wb") as file:
            file.write(data)
        return archive.load(path, safe_mode=False)


def reduced(model: Any) -> Any:
    """How pickle makes a model again."""
    if not model.built:
        return object.__new__, (type(model),), _state(model)
    return unpacked, (packed(model),)


def copied(model: Any, memo: dict[int, Any]) -> Any:
    """A deep copy."""
    if not model.built:
        return _plain_copy(model, memo)
    memo[id(model)] = made = unpacked(packed(model))
    return made


def _plain_copy(model: Any, memo: dict[int, Any]) -> Any:
    made = object.__new__(type(model))
    memo[id(model)] = made
    made.__dict__.update(copy.deepcopy(_state(model), memo))
    return made


def _state(model: Any) -> dict[str, Any]:
    """The attributes, but for what `compile` has noted of the layers of this very model."""
    return {name: value for name, value in vars(model).items() if name != "_compiled_trainable"}
