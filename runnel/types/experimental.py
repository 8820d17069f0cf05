"""`tf.types.experimental`: names for annotations and `isinstance`, and the tracing protocol."""

from runnel.core.values.types import TensorLike as TensorLike
from runnel.function.callable import Callable as Callable
from runnel.function.callable import PolymorphicFunction as GenericFunction
from runnel.function.callable import PolymorphicFunction as PolymorphicFunction
from runnel.function.concrete import ConcreteFunction as ConcreteFunction
from runnel.function.function_type import FunctionType as FunctionType
from runnel.function.trace_type import SupportsTracingProtocol as SupportsTracingProtocol
from runnel.function.trace_type import TraceType as TraceType

__all__ = [
    "Callable",
    "ConcreteFunction",
    "FunctionType",
    "GenericFunction",
    "PolymorphicFunction",
    "SupportsTracingProtocol",
    "TensorLike",
    "TraceType",
]
