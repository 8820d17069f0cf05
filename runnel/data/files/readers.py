"""Datasets of what is in files: records, lines, and records of a fixed length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.files import files
from runnel.core.files.tfrecord import RecordReader, Stream
from runnel.core.op.raw import raw_ops
from runnel.core.settings.arguments import integer
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import dtypes
from runnel.core.values.errors import DataLossError, InvalidArgumentError, OpError, invalid
from runnel.core.values.type_spec import TensorSpec
from runnel.data.dataset.dataset import AUTOTUNE, Dataset
from runnel.data.nodes.node import Node, Run, Stage, State, Values
from runnel.data.nodes.sources import FromSlices
from runnel.data.run.structure import Structure, boxed, components


class Files(Node):
    """The contents of files, one file after another, as strings."""

    def __init__(self, names: Node, kind: str, options: tuple[Any, ...]) -> None:
        super().__init__([names], Structure(TensorSpec([], dtypes.string)))
        self.kind = kind
        self.settings = options

    def make(self, run: Run) -> Stage:
        settings = [_value(option) for option in self.settings]
        opener = _OPENERS[self.kind]
        return _Files(run.build(self.input), lambda path, offset: opener(path, offset, *settings))


def _value(option: Any) -> Any:
    if isinstance(option, EagerTensor):
        found = np.asarray(option._value)[()]
        return found.decode() if isinstance(found, bytes) else int(found)
    return option


class _Files(Stage):
    blocks = True

    def __init__(self, names: Any, opener: Callable[[str, int], Any]) -> None:
        self._names = names
        self._open = opener
        self._path: str | None = None
        self._reader: Any = None

    def __next__(self) -> Values:
        text = self._read(next)
        self.made += 1
        return [boxed(text)]

    def block(self, count: int) -> Values:
        texts = self._read(lambda reader: reader.take(count))
        self.made += len(texts)
        found = np.empty(len(texts), object)
        found[:] = texts
        return [found]

    def _read(self, read: Callable[[Any], Any]) -> Any:
        """What `read` gets from the file that is open, or from the next one at its end."""
        while True:
            if self._reader is None:
                self._start(np.asarray(next(self._names)[0]).item().decode(), 0)
            try:
                return read(self._reader)
            except StopIteration:
                self._reader = self._path = None
            except Exception:  # whoever ignores errors goes on with the next file
                self._reader = self._path = None
                raise

    def _start(self, path: str, offset: int) -> None:
        self._path, self._reader = path, self._open(path, offset)

    def save(self) -> State:
        offset = 0 if self._reader is None else self._reader.offset
        return [self._path, offset, self._names.save()]

    def restore(self, state: State) -> None:
        path, offset, names = state
        self._names.restore(names)
        if path is not None:
            self._start(path, offset)


class LineReader:
    """The lines of a file without their ends; `offset` is where the next one begins.

    As TensorFlow does, it leaves out carriage returns wherever they stand.
    """

    def __init__(self, path: str, offset: int, compression: str, chunk: int) -> None:
        self._stream = Stream(path, compression, chunk or 1 << 18)
        if offset:
            self._stream.seek(offset)
        self._lines: list[bytes] = []  # in reverse
        self._rest = b""
        self._over = False
        self.offset = offset

    def __next__(self) -> bytes:
        while not self._lines:
            if self._over:
                raise StopIteration
            self._read()
        line = self._lines.pop()
        self.offset += len(line) + 1
        return line.replace(b"\r", b"") if b"\r" in line else line

    def take(self, count: int) -> list[bytes]:
        """The next lines: at least one, and at most `count`."""
        first = next(self)
        return [first, *[next(self) for _ in range(min(count - 1, len(self._lines)))]]

    def _read(self) -> None:
        piece = self._stream.read()
        if piece:
            *lines, self._rest = (self._rest + piece).split(b"\n")
        else:
            self._over = True
            self._stream.close()
            lines = [self._rest] if self._rest.strip(b"\r") else []
        lines.reverse()
        self._lines = lines


class ChunkReader:
    """Records of so many bytes each, between a header and a footer.

    The size of a plain file tells beforehand whether records fit in; in a compressed one, of which
    the end is found last, the bytes of the footer are held back.
    """

    def __init__(
        self, path: str, offset: int, size: int, header: int, footer: int, compression: str
    ) -> None:
        self._path, self._header, self._footer, self._size = path, header, footer, size
        self._stream = Stream(path, compression)
        if not compression:
            self._check(files.stat(path).length, InvalidArgumentError)
        self.offset = offset or header
        self._stream.seek(self.offset)
        self._data = b""
        self._place = 0

    def _check(self, length: int, kind: type[OpError]) -> None:
        body = length - self._header - self._footer
        if body < 0 or body % self._size:
            raise kind(  # type: ignore[call-arg]
                None,
                None,
                f"Excluding the header ({self._header} bytes) and footer ({self._footer} bytes), "
                f"input file {self._path!r} has body length {body} bytes, which is not an exact "
                f"multiple of the record length ({self._size} bytes).",
            )

    def __next__(self) -> bytes:
        return self.take(1)[0]

    def take(self, count: int) -> list[bytes]:
        """The next records: at least one, and at most `count`."""
        size = self._size
        if not self._here():
            self._fill()
        start = self._place
        self._place = stop = start + size * min(count, self._here())
        self.offset += stop - start
        return [self._data[i : i + size] for i in range(start, stop, size)]

    def _here(self) -> int:
        """How many whole records have been read."""
        return max(0, len(self._data) - self._place - self._footer) // self._size

    def _fill(self) -> None:
        """Read until a record and the footer are there; StopIteration at the end."""
        parts = [self._data[self._place :]]
        size, wanted = len(parts[0]), self._size + self._footer
        while size < wanted:
            piece = self._stream.read()
            if not piece:
                self._stream.close()
                self._check(self.offset + size, DataLossError)
                raise StopIteration
            parts.append(piece)
            size += len(piece)
        self._data, self._place = b"".join(parts), 0


_OPENERS: dict[str, Callable[..., Any]] = {
    "TFRecordDataset": lambda path, offset, zipped, chunk: RecordReader(
        path, zipped, offset, chunk or 1 << 18
    ),
    "TextLineDataset": lambda path, offset, zipped, chunk: LineReader(path, offset, zipped, chunk),
    "FixedLengthRecordDataset": ChunkReader,
}


def names_dataset(filenames: Any) -> Dataset:
    """The names of files as a dataset of strings."""
    if isinstance(filenames, Dataset):
        spec = filenames.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype is not dtypes.string:
            raise TypeError(f"`filenames` must be a dataset of strings, got elements of {spec}.")
        if not spec.shape.is_compatible_with([]):
            raise TypeError(f"`filenames` must be a dataset of scalars, got elements of {spec}.")
        return filenames
    paths = convert_to_tensor(_text(filenames))
    if paths.dtype is not dtypes.string:
        raise TypeError(f"`filenames` must be strings, got dtype {paths.dtype.name}.")
    flat = raw_ops.Reshape(paths, np.array([-1], np.int32))
    return Dataset(FromSlices(*components(flat)))


def _text(filenames: Any) -> Any:
    if isinstance(filenames, list | tuple):
        if not filenames:
            return np.empty(0, object)
        return [_text(name) for name in filenames]
    return str(filenames) if hasattr(filenames, "__fspath__") else filenames


def _reading(filenames: Any, reads: Any, make: Callable[[Dataset], Node]) -> Node:
    """The node that reads files, several at a time if `reads` says so."""
    names = names_dataset(filenames)
    if reads is None:
        return make(names)
    calls = reads if isinstance(reads, Tensor) else integer("Dataset", "num_parallel_reads", reads)
    cycle = AUTOTUNE if calls == AUTOTUNE else calls

    def read(name: Any) -> Dataset:
        return Dataset(make(names_dataset(name)))

    return names.interleave(read, cycle_length=cycle, num_parallel_calls=calls)._node


def _int64(value: Any, argument: str) -> Any:
    """A number, or a tensor of dtype int64; 0 for None."""
    if isinstance(value, Tensor) and value.dtype is not dtypes.int64:
        raise TypeError(f"`{argument}` must be a number or an int64 tensor, got {value!r}.")
    return 0 if value is None else value


def _compression(kind: Any) -> Any:
    return "" if kind is None else kind


class TFRecordDataset(Dataset):
    """A dataset of the records in TFRecord files.

    Args:
        filenames: a path, a list of paths, or a dataset of them.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: how many bytes are read at once.
        num_parallel_reads: how many files are read at once.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.tfrecord"
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"record")
    >>> next(tf.data.TFRecordDataset([path]).as_numpy_iterator())
    b'record'
    """

    _shown = "TFRecordDatasetV2"

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        options = (_compression(compression_type), _int64(buffer_size, "buffer_size"))
        super().__init__(
            _reading(
                filenames,
                num_parallel_reads,
                lambda names: Files(names._node, "TFRecordDataset", options),
            ).named(name)
        )


class TextLineDataset(Dataset):
    """A dataset of the lines of text files.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.txt"
    >>> tf.io.write_file(path, "one\\ntwo\\n")
    >>> list(tf.data.TextLineDataset(path).as_numpy_iterator())
    [b'one', b'two']
    """

    _shown = "TextLineDatasetV2"

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        options = (_compression(compression_type), _int64(buffer_size, "buffer_size"))
        super().__init__(
            _reading(
                filenames,
                num_parallel_reads,
                lambda names: Files(names._node, "TextLineDataset", options),
            ).named(name)
        )


class FixedLengthRecordDataset(Dataset):
    """A dataset of records of so many bytes each.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.bin"
    >>> tf.io.write_file(path, "abcdef")
    >>> list(tf.data.FixedLengthRecordDataset(path, 2).as_numpy_iterator())
    [b'ab', b'cd', b'ef']
    """

    _shown = "FixedLengthRecordDatasetV2"

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        given = {"record_bytes": record_bytes, "header_bytes": header_bytes}
        given |= {"footer_bytes": footer_bytes, "buffer_size": buffer_size}
        named = [(name, _int64(size, name)) for name, size in given.items()]
        sizes = [integer("FixedLengthRecordDataset", name, size) for name, size in named[:3]]
        if sizes[0] < 1 or min(sizes) < 0:
            raise invalid(f"FixedLengthRecordDataset: the sizes must be positive, got {sizes}.")
        options = (*sizes, _compression(compression_type))
        super().__init__(
            _reading(
                filenames,
                num_parallel_reads,
                lambda names: Files(names._node, "FixedLengthRecordDataset", options),
            ).named(name)
        )
