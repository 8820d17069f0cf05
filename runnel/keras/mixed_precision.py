"""`tf.keras.mixed_precision`: computing in 16 bits, with weights in 32."""

from runnel.keras.engine.policy import Policy as Policy
from runnel.keras.engine.policy import global_policy as global_policy
from runnel.keras.engine.policy import set_global_policy as set_global_policy
from runnel.keras.optimizers.loss_scale import LossScaleOptimizer as LossScaleOptimizer
