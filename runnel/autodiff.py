"""`tf.autodiff`."""

from runnel.core.gradients.forward import ForwardAccumulator as ForwardAccumulator
from runnel.core.gradients.gradient_tape import GradientTape as GradientTape
