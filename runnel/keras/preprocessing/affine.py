"""Rotating, shifting, shearing and zooming one image on NumPy, as Keras 2 does it."""

from __future__ import annotations

from typing import Any

import numpy as np


def apply_affine_transform(
    x: np.ndarray,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    order: int = 1,
) -> np.ndarray:
    """An image turned by `theta` degrees, shifted by pixels, sheared by degrees and zoomed.

    >>> image = np.arange(4.0).reshape(1, 2, 2)
    >>> tf.keras.preprocessing.image.apply_affine_transform(image, ty=1)
    array([[[2., 3.],
            [2., 3.]]])
    """
    _check_axes(x, row_axis, col_axis, channel_axis)
    matrix = _matrix(theta, tx, ty, shear, zx, zy)
    if matrix is None:
        return x
    matrix = _about_centre(matrix, x.shape[row_axis], x.shape[col_axis])
    if col_axis > row_axis:
        matrix = matrix[[1, 0, 2]][:, [1, 0, 2]]  # Keras's coordinates begin with the column
    from scipy import ndimage

    options: dict[str, Any] = {"order": order, "mode": fill_mode, "cval": cval}
    channels = [
        ndimage.affine_transform(channel, matrix[:2, :2], matrix[:2, 2], **options)
        for channel in np.moveaxis(x, channel_axis, 0)
    ]
    return np.stack(channels, axis=channel_axis)


def _check_axes(x: np.ndarray, *axes: int) -> None:
    if len(set(axes)) != 3:
        raise ValueError(f"The axes of rows, columns and channels must be distinct, got {axes}.")
    if set(axes) != {0, 1, 2}:
        raise ValueError(f"The axes must be 0, 1 and 2 in some order, got {axes}.")
    if x.ndim != 3:
        raise ValueError(f"`x` must be one image of rank 3, got the shape {x.shape}.")
    if axes[2] not in (0, 2):
        raise ValueError(f"The channels must be the first or the last axis, got {axes[2]}.")


def _matrix(
    theta: float, tx: float, ty: float, shear: float, zx: float, zy: float
) -> np.ndarray | None:
    """The transformations that are wanted, one after another; None for no change."""
    turn, slant = np.deg2rad(theta), np.deg2rad(shear)
    parts = [
        (theta != 0, [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0]]),
        (tx != 0 or ty != 0, [[1, 0, tx], [0, 1, ty]]),
        (shear != 0, [[1, -np.sin(slant), 0], [0, np.cos(slant), 0]]),
        (zx != 1 or zy != 1, [[zx, 0, 0], [0, zy, 0]]),
    ]
    wanted = [np.array([*rows, [0, 0, 1]], dtype=float) for want, rows in parts if want]
    if not wanted:
        return None
    return wanted[0] if len(wanted) == 1 else np.linalg.multi_dot(wanted)


def _about_centre(matrix: np.ndarray, height: int, width: int) -> np.ndarray:
    to_centre = np.eye(3)
    to_centre[:2, 2] = height / 2 - 0.5, width / 2 - 0.5
    back = np.eye(3)
    back[:2, 2] = -to_centre[:2, 2]
    return to_centre @ matrix @ back


def _between(most: Any) -> float:
    """A random number of `-most` to `most`."""
    try:
        return float(np.random.uniform(-most, most))
    except (TypeError, OverflowError) as error:  # the first of a class of NumPy's own
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"The range of a random number must be a number, got {most!r}.") from error


def random_rotation(
    x: np.ndarray,
    rg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """An image turned by up to `rg` degrees in either direction."""
    theta = _between(rg)
    where = _where(row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, theta=theta, **where)


def random_shift(
    x: np.ndarray,
    wrg: float,
    hrg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """An image shifted by up to the fractions `wrg` of its width and `hrg` of its height."""
    tx = _between(hrg) * x.shape[row_axis]
    ty = _between(wrg) * x.shape[col_axis]
    where = _where(row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, tx=tx, ty=ty, **where)


def random_shear(
    x: np.ndarray,
    intensity: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """An image sheared by up to `intensity` degrees in either direction."""
    shear = _between(intensity)
    where = _where(row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, shear=shear, **where)


def random_zoom(
    x: np.ndarray,
    zoom_range: Any,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """An image zoomed by factors in the range, for rows and columns each."""
    if len(zoom_range) != 2:
        raise ValueError(f"`zoom_range` must be two floats, got {zoom_range}.")
    low, high = zoom_range
    zx, zy = (1, 1) if low == high == 1 else np.random.uniform(low, high, 2)
    where = _where(row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, zx=zx, zy=zy, **where)


def _where(
    row_axis: int, col_axis: int, channel_axis: int, fill_mode: str, cval: float, order: int
) -> dict[str, Any]:
    axes = {"row_axis": row_axis, "col_axis": col_axis, "channel_axis": channel_axis}
    return axes | {"fill_mode": fill_mode, "cval": cval, "order": order}
