"""`tf.compat.v1.nn`: networks."""

from runnel.compat.v1.table import finder, listing
from runnel.v1.ops.nn import avg_pool as avg_pool
from runnel.v1.ops.nn import conv2d as conv2d
from runnel.v1.ops.nn import dropout as dropout
from runnel.v1.ops.nn import embedding_lookup as embedding_lookup
from runnel.v1.ops.nn import log_softmax as log_softmax
from runnel.v1.ops.nn import max_pool as max_pool
from runnel.v1.ops.nn import moments as moments
from runnel.v1.ops.nn import relu_layer as relu_layer
from runnel.v1.ops.nn import softmax as softmax
from runnel.v1.ops.nn import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from runnel.v1.ops.nn import (
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
)
from runnel.v1.ops.nn import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from runnel.v1.ops.nn import xw_plus_b as xw_plus_b

__getattr__ = finder("nn")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("nn")})
