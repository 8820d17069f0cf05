"""Checkpoints, and what training is made of: `tf.train`."""

from typing import TYPE_CHECKING, Any

from runnel.core.protos import messages
from runnel.core.settings.absent import explanation
from runnel.train import experimental as experimental
from runnel.train import old_saving_ops as _old_saving_ops  # noqa: F401
from runnel.train import remapping_ops as _remapping_ops  # noqa: F401
from runnel.train import saving_ops  # noqa: F401 (the ops of functions that write checkpoints)
from runnel.train.checkpoint import Checkpoint as Checkpoint
from runnel.train.cluster_spec import ClusterSpec as ClusterSpec
from runnel.train.coordinator import Coordinator as Coordinator
from runnel.train.files.checkpoint_state import get_checkpoint_state as get_checkpoint_state
from runnel.train.files.checkpoint_state import latest_checkpoint as latest_checkpoint
from runnel.train.manager import CheckpointManager as CheckpointManager
from runnel.train.manager import checkpoints_iterator as checkpoints_iterator
from runnel.train.moving_average import ExponentialMovingAverage as ExponentialMovingAverage
from runnel.train.objects.views import CheckpointView as CheckpointView
from runnel.train.objects.views import TrackableView as TrackableView
from runnel.train.options import CheckpointOptions as CheckpointOptions
from runnel.train.reader import list_variables as list_variables
from runnel.train.reader import load_checkpoint as load_checkpoint
from runnel.train.reader import load_variable as load_variable

_MESSAGES = frozenset(
    """BytesList ClusterDef Example Feature FeatureList FeatureLists Features FloatList Int64List
    JobDef SequenceExample ServerDef""".split()
)


if TYPE_CHECKING:
    BytesList: Any
    ClusterDef: Any
    Example: Any
    Feature: Any
    FeatureList: Any
    FeatureLists: Any
    Features: Any
    FloatList: Any
    Int64List: Any
    JobDef: Any
    SequenceExample: Any
    ServerDef: Any
else:

    def __getattr__(name: str) -> Any:
        """The class of a message; protobuf is imported when the first one is asked for."""
        if name not in _MESSAGES:
            raise AttributeError(explanation(f"train.{name}", __dir__()), name=name)
        found = globals()[name] = getattr(messages, name)  # the next time it is found at once
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES})
