"""`tf.data.Dataset`: the public face of the nodes.

The methods check and convert their arguments; what they do is in the files named for their
subjects. Here are those about the dataset itself; the others come from the base classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from runnel.core.composite.ragged_spec import RaggedTensorSpec
from runnel.core.composite.sparse_tensor import SparseTensorSpec
from runnel.core.op.context import state
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.errors import OutOfRangeError, invalid
from runnel.core.values.none_spec import NoneTensorSpec
from runnel.core.values.tracebacks import trim_methods
from runnel.core.values.type_spec import TensorSpec
from runnel.data.dataset.arguments import AUTOTUNE as AUTOTUNE
from runnel.data.dataset.base import Base
from runnel.data.dataset.create import Creating
from runnel.data.dataset.group import Grouping
from runnel.data.dataset.keep import Keeping
from runnel.data.dataset.map import Transforming
from runnel.data.dataset.options import Options
from runnel.data.dataset.order import Arranging
from runnel.data.dataset.spec import DatasetSpec as DatasetSpec
from runnel.data.graph import ops
from runnel.data.graph.fingerprints import fingerprint
from runnel.data.insight.profiling import Profile, profile
from runnel.data.nodes.node import INFINITE, UNKNOWN, Node, Run, Stage, check_name
from runnel.data.run.iterator import NumpyIterator, OwnedIterator

INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN

_SHOWN = {  # what `repr` calls those whose class TensorFlow does not hide, or does not have
    "CacheDataset": "CacheDataset",
    "CounterDataset": "_ScanDataset",
    "EnumerateDataset": "_ZipDataset",
    "FixedLengthRecordDataset": "FixedLengthRecordDatasetV2",
    "TFRecordDataset": "TFRecordDatasetV2",
    "TextLineDataset": "TextLineDatasetV2",
}

_WITH_ARRAYS = (TensorSpec, RaggedTensorSpec, SparseTensorSpec, NoneTensorSpec)


class Dataset(Creating, Transforming, Grouping, Arranging, Keeping):
    """A sequence of elements, and how they are made.

    An element is a tensor, a composite tensor, or a nest of them. Nothing is computed before a
    dataset is iterated over.

    Args:
        variant_tensor: how TensorFlow holds a dataset; programs make datasets by the functions
            below.

    >>> dataset = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
    >>> [batch.tolist() for batch in dataset.as_numpy_iterator()]
    [[0, 1], [4, 9], [16]]
    """

    _shown = ""  # the name in `repr`, where it is not that of the node

    def __iter__(self) -> Any:
        return OwnedIterator.over(self._node, lambda: self._variant_tensor)

    def __bool__(self) -> bool:
        return True

    __nonzero__ = __bool__

    def __len__(self) -> int:
        """The number of elements; TypeError if it is infinite or not known."""
        size = self._node.cardinality()
        if size == INFINITE:
            raise TypeError("The dataset is infinite.")
        if size == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return size

    def __repr__(self) -> str:
        kind = self._node.kind
        name = self._shown or _SHOWN.get(kind, f"_{kind}")
        return f"<{name} element_spec={self.element_spec}>"

    __str__ = __repr__

    def __debug_string__(self) -> str:
        """A line for this dataset and for each it is made of, indented; for people to read."""
        return "\n".join(_lines(self, 0))

    @property
    def _variant_tensor(self) -> Tensor:
        return ops.dataset_tensor(self._node)

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    def _autograph_for(self, *loop: Any) -> None:
        iter(self)._autograph_for(*loop, relaxes=True)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over the elements as NumPy arrays.

        >>> list(tf.data.Dataset.range(3).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        if state.graph is not None:
            raise RuntimeError("as_numpy_iterator: it is for eager programs, not for graphs.")
        for leaf in self._node.structure.leaves:
            if not isinstance(leaf, _WITH_ARRAYS):
                raise TypeError(f"as_numpy_iterator: {leaf} has no form in NumPy.")
        return NumpyIterator(self)

    def cardinality(self) -> Tensor:
        """The number of elements, `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`.

        >>> tf.data.Dataset.range(42).repeat().cardinality().numpy() == tf.data.INFINITE_CARDINALITY
        np.True_
        """
        if self._node.symbolic():
            return ops.cardinality.apply([self._variant_tensor], {})  # type: ignore[no-any-return]
        return convert_to_tensor(np.int64(self._node.cardinality()))

    def options(self) -> Options:
        """The options of the dataset and of those it is made of, which cannot be changed."""
        return self._node.options()._fix()  # type: ignore[no-any-return]

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The dataset with options, which win over those it has.

        Args:
            options: a `tf.data.Options`.

        >>> options = tf.data.Options()
        >>> options.deterministic = False
        >>> dataset = tf.data.Dataset.range(3).with_options(options)
        >>> dataset.options().deterministic
        False
        """
        if not isinstance(options, Options):
            raise TypeError(f"with_options: `options` must be tf.data.Options, got {options!r}.")
        return Dataset(WithOptions(self._node, options).named(name))

    def fingerprint(self) -> Tensor:
        """A number that is the same for datasets that are made in the same way.

        >>> a, b = tf.data.Dataset.range(10), tf.data.Dataset.range(10)
        >>> bool(a.fingerprint() == b.fingerprint())
        True
        """
        return convert_to_tensor(np.uint64(fingerprint(self._node)))

    def profile(
        self, seconds: float = 2.0, elements: int | None = None, path: str | None = None
    ) -> Profile:
        """Run the pipeline for a while: which stage takes how much time.

        Printed, the result is a table; in a notebook it is a picture. With `path`, the picture is
        written there as an SVG file.

        Args:
            seconds: for how long at most.
            elements: how many elements at most.
            path: a file for the picture, as SVG.

        >>> dataset = tf.data.Dataset.range(500).map(lambda x: x * x).batch(10)
        >>> report = dataset.profile(elements=50)
        >>> [(stage.name, stage.elements) for stage in report.stages]
        [('BatchDataset', 50), ('MapDataset(lambda)', 500), ('RangeDataset', 500)]
        """
        report = profile(self._node, seconds, elements)
        if path is not None:
            report.save(path)
        return report

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element; `tf.errors.InvalidArgumentError` if there are none or more.

        >>> tf.data.Dataset.from_tensors(42).get_single_element().numpy()
        np.int32(42)
        """
        check_name(name)
        iterator = iter(self)
        try:
            element = iterator.get_next()
        except OutOfRangeError:
            raise invalid("Dataset was empty.") from None
        if state.graph is None and next(iterator, None) is not None:
            raise invalid("Dataset had more than one element.")
        return element


def _lines(dataset: Dataset, depth: int) -> Iterator[str]:
    yield f"{'--' * depth}{dataset!r}"
    for node in reversed(dataset._node.inputs):
        yield from _lines(Dataset(node), depth + 1)


for _part in Dataset.__mro__[:-1]:
    trim_methods(_part, "__init__", "__iter__")
Base._plain_class = Dataset  # type: ignore[attr-defined]  # what transformations make


class WithOptions(Node):
    kind = "OptionsDataset"

    def __init__(self, source: Node, options: Options) -> None:
        super().__init__([source], source.structure)
        self._options = options.merge(Options())

    def options(self) -> Options:
        return self.input.options().merge(self._options)

    def make(self, run: Run) -> Stage:
        return run.build(self.input)  # type: ignore[no-any-return]

    def cardinality(self) -> int:
        return self.input.cardinality()
