"""`tf.keras.models.experimental`."""

from runnel.keras.models.sharpness import SharpnessAwareMinimization as SharpnessAwareMinimization
