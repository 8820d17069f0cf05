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
from .accuracies import Accuracy as Accuracy
from .accuracies import BinaryAccuracy as BinaryAccuracy
from .accuracies import CategoricalAccuracy as CategoricalAccuracy
from .accuracies import SparseCategoricalAccuracy as SparseCategoricalAccuracy
from .accuracies import SparseTopKCategoricalAccuracy as SparseTopKCategoricalAccuracy
from .accuracies import TopKCategoricalAccuracy as TopKCategoricalAccuracy
from .accuracies import binary_accuracy as binary_accuracy
from .accuracies import categorical_accuracy as categorical_accuracy
from .accuracies import sparse_categorical_accuracy as sparse_categorical_accuracy
from .accuracies import sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy
from .accuracies import top_k_categorical_accuracy as top_k_categorical_accuracy
from .auc import AUC as AUC
from .base import Metric as Metric
from .best_thresholds import PrecisionAtRecall as PrecisionAtRecall
from .best_thresholds import RecallAtPrecision as RecallAtPrecision
from .best_thresholds import SensitivityAtSpecificity as SensitivityAtSpecificity
from .best_thresholds import SpecificityAtSensitivity as SpecificityAtSensitivity
from .confusion_counts import FalseNegatives as FalseNegatives
from .confusion_counts import FalsePositives as FalsePositives
from .confusion_counts import Precision as Precision
from .confusion_counts import Recall as Recall
from .confusion_counts import TrueNegatives as TrueNegatives
from .confusion_counts import TruePositives as TruePositives
from .f_scores import F1Score as F1Score
from .f_scores import FBetaScore as FBetaScore
from .losses_as_metrics import BinaryCrossentropy as BinaryCrossentropy
from .losses_as_metrics import CategoricalCrossentropy as CategoricalCrossentropy
from .losses_as_metrics import CategoricalHinge as CategoricalHinge
from .losses_as_metrics import Hinge as Hinge
from .losses_as_metrics import KLDivergence as KLDivergence
from .losses_as_metrics import LogCoshError as LogCoshError
from .losses_as_metrics import MeanAbsoluteError as MeanAbsoluteError
from .losses_as_metrics import MeanAbsolutePercentageError as MeanAbsolutePercentageError
from .losses_as_metrics import MeanSquaredError as MeanSquaredError
from .losses_as_metrics import MeanSquaredLogarithmicError as MeanSquaredLogarithmicError
from .losses_as_metrics import Poisson as Poisson
from .losses_as_metrics import SparseCategoricalCrossentropy as SparseCategoricalCrossentropy
from .losses_as_metrics import SquaredHinge as SquaredHinge
from .names import deserialize as deserialize
from .names import get as get
from .names import serialize as serialize
from .overlaps import BinaryIoU as BinaryIoU
from .overlaps import IoU as IoU
from .overlaps import MeanIoU as MeanIoU
from .overlaps import OneHotIoU as OneHotIoU
from .overlaps import OneHotMeanIoU as OneHotMeanIoU
from .reductions import Mean as Mean
from .reductions import MeanMetricWrapper as MeanMetricWrapper
from .reductions import MeanTensor as MeanTensor
from .reductions import Sum as Sum
from .regression import CosineSimilarity as CosineSimilarity
from .regression import MeanRelativeError as MeanRelativeError
from .regression import R2Score as R2Score
from .regression import RootMeanSquaredError as RootMeanSquaredError

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
