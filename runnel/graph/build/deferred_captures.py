"""Captures whose value is found anew in each call: `FuncGraph.capture_call_time_value`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runnel.core.op.context import state
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.type_spec import TensorSpec

if TYPE_CHECKING:
    from runnel.graph.build.tensor import SymbolicTensor


@dataclass(frozen=True, eq=False)
class CallTimeValue:
    """What a function is to use: the value that `closure` gives, of type `spec`, in each call."""

    closure: Callable[[], Any]
    spec: Any
    key: Any
    places: list[SymbolicTensor]  # its parts in the graph

    def packed(self) -> Any:
        """The value in the graph."""
        return nest.pack_sequence_as(self.spec, self.places, expand_composites=True)

    def tensors(self) -> list[Tensor]:
        """The parts of the value now; another function that is traced has to ask again."""
        around: Any = state.graph
        if around is not None and around.building_function:
            value = around.capture_call_time_value(self.closure, self.spec, self.key)
        else:
            value = self.closure()
        if isinstance(self.spec, TensorSpec):
            return [_fitting(self.spec, value)]  # also of a list of numbers
        nest.assert_same_structure(self.spec, value, expand_composites=True)
        flat = nest.flatten(value, expand_composites=True)
        return [_fitting(s, t) for s, t in zip(parts_of(self.spec), flat, strict=True)]


def parts_of(spec: Any) -> list[Any]:
    """The specs of the tensors that a value of such a type consists of."""
    return nest.flatten(spec, expand_composites=True)


def _fitting(spec: Any, value: Any) -> Tensor:
    tensor = convert_to_tensor(value)
    if not spec.is_compatible_with(tensor):
        got = TensorSpec(tensor.shape, tensor.dtype)
        raise TypeError(f"A value that is captured at call time must be {spec!r}, got {got!r}.")
    return tensor
