"""Samples of reductions, running totals, segments and counts."""

import numpy as np

from tests.samples import bools, complexes, floats, ints, positive, sample

NAN, INF = np.nan, np.inf
ZERO, BOTH, NONE = np.array([0], np.int32), np.array([0, 1], np.int32), np.array([], np.int32)
LAST, BAD, TWICE = np.array([-1], np.int64), np.array([2], np.int32), np.array([0, 0], np.int32)
TIES = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]], np.float32)
NANS = np.array([[1.0, NAN, 3.0], [NAN, NAN, INF]], np.float32)
ZEROS = np.array([[1.0, 0.0, 3.0], [0.0, 0.0, 2.0], [1.0, 2.0, 3.0]], np.float32)
FIRST, SECOND = np.int32(0), np.int32(1)
SORTED = np.array([0, 0, 2, 2, 3], np.int32)
MIXED = np.array([3, 0, -1, 3, 1], np.int32)
FIVE = np.int32(5)
EXTREMES = ("UnsortedSegmentMax", "UnsortedSegmentMin")  # empty segments hold huge numbers
EQUALS = np.array([[1.0, 2.0], [1.0, 3.0], [2.0, 2.0], [2.0, 1.0], [0.0, 0.0]], np.float32)
SOME_ZEROS = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [4.0, 2.0], [0.0, 5.0]], np.float32)

ROWS = [
    *[
        row
        for name in ("Sum", "Mean", "Prod", "EuclideanNorm")
        for row in (
            sample(name, positive(3, 4), ZERO),
            sample(name, positive(3, 4), BOTH),
            sample(name, positive(3, 4), NONE, second=name != "Prod"),
            sample(name, positive(2, 3, 4), np.array([0, 2], np.int64), keep_dims=True),
            sample(name, positive(3, 4), LAST),
            sample(name, positive(3, 4), FIRST),
            sample(name, positive(3, 4), BAD),
            sample(name, positive(3, 4), TWICE),
            sample(name, positive(0, 3), ZERO, gradient=False),
            sample(name, np.array([[100, 100, -7], [1, 1, 1]], np.int8), SECOND),
            sample(name, np.array([[3, 5, 200]], np.uint8), SECOND),
            sample(
                name,
                np.array([[2**31 - 1, 1, 5]], np.int32),
                SECOND,
                judged=name != "EuclideanNorm",
            ),
            sample(name, complexes(2, 3), SECOND),
            sample(name, positive(2, 9, dtype="float16"), SECOND, second=False),
            sample(name, positive(2, 9, dtype="bfloat16"), SECOND, second=False),
            sample(name, bools(3), ZERO),
        )
    ],
    sample("Prod", ZEROS, ZERO, second=False),
    sample("Prod", ZEROS, BOTH, second=False),
    sample("Prod", ZEROS, LAST),
    sample("EuclideanNorm", np.zeros((2, 3), np.float32), SECOND, second=False, differences=False),
    *[
        row
        for name in ("Max", "Min")
        for row in (
            sample(name, floats(3, 4), ZERO),
            sample(name, floats(3, 4), BOTH, keep_dims=True),
            sample(name, TIES, LAST, differences=False),
            sample(name, NANS, LAST, gradient=False),
            sample(name, NANS.astype(np.float16), LAST, gradient=False),
            sample(name, floats(0, 3), ZERO, gradient=False),
            sample(name, ints(0, 3), ZERO),
            sample(name, ints(3, 4, dtype="uint8", low=0), LAST),
            sample(name, floats(3, 4, dtype="bfloat16"), LAST),
            sample(name, complexes(3), ZERO),
            sample(name, floats(3, 4), BAD),
        )
    ],
    sample("All", bools(3, 4), ZERO),
    sample("All", bools(0, 4), ZERO, keep_dims=True),
    sample("All", ints(3), ZERO),
    sample("Any", bools(3, 4), LAST),
    sample("Any", bools(0, 4), ZERO),
    *[
        row
        for name in ("ArgMax", "ArgMin")
        for row in (
            sample(name, floats(3, 4), FIRST),
            sample(name, TIES, np.int64(-1), output_type="int32"),
            sample(name, NANS, SECOND),
            sample(name, ints(3, 4, dtype="uint8", low=0), SECOND),
            sample(name, bools(3, 4), SECOND),
            sample(name, floats(0, 3), FIRST),
            sample(name, floats(0, 3), SECOND),
            sample(name, floats(3), SECOND),
            sample(name, floats(4, dtype="bfloat16"), FIRST),
        )
    ],
    *[
        row
        for name in ("Cumsum", "Cumprod", "CumulativeLogsumexp")
        for row in (
            sample(name, positive(3, 4), FIRST),
            sample(
                name,
                positive(3, 4),
                np.int64(-1),
                exclusive=True,
                second=name != "CumulativeLogsumexp",
                differences=name != "CumulativeLogsumexp",
            ),
            sample(name, positive(3, 4), SECOND, reverse=True),
            sample(
                name,
                positive(3, 4),
                FIRST,
                exclusive=True,
                reverse=True,
                second=name != "CumulativeLogsumexp",
                differences=name != "CumulativeLogsumexp",
            ),
            sample(name, positive(0, 4), FIRST),
            sample(name, positive(3), SECOND),
            sample(name, positive(3), ZERO),
            sample(name, positive(4, dtype="float16"), FIRST, second=False),
            sample(name, positive(4, dtype="bfloat16"), FIRST, second=False),
            sample(name, positive(2, 3, 4, dtype="float64"), SECOND),
        )
    ],
    sample("Cumsum", complexes(4), FIRST),
    sample("Cumprod", complexes(4), FIRST, second=False),
    sample("Cumsum", ints(4, dtype="int8"), FIRST),
    sample("Cumsum", ints(4, dtype="uint16", low=0), FIRST, reverse=True),
    sample(
        "Cumprod", np.array([2.0, 0.0, 3.0], np.float32), FIRST, second=False, differences=False
    ),
    *[
        row
        for name in ("SegmentSum", "SegmentMean", "SegmentMax", "SegmentMin", "SegmentProd")
        for row in (
            sample(name, positive(5, 2), SORTED),
            sample(name, positive(5), SORTED.astype(np.int64)),
            sample(name, EQUALS, SORTED, differences=False),
            sample(name, SOME_ZEROS, SORTED, second=name != "SegmentProd", differences=False),
            sample(name, ints(5, 2), SORTED),
            sample(name, positive(5, 2, dtype="float16"), SORTED, second=False),
            sample(name, positive(5, 2), MIXED),
            sample(name, positive(4, 2), SORTED),
            sample(name, positive(5, 2), SORTED[:, None]),
            sample(name, floats(0, 2), NONE),
        )
    ],
    sample("SegmentSum", complexes(5), SORTED),
    sample("SegmentMean", complexes(5), SORTED),
    *[
        row
        for name in (
            "UnsortedSegmentSum",
            "UnsortedSegmentMax",
            "UnsortedSegmentMin",
            "UnsortedSegmentProd",
        )
        for row in (
            sample(name, positive(5, 2), MIXED, FIVE, differences=name not in EXTREMES),
            sample(
                name,
                positive(5),
                MIXED.astype(np.int64),
                np.int64(4),
                differences=name not in EXTREMES,
            ),
            sample(
                name,
                positive(2, 3, 4),
                np.array([[0, 1, 0], [-1, 1, 2]], np.int32),
                FIVE,
                differences=name not in EXTREMES,
            ),
            sample(name, positive(5), np.array([1, 0, 1, 1, 0], np.int32), np.int32(2)),
            sample(
                name, EQUALS, MIXED, FIVE, second=name != "UnsortedSegmentProd", differences=False
            ),
            sample(
                name,
                SOME_ZEROS,
                MIXED,
                FIVE,
                second=name != "UnsortedSegmentProd",
                differences=False,
            ),
            sample(name, ints(5, 2), MIXED, FIVE),
            sample(name, positive(5, 2, dtype="float16"), MIXED, FIVE, second=False),
            sample(name, positive(5, 2), MIXED, np.int32(3)),
            sample(name, positive(4, 2), MIXED, FIVE),
            sample(name, positive(5, 2), MIXED, np.int32(-1)),
            sample(name, positive(5, 2), MIXED, ZERO),
            sample(name, floats(0, 2), NONE, FIVE, differences=False),
        )
    ],
    sample("UnsortedSegmentSum", complexes(5), MIXED, FIVE),
    sample("Bincount", np.array([1, 1, 3, 9], np.int32), FIVE, floats(0)),
    sample("Bincount", np.array([1, 1, 3], np.int32), FIVE, floats(3), gradient=False),
    sample("Bincount", np.array([1, -1, 3], np.int32), FIVE, floats(3)),
    sample("DenseBincount", np.array([1, 1, 3, 9], np.int32), FIVE, ints(0)),
    sample(
        "DenseBincount",
        np.array([[1, 1, 3], [9, 0, 0]], np.int64),
        np.int64(5),
        ints(0, dtype="int64"),
    ),
    sample(
        "DenseBincount",
        np.array([[1, 1, 3], [9, 0, 0]], np.int32),
        FIVE,
        floats(2, 3),
        gradient=False,
    ),
    sample(
        "DenseBincount",
        np.array([[1, 1, 3], [9, 0, 0]], np.int32),
        FIVE,
        floats(0),
        binary_output=True,
    ),
    sample("DenseBincount", np.array([1, -1, 3], np.int32), FIVE, floats(0)),
    sample("DenseBincount", np.array([1, 1, 3], np.int32), FIVE, floats(2)),
    sample("HistogramFixedWidth", floats(20), np.array([-1.0, 1.0], np.float32), FIVE),
    sample("HistogramFixedWidth", ints(20), np.array([-3, 3], np.int32), FIVE, dtype="int64"),
    sample(
        "HistogramFixedWidth",
        np.array([NAN, 0.0], np.float32),
        np.array([-1.0, 1.0], np.float32),
        FIVE,
    ),
    sample("HistogramFixedWidth", floats(3), np.array([1.0, -1.0], np.float32), FIVE),
    sample("HistogramFixedWidth", floats(3), np.array([-1.0, 1.0], np.float32), FIRST),
    sample("SobolSample", np.int32(3), np.int32(5), np.int32(0)),
    sample("SobolSample", np.int32(40), np.int32(5), np.int32(7), dtype="float64"),
    sample("SobolSample", np.int32(0), np.int32(5), np.int32(7)),
    sample("ApproxTopK", floats(3, 6), k=2, second=False),
    sample("ApproxTopK", floats(3, 6), k=2, reduction_dimension=-1, second=False),
    # TensorFlow has no CPU kernel for the smallest and for other dimensions.
    sample("ApproxTopK", floats(3, 6), k=2, is_max_k=False, judged=False),
    sample("ApproxTopK", floats(3, 6), k=2, reduction_dimension=0, judged=False),
]
