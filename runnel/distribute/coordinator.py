"""`tf.distribute.coordinator`."""

from runnel.distribute.kin import ClusterCoordinator as ClusterCoordinator
from runnel.distribute.kin import RemoteValue as RemoteValue
