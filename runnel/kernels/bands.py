"""Which elements of a matrix belong to a band of diagonals, and where a tensor of them has each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from runnel.core.values.errors import bad_shape, bad_value, invalid

_ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


class Band(NamedTuple):
    """The diagonals from `lower` to `upper` of a matrix; the longest has `length` elements."""

    lower: int
    upper: int
    rows: int
    columns: int
    length: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The last dimensions of a tensor of its diagonals: one axis less when there is but one."""
        if self.lower == self.upper:
            return (self.length,)
        return self.upper - self.lower + 1, self.length

    def places(self, align: str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The indices of its elements, in the matrix and in the tensor of diagonals."""
        rows, columns, numbers, positions = [], [], [], []
        for number, d in enumerate(range(self.upper, self.lower - 1, -1)):
            length = min(self.rows + min(d, 0), self.columns - max(d, 0))
            above, below = align.split("_")
            right = (above if d > 0 else below if d < 0 else "LEFT") == "RIGHT"
            steps = np.arange(length)
            rows.append(steps - min(d, 0))
            columns.append(steps + max(d, 0))
            numbers.append(np.full(length, number))
            positions.append(steps + (self.length - length if right else 0))
        matrix = (..., np.concatenate(rows), np.concatenate(columns))
        if self.lower == self.upper:
            return matrix, (..., np.concatenate(positions))
        return matrix, (..., np.concatenate(numbers), np.concatenate(positions))


def limits(op_name: str, k: Any) -> tuple[int, int]:
    if np.ndim(k) > 1:
        raise bad_shape(op_name, want="be a number or a pair", k=np.asarray(k))
    ends = np.ravel(k).tolist()
    if len(ends) not in (1, 2):
        raise bad_shape(op_name, want="be a number or a pair", k=np.asarray(k))
    if ends[0] > ends[-1]:
        raise bad_value(op_name, want="have the lower diagonal first", k=ends)
    return ends[0], ends[-1]


def check_align(op_name: str, align: str) -> None:
    if align not in _ALIGNMENTS:
        want = f"be one of {', '.join(_ALIGNMENTS)}"
        raise invalid(f"{op_name}: `align` must {want}, got {align!r}. [Op:{op_name}]")


def band_of(op_name: str, shape: tuple[int, ...], k: Any) -> Band:
    """The band of a matrix of this shape."""
    if len(shape) < 2:
        raise bad_shape(op_name, want="have rank 2 at least", input=np.empty(shape, bool))
    rows, columns = shape[-2:]
    lower, upper = limits(op_name, k)
    for d in (lower, upper):
        if d != 0 and not -rows < d < columns:
            raise bad_value(op_name, want=f"be in ({-rows}, {columns})", k=d)
    return Band(lower, upper, rows, columns, min(rows + min(upper, 0), columns - max(lower, 0)))


def band_for(shape: tuple[int, ...], k: Any, num_rows: Any, num_cols: Any) -> Band:
    """The band of the matrix whose diagonals have this shape; -1 for a size that follows."""
    if not shape:
        raise bad_shape("MatrixDiagV3", want="have rank 1 at least", diagonal=np.empty(shape, bool))
    lower, upper = limits("MatrixDiagV3", k)
    count = upper - lower + 1
    if count > 1 and (len(shape) < 2 or shape[-2] != count):
        want = f"have {count} diagonals in its last axis but one"
        raise bad_shape("MatrixDiagV3", want=want, diagonal=np.empty(shape, bool))
    length = shape[-1]
    least = length - min(upper, 0), length + max(lower, 0)
    rows, columns = int(np.ravel(num_rows)[0]), int(np.ravel(num_cols)[0])
    if rows == columns == -1:
        rows = columns = max(least)
    rows, columns = least[0] if rows == -1 else rows, least[1] if columns == -1 else columns
    if rows < least[0] or columns < least[1] or (rows > least[0] and columns > least[1]):
        want = f"fit diagonals of length {length}, which fill {least[0]} rows or {least[1]} columns"
        raise bad_value("MatrixDiagV3", want=want, num_rows=(rows, columns))
    return Band(lower, upper, rows, columns, length)
