"""Samples of the ops on images: resizing, cropping, colours, boxes, transforms."""

import numpy as np

from tests.samples import bools, floats, ints, sample


def size(height, width):
    return np.array([height, width], np.int32)


def boxes(count, seed=0):
    return floats(count, 4, low=0.05, high=0.95, seed=seed)


IMAGE = floats(2, 5, 7, 3)
BYTES = ints(2, 5, 7, 3, low=0, high=256, dtype="uint8")
UP, DOWN, MIXED = size(8, 11), size(2, 3), size(9, 4)
# Their gradients are float32 inside, whatever the dtype of the image.
ROUGH = {"tolerance": 1e-5, "differences": False}

RESIZES = [
    sample(op, image, to, **dict.fromkeys(flags, True))
    for op in ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic")
    for image, to in ((IMAGE, UP), (IMAGE, DOWN), (BYTES, MIXED))
    for flags in ((), ("align_corners",), ("half_pixel_centers",))
]
for row in RESIZES:
    row.differences = False  # float32 inside, so too coarse for differences in float64

BOXES = np.array(
    [[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], [0.8, 0.9, 0.2, 0.1], [-0.2, 0.3, 0.5, 1.4]], np.float32
)
WHICH = np.array([0, 1, 1, 0], np.int32)
# TensorFlow adjusts float16 on a GPU alone; those rows are not judged. It has no gradients of them.
HUES = floats(2, 3, 4, 3, low=0.05, high=0.95, seed=3)
# Rotation by 0.3 with a shift and a little perspective; and the identity.
TURN = np.array(
    [[0.955, -0.296, 0.7, 0.296, 0.955, -0.4, 0.01, 0.02], [1, 0, 0, 0, 1, 0, 0, 0]], np.float32
)

ROWS = [
    *RESIZES,
    sample("ResizeBilinear", floats(1, 3, 3, 1), size(1, 1), align_corners=True, differences=False),
    sample(
        "ResizeBilinear",
        floats(1, 12, 3, 2),
        size(3, 3),
        half_pixel_centers=True,
        differences=False,
    ),
    sample("ResizeBilinear", floats(1, 3, 3, 1, dtype="float64"), UP, **ROUGH),
    sample("ResizeBilinear", floats(1, 3, 3, 1, dtype="float16"), UP),
    sample("ResizeBilinear", floats(1, 3, 3, 1, dtype="bfloat16"), UP),
    sample("ResizeBilinear", floats(0, 3, 3, 1), UP),
    sample("ResizeBilinear", floats(3, 3, 1), UP),
    sample("ResizeBilinear", floats(1, 0, 3, 1), UP),
    sample("ResizeBilinear", floats(1, 3, 3, 1), size(0, 3)),
    sample("ResizeBilinear", floats(1, 3, 3, 1), np.array([1, 2, 3], np.int32)),
    sample("ResizeBilinear", floats(1, 3, 3, 1), UP, half_pixel_centers=True, align_corners=True),
    sample("ResizeBilinear", bools(1, 3, 3, 1), UP),
    sample(
        "ResizeBilinearGrad", floats(2, 8, 11, 3), IMAGE, half_pixel_centers=True, differences=False
    ),
    sample("ResizeBilinearGrad", floats(2, 2, 3, 3), IMAGE, align_corners=True, differences=False),
    sample("ResizeBilinearGrad", floats(2, 2, 3, 3), floats(2, 5, 7, 3, dtype="float64"), **ROUGH),
    sample("ResizeBilinearGrad", floats(2, 3, 3), IMAGE),
    sample("ResizeNearestNeighbor", ints(1, 3, 3, 2), UP),
    sample("ResizeNearestNeighbor", floats(1, 3, 3, 2, dtype="bfloat16"), UP),
    sample("ResizeNearestNeighborGrad", floats(2, 8, 11, 3), size(5, 7), half_pixel_centers=True),
    sample("ResizeNearestNeighborGrad", floats(2, 8, 11, 3), size(5, 7), align_corners=True),
    sample("ResizeNearestNeighborGrad", ints(2, 8, 11, 3), size(5, 7)),
    sample("ResizeNearestNeighborGrad", floats(2, 11, 3), size(5, 7)),
    sample("ResizeBicubic", floats(1, 3, 3, 1, dtype="float64"), UP, **ROUGH),
    sample(
        "ResizeBicubicGrad", floats(2, 8, 11, 3), IMAGE, half_pixel_centers=True, differences=False
    ),
    sample("ResizeBicubicGrad", floats(2, 2, 3, 3), IMAGE, align_corners=True, differences=False),
    sample("ResizeBicubicGrad", floats(2, 2, 3, 3), floats(2, 5, 7, 3, dtype="float64"), **ROUGH),
    *[
        sample("ResizeArea", image, to, align_corners=align, gradient=False)
        for image, to in ((IMAGE, UP), (IMAGE, DOWN), (BYTES, MIXED))
        for align in (False, True)
    ],
    sample("ResizeArea", floats(1, 20, 20, 1), size(3, 3), gradient=False),
    *[
        sample(
            "ScaleAndTranslate",
            IMAGE,
            size(*to),
            np.array(scale, np.float32),
            np.array(shift, np.float32),
            kernel_type=kernel,
            antialias=antialias,
            differences=False,
        )
        for kernel in (
            "lanczos1",
            "lanczos3",
            "lanczos5",
            "gaussian",
            "box",
            "triangle",
            "keyscubic",
            "mitchellcubic",
        )
        for to, scale, shift, antialias in (
            ((9, 5), [1.6, 0.57], [0, 0], True),
            ((4, 9), [0.4, 1.43], [0.3, -0.2], False),
        )
    ],
    sample(
        "ScaleAndTranslate",
        BYTES,
        UP,
        np.array([0.5, 3], np.float32),
        np.array([2, -4], np.float32),
        gradient=False,
    ),
    sample(
        "ScaleAndTranslate",
        floats(1, 90, 4, 1),
        size(3, 4),
        np.array([1 / 30, 1], np.float32),
        size(0, 0).astype("f"),
        differences=False,
    ),
    sample(
        "ScaleAndTranslate", IMAGE, UP, np.array([0, 3], np.float32), np.array([2, -4], np.float32)
    ),
    sample("ScaleAndTranslate", IMAGE, UP, np.array([1, 3], np.float32), np.array([2], np.float32)),
    sample(
        "ScaleAndTranslate",
        IMAGE,
        UP,
        np.array([1, 3], np.float32),
        np.array([2, 1], np.float32),
        kernel_type="x",
    ),
    sample(
        "ScaleAndTranslateGrad",
        floats(2, 8, 11, 3),
        IMAGE,
        np.array([1.6, 1.5], np.float32),
        np.array([0.1, 0.2], np.float32),
        differences=False,
    ),
    *[
        sample(
            "CropAndResize",
            image,
            BOXES,
            WHICH,
            to,
            method=method,
            extrapolation_value=1.5,
            differences=False,
        )
        for image, to in ((IMAGE, size(3, 4)), (BYTES // 16, size(1, 1)), (IMAGE, size(6, 2)))
        for method in ("bilinear", "nearest")
    ],
    sample("CropAndResize", floats(2, 5, 7, 3, dtype="float64"), BOXES, WHICH, size(3, 4), **ROUGH),
    sample("CropAndResize", IMAGE, BOXES[:0], WHICH[:0], size(3, 4), differences=False),
    sample("CropAndResize", IMAGE, BOXES, np.array([0, 1, 2, 0], np.int32), size(3, 4)),
    sample("CropAndResize", IMAGE, BOXES, WHICH[:3], size(3, 4)),
    sample("CropAndResize", IMAGE, BOXES[:, :3], WHICH, size(3, 4)),
    sample("CropAndResize", IMAGE, BOXES, WHICH, size(0, 4)),
    sample("CropAndResize", IMAGE, BOXES, WHICH, size(3, 4), method="cubic"),
    sample(
        "CropAndResizeGradImage",
        floats(4, 3, 4, 3),
        BOXES,
        WHICH,
        np.array([2, 5, 7, 3], np.int32),
        T="float32",
        differences=False,
        second=False,
    ),
    sample(
        "CropAndResizeGradImage",
        floats(4, 3, 4, 3),
        BOXES,
        WHICH,
        np.array([2, 5, 7, 3], np.int32),
        T="float32",
        method="nearest",
        differences=False,
        second=False,
    ),
    sample(
        "CropAndResizeGradImage",
        floats(4, 3, 4, 3),
        BOXES,
        WHICH,
        np.array([2, 5, 7, 3], np.int32),
        T="float16",
        differences=False,
        second=False,
    ),
    sample(
        "CropAndResizeGradBoxes",
        floats(4, 3, 4, 3),
        IMAGE,
        BOXES,
        WHICH,
        differences=False,
        second=False,
    ),
    sample(
        "CropAndResizeGradBoxes",
        floats(4, 1, 1, 3),
        IMAGE,
        BOXES,
        WHICH,
        differences=False,
        second=False,
    ),
    *[
        sample(
            "ExtractImagePatches",
            image,
            ksizes=[1, 2, 3, 1],
            strides=[1, *strides, 1],
            rates=[1, *rates, 1],
            padding=padding,
            second=False,
        )
        for image, strides, rates in (
            (IMAGE, (1, 1), (1, 1)),
            (IMAGE, (2, 3), (1, 2)),
            (BYTES, (1, 2), (3, 1)),
        )
        for padding in ("SAME", "VALID")
    ],
    sample(
        "ExtractImagePatches",
        floats(1, 2, 2, 1),
        ksizes=[1, 3, 1, 1],
        strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1],
        padding="VALID",
    ),
    sample(
        "ExtractImagePatches",
        IMAGE,
        ksizes=[2, 3, 1, 1],
        strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1],
        padding="VALID",
    ),
    sample(
        "ExtractImagePatches",
        IMAGE,
        ksizes=[1, 3, 1, 1],
        strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1],
        padding="FULL",
    ),
    sample(
        "ExtractImagePatches",
        IMAGE[0],
        ksizes=[1, 3, 1, 1],
        strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1],
        padding="SAME",
    ),
    sample(
        "ExtractVolumePatches",
        floats(1, 3, 4, 5, 2),
        ksizes=[1, 2, 3, 2, 1],
        strides=[1, 1, 2, 2, 1],
        padding="SAME",
        second=False,
    ),
    sample(
        "ExtractVolumePatches",
        floats(1, 3, 4, 5, 2),
        ksizes=[1, 2, 3, 2, 1],
        strides=[1, 1, 1, 2, 1],
        padding="VALID",
        second=False,
    ),
    *[
        sample(
            op,
            floats(2, 5, 6, 2),
            size(3, 4),
            np.array([[0.3, -0.4], [1, -1]], np.float32),
            centered=c,
            normalized=n,
            noise="zero",
            uniform_noise=False,
        )
        for op in ("ExtractGlimpse", "ExtractGlimpseV2")
        for c in (True, False)
        for n in (True, False)
    ],
    sample("ExtractGlimpseV2", floats(2, 5, 6, 2), size(3, 4), np.zeros((1, 2), np.float32)),
    sample(
        "ExtractGlimpseV2",
        floats(2, 5, 6, 2),
        size(3, 4),
        np.zeros((2, 2), np.float32),
        noise="loud",
    ),
    sample("ExtractGlimpseV2", floats(5, 6, 2), size(3, 4), np.zeros((2, 2), np.float32)),
    sample("RGBToHSV", HUES),
    sample("RGBToHSV", floats(4, 3), gradient=False),  # of negative colours TensorFlow's is another
    sample(
        "RGBToHSV",
        np.array(
            [[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.2], [0.2, 0.5, 0.5], [0.5, 0.2, 0.5]], np.float32
        ),
        differences=False,
        second=False,
    ),
    sample("RGBToHSV", floats(4, 3, low=0.1, high=1, dtype="float64")),
    sample(
        "RGBToHSV", floats(4, 3, low=0.1, high=1, dtype="bfloat16"), second=False, gradient=False
    ),
    sample(
        "RGBToHSV", floats(4, 3, low=0.1, high=1, dtype="float16"), second=False, gradient=False
    ),
    sample("RGBToHSV", floats(4, 2)),
    sample("RGBToHSV", np.float32(1)),
    sample("HSVToRGB", HUES),
    sample("HSVToRGB", floats(6, 3)),
    sample("HSVToRGB", floats(4, 3, dtype="float64")),
    sample("HSVToRGB", floats(4, 3, low=0, high=1, dtype="float16")),
    sample("HSVToRGB", floats(4, 2)),
    sample("AdjustContrastv2", IMAGE, np.float32(1.7), second=False),
    sample("AdjustContrastv2", IMAGE[0], np.float32(-0.5), gradient=False),
    sample(
        "AdjustContrastv2",
        floats(2, 3, 3, 1, dtype="float16"),
        np.float32(2),
        judged=False,
        gradient=False,
    ),
    sample("AdjustContrastv2", floats(3, 3), np.float32(2), gradient=False),
    sample("AdjustContrastv2", IMAGE, np.float32([2]), gradient=False),
    sample("AdjustHue", HUES, np.float32(0.3), second=False),
    sample("AdjustHue", IMAGE, np.float32(-0.9), gradient=False),
    sample("AdjustHue", IMAGE, np.float32(2.3), gradient=False),
    sample(
        "AdjustHue", floats(2, 3, 3, dtype="float16"), np.float32(0.1), judged=False, gradient=False
    ),
    sample("AdjustHue", floats(2, 3, 4), np.float32(0.1), gradient=False),
    sample("AdjustHue", IMAGE, np.float32([0.1]), gradient=False),
    sample("AdjustSaturation", HUES, np.float32(0.3), second=False),
    sample("AdjustSaturation", IMAGE, np.float32(2), gradient=False),
    sample(
        "AdjustSaturation",
        floats(2, 3, 3, dtype="float16"),
        np.float32(2),
        judged=False,
        gradient=False,
    ),
    sample("AdjustSaturation", floats(2, 3, 4), np.float32(0.1), gradient=False),
    *[
        sample(
            op,
            image,
            TURN,
            size(6, 5),
            *fill,
            interpolation=way,
            fill_mode=mode,
            tolerance=1e-4,
            differences=False,
        )
        for op, fill, image, modes in (
            ("ImageProjectiveTransformV2", (), IMAGE, ("CONSTANT",)),
            (
                "ImageProjectiveTransformV3",
                (np.float32(0.5),),
                IMAGE,
                ("CONSTANT", "NEAREST", "REFLECT", "WRAP"),
            ),
            ("ImageProjectiveTransformV3", (np.float32(0.5),), BYTES, ("CONSTANT", "REFLECT")),
        )
        for way in ("NEAREST", "BILINEAR")
        for mode in modes
    ],
    sample(
        "ImageProjectiveTransformV3",
        floats(2, 3, 3, 1),
        TURN[:1] * 7,
        size(9, 9),
        np.float32(0),
        interpolation="BILINEAR",
        fill_mode="REFLECT",
        tolerance=1e-4,
        differences=False,
    ),
    sample(
        "ImageProjectiveTransformV3",
        floats(2, 3, 3, 1),
        TURN[:1] * 7,
        size(9, 9),
        np.float32(0),
        interpolation="BILINEAR",
        fill_mode="WRAP",
        tolerance=1e-4,
        differences=False,
    ),
    sample(
        "ImageProjectiveTransformV3",
        IMAGE,
        TURN[:, :7],
        size(6, 5),
        np.float32(0),
        interpolation="NEAREST",
    ),
    sample(
        "ImageProjectiveTransformV3",
        IMAGE[0],
        TURN,
        size(6, 5),
        np.float32(0),
        interpolation="NEAREST",
    ),
]
