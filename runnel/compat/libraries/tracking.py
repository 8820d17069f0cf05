"""`tf.__internal__.tracking`: views of objects, objects that stand for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runnel
from runnel.compat.libraries.registering import get_session
from runnel.compat.tools.identities import ObjectIdentityDictionary
from runnel.core.state.trackable import SaveType, Trackable, TrackableReference
from runnel.train.objects.by_name import NameBasedSaverStatus
from runnel.train.objects.object_graph import ObjectGraph, described
from runnel.train.objects.saveables import Saveable, saveables_of
from runnel.train.objects.views import TrackableView


class ObjectGraphView(TrackableView):
    """The objects that are saved with a root, and with what is attached to it."""

    def __init__(
        self, root: Any, attached_dependencies: list[TrackableReference] | None = None
    ) -> None:
        super().__init__(root)
        self._attached = attached_dependencies

    @property
    def attached_dependencies(self) -> list[TrackableReference] | None:
        """What is saved beside the children of the root."""
        return self._attached

    def list_children(
        self, obj: Any, save_type: SaveType | str = SaveType.CHECKPOINT, **kwargs: Any
    ) -> list[TrackableReference]:
        """The children of an object, with their names."""
        found = super().children(obj, save_type, **kwargs)
        listed = [TrackableReference(name, child) for name, child in found.items()]
        return listed + list(self._attached or ()) if obj is self.root else listed

    def children(  # type: ignore[override]
        self, obj: Any, save_type: SaveType | str = SaveType.CHECKPOINT, **kwargs: Any
    ) -> dict[str, Trackable]:
        """The children of an object by name."""
        return dict(self.list_children(obj, save_type, **kwargs))

    def _graph(self) -> ObjectGraph:
        return ObjectGraph(self.root, dict(self._attached or ()))

    def descendants(self) -> list[Trackable]:
        """All objects under the root and itself, breadth first."""
        return self._graph().objects

    def breadth_first_traversal(self) -> tuple[list[Trackable], Any]:
        """These objects, and by each of them the way to it from the root."""
        graph = self._graph()
        ways: dict[int, tuple[TrackableReference, ...]] = {0: ()}
        for number, children in enumerate(graph.children):
            for name, child in children.items():
                way = (*ways[number], TrackableReference(name, child))
                ways.setdefault(graph.number_of(child), way)
        return graph.objects, ObjectIdentityDictionary(
            (item, ways[number]) for number, item in enumerate(graph.objects)
        )

    def serialize_object_graph(self, saveables_cache: Any = None) -> tuple[Any, Any, Any]:
        """The tensors and variables by their keys, the message about the objects, and feeds.

        There is nothing to be fed.
        """
        if saveables_cache is not None:
            raise NotImplementedError(
                "serialize_object_graph: `saveables_cache` is not supported; values are taken anew"
            )
        graph = self._graph()
        graph.add_slots()
        return *described(graph), {}

    def frozen_saveable_objects(
        self, object_map: Any = None, to_graph: Any = None, call_with_mapped_captures: Any = None
    ) -> list[Saveable]:
        """What each object has to save."""
        for name, value in {
            "object_map": object_map,
            "to_graph": to_graph,
            "call_with_mapped_captures": call_with_mapped_captures,
        }.items():
            if value is not None:
                raise NotImplementedError(f"frozen_saveable_objects: `{name}` is not supported.")
        return [saveable for _, saveable in self._graph().saveables()]


class CheckpointInitialValue:
    """The first value of a variable, out of the place of a checkpoint that waits for it."""

    def __init__(self, checkpoint_position: Any, shape: Any = None, shard_info: Any = None) -> None:
        if shard_info is not None:
            raise NotImplementedError("CheckpointInitialValue: `shard_info` is not supported.")
        self._position = checkpoint_position
        (self.wrapped_value,) = checkpoint_position.value_tensors().values()
        if shape is not None:
            self.wrapped_value.set_shape(shape)

    @property
    def checkpoint_position(self) -> Any:
        """The place in the checkpoint."""
        return self._position

    @property
    def shape(self) -> Any:
        return self.wrapped_value.shape

    @property
    def dtype(self) -> Any:
        return self.wrapped_value.dtype

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return runnel.convert_to_tensor(self.wrapped_value, dtype, name=name)


def _delegated(name: str) -> property:
    def get(self: Any) -> Any:
        return getattr(self._trackable, name)

    def put(self: Any, value: Any) -> None:
        setattr(self._trackable, name, value)

    return property(get, put)


class DelegatingTrackableMixin:
    """Is tracked as another object is: what a checkpoint has of that one is of this one too."""

    def __init__(self, trackable_obj: Any) -> None:
        object.__setattr__(self, "_trackable", trackable_obj)

    for _name in (
        "_setattr_tracking _self_setattr_tracking _self_tracking _object_identifier "
        "_unconditional_checkpoint_dependencies _checkpoint_dependencies _deferred_dependencies "
        "_dependencies _maybe_initialize_trackable _no_dependency _lookup_dependency "
        "_add_variable_with_custom_getter _track_trackable _delete_tracking _trackable_children "
        "_handle_deferred_dependencies _gather_saveables_for_checkpoint _serialize_to_tensors "
        "_restore_from_tensors _checkpoint_name"
    ).split():
        locals()[_name] = _delegated(_name)
    del _name


def saveable_objects_from_trackable(
    obj: Trackable, tf1_saver: bool = False
) -> dict[str, Callable[..., Saveable]]:
    """Functions that make what an object has to save, by name."""
    if tf1_saver and (older := obj._gather_saveables_for_checkpoint()):
        return dict(older)
    return {
        saveable.name or next(iter(saveable.values()), ""): _giving(saveable)
        for saveable in saveables_of(obj)
    }


def _giving(saveable: Saveable) -> Callable[..., Saveable]:
    return lambda name="", call_with_mapped_captures=None: saveable


def streaming_restore(status: Any, session: Any = None) -> None:
    """Restore in a graph what has been found, in a session; eagerly it has been done already."""
    if runnel.executing_eagerly():
        return
    if isinstance(status, NameBasedSaverStatus):
        raise NotImplementedError("streaming_restore: not for checkpoints written by names.")
    status.run_restore_ops(session=session or get_session())
