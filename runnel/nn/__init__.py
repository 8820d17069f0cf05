"""`tf.nn`: the functions that neural networks are made of."""

import importlib
from typing import TYPE_CHECKING, Any

from runnel.core.settings.absent import explanation
from runnel.nn import experimental as experimental
from runnel.ops.array.space import depth_to_space as depth_to_space
from runnel.ops.array.space import space_to_batch as space_to_batch
from runnel.ops.array.space import space_to_depth as space_to_depth
from runnel.ops.math.sigmoid import sigmoid as sigmoid
from runnel.ops.math.sigmoid import softplus as softplus
from runnel.ops.math.sigmoid import softsign as softsign
from runnel.ops.math.sigmoid import tanh as tanh
from runnel.ops.nn import batch_norm as _batch_norm  # noqa: F401
from runnel.ops.nn.activations import crelu as crelu
from runnel.ops.nn.activations import elu as elu
from runnel.ops.nn.activations import gelu as gelu
from runnel.ops.nn.activations import leaky_relu as leaky_relu
from runnel.ops.nn.activations import relu as relu
from runnel.ops.nn.activations import relu6 as relu6
from runnel.ops.nn.activations import selu as selu
from runnel.ops.nn.activations import silu as silu
from runnel.ops.nn.activations import swish as swish
from runnel.ops.nn.bias import bias_add as bias_add
from runnel.ops.nn.conv import any_rank as _conv  # noqa: F401
from runnel.ops.nn.conv import depthwise as _depthwise  # noqa: F401
from runnel.ops.nn.conv import ops as _convolution  # noqa: F401
from runnel.ops.nn.conv.dilation import dilation2d as dilation2d
from runnel.ops.nn.conv.dilation import erosion2d as erosion2d
from runnel.ops.nn.conv.functions import atrous_conv2d as atrous_conv2d
from runnel.ops.nn.conv.functions import atrous_conv2d_transpose as atrous_conv2d_transpose
from runnel.ops.nn.conv.functions import conv1d as conv1d
from runnel.ops.nn.conv.functions import conv1d_transpose as conv1d_transpose
from runnel.ops.nn.conv.functions import conv2d as conv2d
from runnel.ops.nn.conv.functions import conv2d_transpose as conv2d_transpose
from runnel.ops.nn.conv.functions import conv3d as conv3d
from runnel.ops.nn.conv.functions import conv3d_transpose as conv3d_transpose
from runnel.ops.nn.conv.functions import conv_transpose as conv_transpose
from runnel.ops.nn.conv.functions import convolution as convolution
from runnel.ops.nn.conv.functions import depthwise_conv2d as depthwise_conv2d
from runnel.ops.nn.conv.functions import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
)
from runnel.ops.nn.conv.functions import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
)
from runnel.ops.nn.conv.functions import separable_conv2d as separable_conv2d
from runnel.ops.nn.ctc import collapse_repeated as collapse_repeated
from runnel.ops.nn.ctc import ctc_loss as ctc_loss
from runnel.ops.nn.ctc import ctc_unique_labels as ctc_unique_labels
from runnel.ops.nn.ctc_decoding import ctc_beam_search_decoder as ctc_beam_search_decoder
from runnel.ops.nn.ctc_decoding import ctc_greedy_decoder as ctc_greedy_decoder
from runnel.ops.nn.dropout import dropout as dropout
from runnel.ops.nn.embedding import embedding_lookup as embedding_lookup
from runnel.ops.nn.embedding import embedding_lookup_sparse as embedding_lookup_sparse
from runnel.ops.nn.embedding import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from runnel.ops.nn.losses import compute_average_loss as compute_average_loss
from runnel.ops.nn.losses import l2_loss as l2_loss
from runnel.ops.nn.losses import log_poisson_loss as log_poisson_loss
from runnel.ops.nn.losses import scale_regularization_loss as scale_regularization_loss
from runnel.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from runnel.ops.nn.losses import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from runnel.ops.nn.normalization import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from runnel.ops.nn.normalization import batch_normalization as batch_normalization
from runnel.ops.nn.normalization import l2_normalize as l2_normalize
from runnel.ops.nn.normalization import local_response_normalization as local_response_normalization
from runnel.ops.nn.normalization import lrn as lrn
from runnel.ops.nn.normalization import moments as moments
from runnel.ops.nn.normalization import normalize_moments as normalize_moments
from runnel.ops.nn.normalization import sufficient_statistics as sufficient_statistics
from runnel.ops.nn.normalization import weighted_moments as weighted_moments
from runnel.ops.nn.normalization import zero_fraction as zero_fraction
from runnel.ops.nn.pool import argmax_pool as _argmax_pooling  # noqa: F401
from runnel.ops.nn.pool import avg_pool as _avg_pooling  # noqa: F401
from runnel.ops.nn.pool import max_pool as _max_pooling  # noqa: F401
from runnel.ops.nn.pool.fractional_pool import fractional_avg_pool as fractional_avg_pool
from runnel.ops.nn.pool.fractional_pool import fractional_max_pool as fractional_max_pool
from runnel.ops.nn.pool.functions import avg_pool as avg_pool
from runnel.ops.nn.pool.functions import avg_pool1d as avg_pool1d
from runnel.ops.nn.pool.functions import avg_pool2d as avg_pool2d
from runnel.ops.nn.pool.functions import avg_pool3d as avg_pool3d
from runnel.ops.nn.pool.functions import max_pool as max_pool
from runnel.ops.nn.pool.functions import max_pool1d as max_pool1d
from runnel.ops.nn.pool.functions import max_pool2d as max_pool2d
from runnel.ops.nn.pool.functions import max_pool3d as max_pool3d
from runnel.ops.nn.pool.functions import max_pool_with_argmax as max_pool_with_argmax
from runnel.ops.nn.pool.functions import pool as pool
from runnel.ops.nn.pool.functions import with_space_to_batch as with_space_to_batch
from runnel.ops.nn.sampled_losses import nce_loss as nce_loss
from runnel.ops.nn.sampled_losses import sampled_softmax_loss as sampled_softmax_loss
from runnel.ops.nn.softmax import log_softmax as log_softmax
from runnel.ops.nn.softmax import softmax as softmax
from runnel.ops.nn.softmax import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from runnel.ops.nn.softmax import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from runnel.ops.random.candidate_sampling import all_candidate_sampler as all_candidate_sampler
from runnel.ops.random.candidate_sampling import compute_accidental_hits as compute_accidental_hits
from runnel.ops.random.candidate_sampling import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from runnel.ops.random.candidate_sampling import (
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
from runnel.ops.reduce.approximate_top_k import approx_max_k as approx_max_k
from runnel.ops.reduce.approximate_top_k import approx_min_k as approx_min_k
from runnel.ops.reduce.isotonic import isotonic_regression as isotonic_regression
from runnel.ops.reduce.top_k import in_top_k as in_top_k
from runnel.ops.reduce.top_k import top_k as top_k

if TYPE_CHECKING:
    RNNCellDeviceWrapper: Any
    RNNCellDropoutWrapper: Any
    RNNCellResidualWrapper: Any
else:

    def __getattr__(name: str) -> Any:
        """The wrappers of cells are Keras's, which is loaded when it is first asked for."""
        if name not in _CELLS:
            raise AttributeError(explanation(f"nn.{name}", __dir__()), name=name)
        wrappers = importlib.import_module("runnel.keras.layers.recurrent.cell_wrappers")
        return getattr(wrappers, _CELLS[name])


def __dir__() -> list[str]:
    return sorted({*globals(), *_CELLS})


_CELLS = {
    "RNNCellDeviceWrapper": "DeviceWrapper",
    "RNNCellDropoutWrapper": "DropoutWrapper",
    "RNNCellResidualWrapper": "ResidualWrapper",
}
