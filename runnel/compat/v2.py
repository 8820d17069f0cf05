"""`tf.compat.v2`: the library itself, for programs that ask for its second version."""

import sys

import runnel

sys.modules[__name__] = runnel
