"""The same `preprocess_input` and `decode_predictions` for every network, in their modes."""

from __future__ import annotations

from typing import Any

from runnel.keras.applications import imagenet_utils


def decode_predictions(preds: Any, top: int = 5) -> list[list[tuple[str, str, float]]]:
    """For each sample the `top` most probable classes as (number, name, score)."""
    return imagenet_utils.decode_predictions(preds, top=top)


def in_mode(mode: str | None) -> Any:
    """`preprocess_input` of a network whose images are prepared in this way."""

    def preprocess_input(x: Any, data_format: Any = None) -> Any:
        """Images with values from 0 to 255 as this network expects them."""
        if mode is None:  # the network has layers for it
            return x
        return imagenet_utils.preprocess_input(x, data_format=data_format, mode=mode)

    return preprocess_input
