"""Files may be damaged, or made to do harm: what is checked of them, and how it is reported."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

_SYMPTOMS = (
    *(AttributeError, IndexError, KeyError, MemoryError, OverflowError, RuntimeError, SystemError),
    zlib.error,
)
_BYTES_READ_UNASKED = 1 << 26  # bytes that are read without asking how much of a file they are
_INFLATION = 1000  # what is larger than that may be packed so tightly, and not more
_SPARE = 1 << 30  # bytes of weights that a config may ask for beyond those in its file
_MOST_THRESHOLDS = 10**7
_DEEPEST = 300  # levels of a config; each takes several calls to read
_READERS = ("runnel.", "h5py", "json", "zipfile", "zlib")


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Inside, errors by which damage shows itself are reported as such.

    Errors in code of users, such as their `from_config`, are not touched.
    """
    try:
        yield
    except (*_SYMPTOMS, zipfile.BadZipFile) as error:
        reader = _module_of(error.__traceback__)
        nested = isinstance(error, RecursionError)
        trusted = isinstance(error, RuntimeError) and not nested and not reader.startswith("h5py")
        if trusted or not reader.startswith(_READERS):
            raise
        raise ValueError(
            f"{path} cannot be loaded: it is damaged, or not what it should be "
            f"({type(error).__name__}: {error})."
        ) from error


def _module_of(place: TracebackType | None) -> str:
    """The name of the module in which an error arose."""
    name = ""
    while place is not None:
        name, place = place.tb_frame.f_globals.get("__name__", ""), place.tb_next
    return name


@contextmanager
def opened_hdf5(file: Any) -> Iterator[Any]:
    """An HDF5 file to be read, that has nothing in it which is in truth in another file."""
    import h5py

    def elsewhere(name: bytes, link: Any) -> bytes | None:
        return name if link.type == h5py.h5l.TYPE_EXTERNAL else None

    with h5py.File(file, "r") as h5:
        found = h5.id.links.visit(elsewhere, info=True)
        if found is not None:
            source = f"{found.decode()} is in {h5.get(found, getlink=True).filename}"
            raise ValueError(f"Refused to take weights from another file: {source}.")
        for name, array in _arrays(h5):
            _check_array(name, array)
        yield h5


def _arrays(h5: Any) -> Iterator[tuple[str, Any]]:
    """The arrays of a file by name, without the objects that h5py makes of them and their groups,
    which takes it half the time of loading a small model.
    """
    import h5py

    names: list[bytes] = []

    def note(name: bytes, info: Any) -> None:
        if info.type == h5py.h5o.TYPE_DATASET:
            names.append(name)

    h5py.h5o.visit(h5.id, note, info=True)
    return ((name.decode(), h5py.h5d.open(h5.id, name)) for name in names)


def _check_array(name: str, array: Any) -> None:
    """Refuse an array that is elsewhere, or that claims to be much larger than what is stored."""
    import h5py

    how = array.get_create_plist()
    if how.get_external_count() or how.get_layout() == h5py.h5d.VIRTUAL:
        raise ValueError(f"Refused to take weights from another file: the values of {name}.")
    size, stored = _size(array), array.get_storage_size()
    if size > max(_BYTES_READ_UNASKED, _INFLATION * stored):
        raise ValueError(
            f"Refused to read weights that are not in the file: {name} has {size:,} bytes, of "
            f"which {stored:,} are stored."
        )


def _size(array: Any) -> int:
    return int(array.get_space().get_simple_extent_npoints() * array.get_type().get_size())


def stored_weights(h5: Any) -> int:
    """The bytes of all arrays in an HDF5 file, and some to spare."""
    return sum(_size(array) for _, array in _arrays(h5)) + _SPARE


def check_archive(archive: zipfile.ZipFile, path: str) -> None:
    """Refuse a zip whose contents are out of proportion to its size."""
    for member in archive.infolist():
        if member.file_size > max(_BYTES_READ_UNASKED, _INFLATION * member.compress_size):
            raise ValueError(
                f"{path} is refused: {member.filename} would grow from {member.compress_size:,} to "
                f"{member.file_size:,} bytes, as in files that are made to exhaust the memory."
            )


def check_config(config: Any) -> None:
    """Refuse what would fill the memory before any weight is made, or nest too deep to be read."""
    waiting = [(config, 0)]
    while waiting:
        part, depth = waiting.pop()
        if depth > _DEEPEST:
            raise ValueError(f"Refused to read a config of more than {_DEEPEST} levels.")
        if isinstance(part, dict):
            count = part.get("num_thresholds")
            if isinstance(count, int | float) and count > _MOST_THRESHOLDS:
                raise ValueError(f"Refused to make a metric of {count:,} thresholds.")
            waiting += [(value, depth + 1) for value in part.values()]
        elif isinstance(part, list):
            waiting += [(value, depth + 1) for value in part]
