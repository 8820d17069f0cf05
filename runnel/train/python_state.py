"""`tf.train.experimental.PythonState`: Python values in checkpoints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from runnel.core.state.trackable import Trackable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.values.dtypes import string


class PythonState(Trackable, ABC):
    """A base for classes that put a string of their own into checkpoints.

    >>> class Count(tf.train.experimental.PythonState):
    ...     value = 0
    ...     def serialize(self):
    ...         return str(self.value)
    ...     def deserialize(self, string_value):
    ...         self.value = int(string_value)
    >>> import os, tempfile
    >>> count = Count()
    >>> count.value = 5
    >>> path = tf.train.Checkpoint(count=count).write(os.path.join(tempfile.mkdtemp(), "model"))
    >>> again = Count()
    >>> status = tf.train.Checkpoint(count=again).read(path)
    >>> again.value
    5
    """

    @abstractmethod
    def serialize(self) -> str | bytes:
        """The state as a string."""

    @abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Take the state that `serialize` gave."""

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"py_state": convert_to_tensor(self.serialize(), dtype=string)}

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> None:
        self.deserialize(restored_tensors["py_state"].numpy())
