"""`ConcreteFunction.inference_fn`: a trace as one function of all its tensors, captures too."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from runnel.core.tensor.tensor import Tensor

if TYPE_CHECKING:
    from runnel.function.concrete import ConcreteFunction
    from runnel.function.function_type import FunctionType
    from runnel.graph.build.func_graph import FuncGraph


class AtomicFunction:
    """The function that a graph calls by its name, without the tensors that it captured.

    >>> triple = tf.function(lambda x: {"y": 3.0 * x})
    >>> concrete = triple.get_concrete_function(tf.TensorSpec([], tf.float32))
    >>> concrete.inference_fn.call_flat(tf.constant(2.0))[0].numpy()
    np.float32(6.0)
    """

    children: tuple[AtomicFunction, ...] = ()  # a graph is flat: it has copies of what it calls

    def __init__(self, concrete: ConcreteFunction) -> None:
        self._concrete = concrete

    @property
    def name(self) -> bytes:
        return self._concrete.name

    @property
    def function_type(self) -> FunctionType:
        return self._concrete.function_type

    @property
    def graph(self) -> FuncGraph:
        return self._concrete.graph

    @property
    def definition(self) -> Any:
        """The graph as a `FunctionDef` message."""
        return self._concrete.function_def

    @functools.cached_property
    def cached_definition(self) -> Any:
        """The same message in each call."""
        return self.definition

    @property
    def attributes(self) -> Any:
        return self.cached_definition.attr

    def call_flat(self, *args: Tensor) -> Sequence[Tensor]:
        """The flat results for the tensors among the arguments, followed by those captured."""
        count = len(self.graph.arguments)
        whole = copy.copy(self._concrete._function)
        if len(args) != len(whole.inputs):
            raise ValueError(
                f"{self} takes {len(whole.inputs)} tensors, {count} of them arguments, "
                f"got {len(args)}."
            )
        whole.captured, whole.found_now = list(args[count:]), list  # type: ignore[method-assign]
        return whole.call(args[:count])

    def call_preflattened(self, args: Sequence[Tensor]) -> Any:
        """`call_flat`, with the results in the structure that the Python function returned."""
        return self._concrete.pack(self.call_flat(*args))

    def call_with_captures(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], captures: Sequence[Tensor]
    ) -> Any:
        """A call with arguments of the function's signature and tensors for what it captured."""
        kind = self._concrete.kind
        tensors = kind.tensors(kind.bind(tuple(args), dict(kwargs)))
        return self.call_preflattened([*tensors, *captures])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._concrete.captured_inputs:
            raise ValueError(f"{self} captures tensors: give them to `call_with_captures`.")
        return self.call_with_captures(args, kwargs, [])

    def __str__(self) -> str:
        return f"<AtomicFunction> {self.name.decode()}{self.function_type}"

    def __repr__(self) -> str:
        return f"AtomicFunction(name={self.name!r}, function_type={self.function_type!r})"
