"""`tf.debugging.experimental`."""

from runnel.debugging.dumping import disable_dump_debug_info as disable_dump_debug_info
from runnel.debugging.dumping import enable_dump_debug_info as enable_dump_debug_info
