"""`tf.distribute.experimental`."""

from runnel.distribute.communication import CollectiveHints as CollectiveHints
from runnel.distribute.communication import (
    CommunicationImplementation as CollectiveCommunication,
)
from runnel.distribute.communication import (
    CommunicationImplementation as CommunicationImplementation,
)
from runnel.distribute.communication import CommunicationOptions as CommunicationOptions
from runnel.distribute.kin import CentralStorageStrategy as CentralStorageStrategy
from runnel.distribute.kin import OldMultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from runnel.distribute.kin import OldTPUStrategy as TPUStrategy
from runnel.distribute.kin import ParameterServerStrategy as ParameterServerStrategy
from runnel.distribute.kin import PreemptionCheckpointHandler as PreemptionCheckpointHandler
from runnel.distribute.strategy import ValueContext as ValueContext

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
