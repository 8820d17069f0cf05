"""`tf.__internal__.saved_model`: objects of a library in SavedModels."""

from __future__ import annotations

from collections.abc import Callable, KeysView
from typing import Any

from runnel.compat.tools.identities import ObjectIdentityDictionary
from runnel.core.files.files import PathLike
from runnel.core.files.folders import content_folder
from runnel.core.protos import messages
from runnel.core.state.trackable import TrackableReference
from runnel.saved_model.options import LoadOptions, SaveOptions
from runnel.saved_model.reading import revived
from runnel.saved_model.reading.load import load_some
from runnel.saved_model.reading.messages_in import read_saved_model
from runnel.saved_model.writing import save
from runnel.train.objects.object_graph import unescaped

Setter = Callable[[Any, str, Any], None]


class VersionedTypeRegistration:
    """How objects of one kind, saved by some versions of a library, are made again."""

    identifier: str | None = None  # set when it is registered

    def __init__(
        self,
        object_factory: Callable[[Any], Any],
        version: int,
        min_producer_version: int,
        min_consumer_version: int,
        bad_consumers: list[int] | None = None,
        setter: Setter = setattr,
    ) -> None:
        self.version = version
        self.setter = setter
        self._make = object_factory
        self._oldest = min_producer_version
        self._needs = min_consumer_version
        self._bad = list(bad_consumers or ())

    def to_proto(self) -> Any:
        """What a file says of an object of this kind."""
        versions = messages.VersionDef(
            producer=self.version, min_consumer=self._needs, bad_consumers=self._bad
        )
        return messages.SavedUserObject(identifier=self.identifier, version=versions)

    def from_proto(self, proto: Any) -> Any:
        """The object that a file speaks of."""
        return self._make(proto)

    def should_load(self, proto: Any) -> bool:
        """Whether this version can read what a file says."""
        said = proto.version
        return (
            proto.identifier == self.identifier
            and self.version >= said.min_consumer
            and said.producer >= self._oldest
            and self.version not in said.bad_consumers
        )


def register_revived_type(
    identifier: str, predicate: Callable[[Any], bool], versions: list[VersionedTypeRegistration]
) -> None:
    """Register objects, told by `predicate`, that SavedModels know by a name."""
    versions.sort(key=lambda each: each.version, reverse=True)
    if not versions:
        raise AssertionError(f"register_revived_type: no versions of {identifier!r} are given.")
    if len({each.version for each in versions}) < len(versions):
        raise AssertionError(f"register_revived_type: a version of {identifier!r} is given twice.")
    for each in versions:
        each.identifier = identifier
    revived.KINDS[identifier] = (predicate, versions)


def registered_identifiers() -> KeysView[str]:
    """The names that are registered."""
    return revived.KINDS.keys()


def get_setter(proto: Any) -> Setter | None:
    """What gives an object its children, if its kind is registered."""
    kind = revived.kind_of(proto)
    return None if kind is None else kind.setter


def parse_saved_model(export_dir: PathLike) -> Any:
    """The message in a SavedModel's folder."""
    return read_saved_model(content_folder(export_dir))


def save_and_return_nodes(
    obj: Any,
    export_dir: PathLike,
    signatures: Any = None,
    options: SaveOptions | None = None,
    experimental_skip_checkpoint: bool = False,
) -> tuple[list[Any], Any]:
    """Save; the objects by their numbers in the file, and by each the way to it from the root."""
    if experimental_skip_checkpoint:
        raise NotImplementedError(
            "save_and_return_nodes: `experimental_skip_checkpoint` is not supported."
        )
    saved = save.save_and_return_nodes(obj, export_dir, signatures, options)
    ways = ObjectIdentityDictionary()
    for item, path in saved:
        names = path.split("/") if path else []
        ways[item] = [TrackableReference(unescaped(name), None) for name in names]
    return [item for item, _ in saved], ways


def load_partial(
    export_dir: PathLike, filters: Any, tags: Any = None, options: LoadOptions | None = None
) -> dict[Any, Any]:
    """Some objects of a SavedModel by their paths from `root` on.

    `filters` lists the paths, or has for each the object to be filled, a pair of it and of what
    gives it its children, or None for a new one.
    """
    if not isinstance(filters, dict):
        filters = dict.fromkeys(filters)
    return load_some(export_dir, filters, tags, options)
