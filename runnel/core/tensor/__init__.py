"""`tf.Tensor`: the class, its operators, and what makes tensors of other things."""

from runnel.core.tensor.tensor import _unpickle as _unpickle  # older pickles find it here
