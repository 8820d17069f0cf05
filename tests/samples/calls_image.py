"""Calls of the functions in `tf.image`, `tf.audio` and of `tf.io` for images."""

import numpy as np

from tests.samples import call, floats, ints, made, symbol, tensor
from tests.samples.ops_codecs import ACCURATE, FILES, WAV, WAVES

X = floats(5, 7, 3, low=0, high=1)
BATCH = floats(2, 5, 7, 3, low=0, high=1)
BYTES = ints(5, 7, 3, low=0, high=256, dtype="uint8")
T, B, U = tensor(X), tensor(BATCH), tensor(BYTES)
LARGE = floats(2, 20, 23, 2, low=0, high=1)
LARGER = floats(30, 29, 1, low=0, high=1)
NOISY = np.clip(LARGE + floats(2, 20, 23, 2, low=-0.1, high=0.1, seed=5), 0, 1)
SORTED = np.sort(floats(2, 9, 2, 2, low=0, high=1), axis=2).reshape(2, 9, 4)
METHODS = (
    "bilinear",
    "nearest",
    "bicubic",
    "area",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "mitchellcubic",
)
DTYPES = ("uint8", "int8", "uint16", "int16", "int32", "int64", "float16", "float32", "float64")

ROWS = [
    *[
        call("image.resize", T, [4, 9], method, antialias=antialias)
        for method in METHODS
        for antialias in (False, True)
    ],
    call("image.resize", U, [4, 9]),
    call("image.resize", U, [5, 7]),
    call("image.resize", U, [5, 7], "nearest"),
    call("image.resize", BATCH, (3, 3)),
    call("image.resize", T, tensor([3, 9]), preserve_aspect_ratio=True),
    call("image.resize", T, [100, 11], "nearest", preserve_aspect_ratio=True),
    call("image.resize", T, [3, 10], "area", True),
    call("image.resize", T, [3, 9], symbol("image.ResizeMethod.BICUBIC")),
    call("image.resize", T, 4),
    call("image.resize", T, [4.0, 4.0]),
    call("image.resize", T, [4, 5, 6]),
    call("image.resize", T, [0, 5]),
    call("image.resize", T, tensor([3, 4], "int64")),
    call("image.resize", T, [3, 4], "BILINEAR"),
    call("image.resize", T, [3, 4], 0),
    call("image.resize", tensor(X[0]), [3, 4]),
    call("image.resize", tensor(X > 0), [3, 4]),
    *[call("image.resize_with_pad", T, *to) for to in ((3, 4), (10, 10), (4, 20), (20, 3), (6, 5))],
    call("image.resize_with_pad", B, 9, 4, "nearest", True),
    call("image.resize_with_pad", U, tensor(9), tensor(4)),
    call("image.resize_with_pad", T, 0, 5),
    *[
        call("image.resize_with_crop_or_pad", T, *to)
        for to in ((3, 4), (10, 10), (4, 20), (20, 3), (6, 5))
    ],
    call("image.resize_with_crop_or_pad", B, 4, 8),
    call("image.resize_with_crop_or_pad", U, tensor(4), tensor(8)),
    call("image.resize_with_crop_or_pad", T, 4, -1),
    call("image.crop_to_bounding_box", T, 1, 2, 3, 4),
    call("image.crop_to_bounding_box", B, tensor(1), 2, 3, tensor(4)),
    call("image.crop_to_bounding_box", T, 1, 2, 5, 4),
    call("image.crop_to_bounding_box", T, -1, 2, 3, 4),
    call("image.crop_to_bounding_box", T, 1, 2, 0, 4),
    call("image.crop_to_bounding_box", T, tensor(1), 2, 5, 4),
    call("image.crop_to_bounding_box", tensor(X[0]), 1, 2, 3, 4),
    call("image.crop_to_bounding_box", tensor(X[:0]), 1, 2, 3, 4),
    call("image.pad_to_bounding_box", T, 1, 2, 8, 9),
    call("image.pad_to_bounding_box", U, tensor(1), 2, 8, tensor(9)),
    call("image.pad_to_bounding_box", T, 1, 2, 5, 9),
    call("image.pad_to_bounding_box", T, -1, 2, 9, 9),
    call("image.pad_to_bounding_box", B, 0, 0, 5, 7),
    *[call("image.central_crop", T, fraction) for fraction in (0.1, 0.3, 0.5, 0.77, 1.0, 0.0, 1.5)],
    call("image.central_crop", B, 0.5),
    call("image.central_crop", B, tensor(0.5)),
    call("image.central_crop", tensor(X[0]), 0.5),
    call(
        "image.crop_and_resize", BATCH, [[0.1, 0.2, 0.9, 0.7], [0.0, 0.0, 1.0, 1.0]], [0, 1], [3, 4]
    ),
    call("image.crop_and_resize", U, [[0.1, 0.2, 0.9, 0.7]], [0], [3, 4]),
    call("image.extract_glimpse", BATCH, [3, 3], [[0.1, 0.2], [-0.4, 0.3]], noise="zero"),
    call("image.extract_patches", BATCH, [1, 2, 2, 1], [1, 1, 2, 1], [1, 1, 1, 1], "SAME"),
    call(
        "image.extract_patches",
        BATCH,
        sizes=[1, 2, 2, 1],
        strides=[1, 1, 2, 1],
        rates=[1, 2, 1, 1],
        padding="VALID",
    ),
    *[
        call(f"image.{flip}", x)
        for flip in ("flip_left_right", "flip_up_down", "transpose")
        for x in (T, B, U)
    ],
    call("image.flip_left_right", tensor(X[0])),
    call("image.flip_up_down", tensor(X[:0])),
    call("image.transpose", tensor(X[0])),
    *[call("image.rot90", T, k) for k in (0, 1, 2, 3, 5, -1)],
    call("image.rot90", B, k=tensor(3)),
    call("image.rot90", T, [1]),
    call("image.rot90", T, 1.5),
    *[call("image.convert_image_dtype", tensor(BYTES // 2, "uint8"), symbol(d)) for d in DTYPES],
    *[
        call("image.convert_image_dtype", tensor((X * 30000).astype(np.int16)), symbol(d))
        for d in DTYPES
    ],
    *[call("image.convert_image_dtype", T, symbol(d), saturate=True) for d in DTYPES],
    *[
        call("image.convert_image_dtype", tensor(X.astype(np.float64)), symbol(d))
        for d in ("uint8", "float16", "float32")
    ],
    call("image.convert_image_dtype", tensor([-0.5, 0.2, 1.7]), symbol("uint8"), True),
    call("image.convert_image_dtype", tensor([-0.5, 0.2, 1.7]), symbol("int32"), True),
    call("image.convert_image_dtype", U, symbol("bool")),
    call("image.convert_image_dtype", U, symbol("complex64")),
    *[call("image.adjust_brightness", x, 0.2) for x in (T, B, U, tensor(X.astype(np.float64)))],
    call("image.adjust_brightness", tensor([[[250, 3]]], "uint8"), -0.1),
    *[
        call("image.adjust_contrast", x, 1.5, _tolerance=1e-5)
        for x in (T, B, tensor(X.astype(np.float64)))
    ],
    call("image.adjust_contrast", tensor(X[0]), 2.0),
    *[call("image.adjust_gamma", x, 2.0, 0.7) for x in (T, U)],
    call("image.adjust_gamma", T),
    call("image.adjust_gamma", T, -1.0),
    call("image.adjust_gamma", T, tensor(-1.0)),
    *[call("image.adjust_hue", x, 0.3) for x in (T, B)],
    call("image.adjust_hue", T, -1.5),
    call("image.adjust_hue", tensor(X[..., :2]), 0.1),
    *[call("image.adjust_saturation", x, 1.5) for x in (T, B)],
    call("image.adjust_saturation", tensor(X[..., :2]), 0.1),
    call("image.adjust_jpeg_quality", U, 40, dct_method="INTEGER_ACCURATE"),
    call("image.adjust_jpeg_quality", T, tensor(80), dct_method="INTEGER_ACCURATE"),
    call("image.adjust_jpeg_quality", tensor(X[..., :1]), 80, "INTEGER_ACCURATE"),
    call("image.adjust_jpeg_quality", T, 101),
    call("image.adjust_jpeg_quality", B, 80),
    *[
        call("image.per_image_standardization", x)
        for x in (T, B, U, tensor(np.zeros((2, 3, 1), np.float32)))
    ],
    call("image.per_image_standardization", tensor(X[0])),
    call("image.rgb_to_grayscale", T),
    call("image.rgb_to_grayscale", U),
    call("image.rgb_to_grayscale", tensor([1.0, 2.0, 3.0])),
    call("image.rgb_to_grayscale", tensor(X[..., :2])),
    call("image.grayscale_to_rgb", tensor(BYTES[..., :1])),
    call("image.grayscale_to_rgb", T),
    *[
        call(f"image.{f}", x)
        for f in (
            "rgb_to_hsv",
            "hsv_to_rgb",
            "rgb_to_yiq",
            "yiq_to_rgb",
            "rgb_to_yuv",
            "yuv_to_rgb",
        )
        for x in (T, B)
    ],
    call("image.rgb_to_yuv", tensor(X.astype(np.float64))),
    call("image.rgb_to_yuv", U),
    call("image.psnr", LARGE, NOISY, 1.0),
    call("image.psnr", BYTES, BYTES + 1, 255),
    call("image.psnr", T, B, 1.0),
    call("image.psnr", T, tensor(X[1:]), 1.0),
    call("image.psnr", tensor(X[0]), tensor(X[0]), 1.0),
    call("image.ssim", LARGE, NOISY, 1.0),
    call(
        "image.ssim", LARGE, NOISY, max_val=2.0, filter_size=5, filter_sigma=0.7, k1=0.02, k2=0.05
    ),
    call("image.ssim", LARGE, NOISY, 1.0, return_index_map=True),
    call(
        "image.ssim",
        ints(12, 13, 3, low=0, high=256, dtype="uint8"),
        ints(12, 13, 3, low=0, high=256, seed=2, dtype="uint8"),
        255,
    ),
    call("image.ssim", T, T, 1.0),
    call("image.ssim_multiscale", LARGER, LARGER**2, 1.0, power_factors=(0.4, 0.6), filter_size=7),
    call(
        "image.ssim_multiscale",
        floats(1, 45, 44, 1, low=0, high=1),
        floats(1, 45, 44, 1, low=0, high=1, seed=3),
        1.0,
        (0.2, 0.3, 0.5),
        5,
    ),
    call("image.total_variation", T),
    call("image.total_variation", B),
    call("image.total_variation", tensor(ints(4, 5, 2))),
    call("image.total_variation", tensor(X[0])),
    call("image.image_gradients", B),
    call("image.image_gradients", T),
    call("image.sobel_edges", B),
    call("image.draw_bounding_boxes", BATCH, floats(2, 3, 4, low=0, high=1), [[1.0, 0.0, 0.5]]),
    call("image.draw_bounding_boxes", BATCH, floats(2, 3, 4, low=0, high=1), None),
    call("image.non_max_suppression", floats(9, 4, low=0, high=1), floats(9, low=0, high=1), 5),
    call(
        "image.non_max_suppression",
        floats(9, 4, low=0, high=1),
        floats(9, low=0, high=1),
        5,
        0.2,
        0.3,
    ),
    call(
        "image.non_max_suppression_with_scores",
        floats(9, 4, low=0, high=1),
        floats(9, low=0, high=1),
        9,
        soft_nms_sigma=0.5,
    ),
    call(
        "image.non_max_suppression_overlaps",
        floats(5, 5, low=0, high=1),
        floats(5, low=0, high=1),
        3,
    ),
    call(
        "image.non_max_suppression_padded",
        tensor(floats(9, 4, low=0, high=1)),
        tensor(floats(9, low=0, high=1)),
        5,
    ),
    call(
        "image.non_max_suppression_padded",
        SORTED[0],
        floats(9, low=0, high=1),
        12,
        0.2,
        0.3,
        pad_to_max_output_size=True,
    ),
    call(
        "image.non_max_suppression_padded", SORTED, floats(2, 9, low=0, high=1), 12, 0.2, 0.3, True
    ),
    call(
        "image.combined_non_max_suppression",
        floats(2, 6, 1, 4, low=0, high=1),
        floats(2, 6, 3, low=0, high=1),
        2,
        5,
    ),
    call(
        "image.stateless_sample_distorted_bounding_box",
        [50, 60, 3],
        floats(1, 2, 4, low=0, high=1),
        (1, 2),
    ),
    call(
        "image.stateless_sample_distorted_bounding_box",
        [50, 60, 3],
        floats(1, 2, 4, low=0, high=1),
        (4, 2),
        0.5,
        (0.5, 2.0),
        (0.1, 0.5),
        50,
        True,
    ),
    *[
        call(f"image.stateless_random_{what}", x, *bounds, seed=seed)
        for what, bounds in (
            ("brightness", (0.3,)),
            ("contrast", (0.5, 1.5)),
            ("hue", (0.3,)),
            ("saturation", (0.5, 1.5)),
        )
        for x, seed in ((T, (1, 2)), (B, (3, 4)))
    ],
    call("image.stateless_random_brightness", T, -0.3, (1, 2)),
    call("image.stateless_random_contrast", T, 0.9, 0.3, (1, 2)),
    call("image.stateless_random_hue", T, 0.6, (1, 2)),
    call("image.stateless_random_saturation", T, -0.3, 2.0, (1, 2)),
    call(
        "image.stateless_random_jpeg_quality",
        tensor(np.full((8, 8, 3), 0.5, np.float32)),
        40,
        90,
        (1, 2),
    ),
    call("image.stateless_random_jpeg_quality", T, 90, 40, (1, 2)),
    *[
        call(f"image.stateless_random_flip_{way}", x, (seed, 2))
        for way in ("left_right", "up_down")
        for x in (T, B)
        for seed in (1, 5)
    ],
    call("image.stateless_random_crop", T, [2, 3, 3], (1, 2)),
    call("image.stateless_random_crop", T, tensor([2, 3, 1], "int64"), (5, 2)),
    call("image.stateless_random_crop", T, [8, 3, 1], (5, 2)),
    call("image.sample_distorted_bounding_box", [50, 60, 3], floats(1, 0, 4)),
    call(
        "image.sample_distorted_bounding_box", [50, 60, 3], floats(1, 2, 4, low=0, high=1), seed=11
    ),
    call(
        "image.sample_distorted_bounding_box", [50, 60, 3], floats(1, 2, 4, low=0, high=1), seed=11
    ),
    *[
        call(f"image.random_{what}", x, *bounds, seed=seed)
        for what, bounds in (
            ("brightness", (0.3,)),
            ("contrast", (0.5, 1.5)),
            ("hue", (0.3,)),
            ("saturation", (0.5, 1.5)),
        )
        for x, seed in ((T, 21), (B, 22))
    ],
    *[
        call(f"image.random_flip_{way}", x, seed=seed)
        for way in ("left_right", "up_down")
        for x in (T, B)
        for seed in (31, 32)
    ],
    call("image.random_crop", T, [2, 3, 3], seed=41),
    call("image.random_brightness", T, -1),
    call("image.random_contrast", T, 2, 1),
    call("image.random_hue", T, 0.6),
    call("image.random_saturation", T, 3, 2),
    call("image.random_jpeg_quality", T, 3, 2),
    call("image.random_crop", T, [8, 1, 1]),
    call("io.decode_png", FILES["rgba.png"]),
    call("io.decode_png", FILES["rgb.png"], channels=1, dtype=symbol("uint16")),
    call("io.decode_jpeg", WAVES, 1, ratio=2, **ACCURATE),
    call("io.decode_and_crop_jpeg", WAVES, [3, 5, 10, 12], **ACCURATE),
    call("io.decode_gif", FILES["moving.gif"]),
    call("io.decode_bmp", FILES["rgb.bmp"]),
    call("io.decode_webp", FILES["rgb.webp"]),
    *[
        call("io.decode_image", FILES["rgb.png"], dtype=symbol(d))
        for d in ("uint8", "float32", "float16", "int32", "float64")
    ],
    call("io.decode_image", FILES["moving.gif"], expand_animations=False),
    call("image.decode_image", FILES["gray.png"], 3),
    call("io.encode_jpeg", U, quality=80),
    call("io.encode_jpeg", BYTES, "rgb", 50, True),
    call("io.decode_png", made("io.encode_png", U)),
    call(
        "io.decode_png",
        made("io.encode_png", tensor(ints(3, 4, 3, low=0, high=60000, dtype="uint16"))),
        dtype=symbol("uint16"),
    ),
    call(
        "io.decode_png",
        made("io.encode_png", tensor(ints(3, 4, 2, low=0, high=255, dtype="uint8")), compression=0),
    ),
    call("io.extract_jpeg_shape", WAVES),
    call("io.extract_jpeg_shape", WAVES, symbol("int64")),
    call("io.is_jpeg", [WAVES, b"GIF89a", b""]),
    call("audio.decode_wav", WAV),
    call("audio.decode_wav", WAV, desired_channels=1, desired_samples=3),
    call("audio.encode_wav", floats(6, 2, low=-1.2, high=1.2), 44100),
]
