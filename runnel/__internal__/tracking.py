"""`tf.__internal__.tracking`: objects that checkpoints follow."""

from typing import Any

from runnel.__internal__.late import find as _find
from runnel.core.state.auto_trackable import AutoTrackable as AutoTrackable
from runnel.core.state.trackable import NoDependency as NoDependency
from runnel.core.state.trackable import Trackable as Trackable
from runnel.core.state.trackable import (
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
)
from runnel.core.state.trackable import (
    no_automatic_dependency_tracking_scope as no_automatic_dependency_tracking_scope,
)
from runnel.core.state.tracked_containers import TrackableDataStructure as TrackableDataStructure
from runnel.core.state.tracked_containers import wrap as wrap


def __getattr__(name: str) -> Any:
    return _find("tracking", name)
