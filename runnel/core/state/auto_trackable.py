"""`AutoTrackable`: an object whose attributes are what checkpoints and SavedModels keep of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from runnel.core.state.trackable import NoDependency, Trackable, tracking
from runnel.core.state.tracked_containers import sticky_attribute_assignment

_WATCHED = (Trackable, list, dict, tuple, NoDependency)  # what may have to be tracked or wrapped


class AutoTrackable(Trackable):
    """A `Trackable` whose attributes are its children; lists and dicts in them are followed too."""

    def __setattr__(self, name: str, value: Any) -> None:
        if self._self_setattr_tracking:
            if isinstance(value, _WATCHED):
                value = sticky_attribute_assignment(self, name, value)
            elif self._self_tracking is not None:
                self._self_tracking.children.pop(name, None)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._delete_tracking(name)
        super().__delattr__(name)

    def _no_dependency(self, value: Any) -> Any:
        return NoDependency(value)

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> Mapping[str, Trackable]:
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == "savedmodel":
            children = {**children, **self._functions_for_saving()}
        return children

    def _functions_for_saving(self) -> dict[str, Trackable]:
        """The traced functions among the attributes, also those that the class defines."""
        found: dict[str, Trackable] = {}
        with tracking(self, False), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of properties that are on their way out
            for name in dir(self):
                try:
                    function = getattr(getattr(self, name), "_saved_function", None)
                except Exception:  # a property may raise whatever it likes
                    continue
                if function is not None:
                    found[name] = function
        return found
