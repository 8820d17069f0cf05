"""The fingerprint of a SavedModel: numbers that tell whether two are the same."""

from __future__ import annotations

import hashlib
import uuid
from typing import Any

from runnel.core.files import files
from runnel.core.files.files import PathLike
from runnel.core.files.folders import content_folder
from runnel.core.protos import messages
from runnel.saved_model.constants import FINGERPRINT_FILENAME

_NUMBERS = (
    "saved_model_checksum",
    "graph_def_program_hash",
    "signature_def_hash",
    "saved_object_graph_hash",
    "checkpoint_hash",
)


class Fingerprint:
    """Numbers made of the parts of a SavedModel.

    >>> print(tf.saved_model.experimental.Fingerprint(1, 2, 3, 4, 5).singleprint())
    2/3/4/5
    """

    def __init__(
        self,
        saved_model_checksum: int | None = None,
        graph_def_program_hash: int | None = None,
        signature_def_hash: int | None = None,
        saved_object_graph_hash: int | None = None,
        checkpoint_hash: int | None = None,
        version: Any = None,
    ) -> None:
        self.saved_model_checksum = saved_model_checksum
        self.graph_def_program_hash = graph_def_program_hash
        self.signature_def_hash = signature_def_hash
        self.saved_object_graph_hash = saved_object_graph_hash
        self.checkpoint_hash = checkpoint_hash
        self.version = version

    @classmethod
    def from_proto(cls, proto: Any) -> Fingerprint:
        """The fingerprint that a message holds."""
        from google.protobuf.message import DecodeError

        try:
            if isinstance(proto, bytes):
                proto = messages.FingerprintDef.FromString(proto)
        except DecodeError as error:
            raise ValueError(f"`proto` is not a FingerprintDef: {error}") from error
        numbers = {name: getattr(proto, name) for name in _NUMBERS}
        return cls(**numbers, version=proto.version)

    def singleprint(self) -> str:
        """The numbers as one string."""
        numbers = [getattr(self, name) for name in _NUMBERS[1:]]
        if any(number is None for number in numbers):
            raise ValueError("A fingerprint without all of its numbers has no singleprint.")
        return "/".join(map(str, numbers))

    def __eq__(self, other: object) -> bool:
        mine = [getattr(self, name) for name in _NUMBERS]
        return mine == [getattr(other, name, None) for name in _NUMBERS]

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in _NUMBERS))

    def __repr__(self) -> str:
        lines = [f"  {name}: {getattr(self, name)}" for name in _NUMBERS]
        return "\n".join(["SavedModel Fingerprint", *lines])

    __str__ = __repr__


def fingerprint_of(content: bytes, meta_graph: Any, index: bytes) -> Any:
    """The message about a SavedModel with this content."""
    proto = messages.FingerprintDef(uuid=str(uuid.uuid4()))
    signatures = b"".join(
        key.encode() + meta_graph.signature_def[key].SerializeToString(deterministic=True)
        for key in sorted(meta_graph.signature_def)
    )
    parts = (
        content,
        meta_graph.graph_def.SerializeToString(deterministic=True),
        signatures,
        meta_graph.object_graph_def.SerializeToString(deterministic=True),
        index,
    )
    for name, part in zip(_NUMBERS, parts):
        setattr(proto, name, int.from_bytes(hashlib.sha256(part).digest()[:8], "little"))
    proto.version.producer = 4
    return proto


def read_fingerprint(export_dir: PathLike) -> Fingerprint:
    """The fingerprint of the SavedModel in a folder; FileNotFoundError if it has none.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(tf.Module(), folder)
    >>> tf.saved_model.experimental.read_fingerprint(folder).checkpoint_hash > 0
    True
    """
    path = files.join(content_folder(export_dir), FINGERPRINT_FILENAME)
    if not files.exists(path):
        raise FileNotFoundError(f"SavedModel Fingerprint Error: there is no {path}.")
    try:
        return Fingerprint.from_proto(files.read_whole(path))
    except Exception as error:  # protobuf's own class of error depends on its version
        raise RuntimeError(f"SavedModel Fingerprint Error: {path} is damaged: {error}") from None
