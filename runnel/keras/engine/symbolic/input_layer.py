"""`keras.Input` and the layer behind it."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.naming import get_uid
from runnel.keras.engine.settings import floatx
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor
from runnel.keras.engine.symbolic.node import Node
from runnel.keras.saving.call_specs import spec_from
from runnel.keras.saving.config_errors import reads_config


class InputLayer(Layer):
    """Where a model begins: its output is an input of the model.

    Args:
        input_shape: the shape of one sample, without the batch.
        batch_size: the size of the batch, if it is fixed.
        dtype: the dtype of the values.
        input_tensor: a tensor to wrap, in place of a new symbol.
        sparse, ragged: whether the input is a sparse or a ragged tensor.
        type_spec: a `tf.TypeSpec` that says all of this at once.

    >>> layer = tf.keras.layers.InputLayer((3,), name="x")
    >>> layer.output
    <KerasTensor: shape=(None, 3) dtype=float32 (created by layer 'x')>
    """

    _object_identifier = "_tf_keras_input_layer"

    def __init__(
        self,
        input_shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        input_tensor: Any = None,
        sparse: bool | None = None,
        name: str | None = None,
        ragged: bool | None = None,
        type_spec: Any = None,
        **kwargs: Any,
    ) -> None:
        batch_shape = kwargs.pop("batch_input_shape", None)
        optional = kwargs.pop("optional", False)
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {list(kwargs)}")
        if batch_shape is not None:
            if input_shape is not None:
                raise ValueError(
                    "Only provide the input_shape OR batch_input_shape argument to InputLayer, "
                    f"not both. Received: input_shape={input_shape}, "
                    f"batch_input_shape={batch_shape}"
                )
            input_shape, batch_size = tuple(batch_shape[1:]), batch_shape[0]
        if sparse and ragged:
            raise ValueError("Cannot set both sparse and ragged to True in a Keras input.")
        spec = _spec(input_shape, batch_size, dtype, input_tensor, type_spec, sparse, ragged)
        name = name or f"input_{get_uid('input')}"
        if type_spec is None and type(spec) is tf.TensorSpec:
            spec = tf.TensorSpec(spec.shape, spec.dtype, name)
        # The spec of an extension type may have a shape and no dtype.
        super().__init__(dtype=getattr(spec, "dtype", None), name=name)
        self.built = True
        self.sparse, self.ragged, self.optional = bool(sparse), bool(ragged), optional
        self.batch_size, self.supports_masking = batch_size, True
        self._given_spec = type_spec
        shape = spec.shape
        self._batch_input_shape: Any = None if shape.rank is None else tuple(shape.as_list())
        self.is_placeholder = not isinstance(input_tensor, KerasTensor)
        shown = name if type_spec is None else None
        output = KerasTensor(spec, name=shown) if self.is_placeholder else input_tensor
        Node(self, outputs=output)

    def call(self, inputs: Any) -> Any:
        return inputs

    @property
    def input_shape(self) -> Any:
        """A list of one shape, unlike that of other layers with one input."""
        return [super().input_shape]

    @property
    def output_shape(self) -> Any:
        return [super().output_shape]

    @property
    def type_spec(self) -> Any:
        return self.output.type_spec

    def get_config(self) -> dict[str, Any]:
        if self._given_spec is not None:
            return {"name": self.name, "type_spec": self._given_spec}
        return {
            "batch_input_shape": self._batch_input_shape,
            "dtype": self.dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
            "optional": self.optional,
        }

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        if isinstance(config, dict) and "type_spec" in config:
            config = {**config, "type_spec": spec_from(config["type_spec"])}
        return super().from_config(config)


def _spec(
    shape: Any, batch_size: Any, dtype: Any, tensor: Any, type_spec: Any, sparse: Any, ragged: Any
) -> Any:
    if type_spec is not None:
        if any(x is not None for x in (shape, batch_size, dtype, tensor, sparse, ragged)):
            raise ValueError("If `type_spec` is given, only `name` may be given beside it.")
        if not isinstance(type_spec, tf.TypeSpec):
            raise TypeError(f"`type_spec` must be a tf.TypeSpec, got {type_spec!r}.")
        return type_spec
    if tensor is not None:
        return getattr(tensor, "type_spec", None) or tf.type_spec_from_value(tensor)
    if shape is None:
        dims = tf.TensorShape(None)
    else:
        dims = tf.TensorShape([batch_size, *tuple(tf.TensorShape(shape).as_list())])
    kind = tf.as_dtype(dtype or floatx())
    if sparse:
        return tf.SparseTensorSpec(dims, kind)
    if ragged:
        return tf.RaggedTensorSpec(dims, kind, _ragged_rank(dims))
    return tf.TensorSpec(dims, kind)


def _ragged_rank(dims: tf.TensorShape) -> int | None:
    """The last dimension of unknown size is ragged, and all between it and the batch."""
    if dims.rank is None:
        return None
    return max((i for i, size in enumerate(dims) if size is None), default=0)


def Input(
    shape: Any = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: Any = None,
    sparse: bool | None = None,
    tensor: Any = None,
    ragged: bool | None = None,
    type_spec: Any = None,
    **kwargs: Any,
) -> tf.Tensor:
    """A symbolic tensor to begin a functional model with; `shape` leaves out the batch.

    Args:
        shape: the shape of one sample, without the batch; None for sizes that may vary.
        batch_size: the size of the batch, if it is fixed.
        dtype: the dtype of the values; None is the usual float.
        sparse, ragged: whether the input is a sparse or a ragged tensor.
        tensor: a tensor to wrap, in place of a new symbol.
        type_spec: a `tf.TypeSpec` that says all of this at once.

    Raises:
        ValueError: arguments contradict each other.

    >>> x = tf.keras.Input((3,))
    >>> model = tf.keras.Model(x, tf.keras.layers.Dense(2)(x))
    >>> model.output_shape
    (None, 2)
    """
    batch_shape = kwargs.pop("batch_shape", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments: {list(kwargs)}")
    if batch_shape is not None:
        if shape is not None:
            raise ValueError("Only provide the `shape` OR `batch_shape` argument to Input.")
        shape, batch_size = tuple(batch_shape[1:]), batch_shape[0]
    if shape is None and tensor is None and type_spec is None:
        raise ValueError(
            "Please provide to Input a `shape` or a `tensor` or a `type_spec` argument. Note that "
            "`shape` does not include the batch dimension."
        )
    if isinstance(shape, int):
        shape = (shape,)
    layer = InputLayer(
        input_shape=shape,
        batch_size=batch_size,
        dtype=dtype,
        input_tensor=tensor,
        sparse=sparse,
        name=name,
        ragged=ragged,
        type_spec=type_spec,
    )
    return layer._inbound_nodes[0].outputs
