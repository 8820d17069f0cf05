"""Files from the web: the cache, hashes, and archives that mean harm."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from runnel.keras.utils import get_file
from runnel.keras.utils.archives import extract_archive


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


def test_a_tar_file_cannot_write_outside_its_folder(tmp_path: Path) -> None:
    source, folder = tmp_path / "evil.tar", tmp_path / "inside"
    folder.mkdir()
    with tarfile.open(source, "w") as archive:
        for name in ("../outside.txt", "fine.txt"):
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        archive.addfile(link)
    with pytest.warns(UserWarning, match="Skipping"):
        assert extract_archive(str(source), str(folder))
    assert sorted(path.name for path in folder.iterdir()) == ["fine.txt"]
    assert not (tmp_path / "outside.txt").exists()


def test_a_zip_file_cannot_write_outside_its_folder(tmp_path: Path) -> None:
    source, folder = tmp_path / "evil.zip", tmp_path / "inside"
    folder.mkdir()
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("../outside.txt", "x")
        archive.writestr("fine.txt", "x")
    with pytest.warns(UserWarning, match="Skipping"):
        assert extract_archive(str(source), str(folder), "zip")
    assert sorted(path.name for path in folder.iterdir()) == ["fine.txt"]
    assert not (tmp_path / "outside.txt").exists()


def test_what_is_no_archive_stays_as_it_is(tmp_path: Path) -> None:
    plain = tmp_path / "a.txt"
    plain.write_text("text")
    assert not extract_archive(str(plain), str(tmp_path))
    assert not extract_archive(str(plain), str(tmp_path), None)
    with pytest.raises(ValueError, match="rar"):
        extract_archive(str(plain), str(tmp_path), "rar")
