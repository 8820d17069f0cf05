"""Image files held in strings, as pixels: the ops that decode them and their functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.op.context import state
from runnel.core.values.dtypes import (
    INDICES,
    DType,
    as_dtype,
    float32,
    int32,
    int64,
    string,
    uint8,
    uint16,
)
from runnel.core.values.errors import InvalidArgumentError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Namespace, Spec, TensorLike
from runnel.kernels.images import files as image_files
from runnel.kernels.images import jpeg
from runnel.ops.image.dtypes import convert_image_dtype
from runnel.ops.strings.substr import substr

_PNG = frozenset({uint8, uint16})


def _read(
    op_name: str, contents: Array, decode: Callable[..., Any], *args: Any, **options: Any
) -> Array:
    """`decode` of the bytes in a scalar string; whatever goes wrong is an InvalidArgumentError."""
    if np.ndim(contents):
        raise bad_shape(op_name, want="be a scalar", contents=contents)
    data = contents.item() if isinstance(contents, np.ndarray) else contents
    try:
        return decode(data, *args, **options)
    except (NotImplementedError, InvalidArgumentError):
        raise
    except Exception as error:  # Pillow raises many kinds for damaged files
        raise InvalidArgumentError(None, None, f"{op_name}: {error} [Op:{op_name}]") from error


def _scalar_contents(op_name: str, contents: Spec) -> None:
    if contents.rank not in (None, 0):
        raise bad_shape(op_name, want="be a scalar", contents=contents)


def _image_shape(
    contents: Spec, *rest: Spec, op_name: str, channels: int = 0, **attrs: Any
) -> Dims:
    _scalar_contents(op_name, contents)
    return None, None, channels or None


def _check_method(op_name: str, dct_method: str) -> None:
    if dct_method not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        want = "be '', 'INTEGER_FAST' or 'INTEGER_ACCURATE'"
        raise bad_value(op_name, want=want, dct_method=dct_method)


def _one_image(contents: bytes, channels: int, dtype: np.dtype, **options: Any) -> np.ndarray:
    """A file of any kind but BMP, as [height, width, channels]."""
    kind = image_files.kind_of(contents)
    if kind == "bmp":
        raise ValueError("Trying to decode BMP format using a wrong op. Use `decode_bmp`.")
    pixels = image_files.decode_any(contents, channels, dtype, **options)
    if kind == "gif" and len(pixels) > 1:
        raise ValueError(f"Got {len(pixels)} frames, animated gifs are for tf.io.decode_gif.")
    return pixels[0] if kind == "gif" else pixels


@op("DecodeJpeg", "contents: string -> image: uint8", shape=_image_shape)
def _decode_jpeg(
    xp: Namespace,
    contents: Array,
    *,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1.0,
    dct_method: str = "",
) -> Array:
    _check_method("DecodeJpeg", dct_method)
    return _read(
        "DecodeJpeg",
        contents,
        _one_image,
        channels,
        np.dtype(np.uint8),
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        accurate=dct_method == "INTEGER_ACCURATE",
    )


def _cropped_shape(
    contents: Spec, crop_window: Spec, *, op_name: str, channels: int = 0, **attrs: Any
) -> Dims:
    _scalar_contents(op_name, contents)
    window = crop_window.value
    known = window is not None and window.shape == (4,)
    height, width = window.tolist()[2:] if known else (None, None)  # type: ignore[union-attr]
    return height, width, channels or None


@op(
    "DecodeAndCropJpeg",
    "contents: string, crop_window: int32[1 of 4] -> image: uint8",
    shape=_cropped_shape,
)
def _decode_and_crop_jpeg(
    xp: Namespace,
    contents: Array,
    crop_window: Array,
    *,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1.0,
    dct_method: str = "",
) -> Array:
    _check_method("DecodeAndCropJpeg", dct_method)
    if crop_window.shape != (4,):
        raise bad_shape(
            "DecodeAndCropJpeg", want="be a vector of four elements", crop_window=crop_window
        )
    y, x, height, width = crop_window.tolist()
    image = _read(
        "DecodeAndCropJpeg",
        contents,
        jpeg.decode,
        channels,
        ratio,
        fancy_upscaling,
        try_recover_truncated,
        dct_method == "INTEGER_ACCURATE",
    )
    whole = image.shape
    if min(y, x) < 0 or min(height, width) <= 0 or y + height > whole[0] or x + width > whole[1]:
        want = f"lie within an image of {whole[0]} by {whole[1]} pixels"
        raise bad_value("DecodeAndCropJpeg", want=want, crop_window=crop_window)
    return np.ascontiguousarray(image[y : y + height, x : x + width])


@op("DecodePng", "contents: string -> image: dtype", dtype=_PNG, shape=_image_shape)
def _decode_png(
    xp: Namespace, contents: Array, *, channels: int = 0, dtype: DType = uint8
) -> Array:
    return _read("DecodePng", contents, _one_image, channels, dtype.np_dtype)


def _frames_shape(contents: Spec) -> Dims:
    _scalar_contents("DecodeGif", contents)
    return None, None, None, 3


@op("DecodeGif", "contents: string -> image: uint8", shape=_frames_shape)
def _decode_gif(xp: Namespace, contents: Array) -> Array:
    pixels = _read("DecodeGif", contents, image_files.decode_any, 3, np.dtype(np.uint8))
    return pixels if pixels.ndim == 4 else pixels[None]


def _bmp(contents: bytes, channels: int) -> np.ndarray:
    image_files.check_channels(channels)
    if image_files.kind_of(contents) != "bmp":
        raise ValueError("DecodeBmp reads BMP files alone. Use `decode_image` for other formats.")
    return image_files.decode_bmp(contents, channels)


@op("DecodeBmp", "contents: string -> image: uint8", shape=_image_shape)
def _decode_bmp(xp: Namespace, contents: Array, *, channels: int = 0) -> Array:
    return _read("DecodeBmp", contents, _bmp, channels)


def _any_shape(contents: Spec, *, op_name: str, **attrs: Any) -> Dims:
    _scalar_contents(op_name, contents)
    if attrs.get("expand_animations", True):
        return None
    return (None, None, attrs["channels"] or None)


@op("DecodeImage", "contents: string -> image: dtype", dtype=_PNG | {float32}, shape=_any_shape)
def _decode_image(
    xp: Namespace,
    contents: Array,
    *,
    channels: int = 0,
    dtype: DType = uint8,
    expand_animations: bool = True,
) -> Array:
    pixels = _read("DecodeImage", contents, image_files.decode_any, channels, dtype.np_dtype)
    return pixels[0] if pixels.ndim == 4 and not expand_animations else pixels


def _webp_shape(contents: Spec, *, op_name: str, channels: int = 0, dtype: DType = uint8) -> Dims:
    _scalar_contents(op_name, contents)
    return None, None, None, channels or None


@op("DecodeWebP", "contents: string -> image: dtype", dtype=frozenset({uint8}), shape=_webp_shape)
def _decode_webp(
    xp: Namespace, contents: Array, *, channels: int = 0, dtype: DType = uint8
) -> Array:
    return _read("DecodeWebP", contents, image_files.decode_any, channels, np.dtype(np.uint8))


def _jpeg_shape(contents: Spec, *, output_type: DType = int32) -> Dims:
    _scalar_contents("ExtractJpegShape", contents)
    return (3,)


@op(
    "ExtractJpegShape",
    "contents: string -> image_shape: output_type",
    output_type=INDICES,
    shape=_jpeg_shape,
)
def _extract_jpeg_shape(xp: Namespace, contents: Array, *, output_type: DType = int32) -> Array:
    if output_type not in (int32, int64):
        raise bad_value("ExtractJpegShape", want="be int32 or int64", output_type=output_type.name)
    return np.array(_read("ExtractJpegShape", contents, jpeg.shape), output_type.np_dtype)


def _converted(value: Any, dtype: DType) -> Any:
    """An argument as TensorFlow's eager ops take it; in a graph the op itself refuses dtypes."""
    return convert_to_tensor(value, dtype) if state.graph is None else value


def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The pixels of a JPEG file, its size divided by `ratio`.

    Args:
        contents: the bytes of the file.
        channels: 0 for as many as there are, 1 for grey, 3 for colours.
        ratio: 1, 2, 4 or 8.
        fancy_upscaling: whether colours are smoothed between pixels.
        try_recover_truncated: whether a file that ends too early is read as far as it goes.
        acceptable_fraction: how much of it must be there then.
        dct_method: "INTEGER_FAST" or "INTEGER_ACCURATE"; "" is the fast one.

    >>> image = tf.zeros([8, 16, 3], tf.uint8)
    >>> tf.io.decode_jpeg(tf.io.encode_jpeg(image), ratio=2).shape
    TensorShape([4, 8, 3])
    """
    return raw_ops.DecodeJpeg(
        _converted(contents, string),
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The part (y, x, height, width) of a JPEG file that `crop_window` names.

    >>> file = tf.io.encode_jpeg(tf.zeros([8, 16, 3], tf.uint8))
    >>> tf.io.decode_and_crop_jpeg(file, [1, 2, 3, 4]).shape
    TensorShape([3, 4, 3])
    """
    return raw_ops.DecodeAndCropJpeg(
        _converted(contents, string),
        _converted(crop_window, int32),
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


def decode_png(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None
) -> Tensor:
    """The pixels of a PNG file; `channels` 0 means as many as the file has.

    >>> image = tf.constant([[[1, 2, 3]]], tf.uint8)
    >>> tf.io.decode_png(tf.io.encode_png(image)).numpy()
    array([[[1, 2, 3]]], dtype=uint8)
    """
    return raw_ops.DecodePng(contents, channels=channels, dtype=dtype, name=name)


def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """The frames of a GIF file, as [frames, height, width, 3].

    >>> tf.io.decode_gif(tf.io.encode_png(tf.zeros([2, 3, 3], tf.uint8))).shape
    TensorShape([1, 2, 3, 3])
    """
    return raw_ops.DecodeGif(contents, name=name)


def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels of a BMP file."""
    return raw_ops.DecodeBmp(contents, channels=channels, name=name)


def decode_webp(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None
) -> Tensor:
    """The frames of a WebP file, as [frames, height, width, channels]."""
    return raw_ops.DecodeWebP(contents, channels=channels, dtype=dtype, name=name)


def decode_jxl(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None
) -> Tensor:
    """Not available: there is no decoder of JPEG XL among the libraries that Runnel builds on."""
    raise NotImplementedError("tf.io.decode_jxl: JPEG XL files cannot be decoded.")


@scoped("decode_image")
def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of a JPEG, PNG, GIF, BMP or WebP file, in any dtype.

    GIF and WebP files have an axis of frames in front, unless `expand_animations` is False.

    >>> file = tf.io.encode_png(tf.constant([[[255]]], tf.uint8))
    >>> tf.io.decode_image(file, channels=3, dtype=tf.float32).numpy()
    array([[[1., 1., 1.]]], dtype=float32)
    """
    wanted = as_dtype(dtype)
    direct = wanted if wanted in (uint8, uint16, float32) else uint16
    image = raw_ops.DecodeImage(
        contents,
        channels=channels or 0,
        dtype=direct,
        expand_animations=expand_animations,
        name=name,
    )
    return convert_image_dtype(image, wanted) if direct is not wanted else image


def extract_jpeg_shape(
    contents: TensorLike, output_type: DTypeLike = int32, name: str | None = None
) -> Tensor:
    """Height, width and channels of a JPEG file, without decoding it.

    >>> tf.io.extract_jpeg_shape(tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8))).numpy()
    array([4, 6, 3], dtype=int32)
    """
    return raw_ops.ExtractJpegShape(contents, output_type=output_type, name=name)


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether each string begins like a JPEG file.

    >>> tf.io.is_jpeg([b"GIF89a", b"\\xff\\xd8\\xff\\xe0"]).numpy()
    array([False,  True])
    """
    start = substr(contents, 0, 3)
    return raw_ops.Equal(start, b"\xff\xd8\xff", name=name)
