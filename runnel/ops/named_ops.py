"""Public functions that are an op by another name, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.values.dtypes import complex64, float32
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.types import Array, DTypeLike, Namespace, TensorLike
from runnel.ops.shapes import same


@op("CheckPinned", "tensor: T -> output: T", shape=same, host=True)
def _check_pinned(xp: Namespace, tensor: Array) -> Array:
    message = (
        "CheckPinned: `tensor` must be in memory that is pinned for a GPU, got one that is not."
    )
    raise InvalidArgumentError(None, None, f"{message} [Op:CheckPinned]")


def check_pinned(tensor: TensorLike, name: str | None = None) -> Tensor:
    """InvalidArgumentError, since no tensor lies in memory that is pinned for a GPU.

    >>> tf.check_pinned([1.0])
    Traceback (most recent call last):
    runnel.core.values.errors.InvalidArgumentError: CheckPinned: `tensor` must be in memory ...
    """
    return raw_ops.CheckPinned(tensor, name=name)  # type: ignore[no-any-return]


def matrix_square_root(input: TensorLike, name: str | None = None) -> Tensor:
    """The matrices whose squares are `input`.

    >>> tf.matrix_square_root([[4.0, 0.0], [0.0, 9.0]]).numpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)
    """
    return raw_ops.MatrixSquareRoot(input, name=name)  # type: ignore[no-any-return]


def fftnd(
    input: TensorLike, fft_length: TensorLike, axes: TensorLike, name: str | None = None
) -> Tensor:
    """The Fourier transform along `axes`, each cut or padded to its length.

    >>> tf.fftnd(tf.ones([4], tf.complex64), [4], [0]).numpy().real
    array([4., 0., 0., 0.], dtype=float32)
    """
    return raw_ops.FFTND(input, fft_length, axes, name=name)  # type: ignore[no-any-return]


def ifftnd(
    input: TensorLike, fft_length: TensorLike, axes: TensorLike, name: str | None = None
) -> Tensor:
    """The inverse of `tf.fftnd`.

    >>> tf.ifftnd(tf.ones([4], tf.complex64), [4], [0]).numpy().real
    array([1., 0., 0., 0.], dtype=float32)
    """
    return raw_ops.IFFTND(input, fft_length, axes, name=name)  # type: ignore[no-any-return]


def rfftnd(
    input: TensorLike,
    fft_length: TensorLike,
    axes: TensorLike,
    Tcomplex: DTypeLike = complex64,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform of real numbers along `axes`; of the last axis one half is kept.

    >>> tf.rfftnd(tf.ones([4]), [4], [0]).numpy().real
    array([4., 0., 0.], dtype=float32)
    """
    return raw_ops.RFFTND(  # type: ignore[no-any-return]
        input, fft_length, axes, Tcomplex=Tcomplex, name=name
    )


def irfftnd(
    input: TensorLike,
    fft_length: TensorLike,
    axes: TensorLike,
    Treal: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """The inverse of `tf.rfftnd`.

    >>> tf.irfftnd(tf.ones([3], tf.complex64), [4], [0]).numpy()
    array([1., 0., 0., 0.], dtype=float32)
    """
    return raw_ops.IRFFTND(  # type: ignore[no-any-return]
        input, fft_length, axes, Treal=Treal, name=name
    )


def conv(
    input: TensorLike,
    filter: TensorLike,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = [],
    data_format: str = "CHANNELS_LAST",
    dilations: Sequence[int] = [],
    batch_dims: int = 1,
    groups: int = 1,
    name: str | None = None,
) -> Tensor:
    """A convolution over one to three dimensions, after `batch_dims` dimensions of batches.

    >>> tf.conv(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    return raw_ops.Conv(  # type: ignore[no-any-return]
        input,
        filter,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
        batch_dims=batch_dims,
        groups=groups,
        name=name,
    )
