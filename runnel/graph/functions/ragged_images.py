"""`tf.image.resize` of images of different sizes."""

from __future__ import annotations

from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.core.values.type_spec import TensorSpec
from runnel.core.values.types import TensorLike
from runnel.graph.functions.functional import map_fn
from runnel.ops.image.resize import functions as resizing


def _resize(
    images: Any,
    size: TensorLike,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """All images come out in one size, so that they are a tensor."""
    if images.shape.rank != 4:
        raise ValueError("tf.image.resize: `images` must have rank 4 where it is ragged.")

    def one(image: Any) -> Tensor:
        pixels = image.to_tensor() if isinstance(image, RaggedTensor) else image
        return resizing.resize(pixels, size, method, preserve_aspect_ratio, antialias)

    nearest = str(method) == "nearest"
    dtype = images.dtype if nearest else dtypes.float32
    result: Tensor = map_fn(one, images, fn_output_signature=TensorSpec(None, dtype))
    return result


dispatch.add_target(resizing.resize, _resize, [{0: RaggedTensor}])
