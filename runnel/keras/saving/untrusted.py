"""Files may be damaged, or made to do harm: what is checked of them, and how it is reported."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

_SYMPTOMS = (
    *(AttributeError, IndexError, KeyError, OverflowError, RuntimeError, SystemError),
    zlib.error,
)
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
        trusted = isinstance(error, RuntimeError) and not reader.startswith("h5py")
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
        yield h5
