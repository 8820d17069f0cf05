"""Unpacking downloaded archives without leaving their folder."""

from __future__ import annotations

import os
import shutil
import tarfile
import warnings
import zipfile
from collections.abc import Iterable
from typing import Any


def extract_archive(file: str, folder: str, formats: str | Iterable[str] | None = "auto") -> bool:
    """Unpack a tar or zip file into `folder`; False if it is neither.

    Members that would land outside the folder, and devices, are left out with a warning.
    """
    if formats is None:
        return False
    wanted = ("tar", "zip") if formats == "auto" else formats
    for kind in [wanted] if isinstance(wanted, str) else wanted:
        if kind not in _EXTRACT:
            raise ValueError(f"`archive_format` must be 'auto', 'tar' or 'zip', got {kind!r}.")
        matches, extract = _EXTRACT[kind]
        if matches(file):
            try:
                extract(file, folder)
            except (tarfile.TarError, RuntimeError, KeyboardInterrupt):
                _remove_partial(folder)
                raise
            return True
    return False


def _remove_partial(folder: str) -> None:
    if not os.listdir(folder):
        shutil.rmtree(folder)


def _extract_tar(file: str, folder: str) -> None:
    with tarfile.open(file) as archive:
        for member in archive:
            try:
                archive.extract(member, folder, filter="data")
            except tarfile.FilterError as error:
                _skipped(member.name, str(error))


def _extract_zip(file: str, folder: str) -> None:
    base = os.path.realpath(folder)
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            target = os.path.realpath(os.path.join(base, member.filename))
            if os.path.commonpath([base, target]) != base:
                _skipped(member.filename, "it would be written outside of the folder")
                continue
            archive.extract(member, base)


def _skipped(name: str, reason: str) -> None:
    warnings.warn(f"Skipping {name!r} of the archive: {reason}.", stacklevel=2)


_EXTRACT: dict[str, tuple[Any, Any]] = {
    "tar": (tarfile.is_tarfile, _extract_tar),
    "zip": (zipfile.is_zipfile, _extract_zip),
}
