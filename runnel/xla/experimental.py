"""`tf.xla.experimental`."""

from runnel.v1.behavior.xla import compile as compile
from runnel.v1.behavior.xla import jit_scope as jit_scope
