"""`tf.Tensor`: the class, its operators, and what makes tensors of other things."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Older pickles of tensors name a function that was defined here."""
    if name != "_unpickle":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from runnel.core.tensor.tensor import _unpickle

    return _unpickle
