"""`tf.keras.losses`: what training makes small."""

from runnel.keras.losses.base import Loss as Loss
from runnel.keras.losses.crossentropy import BinaryCrossentropy as BinaryCrossentropy
from runnel.keras.losses.crossentropy import BinaryFocalCrossentropy as BinaryFocalCrossentropy
from runnel.keras.losses.crossentropy import CategoricalCrossentropy as CategoricalCrossentropy
from runnel.keras.losses.crossentropy import (
    CategoricalFocalCrossentropy as CategoricalFocalCrossentropy,
)
from runnel.keras.losses.crossentropy import KLDivergence as KLDivergence
from runnel.keras.losses.crossentropy import (
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
from runnel.keras.losses.crossentropy import binary_crossentropy as binary_crossentropy
from runnel.keras.losses.crossentropy import binary_focal_crossentropy as binary_focal_crossentropy
from runnel.keras.losses.crossentropy import categorical_crossentropy as categorical_crossentropy
from runnel.keras.losses.crossentropy import (
    categorical_focal_crossentropy as categorical_focal_crossentropy,
)
from runnel.keras.losses.crossentropy import kl_divergence as kl_divergence
from runnel.keras.losses.crossentropy import (
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from runnel.keras.losses.hinges import CategoricalHinge as CategoricalHinge
from runnel.keras.losses.hinges import Hinge as Hinge
from runnel.keras.losses.hinges import SquaredHinge as SquaredHinge
from runnel.keras.losses.hinges import categorical_hinge as categorical_hinge
from runnel.keras.losses.hinges import hinge as hinge
from runnel.keras.losses.hinges import squared_hinge as squared_hinge
from runnel.keras.losses.names import deserialize as deserialize
from runnel.keras.losses.names import get as get
from runnel.keras.losses.names import serialize as serialize
from runnel.keras.losses.reduction import Reduction as Reduction
from runnel.keras.losses.regression import CosineSimilarity as CosineSimilarity
from runnel.keras.losses.regression import Huber as Huber
from runnel.keras.losses.regression import LogCosh as LogCosh
from runnel.keras.losses.regression import MeanAbsoluteError as MeanAbsoluteError
from runnel.keras.losses.regression import (
    MeanAbsolutePercentageError as MeanAbsolutePercentageError,
)
from runnel.keras.losses.regression import MeanSquaredError as MeanSquaredError
from runnel.keras.losses.regression import (
    MeanSquaredLogarithmicError as MeanSquaredLogarithmicError,
)
from runnel.keras.losses.regression import Poisson as Poisson
from runnel.keras.losses.regression import cosine_similarity as cosine_similarity
from runnel.keras.losses.regression import huber as huber
from runnel.keras.losses.regression import log_cosh as log_cosh
from runnel.keras.losses.regression import mean_absolute_error as mean_absolute_error
from runnel.keras.losses.regression import (
    mean_absolute_percentage_error as mean_absolute_percentage_error,
)
from runnel.keras.losses.regression import mean_squared_error as mean_squared_error
from runnel.keras.losses.regression import (
    mean_squared_logarithmic_error as mean_squared_logarithmic_error,
)
from runnel.keras.losses.regression import poisson as poisson

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
