"""Looking at graphs of objects: in the program, and in a checkpoint."""

from __future__ import annotations

from collections import deque
from typing import Any

from runnel.core.files.files import PathLike
from runnel.core.state.trackable import SaveType, Trackable
from runnel.train.files.bundle import BundleReader
from runnel.train.objects.object_graph import ObjectGraph, children_of
from runnel.train.objects.restoring import read_object_graph


class TrackableView:
    """The objects that are saved with `root`.

    >>> root = tf.train.Checkpoint(a=tf.Variable(1.0))
    >>> list(tf.train.TrackableView(root).children(root))
    ['a']
    """

    def __init__(self, root: Any) -> None:
        self._root = root

    @property
    def root(self) -> Any:
        return self._root

    @classmethod
    def children(
        cls, obj: Any, save_type: SaveType | str = SaveType.CHECKPOINT, **kwargs: Any
    ) -> dict[str, Trackable]:
        """The children of an object by name; keywords are for the object's own method."""
        return children_of(obj, save_type, **kwargs)

    def descendants(self) -> list[Trackable]:
        """All objects under the root and itself, breadth first."""
        return ObjectGraph(self._root).objects


class CheckpointView:
    """The graph of objects in a checkpoint, whose nodes go by number.

    >>> import os, tempfile
    >>> root = tf.train.Checkpoint(a=tf.Variable(1.0))
    >>> path = root.write(os.path.join(tempfile.mkdtemp(), "model"))
    >>> tf.train.CheckpointView(path).children(0)
    {'a': 1}
    """

    def __init__(self, save_path: PathLike) -> None:
        with BundleReader(save_path) as reader:
            proto = read_object_graph(reader)
        if proto is None:
            raise ValueError(
                f"The checkpoint {save_path!s} has no graph of objects: it was written by names, "
                "as TensorFlow 1 does. tf.train.load_checkpoint reads its values."
            )
        self._proto = proto

    def children(self, node_id: int) -> dict[str, int]:
        """The children of a node by name."""
        return {c.local_name: c.node_id for c in self._proto.nodes[node_id].children}

    def descendants(self) -> list[int]:
        """All nodes under the root and itself, breadth first."""
        found, waiting = {0: None}, deque([0])
        while waiting:
            for child in self.children(waiting.popleft()).values():
                if child not in found:
                    found[child] = None
                    waiting.append(child)
        return list(found)

    def match(self, obj: Any) -> dict[int, Trackable]:
        """The nodes for which there are objects, if `obj` is the root."""
        matched: dict[int, Trackable] = {0: obj}
        waiting = deque([0])
        while waiting:
            node = waiting.popleft()
            children = children_of(matched[node])
            for name, child in self.children(node).items():
                if child not in matched and name in children:
                    matched[child] = children[name]
                    waiting.append(child)
        return matched

    def diff(self, obj: Any) -> tuple[dict[int, Trackable], list[int], list[Trackable]]:
        """What matches under `obj`, the nodes that do not, and the objects that do not."""
        matched = self.match(obj)
        bound = {id(item) for item in matched.values()}
        objects = [item for item in ObjectGraph(obj).objects if id(item) not in bound]
        return matched, [n for n in self.descendants() if n not in matched], objects
