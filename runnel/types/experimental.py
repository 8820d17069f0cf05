"""`tf.types.experimental`: names for annotations and `isinstance`."""

from runnel.core.types import TensorLike as TensorLike
from runnel.function.concrete import ConcreteFunction as ConcreteFunction
from runnel.function.function import Function as GenericFunction
from runnel.function.function import Function as PolymorphicFunction

__all__ = ["ConcreteFunction", "GenericFunction", "PolymorphicFunction", "TensorLike"]
