"""Files from the web, kept in a cache and checked by their hash."""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

import runnel as tf
from runnel.keras.utils.downloads.archives import extract_archive
from runnel.keras.utils.messages import print_message
from runnel.keras.utils.progress_bar import Progbar

_CHUNK = 1 << 16


def get_file(
    fname: Any = None,
    origin: str | None = None,
    untar: bool = False,
    md5_hash: str | None = None,
    file_hash: str | None = None,
    cache_subdir: str = "datasets",
    hash_algorithm: str = "auto",
    extract: bool = False,
    archive_format: Any = "auto",
    cache_dir: Any = None,
) -> str:
    """The path of a file in the cache (`~/.keras/datasets`), downloaded if it is not there.

    A file whose hash is not `file_hash` is downloaded again. With `extract` an archive is
    unpacked beside it.

    Args:
        fname: what the file is called in the cache; None takes the end of `origin`.
        origin: the address to download from.
        untar: of older versions: `extract` with `archive_format="tar"`.
        md5_hash: of older versions: `file_hash` with `hash_algorithm="md5"`.
        file_hash: the expected hash, as hexadecimal digits.
        cache_subdir: the folder inside the cache, or an absolute path.
        hash_algorithm: "md5", "sha256", or "auto" to tell by the length.
        extract: whether an archive is unpacked.
        archive_format: "tar", "zip", "auto" to try, or None.
        cache_dir: the folder of the cache; None is `~/.keras`.

    Raises:
        ValueError: there is no `origin`.
        Exception: the download failed, or its hash is another.
    """
    if origin is None:
        raise ValueError("`origin`, the address of the file, must be given.")
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    folder = _cache_folder(cache_dir, cache_subdir)
    name = os.fspath(fname) if fname else os.path.basename(urlsplit(origin).path)
    if not name:
        raise ValueError(f"`origin` {origin!r} does not end in a file name: give `fname`.")
    unpacked = os.path.join(folder, name.removesuffix(".tar.gz"))
    path = unpacked + ".tar.gz" if untar else os.path.join(folder, name)
    _fetch(path, origin, file_hash, hash_algorithm)
    if untar:
        if not os.path.exists(unpacked):
            extract_archive(path, folder, "tar")
        return unpacked
    if extract:
        extract_archive(path, folder, archive_format)
    return path


def _cache_folder(cache_dir: Any, subdir: str) -> str:
    base = os.path.expanduser(cache_dir or "~/.keras")
    if cache_dir is None:
        _make_folder(base)
    if not os.access(base, os.W_OK):
        base = os.path.join(tempfile.gettempdir(), ".keras")
    folder = os.path.join(base, subdir)
    os.makedirs(folder, exist_ok=True)
    return folder


def _make_folder(path: str) -> None:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError:
        return  # a home that cannot be written: the caller takes another place


def _fetch(path: str, origin: str, file_hash: str | None, algorithm: str) -> None:
    """Have `path` hold the file at `origin`, with the right hash."""
    if os.path.exists(path):
        if file_hash is None or validate_file(path, file_hash, algorithm):
            return
        print_message(
            f"The {algorithm} hash of {path} is not {file_hash}: the file is incomplete or "
            "outdated and is downloaded again."
        )
    print_message(f"Downloading data from {origin}")
    partial = tf.__internal__.files.temporary(path)
    try:
        _download(origin, partial, path)
        if file_hash is not None and not validate_file(partial, file_hash, algorithm):
            raise ValueError(
                f"The file at {origin} is incomplete or was changed: its {algorithm} hash is not "
                f"{file_hash}."
            )
        os.replace(partial, path)
        tf.__internal__.files.sweep(os.path.dirname(path))
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def _download(origin: str, partial: str, path: str) -> None:
    try:
        with urllib.request.urlopen(origin) as response, open(partial, "wb") as file:
            _copy(response, file)
    except urllib.error.HTTPError as error:
        raise Exception(f"URL fetch failure on {origin}: {error.code} -- {error.msg}") from error
    except urllib.error.URLError as error:
        raise Exception(
            f"URL fetch failure on {origin}: {error.errno} -- {error.reason}. Without a network, "
            f"put the file at {path} by hand."
        ) from error


def _copy(response: Any, file: Any) -> None:
    length = response.info().get("Content-Length")
    bar = Progbar(int(length) or None if length else None)
    done = 0
    while chunk := response.read(_CHUNK):
        file.write(chunk)
        done += len(chunk)
        bar.update(done)


def validate_file(path: str, file_hash: str, algorithm: str = "auto") -> bool:
    """Whether the file has this sha256 or md5 hash (told apart by its length)."""
    sha = algorithm == "sha256" or (algorithm == "auto" and len(file_hash) == 64)
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256" if sha else "md5")
    return digest.hexdigest() == file_hash
