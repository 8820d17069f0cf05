"""`tf.test`: a base for tests, checks of gradients, and what this build has."""

from runnel.test import experimental as experimental
from runnel.test.benchmark import Benchmark as Benchmark
from runnel.test.benchmark import benchmark_config as benchmark_config
from runnel.test.case import TestCase as TestCase
from runnel.test.case import main as main
from runnel.test.decorators import assert_equal_graph_def as assert_equal_graph_def
from runnel.test.decorators import create_local_cluster as create_local_cluster
from runnel.test.decorators import disable_with_predicate as disable_with_predicate
from runnel.test.decorators import with_eager_op_as_function as with_eager_op_as_function
from runnel.test.environment import gpu_device_name as gpu_device_name
from runnel.test.environment import is_built_with_cuda as is_built_with_cuda
from runnel.test.environment import is_built_with_gpu_support as is_built_with_gpu_support
from runnel.test.environment import is_built_with_rocm as is_built_with_rocm
from runnel.test.environment import is_built_with_xla as is_built_with_xla
from runnel.test.environment import is_cpu_target_available as is_cpu_target_available
from runnel.test.environment import is_gpu_available as is_gpu_available
from runnel.test.gradients import compute_gradient as compute_gradient
