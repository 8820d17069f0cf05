"""`tf.autograph.experimental`."""

from runnel.autograph.entry import do_not_convert as do_not_convert
from runnel.autograph.features import Feature as Feature
from runnel.autograph.graph_loops import set_loop_options as set_loop_options

__all__ = ["Feature", "do_not_convert", "set_loop_options"]
