"""`tf.Tensor`: the class, its operators, and what makes tensors of other things."""

from runnel.core.tensor.tensor import unpickled as _unpickle  # noqa: F401 (older pickles look here)
