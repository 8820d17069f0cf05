"""WAV files: `tf.audio`."""

from runnel.ops.io.audio import decode_wav as decode_wav
from runnel.ops.io.audio import encode_wav as encode_wav
