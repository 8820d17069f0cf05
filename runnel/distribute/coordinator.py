"""`tf.distribute.coordinator`."""

from runnel.distribute.kin import ClusterCoordinator as ClusterCoordinator
