"""What metrics with a result for each column of their inputs ask of shapes."""

from __future__ import annotations

from typing import Any


def check_two_axes(name: str, y_true_shape: Any, y_pred_shape: Any) -> None:
    """Raise unless both have two axes, the second of known size."""
    got = f"Received input shapes: y_pred.shape={y_pred_shape} and y_true.shape={y_true_shape}."
    if len(y_pred_shape) != 2 or len(y_true_shape) != 2:
        raise ValueError(f"{name} expects 2D inputs with shape (batch_size, output_dim). {got}")
    if y_pred_shape[-1] is None or y_true_shape[-1] is None:
        raise ValueError(
            f"{name} expects 2D inputs with shape (batch_size, output_dim), with output_dim fully "
            f"defined (not None). {got}"
        )
