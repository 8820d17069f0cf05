"""Archives that `get_file` unpacks: tar and zip."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from random import Random

import runnel as tf
from tests.robustness.hostile.format import Case, Exploit, Format
from tests.robustness.hostile.mutations import damage_bytes, damage_file, one_of

_GOOD = {"data/one.txt": b"one" * 50, "data/inner/two.txt": b"two" * 50}
_NAMES = [
    "/evil",
    "../../../elsewhere/evil",
    "data/../../../../elsewhere/evil",
    "",
    ".",
    "..",
    "a\0b",
]
_NAMES += ["x" * 300, "/".join("y" * 200), "C:\\evil", "data\\..\\evil", "data/one.txt/evil"]


def _load(name: str) -> Callable[[str], None]:
    def load(folder: str) -> None:
        origin = f"file://{folder}/{name}"
        os.makedirs(f"{folder}/cache", exist_ok=True)
        tf.keras.utils.get_file(name, origin=origin, extract=True, cache_dir=f"{folder}/cache")

    return load


# tar


def _make_tar(folder: str) -> None:
    with tarfile.open(f"{folder}/data.tar.gz", "w:gz") as archive:
        for name, data in _GOOD.items():
            _add(archive, name, data)


def _add(
    archive: tarfile.TarFile, name: str, data: bytes = b"", kind: bytes = b"0", **more: str
) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.type = len(data), kind
    for key, value in more.items():
        setattr(entry, key, value)
    archive.addfile(entry, io.BytesIO(data))


_KINDS = [
    tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE,
    tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.CONTTYPE, tarfile.GNUTYPE_SPARSE, b"Z",
]  # fmt: skip


def _damage_entries(folder: str, chance: Random) -> str:
    """An archive of entries of any kind, with any name and target."""
    done = []
    with tarfile.open(f"{folder}/data.tar.gz", "w:gz") as archive:
        for _ in range(chance.randint(1, 6)):
            names = [*_NAMES, *_GOOD, "data", "link", "link/evil"]
            name, target = chance.choice(names), chance.choice(names)
            kind = chance.choice(_KINDS)
            data = b"evil" if kind == tarfile.REGTYPE else b""
            _add(archive, name.replace("\0", "0"), data, kind, linkname=target.replace("\0", "0"))
            done.append(f"{kind.decode()}:{name:.20}->{target:.20}")
    return " ".join(done)


def _damage_plain(folder: str, chance: Random) -> str:
    """Damage the bytes below the compression."""
    path = f"{folder}/data.tar.gz"
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for name, data in _GOOD.items():
            _add(archive, name, data)
    data, how = damage_bytes(raw.getvalue(), chance)
    with open(path, "wb") as file:
        file.write(data)
    return f"plain {how}"


def _evil_tar(*entries: tuple[str, bytes, str]) -> Callable[[Case], None]:
    """An archive of entries, each a name, a kind and where it points."""

    def make(case: Case) -> None:
        with tarfile.open(f"{case.folder}/data.tar.gz", "w:gz") as archive:
            for name, kind, target in entries:
                places = {"name": name, "linkname": target}
                name, target = (text.replace("ELSE", case.elsewhere) for text in places.values())
                _add(
                    archive,
                    name,
                    b"evil" if kind == tarfile.REGTYPE else b"",
                    kind,
                    linkname=target,
                )

    return make


_FILE, _LINK, _HARD = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
_UP = "../../../../elsewhere"
_TARS = {
    "absolute": [("ELSE/evil", _FILE, "")],
    "dots": [(f"{_UP}/evil", _FILE, ""), (f"data/../../{_UP}/evil", _FILE, "")],
    "link": [("link", _LINK, "ELSE"), ("link/evil", _FILE, "")],
    "relative_link": [("link", _LINK, _UP), ("link/evil", _FILE, "")],
    "link_to_link": [("a", _LINK, "."), ("b", _LINK, f"a/{_UP}"), ("b/evil", _FILE, "")],
    "link_in_folder": [("a/b", _LINK, f"../{_UP}"), ("a/b/evil", _FILE, "")],
    "hard_link": [("hard", _HARD, "ELSE/secret.txt"), ("hard", _FILE, "")],
    "file_by_link": [("file", _LINK, "ELSE/secret.txt"), ("file", _FILE, "")],
    "new_file_by_link": [("file", _LINK, "ELSE/made"), ("file", _FILE, "")],
    # The path of a link grows beyond what realpath looks at (CVE-2025-4517).
    "long_path": [
        *((f"{'d' * 247}/" * depth + "d" * 247, tarfile.DIRTYPE, "") for depth in range(15)),
        (f"{'d' * 247}/" * 15 + "l" * 200, _LINK, "../" * 15),
        ("escape", _LINK, f"{'d' * 247}/" * 15 + "l" * 200 + f"/{_UP}"),
        ("escape/evil", _FILE, ""),
    ],
    "device": [("device", tarfile.CHRTYPE, ""), ("pipe", tarfile.FIFOTYPE, "")],
    "chmod": [("link", _LINK, "ELSE"), ("link", tarfile.DIRTYPE, "")],
}


def _tar_bomb(case: Case) -> None:
    with tarfile.open(f"{case.folder}/data.tar.gz", "w:gz") as archive:
        entry = tarfile.TarInfo("zeros")
        entry.size = 1 << 27
        archive.addfile(entry, io.BytesIO(bytes(1 << 27)))


# zip


def _make_zip(folder: str) -> None:
    with zipfile.ZipFile(f"{folder}/data.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _GOOD.items():
            archive.writestr(name, data)


def _damage_names(folder: str, chance: Random) -> str:
    names = [chance.choice([*_NAMES, *_GOOD, "link/evil"]) for _ in range(chance.randint(1, 4))]
    with zipfile.ZipFile(f"{folder}/data.zip", "w") as archive:
        for name in names:
            entry = zipfile.ZipInfo(name or "empty")
            mode = chance.choice([stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO])
            entry.external_attr = (mode | 0o777) << 16
            archive.writestr(entry, chance.choice([b"evil", b"../../../../elsewhere", b"/etc"]))
    return " ".join(name[:20] for name in names)


def _evil_zip(*entries: tuple[str, int, str]) -> Callable[[Case], None]:
    def make(case: Case) -> None:
        with zipfile.ZipFile(f"{case.folder}/data.zip", "w") as archive:
            for name, mode, data in entries:
                entry = zipfile.ZipInfo(name.replace("ELSE", case.elsewhere))
                entry.external_attr = (mode | 0o777) << 16
                archive.writestr(entry, data.replace("ELSE", case.elsewhere))

    return make


_ZIPS = {
    "absolute": [("ELSE/evil", stat.S_IFREG, "evil")],
    "dots": [(f"{_UP}/evil", stat.S_IFREG, "evil"), (f"data/../../{_UP}/evil", stat.S_IFREG, "x")],
    "link": [("link", stat.S_IFLNK, "ELSE"), ("link/evil", stat.S_IFREG, "evil")],
    "file_by_link": [("file", stat.S_IFLNK, "ELSE/made"), ("file", stat.S_IFREG, "evil")],
    "backslash": [("..\\..\\..\\..\\elsewhere\\evil", stat.S_IFREG, "evil")],
}


def _overlapping(case: Case) -> None:
    """Many members that are the same bytes of the file."""
    path = f"{case.folder}/data.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros-0", bytes(1 << 22))
        first = archive.infolist()[0]
        for number in range(1, 200):
            other = zipfile.ZipInfo(f"zeros-{number}")
            for key in ("header_offset", "compress_size", "file_size", "CRC", "compress_type"):
                setattr(other, key, getattr(first, key))
            archive.filelist.append(other)
            archive.NameToInfo[other.filename] = other


def _damage_zip(folder: str, chance: Random) -> str:
    return damage_file(f"{folder}/data.zip", chance)


def _damage_tar(folder: str, chance: Random) -> str:
    return damage_file(f"{folder}/data.tar.gz", chance)


FORMATS = [
    Format(
        "tar",
        1000,
        _make_tar,
        one_of([_damage_entries, _damage_plain, _damage_tar]),
        _load("data.tar.gz"),
        [Exploit(name, _evil_tar(*entries)) for name, entries in _TARS.items()]
        + [Exploit("bomb", _tar_bomb)],
    ),
    Format(
        "zip",
        1000,
        _make_zip,
        one_of([_damage_names, _damage_zip]),
        _load("data.zip"),
        [Exploit(name, _evil_zip(*entries)) for name, entries in _ZIPS.items()]
        + [Exploit("overlapping", _overlapping)],
    ),
]
