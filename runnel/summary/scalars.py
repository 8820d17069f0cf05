"""`tf.summary.scalar`."""

from __future__ import annotations

from typing import Any

from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import float32
from runnel.core.values.types import TensorLike
from runnel.debugging.properties import assert_scalar
from runnel.ops.math.casting import cast
from runnel.summary.metadata import metadata
from runnel.summary.writing import summary_scope, write


def scalar(name: str, data: TensorLike, step: Any = None, description: str | None = None) -> Tensor:
    """Write a number, as float32: a point of the curve of this name.

    Args:
        data: the number.
        step: which step it is of; None is the default step.
        description: what it means, in Markdown.

    >>> tf.summary.scalar("loss", 0.5, step=0).numpy()  # there is no default writer
    np.False_
    """
    with summary_scope(name, "scalar_summary") as (tag, _):
        assert_scalar(data)
        return write(tag, cast(data, float32), step, metadata("scalars", description))
