"""`tf.autograph`: Python's control flow on tensors."""

from runnel.autograph import experimental as experimental
from runnel.autograph import runtime as runtime
from runnel.autograph.entry import to_code as to_code
from runnel.autograph.entry import to_graph as to_graph
from runnel.autograph.verbosity import set_verbosity as set_verbosity
from runnel.autograph.verbosity import trace as trace

__all__ = ["experimental", "set_verbosity", "to_code", "to_graph", "trace"]
