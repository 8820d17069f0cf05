"""`data.ops`: kinds of datasets, for those who ask what a dataset was made of."""

from __future__ import annotations

from typing import Any

import runnel
from runnel.data.nodes import generators, sources


class _Kind(type):
    """A class whose objects are the datasets that begin with a kind of source."""

    _node: type

    def __instancecheck__(cls, instance: Any) -> bool:
        is_one = isinstance(instance, runnel.data.Dataset)
        return is_one and isinstance(instance._node, cls._node)


class _GeneratorDataset(metaclass=_Kind):
    """A dataset made by `Dataset.from_generator`."""

    _node = generators.Generator


class _RangeDataset(metaclass=_Kind):
    """A dataset made by `Dataset.range`."""

    _node = sources.Range


class _SparseTensorSliceDataset(metaclass=_Kind):
    """A dataset made by `tf.compat.v1.data.Dataset.from_sparse_tensor_slices`: there are none."""

    _node = type(None)


class _TensorDataset(metaclass=_Kind):
    """A dataset made by `Dataset.from_tensors`."""

    _node = sources.FromTensors


class _TensorSliceDataset(metaclass=_Kind):
    """A dataset made by `Dataset.from_tensor_slices`."""

    _node = sources.FromSlices
