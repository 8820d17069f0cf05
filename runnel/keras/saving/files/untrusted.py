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

    def elsewhere(name: str, link: Any) -> str | None:
        return f"{name} is in {link.filename}" if isinstance(link, h5py.ExternalLink) else None

    def kept_elsewhere(name: str, thing: Any) -> str | None:
        outside = isinstance(thing, h5py.Dataset) and (thing.external or thing.is_virtual)
        return f"the values of {name}" if outside else None

    with h5py.File(file, "r") as h5:
        found = h5.visititems_links(elsewhere) or h5.visititems(kept_elsewhere)
        if found is not None:
            raise ValueError(f"Refused to take weights from another file: {found}.")
        found = h5.visititems(_inflated)
        if found is not None:
            raise ValueError(f"Refused to read weights that are not in the file: {found}.")
        yield h5


def _inflated(name: str, thing: Any) -> str | None:
    """What is wrong with an array that claims to be much larger than what is stored of it."""
    if not hasattr(thing, "nbytes") or thing.nbytes <= _BYTES_READ_UNASKED:
        return None
    stored = thing.id.get_storage_size()
    if thing.nbytes <= _INFLATION * stored:
        return None
    return f"{name} has {thing.nbytes:,} bytes, of which {stored:,} are stored"


def stored_weights(h5: Any) -> int:
    """The bytes of all arrays in an HDF5 file, and some to spare."""
    sizes: list[int] = []
    h5.visititems(lambda name, thing: sizes.append(getattr(thing, "nbytes", 0)))
    return sum(sizes) + _SPARE


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
