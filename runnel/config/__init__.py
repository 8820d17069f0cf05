"""`tf.config`: devices, threads, and how functions run."""

from runnel.config import experimental as experimental
from runnel.config import optimizer as optimizer
from runnel.config import threading as threading
from runnel.core.settings.device import LogicalDevice as LogicalDevice
from runnel.core.settings.device import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from runnel.core.settings.device import PhysicalDevice as PhysicalDevice
from runnel.core.settings.device import (
    get_logical_device_configuration as get_logical_device_configuration,
)
from runnel.core.settings.device import get_visible_devices as get_visible_devices
from runnel.core.settings.device import list_logical_devices as list_logical_devices
from runnel.core.settings.device import list_physical_devices as list_physical_devices
from runnel.core.settings.device import (
    set_logical_device_configuration as set_logical_device_configuration,
)
from runnel.core.settings.device import set_visible_devices as set_visible_devices
from runnel.core.settings.switches import (
    experimental_connect_to_cluster as experimental_connect_to_cluster,
)
from runnel.core.settings.switches import (
    experimental_connect_to_host as experimental_connect_to_host,
)
from runnel.core.settings.switches import (
    experimental_functions_run_eagerly as experimental_functions_run_eagerly,
)
from runnel.core.settings.switches import (
    experimental_run_functions_eagerly as experimental_run_functions_eagerly,
)
from runnel.core.settings.switches import functions_run_eagerly as functions_run_eagerly
from runnel.core.settings.switches import get_soft_device_placement as get_soft_device_placement
from runnel.core.settings.switches import run_functions_eagerly as run_functions_eagerly
from runnel.core.settings.switches import set_soft_device_placement as set_soft_device_placement
