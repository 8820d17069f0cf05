"""TensorFlow 2, implemented anew: `import runnel as tf`."""

# One block of import lines per module, in alphabetical order of the modules.
from runnel import errors as errors
from runnel import nest as nest
from runnel.core.context import executing_eagerly as executing_eagerly
from runnel.core.convert import constant as constant
from runnel.core.convert import convert_to_tensor as convert_to_tensor
from runnel.core.convert import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from runnel.core.dtypes import DType as DType
from runnel.core.dtypes import as_dtype as as_dtype
from runnel.core.dtypes import bfloat16 as bfloat16
from runnel.core.dtypes import bool as bool
from runnel.core.dtypes import complex64 as complex64
from runnel.core.dtypes import complex128 as complex128
from runnel.core.dtypes import double as double
from runnel.core.dtypes import float16 as float16
from runnel.core.dtypes import float32 as float32
from runnel.core.dtypes import float64 as float64
from runnel.core.dtypes import half as half
from runnel.core.dtypes import int8 as int8
from runnel.core.dtypes import int16 as int16
from runnel.core.dtypes import int32 as int32
from runnel.core.dtypes import int64 as int64
from runnel.core.dtypes import qint8 as qint8
from runnel.core.dtypes import qint16 as qint16
from runnel.core.dtypes import qint32 as qint32
from runnel.core.dtypes import quint8 as quint8
from runnel.core.dtypes import quint16 as quint16
from runnel.core.dtypes import resource as resource
from runnel.core.dtypes import string as string
from runnel.core.dtypes import uint8 as uint8
from runnel.core.dtypes import uint16 as uint16
from runnel.core.dtypes import uint32 as uint32
from runnel.core.dtypes import uint64 as uint64
from runnel.core.dtypes import variant as variant
from runnel.core.gradient_tape import GradientTape as GradientTape
from runnel.core.indexed_slices import IndexedSlices as IndexedSlices
from runnel.core.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from runnel.core.raw import raw_ops as raw_ops
from runnel.core.registry import RegisterGradient as RegisterGradient
from runnel.core.registry import no_gradient as no_gradient
from runnel.core.shape import TensorShape as TensorShape
from runnel.core.tensor import Tensor as Tensor
from runnel.core.type_spec import TensorSpec as TensorSpec
from runnel.core.type_spec import TypeSpec as TypeSpec
from runnel.core.unconnected import UnconnectedGradients as UnconnectedGradients
from runnel.core.variable import Variable as Variable
from runnel.core.variable import VariableAggregation as VariableAggregation
from runnel.core.variable import VariableSynchronization as VariableSynchronization
from runnel.function.function import function as function
from runnel.graph.graph import Graph as Graph
from runnel.graph.operation import Operation as Operation
from runnel.ops import array as _array  # noqa: F401
from runnel.ops import math as _math  # noqa: F401
from runnel.ops import resource_variables as _resource_variables  # noqa: F401
from runnel.ops.einsum import einsum as einsum
from runnel.ops.matmul import matmul as matmul
from runnel.ops.matmul import tensordot as tensordot

newaxis = None
__version__ = "2.21.0"
