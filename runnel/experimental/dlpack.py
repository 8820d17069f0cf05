"""`tf.experimental.dlpack`."""

from runnel.core.tensor.dlpack import from_dlpack as from_dlpack
from runnel.core.tensor.dlpack import to_dlpack as to_dlpack
