"""Tensors as strings: `tf.io.serialize_tensor` and `tf.io.parse_tensor`."""

from __future__ import annotations

import numpy as np

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.protos import messages
from runnel.core.values.array_protos import array_of, content_proto
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Namespace, Spec, TensorLike


def _no_dims(tensor: Spec) -> Dims:
    return ()


@op("SerializeTensor", "tensor: T -> serialized: string", shape=_no_dims)
def _serialize(xp: Namespace, tensor: Array) -> Array:
    array = np.asarray(tensor)
    proto = content_proto(array, as_dtype(array.dtype))
    return np.array(proto.SerializeToString(), object)


no_gradient("SerializeTensor")


def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """A tensor as a string, in the form of a `TensorProto`.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32).numpy()
    array([1, 2], dtype=int32)
    """
    return raw_ops.SerializeTensor(tensor, name=name)


def _unknown_dims(serialized: Spec, *, out_type: DType) -> Dims:
    if serialized.rank not in (None, 0):
        raise bad_shape("ParseTensor", want="be a scalar", serialized=serialized)
    return None


@op("ParseTensor", "serialized: string -> output: out_type", shape=_unknown_dims)
def _parse(xp: Namespace, serialized: Array, *, out_type: DType) -> Array:
    if np.ndim(serialized):
        raise bad_shape("ParseTensor", want="be a scalar", serialized=serialized)
    data = bytes(np.asarray(serialized).item())
    try:
        proto = messages.TensorProto.FromString(data)
        array = array_of(proto)
    except Exception as error:  # of protobuf, which has an error class of its own, or ours
        raise _malformed(str(error), data) from error
    if as_dtype(array.dtype) is not out_type:
        raise _malformed(f"it holds {as_dtype(array.dtype).name}", data, out_type)
    return array


def _malformed(why: str, data: bytes, out_type: DType | None = None) -> Exception:
    kind = "" if out_type is None else f" of {out_type.name}"
    want = f"be a TensorProto{kind} ({why})"
    return bad_value("ParseTensor", want=want, serialized=data[:40])


no_gradient("ParseTensor")


def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """The tensor that `serialize_tensor` made a string of.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor("hello"), tf.string).numpy()
    b'hello'
    """
    return raw_ops.ParseTensor(serialized, out_type=out_type, name=name)
