"""`tf.experimental`."""

import importlib
from typing import Any

from runnel.core.composite.dispatch_for import dispatch_for_api as dispatch_for_api
from runnel.core.composite.dispatch_for import (
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
)
from runnel.core.composite.dispatch_for import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from runnel.core.composite.dispatch_for import (
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
)
from runnel.core.composite.dispatch_for import unregister_dispatch_for as unregister_dispatch_for
from runnel.core.composite.extension_type import BatchableExtensionType as BatchableExtensionType
from runnel.core.composite.extension_type import ExtensionType as ExtensionType
from runnel.core.composite.extension_type import (
    ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
)
from runnel.core.composite.extension_type import ExtensionTypeSpec as ExtensionTypeSpec
from runnel.core.composite.ragged_shape import DynamicRaggedShape as DynamicRaggedShape
from runnel.core.composite.row_partition import RowPartition as RowPartition
from runnel.core.settings.absent import explanation
from runnel.core.settings.stubs import async_clear_error as async_clear_error
from runnel.core.settings.stubs import async_scope as async_scope
from runnel.core.settings.stubs import enable_strict_mode as enable_strict_mode
from runnel.core.settings.stubs import function_executor_type as function_executor_type
from runnel.core.settings.stubs import register_filesystem_plugin as register_filesystem_plugin
from runnel.core.values.dtypes import float4_e2m1fn as float4_e2m1fn
from runnel.core.values.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from runnel.core.values.dtypes import float8_e4m3fn as float8_e4m3fn
from runnel.core.values.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from runnel.core.values.dtypes import float8_e5m2 as float8_e5m2
from runnel.core.values.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from runnel.core.values.dtypes import int2 as int2
from runnel.core.values.dtypes import int4 as int4
from runnel.core.values.dtypes import uint2 as uint2
from runnel.core.values.dtypes import uint4 as uint4
from runnel.data.dataset.optional import Optional as Optional
from runnel.experimental import dlpack as dlpack
from runnel.experimental import extension_type as extension_type
from runnel.experimental import numpy as numpy
from runnel.experimental import tensorrt as tensorrt
from runnel.ops.ragged.structured import StructuredTensor as StructuredTensor


def __getattr__(name: str) -> Any:
    """What libraries ask for and few programs need is loaded when it is asked for."""
    if name == "dtensor":
        return importlib.import_module("runnel.experimental.dtensor")
    raise AttributeError(explanation(f"experimental.{name}", globals()), name=name)
