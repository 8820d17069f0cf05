"""`tf.summary.text`."""

from __future__ import annotations

from typing import Any

from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import string
from runnel.core.values.types import TensorLike
from runnel.debugging.properties import assert_type
from runnel.summary.metadata import metadata
from runnel.summary.writing import summary_scope, write


def text(name: str, data: TensorLike, step: Any = None, description: str | None = None) -> Tensor:
    """Write strings, in Markdown; those of a vector or matrix become a table.

    >>> tf.summary.text("note", "It *works*.", step=0).numpy()  # there is no default writer
    np.False_
    """
    with summary_scope(name, "text_summary") as (tag, _):
        assert_type(data, string)
        return write(tag, data, step, metadata("text", description))
