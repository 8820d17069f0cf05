"""`tf.types.experimental`: names for annotations and `isinstance`, and the tracing protocol."""

from runnel.core.types import TensorLike as TensorLike
from runnel.function.concrete import ConcreteFunction as ConcreteFunction
from runnel.function.function import Function as GenericFunction
from runnel.function.function import Function as PolymorphicFunction
from runnel.function.function_type import FunctionType as FunctionType
from runnel.function.trace_type import SupportsTracingProtocol as SupportsTracingProtocol
from runnel.function.trace_type import TraceType as TraceType

__all__ = [
    "ConcreteFunction",
    "FunctionType",
    "GenericFunction",
    "PolymorphicFunction",
    "SupportsTracingProtocol",
    "TensorLike",
    "TraceType",
]
