"""Values of several replicas: `PerReplica` and `Mirrored`, and nests of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.indexing import getitem
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import DType
from runnel.core.values.type_spec import TensorSpec, TypeSpec, register, type_spec_from_value
from runnel.distribute.contexts import NotFused, current, process


class DistributedValues:
    """A value that may differ between replicas.

    `Strategy.experimental_local_results` gives the values one by one.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, one for each replica."""
        return self._values

    @property
    def count(self) -> int:
        """For how many replicas there is a value."""
        return len(self.values)

    def _own(self) -> Any:
        """The value of the replica that asks, or the class's answer across replicas."""
        context = current()
        if context.replica is None or context.strategy is process.default.strategy:
            return self._across()
        if context.replica.number is None:
            raise NotFused("a replica takes its part of a value from outside")
        return self.values[context.replica.number]

    def _across(self) -> Any:
        raise ValueError(
            f"A {type(self).__name__} has a value for each replica, and is used as one value "
            "across replicas. Pass it to Strategy.run, or reduce it by Strategy.reduce first."
        )

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Tensor:
        return convert_to_tensor(self._own(), dtype=dtype, name=name)

    _title: str | None = None

    def _shown(self, show: Callable[[Any], str]) -> str:
        lines = ",\n".join(f"  {i}: {show(value)}" for i, value in enumerate(self.values))
        return f"{self._title or type(self).__name__}:{{\n{lines}\n}}"

    def __str__(self) -> str:
        return self._shown(str)

    def __repr__(self) -> str:
        return self._shown(repr)


class PerReplica(DistributedValues):
    """Values of replicas that may differ."""

    @property
    def _type_spec(self) -> PerReplicaSpec:
        return PerReplicaSpec(*[type_spec_from_value(value) for value in self.values])


@register("tf.PerReplicaSpec")
class PerReplicaSpec(TypeSpec):
    """The type of a `PerReplica`: those of its values."""

    def __init__(self, *value_specs: TypeSpec) -> None:
        self._value_specs = tuple(value_specs)

    @property
    def value_type(self) -> Any:
        return PerReplica

    def _serialize(self) -> tuple[Any, ...]:
        return self._value_specs

    @property
    def _component_specs(self) -> Any:
        return self._value_specs

    def _to_components(self, value: Any) -> Any:
        return value.values

    def _from_components(self, components: Any) -> Any:
        return PerReplica(components)


class Stacked(PerReplica):
    """Values of replicas that are the rows of one tensor."""

    _title = "PerReplica"

    def __init__(self, whole: Tensor, count: int) -> None:
        self.whole, self._count = whole, count

    @property
    def count(self) -> int:
        return self._count

    @property
    def values(self) -> tuple[Any, ...]:
        return tuple(getitem(self.whole, number) for number in range(self.count))

    @property
    def _type_spec(self) -> StackedSpec:  # type: ignore[override]
        return StackedSpec(TensorSpec(self.whole.shape, self.whole.dtype), self._count)


@register("runnel.StackedSpec")
class StackedSpec(TypeSpec):
    """The type of the rows of one tensor, each for a replica."""

    def __init__(self, spec: TensorSpec, count: int) -> None:
        self._spec, self._count = spec, count

    @property
    def value_type(self) -> Any:
        return Stacked

    def _serialize(self) -> tuple[Any, ...]:
        return self._spec, self._count

    @property
    def _component_specs(self) -> Any:
        return self._spec

    def _to_components(self, value: Any) -> Any:
        return value.whole

    def _from_components(self, components: Any) -> Any:
        return Stacked(components, self._count)


class Mirrored(DistributedValues, Operators):
    """Values of replicas that are the same, and may be used as one."""

    def _across(self) -> Any:
        return self.values[0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_values":
            raise AttributeError(name)
        return getattr(self._values[0], name)


def regroup(
    values: Sequence[Any], wrap: Callable[[Sequence[Any]], Any] = PerReplica, always: bool = False
) -> Any:
    """What each replica returned as one nest of values of all replicas.

    What is the same object for all of them stays what it is, unless it is `always` wrapped.
    """

    def grouped(*parts: Any) -> Any:
        first = parts[0]
        same = all(part is first for part in parts[1:])
        whole = [container_of(part) for part in parts]
        if whole[0] is not None and all(part is whole[0] for part in whole[1:]):
            return whole[0]
        return first if same and not always else wrap(parts)

    return nest.map_structure(grouped, *values)


def select(number: int, nested: Any) -> Any:
    """A nest as one replica sees it."""

    def own(value: Any) -> Any:
        return value.values[number] if isinstance(value, DistributedValues) else value

    return nest.map_structure(own, nested)


def container_of(value: Any) -> Any:
    """The distributed variable that a value is, or is a part of; None for others."""
    if getattr(value, "is_distributed_variable", False):
        return value
    container = getattr(value, "_distributed_container", None)
    return None if container is None else container()
