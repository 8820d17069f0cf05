"""Lists, dicts and tuples whose elements are tracked.

One that is assigned to an attribute of a module is replaced by such a wrapper, which behaves as
what it wraps. The object that was assigned stays in step with it, so that a program may go on with
either.
"""

from __future__ import annotations

import copy
import functools
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from runnel.core.state.trackable import NoDependency, Trackable


class TrackableDataStructure(Trackable):
    """A container that a checkpoint follows."""

    _unsaved = ""  # what was done to it, if its names may mean other objects than before

    def _cannot_be_saved(self, reason: str) -> None:
        object.__setattr__(self, "_unsaved", reason)

    def _check_saved(self) -> None:
        """Raise an error if it was changed in a way that names in a checkpoint do not follow."""
        if self._unsaved:
            raise ValueError(
                f"Unable to save or restore {self!r}: {self._unsaved}, so that its names would "
                "mean other objects than before. Only add to it, by the attribute that holds it, "
                "or keep it in an object that is not tracked."
            )

    @property
    def _object_identifier(self) -> str:
        return "trackable_list_wrapper"

    @property
    def trainable(self) -> bool:
        return True


_MOVED = "something in it was replaced, moved or removed"
_OUTSIDE = "what it wraps was changed directly"


def _then_share(name: str) -> Callable[..., Any]:
    """A method of `list` that changes it; then elements are wrapped and the other follows."""
    method = getattr(list, name)

    @functools.wraps(method)
    def changed(self: ListWrapper, *args: Any, **kwargs: Any) -> Any:
        self._adopt()
        before, tracked = list.__len__(self), any(isinstance(x, Trackable) for x in self)
        result = method(self, *args, **kwargs)
        if tracked and (list.__len__(self) < before or name in ("sort", "reverse")):
            self._cannot_be_saved(_MOVED)
        self._settle()
        return self if name in ("__iadd__", "__imul__") else result

    return changed


class ListWrapper(TrackableDataStructure, list):  # type: ignore[type-arg]
    """A list whose elements are tracked under their numbers."""

    _outside: list[Any] | None = None

    def __init__(self, wrapped_list: Iterable[Any] = ()) -> None:
        list.__init__(self, wrapped_list)
        if type(wrapped_list) is list:
            self._outside = wrapped_list
        self._settle()

    def _adopt(self) -> None:
        """Take over what was done to the list that this one wraps."""
        outside = self._outside
        if outside is not None and len(outside) != list.__len__(self):
            self._cannot_be_saved(_OUTSIDE)
            list.__setitem__(self, slice(None), outside)
            self._settle()

    def _settle(self) -> None:
        """Wrap and restore the elements; let the wrapped list be equal again."""
        waiting = self._self_tracking is not None and self._self_tracking.deferred
        for place, value in enumerate(list.__iter__(self)):
            kept = wrap(value)
            if kept is not value:
                list.__setitem__(self, place, kept)
            if waiting and isinstance(kept, Trackable):
                self._handle_deferred_dependencies(str(place), kept)
        if self._outside is not None:
            self._outside[:] = list.__iter__(self)

    def append(self, value: Any) -> None:
        self._adopt()
        value = wrap(value)
        list.append(self, value)
        if self._outside is not None:
            self._outside.append(value)
        if isinstance(value, Trackable):
            self._handle_deferred_dependencies(str(list.__len__(self) - 1), value)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Replace elements; what is tracked counts as moved, even if it is put there again."""
        self._adopt()
        if isinstance(key, slice) or isinstance(list.__getitem__(self, key), Trackable):
            self._cannot_be_saved(_MOVED)
        list.__setitem__(self, key, value)
        self._settle()

    def insert(self, index: Any, value: Any) -> None:
        """Put an element before another; with anything tracked, none keeps its place for sure."""
        self._adopt()
        if any(isinstance(each, Trackable) for each in [wrap(value), *list.__iter__(self)]):
            self._cannot_be_saved(_MOVED)
        list.insert(self, index, value)
        self._settle()

    __delitem__ = _then_share("__delitem__")
    __iadd__ = _then_share("__iadd__")
    __imul__ = _then_share("__imul__")
    extend = _then_share("extend")
    pop = _then_share("pop")
    remove = _then_share("remove")
    clear = _then_share("clear")
    sort = _then_share("sort")
    reverse = _then_share("reverse")

    def __len__(self) -> int:
        self._adopt()
        return list.__len__(self)

    def __iter__(self) -> Iterator[Any]:
        self._adopt()
        return list.__iter__(self)

    def __getitem__(self, key: Any) -> Any:
        self._adopt()
        return list.__getitem__(self, key)

    def __eq__(self, other: object) -> bool:
        self._adopt()
        return list.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        self._adopt()
        return f"ListWrapper({list.__repr__(self)})"

    def __copy__(self) -> ListWrapper:
        return ListWrapper(list(self))

    copy = __copy__

    def __deepcopy__(self, memo: dict[int, Any]) -> ListWrapper:
        memo[id(self)] = made = ListWrapper()
        made.extend([copy.deepcopy(value, memo) for value in self])
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (ListWrapper, (list(self),))

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        outside = self._outside
        if outside is not None and any(a is not b for a, b in zip(self, outside)):
            self._cannot_be_saved(_OUTSIDE)
        self._check_saved()
        children = dict(super()._trackable_children(save_type, **kwargs))
        children.update(
            (str(place), value) for place, value in enumerate(self) if isinstance(value, Trackable)
        )
        return children

    def _wrapped(self) -> list[Any]:
        return list(self)


class _DictWrapper(TrackableDataStructure, dict):  # type: ignore[type-arg]
    """A dict whose values are tracked under their keys, until something else has the key."""

    _outside: dict[Any, Any] | None = None

    def __init__(self, wrapped_dict: Any = (), **items: Any) -> None:
        dict.__init__(self, wrapped_dict, **items)
        if type(wrapped_dict) in (dict, OrderedDict):
            self._outside = wrapped_dict
        for key, value in list(dict.items(self)):
            self[key] = value

    @property
    def _object_identifier(self) -> str:
        return "trackable_dict_wrapper"

    def _adopt(self) -> None:
        """Take over what was done to the dict that this one wraps."""
        outside = self._outside
        if outside is not None and len(outside) != dict.__len__(self):
            self._cannot_be_saved(_OUTSIDE)
            for key in [key for key in dict.__iter__(self) if key not in outside]:
                dict.__delitem__(self, key)
            for key, value in list(outside.items()):
                if dict.get(self, key, self) is not value:
                    self._put(key, value)

    def _put(self, key: Any, value: Any) -> None:
        value = wrap(value)
        dict.__setitem__(self, key, value)
        if self._outside is not None:
            self._outside[key] = value
        if isinstance(value, Trackable) and isinstance(key, str):
            self._track_trackable(value, key, overwrite=True)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._adopt()
        self._put(key, value)

    def __delitem__(self, key: Any) -> None:
        self._adopt()
        dict.__delitem__(self, key)
        if self._outside is not None:
            self._outside.pop(key, None)

    def update(self, *others: Any, **items: Any) -> None:
        for key, value in dict(*others, **items).items():
            self[key] = value

    def __ior__(self, other: Any) -> _DictWrapper:  # type: ignore[misc]
        self._cannot_be_saved(_OUTSIDE)
        self.update(other)
        return self

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self._cannot_be_saved(_OUTSIDE)
            self[key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        if key in self:
            self._cannot_be_saved(_MOVED)
        if self._outside is not None:
            self._outside.pop(key, None)
        return dict.pop(self, key, *default)

    def popitem(self) -> tuple[Any, Any]:
        self._adopt()
        key, value = dict.popitem(self)
        self._cannot_be_saved(_MOVED)
        if self._outside is not None:
            self._outside.pop(key, None)
        return key, value

    def clear(self) -> None:
        if len(self):
            self._cannot_be_saved(_MOVED)
        dict.clear(self)
        if self._outside is not None:
            self._outside.clear()

    def __len__(self) -> int:
        self._adopt()
        return dict.__len__(self)

    def __iter__(self) -> Iterator[Any]:
        self._adopt()
        return dict.__iter__(self)

    def __contains__(self, key: object) -> bool:
        self._adopt()
        return dict.__contains__(self, key)

    def __getitem__(self, key: Any) -> Any:
        self._adopt()
        return dict.__getitem__(self, key)

    def get(self, key: Any, default: Any = None) -> Any:
        self._adopt()
        return dict.get(self, key, default)

    def keys(self) -> Any:
        self._adopt()
        return dict.keys(self)

    def values(self) -> Any:
        self._adopt()
        return dict.values(self)

    def items(self) -> Any:
        self._adopt()
        return dict.items(self)

    def __repr__(self) -> str:
        return f"DictWrapper({self!s})"

    def __str__(self) -> str:
        self._adopt()
        return (
            repr(OrderedDict(self)) if type(self._outside) is OrderedDict else dict.__repr__(self)
        )

    def __copy__(self) -> _DictWrapper:
        return _DictWrapper(self._wrapped())

    copy = __copy__

    def __deepcopy__(self, memo: dict[int, Any]) -> _DictWrapper:
        memo[id(self)] = made = _DictWrapper(type(self._wrapped())())
        for key, value in self.items():
            made[copy.deepcopy(key, memo)] = copy.deepcopy(value, memo)
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (_DictWrapper, (self._wrapped(),))

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        outside = self._outside
        if outside is not None and any(outside.get(key) is not self[key] for key in self):
            self._cannot_be_saved(_OUTSIDE)
        self._check_saved()
        for key, value in self.items():
            if isinstance(value, Trackable) and not isinstance(key, str):
                raise ValueError(
                    f"Unable to save the dict {self!s}: it holds something to be saved under the "
                    f"key {key!r}, and only strings can be names in a checkpoint. Use strings as "
                    "keys, or keep the dict in an object that is not tracked."
                )
        return dict(super()._trackable_children(save_type, **kwargs))

    def _wrapped(self) -> dict[Any, Any]:
        return (OrderedDict if type(self._outside) is OrderedDict else dict)(self.items())


class _TupleWrapper(TrackableDataStructure):
    """A tuple whose elements are tracked under their numbers, and under the names of its fields."""

    _wrapped_class: Any = tuple

    @property
    def _object_identifier(self) -> str:
        return "trackable_tuple_wrapper"

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        values: Any = self
        children = dict(super()._trackable_children(save_type, **kwargs))
        names = [*getattr(self, "_fields", ()), *map(str, range(len(values)))]
        for name, value in zip(names, [*values, *values]):
            if isinstance(value, Trackable):
                children[name] = value
        return children

    def __repr__(self) -> str:
        return f"_TupleWrapper({self._wrapped()!r})"

    def __str__(self) -> str:
        return repr(self._wrapped())

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return wrap(copy.deepcopy(self._wrapped(), memo))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (wrap, (self._wrapped(),))

    def _wrapped(self) -> Any:
        values: Any = self
        base = self._wrapped_class
        return base(*values) if hasattr(base, "_fields") else base(values)


@functools.lru_cache(maxsize=1024)
def _tuple_wrapper_of(kind: Any) -> type:
    """The class that wraps tuples of one class."""
    content = {"__module__": __name__, "_wrapped_class": kind}
    return type("_TupleWrapper", (_TupleWrapper, kind), content)


def _wrap_tuple(value: Any) -> Any:
    kept = [wrap(element) for element in value]
    if not any(isinstance(element, Trackable) for element in kept):
        return value
    plain: Any = type(value)
    kind: Any = _tuple_wrapper_of(plain)
    return kind(*kept) if hasattr(plain, "_fields") else kind(kept)


DictWrapper = _DictWrapper  # the class has the name that users see in TensorFlow
_WRAPPERS: Mapping[type, Callable[[Any], Any]] = {
    list: ListWrapper,
    dict: DictWrapper,
    OrderedDict: DictWrapper,
}
_UNCHANGED = (Trackable, str, bytes, int, float, type(None))


def wrap(value: Any) -> Any:
    """A list, dict or tuple as one that tracks its elements; anything else as it is."""
    if isinstance(value, _UNCHANGED):
        return value
    if isinstance(value, NoDependency):
        return value.value
    wrapper = _WRAPPERS.get(type(value))
    if wrapper is not None:
        return wrapper(value)
    return _wrap_tuple(value) if isinstance(value, tuple) else value


def unwrap(value: Any) -> Any:
    """A wrapped list, dict or tuple as the plain one; anything else as it is."""
    if isinstance(value, TrackableDataStructure) and hasattr(value, "_wrapped"):
        return value._wrapped()
    return value


def sticky_attribute_assignment(trackable: Trackable, name: str, value: Any) -> Any:
    """Track `value` as the child `name`; what is to be stored in the attribute."""
    if isinstance(value, NoDependency):
        trackable._delete_tracking(name)
        return value.value
    value = wrap(value)
    if isinstance(value, Trackable):
        trackable._track_trackable(value, name=name, overwrite=True)
    else:
        trackable._delete_tracking(name)
    return value
