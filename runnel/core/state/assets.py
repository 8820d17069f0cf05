"""`tf.saved_model.Asset`: a file that goes with a model, such as the words of a lookup table."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.files import files
from runnel.core.files.files import PathLike
from runnel.core.state.trackable import Trackable
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import string


class Asset(Trackable):
    """A file that is copied into a SavedModel, and whose path functions may use.

    >>> tf.saved_model.Asset("words.txt").asset_path.numpy()
    b'words.txt'
    """

    def __init__(self, path: PathLike | Tensor) -> None:
        name: Any = path.numpy() if isinstance(path, Tensor) else path
        content = np.empty((), object)
        content[()] = files.as_path(name).encode()
        self._path = EagerTensor(content, string)

    @property
    def asset_path(self) -> Tensor:
        """The path now, as a string tensor."""
        return self._path

    @property
    def file(self) -> str:
        return self._path._value[()].decode()  # type: ignore[no-any-return]

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        return self._path
