"""What all parts of `tf.data.Dataset` know: it holds a node, and methods make new datasets.

The class is put together from parts by subject (`dataset.py`). They make datasets with `made`,
since none of them can import the whole.
"""

from __future__ import annotations

from typing import Any

from runnel.data.nodes.node import DatasetValue, Node


class Base:
    """A dataset: the public face of a node."""

    _batch_size: Any

    def __init__(self, variant_tensor: Any) -> None:
        self._node: Node = (
            variant_tensor if isinstance(variant_tensor, Node) else node_of(variant_tensor)
        )

    @property
    def element_spec(self) -> Any:
        """The type of the elements.

        >>> tf.data.Dataset.range(3).element_spec
        TensorSpec(shape=(), dtype=tf.int64, name=None)
        """
        return self._node.structure.spec


def checked(dataset: Any, where: str) -> Any:
    """The dataset itself; TypeError if it is none."""
    if not isinstance(dataset, Base):
        raise TypeError(f"{where}: a `tf.data.Dataset` is wanted, got {dataset!r}.")
    return dataset


def node_of(tensor: Any) -> Node:
    held = getattr(tensor, "_value", None)
    if not isinstance(held, DatasetValue):
        raise TypeError(f"A variant tensor of a dataset is wanted, got {tensor!r}.")
    return held.node


def plain_class() -> Any:
    """`tf.data.Dataset`, which is what transformations of all its subclasses make."""
    return Base._plain_class  # type: ignore[attr-defined]


def made(node: Node, name: str | None = None) -> Any:
    """The dataset of a node, which graphs show by `name`."""
    return plain_class()(node.named(name))
