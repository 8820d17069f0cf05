"""The methods of `tf.data.Dataset` that keep elements, in memory and on disk."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from runnel.core.tensor.static import is_symbolic_tensor
from runnel.data.dataset.arguments import TransformFunction, path_of
from runnel.data.dataset.base import Base, made
from runnel.data.files.cache_files import CacheFile
from runnel.data.files.saved_format import is_finished
from runnel.data.files.saving import compression_of, load_node, save, snapshot_node
from runnel.data.nodes.caching import Cache

if TYPE_CHECKING:
    from runnel.data.dataset.dataset import Dataset


class Keeping(Base):
    """Elements that are kept."""

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """A dataset that keeps its elements, in memory or in a file, for the next time.

        Args:
            filename: where; "" is memory.

        >>> dataset = tf.data.Dataset.range(3).cache()
        >>> [int(x) for x in dataset] == [int(x) for x in dataset]
        True
        """
        path = path_of(filename)
        if path:
            return made(CacheFile(self._node, path), name)
        return made(Cache(self._node), name)

    def save(
        self,
        path: Any,
        compression: Any = None,
        shard_func: TransformFunction | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Write all elements into a folder, which is whole or not there.

        `checkpoint_args` are those of `tf.train.CheckpointManager`: with them the place in the
        dataset is saved from time to time, and a run that was killed goes on from there.

        Args:
            path: a path, also with a scheme such as `gs://`.
            compression: None, "AUTO", "SNAPPY" or "GZIP".
            shard_func: from an element to the number of its file.
            checkpoint_args: how saving goes on after an interruption.

        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/saved"
        >>> tf.data.Dataset.range(3).save(path)
        >>> [int(x) for x in tf.data.Dataset.load(path)]
        [0, 1, 2]
        """
        save(self, path_of(path), compression, shard_func, checkpoint_args)

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: Any = None,
        reader_func: TransformFunction | None = None,
        wait: bool = False,
    ) -> Dataset:
        """A dataset of what `save` has written, here or in TensorFlow.

        `compression` must be that of `save`; `wait` waits until that is finished.

        Args:
            path: a path, also with a scheme such as `gs://`.
            element_spec: of older versions: what the elements are.
            compression: None, "AUTO", "SNAPPY" or "GZIP".
            reader_func: puts the files' datasets together.
            wait: whether to wait for a dataset that is still being written.

        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/saved"
        >>> tf.data.Dataset.range(3).save(path)
        >>> len(tf.data.Dataset.load(path))
        3
        """
        kind, place = compression_of(compression), path_of(path)
        while wait and not is_finished(place):
            time.sleep(0.1)
        return made(load_node(place, element_spec, kind, reader_func))  # type: ignore[no-any-return]

    def snapshot(
        self,
        path: Any,
        compression: Any = "AUTO",
        reader_func: TransformFunction | None = None,
        shard_func: TransformFunction | None = None,
        name: str | None = None,
    ) -> Dataset:
        """A dataset that the first complete iteration keeps in a folder, for later runs too.

        `shard_func` says for an element into which shard it is written, and `reader_func` makes of
        a dataset of shards, each a dataset, the one that is read.

        Args:
            path: the folder.
            compression: "AUTO", "GZIP", "SNAPPY" or None.
            reader_func: puts the files' datasets together.
            shard_func: from an element to the number of its file.

        >>> import tempfile
        >>> dataset = tf.data.Dataset.range(3).snapshot(tempfile.mkdtemp())
        >>> [int(x) for x in dataset] == [int(x) for x in dataset]
        True
        """
        place = path if is_symbolic_tensor(path) else path_of(path)
        node = snapshot_node(self._node, place, compression, shard_func, reader_func)
        return made(node, name)  # type: ignore[no-any-return]
