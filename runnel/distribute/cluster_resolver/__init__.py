"""`tf.distribute.cluster_resolver`: who the processes of a program are."""

from runnel.distribute.cluster_resolver.environment import (
    TFConfigClusterResolver as TFConfigClusterResolver,
)
from runnel.distribute.cluster_resolver.resolver import ClusterResolver as ClusterResolver
from runnel.distribute.cluster_resolver.resolver import (
    SimpleClusterResolver as SimpleClusterResolver,
)
from runnel.distribute.cluster_resolver.resolver import UnionResolver as UnionResolver

__all__ = [
    "ClusterResolver",
    "SimpleClusterResolver",
    "TFConfigClusterResolver",
    "UnionResolver",
]
