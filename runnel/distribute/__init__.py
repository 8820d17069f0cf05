"""`tf.distribute`: programs on several replicas."""

from typing import TYPE_CHECKING, Any

from runnel.core.settings.absent import explanation
from runnel.distribute import coordinator as coordinator
from runnel.distribute import experimental as experimental
from runnel.distribute.contexts import experimental_set_strategy as experimental_set_strategy
from runnel.distribute.contexts import get_replica_context as get_replica_context
from runnel.distribute.contexts import get_strategy as get_strategy
from runnel.distribute.contexts import has_strategy as has_strategy
from runnel.distribute.contexts import in_cross_replica_context as in_cross_replica_context
from runnel.distribute.cross_device_ops import CrossDeviceOps as CrossDeviceOps
from runnel.distribute.cross_device_ops import (
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
)
from runnel.distribute.cross_device_ops import NcclAllReduce as NcclAllReduce
from runnel.distribute.cross_device_ops import ReductionToOneDevice as ReductionToOneDevice
from runnel.distribute.datasets import DistributedDataset as DistributedDataset
from runnel.distribute.datasets import DistributedIterator as DistributedIterator
from runnel.distribute.explaining import explain as explain
from runnel.distribute.inputs import InputContext as InputContext
from runnel.distribute.inputs import InputOptions as InputOptions
from runnel.distribute.inputs import InputReplicationMode as InputReplicationMode
from runnel.distribute.inputs import RunOptions as RunOptions
from runnel.distribute.kin import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from runnel.distribute.kin import ParameterServerStrategy as ParameterServerStrategy
from runnel.distribute.kin import Server as Server
from runnel.distribute.kin import TPUStrategy as TPUStrategy
from runnel.distribute.mirrored import MirroredStrategy as MirroredStrategy
from runnel.distribute.reductions import ReduceOp as ReduceOp
from runnel.distribute.strategy import OneDeviceStrategy as OneDeviceStrategy
from runnel.distribute.strategy import ReplicaContext as ReplicaContext
from runnel.distribute.strategy import Strategy as Strategy
from runnel.distribute.strategy import StrategyExtended as StrategyExtended
from runnel.distribute.values import DistributedValues as DistributedValues

if not TYPE_CHECKING:  # it would make any name a right one

    def __getattr__(name: str) -> Any:
        """What is not there is explained."""
        raise AttributeError(explanation(f"distribute.{name}", globals()), name=name)
