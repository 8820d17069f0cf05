"""`TensorInfo` messages: how signatures name tensors of a graph, composite ones by their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from runnel.core.composite import structured_value
from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorSpec
from runnel.core.values.dtypes import as_dtype, int64
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec

_SPARSE = ("indices", "values", "dense_shape")


def write_info(info: Any, names: Sequence[str], spec: TypeSpec) -> None:
    """Say that a value of type `spec` consists of the tensors with these names."""
    if isinstance(spec, TensorSpec):
        info.name, info.dtype = names[0], spec.dtype.enum
        info.tensor_shape.CopyFrom(spec.shape.as_proto())
    elif isinstance(spec, SparseTensorSpec):
        info.dtype = spec.dtype.enum
        info.tensor_shape.CopyFrom(spec.shape.as_proto())
        for part, name in zip(_SPARSE, names, strict=True):
            setattr(info.coo_sparse, f"{part}_tensor_name", name)
    else:
        info.composite_tensor.type_spec.CopyFrom(structured_value.encode_type_spec(spec))
        for name, component in zip(names, spec.flatten(), strict=True):
            write_info(info.composite_tensor.components.add(), [name], component)


def inputs_of(key: str, info: Any) -> Iterator[tuple[str, str, TensorSpec]]:
    """The tensors that the input `key` of a signature stands for: argument, tensor and type."""
    encoding = info.WhichOneof("encoding")
    if encoding == "coo_sparse":
        rank = TensorShape.experimental_from_proto(info.tensor_shape).rank
        shapes = ([None, rank], [None], [rank])
        dtypes = (int64, as_dtype(info.dtype), int64)
        for part, shape, dtype in zip(_SPARSE, shapes, dtypes):
            name = f"{key}_{part}"
            tensor = getattr(info.coo_sparse, f"{part}_tensor_name")
            yield name, tensor, TensorSpec(shape, dtype, name=name)
    elif encoding == "composite_tensor":
        for place, part in enumerate(info.composite_tensor.components):
            yield from inputs_of(f"{key}_component_{place}", part)
    else:
        shape = TensorShape.experimental_from_proto(info.tensor_shape)
        yield key, str(info.name), TensorSpec(shape, as_dtype(info.dtype), name=key)


def output_names(info: Any) -> list[str]:
    """The names of the tensors that an output of a signature consists of."""
    encoding = info.WhichOneof("encoding")
    if encoding == "coo_sparse":
        return [getattr(info.coo_sparse, f"{part}_tensor_name") for part in _SPARSE]
    if encoding == "composite_tensor":
        return [n for part in info.composite_tensor.components for n in output_names(part)]
    return [str(info.name)]


def output_value(info: Any, tensor: Callable[[str], Any]) -> Any:
    """The value that consists of tensors, which a function gives by name."""
    parts = [tensor(name) for name in output_names(info)]
    encoding = info.WhichOneof("encoding")
    if encoding == "coo_sparse":
        return SparseTensor(*parts)
    if encoding == "composite_tensor":
        spec = structured_value.decode_type_spec(info.composite_tensor.type_spec)
        return spec.from_tensors(iter(parts))
    return parts[0]
