"""`tf.test`: a base for tests, checks of gradients, and what this build has."""

from runnel.test.case import TestCase as TestCase
from runnel.test.case import main as main
from runnel.test.environment import gpu_device_name as gpu_device_name
from runnel.test.environment import is_built_with_cuda as is_built_with_cuda
from runnel.test.environment import is_built_with_gpu_support as is_built_with_gpu_support
from runnel.test.environment import is_built_with_rocm as is_built_with_rocm
from runnel.test.environment import is_built_with_xla as is_built_with_xla
from runnel.test.environment import is_gpu_available as is_gpu_available
from runnel.test.gradients import compute_gradient as compute_gradient
