"""`tf.keras.metrics`: numbers that are watched during training."""

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
from runnel.keras.metrics import experimental as experimental
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
from runnel.keras.metrics.auc import AUC as AUC
from runnel.keras.metrics.base import Metric as Metric
from runnel.keras.metrics.best_thresholds import PrecisionAtRecall as PrecisionAtRecall
from runnel.keras.metrics.best_thresholds import RecallAtPrecision as RecallAtPrecision
from runnel.keras.metrics.best_thresholds import (
    SensitivityAtSpecificity as SensitivityAtSpecificity,
)
from runnel.keras.metrics.best_thresholds import (
    SpecificityAtSensitivity as SpecificityAtSensitivity,
)
from runnel.keras.metrics.confusion_counts import FalseNegatives as FalseNegatives
from runnel.keras.metrics.confusion_counts import FalsePositives as FalsePositives
from runnel.keras.metrics.confusion_counts import Precision as Precision
from runnel.keras.metrics.confusion_counts import Recall as Recall
from runnel.keras.metrics.confusion_counts import TrueNegatives as TrueNegatives
from runnel.keras.metrics.confusion_counts import TruePositives as TruePositives
from runnel.keras.metrics.f_scores import F1Score as F1Score
from runnel.keras.metrics.f_scores import FBetaScore as FBetaScore
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
from runnel.keras.metrics.overlaps import BinaryIoU as BinaryIoU
from runnel.keras.metrics.overlaps import IoU as IoU
from runnel.keras.metrics.overlaps import MeanIoU as MeanIoU
from runnel.keras.metrics.overlaps import OneHotIoU as OneHotIoU
from runnel.keras.metrics.overlaps import OneHotMeanIoU as OneHotMeanIoU
from runnel.keras.metrics.reductions import Mean as Mean
from runnel.keras.metrics.reductions import MeanMetricWrapper as MeanMetricWrapper
from runnel.keras.metrics.reductions import MeanTensor as MeanTensor
from runnel.keras.metrics.reductions import Sum as Sum
from runnel.keras.metrics.regression import CosineSimilarity as CosineSimilarity
from runnel.keras.metrics.regression import MeanRelativeError as MeanRelativeError
from runnel.keras.metrics.regression import R2Score as R2Score
from runnel.keras.metrics.regression import RootMeanSquaredError as RootMeanSquaredError

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
