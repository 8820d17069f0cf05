"""A disk that gets full while a model is written."""

from __future__ import annotations

import errno
import os
import pathlib
from typing import Any

import pytest

import runnel as tf
from runnel.keras.saving.files import archive


class _Full:
    """A file with room for so many bytes."""

    def __init__(self, file: Any, room: int) -> None:
        self._file, self._room = file, room

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, data: Any) -> Any:
        if self._file.tell() + len(data) > self._room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self._file.write(data)


@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5")
@pytest.mark.parametrize("name", ["model.h5", "model.keras", "model.weights.h5", "weights.h5"])
def test_a_full_disk_is_reported_and_the_old_file_stays(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(64, input_shape=(64,))])
    save = model.save_weights if "weights" in name else model.save
    save(tmp_path / name)
    old = (tmp_path / name).read_bytes()
    calm = archive._Calm
    for room in (0, 100, len(old) // 2, len(old) - 1):
        monkeypatch.setattr(archive, "_Calm", lambda file, room=room: calm(_Full(file, room)))
        with pytest.raises(tf.errors.ResourceExhaustedError, match=f"{name}; No space left"):
            save(tmp_path / name)
        assert os.listdir(tmp_path) == [name]
        assert (tmp_path / name).read_bytes() == old
