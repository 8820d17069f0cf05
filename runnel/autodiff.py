"""`tf.autodiff`."""

from runnel.core.forward import ForwardAccumulator as ForwardAccumulator
from runnel.core.gradient_tape import GradientTape as GradientTape
