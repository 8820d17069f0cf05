"""Trading depth for space: the public functions of the ops in `space.py`."""

from __future__ import annotations

from runnel.core.raw import raw_ops
from runnel.core.tensor import Tensor
from runnel.core.types import TensorLike


def space_to_depth(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Every square of `block_size` by `block_size` places becomes one, with all their channels.

    >>> tf.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy().tolist()
    [[[[1, 2, 3, 4]]]]
    """
    return raw_ops.SpaceToDepth(input, block_size=block_size, data_format=data_format, name=name)


def depth_to_space(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """What `space_to_depth` did, undone.

    >>> tf.nn.depth_to_space([[[[1, 2, 3, 4]]]], 2).numpy().tolist()
    [[[[1], [2]], [[3], [4]]]]
    """
    return raw_ops.DepthToSpace(input, block_size=block_size, data_format=data_format, name=name)
