"""`tf.linalg.experimental`."""

from runnel.ops.conjugate_gradient import conjugate_gradient as conjugate_gradient
