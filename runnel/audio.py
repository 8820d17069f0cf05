"""WAV files: `tf.audio`."""

from runnel.ops.audio import decode_wav as decode_wav
from runnel.ops.audio import encode_wav as encode_wav
