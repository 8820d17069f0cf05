"""What can be called with arguments of a `function_type`: names for `isinstance`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from runnel.function.function_type import FunctionType


class Callable(ABC):
    """A function that knows the types of its arguments."""

    @property
    @abstractmethod
    def function_type(self) -> FunctionType:
        """The types of the arguments, and of the result where it is known."""

    @abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class PolymorphicFunction(Callable):
    """A function that is traced for each kind of arguments: a `tf.function`, or a method of one."""

    @abstractmethod
    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Callable:
        """The trace for such arguments."""

    @abstractmethod
    def _list_all_concrete_functions(self) -> Sequence[Callable]:
        """All traces, each once."""
