"""`tf.compat.v1.losses`: losses, which a collection of the graph adds up."""

from runnel.compat.v1.table import finder, listing
from runnel.v1.losses import Reduction as Reduction
from runnel.v1.losses import absolute_difference as absolute_difference
from runnel.v1.losses import add_loss as add_loss
from runnel.v1.losses import compute_weighted_loss as compute_weighted_loss
from runnel.v1.losses import cosine_distance as cosine_distance
from runnel.v1.losses import get_losses as get_losses
from runnel.v1.losses import get_regularization_loss as get_regularization_loss
from runnel.v1.losses import get_regularization_losses as get_regularization_losses
from runnel.v1.losses import get_total_loss as get_total_loss
from runnel.v1.losses import hinge_loss as hinge_loss
from runnel.v1.losses import huber_loss as huber_loss
from runnel.v1.losses import log_loss as log_loss
from runnel.v1.losses import mean_squared_error as mean_squared_error
from runnel.v1.losses import sigmoid_cross_entropy as sigmoid_cross_entropy
from runnel.v1.losses import softmax_cross_entropy as softmax_cross_entropy
from runnel.v1.losses import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy

__getattr__ = finder("losses")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("losses")})
