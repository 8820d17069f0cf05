"""Tables whose program runs what fills them."""

from __future__ import annotations

from typing import Any

import runnel as tf


class StaticHashTable(tf.lookup.StaticHashTable):
    """A table that an initializer fills, and that stays as it is.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     first = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    ...     table = tf.compat.v1.lookup.StaticHashTable(first, default_value=0)
    ...     found = table.lookup(tf.constant(["b", "c"]))
    ...     session.run(table.initializer)
    ...     session.run(found).tolist()
    [2, 0]
    """

    @property
    def initializer(self) -> Any:
        """The operation that fills the table."""
        return self._filled


class StaticVocabularyTable(tf.lookup.StaticVocabularyTable):
    """Numbers for words: those of an initializer, and beyond them buckets for others."""

    @property
    def initializer(self) -> Any:
        """The operation that fills the table; None if there is no vocabulary."""
        return None if self._table is None else self._table._filled
