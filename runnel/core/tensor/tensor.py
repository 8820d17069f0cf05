"""`tf.Tensor`, and `EagerTensor`, the kind that has a value.

On the reading path after `core/op/eager.py`, before `backend/jax.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.placement import CPU, device_of
from runnel.core.tensor import printing
from runnel.core.tensor.indexing import At, getitem
from runnel.core.tensor.operators import OVERLOADABLE, Operators
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, ShapeLike

next_id = itertools.count().__next__


class Tensor(Operators):
    """An immutable array of one dtype, with a value now (eager) or when its graph runs.

    >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> x.shape, x.dtype
    (TensorShape([2, 2]), tf.float32)
    >>> (x + 1.0)[0]
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>
    """

    __slots__ = (
        *("__weakref__", "_dtype", "_id", "assign"),
        *("_keras_logits", "_keras_mask", "_metric_obj"),  # what Keras notes on its results
    )
    _dtype: DType
    _id: int
    _from_outside: bool = False  # whether a value of an outer graph may have decided its shape
    assign: Callable[..., Any]
    """Only a slice of a variable has it: assigns to that part of the variable."""

    OVERLOADABLE_OPERATORS = OVERLOADABLE | {"__getitem__"}

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        raise NotImplementedError

    @property
    def ndim(self) -> int | None:
        return self.shape.rank

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def name(self) -> str:
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    def set_shape(self, shape: ShapeLike) -> None:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Tensor]:
        raise NotImplementedError

    def __bool__(self) -> bool:
        raise NotImplementedError

    def __nonzero__(self) -> bool:
        return bool(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        raise NotImplementedError

    def ref(self) -> Reference:
        """A hashable stand-in, for use as a key: equal for the same object only."""
        return Reference(self)

    experimental_ref = ref

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Use tensor.ref() as the key.")

    def __getitem__(self, slice_spec: Any) -> Tensor:
        return getitem(self, slice_spec)  # type: ignore[no-any-return]

    @property
    def at(self) -> At:
        """Functional updates: `x.at[index].set(value)`, and `add`, `multiply`, `min`, `max`.

        >>> tf.zeros([3]).at[1].set(5.0).numpy()
        array([0., 5., 0.], dtype=float32)
        """
        return At(self)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        raise NotImplementedError(
            "Tensor.eval belongs to sessions, which TensorFlow 2 does not have."
        )


class Reference:
    """See `Tensor.ref`."""

    __slots__ = ("__weakref__", "_object")

    def __init__(self, referenced: Any) -> None:
        self._object = referenced

    def deref(self) -> Any:
        return self._object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._object is other._object

    def __lt__(self, other: Reference) -> bool:
        return id(self._object) < id(other._object)

    def __hash__(self) -> int:
        return id(self._object)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._object!r}>"


class EagerTensor(Tensor):
    """A tensor that has its value."""

    __slots__ = ("__dict__", "_value")  # what libraries note on tensors goes into the former

    def __init__(self, value: Array, dtype: DType) -> None:
        self._value = value
        self._dtype = dtype
        self._id = next_id()

    @property
    def shape(self) -> TensorShape:
        return TensorShape.of(self._value.shape)

    @property
    def ndim(self) -> int:
        return len(self._value.shape)

    @property
    def device(self) -> str:
        return device_of(self)

    @property
    def backing_device(self) -> str:
        return CPU if self._dtype in (dtypes.int32, dtypes.string) else device_of(self)

    @property
    def is_packed(self) -> bool:
        return False

    def numpy(self) -> np.ndarray[Any, Any]:
        """A copy of the value as a NumPy array, or a NumPy scalar for a tensor of rank 0."""
        value = self._numpy()
        return value.copy() if isinstance(value, np.ndarray) else value

    def _numpy(self) -> Any:
        if self._dtype is dtypes.resource or self._dtype is dtypes.variant:
            raise self._no_numpy()
        for tape in state.tapes:
            if self._id in tape.watched:
                tape.lose("numpy", ())
        value = self._value
        if type(value) is not np.ndarray:
            value = np.asarray(value)
        return value[()] if value.ndim == 0 else value

    def _no_numpy(self) -> Exception:
        return InvalidArgumentError(None, None, f"A {self._dtype.name} tensor has no NumPy value.")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        value = np.asarray(self._numpy(), dtype=self._dtype.np_dtype)
        if dtype is not None and value.dtype != dtype:
            return value.astype(dtype)
        if copy:
            return value.copy()
        # What shares memory with another tensor, as a transposed one does, is not shown.
        view = value.view() if value.flags.c_contiguous or copy is False else value.copy()
        view.flags.writeable = False
        return view

    def __dlpack__(self, **options: Any) -> Any:
        return np.array(self._numpy()).__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("Scalar tensor has no `len()`.")
        return int(self._value.shape[0])

    def __iter__(self) -> Iterator[Tensor]:
        if self.ndim == 0:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return iter(raw_ops.Unpack(self, num=len(self), axis=0))

    def __bool__(self) -> bool:
        value = self._numpy()
        return bool(value) if np.size(value) else False

    def __index__(self) -> int:
        value = self._numpy()
        if np.ndim(value):
            raise self._not_a_number("one integer", TypeError)
        if not self._dtype.is_integer:
            raise self._not_a_number("an integer", AttributeError)  # the class that TensorFlow has
        return int(value)

    def __int__(self) -> int:
        return int(self._scalar("int"))

    def __float__(self) -> float:
        return float(self._scalar("float"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex") if self.ndim else self._numpy())

    def _scalar(self, wanted: str) -> Any:
        value = self._numpy()
        if np.ndim(value):
            raise self._not_a_number(f"one number for {wanted}()", TypeError)
        if self._dtype is dtypes.string:
            try:
                return float(value) if wanted == "float" else int(value)
            except ValueError:
                raise self._not_a_number(f"a number for {wanted}()", ValueError) from None
        return value

    def _not_a_number(self, wanted: str, error: type[Exception]) -> Exception:
        shape, dtype = tuple(self.shape), self._dtype.name
        return error(f"The tensor must be {wanted}, got shape {shape} and dtype {dtype}.")

    def __copy__(self) -> EagerTensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> EagerTensor:
        return self

    def __reduce__(self) -> Any:
        return (unpickled, (np.asarray(self._numpy(), dtype=self._dtype.np_dtype), self._dtype))

    def __repr__(self) -> str:
        text = printing.value_text(self._value, self._dtype, as_repr=True)
        label = "numpy" if self._dtype.is_numpy_compatible else "value"
        return f"<tf.Tensor: shape={self.shape}, dtype={self._dtype.name}, {label}={text}>"

    def __str__(self) -> str:
        text = printing.value_text(self._value, self._dtype, as_repr=False)
        return f"tf.Tensor({text}, shape={self.shape}, dtype={self._dtype.name})"

    def __format__(self, format_spec: str) -> str:
        return format(self._numpy(), format_spec)

    def set_shape(self, shape: ShapeLike) -> None:
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with {TensorShape(shape)}."
            )

    def __getattr__(self, name: str) -> Any:
        if name == "_keras_mask":  # Keras asks each tensor
            raise AttributeError(name)
        if name in ("name", "op", "graph"):
            raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")
        raise AttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}{_hint(name)}",
            name=name,
            obj=self,
        )


class DeviceTensor(EagerTensor):
    """An eager tensor whose value a compiled program has made and nobody has looked at yet.

    The value stays JAX's until it is read; then the tensor becomes an ordinary one.
    """

    __slots__ = ()

    @property
    def _value(self) -> Array:
        value = xla.fetched(_held_value(self))
        self.__class__ = EagerTensor  # type: ignore[assignment]
        self._value = value  # type: ignore[misc]
        return value

    @property
    def shape(self) -> TensorShape:
        return TensorShape.of(_held_value(self).shape)

    @property
    def ndim(self) -> int:
        return len(_held_value(self).shape)


_slot: Any = vars(EagerTensor)["_value"]
_held_value = _slot.__get__
_hold_value = _slot.__set__


def device_tensor(value: Array, dtype: DType, kind: Any = DeviceTensor) -> DeviceTensor:
    """A tensor around a value that JAX holds."""
    made: DeviceTensor = kind.__new__(kind)
    _hold_value(made, value)
    made._dtype = dtype
    made._id = next_id()
    return made


def raw_value(tensor: EagerTensor) -> Array:
    """The value as it is held: JAX's where nobody has looked at it yet."""
    return _held_value(tensor)


def signature(tensors: Sequence[Any]) -> tuple[tuple[DType, Any], ...] | None:
    """What tells calls with such eager tensors apart; None if one is something else."""
    try:
        return tuple([(t._dtype, _held_value(t).shape) for t in tensors])
    except (AttributeError, TypeError):
        return None


_NUMPY_METHODS = frozenset("T astype ravel transpose reshape clip size tolist data".split())


def _hint(name: str) -> str:
    if name not in _NUMPY_METHODS:
        return ""
    return ". NumPy's methods come with tf.experimental.numpy.experimental_enable_numpy_behavior()."


def unpickled(value: np.ndarray[Any, Any], dtype: DType) -> EagerTensor:
    """The tensor of a pickle."""
    return EagerTensor(value, dtype)


_unpickle = unpickled  # as older pickles call it
