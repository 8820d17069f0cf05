"""`tf.summary.image`."""

from __future__ import annotations

from typing import Any

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import string, uint8
from runnel.core.values.types import TensorLike
from runnel.debugging.assertions import assert_non_negative
from runnel.debugging.properties import assert_rank
from runnel.graph.functions.functional import map_fn
from runnel.ops.array.joining import concat
from runnel.ops.image.dtypes import convert_image_dtype
from runnel.ops.image.encode import encode_png
from runnel.ops.strings.numbers import as_string
from runnel.summary.metadata import metadata
from runnel.summary.writing import summary_scope, write


def image(
    name: str,
    data: TensorLike,
    step: Any = None,
    max_outputs: Any = 3,
    description: str | None = None,
) -> Tensor:
    """Write the first `max_outputs` images of a batch as PNG files; floats are from 0 to 1.

    >>> tf.summary.image("x", tf.zeros([1, 2, 2, 3]), step=0).numpy()  # there is no default writer
    np.False_
    """
    with summary_scope(name, "image_summary") as (tag, _):
        described = metadata("images", description)
        return write(tag, lambda: _files(data, max_outputs), step, described)


def _files(data: TensorLike, max_outputs: Any) -> Tensor:
    """The width, the height, and a PNG file for each image, all as strings."""
    data = convert_to_tensor(data)
    assert_rank(data, 4)
    assert_non_negative(max_outputs)
    images = convert_image_dtype(data, uint8, saturate=True)
    sizes = raw_ops.Shape(images)
    encoded = map_fn(encode_png, images[:max_outputs], fn_output_signature=string)
    return concat([as_string(sizes[2:0:-1]), encoded], axis=0)
