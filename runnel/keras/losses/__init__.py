"""`tf.keras.losses`: what training makes small."""

from .base import Loss as Loss
from .crossentropy import BinaryCrossentropy as BinaryCrossentropy
from .crossentropy import BinaryFocalCrossentropy as BinaryFocalCrossentropy
from .crossentropy import CategoricalCrossentropy as CategoricalCrossentropy
from .crossentropy import CategoricalFocalCrossentropy as CategoricalFocalCrossentropy
from .crossentropy import KLDivergence as KLDivergence
from .crossentropy import SparseCategoricalCrossentropy as SparseCategoricalCrossentropy
from .crossentropy import binary_crossentropy as binary_crossentropy
from .crossentropy import binary_focal_crossentropy as binary_focal_crossentropy
from .crossentropy import categorical_crossentropy as categorical_crossentropy
from .crossentropy import categorical_focal_crossentropy as categorical_focal_crossentropy
from .crossentropy import kl_divergence as kl_divergence
from .crossentropy import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from .hinges import CategoricalHinge as CategoricalHinge
from .hinges import Hinge as Hinge
from .hinges import SquaredHinge as SquaredHinge
from .hinges import categorical_hinge as categorical_hinge
from .hinges import hinge as hinge
from .hinges import squared_hinge as squared_hinge
from .names import deserialize as deserialize
from .names import get as get
from .names import serialize as serialize
from .reduction import Reduction as Reduction
from .regression import CosineSimilarity as CosineSimilarity
from .regression import Huber as Huber
from .regression import LogCosh as LogCosh
from .regression import MeanAbsoluteError as MeanAbsoluteError
from .regression import MeanAbsolutePercentageError as MeanAbsolutePercentageError
from .regression import MeanSquaredError as MeanSquaredError
from .regression import MeanSquaredLogarithmicError as MeanSquaredLogarithmicError
from .regression import Poisson as Poisson
from .regression import cosine_similarity as cosine_similarity
from .regression import huber as huber
from .regression import log_cosh as log_cosh
from .regression import mean_absolute_error as mean_absolute_error
from .regression import mean_absolute_percentage_error as mean_absolute_percentage_error
from .regression import mean_squared_error as mean_squared_error
from .regression import mean_squared_logarithmic_error as mean_squared_logarithmic_error
from .regression import poisson as poisson

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
