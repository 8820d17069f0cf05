"""`tf.distribute`: programs that are written for several replicas, on one."""

from typing import Any

from runnel.core.settings.absent import explanation
from runnel.distribute.contexts import experimental_set_strategy as experimental_set_strategy
from runnel.distribute.contexts import get_replica_context as get_replica_context
from runnel.distribute.contexts import get_strategy as get_strategy
from runnel.distribute.contexts import has_strategy as has_strategy
from runnel.distribute.contexts import in_cross_replica_context as in_cross_replica_context
from runnel.distribute.inputs import InputContext as InputContext
from runnel.distribute.inputs import InputOptions as InputOptions
from runnel.distribute.inputs import InputReplicationMode as InputReplicationMode
from runnel.distribute.inputs import RunOptions as RunOptions
from runnel.distribute.strategy import DistributedValues as DistributedValues
from runnel.distribute.strategy import OneDeviceStrategy as OneDeviceStrategy
from runnel.distribute.strategy import ReduceOp as ReduceOp
from runnel.distribute.strategy import ReplicaContext as ReplicaContext
from runnel.distribute.strategy import Strategy as Strategy
from runnel.distribute.strategy import StrategyExtended as StrategyExtended


def __getattr__(name: str) -> Any:
    """What is not there is explained."""
    raise AttributeError(explanation(f"distribute.{name}", globals()), name=name)
