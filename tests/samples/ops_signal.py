"""Samples of the Fourier transforms."""

import numpy as np

from tests.samples import complexes, floats, sample


def lengths(*values):
    return np.array(values, "int32")


# TensorFlow's gradients fail where a transform cuts its input, and a complex output has no finite
# differences in the suite; tests/ops/signal/test_fft.py has both.
ROWS = [
    sample("FFT", complexes(6)),
    sample("FFT", complexes(2, 5, dtype="complex128")),
    sample("FFT", np.complex64(1)),
    sample("FFT", floats(4)),
    sample("IFFT", complexes(2, 6)),
    sample("IFFT", complexes(7, dtype="complex128")),
    sample("FFT2D", complexes(2, 3, 4)),
    sample("FFT2D", complexes(3)),
    sample("IFFT2D", complexes(3, 4)),
    sample("FFT3D", complexes(2, 3, 4)),
    sample("IFFT3D", complexes(2, 2, 3, 4)),
    sample("RFFT", floats(6), lengths(6), Tcomplex="complex64", differences=False),
    sample("RFFT", floats(2, 7), lengths(7), Tcomplex="complex64", differences=False),
    sample(
        "RFFT", floats(2, 8, dtype="float64"), lengths(5), Tcomplex="complex128", gradient=False
    ),
    sample("RFFT", floats(2, 8), lengths(4), gradient=False),
    sample("RFFT", floats(6), lengths(6, 6)),
    sample(
        "RFFT", floats(3), lengths(8), judged=False, differences=False
    ),  # TensorFlow's op does not pad
    sample("IRFFT", complexes(4), lengths(6)),
    sample("IRFFT", complexes(2, 4), lengths(7)),
    sample(
        "IRFFT", complexes(2, 6, dtype="complex128"), lengths(5), Treal="float64", gradient=False
    ),
    sample("IRFFT", complexes(3), lengths(8), judged=False),
    sample("RFFT2D", floats(2, 4, 6), lengths(4, 6), differences=False),
    sample(
        "RFFT2D",
        floats(4, 6, dtype="float64"),
        lengths(3, 5),
        Tcomplex="complex128",
        gradient=False,
    ),
    sample("IRFFT2D", complexes(2, 4, 4), lengths(4, 6)),
    sample(
        "IRFFT2D",
        complexes(4, 4, dtype="complex128"),
        lengths(3, 5),
        Treal="float64",
        gradient=False,
    ),
    sample("RFFT3D", floats(2, 3, 4), lengths(2, 3, 4), differences=False),
    sample(
        "RFFT3D",
        floats(3, 4, 6, dtype="float64"),
        lengths(2, 3, 5),
        Tcomplex="complex128",
        gradient=False,
    ),
    sample("IRFFT3D", complexes(2, 3, 4), lengths(2, 3, 6)),
    # TensorFlow has these for GPUs alone.
    sample("FFTND", complexes(2, 3, 4), lengths(2, 5), lengths(0, 2), judged=False, tolerance=1e-4),
    sample("IFFTND", complexes(2, 3, 4), lengths(3), lengths(-2), judged=False, tolerance=1e-4),
    sample(
        "RFFTND",
        floats(2, 3, 4),
        lengths(2, 3),
        lengths(0, 1),
        judged=False,
        tolerance=1e-4,
        differences=False,
    ),
    sample(
        "IRFFTND", complexes(2, 3, 4), lengths(2, 4), lengths(0, 1), judged=False, tolerance=1e-4
    ),
]
