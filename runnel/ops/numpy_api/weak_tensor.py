"""Tensors whose dtype gives way to others: what Python's numbers become in "safe" and "all"."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from runnel.core.composite.extension_type import BatchableExtensionType
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import OperatorNotAllowedInGraphError, invalid
from runnel.core.values.shape import TensorShape

_ALLOWED = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.complex128)


class WeakTensor(BatchableExtensionType):
    """A tensor with a weak dtype. Ops see the tensor in it; `runnel.ops.numpy_api.modes` gives the
    class its operators and NumPy's methods.
    """

    __name__ = "tf.WeakTensor"
    __array_priority__ = 100
    tensor: Tensor

    def __validate__(self) -> None:
        if self.tensor.dtype not in _ALLOWED:
            names = ", ".join(dtype.name for dtype in _ALLOWED)
            raise TypeError(f"A weak dtype is one of {names}, got {self.tensor.dtype.name}.")

    @classmethod
    def from_tensor(cls, tensor: Any) -> WeakTensor:
        """The same values with a weak dtype."""
        if isinstance(tensor, cls):
            return tensor
        if not isinstance(tensor, Tensor):
            raise invalid(f"A WeakTensor is made of a tf.Tensor, got {type(tensor).__name__}.")
        return cls(tensor)

    def to_tensor(self) -> Tensor:
        """The same values with a dtype that holds."""
        return self.tensor

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Tensor:
        return self.tensor

    @property
    def dtype(self) -> DType:
        return self.tensor.dtype

    _dtype = dtype

    @property
    def shape(self) -> TensorShape:
        return self.tensor.shape

    @property
    def is_tensor_like(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "tensor" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.tensor, name)

    def __repr__(self) -> str:
        return _marked(repr(self.tensor))

    def __str__(self) -> str:
        return _marked(str(self.tensor))

    def __format__(self, form: str) -> str:
        if not isinstance(self.tensor, EagerTensor):
            return super().__format__(form)
        return f"{format(self.tensor, form)} weakly typed"

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.tensor)

    def __copy__(self) -> WeakTensor:
        return self

    def __deepcopy__(self, memo: Any) -> WeakTensor:
        return self

    def __reduce__(self) -> Any:
        return WeakTensor.from_tensor, (self.tensor,)

    def __len__(self) -> int:
        return len(self.tensor)

    def __iter__(self) -> Iterator[WeakTensor]:
        if not isinstance(self.tensor, EagerTensor):
            raise OperatorNotAllowedInGraphError(
                "Iterating over a symbolic weak tensor is not allowed. Use a loop that AutoGraph "
                "converts, tf.map_fn or tf.while_loop."
            )
        return map(WeakTensor, iter(self.tensor))

    def __getitem__(self, key: Any) -> Tensor:
        return self.tensor[key]

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __complex__(self) -> complex:
        return complex(self.numpy())

    def __index__(self) -> int:
        return operator.index(self.numpy())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.tensor, dtype)


def _marked(text: str) -> str:
    return f"{text[:-1]}, weak=True{text[-1]}"


def weakened(value: Any, weak: bool) -> Any:
    """`value` with a weak dtype, or with one that holds."""
    if weak:
        return WeakTensor.from_tensor(value)
    return value.tensor if isinstance(value, WeakTensor) else value
