"""`tf.signal`: Fourier and cosine transforms, windows, spectra over time."""

from runnel.ops.signal.cosine import dct as dct
from runnel.ops.signal.cosine import idct as idct
from runnel.ops.signal.cosine import inverse_mdct as inverse_mdct
from runnel.ops.signal.cosine import mdct as mdct
from runnel.ops.signal.fft import fft as fft
from runnel.ops.signal.fft import fft2d as fft2d
from runnel.ops.signal.fft import fft3d as fft3d
from runnel.ops.signal.fft import fftshift as fftshift
from runnel.ops.signal.fft import ifft as ifft
from runnel.ops.signal.fft import ifft2d as ifft2d
from runnel.ops.signal.fft import ifft3d as ifft3d
from runnel.ops.signal.fft import ifftshift as ifftshift
from runnel.ops.signal.fft import irfft as irfft
from runnel.ops.signal.fft import irfft2d as irfft2d
from runnel.ops.signal.fft import irfft3d as irfft3d
from runnel.ops.signal.fft import rfft as rfft
from runnel.ops.signal.fft import rfft2d as rfft2d
from runnel.ops.signal.fft import rfft3d as rfft3d
from runnel.ops.signal.fft_axes import fftnd as fftnd
from runnel.ops.signal.fft_axes import ifftnd as ifftnd
from runnel.ops.signal.fft_axes import irfftnd as irfftnd
from runnel.ops.signal.fft_axes import rfftnd as rfftnd
from runnel.ops.signal.framing import frame as frame
from runnel.ops.signal.framing import overlap_and_add as overlap_and_add
from runnel.ops.signal.spectral import inverse_stft as inverse_stft
from runnel.ops.signal.spectral import inverse_stft_window_fn as inverse_stft_window_fn
from runnel.ops.signal.spectral import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from runnel.ops.signal.spectral import (
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
)
from runnel.ops.signal.spectral import stft as stft
from runnel.ops.signal.windows import hamming_window as hamming_window
from runnel.ops.signal.windows import hann_window as hann_window
from runnel.ops.signal.windows import kaiser_bessel_derived_window as kaiser_bessel_derived_window
from runnel.ops.signal.windows import kaiser_window as kaiser_window
from runnel.ops.signal.windows import vorbis_window as vorbis_window
