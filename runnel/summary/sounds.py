"""`tf.summary.audio`."""

from __future__ import annotations

from typing import Any

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import string
from runnel.core.values.types import TensorLike
from runnel.debugging.assertions import assert_non_negative
from runnel.debugging.properties import assert_rank
from runnel.graph.functions.functional import map_fn
from runnel.ops.array.joining import stack
from runnel.ops.io.audio import encode_wav
from runnel.summary.metadata import metadata
from runnel.summary.writing import summary_scope, write

_AS_WAV = b"\x10\x0b"  # the plugin's message: its field 2, the encoding, is 11


def audio(
    name: str,
    data: TensorLike,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Write the first `max_outputs` clips, `[clips, frames, channels]` from -1 to 1, as WAV files.

    >>> tf.summary.audio("x", tf.zeros([1, 8, 1]), 8000, step=0).numpy()  # no default writer
    np.False_
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"tf.summary.audio: encoding must be 'wav', got {encoding!r}.")
    with summary_scope(name, "audio_summary") as (tag, _):
        described = metadata("audio", description, _AS_WAV)
        return write(tag, lambda: _files(data, sample_rate, max_outputs), step, described)


def _files(data: TensorLike, sample_rate: Any, max_outputs: Any) -> Tensor:
    """A row for each clip: a WAV file, and an empty label."""
    data = convert_to_tensor(data)
    assert_rank(data, 3)
    assert_non_negative(max_outputs)

    def encoded(clip: Tensor) -> Tensor:
        return encode_wav(clip, sample_rate)

    files = map_fn(encoded, data[:max_outputs], fn_output_signature=string)
    return stack([files, raw_ops.Fill(raw_ops.Shape(files), "")], axis=1)
