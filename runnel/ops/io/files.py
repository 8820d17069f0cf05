"""Whole files: reading, writing, and finding them by patterns."""

from __future__ import annotations

import fnmatch
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.files import files
from runnel.core.state.variable import Variable
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike


def _one_name(filename: Spec) -> Dims:
    if filename.dims is not None and filename.dims != ():
        raise bad_shape("ReadFile", filename=filename, want="be a scalar")
    return ()


def _path(name: Array) -> str:
    if np.ndim(name):
        raise ValueError("the name of a file is a scalar")
    return np.asarray(name).item().decode()  # type: ignore[no-any-return]


def _text(content: bytes) -> Array:
    made = np.empty((), object)
    made[()] = content
    return made


_READS: Any = {"effects": "reads files", "stateful": False}


@op("ReadFile", "filename: string -> contents: string", shape=_one_name, **_READS)
def _read_file(xp: Namespace, filename: Array) -> Array:
    return _text(files.read_whole(_path(filename)))


def _no_output(filename: Spec, contents: Spec) -> list[Dims]:
    for name, spec in (("filename", filename), ("contents", contents)):
        if spec.dims is not None and spec.dims != ():
            raise bad_shape("WriteFile", want="be a scalar", **{name: spec})
    return []


@op(
    "WriteFile",
    "filename: string[0], contents: string[0] ->",
    shape=_no_output,
    effects="writes files",
)
def _write_file(xp: Namespace, filename: Array, contents: Array) -> None:
    path = _path(filename)
    if np.ndim(contents):
        raise ValueError("the contents of a file are a scalar")
    folder = files.as_path(path).rpartition("/")[0]
    if folder:
        files.makedirs(folder)
    files.write_whole(path, np.asarray(contents).item())


def _matching_shape(pattern: Spec) -> Dims:
    if pattern.dims is not None and len(pattern.dims) > 1:
        raise bad_shape("MatchingFiles", pattern=pattern, want="be a scalar or a vector")
    return (None,)


@op("MatchingFiles", "pattern: string -> filenames: string", shape=_matching_shape, **_READS)
def _matching_files(xp: Namespace, pattern: Array) -> Array:
    if np.ndim(pattern) > 1:
        raise ValueError("patterns are a scalar or a vector")
    found = [name.encode() for text in np.ravel(pattern).tolist() for name in find(text.decode())]
    made = np.empty(len(found), object)
    made[:] = sorted(found)
    return made


def find(pattern: str) -> list[str]:
    """The files whose paths match a pattern with `*`, `?` and `[]`; `*` stops at a slash."""
    found: list[Any] = files.glob(pattern)
    parts = pattern.split("/")
    return [
        name
        for name in found
        if len(parts) != name.count("/") + 1
        or all(fnmatch.fnmatchcase(a, b) for a, b in zip(name.split("/"), parts))
    ]


def read_file(filename: TensorLike, name: str | None = None) -> Tensor:
    """The contents of a file as one string.

    Args:
        filename: a path, also with a scheme such as `gs://`.

    Raises:
        NotFoundError: there is no such file.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(folder + "/a.txt", "hello")
    >>> tf.io.read_file(folder + "/a.txt").numpy()
    b'hello'
    """
    return raw_ops.ReadFile(filename, name=name)  # type: ignore[no-any-return]


def write_file(filename: TensorLike, contents: TensorLike, name: str | None = None) -> Any:
    """Write a file, which is whole or not there, and the folders on the way to it.

    >>> import tempfile
    >>> tf.io.write_file(tempfile.mkdtemp() + "/new/a.txt", "hello")
    """
    return raw_ops.WriteFile(filename, contents, name=name)


def matching_files(pattern: TensorLike, name: str | None = None) -> Tensor:
    """The names of the files that match one of several patterns, sorted.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for name in ("b.txt", "a.txt", "c.csv"):
    ...     tf.io.write_file(folder + "/" + name, "")
    >>> [path.decode()[-5:] for path in tf.io.matching_files(folder + "/*.txt").numpy()]
    ['a.txt', 'b.txt']
    """
    return raw_ops.MatchingFiles(pattern, name=name)  # type: ignore[no-any-return]


def match_filenames_once(pattern: TensorLike, name: str | None = None) -> Variable:
    """A variable with the names of the files that match a pattern now.

    >>> import tempfile
    >>> tf.io.match_filenames_once(tempfile.mkdtemp() + "/*").numpy().tolist()
    []
    """
    names = matching_files(pattern)
    return Variable(names, trainable=False, shape=[None], name=name or "matching_filenames")
