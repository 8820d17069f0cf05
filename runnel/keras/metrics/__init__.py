"""`tf.keras.metrics`: numbers that are watched during training."""

from runnel.keras.losses.crossentropy import binary_crossentropy as binary_crossentropy
from runnel.keras.losses.crossentropy import binary_focal_crossentropy as binary_focal_crossentropy
from runnel.keras.losses.crossentropy import categorical_crossentropy as categorical_crossentropy
from runnel.keras.losses.crossentropy import kl_divergence as kl_divergence
from runnel.keras.losses.crossentropy import (
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from runnel.keras.losses.hinges import categorical_hinge as categorical_hinge
from runnel.keras.losses.hinges import hinge as hinge
from runnel.keras.losses.hinges import squared_hinge as squared_hinge
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
from runnel.keras.metrics.accuracies import Accuracy as Accuracy
from runnel.keras.metrics.accuracies import BinaryAccuracy as BinaryAccuracy
from runnel.keras.metrics.accuracies import CategoricalAccuracy as CategoricalAccuracy
from runnel.keras.metrics.accuracies import SparseCategoricalAccuracy as SparseCategoricalAccuracy
from runnel.keras.metrics.accuracies import (
    SparseTopKCategoricalAccuracy as SparseTopKCategoricalAccuracy,
)
from runnel.keras.metrics.accuracies import TopKCategoricalAccuracy as TopKCategoricalAccuracy
from runnel.keras.metrics.accuracies import binary_accuracy as binary_accuracy
from runnel.keras.metrics.accuracies import categorical_accuracy as categorical_accuracy
from runnel.keras.metrics.accuracies import (
    sparse_categorical_accuracy as sparse_categorical_accuracy,
)
from runnel.keras.metrics.accuracies import (
    sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy,
)
from runnel.keras.metrics.accuracies import top_k_categorical_accuracy as top_k_categorical_accuracy
from runnel.keras.metrics.base import Metric as Metric
from runnel.keras.metrics.losses_as_metrics import BinaryCrossentropy as BinaryCrossentropy
from runnel.keras.metrics.losses_as_metrics import (
    CategoricalCrossentropy as CategoricalCrossentropy,
)
from runnel.keras.metrics.losses_as_metrics import CategoricalHinge as CategoricalHinge
from runnel.keras.metrics.losses_as_metrics import Hinge as Hinge
from runnel.keras.metrics.losses_as_metrics import KLDivergence as KLDivergence
from runnel.keras.metrics.losses_as_metrics import LogCoshError as LogCoshError
from runnel.keras.metrics.losses_as_metrics import MeanAbsoluteError as MeanAbsoluteError
from runnel.keras.metrics.losses_as_metrics import (
    MeanAbsolutePercentageError as MeanAbsolutePercentageError,
)
from runnel.keras.metrics.losses_as_metrics import MeanSquaredError as MeanSquaredError
from runnel.keras.metrics.losses_as_metrics import (
    MeanSquaredLogarithmicError as MeanSquaredLogarithmicError,
)
from runnel.keras.metrics.losses_as_metrics import Poisson as Poisson
from runnel.keras.metrics.losses_as_metrics import (
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
from runnel.keras.metrics.losses_as_metrics import SquaredHinge as SquaredHinge
from runnel.keras.metrics.names import deserialize as deserialize
from runnel.keras.metrics.names import get as get
from runnel.keras.metrics.names import serialize as serialize
from runnel.keras.metrics.reductions import Mean as Mean
from runnel.keras.metrics.reductions import MeanTensor as MeanTensor
from runnel.keras.metrics.reductions import Sum as Sum

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
