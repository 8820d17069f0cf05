"""Datasets, iterators and optionals in graphs, on the host.

Three ops are our own, and stand outside `tf.raw_ops`: a dataset is one operation whatever its steps
are, an iterator is made at once, and can be asked whether there are more elements. A SavedModel has
TensorFlow's in their place; see `rewriting.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.op import context
from runnel.core.op.op import Op
from runnel.core.op.raw import raw_ops
from runnel.core.op.registry import RegisterGradient, no_gradient
from runnel.core.settings.logging import warning
from runnel.core.state.resource import Resource
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.tensor.tensor_list import is_list
from runnel.core.values.dtypes import DType, variant
from runnel.core.values.errors import (
    FailedPreconditionError,
    OpError,
    OutOfRangeError,
    UnknownError,
    invalid,
)
from runnel.core.values.tracebacks import let_through
from runnel.core.values.types import Array, Namespace
from runnel.data.dataset.options import ExternalStatePolicy
from runnel.data.insight.debugging import debugging
from runnel.data.nodes.node import DatasetValue, Node, Run, Values, with_separate_uses
from runnel.data.run.structure import Structure
from runnel.ops.shapes import scalar


class IteratorResource(Resource):
    """A running iterator, which graphs and eager code may share."""

    node: Node
    run: Run
    stage: Any
    fits = False  # the graph that takes its elements

    def __init__(self, node: Node | None = None) -> None:
        super().__init__()
        if node is not None:
            self.start(node)

    def start(self, node: Node) -> None:
        """Begin to run over a dataset."""
        self.node = node = with_separate_uses(node)
        options = node.options()
        self.run = Run(options, threads=not debugging())
        self.run.follow(node)
        self.given = 0  # elements that left the iterator
        self.fits = False
        with context.building(None), context.unrecorded():
            self.stage = self.run.build(node)
        self.peeked: Values | None = None

    def _check_started(self) -> None:
        if not hasattr(self, "stage"):
            message = "The iterator has not been initialized: MakeIterator gives it a dataset."
            raise FailedPreconditionError(None, None, message)

    def next(self) -> Values:
        """The next element; StopIteration after the last."""
        if self.peeked is not None:
            values, self.peeked = self.peeked, None
        else:
            values = next(self.stage)
        self.given += 1
        return values

    def advance(self) -> Values | None:
        """The next element, or None; for graphs, from any thread."""
        self._check_started()
        with self.lock, context.building(None), context.unrecorded():
            try:
                return self.next()
            except StopIteration:
                return None
            except OpError:
                raise
            except Exception as error:
                let_through(error)
                message = f"{type(error).__name__}: {error}"
                raise UnknownError(None, None, message) from error

    def has_next(self) -> bool:
        if self.peeked is None:
            self.peeked = self.advance()
            self.given -= self.peeked is not None
        return self.peeked is not None

    def save(self) -> Any:
        self._check_state()
        with self.lock:
            peeked = self.peeked
            return [peeked, self.stage.save()]

    def _check_state(self) -> None:
        """Warn or complain of functions whose state is not saved, if the options say so."""
        policy = self.run.options.experimental_external_state_policy
        if policy not in (ExternalStatePolicy.WARN, ExternalStatePolicy.FAIL):
            return
        for function in self.node.functions():
            if function.stateful:
                message = f"The state of the function {function.name} is not saved."
                if policy is ExternalStatePolicy.FAIL:
                    raise FailedPreconditionError(None, None, message)
                warning(message)

    def restore(self, state: Any) -> None:
        with self.lock, context.building(None), context.unrecorded():
            self.stage = self.run.build(self.node)
            self.peeked, stage = state
            self.stage.restore(stage)


class OptionalValue(Resource):
    """What a variant tensor of a `tf.experimental.Optional` holds: values, or None."""

    def __init__(self, values: Values | None) -> None:
        self.values = values

    def zeros(self, xp: Namespace) -> OptionalValue:
        """What `ZerosLike` makes of it: zeros in place of the values."""
        if self.values is None:
            return self
        return OptionalValue([v.zeros(xp) if is_list(v) else xp.zeros_like(v) for v in self.values])

    def plus(self, xp: Namespace, other: OptionalValue) -> OptionalValue:
        """The sum of two optionals, of which one may be empty."""
        if self.values is None or other.values is None:
            return other if self.values is None else self
        pairs = zip(self.values, other.values, strict=True)
        return OptionalValue([a.plus(xp, b) if is_list(a) else xp.add(a, b) for a, b in pairs])


def component_shapes(*inputs: Any, output_shapes: tuple[Any, ...], **attrs: Any) -> list[Any]:
    return [[shape._dims for shape in output_shapes]]


def _make_dataset(
    xp: Namespace, tensors: list[Array], *, node: Node, ids: tuple[int, ...], Tin: tuple[DType, ...]
) -> Any:
    given = zip(ids, tensors, Tin, strict=True)
    return DatasetValue(node.bound({key: EagerTensor(v, d) for key, v, d in given}))


_MAKE_DATASET = Op(
    "MakeDataset", "tensors: *Tin -> handle: variant", _make_dataset, host=True, shape=scalar
)


def dataset_tensor(node: Node) -> Tensor:
    """The variant tensor of a dataset, here or in the graph being built."""
    held = getattr(node, "tensor", None)  # a dataset that came as such a tensor
    if isinstance(held, Tensor):
        return held
    tensors = node.symbolic()
    graph = context.state.graph
    if not tensors and (graph is None or graph.building_function):
        return EagerTensor(DatasetValue(node), variant)
    attrs = {"Tin": tuple(t.dtype for t in tensors), "node": node}
    return _MAKE_DATASET.apply(tensors, {**attrs, "ids": tuple(t._id for t in tensors)})  # type: ignore[no-any-return]


def _iterator_over(xp: Namespace, dataset: Any, *, structure: Structure | None = None) -> Any:
    if not isinstance(dataset, DatasetValue):
        raise invalid("IteratorOver: the variant holds no dataset.")
    return IteratorResource(dataset.node)


_ITERATOR_OVER = Op(
    "IteratorOver", "dataset: variant -> handle: resource", _iterator_over, shape=scalar
)


def iterator_over(dataset: Tensor, structure: Structure) -> Tensor:
    """A new iterator over the dataset in a variant."""
    return _ITERATOR_OVER.apply([dataset], {"structure": structure})  # type: ignore[no-any-return]


def _cardinality(xp: Namespace, input_dataset: Any, *, cardinality_options: str = "") -> Any:
    return np.int64(input_dataset.node.cardinality())


cardinality = Op(
    "DatasetCardinality",
    "input_dataset: variant -> cardinality: int64",
    _cardinality,
    host=True,
    shape=scalar,
)


def _get_next(
    xp: Namespace,
    iterator: Any,
    *,
    output_types: tuple[DType, ...],
    output_shapes: tuple[Any, ...],
    structure: Structure | None = None,
) -> Any:
    if not iterator.fits:
        _check_elements(iterator, output_types, output_shapes)
    values = iterator.advance()
    if values is None:
        raise OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext]")
    return [values]


def _check_elements(iterator: IteratorResource, types: Sequence[DType], shapes: Any) -> None:
    """Complain of an iterator that a graph was not made for; it is looked at once."""
    iterator._check_started()
    flat = iterator.node.structure.flat
    if len(flat) != len(types) or not all(
        spec.dtype is dtype and spec.shape.is_compatible_with(shape)
        for spec, dtype, shape in zip(flat, types, shapes)
    ):
        wanted = ", ".join(f"{dtype.name}{shape}" for dtype, shape in zip(types, shapes))
        got = ", ".join(f"{spec.dtype.name}{spec.shape}" for spec in flat)
        message = f"The elements must be of {wanted}, got {got}. [Op:IteratorGetNext]"
        raise invalid(message)
    iterator.fits = True


_GET_NEXT = Op(
    "IteratorGetNext",
    "iterator: resource -> components: *output_types",
    _get_next,
    shape=component_shapes,
    effects="datasets",
)


def get_next(iterator: Tensor, structure: Any) -> list[Tensor]:
    """The tensors of the next element."""
    return _GET_NEXT.apply([iterator], _types(structure))  # type: ignore[no-any-return]


def _types(structure: Any) -> dict[str, Any]:
    return {
        "output_types": tuple(structure.dtypes),
        "output_shapes": tuple(spec.shape for spec in structure.flat),
        "structure": structure,  # for those who write the operation
    }


def _has_next(xp: Namespace, iterator: Any, going: Array) -> Any:
    return np.bool_(bool(going) and iterator.has_next())


has_next = Op(
    "IteratorHasNext",
    "iterator: resource, going: bool -> more: bool",
    _has_next,
    shape=scalar,
    effects="datasets",
)


def _next_as_optional(
    xp: Namespace,
    iterator: Any,
    *,
    output_types: tuple[DType, ...],
    output_shapes: tuple[Any, ...],
    structure: Structure | None = None,
) -> Any:
    return OptionalValue(iterator.advance())


_NEXT_AS_OPTIONAL = Op(
    "IteratorGetNextAsOptional",
    "iterator: resource -> optional: variant",
    _next_as_optional,
    shape=scalar,
    effects="datasets",
)


def next_as_optional(iterator: Tensor, structure: Any) -> Tensor:
    """The next element as an optional, which is empty at the end."""
    return _NEXT_AS_OPTIONAL.apply([iterator], _types(structure))  # type: ignore[no-any-return]


def _optional_has_value(xp: Namespace, optional: Any) -> Any:
    return np.bool_(optional.values is not None)


optional_has_value = Op(
    "OptionalHasValue",
    "optional: variant -> has_value: bool",
    _optional_has_value,
    host=True,
    shape=scalar,
)


def _optional_get_value(
    xp: Namespace,
    optional: Any,
    *,
    output_types: tuple[DType, ...],
    output_shapes: tuple[Any, ...],
    structure: Structure | None = None,
) -> Any:
    if optional.values is None:
        raise invalid("The given optional does not have a value. [Op:OptionalGetValue]")
    return [optional.values]


_OPTIONAL_GET_VALUE = Op(
    "OptionalGetValue",
    "optional: variant -> components: *output_types",
    _optional_get_value,
    host=True,
    shape=component_shapes,
)


def optional_get_value(optional: Tensor, structure: Any, name: str | None = None) -> list[Tensor]:
    """The tensors of the value of an optional."""
    return _OPTIONAL_GET_VALUE.apply([optional], _types(structure), name)  # type: ignore[no-any-return]


def _optional_from_value(
    xp: Namespace,
    components: list[Array],
    *,
    Toutput_types: tuple[DType, ...] = (),
    structure: Structure | None = None,
) -> Any:
    return OptionalValue(list(components))


_OPTIONAL_FROM_VALUE = Op(
    "OptionalFromValue",
    "components: *Toutput_types -> optional: variant",
    _optional_from_value,
    host=True,
    shape=scalar,
)


def optional_from_value(tensors: Sequence[Tensor], structure: Structure) -> Tensor:
    """An optional with a value."""
    attrs = {"Toutput_types": tuple(t.dtype for t in tensors), "structure": structure}
    return _OPTIONAL_FROM_VALUE.apply(list(tensors), attrs)  # type: ignore[no-any-return]


@RegisterGradient("OptionalFromValue")
def _optional_from_value_grad(op: Any, doptional: Tensor) -> Any:
    types, shapes = zip(*((t.dtype, t.shape) for t in op.inputs))
    return raw_ops.OptionalGetValue(doptional, output_types=types, output_shapes=shapes)


@RegisterGradient("OptionalGetValue")
def _optional_get_value_grad(op: Any, *dcomponents: Tensor) -> Tensor:
    return raw_ops.OptionalFromValue(list(dcomponents))  # type: ignore[no-any-return]


def _optional_none(xp: Namespace) -> Any:
    return OptionalValue(None)


optional_none = Op("OptionalNone", "-> optional: variant", _optional_none, host=True, shape=scalar)

# Those that `tf.raw_ops` does not have.
OWN_OPS = {op.name: op for op in (_MAKE_DATASET, _ITERATOR_OVER, has_next)}
_PUBLIC = (
    *(cardinality, _GET_NEXT, _NEXT_AS_OPTIONAL),
    *(optional_none, _OPTIONAL_FROM_VALUE, _OPTIONAL_GET_VALUE, optional_has_value),
)
for _declared in _PUBLIC:
    setattr(raw_ops, _declared.name, _declared)
for _declared in (*OWN_OPS.values(), _GET_NEXT, _NEXT_AS_OPTIONAL):
    no_gradient(_declared.name)  # a loop over a dataset holds an iterator, and has a gradient
