"""`KerasTensor`: what `keras.Input` and layers called on it return. It has no value."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import runnel as tf
from runnel.keras.engine.graph_mode import in_graph, realised


class History(NamedTuple):
    """Which layer made a tensor, in which of its calls, as which of the outputs."""

    layer: Any
    node_index: int
    tensor_index: int


class KerasTensor:
    """A placeholder in a functional model.

    >>> tf.keras.Input((4,), name="pixels")
    <KerasTensor: shape=(None, 4) dtype=float32 (created by layer 'pixels')>
    """

    _keras_history: History
    node: Any
    __array_priority__ = 100
    when_made: Any = staticmethod(lambda: None)  # told when there are symbolic tensors

    def __new__(cls, type_spec: Any, *args: Any, **kwargs: Any) -> Self:
        return super().__new__(_KINDS.get(type(type_spec), cls))

    def __init__(self, type_spec: Any, inferred_value: Any = None, name: str | None = None) -> None:
        self.when_made()
        self._type_spec = type_spec
        self._inferred_value = inferred_value
        self._name = name
        self._keras_mask: Any = None

    @property
    def type_spec(self) -> Any:
        return self._type_spec

    @property
    def shape(self) -> tf.TensorShape:
        return self._type_spec.shape

    def get_shape(self) -> tf.TensorShape:
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Say more of the shape than is known; `shape` must agree with what is."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Keras symbolic input/output's shape {self.shape} is not compatible with "
                f"supplied shape {shape}."
            )
        self._type_spec = self._spec_of_shape(self.shape.merge_with(shape))

    def _spec_of_shape(self, shape: tf.TensorShape) -> Any:
        return tf.TensorSpec(shape, self.dtype, self._type_spec.name)

    def __len__(self) -> int:
        raise TypeError(
            "Keras symbolic inputs/outputs do not implement `__len__`. You may be trying to pass "
            "Keras symbolic inputs/outputs to a TF API that does not register dispatching. "
            "Wrap the call in a `Layer`."
        )

    @property
    def dtype(self) -> tf.DType:
        return self._type_spec.dtype

    @property
    def ndim(self) -> int | None:
        return self.shape.rank

    @property
    def op(self) -> Any:
        raise TypeError(
            "Keras symbolic inputs/outputs do not implement `op`. They have no place in a graph; "
            "use a `Layer` or a TensorFlow function on them."
        )

    @property
    def name(self) -> str | None:
        return self._name

    @property
    def is_tensor_like(self) -> bool:
        return True

    @property
    def _keras_shape(self) -> Any:
        return tuple(self.shape)

    def _as_graph_element(self) -> Any:
        """The tensor of the graph being built that sessions are to take for it."""
        return realised(self)

    def _graph_tensor(self) -> Any:
        """The same, for functions that look at graphs."""
        return realised(self)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Its value in a session."""
        return realised(self).eval(feed_dict, session)

    def __hash__(self) -> int:
        if in_graph():  # where programs feed values by tensor
            return id(self)
        raise TypeError(
            f"Tensors are unhashable (this tensor: {self}). Instead, use tensor.ref() as the key."
        )

    def ref(self) -> Any:
        """A hashable stand-in: equal for the same object only."""
        return _Reference(self)

    def __iter__(self) -> Any:
        rows = self.shape[0] if self.shape.rank else None
        if rows is None:
            raise TypeError("Cannot iterate over a Tensor with unknown first dimension.")
        whole: Any = self  # it has its operators from `op_layer.py`
        return (whole[i] for i in range(rows))

    def __bool__(self) -> bool:
        raise TypeError("You cannot use a Keras symbolic tensor as a Python `bool`.")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(
            "You are passing a KerasTensor to something that needs its value, such as NumPy. A "
            "KerasTensor has none: use a TensorFlow function, or put the code into a `Layer`."
        )

    def _origin(self) -> str:
        history = getattr(self, "_keras_history", None)
        return f" (created by layer '{history.layer.name}')" if history else ""

    def _described(self) -> str:
        if not isinstance(self._type_spec, tf.TensorSpec):
            return f"type_spec={self._type_spec!r}"
        value = self._inferred_value
        known = "" if value is None else f" inferred_value={value}"
        return f"shape={self.shape} dtype={self.dtype.name}{known}"

    def __repr__(self) -> str:
        return f"<KerasTensor: {self._described()}{self._origin()}>"

    def __str__(self) -> str:
        history = getattr(self, "_keras_history", None)
        made = f", description=\"created by layer '{history.layer.name}'\"" if history else ""
        name = f", name='{self._name}'" if self._name else ""
        value = self._inferred_value
        known = "" if value is None else f", inferred_value={value}"
        return f"KerasTensor(type_spec={self._type_spec!r}{known}{name}{made})"


class RaggedKerasTensor(KerasTensor):
    """A placeholder for a `tf.RaggedTensor`, with its parts and methods (see `tensor_parts.py`)."""

    @property
    def ragged_rank(self) -> int:
        return self._type_spec.ragged_rank

    def _spec_of_shape(self, shape: tf.TensorShape) -> Any:
        spec = self._type_spec
        return tf.RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank, spec.row_splits_dtype)


class SparseKerasTensor(KerasTensor):
    """A placeholder for a `tf.SparseTensor`, with its parts (see `tensor_parts.py`)."""

    def _spec_of_shape(self, shape: tf.TensorShape) -> Any:
        return tf.SparseTensorSpec(shape, self.dtype)


_KINDS: dict[Any, Any] = {
    tf.RaggedTensorSpec: RaggedKerasTensor,
    tf.SparseTensorSpec: SparseKerasTensor,
}


class _Reference:
    __slots__ = ("_object",)

    def __init__(self, referenced: Any) -> None:
        self._object = referenced

    def deref(self) -> Any:
        return self._object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reference) and self._object is other._object

    def __hash__(self) -> int:
        return id(self._object)


def is_keras_tensor(x: Any) -> bool:
    """Whether `x` is an output of a Keras layer or of `Input`."""
    return isinstance(x, KerasTensor)


def has_keras_tensors(*structures: Any) -> bool:
    """Whether there is one anywhere in some nests."""
    return any(isinstance(x, KerasTensor) for x in tf.nest.flatten(structures))


_registered: list[type] = []


def register_symbolic_tensor_type(cls_type: type) -> None:
    """Let layers of functional models return objects of a class that can become a tensor."""
    if cls_type not in _registered:
        _registered.append(cls_type)


def is_registered(value: Any) -> bool:
    """Whether such an object stands for the tensor that it can become."""
    return isinstance(value, tuple(_registered))


def keras_tensor_like(tensor: Any) -> KerasTensor:
    """One that describes a tensor of a scratch graph."""
    if is_registered(tensor):
        tensor = tf.convert_to_tensor(tensor)
    spec = tf.type_spec_from_value(tensor)
    value = _inferred(tensor) if _may_be_a_shape(tensor) else None
    return KerasTensor(spec, inferred_value=value, name=getattr(tensor, "name", None))


_MAX_RANK = 254  # TensorFlow's


def _may_be_a_shape(tensor: Any) -> bool:
    """Whether a tensor is an int32 scalar, or a vector of as many as a shape can have."""
    if not isinstance(tensor, tf.Tensor) or tensor.dtype != tf.int32:
        return False
    shape = tensor.shape
    return shape.rank == 0 or (shape.rank == 1 and 0 < (shape[0] or 0) <= _MAX_RANK)


def _inferred(tensor: Any) -> list[int | None]:
    """The sizes that a tensor holds, None for those not known yet; a scalar is a shape of one."""
    sizes = tf.stack([tensor]) if tensor.shape.rank == 0 else tensor
    known = tf.get_static_value(sizes)
    if known is not None:
        return [size if size >= 0 else None for size in known.tolist()]
    anything = tf.raw_ops.Placeholder(dtype=tf.bool, shape=None)
    return tf.raw_ops.Reshape(tensor=anything, shape=sizes).shape.as_list()
