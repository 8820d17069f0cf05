"""`tf.distribute.experimental`."""

from . import coordinator as coordinator
from .cluster.communication import CollectiveHints as CollectiveHints
from .cluster.communication import CommunicationImplementation as CollectiveCommunication
from .cluster.communication import CommunicationImplementation as CommunicationImplementation
from .cluster.communication import CommunicationOptions as CommunicationOptions
from .cluster.multi_worker import OldMultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from .cluster.preemption import PreemptionCheckpointHandler as PreemptionCheckpointHandler
from .cluster.preemption import TerminationConfig as TerminationConfig
from .kin import CentralStorageStrategy as CentralStorageStrategy
from .kin import OldTPUStrategy as TPUStrategy
from .kin import ParameterServerStrategy as ParameterServerStrategy
from .strategy import ValueContext as ValueContext

__all__ = [
    "CentralStorageStrategy",
    "CollectiveCommunication",
    "CollectiveHints",
    "CommunicationImplementation",
    "CommunicationOptions",
    "MultiWorkerMirroredStrategy",
    "ParameterServerStrategy",
    "PreemptionCheckpointHandler",
    "TPUStrategy",
    "TerminationConfig",
    "ValueContext",
    "coordinator",
]
