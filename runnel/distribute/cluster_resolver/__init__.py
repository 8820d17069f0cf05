"""`tf.distribute.cluster_resolver`: who the processes of a program are."""

from .clouds import GCEClusterResolver as GCEClusterResolver
from .clouds import KubernetesClusterResolver as KubernetesClusterResolver
from .clouds import KubernetesExecutableLocation as KubernetesExecutableLocation
from .clouds import TPUClusterResolver as TPUClusterResolver
from .environment import TFConfigClusterResolver as TFConfigClusterResolver
from .resolver import ClusterResolver as ClusterResolver
from .resolver import SimpleClusterResolver as SimpleClusterResolver
from .resolver import UnionResolver as UnionResolver
from .slurm import SlurmClusterResolver as SlurmClusterResolver

__all__ = [
    "ClusterResolver",
    "GCEClusterResolver",
    "KubernetesClusterResolver",
    "KubernetesExecutableLocation",
    "SimpleClusterResolver",
    "SlurmClusterResolver",
    "TFConfigClusterResolver",
    "TPUClusterResolver",
    "UnionResolver",
]
