"""Calls of the public functions of `tf.signal`."""

import numpy as np

from tests.samples import call, complexes, floats, ints, symbol, tensor

X = floats(2, 20)
F64 = symbol("float64")

TRANSFORMS = [
    call("signal.fft", complexes(5)),
    call("signal.fft", floats(6)),
    call("signal.fft", tensor(floats(6))),
    call("signal.ifft", complexes(5)),
    call("signal.fft2d", complexes(3, 4)),
    call("signal.ifft2d", complexes(3, 4)),
    call("signal.fft3d", complexes(2, 3, 4)),
    call("signal.ifft3d", complexes(2, 3, 4)),
    call("signal.rfft", X),
    call("signal.rfft", X, [8]),
    call("signal.rfft", X, [32]),
    call("signal.rfft", [1, 2, 3]),
    call("signal.rfft", floats(6, dtype="float64")),
    call("signal.fft", complexes(6, dtype="complex128")),
    call("signal.irfft", complexes(6, dtype="complex128")),
    call("signal.rfft", tensor(floats(6, dtype="float16"))),
    call("signal.rfft", np.float32(1)),
    call("signal.rfft", X, 8),
    call("signal.irfft", complexes(5)),
    call("signal.irfft", complexes(5), [7]),
    call("signal.irfft", complexes(5), [16]),
    call("signal.rfft2d", floats(3, 4)),
    call("signal.rfft2d", floats(3, 4), [4, 6]),
    call("signal.irfft2d", complexes(3, 4)),
    call("signal.irfft2d", complexes(3, 4), [2, 8]),
    call("signal.rfft3d", floats(2, 3, 4)),
    call("signal.irfft3d", complexes(2, 3, 4)),
    call("signal.fftshift", ints(5)),
    call("signal.fftshift", ints(3, 4)),
    call("signal.fftshift", ints(3, 4), axes=1),
    call("signal.fftshift", ints(3, 4), axes=[-1]),
    call("signal.ifftshift", ints(3, 5), axes=(0, 1)),
    call("signal.ifftshift", ints(5)),
]

WINDOWS = [
    *[
        call(f"signal.{name}", length, _tolerance=1e-5)
        for name in ("hann_window", "hamming_window", "kaiser_window", "vorbis_window")
        for length in (1, 5, 8)
    ],
    call("signal.hann_window", 6, periodic=False),
    call("signal.hann_window", 7, periodic=False, dtype=F64),
    call("signal.hann_window", tensor(4)),
    call("signal.hann_window", 4, dtype=symbol("int32")),
    call("signal.hann_window", [4]),
    call("signal.hamming_window", 6, False),
    call("signal.kaiser_window", 9, beta=5.0),
    call("signal.kaiser_window", 9, beta=5.0, dtype=F64, _tolerance=1e-6),
    call("signal.kaiser_bessel_derived_window", 8),
    call("signal.kaiser_bessel_derived_window", 8, beta=4.0),
    call("signal.vorbis_window", 8, dtype=F64),
]

FRAMES = [
    call("signal.frame", X, 6, 4),
    call("signal.frame", X, 6, 4, pad_end=True),
    call("signal.frame", X, 6, 4, pad_end=True, pad_value=9),
    call("signal.frame", X, 5, 5),
    call("signal.frame", X, 3, 7),
    call("signal.frame", X, 30, 4),
    call("signal.frame", X, 30, 4, pad_end=True),
    call("signal.frame", ints(3, 8, 2), 4, 2, axis=1),
    call("signal.frame", ints(3, 8, 2), 4, 3, axis=-2, pad_end=True),
    call("signal.overlap_and_add", floats(3, 4), 2),
    call("signal.overlap_and_add", floats(2, 3, 5), 2),
    call("signal.overlap_and_add", floats(3, 4), 4),
    call("signal.overlap_and_add", floats(3, 4), 6),
    call("signal.overlap_and_add", floats(1, 4), 3),
    call("signal.overlap_and_add", floats(4), 3),
    call("signal.overlap_and_add", floats(3, 4), 2.0),
]

SPECTRA = [
    call("signal.stft", X, 8, 4),
    call("signal.stft", X, 8, 4, fft_length=16),
    call("signal.stft", X, 6, 3, window_fn=None),
    call("signal.stft", X, 8, 4, pad_end=True),
    call("signal.stft", X, 8, 4, window_fn=symbol("signal.hamming_window")),
    call("signal.stft", floats(20, dtype="float64"), 8, 4),
    call("signal.inverse_stft", complexes(3, 5), 8, 4),
    call("signal.inverse_stft", complexes(2, 3, 5), 6, 3),
    call("signal.inverse_stft", complexes(3, 5), 6, 3, window_fn=None),
    call("signal.inverse_stft", complexes(3, 3), 6, 3, fft_length=4),
    call("signal.dct", X),
    *[call("signal.dct", X, type=t) for t in (1, 2, 3, 4)],
    *[call("signal.dct", X, type=t, norm="ortho") for t in (1, 2, 3, 4)],
    *[call("signal.dct", X, type=t, n=7) for t in (1, 2, 3, 4)],
    *[call("signal.dct", X, type=t, n=27) for t in (1, 2, 3, 4)],
    call("signal.dct", X.astype("float64"), type=2, norm="ortho", _tolerance=1e-7),
    call("signal.dct", X, type=5),
    call("signal.dct", X, norm="foo"),
    call("signal.dct", X, axis=0),
    call("signal.dct", X, n=0),
    *[call("signal.idct", X, type=t) for t in (1, 2, 3, 4)],
    call("signal.idct", X, norm="ortho"),
    call("signal.mdct", X, 8),
    call("signal.mdct", X, 8, norm="ortho", pad_end=True),
    call("signal.mdct", X, 8, window_fn=None),
    call("signal.mdct", X, 6),
    call("signal.inverse_mdct", floats(3, 4)),
    call("signal.inverse_mdct", floats(2, 3, 4), norm="ortho"),
    call("signal.inverse_mdct", floats(3, 4), window_fn=None),
    call("signal.linear_to_mel_weight_matrix"),
    call("signal.linear_to_mel_weight_matrix", 10, 65, 16000, 80.0, 7600.0),
    call("signal.linear_to_mel_weight_matrix", 10, 65, dtype=F64, _tolerance=1e-7),
    call("signal.linear_to_mel_weight_matrix", 0),
    call("signal.linear_to_mel_weight_matrix", lower_edge_hertz=-1.0),
    call("signal.linear_to_mel_weight_matrix", lower_edge_hertz=4000.0),
    call("signal.linear_to_mel_weight_matrix", upper_edge_hertz=5000.0),
    call("signal.linear_to_mel_weight_matrix", sample_rate=0),
    call("signal.linear_to_mel_weight_matrix", dtype=symbol("int32")),
    call("signal.mfccs_from_log_mel_spectrograms", X),
    call("signal.mfccs_from_log_mel_spectrograms", floats(2, 0)),
]

ROWS = [*TRANSFORMS, *WINDOWS, *FRAMES, *SPECTRA]
