"""Layers whose random numbers come from a generator of their own."""

from __future__ import annotations

from typing import Any

from runnel.keras.layers.core import RandomLayer


class BaseRandomLayer(RandomLayer):
    """A layer with a stream of random numbers that goes on from call to call."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(force_generator=True, **kwargs)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"rng_type": "stateful"}
