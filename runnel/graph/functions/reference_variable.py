"""Variables of TensorFlow 1: a `VariableV2`, what assigns to it, and one `Identity` that reads it.

All that use the variable take the output of that one operation. It is the memory of the variable,
not a copy: an operation behind an assignment sees what was assigned (`session/aliases.py`).
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from runnel.core.op.context import state
from runnel.core.op.op import execute
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import init_scope
from runnel.core.state.resource import VariableResource
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import DType
from runnel.core.values.types import TensorLike
from runnel.graph.build.graph import Graph
from runnel.graph.build.reference_ops import ReferenceTensor, reference_to, shown_name, variable_op
from runnel.graph.functions.graph_variable import GraphVariable

_CHANGES = {"Assign": "AssignVariableOp", "AssignAdd": "AssignAddVariableOp"}
_CHANGES["AssignSub"] = "AssignSubVariableOp"


class ReferenceVariable(GraphVariable):
    """A variable whose handle is a reference.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.Variable([1.0], use_resource=False, name="v")
    ...     y = v * 2.0
    >>> v.dtype, v.op.type, y.op.inputs[0].name
    (tf.float32_ref, 'VariableV2', 'v/read:0')
    """

    def _scope_of_first(self, graph: Graph, initial_value: Any) -> AbstractContextManager[Any]:
        given = isinstance(initial_value, Tensor | GraphVariable) or not callable(initial_value)
        return nullcontext() if given else graph.name_scope("Initializer")

    def _make_operations(self, graph: Graph, scope: str) -> None:
        attrs = {"shape": self._static_shape, "dtype": self._dtype}
        made: Any = execute(variable_op(), (), {**attrs, "container": "", "shared_name": ""}, scope)
        self._handle = ReferenceTensor(made.op, 0, made._dtype, ())
        self._handle._handle_data = VariableResource(self._dtype, self._static_shape, self._name)
        made.op.outputs = [self._handle]
        graph.references[made.op.name] = self._handle
        with graph.colocate_with(made.op):
            self._initializer = raw_ops.AssignVariableOp(self._handle, self._first, name="Assign")
            self._read = raw_ops.ReadVariableOp(self._handle, dtype=self._dtype, name="read")
        graph.references[made.op.name] = self._read

    def _as_graph_element(self) -> Tensor:
        return self._handle  # type: ignore[no-any-return]

    def _ref(self) -> Tensor:
        return self._handle  # type: ignore[no-any-return]

    @property
    def dtype(self) -> DType:
        return reference_to(self._dtype)

    def value(self) -> Tensor:
        return super().value() if state.graph.building_function else self._read  # type: ignore[union-attr]

    def read_value(self) -> Tensor:
        return raw_ops.ReadVariableOp(self._handle, dtype=self._dtype, name="read")  # type: ignore[no-any-return]

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        return self._change("Assign", value, name, read_value)

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        return self._change("AssignAdd", delta, name, read_value)

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        return self._change("AssignSub", delta, name, read_value)

    def _change(self, kind: str, value: TensorLike, name: str | None, read_value: bool) -> Any:
        """An operation that changes the variable: the reference that it hands on."""
        graph: Any = state.graph
        with graph.name_scope(name or kind) as scope:
            tensor = convert_to_tensor(value, dtype=self._dtype, name="value")
        if not self._may_hold(tensor):
            raise ValueError(
                f"{kind}: cannot change the variable {self.name!r} of shape {self.shape} by a "
                f"value of shape {tensor.shape}."
            )
        return self._after(
            getattr(raw_ops, _CHANGES[kind])(self._handle, tensor, name=scope), read_value
        )

    def _after(self, change: Any, read_value: bool = True) -> Any:
        """What hands the reference on; inside a function, the value behind the change."""
        graph: Any = state.graph
        if not read_value:
            return change
        if not graph.building_function:
            return change.outputs[0]
        with graph.control_dependencies([change]):
            return self.value()

    def scatter(self, op: Any, indices: TensorLike, updates: TensorLike, name: Any = None) -> Any:
        """Change rows by an op: the reference that it hands on."""
        updates = (
            convert_to_tensor(updates, dtype=self._dtype)
            if isinstance(updates, Tensor)
            else updates
        )
        return self._after(op(self._handle, indices, updates, name=name or shown_name(op)))

    _scatter = scatter

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        return raw_ops.GatherV2(self.value(), indices, 0, name=name)  # type: ignore[no-any-return]

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        return raw_ops.GatherNd(self.value(), indices, name=name)  # type: ignore[no-any-return]

    def initialized_value(self) -> Tensor:
        with init_scope():
            read = lambda: GraphVariable.value(self)  # noqa: E731
            return Graph.choose(self.is_initialized(), read, lambda: self._first)  # type: ignore[no-any-return]
