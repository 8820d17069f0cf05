"""`tf.keras.optimizers.schedules`: learning rates that change."""

from runnel.keras.optimizers.schedules.base import LearningRateSchedule as LearningRateSchedule
from runnel.keras.optimizers.schedules.decays import CosineDecay as CosineDecay
from runnel.keras.optimizers.schedules.decays import CosineDecayRestarts as CosineDecayRestarts
from runnel.keras.optimizers.schedules.decays import ExponentialDecay as ExponentialDecay
from runnel.keras.optimizers.schedules.decays import InverseTimeDecay as InverseTimeDecay
from runnel.keras.optimizers.schedules.decays import (
    PiecewiseConstantDecay as PiecewiseConstantDecay,
)
from runnel.keras.optimizers.schedules.decays import PolynomialDecay as PolynomialDecay
from runnel.keras.optimizers.schedules.names import deserialize as deserialize
from runnel.keras.optimizers.schedules.names import serialize as serialize
