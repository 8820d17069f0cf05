"""Looking into checkpoints: `tf.train.load_checkpoint`, `list_variables`, `load_variable`."""

from __future__ import annotations

from typing import Any

from runnel.core.files import files
from runnel.core.files.files import PathLike
from runnel.core.protos import messages
from runnel.core.values.dtypes import DType
from runnel.train.files.checkpoint_state import latest_checkpoint
from runnel.train.files.slice_tables import open_checkpoint


class CheckpointReader:
    """The tensors of a checkpoint by their keys."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._reader = open_checkpoint(prefix)

    def has_tensor(self, tensor_str: str) -> bool:
        return tensor_str in self._reader

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of a tensor as a NumPy array, or a scalar."""
        with self._reader as reader:
            value = reader.read(tensor_str)
        return value if value.ndim else value[()]

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        names = self._reader.names()
        return {name: [int(d) for d in self._reader.shape(name)] for name in names}  # type: ignore[arg-type]

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        return {name: self._reader.dtype(name) for name in self._reader.names()}

    def debug_string(self) -> bytes:
        """Names, dtypes and shapes, a line each."""
        lines = []
        for name, shape in self.get_variable_to_shape_map().items():
            kind = messages.DataType.Name(self._reader.dtype(name).enum)
            lines.append(f"{name} ({kind}) [{','.join(map(str, shape))}]\n")
        return "".join(lines).encode()


def load_checkpoint(ckpt_dir_or_file: PathLike) -> CheckpointReader:
    """A reader of the checkpoint with this prefix, or of the latest one in a folder.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model")
    >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(path)
    >>> tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    array([1., 2.], dtype=float32)
    """
    path = files.as_path(ckpt_dir_or_file)
    if files.isdir(path):
        latest = latest_checkpoint(path)
        if latest is None:
            raise ValueError(
                f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
            )
        path = latest
    return CheckpointReader(path.removesuffix(".index"))


def load_variable(ckpt_dir_or_file: PathLike, name: str) -> Any:
    """The value of one tensor of a checkpoint.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model")
    >>> path = tf.train.Checkpoint(v=tf.Variable(3.0)).write(path)
    >>> tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")
    np.float32(3.0)
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: PathLike) -> list[tuple[str, list[int]]]:
    """The names and shapes of a checkpoint's tensors.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model")
    >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(path)
    >>> tf.train.list_variables(path)
    [('_CHECKPOINTABLE_OBJECT_GRAPH', []), ('v/.ATTRIBUTES/VARIABLE_VALUE', [2])]
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
