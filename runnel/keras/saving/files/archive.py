"""`.keras` files, and the weight files in them: a zip of JSON and HDF5."""

from __future__ import annotations

import datetime
import io
import json
import os
import tempfile
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any

import runnel as tf
from runnel.keras.engine.weight_budget import weights_limited_to
from runnel.keras.metrics.base import Metric
from runnel.keras.optimizers.optimizer import Optimizer
from runnel.keras.saving.files import keras3
from runnel.keras.saving.serialization import (
    SafeModeScope,
    deserialize_keras_object,
    serialize_keras_object,
)
from runnel.keras.saving.version import KERAS_VERSION
from .state_tree import states
from .untrusted import check_archive, check_config, opened_hdf5, stored_weights

_user_level = tf.__internal__.tracebacks.user_level

_CONFIG, _METADATA, _WEIGHTS, _ASSETS = (
    "config.json",
    "metadata.json",
    "model.weights.h5",
    "assets",
)


def is_archive(path: str) -> bool:
    """Whether a file is a zip."""
    return os.path.isfile(path) and zipfile.is_zipfile(path)


@contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` when all went well.

    What writes a zip or HDF5 cannot stop in the middle when the disk is full: it is let finish, and
    the error comes then.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"No such directory: {folder!r}")
    with tf.__internal__.files.writing(path) as file:
        calm = _Calm(file)
        try:
            yield calm  # type: ignore[misc]
        except Exception:
            calm.check()
            raise
        calm.check()


class _Calm(io.RawIOBase):
    """A file whose first error waits until somebody asks, and after which nothing is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._place = file, 0
        self._error: OSError | None = None

    def check(self) -> None:
        if self._error is not None:
            raise self._error

    def write(self, data: Any) -> int:
        rest = memoryview(data).cast("B")
        size = len(rest)
        try:
            while rest and self._error is None:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._error = error
        return size

    def readinto(self, buffer: Any) -> int:
        return self._file.readinto(buffer)  # type: ignore[attr-defined, no-any-return]

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def truncate(self, size: int | None = None) -> int:
        try:
            return self._file.truncate(size)
        except OSError as error:
            self._error = self._error or error
            return size or 0

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


def save(model: Any, path: str) -> None:
    """Write a model."""
    if not model.built:
        warnings.warn(
            "You are saving a model that has not yet been built. It might not contain any weights "
            "yet. Consider building the model first by calling it on some data.",
            stacklevel=_user_level(),
        )
    config = json.dumps(serialize_keras_object(model))
    now = datetime.datetime.now().strftime("%Y-%m-%d@%H:%M:%S")
    metadata = json.dumps({"keras_version": KERAS_VERSION, "date_saved": now})
    weights = io.BytesIO()
    _write_weights(model, weights)
    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(_METADATA, metadata)
        archive.writestr(_CONFIG, config)
        _write_assets(model, archive)
        archive.writestr(_WEIGHTS, weights.getvalue())


def _write_weights(model: Any, file: Any) -> None:
    import h5py

    with h5py.File(file, "w") as h5:
        for path, thing in states(model):
            if hasattr(thing, "save_own_variables"):
                group = h5.require_group(f"{path}/vars" if path else "vars")
                thing.save_own_variables(group)


def _write_assets(model: Any, archive: zipfile.ZipFile) -> None:
    for path, thing in states(model):
        if not hasattr(thing, "save_assets"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            thing.save_assets(folder)
            for base, _, names in os.walk(folder):
                for name in names:
                    full = os.path.join(base, name)
                    inner = os.path.relpath(full, folder)
                    archive.write(full, "/".join([_ASSETS, path, inner]))


def load(
    path: str, custom_objects: Any = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """Read a model."""
    with zipfile.ZipFile(path) as archive:
        check_archive(archive, path)
        config = _json(archive, _CONFIG, path)
        check_config(config)
        if keras3.is_keras3(_version(archive)):
            config = keras3.translated(config)
        if not compile and isinstance(config, dict):
            config.pop("compile_config", None)
        weights = io.BytesIO(_bytes(archive, _WEIGHTS, path))
        with _opened(weights) as h5:
            with SafeModeScope(safe_mode), weights_limited_to(stored_weights(h5)):
                model = deserialize_keras_object(config, custom_objects, safe_mode=safe_mode)
            if isinstance(model, dict | list | str):
                raise ValueError(f"{path} is damaged: its {_CONFIG} describes no model.")
            _load_assets(model, archive)
            _read_weights(model, h5)
    return model


def _bytes(archive: zipfile.ZipFile, name: str, path: str) -> bytes:
    try:
        return archive.read(name)
    except (KeyError, zipfile.BadZipFile, EOFError) as error:
        raise ValueError(f"{path} is no Keras model, or damaged: {error}") from error


def _json(archive: zipfile.ZipFile, name: str, path: str) -> Any:
    try:
        return json.loads(_bytes(archive, name, path))
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {name} cannot be read: {error}") from error


def _version(archive: zipfile.ZipFile) -> Any:
    if _METADATA not in archive.namelist():
        return None
    metadata = _json(archive, _METADATA, str(archive.filename))
    return metadata.get("keras_version") if isinstance(metadata, dict) else None


def _load_assets(model: Any, archive: zipfile.ZipFile) -> None:
    listed = archive.namelist()
    names = [n for n in listed if n.startswith(_ASSETS + "/") and not n.endswith("/")]
    if not names:
        return
    for path, thing in states(model):
        if not hasattr(thing, "load_assets"):
            continue
        prefix = "/".join([_ASSETS, path]) + "/"
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                inner = name.removeprefix(prefix)
                if not name.startswith(prefix) or ".." in inner or inner.startswith("/"):
                    continue
                target = os.path.join(folder, inner)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "wb") as file:
                    file.write(archive.read(name))
            thing.load_assets(folder)


@contextmanager
def _opened(file: Any) -> Iterator[Any]:
    with ExitStack() as stack:
        try:
            h5 = stack.enter_context(opened_hdf5(file))
        except OSError as error:
            raise ValueError(
                f"The weights cannot be read; the file may be damaged: {error}"
            ) from error
        yield h5


def _read_weights(model: Any, h5: Any, skip_mismatch: bool = False) -> None:
    for path, thing in states(model):
        if hasattr(thing, "load_own_variables"):
            _read_variables(thing, _group(h5, path), skip_mismatch)


def _read_variables(thing: Any, group: Any, skip_mismatch: bool) -> None:
    if isinstance(thing, Metric) and not group:
        return  # Keras 3 keeps metrics elsewhere, and an epoch begins them anew
    if isinstance(thing, Optimizer) and keras3.wrote(group):
        group = keras3.slots(group, thing.variables)
    try:
        thing.load_own_variables(group)
    except Exception as error:
        if not skip_mismatch:
            raise
        warnings.warn(
            f"Could not load weights in object {thing}. Skipping object. Exception "
            f"encountered: {error}",
            stacklevel=_user_level(),
        )


def _group(h5: Any, path: str) -> Any:
    """The weights of a path; Keras 3 leaves out the underscores before names of attributes."""
    for place in (path, path.replace("/_", "/")):
        found = h5.get(f"{place}/vars" if place else "vars")
        if found is not None:
            return found
    return {}


def save_weights(model: Any, path: str) -> None:
    """Write the weights alone (`.weights.h5`)."""
    with replacing(path) as file:
        _write_weights(model, file)


def load_weights(model: Any, path: str, skip_mismatch: bool = False) -> None:
    """Read weights from a `.weights.h5` file, or from a whole model."""
    if is_archive(path):
        with zipfile.ZipFile(path) as archive:
            check_archive(archive, path)
            file: Any = io.BytesIO(_bytes(archive, _WEIGHTS, path))
    else:
        file = path
    with _opened(file) as h5:
        _read_weights(model, h5, skip_mismatch)
