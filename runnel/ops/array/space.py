"""Blocks of space moved into the batch or into the channels, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.values.dtypes import INDICES, int32
from runnel.core.values.errors import NotFoundError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels import arrays
from runnel.ops.choices import at_least


def _blocked(op_name: str, input: Spec, block: Any, paddings: Any) -> Dims:
    """The shape of SpaceToBatchND: the batch grows by what each padded dimension is divided by."""
    dims = input.dims
    assert dims is not None
    count = len(block)
    if len(dims) < 1 + count:
        raise bad_shape(op_name, want=f"have at least rank {1 + count}", input=input)
    if paddings.shape != (count, 2) or np.any(paddings < 0) or np.any(block < 1):
        raise bad_value(
            op_name, want="hold positive sizes, with a pair of paddings each", block_shape=block
        )
    found: list[int | None] = []
    for i in range(count):
        size, step = dims[1 + i], int(block[i])
        padded = None if size is None else size + int(paddings[i].sum())
        if padded is not None and padded % step:
            raise bad_shape(
                op_name,
                want=f"have a padded size in dimension {1 + i} that {step} divides",
                input=input,
            )
        found.append(None if padded is None else padded // step)
    batch = None if dims[0] is None else dims[0] * math.prod(int(b) for b in block)
    return (batch, *found, *dims[1 + count :])


def _around_blocks(input: Spec, block_shape: Spec) -> tuple[Any, ...]:
    """What is known of the result if the sizes of the blocks are not."""
    assert input.dims is not None
    count = block_shape.dims[0] if block_shape.dims else None
    if len(input.dims) < 1 + (count or 1):
        raise bad_shape(
            "SpaceToBatchND", want=f"have at least rank {1 + (count or 1)}", input=input
        )
    changed = len(input.dims) if count is None else 1 + count
    return (*(None,) * changed, *input.dims[changed:])


def _block_count(block_shape: Spec) -> Any:
    """How many blocks come from one image, if that is known."""
    return None if block_shape.value is None else math.prod(np.ravel(block_shape.value).tolist())


def _space_to_batch_nd_shape(input: Spec, block_shape: Spec, paddings: Spec) -> Dims:
    if input.dims is None:
        return None
    if block_shape.value is None or paddings.value is None:
        found = _around_blocks(input, block_shape)
        count = _block_count(block_shape)
        batch = None if None in (count, input.dims[0]) else input.dims[0] * count
        return (batch, *found[1:])
    return _blocked("SpaceToBatchND", input, np.ravel(block_shape.value), paddings.value)


@op(
    "SpaceToBatchND",
    "input: T, block_shape: Tblock_shape[1], paddings: Tpaddings[2] -> output: T",
    Tpaddings=INDICES,
    Tblock_shape=INDICES,
    static=("block_shape", "paddings"),
    shape=_space_to_batch_nd_shape,
)
def _space_to_batch_nd(
    xp: Namespace, input: Array, block_shape: np.ndarray, paddings: np.ndarray
) -> Array:
    shape = _blocked("SpaceToBatchND", Spec(input.shape, None), block_shape, paddings)  # type: ignore[arg-type]
    assert shape is not None
    count, rank = block_shape.size, len(input.shape)
    padded = arrays.pad(xp, input, [(0, 0), *paddings.tolist(), *[(0, 0)] * (rank - 1 - count)])
    split = [padded.shape[0]]
    for size, block in zip(shape[1 : 1 + count], block_shape.tolist(), strict=True):
        split += [size, block]  # type: ignore[list-item]
    grid = padded.reshape((*split, *shape[1 + count :]))
    blocks = range(2, 2 + 2 * count, 2)
    order = [*blocks, 0, *range(1, 1 + 2 * count, 2), *range(1 + 2 * count, len(grid.shape))]
    return xp.transpose(grid, order).reshape(shape)


@RegisterGradient("SpaceToBatchND", needs="block_shape paddings")
def _space_to_batch_nd_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.BatchToSpaceND(dy, op.inputs[1], op.inputs[2]), None, None


def _unblocked(op_name: str, input: Spec, block: Any, crops: Any) -> Dims:
    dims = input.dims
    assert dims is not None
    count, total = len(block), math.prod(int(b) for b in block)
    if len(dims) < 1 + count:
        raise bad_shape(op_name, want=f"have at least rank {1 + count}", input=input)
    if crops.shape != (count, 2) or np.any(crops < 0) or np.any(block < 1):
        raise bad_value(
            op_name, want="hold positive sizes, with a pair of crops each", block_shape=block
        )
    if dims[0] is not None and dims[0] % total:
        raise bad_shape(op_name, want=f"have a batch that {total} divides", input=input)
    found = [
        None if d is None else d * int(b) - int(c.sum())
        for d, b, c in zip(dims[1 : 1 + count], block, crops, strict=True)
    ]
    if any(d is not None and d < 0 for d in found):
        raise bad_value(op_name, want="leave something", crops=crops)
    return (None if dims[0] is None else dims[0] // total, *found, *dims[1 + count :])


def _batch_to_space_nd_shape(input: Spec, block_shape: Spec, crops: Spec) -> Dims:
    if input.dims is None:
        return None
    if block_shape.value is None or crops.value is None:
        found = _around_blocks(input, block_shape)
        count = _block_count(block_shape)
        batch = None if None in (count, input.dims[0]) else input.dims[0] // max(count, 1)
        return (batch, *found[1:])
    return _unblocked("BatchToSpaceND", input, np.ravel(block_shape.value), crops.value)


@op(
    "BatchToSpaceND",
    "input: T, block_shape: Tblock_shape[1], crops: Tcrops[2] -> output: T",
    Tcrops=INDICES,
    Tblock_shape=INDICES,
    static=("block_shape", "crops"),
    shape=_batch_to_space_nd_shape,
)
def _batch_to_space_nd(
    xp: Namespace, input: Array, block_shape: np.ndarray, crops: np.ndarray
) -> Array:
    shape = _unblocked("BatchToSpaceND", Spec(input.shape, None), block_shape, crops)  # type: ignore[arg-type]
    assert shape is not None
    count, block = block_shape.size, block_shape.tolist()
    grid = input.reshape((*block, shape[0], *input.shape[1:]))
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    turned = xp.transpose(grid, [*order, *range(2 * count + 1, len(grid.shape))])
    spaces = [d * b for d, b in zip(input.shape[1 : 1 + count], block, strict=True)]
    whole = turned.reshape((shape[0], *spaces, *input.shape[1 + count :]))
    inner = [
        slice(before, size - after)
        for size, (before, after) in zip(spaces, crops.tolist(), strict=True)
    ]
    return whole[(slice(None), *inner)]


@RegisterGradient("BatchToSpaceND", needs="block_shape crops")
def _batch_to_space_nd_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.SpaceToBatchND(dy, op.inputs[1], op.inputs[2]), None, None


def _blocks(size: int) -> Spec:
    return Spec((2,), int32, np.array([size] * 2))


def _space_to_batch_shape(input: Spec, paddings: Spec, *, block_size: int) -> Dims:
    return _space_to_batch_nd_shape(input, _blocks(block_size), paddings)


@op(
    "SpaceToBatch",
    "input: T[4], paddings: Tpaddings[2] -> output: T",
    Tpaddings=INDICES,
    static=("paddings",),
    shape=_space_to_batch_shape,
    block_size=at_least(2),
)
def _space_to_batch(xp: Namespace, input: Array, paddings: np.ndarray, *, block_size: int) -> Array:
    return _space_to_batch_nd.kernel(xp, input, np.array([block_size] * 2), paddings)


@RegisterGradient("SpaceToBatch", needs="paddings")
def _space_to_batch_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.BatchToSpace(dy, op.inputs[1], block_size=op.attrs["block_size"]), None


def _batch_to_space_shape(input: Spec, crops: Spec, *, block_size: int) -> Dims:
    return _batch_to_space_nd_shape(input, _blocks(block_size), crops)


@op(
    "BatchToSpace",
    "input: T[4], crops: Tidx[2] -> output: T",
    Tidx=INDICES,
    static=("crops",),
    shape=_batch_to_space_shape,
    block_size=at_least(2),
)
def _batch_to_space(xp: Namespace, input: Array, crops: np.ndarray, *, block_size: int) -> Array:
    return _batch_to_space_nd.kernel(xp, input, np.array([block_size] * 2), crops)


@RegisterGradient("BatchToSpace", needs="crops")
def _batch_to_space_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.SpaceToBatch(dy, op.inputs[1], block_size=op.attrs["block_size"]), None


def space_to_batch(
    input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """Blocks of the dimensions after the first, padded, moved into the batch.

    >>> tf.space_to_batch([[[[1]], [[2]]]], [2, 1], [[0, 0], [0, 0]]).numpy().tolist()
    [[[[1]]], [[[2]]]]
    """
    return raw_ops.SpaceToBatchND(input, block_shape, paddings, name=name)  # type: ignore[no-any-return]


def space_to_batch_nd(
    input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """The same as `tf.space_to_batch`.

    >>> tf.space_to_batch_nd(tf.zeros([1, 4, 3]), [2], [[0, 0]]).shape
    TensorShape([2, 2, 3])
    """
    return raw_ops.SpaceToBatchND(input, block_shape, paddings, name=name)  # type: ignore[no-any-return]


def batch_to_space(
    input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None
) -> Tensor:
    """What `tf.space_to_batch` did, undone: parts of the batch become blocks of space, cropped.

    >>> tf.batch_to_space([[[[1]]], [[[2]]]], [2, 1], [[0, 0], [0, 0]]).numpy().tolist()
    [[[[1]], [[2]]]]
    """
    if isinstance(block_shape, int):
        block_shape = convert_to_tensor([block_shape] * 2, "int64")
    return raw_ops.BatchToSpaceND(input, block_shape, crops, name=name)  # type: ignore[no-any-return]


def _as_ints(value: TensorLike) -> Tensor:
    return convert_to_tensor(value, None if isinstance(value, Tensor) else "int32")


@scoped("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: TensorLike,
    block_shape: TensorLike,
    base_paddings: TensorLike = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Paddings after which blocks divide the space evenly, and the crops that undo them.

    >>> paddings, crops = tf.required_space_to_batch_paddings([5], [3])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[0, 1]], [[0, 1]])
    """
    size, block = (_as_ints(x) for x in (input_shape, block_shape))
    if block.shape.rank != 1:
        raise ValueError(f"`block_shape` must be a vector, got shape {block.shape}.")
    if block.shape[0] == 0:
        nothing = raw_ops.Reshape(block, np.array([0, 2], np.int32))
        return nothing, nothing
    if not size.shape.is_compatible_with(block.shape):
        want = f"must have the shape of `block_shape`, {block.shape}"
        raise ValueError(f"`input_shape` {want}, got shape {size.shape}.")
    if base_paddings is None:
        base_paddings = raw_ops.ZerosLike(raw_ops.Pack([size, size], axis=1))
    before, after = raw_ops.Unpack(convert_to_tensor(base_paddings, size.dtype), num=2, axis=1)
    padded = size + before + after
    extra = raw_ops.FloorMod(block - raw_ops.FloorMod(padded, block), block)
    end = after + extra
    paddings = raw_ops.Pack([before, end], axis=1)
    crops = raw_ops.Pack([raw_ops.ZerosLike(extra), extra], axis=1)
    return paddings, crops


def _depth_shape(input: Spec, *, block_size: int, data_format: str = "NHWC") -> Dims:
    dims, places = _checked(input, "SpaceToDepth", data_format, block_size)
    if dims is None:
        return None
    height, width, depth = places
    for place in (height, width):
        if dims[place] is not None and dims[place] % block_size:  # type: ignore[operator]
            want = f"have sizes that block_size {block_size} divides"
            raise bad_shape("SpaceToDepth", want=want, input=input)
        dims[place] = None if dims[place] is None else dims[place] // block_size  # type: ignore[operator]
    dims[depth] = None if dims[depth] is None else dims[depth] * block_size**2  # type: ignore[operator]
    return tuple(dims)


def _checked(
    input: Spec, op_name: str, data_format: str, block_size: int
) -> tuple[list[Any] | None, tuple[int, int, int]]:
    """The dimensions, and where height, width and channels are among them."""
    if block_size < 2:
        raise bad_value(op_name, want="be at least 2", block_size=block_size)
    if data_format == "NCHW_VECT_C":
        message = f"{op_name} has no kernel for data_format NCHW_VECT_C on the CPU. [Op:{op_name}]"
        raise NotFoundError(None, None, message)
    if input.dims is not None and len(input.dims) != 4:
        raise bad_shape(op_name, want="have rank 4", input=input)
    places = (1, 2, 3) if data_format == "NHWC" else (2, 3, 1)
    return (None if input.dims is None else list(input.dims)), places


@op("SpaceToDepth", "input: T -> output: T", shape=_depth_shape)
def _space_to_depth(
    xp: Namespace, input: Array, *, block_size: int, data_format: str = "NHWC"
) -> Array:
    b = block_size
    _depth_shape(Spec(input.shape, None), block_size=b, data_format=data_format)  # type: ignore[arg-type]
    if data_format == "NCHW":
        n, c, h, w = input.shape
        grid = input.reshape((n, c, h // b, b, w // b, b))
        return xp.transpose(grid, (0, 3, 5, 1, 2, 4)).reshape((n, c * b * b, h // b, w // b))
    n, h, w, c = input.shape
    grid = input.reshape((n, h // b, b, w // b, b, c))
    return xp.transpose(grid, (0, 1, 3, 2, 4, 5)).reshape((n, h // b, w // b, c * b * b))


@RegisterGradient("SpaceToDepth", needs="")
def _space_to_depth_grad(op: Any, dy: Tensor) -> Gradients:
    attrs = {name: op.attrs[name] for name in ("block_size", "data_format")}
    return raw_ops.DepthToSpace(dy, **attrs)  # type: ignore[no-any-return]


def _space_shape(input: Spec, *, block_size: int, data_format: str = "NHWC") -> Dims:
    dims, (height, width, depth) = _checked(input, "DepthToSpace", data_format, block_size)
    if dims is None:
        return None
    if dims[depth] is not None and dims[depth] % block_size**2:
        want = f"have a depth that the square of block_size {block_size} divides"
        raise bad_shape("DepthToSpace", want=want, input=input)
    for place in (height, width):
        dims[place] = None if dims[place] is None else dims[place] * block_size
    dims[depth] = None if dims[depth] is None else dims[depth] // block_size**2
    return tuple(dims)


@op("DepthToSpace", "input: T -> output: T", shape=_space_shape)
def _depth_to_space(
    xp: Namespace, input: Array, *, block_size: int, data_format: str = "NHWC"
) -> Array:
    b = block_size
    _space_shape(Spec(input.shape, None), block_size=b, data_format=data_format)  # type: ignore[arg-type]
    if data_format == "NCHW":
        n, c, h, w = input.shape
        grid = input.reshape((n, b, b, c // b**2, h, w))
        return xp.transpose(grid, (0, 3, 4, 1, 5, 2)).reshape((n, c // b**2, h * b, w * b))
    n, h, w, c = input.shape
    grid = input.reshape((n, h, w, b, b, c // b**2))
    return xp.transpose(grid, (0, 1, 3, 2, 4, 5)).reshape((n, h * b, w * b, c // b**2))


@RegisterGradient("DepthToSpace", needs="")
def _depth_to_space_grad(op: Any, dy: Tensor) -> Gradients:
    attrs = {name: op.attrs[name] for name in ("block_size", "data_format")}
    return raw_ops.SpaceToDepth(dy, **attrs)  # type: ignore[no-any-return]


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
