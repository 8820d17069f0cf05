"""`tf.compat.v1.gfile`: files."""

from runnel.compat.v1.table import finder, listing
from runnel.core.files.files import copy as Copy
from runnel.core.files.files import exists as Exists
from runnel.core.files.files import glob as Glob
from runnel.core.files.files import isdir as IsDirectory
from runnel.core.files.files import listdir as ListDirectory
from runnel.core.files.files import makedirs as MakeDirs
from runnel.core.files.files import mkdir as MkDir
from runnel.core.files.files import remove as Remove
from runnel.core.files.files import rename as Rename
from runnel.core.files.files import rmtree as DeleteRecursively
from runnel.core.files.files import stat as Stat
from runnel.core.files.gfile import GFile as FastGFile

__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Remove",
    "Rename",
    "Stat",
]
__getattr__ = finder("gfile")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("gfile")})
