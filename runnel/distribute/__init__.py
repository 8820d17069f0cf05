"""`tf.distribute`: programs on several replicas."""

from typing import TYPE_CHECKING, Any

from runnel.core.settings.absent import explanation
from runnel.distribute import cluster_resolver as cluster_resolver
from runnel.distribute import coordinator as coordinator
from runnel.distribute import experimental as experimental
from .cluster.multi_worker import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from .contexts import experimental_set_strategy as experimental_set_strategy
from .contexts import get_replica_context as get_replica_context
from .contexts import get_strategy as get_strategy
from .contexts import has_strategy as has_strategy
from .contexts import in_cross_replica_context as in_cross_replica_context
from .cross_device_ops import CrossDeviceOps as CrossDeviceOps
from .cross_device_ops import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from .cross_device_ops import NcclAllReduce as NcclAllReduce
from .cross_device_ops import ReductionToOneDevice as ReductionToOneDevice
from .datasets import DistributedDataset as DistributedDataset
from .datasets import DistributedIterator as DistributedIterator
from .explaining import explain as explain
from .inputs import InputContext as InputContext
from .inputs import InputOptions as InputOptions
from .inputs import InputReplicationMode as InputReplicationMode
from .inputs import RunOptions as RunOptions
from .kin import ParameterServerStrategy as ParameterServerStrategy
from .kin import Server as Server
from .kin import TPUStrategy as TPUStrategy
from .mirrored import MirroredStrategy as MirroredStrategy
from .reductions import ReduceOp as ReduceOp
from .strategy import OneDeviceStrategy as OneDeviceStrategy
from .strategy import ReplicaContext as ReplicaContext
from .strategy import Strategy as Strategy
from .strategy import StrategyExtended as StrategyExtended
from .values import DistributedValues as DistributedValues

if not TYPE_CHECKING:  # it would make any name a right one

    def __getattr__(name: str) -> Any:
        """What is not there is explained."""
        raise AttributeError(explanation(f"distribute.{name}", globals()), name=name)
