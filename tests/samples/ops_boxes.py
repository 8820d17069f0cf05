"""Samples of the ops on boxes: drawing, suppression, random crops."""

import numpy as np

from tests.samples import floats, sample

BOXES = floats(12, 4, low=0, high=1)
SCORES = floats(12, low=0, high=1)
SIX, ALL = np.int32(6), np.int32(20)
HALF, LOW = np.float32(0.5), np.float32(0.1)
DRAWN = np.array(
    [[[0.1, 0.2, 0.8, 0.9], [-0.5, 0.3, 0.5, 1.5], [0.9, 0.1, 0.2, 0.2], [2, 2, 3, 3]]], np.float32
)
MANY = floats(2, 6, 1, 4, low=0, high=1.2)
OWN = floats(2, 6, 3, 4, low=0, high=1.2)
CLASSES = floats(2, 6, 3, low=0, high=1)
SIZE = np.array([50, 60, 3], np.int32)
SEED = np.array([1, 2], np.int32)
OBJECTS = np.array([[[0.1, 0.2, 0.8, 0.9], [0.3, 0.3, 0.6, 0.7]]], np.float32)
COVERED = np.float32(0.1)

ROWS = [
    sample("NonMaxSuppression", BOXES, SCORES, SIX),
    sample("NonMaxSuppression", BOXES, SCORES, ALL, iou_threshold=0.1),
    sample("NonMaxSuppressionV2", BOXES, SCORES, SIX, LOW),
    sample("NonMaxSuppressionV2", BOXES.astype("float16"), SCORES.astype("float16"), SIX, LOW),
    sample("NonMaxSuppressionV3", BOXES, SCORES, ALL, LOW, HALF),
    sample("NonMaxSuppressionV3", BOXES, SCORES.round(1), ALL, LOW, np.float32(-np.inf)),
    sample("NonMaxSuppressionV3", np.zeros((3, 4), np.float32), SCORES[:3], ALL, LOW, LOW),
    sample("NonMaxSuppressionV3", BOXES[:0], SCORES[:0], ALL, LOW, HALF),
    sample("NonMaxSuppressionV3", BOXES, SCORES, np.int32(-1), LOW, HALF),
    sample("NonMaxSuppressionV3", BOXES, SCORES, ALL, np.float32(2), HALF),
    sample("NonMaxSuppressionV3", BOXES, SCORES[:5], ALL, LOW, HALF),
    sample("NonMaxSuppressionV3", BOXES[:, :3], SCORES, ALL, LOW, HALF),
    sample("NonMaxSuppressionV4", BOXES, SCORES, ALL, LOW, HALF),
    sample("NonMaxSuppressionV4", BOXES, SCORES, ALL, LOW, HALF, pad_to_max_output_size=True),
    sample("NonMaxSuppressionV5", BOXES, SCORES, ALL, LOW, LOW, np.float32(0)),
    sample("NonMaxSuppressionV5", BOXES, SCORES, ALL, LOW, LOW, HALF),
    sample("NonMaxSuppressionV5", BOXES, SCORES, ALL, LOW, LOW, HALF, pad_to_max_output_size=True),
    sample("NonMaxSuppressionV5", BOXES, SCORES, SIX, HALF, np.float32(0), np.float32(0.05)),
    sample(
        "NonMaxSuppressionWithOverlaps", floats(6, 6, low=0, high=1), SCORES[:6], SIX, HALF, LOW
    ),
    sample("NonMaxSuppressionWithOverlaps", floats(6, 5), SCORES[:6], SIX, HALF, LOW),
    sample("NonMaxSuppressionWithOverlaps", floats(6, 6), SCORES[:5], SIX, HALF, LOW),
    sample(
        "CombinedNonMaxSuppression",
        MANY,
        CLASSES,
        np.int32(3),
        np.int32(5),
        HALF,
        np.float32(-np.inf),
    ),
    sample("CombinedNonMaxSuppression", OWN, CLASSES, np.int32(3), np.int32(30), LOW, HALF),
    sample(
        "CombinedNonMaxSuppression",
        OWN,
        CLASSES,
        np.int32(2),
        np.int32(30),
        LOW,
        HALF,
        pad_per_class=True,
        clip_boxes=False,
    ),
    sample(
        "CombinedNonMaxSuppression", OWN[:, :, :2], CLASSES, np.int32(3), np.int32(5), HALF, HALF
    ),
    sample("CombinedNonMaxSuppression", OWN, CLASSES, np.int32(0), np.int32(5), HALF, HALF),
    sample(
        "CombinedNonMaxSuppression", OWN, CLASSES, np.int32(3), np.int32(5), np.float32(2), HALF
    ),
    *[
        sample("DrawBoundingBoxes", floats(1, 9, 8, depth, dtype=dtype), DRAWN)
        for depth, dtype in ((1, "float32"), (3, "float32"), (4, "float16"))
    ],
    sample("DrawBoundingBoxes", floats(1, 40, 8, 3), floats(1, 12, 4, low=0, high=1)),
    sample("DrawBoundingBoxes", floats(1, 9, 8, 2), DRAWN),
    sample("DrawBoundingBoxesV2", floats(1, 9, 8, 3), DRAWN, floats(2, 3)),
    sample("DrawBoundingBoxesV2", floats(1, 9, 8, 1), DRAWN, floats(3, 4)),
    sample("DrawBoundingBoxesV2", floats(1, 9, 8, 3), DRAWN, floats(0, 3)),
    sample("DrawBoundingBoxesV2", floats(1, 9, 8, 3), DRAWN, floats(2, 2)),
    sample("DrawBoundingBoxesV2", floats(2, 9, 8, 3), DRAWN, floats(2, 3)),
    sample("DrawBoundingBoxesV2", floats(1, 9, 8, 3), DRAWN[..., :3], floats(2, 3)),
    sample("StatelessSampleDistortedBoundingBox", SIZE, OBJECTS, COVERED, SEED),
    *[
        sample(
            "StatelessSampleDistortedBoundingBox",
            SIZE,
            OBJECTS,
            np.float32(covered),
            np.array([seed, 7], np.int64),
            area_range=[0.05, high],
            aspect_ratio_range=[0.5, 2.0],
        )
        for covered in (0.1, 0.6, 1.0)
        for seed, high in ((1, 1.0), (-5, 0.4), (3, 0.2))
    ],
    sample(
        "StatelessSampleDistortedBoundingBox",
        SIZE.astype("int64"),
        OBJECTS,
        np.float32(0.9),
        SEED,
        max_attempts=1,
    ),
    sample(
        "StatelessSampleDistortedBoundingBox",
        np.array([3, 200, 1], np.int32),
        OBJECTS,
        np.float32(0.3),
        SEED,
    ),
    sample("StatelessSampleDistortedBoundingBox", SIZE, OBJECTS[:, :0], COVERED, SEED),
    sample(
        "StatelessSampleDistortedBoundingBox",
        SIZE,
        OBJECTS[:, :0],
        COVERED,
        SEED,
        use_image_if_no_bounding_boxes=True,
    ),
    sample("StatelessSampleDistortedBoundingBox", SIZE[:2], OBJECTS, COVERED, SEED),
    sample("StatelessSampleDistortedBoundingBox", SIZE, OBJECTS * 2, COVERED, SEED),
    sample("SampleDistortedBoundingBoxV2", SIZE, OBJECTS, COVERED, seed=3, seed2=7),
    sample(
        "SampleDistortedBoundingBoxV2",
        SIZE,
        OBJECTS,
        np.float32(0.7),
        seed=4,
        seed2=7,
        area_range=[0.1, 0.6],
    ),
    sample("SampleDistortedBoundingBox", SIZE, OBJECTS, seed=3, seed2=7, min_object_covered=0.4),
]
