"""`tf.linalg.experimental`."""

from runnel.ops.linalg.conjugate_gradient import conjugate_gradient as conjugate_gradient
