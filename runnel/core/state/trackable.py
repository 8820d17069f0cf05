"""Objects that checkpoints and SavedModels follow: a graph of named dependencies.

A `Trackable` knows its children by name. Files are matched with objects by these names, from a root
on, so that what a program calls its variables does not matter. A child that is attached after a
checkpoint was restored takes its values then: until it comes, the place in the checkpoint waits in
`deferred`.
"""

from __future__ import annotations

import copy
import enum
import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


class SaveType(enum.StrEnum):
    """What the children of an object are asked for."""

    SAVEDMODEL = "savedmodel"
    CHECKPOINT = "checkpoint"


class TrackableReference(NamedTuple):
    """A dependency: the name by which its owner knows it, and itself."""

    name: str
    ref: Any


class NoDependency:
    """Around a value assigned to an attribute: it is stored as it is, and not tracked."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Dependencies:
    """What one object has been told to track, and the restorations that wait for a child."""

    __slots__ = ("children", "deferred")

    def __init__(self) -> None:
        self.children: dict[str, Trackable] = {}
        self.deferred: dict[str, list[Any]] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Dependencies:
        made = Dependencies()
        made.children = copy.deepcopy(self.children, memo)
        return made

    def __reduce__(self) -> Any:
        return (_with_children, (self.children,))


def _with_children(children: dict[str, Trackable]) -> Dependencies:
    made = Dependencies()
    made.children = children
    return made


class Trackable:
    """An object in the graph that checkpoints follow, without magic: children are added by hand."""

    _self_tracking: Dependencies | None = None
    _self_setattr_tracking = True
    _checkpoint_name = ""  # if given, the tensors of `_serialize_to_tensors` are parts of one thing

    @property
    def _dependencies(self) -> Dependencies:
        found = self._self_tracking
        if found is None:
            found = Dependencies()
            object.__setattr__(self, "_self_tracking", found)
        return found

    @property
    def _setattr_tracking(self) -> bool:
        return self._self_setattr_tracking

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        object.__setattr__(self, "_self_setattr_tracking", value)

    @property
    def _object_identifier(self) -> str:
        """What SavedModels call this kind of object."""
        return "_generic_user_object"

    def _maybe_initialize_trackable(self) -> None:
        """For classes written for TensorFlow; the state here is made when it is needed."""

    def _no_dependency(self, value: Any) -> Any:
        """`value`, to be assigned to an attribute without being tracked."""
        return value

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Make `trackable` the child called `name`, and restore what waits for it."""
        if not isinstance(trackable, Trackable):
            raise TypeError(
                f"Only a Trackable can be tracked as {name!r}, got {type(trackable).__name__}."
            )
        children = self._dependencies.children
        if not overwrite and children.get(name, trackable) is not trackable:
            raise ValueError(
                f"{type(self).__name__} already has a dependency called {name!r}; give another "
                "name, or overwrite=True."
            )
        children[name] = trackable
        self._handle_deferred_dependencies(name, trackable)
        return trackable

    def _delete_tracking(self, name: str) -> None:
        """Forget the child called `name`, if there is one."""
        if self._self_tracking is not None:
            self._self_tracking.children.pop(name, None)

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> Mapping[str, Trackable]:
        """The children by name, for a `"checkpoint"` or a `"savedmodel"`."""
        tracking = self._self_tracking
        return {} if tracking is None else dict(tracking.children)

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        return self._checkpoint_dependencies

    @property
    def _self_unconditional_dependency_names(self) -> dict[str, Trackable]:
        return self._dependencies.children

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(name, ref) for name, ref in self._trackable_children().items()]

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        """The child called `name`, None if there is none yet."""
        if cached_dependencies is not None:
            return cached_dependencies.get(name)
        return self._trackable_children().get(name)

    @property
    def _deferred_dependencies(self) -> dict[str, list[Any]]:
        """Places in checkpoints that wait for a child, by its name."""
        return self._dependencies.deferred

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Restore what waited for the child called `name`, which is there now."""
        if self._self_tracking is None or not self._self_tracking.deferred:
            return
        for position in self._self_tracking.deferred.pop(name, ()):
            position.restore(trackable)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """The tensors that a checkpoint keeps of this object itself, by name."""
        return {}

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> Any:
        """Take the values that `_serialize_to_tensors` gave when the checkpoint was written."""
        raise NotImplementedError(
            f"A checkpoint holds {sorted(restored_tensors)} for a {type(self).__name__}, which "
            "has no _restore_from_tensors."
        )

    def _gather_saveables_for_checkpoint(self) -> Mapping[str, Any]:
        """The older form of `_serialize_to_tensors`: also variables, or functions of a name."""
        return {}

    def _add_variable_with_custom_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        getter: Callable[..., Any] | None = None,
        overwrite: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Make a variable with `getter` and track it; what a checkpoint has for it is restored."""
        if getter is None:
            raise ValueError(f"A getter is needed to make the variable {name!r}.")
        made = getter(name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs)
        if isinstance(made, Trackable):
            self._track_trackable(made, name=name, overwrite=overwrite)
        return made


@contextmanager
def tracking(trackable: Any, enabled: bool) -> Iterator[None]:
    """While attributes of an object that are assigned are tracked, or are not."""
    outer = getattr(trackable, "_self_setattr_tracking", True)
    object.__setattr__(trackable, "_self_setattr_tracking", enabled)
    try:
        yield
    finally:
        object.__setattr__(trackable, "_self_setattr_tracking", outer)


def no_automatic_dependency_tracking_scope(obj: Any) -> Any:
    """While attributes of `obj` that are assigned are not tracked."""
    return tracking(obj, False)


def no_automatic_dependency_tracking(method: Method) -> Method:
    """Decorator for a method during which assigned attributes are not tracked."""

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        with tracking(self, False):
            return method(self, *args, **kwargs)

    return untracked  # type: ignore[return-value]
