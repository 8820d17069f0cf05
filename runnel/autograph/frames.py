"""Which values a graph can carry; lists and dicts of which it carries a part."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.autograph.lists import StagedList
from runnel.autograph.undefined import Undefined
from runnel.core.state.variable import Variable
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest


def is_tensor_nest(value: Any) -> bool:
    """Whether a value can be carried by a loop: tensors, and what can be one."""
    if isinstance(value, Undefined) or value is None:
        return False
    leaves = nest.flatten(value, expand_composites=True)
    kinds = Tensor | int | float | complex | str | bytes | np.ndarray | np.generic | StagedList
    if nest.is_nested(value) and not leaves:
        return isinstance(value, list)
    return all(isinstance(v, kinds) and not isinstance(v, Variable) for v in leaves)


def has_none(value: Any) -> bool:
    return any(leaf is None for leaf in nest.flatten(value))


class Frame:
    """A list or dict some of whose leaves, such as functions and None, no graph can carry."""

    def __init__(self, container: Any) -> None:
        self._container = container
        self._leaves = nest.flatten(container)
        self._moving = [is_tensor_nest(leaf) for leaf in self._leaves]

    def moving(self, value: Any) -> list[Any]:
        """The leaves of `value` that may change. Its other ones must be those of the frame."""
        nest.assert_same_structure(self._container, value)
        leaves = nest.flatten(value)
        for old, new, moves in zip(self._leaves, leaves, self._moving, strict=True):
            if not moves and new is not old:
                raise TypeError(
                    f"holds {old!r}, which cannot become {new!r} where a tensor decides"
                )
        return [leaf for leaf, moves in zip(leaves, self._moving, strict=True) if moves]

    def whole(self, moving: list[Any]) -> Any:
        """The container with these leaves in the places of those that may change."""
        rest = iter(moving)
        pairs = zip(self._leaves, self._moving, strict=True)
        leaves = [next(rest) if moves else leaf for leaf, moves in pairs]
        return nest.pack_sequence_as(self._container, leaves)


def frame_of(value: Any) -> Frame | None:
    """The frame of a list or dict of which a graph can carry a part only."""
    if not isinstance(value, list | dict) or is_tensor_nest(value):
        return None
    frame = Frame(value)
    return frame if any(frame._moving) else None
