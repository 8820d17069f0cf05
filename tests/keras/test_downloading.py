"""Files from the web: the cache, hashes, and archives that mean harm."""

from __future__ import annotations

import io
import random
import stat
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from runnel.keras.utils import get_file
from runnel.keras.utils.downloads.archives import extract_archive


def test_a_file_with_another_hash_is_fetched_again(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text("new")
    cached = tmp_path / "datasets" / "a.txt"
    cached.parent.mkdir()
    cached.write_text("old")
    # the md5 of "new"
    found = get_file(
        origin=source.as_uri(), file_hash="22af645d1859cb5ca6da0c484f1f37ea", cache_dir=tmp_path
    )
    assert Path(found).read_text() == "new"


def test_a_download_with_the_wrong_hash_is_not_kept(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text("something else")
    with pytest.raises(ValueError, match="hash is not"):
        get_file(origin=source.as_uri(), file_hash="0" * 64, cache_dir=tmp_path)
    assert list((tmp_path / "datasets").iterdir()) == []


def test_an_unpacked_tar_file_is_found_under_its_name(tmp_path: Path) -> None:
    source = tmp_path / "folder.tar.gz"
    with tarfile.open(source, "w:gz") as archive:
        content = b"hello"
        member = tarfile.TarInfo("folder/inside.txt")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    found = get_file("folder", source.as_uri(), untar=True, cache_dir=tmp_path)
    assert Path(found, "inside.txt").read_text() == "hello"


Member = tuple[str, str, str]  # its name, kind, and the text of a file or the target of a link
_TAR = {
    "file": tarfile.REGTYPE,
    "link": tarfile.SYMTYPE,
    "hard link": tarfile.LNKTYPE,
    "folder": tarfile.DIRTYPE,
    "device": tarfile.CHRTYPE,
    "pipe": tarfile.FIFOTYPE,
}
_ZIP = {
    "file": stat.S_IFREG,
    "link": stat.S_IFLNK,
    "hard link": stat.S_IFSOCK,
    "folder": stat.S_IFDIR,
    "device": stat.S_IFCHR,
    "pipe": stat.S_IFIFO,
}


def _tar_of(members: list[Member], path: Path) -> None:
    with tarfile.open(path, "w") as archive:
        for name, kind, text in members:
            member = tarfile.TarInfo(name)
            member.type = _TAR[kind]
            if kind == "file":
                member.size = len(text)
            else:
                member.linkname = text
            archive.addfile(member, io.BytesIO(text.encode()))


def _zip_of(members: list[Member], path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, kind, text in members:
            member = zipfile.ZipInfo(name)
            member.external_attr = (_ZIP[kind] | 0o644) << 16
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a name that is there twice
                archive.writestr(member, text)


_DEEP = "/".join("d" * 200 for _ in range(30))
_EVIL: dict[str, list[Member]] = {
    "up": [("../outside.txt", "file", "x")],
    "up inside": [("a/../../outside.txt", "file", "x")],
    "with other slashes": [("a\\..\\..\\outside.txt", "file", "x")],
    "absolute": [("{outside}/outside.txt", "file", "x")],
    "a link out": [("a", "link", "..")],
    "an absolute link": [("a", "link", "{outside}")],
    "through a link": [("a", "link", "b"), ("a/outside.txt", "file", "x")],
    "through a link out": [("a", "link", ".."), ("a/outside.txt", "file", "x")],
    "a file that was a link": [("a", "link", "../outside.txt"), ("a", "file", "x")],
    "up behind a link": [("c", "link", "."), ("a", "link", "c/x/../../..")],
    "past a link": [("b/c", "link", ".."), ("a", "link", "b/c/outside")],
    "a chain": [("a", "link", "b"), ("b", "link", "../.."), ("a/x", "file", "x")],
    "a long chain": [(_DEEP + "/a", "link", "../" * 31), ("a", "link", _DEEP + "/a")],
    "a hard link": [("a", "hard link", "../bait.txt")],
    "an absolute hard link": [("a", "hard link", "{outside}/bait.txt")],
    "a device": [("a", "device", "")],
    "a pipe": [("a", "pipe", "")],
    "a long name": [("a" * 300, "file", "x")],
}


@pytest.mark.parametrize("pack", [_tar_of, _zip_of])
@pytest.mark.parametrize("case", _EVIL)
def test_an_archive_writes_nothing_outside_its_folder(
    case: str, pack: Callable[[list[Member], Path], None], tmp_path: Path
) -> None:
    source, folder = tmp_path / "evil", tmp_path / "inside" / "deep"
    folder.mkdir(parents=True)
    (tmp_path / "bait.txt").write_text("bait")
    given = [tuple(part.format(outside=tmp_path) for part in m) for m in _EVIL[case]]
    pack([("fine.txt", "file", "x"), *given], source)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="cannot be unpacked"):
        extract_archive(str(source), str(folder))
    assert list(folder.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bait.txt", "evil", "inside"]
    assert (tmp_path / "bait.txt").read_text() == "bait"


def test_nothing_is_written_through_a_link_that_was_there(tmp_path: Path) -> None:
    source, folder = tmp_path / "a.tar", tmp_path / "inside"
    folder.mkdir()
    (folder / "a").symlink_to(tmp_path)
    (folder / "b").symlink_to(tmp_path / "bait.txt")
    (tmp_path / "bait.txt").write_text("bait")
    _tar_of([("b", "file", "new")], source)
    assert extract_archive(str(source), str(folder))
    assert (folder / "b").read_text() == "new"
    assert (tmp_path / "bait.txt").read_text() == "bait"
    _tar_of([("a/outside.txt", "file", "x")], source)
    with pytest.raises(ValueError, match="leads out"):
        extract_archive(str(source), str(folder))
    assert not (tmp_path / "outside.txt").exists()


@pytest.mark.parametrize("pack", [_tar_of, _zip_of])
def test_links_inside_of_the_folder_are_made(
    pack: Callable[[list[Member], Path], None], tmp_path: Path
) -> None:
    source, folder = tmp_path / "fine", tmp_path / "inside"
    folder.mkdir()
    pack([("a/b/link", "link", "../c.txt"), ("./a/c.txt", "file", "hello")], source)
    for _ in range(2):  # over what is there
        assert extract_archive(str(source), str(folder))
    assert (folder / "a" / "b" / "link").read_text() == "hello"


def test_a_hard_link_becomes_a_copy(tmp_path: Path) -> None:
    _tar_of([("a", "file", "hello"), ("b", "hard link", "a")], tmp_path / "a.tar")
    assert extract_archive(str(tmp_path / "a.tar"), str(tmp_path))
    assert (tmp_path / "b").read_text() == "hello"
    assert (tmp_path / "b").stat().st_nlink == 1


def test_what_is_no_archive_stays_as_it_is(tmp_path: Path) -> None:
    plain = tmp_path / "a.txt"
    plain.write_text("text")
    assert not extract_archive(str(plain), str(tmp_path))
    assert not extract_archive(str(plain), str(tmp_path), None)
    with pytest.raises(ValueError, match="rar"):
        extract_archive(str(plain), str(tmp_path), "rar")


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz"])
def test_a_damaged_archive_is_a_value_error(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    content = random.Random(0).randbytes(50000)
    if name == "a.zip":
        with zipfile.ZipFile(source, "w") as packed:
            packed.writestr("inside", content)
    else:
        with tarfile.open(source, "w:gz" if name.endswith("gz") else "w") as archive:
            member = tarfile.TarInfo("inside")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    whole = source.read_bytes()
    half = len(whole) // 2
    source.write_bytes(whole[:half] + (b"no" + whole[half + 2 :] if name == "a.zip" else b""))
    with pytest.raises(ValueError, match="cannot be unpacked"):
        get_file(f"last{name}", source.as_uri(), extract=True, cache_dir=tmp_path)
