"""`tf.config.experimental`."""

from runnel.core.settings.device import VirtualDeviceConfiguration as VirtualDeviceConfiguration
from runnel.core.settings.device import get_device_details as get_device_details
from runnel.core.settings.device import get_memory_growth as get_memory_growth
from runnel.core.settings.device import get_memory_info as get_memory_info
from runnel.core.settings.device import get_memory_usage as get_memory_usage
from runnel.core.settings.device import (
    get_virtual_device_configuration as get_virtual_device_configuration,
)
from runnel.core.settings.device import get_visible_devices as get_visible_devices
from runnel.core.settings.device import list_logical_devices as list_logical_devices
from runnel.core.settings.device import list_physical_devices as list_physical_devices
from runnel.core.settings.device import reset_memory_stats as reset_memory_stats
from runnel.core.settings.device import set_memory_growth as set_memory_growth
from runnel.core.settings.device import (
    set_virtual_device_configuration as set_virtual_device_configuration,
)
from runnel.core.settings.device import set_visible_devices as set_visible_devices
from runnel.core.settings.switches import ClusterDeviceFilters as ClusterDeviceFilters
from runnel.core.settings.switches import disable_mlir_bridge as disable_mlir_bridge
from runnel.core.settings.switches import enable_mlir_bridge as enable_mlir_bridge
from runnel.core.settings.switches import enable_op_determinism as enable_op_determinism
from runnel.core.settings.switches import (
    enable_tensor_float_32_execution as enable_tensor_float_32_execution,
)
from runnel.core.settings.switches import get_device_policy as get_device_policy
from runnel.core.settings.switches import get_synchronous_execution as get_synchronous_execution
from runnel.core.settings.switches import set_device_policy as set_device_policy
from runnel.core.settings.switches import set_synchronous_execution as set_synchronous_execution
from runnel.core.settings.switches import (
    tensor_float_32_execution_enabled as tensor_float_32_execution_enabled,
)
