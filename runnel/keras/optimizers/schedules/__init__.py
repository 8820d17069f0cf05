"""`tf.keras.optimizers.schedules`: learning rates that change."""

from .base import LearningRateSchedule as LearningRateSchedule
from .decays import CosineDecay as CosineDecay
from .decays import CosineDecayRestarts as CosineDecayRestarts
from .decays import ExponentialDecay as ExponentialDecay
from .decays import InverseTimeDecay as InverseTimeDecay
from .decays import PiecewiseConstantDecay as PiecewiseConstantDecay
from .decays import PolynomialDecay as PolynomialDecay
from .names import deserialize as deserialize
from .names import serialize as serialize
