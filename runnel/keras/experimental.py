"""`tf.keras.experimental`: ready-made models, and old names of what has found its place."""

from runnel.keras.layers.feature_columns import SequenceFeatures as SequenceFeatures
from runnel.keras.models.premade import LinearModel as LinearModel
from runnel.keras.models.premade import WideDeepModel as WideDeepModel
from runnel.keras.optimizers.schedules import CosineDecay as CosineDecay
from runnel.keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts
from runnel.keras.utils.sidecar_evaluator import SidecarEvaluator as SidecarEvaluator
