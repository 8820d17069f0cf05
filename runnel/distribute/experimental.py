"""`tf.distribute.experimental`."""

from .communication import CollectiveHints as CollectiveHints
from .communication import CommunicationImplementation as CollectiveCommunication
from .communication import CommunicationImplementation as CommunicationImplementation
from .communication import CommunicationOptions as CommunicationOptions
from .kin import CentralStorageStrategy as CentralStorageStrategy
from .kin import OldMultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from .kin import OldTPUStrategy as TPUStrategy
from .kin import ParameterServerStrategy as ParameterServerStrategy
from .kin import PreemptionCheckpointHandler as PreemptionCheckpointHandler
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
    "ValueContext",
]
