"""`tf.Variable` in a plain `tf.Graph`: operations for its handle, its first value and its reading.

Such a variable has a value only where its graph runs: after an import into a function, or in
TensorFlow. One that a function makes while it is traced in such a graph is one of these too.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import control_dependencies, init_scope
from runnel.core.state.resource import VariableResource
from runnel.core.state.variable import Variable, first_value
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import DTypeLike, ShapeLike
from runnel.graph.build.func_graph import FuncGraph, outermost
from runnel.graph.build.graph import Graph
from runnel.graph.build.inlining import NotLiftable, lift
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor


class GraphVariable(Variable):
    """A variable of a graph.

    >>> with tf.Graph().as_default() as graph:
    ...     v = tf.Variable([1.0, 2.0], name="v")
    >>> v, v.initializer.name
    (<tf.Variable 'v:0' shape=(2,) dtype=float32>, 'v/Assign')
    """

    _handle: Any
    _static_shape: TensorShape
    _first: Tensor
    _read: Tensor
    _initializer: Operation

    def _begin(self, initial_value: Any, dtype: DTypeLike, name: str, shape: ShapeLike) -> None:
        graph = outermost(state.graph)
        assert graph is not None
        if isinstance(state.graph, FuncGraph):
            state.graph.expect_variable()
        if isinstance(initial_value, SymbolicTensor):
            initial_value = _lifted(initial_value, graph)
        with init_scope(), graph.name_scope(name) as scope:
            with self._scope_of_first(graph, initial_value):
                self._first, self._static_shape = first_value(initial_value, dtype, shape)
            self._dtype, self._name = self._first.dtype, scope[:-1]
            self._make_operations(graph, scope)
        graph.add_to_collection("variables", self)
        if self._trainable:
            graph.add_to_collection("trainable_variables", self)

    def _scope_of_first(self, graph: Graph, initial_value: Any) -> AbstractContextManager[Any]:
        """Where the first value is computed."""
        return graph.name_scope("Initializer")

    def _make_operations(self, graph: Graph, scope: str) -> None:
        self._handle = raw_ops.VarHandleOp(
            dtype=self._dtype, shape=self._static_shape, shared_name=self._name, name=scope
        )
        self._handle._handle_data = VariableResource(self._dtype, self._static_shape, self._name)
        with graph.name_scope("IsInitialized"):
            raw_ops.VarIsInitializedOp(self._handle)
        self._initializer = raw_ops.AssignVariableOp(self._handle, self._first, name="Assign")
        with graph.name_scope("Read"):
            self._read = raw_ops.ReadVariableOp(self._handle, dtype=self._dtype)

    def _as_graph_element(self) -> Tensor:
        return self._read

    @property
    def snapshot(self) -> Tensor:
        """What reads it in the graph."""
        return self._read

    @property
    def shape(self) -> TensorShape:
        return self._static_shape

    def set_shape(self, shape: ShapeLike) -> None:
        self._static_shape = self._static_shape.merge_with(shape)

    @property
    def initial_value(self) -> Tensor:
        return self._first

    @property
    def initializer(self) -> Operation:
        return self._initializer

    @property
    def op(self) -> Operation:
        return self._handle.op  # type: ignore[no-any-return]

    @property
    def graph(self) -> Graph:
        return self._handle.graph  # type: ignore[no-any-return]

    @property
    def device(self) -> str:
        return self.op.device

    def value(self) -> Tensor:
        if state.graph is None:
            raise RuntimeError(f"{self!r} has a value only where its graph runs.")
        tensor = super().value()
        tensor.set_shape(self._static_shape)  # inside a function the handle alone does not tell
        return tensor

    def assign(self, *args: Any, **options: Any) -> Any:
        return self._after(super().assign(*args, **options))

    def assign_add(self, *args: Any, **options: Any) -> Any:
        return self._after(super().assign_add(*args, **options))

    def assign_sub(self, *args: Any, **options: Any) -> Any:
        return self._after(super().assign_sub(*args, **options))

    def _scatter(self, *args: Any) -> Any:
        return self._after(super()._scatter(*args))

    def _after(self, result: Any) -> Any:
        """The variable as the newest operation leaves it; that operation, if nobody reads it."""
        graph = state.graph
        assert graph is not None
        change = graph.newest
        return change if result is None else Changed(self, change)

    def initialized_value(self) -> Tensor:
        """The value, or what it begins with if it has none yet, for the first values of others."""
        with init_scope():
            return Graph.choose(self.is_initialized(), self.value, lambda: self._first)  # type: ignore[no-any-return]

    def eval(self, session: Any = None) -> Any:
        """The value in a session, or in the default one."""
        return self._read.eval(session=session)

    def load(self, value: Any, session: Any = None) -> None:
        """Give it a value in a session, or in the default one."""
        self._initializer.run({self._first: value}, session)

    def numpy(self) -> Any:
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


def _lifted(value: SymbolicTensor, graph: Graph) -> Tensor:
    """A first value that a function around the variable has computed, as a tensor of the graph."""
    try:
        return value if value.graph is graph else lift(value, {}, graph)
    except NotLiftable as error:
        raise ValueError(
            f"tf.Variable: `initial_value` depends on {error}, an argument of a function, and a "
            "variable in a tf.Graph begins with a value of that graph."
        ) from error


class Changed(GraphVariable):
    """A variable after an operation that changes it, which all that reads this waits for.

    >>> with tf.Graph().as_default() as graph:
    ...     v = tf.Variable(1.0, name="v")
    ...     with tf.control_dependencies([v.assign_add(1.0)]):
    ...         done = tf.constant(True)
    >>> done.op.control_inputs
    [<tf.Operation 'AssignAddVariableOp' type=AssignAddVariableOp>]
    """

    def __init__(self, variable: GraphVariable, change: Operation) -> None:
        vars(self).update(vars(variable))
        self._handle, self._change = variable._handle, change
        self._read = self.value()

    @property
    def name(self) -> str:
        return self._change.name

    @property
    def op(self) -> Operation:
        return self._change

    def value(self) -> Tensor:
        with control_dependencies([self._change]):
            return super().value()


Graph.variable_kind = GraphVariable
