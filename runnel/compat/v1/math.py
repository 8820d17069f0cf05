"""`tf.compat.v1.math`: functions of numbers."""

from runnel.compat.v1.table import finder, listing
from runnel.v1.ops.nn import log_softmax as log_softmax
from runnel.v1.ops.nn import softmax as softmax
from runnel.v1.ops.reductions import argmax as argmax
from runnel.v1.ops.reductions import argmin as argmin
from runnel.v1.ops.reductions import count_nonzero as count_nonzero
from runnel.v1.ops.reductions import reduce_all as reduce_all
from runnel.v1.ops.reductions import reduce_any as reduce_any
from runnel.v1.ops.reductions import reduce_logsumexp as reduce_logsumexp
from runnel.v1.ops.reductions import reduce_max as reduce_max
from runnel.v1.ops.reductions import reduce_mean as reduce_mean
from runnel.v1.ops.reductions import reduce_min as reduce_min
from runnel.v1.ops.reductions import reduce_prod as reduce_prod
from runnel.v1.ops.reductions import reduce_sum as reduce_sum

__getattr__ = finder("math")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("math")})
