"""Points and the centers that are nearest to them."""

from __future__ import annotations

import numpy as np

from runnel.core.op.op import op
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec


def _nearest_shape(points: Spec, centers: Spec, k: Spec) -> list[Dims]:
    rows = None if points.dims is None else points.dims[0]
    count = None
    if k.value is not None and centers.dims is not None and centers.dims[0] is not None:
        count = min(int(k.value), centers.dims[0])
    return [(rows, count)] * 2


def _check_nearest(points: Array, centers: Array, k: Array) -> None:
    for name, array in (("points", points), ("centers", centers)):
        if array.ndim != 2:
            raise bad_shape("NearestNeighbors", want="be a matrix", **{name: array})
    if points.shape[1] != centers.shape[1]:
        want = f"have {points.shape[1]} columns"
        raise bad_shape("NearestNeighbors", want=want, centers=centers)
    if k.ndim:
        raise bad_shape("NearestNeighbors", want="be a scalar", k=k)
    if not len(centers):
        raise bad_shape("NearestNeighbors", want="have rows", centers=centers)
    if k < 0:
        raise bad_value("NearestNeighbors", want="not be negative", k=int(k))


@op(
    "NearestNeighbors",
    "points: float32, centers: float32, k: int64 "
    "-> nearest_center_indices: int64, nearest_center_distances: float32",
    static=("k",),
    shape=_nearest_shape,
    check=_check_nearest,
)
def _nearest_neighbors(
    xp: Namespace, points: Array, centers: Array, k: np.ndarray
) -> tuple[Array, Array]:
    """The numbers of the nearest centers of each point, and their squared distances."""
    squares = xp.sum(centers * centers, axis=1) - np.float32(2) * xp.matmul(points, centers.T)
    nearest = xp.argsort(squares, axis=1, stable=True)[:, : int(k)]
    found = xp.take_along_axis(squares, nearest, axis=1)
    found = found + xp.sum(points * points, axis=1)[:, None]
    return nearest.astype(np.int64), found
